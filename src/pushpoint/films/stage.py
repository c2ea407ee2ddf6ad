"""The ground of a film, drawn once, and the camera that looks at a part of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pushpoint.plots.drawing import PALE
from pushpoint.plots.world_drawing import draw_scenery, round_number
from pushpoint.scenery.course_frames import Course, body_box, near_obstacles
from pushpoint.scenery.force_arrows import ARROW_SHARE, body_length

PIXELS_PER_INCH = 100
# A film is this wide [px] and shows at most this many body lengths; height over width lies between these.
FILM_WIDTH, MOST_LENGTHS, FLATTEST, TALLEST = 960, 2.6, 0.34, 0.6
# The picture of the whole ground is kept in memory; a longer course is shown smaller [px].
MOST_PIXELS, LONGEST_SIDE = 3.0e7, 3.0e4
# The camera follows the mean of the body's path over this time [s].
CALM = 1.5


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A picture of the ground with all that stands on it."""

    picture: np.ndarray
    """Red, green, blue, opacity, upper row first, shape (height, width, 4)."""
    origin: np.ndarray
    """Lower left corner of the picture [m], shape (2,)."""
    scale: float
    """Pixels per meter [1/m]."""
    window: tuple[int, int]
    """Width and height of what the camera sees [px]; both even."""
    grid: float
    """Distance of the grid's lines [m]."""

    def view(self, center: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What a camera over `center` [m] sees: a part of the picture, and its corners [m], shape (2, 2)."""
        rows, columns, box = self.region(center)
        return self.picture[rows, columns], box

    def region(self, center: np.ndarray) -> tuple[slice, slice, np.ndarray]:
        """Rows and columns of the picture that a camera over `center` [m] sees, and their corners [m], shape (2, 2)."""
        tall, wide = self.picture.shape[:2]
        width, height = self.window
        aim = (np.asarray(center) - self.origin) * self.scale
        left = int(np.clip(round(aim[0] - width / 2), 0, wide - width))
        bottom = int(np.clip(round(aim[1] - height / 2), 0, tall - height))
        top = tall - bottom - height
        low = self.origin + np.array([left, bottom]) / self.scale
        box = np.stack([low, low + np.array(self.window) / self.scale])
        return slice(top, top + height), slice(left, left + width), box


def build_stage(course: Course) -> Stage:
    """Draws the ground around the body's whole way."""
    body = body_box(course)
    points = np.concatenate([body, near_obstacles(course, body)])
    plan = plan_stage(points, body_length(course))
    return Stage(picture=_draw_ground(course, plan), **plan.place)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Size and place of a stage; its fields are those of `Stage`."""

    origin: np.ndarray
    scale: float
    window: tuple[int, int]
    grid: float
    pixels: np.ndarray
    """Width and height of the picture [px], shape (2,)."""

    @property
    def place(self) -> dict[str, Any]:
        """What a stage needs of it."""
        return {"origin": self.origin, "scale": self.scale, "window": self.window, "grid": self.grid}

    @property
    def box(self) -> np.ndarray:
        """Corners of the picture [m], shape (2, 2)."""
        return np.stack([self.origin, self.origin + self.pixels / self.scale])

    def window_of(self, points: np.ndarray) -> tuple[slice, slice] | None:
        """Rows and columns of the picture around places of shape (n, 2) [m]; None if they are outside."""
        low, high = ((points.min(axis=0), points.max(axis=0)) - self.origin) * self.scale
        left, bottom = np.maximum(np.floor(low).astype(int) - 1, 0)
        right, top = np.minimum(np.ceil(high).astype(int) + 1, self.pixels)
        if left >= right or bottom >= top:
            return None
        return slice(int(self.pixels[1] - top), int(self.pixels[1] - bottom)), slice(int(left), int(right))

    def pixels_of(self, rows: slice, columns: slice) -> tuple[np.ndarray, np.ndarray]:
        """Middles of columns, shape (1, 1, width), and of rows, shape (1, height, 1), of the picture [m]."""
        u = self.origin[0] + (np.arange(columns.start, columns.stop) + 0.5) / self.scale
        v = self.origin[1] + (self.pixels[1] - np.arange(rows.start, rows.stop) - 0.5) / self.scale
        return u[None, None, :], v[None, :, None]


def plan_stage(points: np.ndarray, length: float, most_pixels: float = MOST_PIXELS) -> Plan:
    """A stage that holds points.

    Args:
        points: What the picture must show [m], shape (n, 2).
        length: Length of the body [m].
        most_pixels: How large the picture may be [px].
    """
    margin = 0.5 * ARROW_SHARE * length
    box = np.stack([points.min(axis=0) - margin, points.max(axis=0) + margin])
    size = box[1] - box[0]
    most = MOST_LENGTHS * length
    width, height = min(size[0], most), min(size[1], TALLEST * most)
    width, height = max(width, height / TALLEST), max(height, FLATTEST * width)
    size = np.maximum(size, (width, height))
    scale = min(FILM_WIDTH / width, np.sqrt(most_pixels / np.prod(size)), LONGEST_SIDE / size.max())
    window = (FILM_WIDTH, 2 * round(FILM_WIDTH * height / width / 2))
    pixels = np.maximum(np.ceil(size * scale).astype(int), window)
    origin = box.mean(axis=0) - pixels / scale / 2.0
    grid = round_number(0.2 * FILM_WIDTH / scale)
    return Plan(origin=origin, scale=float(scale), window=window, grid=grid, pixels=pixels)


def camera_path(course: Course, samples: np.ndarray) -> np.ndarray:
    """Where the camera looks in these samples [m], shape (n, n_axes): the middle of the body's path around then."""
    low, high = course.middle.min(axis=1), course.middle.max(axis=1)
    time, middle = course.time, (low + high) / 2.0
    total = np.concatenate([np.zeros_like(middle[:1]), np.cumsum(middle, axis=0)])
    first = np.searchsorted(time, time[samples] - CALM / 2.0)
    last = np.searchsorted(time, time[samples] + CALM / 2.0, side="right")
    return np.asarray((total[last] - total[first]) / (last - first)[:, None])


def _draw_ground(course: Course, plan: Plan) -> np.ndarray:
    box, grid = plan.box, plan.grid
    figure = Figure(figsize=tuple(plan.pixels / PIXELS_PER_INCH), dpi=PIXELS_PER_INCH, facecolor="white")
    canvas: Any = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.axis("off")
    axes.set(xlim=box[:, 0], ylim=box[:, 1])
    for axis, draw in enumerate((axes.axvline, axes.axhline)):
        for place in grid * np.arange(np.ceil(box[0, axis] / grid), box[1, axis] / grid):
            draw(place, color=PALE, linewidth=0.8, zorder=0.1)
    draw_scenery(axes, course.scenery, box, float(plan.pixels[0] / PIXELS_PER_INCH / (box[1, 0] - box[0, 0])))
    canvas.draw()
    return np.array(canvas.buffer_rgba())
