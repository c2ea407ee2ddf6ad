"""What differs from episode to episode besides the task: friction, masses and motors, drawn evenly between bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, NamedTuple

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, above, check_fields
from pushpoint.model.joints import Joint
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot

Factors = Annotated[Sequence[float], above(0, "-"), Many(2, "two factors, smallest and largest")]


class Drawn(NamedTuple):
    """The factors of one episode [-]."""

    friction: float = 1.0
    """Of the friction of the ground."""
    obstacle_friction: float = 1.0
    """Of the friction of the obstacles."""
    mass: float = 1.0
    """Of masses and moments of inertia."""
    stiffness: float = 1.0
    """Of stiffness and damping of the servos."""
    torque_limit: float = 1.0
    """Of the torque limits."""

    def robot(self, robot: AnyRobot) -> AnyRobot:
        """The robot with these masses and motors; the same object if they are its own."""
        if self.mass == self.stiffness == self.torque_limit == 1.0:
            return robot
        links: Any = tuple(map(self._link, robot.links))
        if isinstance(robot, SpatialRobot):
            return replace(robot, links=links, joints=tuple(map(self._joint, robot.chain)))
        return replace(robot, links=links, motors=tuple(map(self._motor, robot.motors)))  # type: ignore[arg-type]

    def _joint(self, joint: Any) -> Joint:
        motors = {name: self._motor(value) for name, value in vars(joint).items() if isinstance(value, Motor)}
        made: Joint = type(joint)(**vars(joint) | motors)
        return made

    def _link(self, link: Any) -> Any:
        parts = link.inertia
        inertia = tuple(self.mass * part for part in parts) if isinstance(parts, tuple) else self.mass * parts
        return replace(link, mass=self.mass * link.mass, inertia=inertia)

    def _motor(self, motor: Motor) -> Motor:
        return replace(
            motor,
            stiffness=self.stiffness * motor.stiffness,
            damping=self.stiffness * motor.damping,
            torque_limit=self.torque_limit * motor.torque_limit,
        )


@dataclass(frozen=True, kw_only=True)
class Randomised:
    """Factors drawn anew for every episode, evenly between the two numbers; None: the usual value.

    For example, with a ground and motors that are not known well:

        gymnasium.make("pushpoint/Slither-v0", randomised={"friction": (0.5, 2.0), "stiffness": (0.8, 1.2)})
    """

    friction: Factors | None = None
    """Of the coefficients of friction of the ground [-]."""
    obstacle_friction: Factors | None = None
    """Of those between obstacles and links [-]."""
    mass: Factors | None = None
    """Of masses and moments of inertia of all links together [-]."""
    stiffness: Factors | None = None
    """Of the stiffness and damping of all servos together [-]."""
    torque_limit: Factors | None = None
    """Of the torque limits of all motors together [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "randomised")
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and value[0] > value[1]:
                raise InvalidModel(f"randomised.{field.name}", value, "two factors, the smaller one first")

    @property
    def varies(self) -> bool:
        """Whether anything is drawn."""
        return any(value is not None for value in vars(self).values())

    def draw(self, random: np.random.Generator) -> Drawn:
        """The factors of one episode."""
        ranges = {name: value for name, value in vars(self).items() if value is not None}
        return Drawn(**{name: float(random.uniform(low, high)) for name, (low, high) in ranges.items()})


NOTHING_RANDOM = Randomised()
"""Every episode has the usual values."""
