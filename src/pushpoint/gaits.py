"""Gaits: open-loop joint references, as sine waves or as functions of time.

In a wave, the yaw axes follow one sine and the pitch axes another. Other gaits are sampled in time: a gait as it
reaches the motors of a real robot, and any function of time. Angles are in radians.

    gait = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
    angles, rates = gait.references(np.linspace(0.0, 5.0, 100), pp.catalogue.aiko_planar())
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import asin, copysign, inf, pi, sin
from typing import Annotated, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Gait
from pushpoint.engine.signals import Wave
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import Axes, array
from pushpoint.model.checks import Many, What, between, check_fields, instance, real
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle, AngularRate, Duration, Frequency, Phase, Spread
from pushpoint.model.spatial_robot import AnyRobot

ROUND_OFF = 1e-12
RATE_STEP = 1e-6
"""Time step of the finite differences that give a function's rate [s]."""
MULTIPLIERS = "two or more multipliers from tail to head"


class Swing(NamedTuple):
    """The motion of all axes of one name: offset + envelope amplitude sin(harmonic w t + k phase_shift + phase) [rad].

    k counts all joints from the head, whether they have an axis of this name or not. The multipliers of an envelope are
    spread evenly from tail to head [-]. Each axis waits at zero until its angle first comes within `release` [rad] of
    zero.
    """

    amplitude: float = 0.0
    """Amplitude [rad]."""
    phase_shift: float = 0.0
    """Phase difference between neighbouring joints [rad]."""
    phase: float = 0.0
    """Phase of the joint next to the head at time zero [rad]."""
    offset: float = 0.0
    """Mean angle [rad]."""
    envelope: tuple[float, ...] | None = None
    """Multipliers of the amplitude from tail to head [-]; None: 1."""
    harmonic: int = 1
    """Multiple of the gait's angular frequency [-]."""
    release: float | None = None
    """Each axis waits at zero until its angle comes within this of zero [rad]; None: no waiting."""


