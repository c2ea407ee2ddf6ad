"""The `sensors` section of a scenario document."""

from __future__ import annotations

from pushpoint.description.document_section import Section


class ChannelSection(Section):
    """The way of one quantity to the controller."""

    noise: float = 0.0
    """Standard deviation of the noise of every sample, in the quantity's unit."""
    bias: float = 0.0
    """Constant error, in the quantity's unit."""
    quantum: float = 0.0
    """Readings are whole multiples of this, in the quantity's unit; 0 for no rounding."""
    rate: float | None = None
    """Samples per second [Hz]; default: one per control period."""
    delay: float = 0.0
    """Age of a sample when it is read [s]."""


class AngularChannelSection(Section):
    """The way of an angle or an angular rate to the controller."""

    noise_deg: float = 0.0
    """Standard deviation of the noise of every sample [deg or deg/s]."""
    bias_deg: float = 0.0
    """Constant error [deg or deg/s]."""
    quantum_deg: float = 0.0
    """Readings are whole multiples of this [deg or deg/s]; 0 for no rounding."""
    rate: float | None = None
    """Samples per second [Hz]; default: one per control period."""
    delay: float = 0.0
    """Age of a sample when it is read [s]."""


class SensorsSection(Section):
    """What a controller is told about the robot; a gait does not listen."""

    joint_angle: AngularChannelSection = AngularChannelSection()
    """Joint angles [deg]."""
    joint_rate: AngularChannelSection = AngularChannelSection()
    """Joint rates [deg/s]."""
    joint_torque: ChannelSection = ChannelSection()
    """Motor torques [N m]."""
    contact_normal_force: ChannelSection = ChannelSection()
    """Obstacle force toward each link's left [N]."""
    imu_angular_rate: AngularChannelSection = AngularChannelSection()
    """Angular rate of the IMU's link [deg/s]."""
    imu_acceleration: ChannelSection = ChannelSection()
    """Acceleration of the IMU's link [m/s^2]."""
    imu_heading: AngularChannelSection = AngularChannelSection()
    """Angle of the IMU's link, seen from above [deg]."""
    imu_tilt: AngularChannelSection = AngularChannelSection()
    """How the IMU's link is pitched downward and rolled to its right [deg]; spatial robots only."""
    range: ChannelSection | None = None
    """Distance from each link to the nearest obstacle [m]; default: not sensed; planar robots only."""
    imu_link: int | None = None
    """The link that carries the IMU, counted from the tail = 0; default: the head."""
    max_range: float = 1.0
    """Largest distance that is sensed [m]."""
    seed: int = 0
    """Seed of all noise [-]."""


ANGULAR = tuple(
    name for name, field in SensorsSection.model_fields.items() if field.annotation is AngularChannelSection
)
"""Quantities whose channels hold degrees."""
