"""The camera of a film: where it looks from, and the picture of the whole ground that it moves over."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pushpoint.model.obstacle import Solid
from pushpoint.scenery.drawn_run import ARROW_SHARE, DrawnRun
from pushpoint.scenery.shapes import View, look_from, round_number

# It looks at space from above at this angle, from behind and from the right: its horizontal is turned from the
# direction of travel by the other one [rad].
ELEVATION, ASIDE = math.radians(35.0), math.radians(30.0)
# Terrain that rises by more than this per length [-] is looked at from below, and from beside the way up by this angle
# [rad]: steps then show treads and risers, and a slope is never seen along its surface.
STEEP, BESIDE = 0.15, math.radians(50.0)
# Points along either side of the body's box at which the terrain's rise is measured.
RISE_POINTS = 25
# A ground that is seen at less than this sine is looked at from the other side.
GRAZING = 0.2
# A film is usually this wide [px] and shows at most this many body lengths; height over width lies between these.
FILM_WIDTH, MOST_LENGTHS, FLATTEST, TALLEST = 1280, 2.6, 0.34, 0.5625
# The picture of the whole ground is kept in memory; a longer course is shown smaller [px].
MOST_PIXELS, LONGEST_SIDE = 3.0e7, 3.0e4
# The camera follows the mean of the body's path over this time [s].
CALM = 1.5


def film_view(course: DrawnRun) -> View:
    """A look from above at the way of a robot in space; the terrain says from which side."""
    rise = terrain_rise(course)
    if math.hypot(*rise) > STEEP:
        across = math.atan2(-rise[1], -rise[0]) + math.pi / 2.0
        views = [look_from(across - BESIDE, ELEVATION), look_from(across + BESIDE, ELEVATION)]
        # The robot goes from left to right, whether up or down.
        return max(views, key=lambda view: float(view.right[:2] @ course.travel))
    heading = math.atan2(course.travel[1], course.travel[0]) - ASIDE
    views = [look_from(heading, ELEVATION), look_from(heading + math.pi, ELEVATION)]
    return views[0] if float(course.scenery.ground.normal @ views[0].toward) > GRAZING else views[1]


def terrain_rise(course: DrawnRun) -> np.ndarray:
    """Rise of the terrain below the body's way along x and y [-], shape (2,): of the plane that fits it best."""
    low, high = course.body_box[:, :2]
    half = np.maximum(high - low, course.length / 2.0) / 2.0
    (left, bottom), (right, top) = (low + high) / 2.0 + np.outer((-1.0, 1.0), half)
    sides = np.linspace(left, right, RISE_POINTS), np.linspace(bottom, top, RISE_POINTS)
    places = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
    basis = np.column_stack([places - places.mean(axis=0), np.ones(len(places))])
    return np.asarray(np.linalg.lstsq(basis, course.scenery.top(places), rcond=None)[0][:2])


def peg_top(course: DrawnRun, peg: Solid) -> float:
    """Height at which the drawing of a peg ends [m]: its own, or above the links that come near it."""
    if not peg.endless:
        return float(peg.center[2] + peg.half[2])
    thick, place = float(course.radius.max()), np.array(peg.center[:2])
    reach = peg.radius + float(course.half_side.max()) + 2.0 * thick
    beside = np.linalg.norm(course.middle[..., :2] - place, axis=-1) < reach
    highest = float(course.middle[beside][:, 2].max(initial=-np.inf))
    return max(float(course.scenery.ground.height(place)) + 3.0 * thick, highest + 1.5 * thick)


@dataclass(frozen=True, kw_only=True)
class PicturePlan:
    """Size and place of a picture of the ground, and of the part that the camera sees."""

    origin: np.ndarray
    """Lower left corner of the picture [m], shape (2,)."""
    scale: float
    """Pixels per meter [1/m]."""
    window: tuple[int, int]
    """Width and height of what the camera sees [px]; both even."""
    grid: float
    """Distance of the grid's lines [m]."""
    pixels: np.ndarray
    """Width and height of the picture [px], shape (2,)."""

    @property
    def box(self) -> np.ndarray:
        """Corners of the picture [m], shape (2, 2)."""
        return np.stack([self.origin, self.origin + self.pixels / self.scale])

    def region(self, center: np.ndarray) -> tuple[slice, slice, np.ndarray]:
        """Rows and columns of the picture that a camera over `center` [m] sees, and their corners [m], shape (2, 2)."""
        window = np.array(self.window)
        low = np.clip(np.round((center - self.origin) * self.scale - window / 2), 0, self.pixels - window)
        return self.part(self.origin + np.stack([low, low + window]) / self.scale)

    def part(self, box: np.ndarray) -> tuple[slice, slice, np.ndarray]:
        """Rows and columns of the picture that show a box, shape (2, 2) [m], as far as it goes; and their corners."""
        ends = np.clip(np.round((box - self.origin) * self.scale).astype(int), 0, self.pixels)
        (left, bottom), (right, top) = ends.tolist()
        tall = int(self.pixels[1])
        return slice(tall - top, tall - bottom), slice(left, right), self.origin + ends / self.scale

    def pixels_of(self, columns: slice) -> tuple[np.ndarray, np.ndarray]:
        """Middles of some columns, shape (1, width), and of all rows, shape (height, 1), of the picture [m]."""
        u = self.origin[0] + (np.arange(columns.start, columns.stop) + 0.5) / self.scale
        v = self.origin[1] + (self.pixels[1] - np.arange(self.pixels[1]) - 0.5) / self.scale
        return u[None, :], v[:, None]


def plan_picture(
    points: np.ndarray, length: float, width: int = FILM_WIDTH, most_pixels: float = MOST_PIXELS
) -> PicturePlan:
    """A picture, not larger than so many pixels, that shows points [m], shape (n, 2), and a body of a length [m].

    width: Of what the camera sees [px].
    """
    margin = 0.5 * ARROW_SHARE * length
    box = np.stack([points.min(axis=0) - margin, points.max(axis=0) + margin])
    size = box[1] - box[0]
    most = MOST_LENGTHS * length
    wide, tall = min(size[0], most), min(size[1], TALLEST * most)
    wide, tall = max(wide, tall / TALLEST), max(tall, FLATTEST * wide)
    size = np.maximum(size, (wide, tall))
    scale = min(width / wide, np.sqrt(most_pixels / np.prod(size)), LONGEST_SIDE / size.max())
    window = (width, 2 * round(width * tall / wide / 2))
    pixels = np.maximum(np.ceil(size * scale).astype(int), window)
    origin = box.mean(axis=0) - pixels / scale / 2.0
    grid = round_number(0.2 * width / scale)
    return PicturePlan(origin=origin, scale=float(scale), window=window, grid=grid, pixels=pixels)


def camera_path(course: DrawnRun, samples: np.ndarray) -> np.ndarray:
    """Where the camera looks in these samples [m], shape (n, n_axes): the middle of the body's path around then."""
    low, high = course.middle.min(axis=1), course.middle.max(axis=1)
    time, middle = course.time, (low + high) / 2.0
    total = np.concatenate([np.zeros_like(middle[:1]), np.cumsum(middle, axis=0)])
    first = np.searchsorted(time, time[samples] - CALM / 2.0)
    last = np.searchsorted(time, time[samples] + CALM / 2.0, side="right")
    return np.asarray((total[last] - total[first]) / (last - first)[:, None])
