"""What gaits made of sine waves share: from the swing of the yaw axes and that of the pitch axes to a Wave."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import asin, copysign, inf, pi, sin

import numpy as np

from pushpoint.engine.controller import Gait
from pushpoint.engine.signals import Wave
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import check_fields
from pushpoint.model.spatial_robot import AnyRobot

ROUND_OFF = 1e-12


@dataclass(frozen=True, kw_only=True)
class Swing:
    """What all axes of one name do: offset + envelope amplitude sin(w t + k phase_shift + phase).

    k counts joints from the head, whether they have an axis of this name or not.
    """

    angular_frequency: float
    """w [rad/s]."""
    amplitude: float = 0.0
    """Amplitude [rad]."""
    phase_shift: float = 0.0
    """Phase from joint to joint, counted from the head [rad]."""
    phase: float = 0.0
    """Phase of the joint next to the head at time zero [rad]."""
    offset: float = 0.0
    """Mean angle [rad]."""
    envelope: tuple[float, ...] | None = None
    """Multipliers of the amplitude, spread evenly from tail to head [-]; default: 1."""


@dataclass(frozen=True, kw_only=True)
class Swings:
    """What a gait asks of a robot's axes."""

    yaw: Swing
    """Of the yaw axes."""
    pitch: Swing
    """Of the pitch axes."""
    release: float | None = None
    """Each axis waits at zero until its angle first comes within this [rad]; default: none waits."""


class WaveGait(Gait):
    """A gait whose axes swing as sines, which the kernels evaluate.

    Its parameters are the fields of the dataclass that derives from it.
    """

    angular_frequency: float
    """w [rad/s]."""
    soft_start: float
    """Time in which the amplitude grows from zero [s]."""
    prescribed: bool
    """Whether the motion is imposed instead of being a servo target."""

    @property
    @abstractmethod
    def swings(self) -> Swings:
        """The gait's formula."""

    def __post_init__(self) -> None:
        check_fields(self, "gait")

    @property
    def period(self) -> float:
        """Duration of one cycle [s]."""
        return 2 * pi / abs(self.angular_frequency) if self.angular_frequency else inf

    def wave(self, robot: AnyRobot) -> Wave:
        """The same gait as sine and cosine parts per axis, as kernels evaluate it."""
        return _wave(robot, self.swings, self.soft_start)

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Joint angles [rad] and rates [rad/s] at given times, shape (n_times, n_joints)."""
        return self.wave(robot).at(time)

    def link_angles(self, robot: AnyRobot) -> np.ndarray:
        """Link angles at time zero of a body whose wave swings about heading zero [rad], shape (n_links,).

        They are those of a flat body: the yaw axes alone count. Where the links' angles are no sine along the body (an
        envelope, an offset, a start from rest, no phase shift, yaw axes at uneven distances) the mean angle is the
        heading.
        """
        yaw = self.swings.yaw
        plain = yaw.envelope is None and not yaw.offset and not self.soft_start and self.swings.release is None
        angles = _travelling(robot, yaw) if plain else None
        return super().link_angles(robot) if angles is None else angles


def _travelling(robot: AnyRobot, yaw: Swing) -> np.ndarray | None:
    """Link angles that are a sine along the body; None where the sum of the yaw angles has no such form.

    Summing A sin(k d + p) over yaw axes s joints apart leaves A / (2 sin(s d / 2)) cos((k - s/2) d + p) and a constant;
    the constant is the heading. The arithmetic mean of the angles differs from it: the body need not hold whole waves.
    """
    behind = np.array([axis.link_behind for axis in robot.axes if axis.name == "yaw"])
    strides = set(np.diff(behind)) or {1}
    if behind.size == 0 or len(strides) > 1:
        return None
    stride = int(strides.pop())
    half = np.sin(stride * yaw.phase_shift / 2)
    if abs(half) < 1e-9:
        return None
    k = robot.n_links - 2 - np.concatenate(([behind[0] - stride], behind))
    theta = yaw.amplitude / (2 * half) * np.cos((k - stride / 2) * yaw.phase_shift + yaw.phase)
    return np.asarray(theta[np.searchsorted(behind, np.arange(robot.n_links))])


def _wave(robot: AnyRobot, swings: Swings, soft_start: float) -> Wave:
    each = [swings.yaw if axis.name == "yaw" else swings.pitch for axis in robot.axes]
    behind = np.array([axis.link_behind for axis in robot.axes], dtype=int)
    offset, amplitude, shift, first, omega = (
        np.array([getattr(swing, name) for swing in each], dtype=float)
        for name in ("offset", "amplitude", "phase_shift", "phase", "angular_frequency")
    )
    places = np.linspace(0.0, 1.0, robot.n_links - 1)[behind] if robot.n_links > 2 else np.full(len(each), 0.5)
    for a, swing in enumerate(each):
        if swing.envelope is not None:
            amplitude[a] *= np.interp(places[a], np.linspace(0.0, 1.0, len(swing.envelope)), swing.envelope)
    phase = (robot.n_links - 2 - behind) * shift + first
    from_time = np.zeros(len(each))
    if swings.release is not None:
        for a in range(len(each)):
            from_time[a] = _waiting_time(a, swings.release, offset[a], amplitude[a], omega[a], phase[a])
    return Wave(
        offset=offset,
        sine=amplitude * np.cos(phase),
        cosine=amplitude * np.sin(phase),
        angular_frequency=omega,
        soft_start=soft_start,
        from_time=from_time,
    )


def _waiting_time(axis: int, release: float, offset: float, amplitude: float, omega: float, phase: float) -> float:
    """First time at which offset + amplitude sin(omega t + phase) lies within release of zero [s]."""
    now = offset + amplitude * sin(phase)
    if abs(now) <= release + ROUND_OFF * (abs(offset) + abs(amplitude)):
        return 0.0
    least = abs(offset) - abs(amplitude) if omega else abs(now)
    if release < least or not omega:
        allowed = f"at least {{=least}} {{unit}}, or axis {axis} never comes within it"
        raise InvalidModel("gait.release", release, allowed, unit="rad", others={"least": least})
    meets = asin((copysign(release, now) - offset) / amplitude)
    turns = (copysign(1.0, omega) * (angle - phase) % (2 * pi) for angle in (meets, pi - meets))
    return min(turns) / abs(omega)
