"""Joint references of gaits and shape-curve followers: rows at a chosen rate, checked against limits, as a CSV file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import degrees
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np

from pushpoint.brief import brief
from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.engine.controller import Gait, checked_references
from pushpoint.errors import InvalidModel
from pushpoint.gaits import PatternGenerator, WaveGait
from pushpoint.interchange.report import Report, Translated, lost_edits
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import Axes
from pushpoint.model.checks import above, check_fields, real
from pushpoint.model.motor import Motor
from pushpoint.model.quantities import Frequency
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.scenarios.scenario import Scenario
from pushpoint.whole_files import write_atomically

MOST_ROWS = 1_000_000
"""More rows are taken for a typing mistake [-]."""
ROUNDING = 1e-6
"""Part of a period by which a duration may miss its last row [-]."""
LIMIT_ROUNDING = 1e-9
"""Round-off by which a reference may exceed a limit [rad, rad/s]."""
UNITS = {"angle": "deg", "speed": "deg/s"}
"""Units in which the quantities are printed."""
DECIMALS = 9
"""Decimals of every number in a file, without exponents for simple readers [-]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JointReferences:
    """Joint angles and rates at every row. Joints are actuated axes from tail to head; a cardan joint has two."""

    __repr__ = brief

    times: Annotated[np.ndarray, real("s"), Axes("n_rows")]
    """Times of the rows from zero, evenly spaced [s], shape (n_rows,)."""
    angles: Annotated[np.ndarray, real("rad"), Axes("n_rows", "n_joints")]
    """Joint angles [rad], shape (n_rows, n_joints)."""
    rates: Annotated[np.ndarray, real("rad/s"), Axes("n_rows", "n_joints")]
    """Joint rates [rad/s], same shape: the gait's own, or else central differences of the angles."""
    rate: Frequency
    """Rows per second [Hz]."""
    names: tuple[str, ...]
    """Name of each joint's axis: "yaw" or "pitch"."""
    link_behind: tuple[int, ...]
    """Index of the link behind each joint, 0 for the tail."""

    def __post_init__(self) -> None:
        check_fields(self, "references")
        if not len(self.names) == len(self.link_behind) == self.angles.shape[1]:
            raise InvalidModel("references.names", len(self.names), f"{self.angles.shape[1]} names, one per joint")

    @property
    def speeds(self) -> np.ndarray:
        """How fast the joints must turn [rad/s], same shape: the rate, or the step to the next row if larger.

        A central difference alone would show half of a jump between rows.
        """
        speeds = np.abs(self.rates)
        speeds[:-1] = np.maximum(speeds[:-1], np.abs(np.diff(self.angles, axis=0)) * self.rate)
        return speeds


@checked_arguments
def joint_references(
    controller: Any, robot: AnyRobot, *, duration: Annotated[float, above(0, "s")], rate: Frequency
) -> JointReferences:
    """References of a gait or a shape-curve follower at regular times.

        references = pp.interchange.joint_references(gait, world.robot, duration=5.0, rate=50.0)
        pp.interchange.write_csv(references, "references.csv")

    Args:
        controller: A gait, a pattern generator, or a shape-curve follower without feedback.
        robot: The robot whose joints are moved.
        duration: Duration [s].
        rate: Rows per second [Hz]. It replaces that of the controller, if it has one.

    Raises:
        InvalidModel: The controller uses measurements, so its references are known only during a run.
    """
    per_second = rate
    last = duration * per_second + ROUNDING
    if not last < MOST_ROWS:
        raise InvalidModel(
            "duration", duration, f"such that {per_second:g} rows per second make fewer than {MOST_ROWS}"
        )
    times = np.arange(int(last) + 1) / per_second
    angles, rates = _asked(controller, robot, times, per_second)
    if rates is None or not rates.any():  # no rates, or those of held references
        # Central differences; first order at the ends, since others give speeds that no two rows contain.
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
    if isinstance(controller, PatternGenerator):
        return controller.references(times, robot)
    if not isinstance(controller, Gait):
        raise InvalidModel(
            "controller",
            type(controller).__name__,
            "a gait or a shape-curve follower without feedback: what feedback commands is known only during a run",
        )
    return checked_references(controller, times, robot, rates_known=False)


