"""The frames of a film: body, obstacles, contact forces, paths and a clock.

The ground is drawn once, and anew where something on it was moved; a frame is a copy of what the camera sees of it,
with the body and the arrows on top.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.path import Path as Outline

from pushpoint.films.key import MARGIN, NAME_LEVEL, SHAFT, TITLE_LEVEL, TYPE, Header, arrow_outline, key_entries
from pushpoint.films.planar import PlanarScene, moving_patch, sheet, type_scale
from pushpoint.scenery.camera import FILM_WIDTH, camera_path
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.palette import FORCE_COLOR, INK, NUMBER_COLOR
from pushpoint.scenery.scene import SpatialScene


class Frames:
    """Draws pictures of a run; `size` is their width and height [px], `header` the height of title and key [px]."""

    def __init__(self, course: DrawnRun, *, width: int = FILM_WIDTH, speed: float = 1.0, key: bool = True) -> None:
        self._course, self._speed = course, speed
        self.scene = PlanarScene(course, width) if course.space is None else SpatialScene(course, width)
        self._scale = course.force_scale
        plan, self._unit = self.scene.plan, type_scale(width)
        width, height = plan.window
        entries = list(key_entries(course, self._scale, plan.scale, self._unit))
        header = Header(course, entries, plan.grid, width, self._unit)
        self.header = header.height if key else 0
        self.size = (width, height + self.header)
        figure = sheet(*self.size, self._unit)
        self._canvas: Any = FigureCanvasAgg(figure)  # matplotlib leaves its methods without types
        self._axes = figure.add_axes((0.0, 0.0, 1.0, height / (height + self.header)))
        self._axes.axis("off")
        self._arrows = moving_patch(FORCE_COLOR, 0.6)
        scene = self.scene
        patches = [scene.body, scene.head, scene.wheels] if isinstance(scene, PlanarScene) else []
        patches.append(self._arrows)
        for patch in patches:
            self._axes.add_patch(patch)
        self._clock, pace = (self._note(figure, level) for level in (TITLE_LEVEL, NAME_LEVEL))
        self._clock.set(size=16, weight="bold", color=INK)
        pace.set_text(pace_words(speed))
        self._artists = [*patches, *([self._clock] if key else [])]
        self._top = self._draw_top([*header.draw(figure), pace])

    def _draw_top(self, unmoved: list[Any]) -> np.ndarray:
        """The header, which never changes: it is drawn once."""
        self._canvas.draw()
        top = np.array(self._canvas.buffer_rgba())[: self.header]
        for artist in unmoved:
            artist.set_visible(False)
        return top

    def _note(self, figure: Any, level: float) -> Any:
        """An empty text at the right end of the header."""
        width, height = self.size
        place = 1.0 - MARGIN * self._unit / width, 1.0 - level * self._unit / height
        return figure.text(*place, "", size=TYPE, color=NUMBER_COLOR, va="center", ha="right")

    def draw(self, samples: Sequence[int] | np.ndarray) -> Iterator[np.ndarray]:
        """Pictures as red, green, blue, opacity; the array is the same every time and must be used up at once."""
        picture = np.asarray(self._canvas.buffer_rgba())
        renderer, samples = self._canvas.get_renderer(), np.asarray(samples)
        centers = self.scene.flat(camera_path(self._course, samples))
        for sample, center in zip(samples, centers, strict=True):
            picture[: self.header] = self._top
            box = self.scene.show(picture[self.header :], int(sample), center)
            self._axes.set(xlim=box[:, 0], ylim=box[:, 1])
            self._pose(int(sample))
            for artist in self._artists:
                artist.draw(renderer)
            yield picture

    def _pose(self, sample: int) -> None:
        feet, steps = (self.scene.flat(part) for part in self._course.arrows(sample, self._scale))
        self._arrows.set_visible(len(feet) > 0)
        if len(feet):
            shaft = SHAFT * self._unit / self.scene.plan.scale
            self._arrows.set_path(Outline.make_compound_path(*map(arrow_outline, feet, steps, [shaft] * len(feet))))
        self._clock.set_text(f"{self._course.time[sample]:.2f} s")


def pace_words(speed: float) -> str:
    """How fast a film plays."""
    return "real time" if abs(speed - 1.0) < 1e-3 else f"{speed:.3g} × real time"
