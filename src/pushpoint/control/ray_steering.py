"""Steering by two range sensors: away from the side on which something is nearer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.gaits.waves import WaveGait
from pushpoint.model.checks import What, check_fields, real
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Duration, Frequency, Width
from pushpoint.model.spatial_robot import AnyRobot


@register("ray-steering")
@dataclass(frozen=True, kw_only=True)
class RaySteering(Controller[np.ndarray]):
    """Follows a gait and bends away from the side on which its range sensors see something nearer.

        offset = clip(gain (left - right), -largest, largest)

    `left` and `right` are the readings of the first two of Sensors.rays. The offset is added to all yaw joints,
    smoothed by a first-order lag. For example, with two rays on the head:

        rays = [pp.RangeSensor(azimuth=0.7), pp.RangeSensor(azimuth=-0.7)]
        wave = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=2.0, phase_shift=-0.6)
        controller = pp.control.RaySteering(gait=wave)
    """

    __repr__ = brief

    gait: Annotated[WaveGait, What("a gait of waves such as LateralUndulation")]
    """The gait that drives the robot."""
    gain: Annotated[float, real("rad/m")] = 0.3
    """Bend of the joints per difference of the distances [rad/m]; > 0 turns to the side with more room."""
    largest: Width = 0.15
    """Largest bend [rad]."""
    smoothing: Duration = 0.5
    """Time constant of the lag [s]: the head swings, and its sensors with it."""
    rate: Frequency = 50.0
    """Commands per second [Hz]."""

    def __post_init__(self) -> None:
        check_fields(self, "controller")

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> Controller[np.ndarray]:
        """The controller of this robot."""
        yaw = np.array([axis.name == "yaw" for axis in robot.axes], dtype=float)
        return _BoundRaySteering(settings=self, gait=self.gait.bind(robot), yaw=yaw, rate=self.rate)

    def command(self, measurement: Measurement, memory: np.ndarray) -> tuple[Command, np.ndarray]:
        """Only a bound controller commands."""
        raise InvalidModel("controller", "ray-steering", "bound to a robot before it commands")


@dataclass(frozen=True, kw_only=True)
class _BoundRaySteering(Controller[np.ndarray]):
    """The same for one robot. Its memory is the present offset [rad]."""

    settings: RaySteering
    gait: Controller[None]
    yaw: np.ndarray
    rate: float

    def memory(self) -> np.ndarray:
        return np.zeros(())

    def command(self, measurement: Measurement, memory: np.ndarray) -> tuple[Command, np.ndarray]:
        """The gait's references with the offset of the present readings."""
        seen = measurement.ray_range
        if seen is None or seen.shape[-1] < 2:
            found = 0 if seen is None else seen.shape[-1]
            raise InvalidModel("sensors.rays", found, "two or more: the first to the left, the second to the right")
        wanted = np.clip(self.settings.gain * (seen[:, 0] - seen[:, 1]), -self.settings.largest, self.settings.largest)
        lag = 1.0 / (1.0 + self.settings.smoothing * self.rate)
        offset = memory + lag * (wanted - memory)
        wave, _ = self.gait.command(measurement, None)
        assert wave.joint_angle is not None
        return replace(wave, joint_angle=wave.joint_angle + offset[:, None] * self.yaw), offset
