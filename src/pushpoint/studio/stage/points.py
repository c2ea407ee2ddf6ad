"""The control points of a shape curve in the scene: dragging them changes the curve while the robot follows it.

They lie beside the robot. A drag moves a point over the ground, with shift up and down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.planning.curves.curve import ShapeCurve
from pushpoint.planning.curves.motion import AlongCurve, OnCurve
from pushpoint.replays.scene import PLAN, coarse
from pushpoint.replays.sight import Sight
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.studio.stage.course import on_level

if TYPE_CHECKING:
    import viser

CURVE_POINTS = 80
ASIDE = 0.45
"""How far beside the robot they lie [body lengths]."""
FARTHEST = 0.9
"""How far away the robot may go from them [body lengths]."""
SIZE = 0.018
"""Radius of a point [body lengths]."""


def curve_points(controller: Any) -> np.ndarray | None:
    """The control points that a controller's curve goes through [m], shape (n, 3); None if it has none of its own."""
    motion: Any = controller.motion if isinstance(controller, ShapeCurveFollower) else None
    if isinstance(motion, AlongCurve):
        return np.asarray(motion.segment.points)
    return np.asarray(motion.points, dtype=float) if isinstance(motion, OnCurve) else None


def with_points(controller: Any, points: np.ndarray) -> Any:
    """The same controller with a curve through other points."""
    motion: Any = controller.motion
    if isinstance(motion, AlongCurve):
        return replace(controller, motion=replace(motion, segment=replace(motion.segment, points=points)))
    return replace(controller, motion=replace(motion, points=tuple(map(tuple, points.tolist()))))


class ControlPoints:
    """Points that can be dragged, and the curve through them."""

    def __init__(self, server: viser.ViserServer, move: Callable[[int, np.ndarray], None]) -> None:
        """Begins without any; `move` gets the number of a point and where it is dragged to [m], shape (3,)."""
        self._server, self._move = server, move
        self._points = np.zeros((0, 3))
        self._place = np.zeros(3)
        self._handles: list[Any] = []
        self._line: Any = None

    def clear(self, course: DrawnRun) -> None:
        """Forgets what was in the scene; new points will lie beside this robot."""
        self._points, self._handles, self._line = np.zeros((0, 3)), [], None
        self._put_beside(course)

    def _put_beside(self, course: DrawnRun) -> None:
        """Lays them down between the viewer and the robot."""
        right, _, toward = Sight(course).axes
        length = course.length
        beside = course.center[0, :2] + ASIDE * length * (toward[:2] / np.linalg.norm(toward[:2]) - right[:2])
        level = float(course.scenery.ground.height(beside[None])[0]) + 2.0 * SIZE * length
        self._place = np.array([*beside, level])

    def show(self, controller: Any, course: DrawnRun) -> None:
        """Shows the points of a controller's curve; they come along if the robot goes far away."""
        if np.linalg.norm(self._place[:2] - course.center[0, :2]) > FARTHEST * course.length:
            self._put_beside(course)
            self._points = np.zeros((0, 3))
        points = curve_points(controller)
        points = np.zeros((0, 3)) if points is None else points
        if np.array_equal(points, self._points):
            return
        if len(points) != len(self._handles):
            self._build(points, course.length)
        self._points = points
        for handle, place in zip(self._handles, points + self._place - self._lowest(points), strict=True):
            handle.position = tuple(place.tolist())
        if self._line is not None:
            self._line.remove()
            self._line = None
        if len(points) > 1:
            curve = ShapeCurve(points, "pchip")
            line = curve.at(np.linspace(0.0, curve.end, CURVE_POINTS)) + self._place - self._lowest(points)
            self._line = self._server.scene.add_line_segments(
                "/curve", coarse(np.stack([line[:-1], line[1:]], axis=1)), PLAN, thickness=3.0, thickness_units="screen"
            )

    def _lowest(self, points: np.ndarray) -> np.ndarray:
        """Where the points begin, and how low they go, so that they lie on the ground [m], shape (3,)."""
        return np.array([*points[0, :2], points[:, 2].min()]) if len(points) else np.zeros(3)

    def _build(self, points: np.ndarray, length: float) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = [
            self._server.scene.add_icosphere(f"/control points/{number}", SIZE * length, PLAN)
            for number in range(len(points))
        ]
        for number, handle in enumerate(self._handles):
            self._listen(number, handle)

    def _listen(self, number: int, handle: Any) -> None:
        begun: list[np.ndarray] = []

        def place(event: Any) -> np.ndarray:
            """Where it was taken; what the point was then is kept besides."""
            if event.phase == "start" or not begun:
                begun[:] = [self._points[number].copy(), np.asarray(event.start_position)]
            return begun[1]

        def moved(event: Any, step: np.ndarray) -> None:
            self._move(number, begun[0] + step)
            if event.phase == "end":
                begun.clear()

        async def dragged(event: Any) -> None:
            step = on_level(event, place(event))
            if step is not None:
                moved(event, np.array([*step, 0.0]))

        async def lifted(event: Any) -> None:
            moved(event, np.array([0.0, 0.0, float(event.end_position[2] - place(event)[2])]))

        handle.on_drag("left")(dragged)
        handle.on_drag("left", modifier="shift")(lifted)
