"""Commands and measurements: what passes between a controller and the robot. Arrays have a leading world axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import Axes, array
from pushpoint.model.checks import real


@dataclass(frozen=True, kw_only=True)
class Command:
    """What a controller commands until its next turn: joint angles and rates, or torques.

    For example:

        pp.Command(joint_angle=np.zeros((1, 10)))  # one world, ten joints
    """

    __repr__ = brief

    joint_angle: np.ndarray | None = None
    """Reference angles [rad], shape (n_worlds, n_joints)."""
    joint_rate: np.ndarray | None = None
    """Reference rates [rad/s], same shape; default: zero."""
    joint_torque: np.ndarray | None = None
    """Torques instead of references [N m], same shape. The motors' limits apply."""
    prescribed: bool = False
    """Whether the joints follow the references exactly instead of using them as servo targets."""
    link_load: np.ndarray | None = None
    """External force [N] and torque about the centre of mass [N m] on each link, in world axes.

    In the plane x, y and torque, shape (n_worlds, n_links, 3); in space three numbers each, shape (n_worlds, n_links,
    6).
    """


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What a robot measures, as its Sensors show it.

    Torques, forces and accelerations are means since the channel's last sample. By default sensors are perfect and take
    a sample at every measurement. Time and the orientations of all links are always true.
    """

    __repr__ = brief

    time: np.ndarray
    """Time since each world's start [s], shape (n_worlds,)."""
    joint_angle: np.ndarray
    """Joint angles [rad], shape (n_worlds, n_joints)."""
    joint_rate: np.ndarray
    """Joint rates [rad/s], same shape."""
    joint_torque: np.ndarray
    """Motor torques [N m], same shape; means since the last sample."""
    contact_normal_force: np.ndarray
    """Obstacle force toward each link's left [N], shape (n_worlds, n_links); means since the last sample."""
    imu_angular_rate: np.ndarray
    """Angular rate of the IMU's link [rad/s], shape (n_worlds,); in space (n_worlds, 3), in its frame."""
    imu_acceleration: np.ndarray
    """Acceleration of that link's centre of mass [m/s^2], along the link and to its left, shape (n_worlds, 2).

    It is the mean since the last sample: the change of velocity per time, in the link's frame halfway between the two
    samples. In space it is the mean specific force, shape (n_worlds, 3): acceleration minus gravity.
    """
    imu_heading: np.ndarray
    """Angle of that link seen from above [rad], shape (n_worlds,); in the plane it counts full turns."""
    imu_tilt: np.ndarray | None = None
    """Pitch (downward) and roll (to the right) of that link [rad], shape (n_worlds, 2); in space only."""
    range: np.ndarray | None = None
    """Distance between each link's surface and the nearest obstacle [m], shape (n_worlds, n_links).

    It lies between 0 and Sensors.max_range. Only worlds whose Sensors have a range, or whose controller needs "range",
    have it; in a mixed batch it is NaN in the others.
    """
    ray_range: np.ndarray | None = None
    """Distances that the range sensors in Sensors.rays measure [m], shape (n_worlds, n_rays); None without any.

    In a mixed batch it is NaN for those that a world does not have.
    """
    center_of_mass: np.ndarray | None = None
    """Position of the robot [m], shape (n_worlds, 2) or (n_worlds, 3); only for controllers that need "pose"."""
    link_angle: np.ndarray | None = None
    """Link angles [rad], shape (n_worlds, n_links); in the plane, only with "pose"."""
    link_orientation: np.ndarray | None = None
    """Orientations as quaternions w, x, y, z, shape (n_worlds, n_links, 4); in space, only with "pose"."""


