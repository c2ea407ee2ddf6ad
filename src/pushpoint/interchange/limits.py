"""Joint references held against what the robot's motors can do: angles between the end stops, speeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import degrees

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.interchange.joint_references import JointReferences
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import AnyRobot

ROUNDING = 1e-9
"""By how much a reference may miss a limit, because it was computed [rad, rad/s]."""
UNITS = {"angle": "deg", "speed": "deg/s"}
"""In which the quantities are printed."""


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


def limit_violations(references: JointReferences, robot: AnyRobot) -> list[Violation]:
    """Each joint and limit of the robot's motors that the references go beyond, from tail to head."""
    axes = [(axis.name, axis.link_behind) for axis in robot.axes]
    known = list(zip(references.names, references.link_behind, strict=True))
    if axes != known:
        raise InvalidModel("robot", robot.name, f"the one whose {len(known)} joints the references are for")
    motors: Sequence[Motor] = robot.motors  # type: ignore[assignment]
    speeds = references.speeds
    return [found for j, motor in enumerate(motors) for found in _of_joint(references, j, motor, speeds[:, j])]


def _of_joint(references: JointReferences, joint: int, motor: Motor, speeds: np.ndarray) -> Iterator[Violation]:
    angles = references.angles[:, joint]
    for quantity, limit, above, excess in (
        ("angle", motor.lower, False, motor.lower - angles),
        ("angle", motor.upper, True, angles - motor.upper),
        ("speed", motor.speed_limit, True, speeds - motor.speed_limit),
    ):
        beyond = np.flatnonzero(excess > ROUNDING)
        if beyond.size:
            yield Violation(
                joint=joint,
                name=references.names[joint],
                link_behind=references.link_behind[joint],
                quantity=quantity,
                limit=limit,
                above=above,
                first_time=float(references.times[beyond[0]]),
                duration=beyond.size / references.rate,
                excess=float(excess.max()),
            )
