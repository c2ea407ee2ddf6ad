"""The virtual robot on a shape curve: which joint angles lay a robot along it (Liljeback2014, section III-D).

The head's tip lies on the curve. From there backwards each link is turned, as far as its joint's axes let it, toward a
reference point of the curve that is the look-ahead distance away from the joint. A cardan turns both of its axes toward
one point, seen from its yaw axis. Where its axes lie apart this follows curves 1 to 16 % closer (rms) than to take the
piece between them for a link of its own, and needs half the searches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.engine.spatial.kinematics import product
from pushpoint.engine.spatial.start import SpatialStart, level_tail
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import instance
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves.aligner import Aligner, checked_look_ahead, default_look_ahead
from pushpoint.planning.curves.curve import ShapeCurve

__all__ = ["Aligner", "Alignment", "align", "default_look_ahead"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Alignment:
    """Where an aligned robot is; arrays have the leading dimensions of the head positions asked for."""

    robot: SpatialRobot
    """The robot."""
    joint_angles: np.ndarray
    """Angles of all axes, tail to head [rad], shape (..., n_joints)."""
    joint_points: np.ndarray
    """Rear ends of the links, then the head's tip [m], shape (..., n_links + 1, 3).

    The rear end of a link behind which the cardan's axes lie apart is its yaw axis.
    """
    link_orientations: np.ndarray
    """Quaternions (w, x, y, z) of the links, tail to head, shape (..., n_links, 4)."""
    center: np.ndarray
    """Centre of mass [m], shape (..., 3)."""
    references: np.ndarray
    """The curve's parameter s_ref toward which each link is aimed, tail to head [-], shape (..., n_links).

    Below zero it lies on the straight line before the curve's first point.
    """

    @property
    def tail_orientation(self) -> np.ndarray:
        """Quaternion of the tail, shape (..., 4)."""
        return self.link_orientations[..., 0, :]

    @property
    def head_orientation(self) -> np.ndarray:
        """Quaternion of the head, shape (..., 4)."""
        return self.link_orientations[..., -1, :]

    def start(self) -> SpatialStart:
        """A start in this pose, at rest; for a single alignment."""
        if self.joint_angles.ndim != 1:
            raise InvalidModel("alignment", f"{self.joint_angles.shape[:-1]} poses", "one pose to start from")
        level = level_tail(self.robot, self.joint_angles, None)
        whole = product(self.tail_orientation, level * (1.0, -1.0, -1.0, -1.0))
        return SpatialStart(
            joint_angles=self.joint_angles.tolist(), orientation=whole.tolist(), position=self.center.tolist()
        )


def align(
    robot: SpatialRobot,
    curve: ShapeCurve,
    head: Any,
    roll: Any = 0.0,
    look_ahead: Any = None,
    *,
    side: Any = (0.0, 1.0, 0.0),
    allow_overshoot: bool = False,
    allow_short: bool = False,
) -> Alignment:
    """Lays a robot along a curve.

    - head: the curve's parameter at the head's tip [-], one or many.
    - roll: turns the robot about the curve [rad]; without it the head's y axis is level. One, or one per head.
    - look_ahead: how far away a link's reference point is [m]; default: two mean link lengths.
    - side: the y axis of the shape frame, for a head that is vertical.
    - allow_overshoot: takes a look-ahead shorter than the longest link, which makes joints jump.
    - allow_short: takes a curve that is shorter, up to the head, than the robot: the tail lies on the straight line
      before its first point. The last link may aim at that line in any case.
    """
    instance("robot", robot, SpatialRobot, "a SpatialRobot")
    instance("curve", curve, ShapeCurve, "a ShapeCurve")
    heads, rolls = _numbers("head", head, "-"), _numbers("roll", roll, "rad")
    distances = checked_look_ahead(robot, look_ahead, allow_overshoot)
    try:
        shape = np.broadcast_shapes(heads.shape, rolls.shape, distances.shape)
    except ValueError:
        shapes = f"{rolls.shape} and {distances.shape}"
        raise InvalidModel("roll, look_ahead", shapes, f"one value or one per head, {heads.shape}") from None
    if heads.size and heads.max() > curve.end:
        raise InvalidModel("head", float(heads.max()), f"at most {curve.end}, where the curve ends")
    if heads.size and not allow_short:
        check_room(robot, curve, float(heads.min()))
    y = _numbers("side", side, "-")
    if y.shape[-1:] != (3,):
        raise InvalidModel("side", side, "a vector x, y, z")

    def flat(values: np.ndarray) -> np.ndarray:
        return np.broadcast_to(values, shape).reshape(-1)

    count = max(int(np.prod(shape)), 1)
    aligner = Aligner(
        robot, len(curve.points), per_curve=count, look_ahead=flat(distances), allow_overshoot=allow_overshoot
    )
    aligner.load(curve.points, curve.slopes)
    aligner.solve(flat(heads), flat(rolls), np.broadcast_to(y, (*shape, 3)).reshape(-1, 3))
    names = ("joint_angles", "joint_points", "link_orientations", "center", "references")
    found = {name: getattr(aligner, name) for name in names}
    return Alignment(robot=robot, **{name: all.reshape(*shape, *all.shape[1:]) for name, all in found.items()})


def _numbers(field: str, value: Any, unit: str) -> np.ndarray:
    try:
        numbers = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise InvalidModel(field, value, f"a number or an array of numbers [{unit}]") from None
    if not np.isfinite(numbers).all():
        raise InvalidModel(field, value, f"finite [{unit}]")
    return numbers


def check_room(robot: SpatialRobot, curve: ShapeCurve, head: float) -> None:
    """Refuses a head behind which the robot does not find room on the curve."""
    room = float(curve.arc_length(head))
    if room < robot.length:
        allowed = f"at least the robot's length, {robot.length:.4g} [m]; a straight line before it is rarely meant"
        raise InvalidModel("the curve's length up to the head", round(room, 4), allowed)