@dataclass(frozen=True, kw_only=True)
class WaveGait(Gait):
    """Base class of gaits whose axes move as sines, which the kernels evaluate.

    The formulas of the gaits call the soft start ramp(t).
    """

    __repr__ = brief

    angular_frequency: AngularRate
    """Angular frequency, w in the formulas [rad/s]."""
    phase: Phase = 0.0
    """Phase of the joint next to the head at time zero [rad]."""
    soft_start: Duration = 0.0
    """Time in which the amplitudes grow from zero [s]."""
    prescribed: bool = False
    """Whether the joints follow the wave exactly instead of using it as a servo target."""

    @abstractmethod
    def _swings(self) -> tuple[Swing, Swing]:
        """The gait's formula: the motion of the yaw axes, and that of the pitch axes."""

    def __post_init__(self) -> None:
        check_fields(self, "gait")

    @property
    def period(self) -> float:
        """Duration of one cycle [s]."""
        return 2 * pi / abs(self.angular_frequency) if self.angular_frequency else inf

    def wave(self, robot: AnyRobot) -> Wave:
        """The same gait as sine and cosine parts per axis, as the kernels evaluate it."""
        instance("robot", robot, AnyRobot, "a PlanarRobot or a SpatialRobot")
        yaw, pitch = self._swings()
        each = [yaw if axis.name == "yaw" else pitch for axis in robot.axes]
        behind = np.array([axis.link_behind for axis in robot.axes], dtype=int)
        offset, amplitude, shift, first, harmonic = (
            np.array([getattr(swing, name) for swing in each], dtype=float)
            for name in ("offset", "amplitude", "phase_shift", "phase", "harmonic")
        )
        places = np.linspace(0.0, 1.0, robot.n_links - 1)[behind] if robot.n_links > 2 else np.full(len(each), 0.5)
        phase = (robot.n_links - 2 - behind) * shift + first
        omega, from_time = harmonic * self.angular_frequency, np.zeros(len(each))
        for a, swing in enumerate(each):
            if swing.envelope is not None:
                amplitude[a] *= np.interp(places[a], np.linspace(0.0, 1.0, len(swing.envelope)), swing.envelope)
            if swing.release is not None:
                from_time[a] = _waiting_time(a, swing.release, offset[a], amplitude[a], omega[a], phase[a])
        return Wave(
            offset=offset,
            sine=amplitude * np.cos(phase),
            cosine=amplitude * np.sin(phase),
            angular_frequency=omega,
            soft_start=self.soft_start,
            from_time=from_time,
        )

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns joint angles [rad] and rates [rad/s] at given times, each of shape (n_times, n_joints).

        Args:
            time: Times [s], shape (n_times,).
            robot: The robot whose joints are moved.
        """
        return self.wave(robot).at(time)

    def link_angles(self, robot: AnyRobot) -> np.ndarray:
        """Link angles at time zero of a body whose wave swings about heading zero [rad], shape (n_links,).

        They are those of a flat body: only the yaw axes count. If the link angles are not a sine along the body
        (because of an envelope, an offset, a start from rest, no phase shift, or unevenly spaced yaw axes), the heading
        is the mean angle.
        """
        # Summing A sin(k d + p) over yaw axes s joints apart gives A / (2 sin(s d / 2)) cos((k - s/2) d + p) plus a
        # constant, which is the heading. It differs from the mean angle, as the body need not hold whole waves.
        yaw, _ = self._swings()
        behind = np.array([axis.link_behind for axis in robot.axes if axis.name == "yaw"])
        strides = set(np.diff(behind)) or {1}
        stride = int(min(strides))
        half = np.sin(stride * yaw.phase_shift / 2)
        plain = yaw.envelope is None and yaw.release is None and not (yaw.offset or self.soft_start)
        if not plain or behind.size == 0 or len(strides) > 1 or abs(half) < 1e-9:
            return super().link_angles(robot)
        k = robot.n_links - 2 - np.concatenate(([behind[0] - stride], behind))
        theta = yaw.amplitude / (2 * half) * np.cos((k - stride / 2) * yaw.phase_shift + yaw.phase)
        return np.asarray(theta[np.searchsorted(behind, np.arange(robot.n_links))])


def _waiting_time(axis: int, release: float, offset: float, amplitude: float, omega: float, phase: float) -> float:
    """First time at which offset + amplitude sin(omega t + phase) lies within `release` of zero [s]."""
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


@register("lateral-undulation")
@dataclass(frozen=True, kw_only=True, repr=False)
class LateralUndulation(WaveGait):
    """Lateral undulation: a wave of the yaw joints that travels along the body.

        yaw = offset + envelope ramp(t) amplitude sin(w t + k phase_shift + phase), pitch = 0

    k counts joints from the head: k = n_links - 2 - j for joint j, whether it yaws or not. Transeth2008a (71) and
    Transeth2008b (70) in our numbering have phase = pi. phase_shift < 0 sends the wave from head to tail, which drives
    the robot forward.

        pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
    """

    amplitude: Angle
    """Amplitude of the joint angles [rad]."""
    phase_shift: Angle
    """Phase difference between neighbouring joints, counted from the head [rad]."""
    offset: Angle = 0.0
    """Mean joint angle [rad]; > 0 turns left."""
    envelope: Annotated[Sequence[float], real("-"), Many(None, MULTIPLIERS)] | None = None
    """Multipliers of the amplitude, two or more, spread evenly from tail to head [-]; default: 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.envelope is not None and len(self.envelope) < 2:
            raise InvalidModel("gait.envelope", self.envelope, MULTIPLIERS)

    def _swings(self) -> tuple[Swing, Swing]:
        envelope = None if self.envelope is None else tuple(self.envelope)
        return Swing(self.amplitude, self.phase_shift, self.phase, self.offset, envelope), Swing()


