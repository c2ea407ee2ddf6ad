"""Where the viewers look from: beside the robot as it goes, straight down, from the side, or where each one likes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.replays.sight import FIELD_OF_VIEW, Sight
from pushpoint.scenery.drawn_run import DrawnRun

if TYPE_CHECKING:
    import viser

VIEWS = ("follow", "top", "side", "free")
STEADY = 0.02
"""The camera is moved when the robot has moved by this share of its length [-]."""
FARTHEST = 2.2
"""It follows from at most this many body lengths away [-]."""


class Camera:
    """Moves the cameras of all viewers along with the robot; turning and zooming are left to them."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._server = server
        self.view = VIEWS[0]
        self._at = np.zeros(3)
        self._aside = np.zeros(3)  # what is looked at, from there
        self._placed = False

    def begin(self, course: DrawnRun) -> None:
        """Stands so that the course is seen; so do those who come later."""
        self._at, self._placed = body_middle(course), True
        position, look_at = self._wanted(course)
        self._aside = look_at - self._at
        start: Any = self._server.initial_camera
        start.fov, start.position, start.look_at = FIELD_OF_VIEW, tuple(position.tolist()), tuple(look_at.tolist())
        self._place(position, look_at)

    def choose(self, view: str, course: DrawnRun) -> None:
        """Goes over to another view."""
        self.view = view
        if view != "free":
            self.begin(course)

    def show(self, course: DrawnRun) -> None:
        """Goes along with the robot."""
        if not self._placed:
            self.begin(course)
        now = body_middle(course)
        if self.view == "free" or np.linalg.norm(now - self._at) < STEADY * course.length:
            return
        self._at, look_at = now, now + self._aside
        start: Any = self._server.initial_camera
        start.position = tuple((look_at + np.asarray(start.position) - np.asarray(start.look_at)).tolist())
        start.look_at = tuple(look_at.tolist())
        for client in self._server.get_clients().values():
            with client.atomic():
                # What a viewer's page says of its camera may be late: only how it looks is taken from it, not where.
                camera: Any = client.camera
                away = camera.position - camera.look_at
                camera.position = look_at + away
                camera.look_at = look_at

    def _place(self, position: np.ndarray, look_at: np.ndarray) -> None:
        for client in self._server.get_clients().values():
            with client.atomic():
                client.camera.position = tuple(position.tolist())
                client.camera.look_at = tuple(look_at.tolist())

    def _wanted(self, course: DrawnRun) -> tuple[np.ndarray, np.ndarray]:
        """Where the camera is and what it looks at [m], shape (3,) each."""
        at, length = body_middle(course), course.length
        if self.view == "top":
            return at + length * np.array([0.0, -0.02, 1.7]), at
        if self.view == "side":
            return at + length * np.array([0.0, -1.7, 0.25]), at
        position, look_at = Sight(course).camera()
        far = float(np.linalg.norm(position - look_at))
        if far > FARTHEST * length:
            return at + (position - look_at) * FARTHEST * length / far, at
        return position, look_at


def body_middle(course: DrawnRun) -> np.ndarray:
    """The robot's centre of mass [m], shape (3,)."""
    place = course.center[0]
    return np.array([place[0], place[1], place[2] if len(place) == 3 else 0.0])
