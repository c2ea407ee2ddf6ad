"""Joint references of gaits and shape-curve followers: rows at a chosen rate, held against limits, as a CSV file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import degrees
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.engine.controller import Gait, checked_references
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import Axes
from pushpoint.model.checks import above, check_fields, real
from pushpoint.model.motor import Motor
from pushpoint.model.quantities import Frequency
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.whole_files import write_atomically

MOST_ROWS = 1_000_000
"""More is taken for a slip of the pen [-]."""
ROUNDING = 1e-6
"""Part of a period by which a duration may miss its last row [-]."""
LIMIT_ROUNDING = 1e-9
"""By how much a reference may miss a limit, because it was computed [rad, rad/s]."""
UNITS = {"angle": "deg", "speed": "deg/s"}
"""In which the quantities are printed."""
DECIMALS = 9
"""Of every number in a file; without exponents, for simple readers [-]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JointReferences:
    """Where every joint is to be at every row; joints are actuated axes, from tail to head, a cardan gives two."""

    times: Annotated[np.ndarray, real("s"), Axes("n_rows")]
    """Of the rows, from zero, evenly spaced [s], shape (n_rows,)."""
    angles: Annotated[np.ndarray, real("rad"), Axes("n_rows", "n_joints")]
    """Joint angles [rad], shape (n_rows, n_joints)."""
    rates: Annotated[np.ndarray, real("rad/s"), Axes("n_rows", "n_joints")]
    """Joint rates [rad/s], same shape: the gait's own, or else central differences of the angles."""
    rate: Frequency
    """Rows per second [Hz]."""
    names: tuple[str, ...]
    """What each joint does: "yaw" or "pitch"."""
    link_behind: tuple[int, ...]
    """The link behind each joint, 0 for the tail."""

    def __post_init__(self) -> None:
        check_fields(self, "references")
        if not len(self.names) == len(self.link_behind) == self.angles.shape[1]:
            raise InvalidModel("references.names", len(self.names), f"{self.angles.shape[1]} names, one per joint")

    @property
    def speeds(self) -> np.ndarray:
        """How fast the joints must turn [rad/s], same shape: their rate, or what takes them to the next row if more.

        A central difference alone would show half of a jump from one row to the next.
        """
        speeds = np.abs(self.rates)
        speeds[:-1] = np.maximum(speeds[:-1], np.abs(np.diff(self.angles, axis=0)) * self.rate)
        return speeds


@checked_arguments
def joint_references(
    controller: Any, robot: AnyRobot, *, duration: Annotated[float, above(0, "s")], rate: Frequency
) -> JointReferences:
    """What a gait or a shape-curve follower asks of a robot's joints, `rate` [Hz] times a second for a duration [s].

    The rate takes the place of the one at which the controller itself sends, if it has one. Controllers that read
    measurements are refused: what they send is known only during a run.
    """
    per_second = rate
    last = duration * per_second + ROUNDING
    if not last < MOST_ROWS:
        raise InvalidModel(
            "duration", duration, f"such that {per_second:g} rows per second make fewer than {MOST_ROWS}"
        )
    times = np.arange(int(last) + 1) / per_second
    angles, rates = _asked(controller, robot, times, per_second)
    if rates is None or not rates.any():  # none, or those of references that are held
        # Central differences; at the ends of first order alone: others find speeds that no two rows ask for.
        rates = np.gradient(angles, 1.0 / per_second, axis=0) if len(angles) > 1 else np.zeros_like(angles)
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
    return checked_references(controller, times, robot, rates_known=False)


@dataclass(frozen=True, kw_only=True)
class Violation:
    """One joint's references beyond one of its limits."""

    joint: int
    """Which joint, from the tail [-]."""
    name: str
    """What the joint does: "yaw" or "pitch"."""
    link_behind: int
    """The link behind the joint, 0 for the tail."""
    quantity: str
    """"angle" or "speed"."""
    limit: float
    """The limit [rad], or [rad/s] of a speed."""
    above: bool
    """Whether the references are above the limit; otherwise they are below."""
    first_time: float
    """When they are so first [s]."""
    duration: float
    """For how long they are so, in all [s]: rows times their period."""
    excess: float
    """By how much at most [rad], or [rad/s] of a speed."""

    def __str__(self) -> str:
        unit, side = UNITS[self.quantity], "above" if self.above else "below"
        return (
            f"joint {self.joint} ({self.name}, in front of link {self.link_behind}): {self.quantity} {side} "
            f"{degrees(self.limit):g} {unit} by up to {degrees(self.excess):.3g} {unit}, first at "
            f"{self.first_time:.3f} s, for {self.duration:.3g} s in all"
        )


@checked_arguments
def limit_violations(references: JointReferences, robot: AnyRobot) -> list[Violation]:
    """Each joint and limit of the robot's motors that the references go beyond, from tail to head."""
    axes = [(axis.name, axis.link_behind) for axis in robot.axes]
    known = list(zip(references.names, references.link_behind, strict=True))
    if axes != known:
        raise InvalidModel("robot", robot.name, f"the one whose {len(known)} joints the references are for")
    found, all_speeds = [], references.speeds
    for j, motor in enumerate(cast(Sequence[Motor], robot.motors)):
        angles, speeds = references.angles[:, j], all_speeds[:, j]
        for quantity, limit, beyond_it, excess in (
            ("angle", motor.lower, False, motor.lower - angles),
            ("angle", motor.upper, True, angles - motor.upper),
            ("speed", motor.speed_limit, True, speeds - motor.speed_limit),
        ):
            beyond = np.flatnonzero(excess > LIMIT_ROUNDING)
            if beyond.size:
                violation = Violation(
                    joint=j,
                    name=references.names[j],
                    link_behind=references.link_behind[j],
                    quantity=quantity,
                    limit=limit,
                    above=beyond_it,
                    first_time=float(references.times[beyond[0]]),
                    duration=beyond.size / references.rate,
                    excess=float(excess.max()),
                )
                found.append(violation)
    return found


@checked_arguments
def column_names(references: JointReferences, *, radians: bool = False) -> list[str]:
    """Of the file, each with its unit: time_s, joint_0_pitch_deg and so on from tail to head."""
    unit = "rad" if radians else "deg"
    return ["time_s", *(f"joint_{j}_{name}_{unit}" for j, name in enumerate(references.names))]


@checked_arguments
def write_csv(references: JointReferences, path: str | Path, *, radians: bool = False) -> Path:
    """Writes times [s] and joint angles, in degrees unless radians are asked for; one line of names, then the rows."""
    angles = references.angles if radians else np.rad2deg(references.angles)
    # Adding zero takes the sign off what is rounded to zero.
    rows = np.round(np.column_stack((references.times, angles)), DECIMALS) + 0.0
    how: dict[str, Any] = {"fmt": f"%.{DECIMALS}f", "delimiter": ",", "comments": "", "encoding": "utf-8"}
    header = ",".join(column_names(references, radians=radians))
    return write_atomically(path, lambda place: np.savetxt(place, rows, header=header, **how))