@register("sidewinding")
@dataclass(frozen=True, kw_only=True, repr=False)
class Sidewinding(WaveGait):
    """Sidewinding: a yaw wave and a pitch wave that lift the body and set it down sideways.

        yaw = yaw_offset - ramp(t) yaw_amplitude sin(w t + k phase_shift + phase)
        pitch = ramp(t) pitch_amplitude sin(w t + k phase_shift + phase + phase_offset)

    k counts joints from the head. After Transeth2008b (70) and (71), whose sideways angles have the opposite sign:
    yaw_amplitude is A_h, pitch_amplitude A_v, phase_shift both delta_h and delta_v, phase_offset delta_0, and
    yaw_offset is -psi_h. The opposite sign of phase_offset moves the robot to the other side.
    """

    yaw_amplitude: Angle
    """Amplitude of the yaw angles [rad]."""
    pitch_amplitude: Angle
    """Amplitude of the pitch angles [rad]."""
    phase_shift: Angle
    """Phase difference between neighbouring joints, from the head [rad]; < 0 sends waves from head to tail."""
    phase_offset: Angle = pi / 2
    """Phase lead of the pitch wave over the paper's sideways wave [rad]."""
    yaw_offset: Angle = 0.0
    """Mean yaw angle [rad]; > 0 bends the body to the left, so that it turns."""
    release: Spread | None = None
    """Each axis waits at zero until its angle first comes within this of zero [rad]; default: no waiting.
    Transeth2008b, VIII-E, uses 3 deg. It excludes `soft_start`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.release is not None and self.soft_start:
            allowed = "left out if {soft_start} is given"
            raise InvalidModel("gait.release", self.release, allowed, others={"soft_start": None})

    def _swings(self) -> tuple[Swing, Swing]:
        shift, ahead = self.phase_shift, self.phase + self.phase_offset
        yaw = Swing(-self.yaw_amplitude, shift, self.phase, self.yaw_offset, release=self.release)
        return yaw, Swing(self.pitch_amplitude, shift, ahead, release=self.release)


@register("vertical-wave")
@dataclass(frozen=True, kw_only=True, repr=False)
class VerticalWave(WaveGait):
    """A wave of the pitch joints that travels along the body.

        pitch = ramp(t) amplitude sin(w t + k phase_shift + phase), yaw = yaw_offset

    k counts joints from the head. Transeth2008b (71), with (70) reduced to its offset.
    """

    amplitude: Angle
    """Amplitude of the pitch angles [rad]."""
    phase_shift: Angle
    """Phase difference between neighbouring joints, from the head [rad]; < 0 sends waves from head to tail."""
    yaw_offset: Angle = 0.0
    """Angle of all yaw axes [rad]; > 0 bends the body to the left, so that it turns."""

    def _swings(self) -> tuple[Swing, Swing]:
        return Swing(offset=self.yaw_offset), Swing(self.amplitude, self.phase_shift, self.phase)


@register("sinus-lifting")
@dataclass(frozen=True, kw_only=True, repr=False)
class SinusLifting(WaveGait):
    """Lateral undulation with the outermost parts of the body lifted.

        yaw = yaw_offset + ramp(t) yaw_amplitude sin(p), pitch = -ramp(t) pitch_amplitude cos(2 p)
        p = w t + k phase_shift + phase

    k counts joints from the head. The body is highest where it bends most. Where it is straight it is lowest and
    carries its weight. After Hirose 1993 and Mori and Hirose 2002.
    """

    yaw_amplitude: Angle
    """Amplitude of the yaw angles [rad]."""
    pitch_amplitude: Angle
    """Amplitude of the pitch angles [rad]; < 0 lifts the straight parts instead."""
    phase_shift: Angle
    """Yaw phase between neighbouring joints, from the head [rad]; < 0 sends waves from head to tail."""
    yaw_offset: Angle = 0.0
    """Mean yaw angle [rad]; > 0 turns left."""

    def _swings(self) -> tuple[Swing, Swing]:
        shift, phase = self.phase_shift, self.phase
        pitch = Swing(-self.pitch_amplitude, 2 * shift, 2 * phase + pi / 2, harmonic=2)
        return Swing(self.yaw_amplitude, shift, phase, self.yaw_offset), pitch


@register("rolling")
@dataclass(frozen=True, kw_only=True, repr=False)
class Rolling(WaveGait):
    """Lateral rolling: the body lies in an arc and rolls about its own axis.

        yaw = ramp(t) A cos(w t + phase), pitch = -ramp(t) A sin(w t + phase), A = amplitude (1 + taper (2 s - 1))

    s runs from 0 at the tail's joint to 1 at the head's. In the frame of the links, the bend rotates about the body's
    axis, from the left upward. The ground keeps the arc flat, so the body rolls the opposite way: to the left for w >
    0, at w times its radius if nothing slips. After Mori and Hirose 2002.
    """

    amplitude: Angle
    """Amplitude of the yaw and pitch angles in the middle of the body [rad]."""
    taper: Annotated[float, between(-1, 1, "-")] = 0.0
    """How the amplitude grows along the body [-], -1 to 1: the tail has 1 - taper times the amplitude, the head
    1 + taper times. The arc is then tighter at one end, but links of equal radius still roll straight ahead."""
    phase: Phase = 0.0
    """Angle of the bend about the body's axis at time zero, from the left upward [rad]."""

    def _swings(self) -> tuple[Swing, Swing]:
        envelope = (1.0 - self.taper, 1.0 + self.taper)
        yaw = Swing(self.amplitude, phase=self.phase + pi / 2, envelope=envelope)
        return yaw, Swing(-self.amplitude, phase=self.phase, envelope=envelope)


