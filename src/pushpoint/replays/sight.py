"""Where the viewer stands at first: near enough to see the whole course, and no nearer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.scenery.camera import film_view
from pushpoint.scenery.drawn_run import DrawnRun

if TYPE_CHECKING:
    import viser

FIELD_OF_VIEW = math.radians(45.0)
"""Angle between the upper and the lower edge of what is seen [rad]."""
NARROWEST = 1.4
"""Width over height of the narrowest window that still shows all [-]."""
FREE_ABOVE, FREE_BELOW, FREE_ASIDE = 0.72, 0.84, 0.94
"""Shares of the half window that are free of title, controls and margins [-]."""
ELEVATION = math.atan2(0.76, 0.65)
"""How far from above the viewer looks [rad]."""


@dataclass(frozen=True)
class Sight:
    """A look at a course: a planar run from before it, a spatial one from behind and to the right."""

    course: DrawnRun
    """What is looked at."""

    @property
    def right(self) -> np.ndarray:
        """What points to the right as the viewer sees it, shape (3,)."""
        flat = self.course.space is None
        return np.array([1.0, 0.0, 0.0]) if flat else np.array([*film_view(self.course).right[:2], 0.0])

    @property
    def axes(self) -> np.ndarray:
        """What points to the right, upward and to the viewer, as rows, shape (3, 3)."""
        right = self.right
        away = np.array([-right[1], right[0], 0.0])
        toward = np.array([0.0, 0.0, math.sin(ELEVATION)]) - math.cos(ELEVATION) * away
        return np.stack([right, np.cross(toward, right), toward])

    def camera(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the viewer is and what is looked at [m], shape (3,) each."""
        across, up, near = self.axes @ self._points().T
        tall = math.tan(FIELD_OF_VIEW / 2.0)
        aside = FREE_ASIDE * NARROWEST * tall
        # A point is within the window if the viewer is farther than its nearness plus its offset over the tangent.
        left, right = np.max(aside * near - across), np.max(aside * near + across)
        above, below = FREE_ABOVE * tall, FREE_BELOW * tall
        top, bottom = np.max(above * near + up), np.max(below * near - up)
        far = max((left + right) / (2.0 * aside), (top + bottom) / (above + below))
        spare = far * (above + below) - top - bottom
        middle = np.array([(right - left) / 2.0, top - above * far + spare / 2.0, 0.0])
        look_at = middle @ self.axes
        return look_at + far * self.axes[2], look_at

    def _points(self) -> np.ndarray:
        """Corners of boxes around all that should be seen [m], shape (n, 3)."""
        course = self.course
        low, high = course.body_box
        rise = (0.0, 2.0 * float(course.radius.max())) if course.space is None else (low[2], high[2])
        flat = np.concatenate(
            [np.array([low[:2], high[:2], (low[0], high[1]), (high[0], low[1])]), course.whole_course]
        )
        # A robot that stays where it is has room around it.
        middle, room = (low[:2] + high[:2]) / 2.0, 0.55 * course.length
        flat = np.concatenate([flat, middle + room * self.right[:2] * np.array([[-1.0], [1.0]])])
        return np.concatenate([np.column_stack([flat, np.full(len(flat), level)]) for level in rise])


def set_camera(server: viser.ViserServer, course: DrawnRun) -> None:
    """From the side and above, so that the whole course is seen."""
    position, look_at = Sight(course).camera()
    server.initial_camera.fov = FIELD_OF_VIEW
    server.initial_camera.position = tuple(position.tolist())
    server.initial_camera.look_at = tuple(look_at.tolist())
