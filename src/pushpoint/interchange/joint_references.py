"""Joint references of gaits and shape-curve followers at a chosen rate, as rows that hardware can play."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.engine.controller import Gait
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import instance, positive
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot

MOST_ROWS = 1_000_000
"""More is taken for a slip of the pen [-]."""
ROUNDING = 1e-6
"""Part of a period by which a duration may miss its last row [-]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JointReferences:
    """Where every joint is to be at every row; joints are actuated axes, from tail to head, a cardan gives two."""

    times: np.ndarray
    """Of the rows, from zero, evenly spaced [s], shape (n_rows,)."""
    angles: np.ndarray
    """Joint angles [rad], shape (n_rows, n_joints)."""
    rates: np.ndarray
    """Joint rates [rad/s], same shape: the gait's own, or else central differences of the angles."""
    rate: float
    """Rows per second [Hz]."""
    names: tuple[str, ...]
    """What each joint does: "yaw" or "pitch"."""
    link_behind: tuple[int, ...]
    """The link behind each joint, 0 for the tail."""

    @property
    def speeds(self) -> np.ndarray:
        """How fast the joints must turn [rad/s], same shape: their rate, or what takes them to the next row if more.

        A central difference alone would show half of a jump from one row to the next.
        """
        speeds = np.abs(self.rates)
        speeds[:-1] = np.maximum(speeds[:-1], np.abs(np.diff(self.angles, axis=0)) * self.rate)
        return speeds


def joint_references(controller: Any, robot: AnyRobot, *, duration: float, rate: float) -> JointReferences:
    """What a gait or a shape-curve follower asks of a robot's joints, `rate` [Hz] times a second for a duration [s].

    The rate takes the place of the one at which the controller itself sends, if it has one. Controllers that read
    measurements are refused: what they send is known only during a run.
    """
    instance("robot", robot, AnyRobot, "a PlanarRobot or a SpatialRobot")
    per_second, end = positive("rate", rate, "Hz"), positive("duration", duration, "s")
    last = end * per_second + ROUNDING
    if not last < MOST_ROWS:
        raise InvalidModel(
            "duration", duration, f"such that {per_second:g} rows per second make fewer than {MOST_ROWS}"
        )
    times = np.arange(int(last) + 1) / per_second
    angles, rates = _asked(controller, robot, times, per_second)
    shape = (len(times), robot.n_joints)
    if angles.shape != shape:
        raise InvalidModel("references", f"angles of shape {angles.shape}", f"of shape {shape}: rows, joints")
    if not np.isfinite(angles).all():
        row, joint = np.argwhere(~np.isfinite(angles))[0]
        raise InvalidModel(
            f"references of joint {joint} at {times[row]:g} s", float(angles[row, joint]), "finite [rad]"
        )
    if rates is None or not rates.any():  # none, or those of references that are held
        rates = differences(angles, per_second)
    return JointReferences(
        times=times,
        angles=angles,
        rates=rates,
        rate=per_second,
        names=tuple(axis.name for axis in robot.axes),
        link_behind=tuple(axis.link_behind for axis in robot.axes),
    )


def _asked(controller: Any, robot: AnyRobot, times: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray | None]:
    """Angles at given times, and rates if the controller knows them."""
    if isinstance(controller, ShapeCurveFollower):
        if not isinstance(robot, SpatialRobot):
            raise InvalidModel("robot", robot.name, "a spatial robot: a shape curve lies in space")
        _times, poses = replace(controller, rate=rate).virtual(robot, float(times[-1]))
        return poses.joint_angles, None
    if not isinstance(controller, Gait):
        raise InvalidModel(
            "controller",
            type(controller).__name__,
            "a gait or a shape-curve follower without feedback: what a closed loop sends is known only during a run",
        )
    angles, rates = controller.references(times, robot)
    return np.asarray(angles, dtype=float), None if rates is None else np.asarray(rates, dtype=float)


def differences(angles: np.ndarray, rate: float) -> np.ndarray:
    """Central differences per second of evenly spaced rows, shape of the angles; at both ends one-sided.

    One-sided ones of higher order would extrapolate, and find speeds that no two rows ask for.
    """
    return np.gradient(angles, 1.0 / rate, axis=0) if len(angles) > 1 else np.zeros_like(angles)