def soft_step(time: np.ndarray | float, duration: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Grows smoothly from 0 to 1 within a duration [s], 3 s^2 - 2 s^3; returns it and its rate [1/s]."""
    grows = np.asarray(duration) > 0.0
    lasting = np.where(grows, duration, 1.0)
    s = np.where(grows, np.clip(time / lasting, 0.0, 1.0), 1.0)
    return s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s) / lasting


RATE_FADES = 0.5
"""The longest time in which a difference in rate fades [s]."""


@dataclass(frozen=True, kw_only=True)
class Fade:
    """A difference in angle and rate that fades to zero: cubics that begin with both and end at rest.

    Added to new references, it lets them begin with the angles and rates of those before. The difference in rate is
    gone after RATE_FADES at the latest: if it took longer, the angles would go far astray meanwhile.
    """

    __repr__ = brief

    begin: float
    """When it begins [s]."""
    lasts: float
    """How long it takes [s]."""
    angle: np.ndarray
    """Difference in angle at the beginning [rad], shape (n_joints,)."""
    rate: np.ndarray
    """Difference in rate at the beginning [rad/s], same shape."""

    def at(self, time: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """What is left of the angles [rad] and rates [rad/s] at given times, shape (..., n_joints)."""
        passed, shorter = np.asarray(time, dtype=float)[..., None] - self.begin, min(self.lasts, RATE_FADES)
        s, r = (np.clip(passed / lasts, 0.0, 1.0) for lasts in (self.lasts, shorter))
        angle = (1.0 - s) ** 2 * (1.0 + 2.0 * s) * self.angle + r * (1.0 - r) ** 2 * shorter * self.rate
        rate = -6.0 * s * (1.0 - s) / self.lasts * self.angle + (1.0 - r) * (1.0 - 3.0 * r) * self.rate
        return angle, rate


@dataclass(frozen=True, kw_only=True)
class Wave:
    """A gait that the kernels evaluate: offset + ramp(t) (sine sin(w t) + cosine cos(w t)) per axis.

    An axis is held at zero before its from_time. The yaw axes of a robot share one w, and so do its pitch axes.
    """

    __repr__ = brief

    offset: np.ndarray
    """Constant part [rad], shape (n_joints,)."""
    sine: np.ndarray
    """Factor of sin(w t) [rad], same shape."""
    cosine: np.ndarray
    """Factor of cos(w t) [rad], same shape."""
    angular_frequency: np.ndarray
    """Angular frequency w [rad/s], same shape."""
    soft_start: float | np.ndarray
    """Duration of the ramp from 0 to 1 [s]."""
    from_time: np.ndarray
    """When each axis begins to move [s], same shape; 0 for one that does not wait."""

    def at(self, time: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Angles [rad] and rates [rad/s] at given times, shape (..., n_joints)."""
        t = array("time", time, real("s"))[..., None]
        w = self.angular_frequency
        ramp, ramp_dot = soft_step(t, np.asarray(self.soft_start)[..., None])
        wave = self.sine * np.sin(w * t) + self.cosine * np.cos(w * t)
        slope = w * (self.sine * np.cos(w * t) - self.cosine * np.sin(w * t))
        moves = (self.from_time <= 0.0) | (t >= self.from_time)
        return np.where(moves, self.offset + ramp * wave, 0.0), np.where(moves, ramp * slope + ramp_dot * wave, 0.0)


WAVE_UNITS = {"offset": "rad", "sine": "rad", "cosine": "rad", "angular_frequency": "rad/s", "from_time": "s"}
"""The arrays of a wave, and their units."""


def check_waves(waves: Sequence[Any], n_joints: int) -> None:
    """Raises InvalidModel if one of some waves is not a Wave for so many joints."""
    for wave in waves:
        if not isinstance(wave, Wave):
            raise InvalidModel("gait.wave", wave, "a Wave")
    for name, unit in WAVE_UNITS.items():
        parts = [getattr(wave, name) for wave in waves]
        try:
            array(f"wave.{name}", np.stack(parts), real(unit), Axes(len(waves), n_joints))  # all at once is fast
        except (InvalidModel, TypeError, ValueError):
            for part in parts:
                array(f"wave.{name}", part, real(unit), Axes(n_joints))


def two_frequencies(frequency: np.ndarray) -> tuple[tuple[float, float], np.ndarray]:
    """The frequencies of a gait [rad/s], and which of the two each axis uses."""
    each = np.asarray(frequency, dtype=float).tolist()
    found = list(dict.fromkeys(each)) or [0.0]
    if len(found) > 2:
        raise InvalidModel("gait.angular_frequency", found, "at most two different frequencies [rad/s]")
    return (found[0], found[-1]), np.array([found.index(value) for value in each], dtype=int)


PARTS = {"joint_angle": 1, "joint_rate": 1, "joint_torque": 1, "link_load": 2}
"""What a command may hold, and how many axes each part has after that of the worlds."""
UNITS = {"joint_angle": "rad", "joint_rate": "rad/s", "joint_torque": "N m", "link_load": "N, N m"}


def joined_command(parts: Sequence[tuple[Any, Command]], n_worlds: int) -> Command:
    """Joins the commands of some worlds into one for the batch; each comes with the indices of its worlds.

    They must agree on commanding references, torques or prescribed motion, and may differ in everything else. A part
    that only some of them leave out is zero there, as it is for a single world.
    """
    if len({(command.prescribed, command.joint_torque is not None) for _, command in parts}) > 1:
        raise InvalidModel("worlds: commands", "mixed", "all servo references, all torques or all prescribed motion")
    whole: dict[str, np.ndarray] = {}
    for name, axes in PARTS.items():
        for rows, command in parts:
            value = getattr(command, name)
            if value is not None:
                values = whole.setdefault(name, np.zeros((n_worlds, *np.shape(value)[-axes:])))
                try:
                    values[rows] = value
                except (TypeError, ValueError):
                    raise InvalidModel(f"command.{name}", value, f"numbers of shape {values.shape[1:]}") from None
    return Command(prescribed=any(command.prescribed for _, command in parts), **whole)