@dataclass(frozen=True, kw_only=True)
class Violation:
    """One joint's references beyond one of its limits."""

    __repr__ = brief

    joint: int
    """Index of the joint, from the tail [-]."""
    name: str
    """Name of its axis: "yaw" or "pitch"."""
    link_behind: int
    """Index of the link behind the joint, 0 for the tail."""
    quantity: str
    """"angle" or "speed"."""
    limit: float
    """The limit [rad], or [rad/s] for a speed."""
    above: bool
    """Whether the references are above the limit; otherwise they are below."""
    first_time: float
    """When the limit is first exceeded [s]."""
    duration: float
    """Total time beyond the limit [s]: rows times their period."""
    excess: float
    """Largest excess [rad], or [rad/s] for a speed."""

    def __str__(self) -> str:
        unit, side = UNITS[self.quantity], "above" if self.above else "below"
        return (
            f"joint {self.joint} ({self.name}, in front of link {self.link_behind}): {self.quantity} {side} "
            f"{degrees(self.limit):g} {unit} by up to {degrees(self.excess):.3g} {unit}, first at "
            f"{self.first_time:.3f} s, for {self.duration:.3g} s in all"
        )


@checked_arguments
def limit_violations(references: JointReferences, robot: AnyRobot) -> list[Violation]:
    """Every joint and motor limit that the references exceed, from tail to head.

    Args:
        references: The joint references.
        robot: The robot that they are for.
    """
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
    """Column names of the file, each with its unit: time_s, joint_0_pitch_deg and so on from tail to head.

    Args:
        references: The joint references.
        radians: Whether angles are in radians instead of degrees.
    """
    unit = "rad" if radians else "deg"
    return ["time_s", *(f"joint_{j}_{name}_{unit}" for j, name in enumerate(references.names))]


OWN_RATE = 30.0
"""Rows per second of a gait without a rate of its own: that of Liljeback2014 [Hz]."""


def write(thing: Any, path: Path) -> Report:
    """Writes the joint references of a scenario's gait, in degrees; says whether they are within the robot's limits."""
    if not isinstance(thing, Scenario) or thing.world.controller is None:
        raise InvalidModel("export: thing", thing, "a Scenario with a controller: its duration says how many rows")
    world, controller = thing.world, thing.world.controller
    rate = OWN_RATE if isinstance(controller, WaveGait) else controller.rate
    found = joint_references(controller, world.robot, duration=thing.duration, rate=rate)
    laws = [Translated(law="joint references", kept="exact", how=f"{len(found.times)} rows, {rate:g} per second")]
    for violation in limit_violations(found, world.robot):
        laws.append(Translated(law=f"limit of joint {violation.joint}", kept="lost", how=str(violation)))
    laws += lost_edits(thing.edits)
    laws.append(Translated(law="robot, course and contacts", kept="lost", how="a table of joint angles alone"))
    files = (write_csv(found, path),)
    return Report(what=f"scenario {thing.name}", into="joint references", laws=tuple(laws), files=files)


@checked_arguments
def write_csv(references: JointReferences, path: str | Path, *, radians: bool = False) -> Path:
    """Writes joint references as a CSV file: one line of names, then the rows.

    Args:
        references: The joint references.
        path: The file. An existing one is replaced.
        radians: Whether to write angles in radians instead of degrees.
    """
    angles = references.angles if radians else np.rad2deg(references.angles)
    # Adding zero removes the sign of numbers that are rounded to zero.
    rows = np.round(np.column_stack((references.times, angles)), DECIMALS) + 0.0
    how: dict[str, Any] = {"fmt": f"%.{DECIMALS}f", "delimiter": ",", "comments": "", "encoding": "utf-8"}
    header = ",".join(column_names(references, radians=radians))
    return write_atomically(path, lambda place: np.savetxt(place, rows, header=header, **how))
