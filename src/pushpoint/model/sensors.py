"""Sensors: what controllers are shown of the truth. They are perfect by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Of, Whole, at_least, check_fields, real
from pushpoint.model.quantities import Duration, Frequency, Length
from pushpoint.model.spatial_robot import AnyRobot

QUANTITIES = (
    "joint_angle",
    "joint_rate",
    "joint_torque",
    "contact_normal_force",
    "imu_angular_rate",
    "imu_acceleration",
    "imu_heading",
    "range",
    "imu_tilt",
    "center_of_mass",
)
"""The quantities that have a channel, named as in Measurement.

The position in this list is part of the key of the noise: only append.
"""

SEEDS = 2**64
"""Number of possible seeds [-]: one word of the key of the noise."""


@dataclass(frozen=True, kw_only=True)
class Channel:
    """How one quantity is measured.

    It is sampled, bias and noise are added, and the sum is rounded, held until the next sample, and delayed.
    """

    noise: Annotated[float, at_least(0, Of.UNIT)] = 0.0
    """Standard deviation of the Gaussian noise on every sample, in the quantity's unit."""
    bias: Annotated[float, real(Of.UNIT)] = 0.0
    """Constant error, in the quantity's unit."""
    quantum: Annotated[float, at_least(0, Of.UNIT)] = 0.0
    """Readings are rounded to multiples of this, in the quantity's unit; 0 for no rounding."""
    rate: Frequency | None = None
    """Samples per second, held in between [Hz]; default: one per control period.

    The interval must be a whole number of control periods.
    """
    delay: Duration = 0.0
    """Age of a sample when it is read [s], a whole number of control periods.

    Until the first sample is that old, the first sample is read.
    """

    def __post_init__(self) -> None:
        check_fields(self, "channel")


PERFECT = Channel()
"""A channel that shows the truth at every measurement."""


@dataclass(frozen=True, kw_only=True)
class Sensors:
    """One channel per measured quantity. Each element of it (joint, link, axis) has its own noise.

    The noise of each quantity in each world comes from its own random stream, keyed by the seed, the world's index in
    the batch and the quantity. It depends neither on the size of the batch nor on the other worlds. It continues when a
    Simulator resets the world, so that no two episodes are alike. A new Simulator or run starts it again.

        pp.Sensors(joint_angle=pp.Channel(noise=0.002, delay=0.02), seed=7)
    """

    __repr__ = brief

    joint_angle: Annotated[Channel, Of("rad")] = PERFECT
    """Joint angles [rad]."""
    joint_rate: Annotated[Channel, Of("rad/s")] = PERFECT
    """Joint rates [rad/s]."""
    joint_torque: Annotated[Channel, Of("N m")] = PERFECT
    """Motor torques [N m], averaged since the channel's last sample."""
    contact_normal_force: Annotated[Channel, Of("N")] = PERFECT
    """Obstacle force toward each link's left [N], averaged since the channel's last sample."""
    imu_angular_rate: Annotated[Channel, Of("rad/s")] = PERFECT
    """Angular rate of the link that carries the IMU [rad/s]."""
    imu_acceleration: Annotated[Channel, Of("m/s^2")] = PERFECT
    """Acceleration of the IMU link's centre of mass [m/s^2], averaged since the channel's last sample.

    In space it is the specific force: at rest it shows the push of the ground.
    """
    imu_heading: Annotated[Channel, Of("rad")] = PERFECT
    """Angle of the IMU's link, seen from above [rad]."""
    imu_tilt: Annotated[Channel, Of("rad")] = PERFECT
    """Pitch (downward) and roll (to the right) of the IMU's link [rad]; in space only."""
    center_of_mass: Annotated[Channel, Of("m")] = PERFECT
    """Position of the centre of mass [m], for controllers that need the pose: a camera or another positioning system.

    Each coordinate has its own noise; a bias or a delay is that of all of them.
    """
    range: Annotated[Channel, Of("m")] | None = None
    """Distance from each link to the nearest obstacle [m]; default: not measured, which saves time."""
    imu_link: Annotated[int, Whole(0, SEEDS - 1, "the number of a link, 0 for the tail")] | None = None
    """Index of the link that carries the IMU, 0 for the tail; default: the head."""
    max_range: Length = 1.0
    """Largest distance that is measured [m]. Readings are clipped to 0 and to this value."""
    seed: Annotated[int, Whole(0, SEEDS - 1, "a whole number, 0 to 2^64 - 1")] = 0
    """Seed of all noise [-], 0 to 2^64 - 1."""

    def __post_init__(self) -> None:
        check_fields(self, "sensors")

    def imu_on(self, robot: AnyRobot) -> int:
        """Returns the index of the link of this robot that carries the IMU."""
        if self.imu_link is None:
            return robot.n_links - 1
        if self.imu_link >= robot.n_links:
            raise InvalidModel("sensors.imu_link", self.imu_link, f"0 to {robot.n_links - 1} for {robot.n_links} links")
        return self.imu_link


PERFECT_SENSORS = Sensors()
"""Sensors that show the truth at every measurement, without ranges."""
