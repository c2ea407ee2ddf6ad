"""Sensors: what controllers are shown of the truth. They are perfect by default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Annotated

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, Of, Whole, at_least, between, check_fields, members, real, store
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.quantities import Angle, Duration, Frequency, Length
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
    "ray_range",
    "center_of_mass",
)
"""The quantities that have a channel, named as in Measurement.

The position in this list is part of the key of the noise: only append.
"""

SEEDS = 2**64
"""Number of possible seeds [-]: one word of the key of the noise."""
A_LINK = Whole(0, SEEDS - 1, "the number of a link, 0 for the tail")
MOST_RAYS = 1000
"""The most range sensors of one robot [-]."""


@dataclass(frozen=True, kw_only=True)
class RangeSensor:
    """A range sensor that looks in one direction from a place on a link.

    It measures the distance along a ray to the first obstacle, in space also to the ground, up to its reach. It sees
    through the robot itself, and reads zero inside an obstacle.

        pp.RangeSensor(position=(0.05, 0.0), azimuth=0.5, reach=0.8)  # on the head, half a radian to the left
    """

    link: Annotated[int, A_LINK] | None = None
    """Index of the link that carries it, 0 for the tail; default: the head."""
    position: Annotated[Sequence[float], real("m"), Many(None, "two or three numbers")] = (0.0, 0.0, 0.0)
    """Where the ray begins, from the middle of the link: forward, to the left and, in space, up [m]."""
    azimuth: Angle = 0.0
    """Direction of the ray, from straight ahead to the left of the link [rad]."""
    elevation: Annotated[float, between(-pi / 2, pi / 2, "rad")] = 0.0
    """How far it points up from the link's own level plane [rad]; in space only."""
    reach: Length = 1.0
    """Largest distance that it measures [m]. It reads this where nothing is nearer."""

    def __post_init__(self) -> None:
        check_fields(self, "range sensor")
        if len(self.position) not in (2, 3):
            raise InvalidModel("range sensor.position", self.position, "two or three numbers [m]")
        store(self, position=(*self.position, 0.0)[:3])

    @property
    def direction(self) -> tuple[float, float, float]:
        """Unit vector of the ray in the link's frame: forward, left, up."""
        level = cos(self.elevation)
        return level * cos(self.azimuth), level * sin(self.azimuth), sin(self.elevation)


@dataclass(frozen=True, kw_only=True)
class Channel:
    """How one quantity is measured.

    It is sampled and multiplied by the gain, bias and noise are added, and the sum is rounded, held until the next
    sample, and delayed.
    """

    gain: Annotated[float, real("-")] = 1.0
    """What the truth is multiplied by [-]: 0 for a dead sensor, negative for one that is the wrong way round."""
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
    Simulator resets the world, so that no two episodes are alike. A new Simulator or run starts it again, and so does a
    world that a Simulator puts in the place of another: give each its own seed.

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
    rays: Sequence[RangeSensor] = ()
    """Range sensors that look in one direction each."""
    ray_range: Annotated[Channel, Of("m")] = PERFECT
    """Distances that they measure [m]. Readings are clipped to 0 and to each sensor's reach."""
    imu_link: Annotated[int, A_LINK] | None = None
    """Index of the link that carries the IMU, 0 for the tail; default: the head."""
    max_range: Length = 1.0
    """Largest distance that `range` measures [m]. Readings are clipped to 0 and to this value."""
    seed: Annotated[int, Whole(0, SEEDS - 1, "a whole number, 0 to 2^64 - 1")] = 0
    """Seed of all noise [-], 0 to 2^64 - 1."""

    def __post_init__(self) -> None:
        store(self, rays=members("sensors.rays", self.rays, RangeSensor, "a RangeSensor"))
        check_fields(self, "sensors")
        if len(self.rays) > MOST_RAYS:
            raise InvalidModel("sensors.rays", len(self.rays), f"at most {MOST_RAYS} range sensors")

    def imu_on(self, robot: AnyRobot) -> int:
        """Returns the index of the link of this robot that carries the IMU."""
        if self.imu_link is None:
            return robot.n_links - 1
        if self.imu_link >= robot.n_links:
            raise InvalidModel("sensors.imu_link", self.imu_link, f"0 to {robot.n_links - 1} for {robot.n_links} links")
        return self.imu_link

    def check_fits(self, robot: AnyRobot) -> None:
        """Raises InvalidModel if a sensor is on a link that this robot does not have, or looks out of the plane."""
        self.imu_on(robot)
        for k, ray in enumerate(self.rays):
            if ray.link is not None and ray.link >= robot.n_links:
                allowed = f"0 to {robot.n_links - 1} for {robot.n_links} links"
                raise InvalidModel(f"sensors.rays[{k}].link", ray.link, allowed)
            if isinstance(robot, PlanarRobot) and (ray.elevation or ray.position[2]):
                if ray.elevation:
                    raise InvalidModel(
                        f"sensors.rays[{k}].elevation", ray.elevation, "0 for a planar robot", unit="rad"
                    )
                allowed = "two numbers for a planar robot, or 0 as the third"
                raise InvalidModel(f"sensors.rays[{k}].position", ray.position, allowed)


PERFECT_SENSORS = Sensors()
"""Sensors that show the truth at every measurement, without ranges."""
