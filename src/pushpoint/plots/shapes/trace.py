"""What the virtual robot of a follower did: its poses, and all of the curve along which it moved."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves.alignment import Alignment
from pushpoint.planning.curves.curve import ShapeCurve
from pushpoint.planning.curves.motion import AlongCurve, OnCurve, OnMovingPoints
from pushpoint.plots.shapes.drawing import BESIDE, Stretch
from pushpoint.plots.shapes.panels import ShapePanel
from pushpoint.scenery.drawn_run import nearest_samples
from pushpoint.scenery.surroundings import Scenery
from pushpoint.scenery.views import TOP


@dataclass(frozen=True, kw_only=True, eq=False)
class Trace:
    """What a follower's virtual robot did."""

    times: np.ndarray
    """Of the commands [s], shape (n,)."""
    poses: tuple[Alignment, ...]
    """The robot at these times."""
    curves: list[ShapeCurve]
    """Its curve then; one that grows or stays is the same one every time."""
    heads: list[float]
    """Parameters of the head [-]."""
    cycle: int | None
    """Pieces of the curve in a cycle; None without cycles."""

    @property
    def behind(self) -> float:
        """The last control point behind all that the robot needs at time zero [-]."""
        return float(max(np.floor(self.poses[0].references.min()), 0.0))

    def bare_panels(self) -> list[ShapePanel]:
        """The curve without a robot; of one that grows, a cycle of it and all that came of it after time zero."""
        if self.cycle is None:
            curve = self.curves[0]
            return [ShapePanel(title=f"a curve through {len(curve.points)} points", stretches=(Stretch.whole(curve),))]
        first, last = math.floor(self.heads[0] + 1e-9), math.ceil(self.heads[-1] - 1e-9)
        behind = max(first - self.cycle, 0)
        parts = {f"segment of {self.cycle + 1} points": (behind, first), "repeated": (first, max(last, first + 1))}
        return [
            ShapePanel(title=title, stretches=(Stretch(curve=self.curves[0], part=part, span=part),))
            for title, part in parts.items()
        ]

    def first_panel(self) -> ShapePanel:
        """The robot at time zero, and the last cycle of its curve behind the head."""
        last = math.floor(self.heads[0] + 1e-9)
        part = (self.behind, self.heads[0]) if self.cycle is None else (max(last - self.cycle, 0.0), float(last))
        span = (min(part[0], self.behind), self.heads[0])
        title = f"{'shape curve' if self.cycle is None else 'gait segment'} and aligned robot"
        return ShapePanel(
            title=title, stretches=(Stretch(curve=self.curves[0], part=part, span=span),), poses=self.poses[:1]
        )

    def whole_panel(self, at: np.ndarray, scenery: Scenery | None) -> ShapePanel:
        """All of the curve with the robot at some times [s], from where it is seen best."""
        chosen = np.unique(nearest_samples(self.times, at)).tolist()
        curves = {id(self.curves[k]): self.curves[k] for k in chosen}.values()
        ends = (self.behind, float(math.ceil(max(self.heads[k] for k in chosen) - 1e-9)))
        panel = ShapePanel(
            title="shape curve and virtual robot",
            stretches=tuple(Stretch(curve=curve, part=ends, span=ends) for curve in curves),
            poses=tuple(self.poses[k] for k in chosen),
            labels=tuple(f"{self.times[k]:.3g} s" for k in chosen),
            scenery=scenery,
        )
        size = panel.cage.high - panel.cage.low
        return replace(panel, view=BESIDE if size[2] > size[1] else TOP)


def follow(
    follower: ShapeCurveFollower,
    robot: SpatialRobot,
    duration: float,
    center: Callable[[float], np.ndarray] | None = None,
) -> Trace:
    """Moves a virtual robot for a duration [s], and keeps all of the curve that it moves along.

    center: where the centre of mass of a run was [m], for a follower that steers by it.
    """
    motion, kind = follower.motion, _kind(follower.motion)
    grows = isinstance(motion, AlongCurve)
    times, poses, heads = [], [], []
    curves: list[ShapeCurve] = []
    window, points = np.zeros((0, 3)), np.zeros((0, 3))
    for t, laid, pose in follower.moves(robot, duration, center):
        stays = np.array_equal(window, laid.points)
        new = _shift(window, laid.points) if grows and len(window) else len(laid.points)
        points = np.concatenate([points, laid.points[len(laid.points) - new :]]) if grows else laid.points
        if not grows:
            curves.append(curves[-1] if stays else ShapeCurve(points, kind))
        window = laid.points
        times.append(t)
        poses.append(pose)
        heads.append(len(points) - len(window) + float(laid.head))
    if grows:
        curves = [ShapeCurve(points, kind)] * len(times)
    cycle = len(motion.segment.steps) if isinstance(motion, AlongCurve) else None
    return Trace(times=np.array(times), poses=tuple(poses), curves=curves, heads=heads, cycle=cycle)


def _kind(motion: Any) -> str:
    """Kind of the curve that a motion lays a robot along."""
    if isinstance(motion, OnMovingPoints):
        return motion.moving.curve
    return motion.curve if isinstance(motion, AlongCurve | OnCurve) else "pchip"


def _shift(before: np.ndarray, after: np.ndarray) -> int:
    """How many control points a window has dropped since."""
    return next(k for k in range(len(before)) if np.array_equal(before[k:], after[: len(after) - k]))
