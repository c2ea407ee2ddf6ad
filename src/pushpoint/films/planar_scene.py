"""The body of a planar run on its stage, frame by frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from pushpoint.films.stage import Stage, build_stage
from pushpoint.plots.drawing import BLUE, ORANGE
from pushpoint.plots.world_drawing import body_outlines
from pushpoint.scenery.course_frames import Course


class PlanarScene:
    """Draws the body with matplotlib."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self.stage: Stage = build_stage(course)
        edge = min(1.0, self.stage.scale * float(course.radius.mean()) / 12.0)
        look: dict[str, Any] = {"edgecolor": "white", "linewidth": edge}
        empty = Outline(np.zeros((0, 2)))
        self._body = PathPatch(empty, facecolor=BLUE, **look)
        self._head = PathPatch(empty, facecolor=ORANGE, **look)

    def attach(self, axes: Axes) -> list[PathPatch]:
        """Puts what moves into the axes of a film, and hands it out to be drawn in this order."""
        axes.add_patch(self._body)
        axes.add_patch(self._head)
        return [self._body, self._head]

    def flat(self, points: np.ndarray) -> np.ndarray:
        """Places in the picture, shape (n, 2)."""
        return points

    def show(self, picture: np.ndarray, sample: int, center: np.ndarray) -> np.ndarray:
        """Fills a picture with the ground and poses the body; returns the corners of the picture [m], shape (2, 2)."""
        picture[:], box = self.stage.view(center)
        # The outlines turn the same way, so that their union is filled once.
        outlines = body_outlines(self._course, sample)
        self._body.set_path(Outline.make_compound_path(*outlines))
        self._head.set_path(outlines[-1])
        return box
