"""A steady push from the side, against the ground's friction or a smoothed law: Transeth2008a, V-B.2."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Annotated

import numpy as np

from pushpoint.engine.controller import Bindable
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import at_least, check_fields
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.quantities import Frequency
from pushpoint.model.spatial_robot import AnyRobot

GRAVITY = 9.81
FRICTION = 0.2
"""Coefficient of the friction that the push stays below [-]."""
SHARE = 0.5
"""Share of the friction limit with which the robot is pushed [-]: as on a slope of half the friction angle."""


@register("pushed-aside")
@dataclass(frozen=True, kw_only=True)
class PushedAside(Bindable[np.ndarray]):
    """Pushes a straight robot sideways all the time; with a smoothing it also brakes it with a smoothed law.

    The law is mu m g (2/pi) atan(v / smoothing). It replaces the ground, which then has no friction, and uses the mean
    velocity since the last command.
    """

    smoothing: Annotated[float, at_least(0, "m/s")] = 0.0
    """Speed at which the law reaches half of its limit [m/s]; 0: the ground brakes."""
    rate: Frequency = 500.0
    """Commands per second [Hz]."""

    needs = frozenset({"pose"})

    def __post_init__(self) -> None:
        check_fields(self, "controller")

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundPush:
        """Returns the push bound to one robot."""
        if not isinstance(robot, PlanarRobot):
            raise InvalidModel("controller: robot", type(robot).__name__, "a PlanarRobot")
        return BoundPush(**vars(self) | {"mass": robot.column("mass")})


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundPush(PushedAside):
    """The push on one robot."""

    mass: np.ndarray
    """Masses of the links [kg]."""

    def __post_init__(self) -> None:
        """Does nothing: the fields come from a controller that has been checked."""

    def memory(self) -> np.ndarray:
        """The last position of the robot [m], and whether it is known."""
        return np.zeros(3)

    def command(self, measurement: Measurement, memory: np.ndarray) -> tuple[Command, np.ndarray]:
        """Equal forces per weight on all links."""
        assert measurement.center_of_mass is not None  # `needs` includes the pose
        here = measurement.center_of_mass
        velocity = np.where(memory[:, 2:] > 0.0, (here - memory[:, :2]) * self.rate, 0.0)
        pull = np.zeros_like(here) + np.array([0.0, SHARE * FRICTION])
        if self.smoothing:
            pull -= FRICTION * 2.0 / pi * np.arctan(velocity / self.smoothing)
        load = np.zeros((len(here), self.mass.size, 3))
        load[..., :2] = GRAVITY * self.mass[:, None] * pull[:, None]
        straight = np.zeros((len(here), self.mass.size - 1))
        return Command(joint_angle=straight, link_load=load), np.column_stack((here, np.ones(len(here))))