@register("sampled")
@dataclass(frozen=True, kw_only=True)
class Sampled(Gait):
    """Another gait, sent at a fixed rate and after a delay, as a real robot receives it.

    For example:

        pp.gaits.Sampled(gait=gait, rate=50.0, delay=0.1)
    """

    __repr__ = brief

    gait: Annotated[Gait, What("a gait")]
    """The gait that is sent."""
    rate: Frequency
    """References per second [Hz]."""
    hold: bool = False
    """Whether the motors hold each reference until the next; otherwise they follow a cubic between them."""
    delay: Duration = 0.0
    """Time for which the first reference is held before the gait begins [s]."""

    def __post_init__(self) -> None:
        check_fields(self, "sampled")

    @property
    def prescribed(self) -> bool:
        """Whether the joints follow the references exactly instead of using them as servo targets."""
        return self.gait.prescribed

    @property
    def period(self) -> float | None:
        """Duration of one cycle of the gait [s]; None if it has no cycles."""
        return self.gait.period

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns joint angles [rad] and rates [rad/s] as sent at given times [s], shape (n_times, n_joints)."""
        late = np.asarray(time, dtype=float) - self.delay
        angles, rates = self.gait.references(np.maximum(late, 0.0), robot)
        # A held reference asks for a position, not a speed; before the gait begins there is no speed either.
        moving = np.zeros_like(late) if self.hold else (late > 0.0).astype(float)
        return angles, rates * moving[:, None]

    def link_angles(self, robot: AnyRobot) -> np.ndarray:
        """Link angles at time zero of the gait that is sent [rad], shape (n_links,)."""
        return self.gait.link_angles(robot)


@dataclass(frozen=True, kw_only=True)
class FunctionOfTime(Gait):
    """Joint references from a function of your own, joined by cubics.

    For example:

        pp.gaits.FunctionOfTime(function=lambda t: 0.3 * np.sin(2.0 * t) * np.ones(10))
    """

    __repr__ = brief

    function: Callable[[float], np.ndarray]
    """Takes a time [s] and returns joint angles [rad], shape (n_joints,)."""
    rate: Frequency = 200.0
    """How often the function is called [Hz]."""
    prescribed: bool = False
    """Whether the joints follow the references exactly instead of using them as servo targets."""

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidModel("gait.function", self.function, "a function of time that returns joint angles")
        check_fields(self, "gait")

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns joint angles [rad] and rates [rad/s] at given times [s], shape (n_times, n_joints)."""
        angles = np.array([self._ask(t, robot.n_joints) for t in time])
        return angles, np.array([self._slope(t, robot.n_joints) for t in time])

    def _slope(self, t: float, n_joints: int) -> np.ndarray:
        """Rates by second-order differences; one-sided at the start, because there is no time before it."""
        h = RATE_STEP
        if t < h:
            now, soon, later = (self._ask(t + k * h, n_joints) for k in range(3))
            return (4 * soon - 3 * now - later) / (2 * h)
        return (self._ask(t + h, n_joints) - self._ask(t - h, n_joints)) / (2 * h)

    def _ask(self, t: float, n_joints: int) -> np.ndarray:
        return array(f"gait.function({t:.6g})", self.function(float(t)), real("rad"), Axes(n_joints))
