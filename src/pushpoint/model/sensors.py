"""What a robot's sensors make of the truth. Frozen, SI, checked at birth; perfect unless said otherwise."""

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
)
"""What has a channel, named as in Measurement. Places in this list are part of the key of the noise: only append."""

SEEDS = 2**64
"""How many seeds there are [-]: one word of the key of the noise."""


@dataclass(frozen=True, kw_only=True)
class Channel:
    """The way of one quantity: sampled, bias and noise added, rounded, held until the next sample, delayed."""

    noise: Annotated[float, at_least(0, Of.UNIT)] = 0.0
    """Standard deviation of the Gaussian noise of every sample, in the quantity's unit."""
    bias: Annotated[float, real(Of.UNIT)] = 0.0
    """Constant error, in the quantity's unit."""
    quantum: Annotated[float, at_least(0, Of.UNIT)] = 0.0
    """Readings are whole multiples of this, in the quantity's unit; 0 for no rounding."""
    rate: Frequency | None = None
    """Samples per second, held in between [Hz]; a whole number of control periods apart; default: every period."""
    delay: Duration = 0.0
    """Age of a sample when it is read [s], a whole number of control periods; before that the first one is read."""

    def __post_init__(self) -> None:
        check_fields(self, "channel")


PERFECT = Channel()
"""A channel that shows the truth at every measurement."""


@dataclass(frozen=True, kw_only=True)
class Sensors:
    """One channel per quantity of a Measurement; each element of it (joint, link, axis) has its own noise.

    The noise of a world comes from a stream of its own for every quantity, keyed by the seed, the world's place in the
    batch and the quantity. It depends neither on the size of the batch nor on the other worlds. It goes on when a
    Simulator resets the world, so that no two episodes are alike; a new Simulator or run begins it again.
    """

    __repr__ = brief

    joint_angle: Annotated[Channel, Of("rad")] = PERFECT
    """Joint angles [rad]."""
    joint_rate: Annotated[Channel, Of("rad/s")] = PERFECT
    """Joint rates [rad/s]."""
    joint_torque: Annotated[Channel, Of("N m")] = PERFECT
    """Motor torques [N m], means since the channel's last sample."""
    contact_normal_force: Annotated[Channel, Of("N")] = PERFECT
    """Obstacle force toward each link's left [N], means since the channel's last sample."""
    imu_angular_rate: Annotated[Channel, Of("rad/s")] = PERFECT
    """Angular rate of the IMU's link [rad/s]."""
    imu_acceleration: Annotated[Channel, Of("m/s^2")] = PERFECT
    """Acceleration of the centre of mass of the IMU's link [m/s^2], mean since the channel's last sample; in space it
    is the specific force, which shows the ground's push at rest."""
    imu_heading: Annotated[Channel, Of("rad")] = PERFECT
    """Angle of the IMU's link, seen from above [rad]."""
    imu_tilt: Annotated[Channel, Of("rad")] = PERFECT
    """How the IMU's link is pitched downward and rolled to its right [rad]; in space only."""
    range: Annotated[Channel, Of("m")] | None = None
    """Distance from each link to the nearest obstacle [m]; default: not sensed, which spares its cost."""
    imu_link: Annotated[int, Whole(0, SEEDS - 1, "the number of a link, 0 for the tail")] | None = None
    """The link that carries the IMU, 0 for the tail; default: the head."""
    max_range: Length = 1.0
    """Largest distance that is sensed [m]; readings of range end at 0 and here."""
    seed: Annotated[int, Whole(0, SEEDS - 1, "a whole number, 0 to 2^64 - 1")] = 0
    """Seed of all noise [-], 0 to 2^64 - 1."""

    def __post_init__(self) -> None:
        check_fields(self, "sensors")

    def imu_on(self, robot: AnyRobot) -> int:
        """The link of this robot that carries the IMU."""
        if self.imu_link is None:
            return robot.n_links - 1
        if self.imu_link >= robot.n_links:
            raise InvalidModel("sensors.imu_link", self.imu_link, f"0 to {robot.n_links - 1} for {robot.n_links} links")
        return self.imu_link


PERFECT_SENSORS = Sensors()
"""The truth at every measurement, without ranges."""
