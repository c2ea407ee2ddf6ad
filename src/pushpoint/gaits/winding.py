"""Gaits of two waves, one of the yaw axes and one of the pitch axes: sidewinding in its forms, and any two waves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, pi, sin
from typing import Annotated, NamedTuple

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.gaits.axes import stride_of
from pushpoint.gaits.waves import MULTIPLIERS, Multipliers, Swing, WaveGait
from pushpoint.model.checks import between, real
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle, AngularRate, Phase
from pushpoint.model.spatial_robot import AnyRobot

MOST_CYCLES = 32
"""Most cycles of one wave within a common period of two [-]."""


class Cone(NamedTuple):
    """How the body of a robot lies on the cone on which it turns."""

    along: float
    """Length of the body along its axis [m]."""
    least_radius: float
    """Least distance from the middle of the body to the tip of the cone [m]: the links swing by less than 90 deg."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Winding(WaveGait):
    """Base class of sidewinding gaits: a yaw wave and a pitch wave of one frequency."""

    yaw_amplitude: Angle
    """Amplitude of the yaw angles [rad]."""
    pitch_amplitude: Angle
    """Amplitude of the pitch angles [rad]."""
    phase_shift: Angle
    """Phase difference between neighbouring joints, from the head [rad]; < 0 sends waves from head to tail."""
    pitch_lead: Angle = -pi / 2
    """Phase lead of the pitch wave over the yaw wave [rad]; the opposite sign moves the robot to the other side."""
    yaw_offset: Angle = 0.0
    """Mean yaw angle [rad]; > 0 bends the body to the left, so that it turns."""

    @property
    def side(self) -> int:
        """1 if the robot moves to its left, -1 to its right, 0 if nowhere.

        The links that lie on the ground point to the side -yaw_amplitude sin(pitch_lead) / phase_shift, and the body
        moves to the other one if the wave runs to the tail, w phase_shift < 0.
        """
        return -int(np.sign(self.angular_frequency * self.yaw_amplitude * self.pitch_amplitude * sin(self.pitch_lead)))

    def cone(self, robot: AnyRobot) -> Cone:
        """The cone of a robot with this wave: l = J_0(alpha) times its length, alpha the largest angle of its links."""
        per_axis = abs(sin(stride_of(robot, "yaw") * self.phase_shift / 2))
        alpha = min(abs(self.yaw_amplitude) / (2 * per_axis), pi / 2) if per_axis else pi / 2
        if not 0.0 < alpha < pi / 2:
            raise InvalidModel("gait.yaw_amplitude", self.yaw_amplitude, SWINGING, unit="rad")
        along = robot.length * float(np.cos(alpha * np.sin(np.linspace(0.0, pi, 257)[:-1])).mean())  # J_0
        return Cone(along, along / 2 / min(1.0, pi / 2 / alpha - 1.0))

    def _two_waves(self, yaw: float = 0.0, pitch: float = 0.0) -> tuple[Swing, Swing]:
        """Both waves, their amplitudes tapered by so much, from 1 - taper at the tail to 1 + taper at the head."""
        shift, ahead = self.phase_shift, self.phase + self.pitch_lead
        tapers = [(1.0 - taper, 1.0 + taper) if taper else None for taper in (yaw, pitch)]
        first = Swing(self.yaw_amplitude, shift, self.phase, self.yaw_offset, tapers[0])
        return first, Swing(self.pitch_amplitude, shift, ahead, envelope=tapers[1])


@register("sidewinding")
@dataclass(frozen=True, kw_only=True, repr=False)
class Sidewinding(Winding):
    """Sidewinding: a yaw wave and a pitch wave that lift the body and set it down sideways.

        yaw = yaw_offset + ramp(t) yaw_amplitude sin(w t + k phase_shift + phase)
        pitch = ramp(t) pitch_amplitude sin(w t + k phase_shift + phase + pitch_lead)

    k counts joints from the head. With phase_shift < 0 and the default pitch_lead the robot moves to its left. These
    are Transeth2008b (70) and (71), whose sideways angles have the opposite sign: yaw_amplitude is -A_h,
    pitch_amplitude A_v, phase_shift both delta_h and delta_v, pitch_lead delta_0, and yaw_offset is -psi_h.
    """

    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
        return self._two_waves()


@register("conical-sidewinding")
@dataclass(frozen=True, kw_only=True, repr=False)
class ConicalSidewinding(Winding):
    """Conical sidewinding: both waves grow along the body, and the robot turns like a rolling cone.

    As `Sidewinding`, with both amplitudes times 1 + taper (2 s - 1), where s runs from 0 at the tail's joint to 1 at
    the head's. The end with the larger waves moves faster. After Gong, Hatton and Choset 2012.
    """

    taper: Annotated[float, between(-1, 1, "-")] = 0.0
    """How the amplitudes grow along the body [-], -1 to 1; > 0: larger at the head, which is then outside the turn."""

    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
        return self._two_waves(self.taper, self.taper)


@register("turning-sidewinding")
@dataclass(frozen=True, kw_only=True, repr=False)
class TurningSidewinding(Winding):
    """Sidewinding on a circle of a wanted radius: the yaw wave grows along the body.

    As `Sidewinding`, with the yaw amplitude times 1 + taper (2 s - 1), where s runs from 0 at the tail's joint to 1 at
    the head's. The wave is in proportion to the distance from the centre of the turn, as on a cone with its tip there:

        taper = l / (2 radius),    l = J_0(alpha) times the robot's length,

    where l is the length of the body along its axis and alpha the largest angle of its links to it. Differential
    turning of Astley et al. 2015, the cone of Gong, Hatton and Choset 2012; the formula is ours.
    """

    radius: Annotated[float, real("m")]
    """Distance from the middle of the body to the centre of the turn, not 0 [m]; > 0: behind the tail, < 0: ahead."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.radius:
            raise InvalidModel("gait.radius", self.radius, "not 0", unit="m")

    def taper(self, robot: AnyRobot) -> float:
        """How the yaw amplitude grows along the body of a robot [-]; raises InvalidModel for too small a radius."""
        along, least = self.cone(robot)
        if abs(self.radius) < least:
            allowed = "at least {=least} {unit} to either side for this wave and this robot"
            raise InvalidModel("gait.radius", self.radius, allowed, unit="m", others={"least": least})
        return along / (2 * self.radius)

    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
        return self._two_waves(self.taper(robot))


SWINGING = "such that the links swing by less than 90 deg to either side, and by more than 0"


@register("compound-serpenoid")
@dataclass(frozen=True, kw_only=True, repr=False)
class CompoundSerpenoid(WaveGait):
    """Any two waves, one of the yaw axes and one of the pitch axes.

        yaw = yaw_offset + yaw_envelope ramp(t) yaw_amplitude sin(w t + k phase_shift + phase)
        pitch = pitch_offset + pitch_envelope ramp(t) pitch_amplitude sin(w_p t + k pitch_phase_shift + pitch_phase)

    k counts joints from the head. w_p and pitch_phase_shift are those of the yaw wave unless given. Most gaits of the
    snake robots of Carnegie Mellon are of this form: Tesch et al. 2009.
    """

    yaw_amplitude: Angle
    """Amplitude of the yaw angles [rad]."""
    pitch_amplitude: Angle
    """Amplitude of the pitch angles [rad]."""
    phase_shift: Angle
    """Phase difference between neighbouring joints, from the head [rad]; < 0 sends waves from head to tail."""
    pitch_angular_frequency: AngularRate | None = None
    """Angular frequency of the pitch wave, w_p [rad/s]; default: that of the yaw wave."""
    pitch_phase_shift: Angle | None = None
    """The same as phase_shift, of the pitch wave [rad]; default: that of the yaw wave."""
    pitch_phase: Phase = 0.0
    """Phase of the pitch wave at the joint next to the head at time zero [rad]."""
    yaw_offset: Angle = 0.0
    """Mean yaw angle [rad]; > 0 bends the body to the left."""
    pitch_offset: Angle = 0.0
    """Mean pitch angle [rad]; > 0 bends the head down."""
    yaw_envelope: Multipliers | None = None
    """Multipliers of the yaw amplitude, two or more, spread evenly from tail to head [-]; default: 1."""
    pitch_envelope: Multipliers | None = None
    """Multipliers of the pitch amplitude, two or more, spread evenly from tail to head [-]; default: 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("yaw_envelope", "pitch_envelope"):
            envelope = getattr(self, name)
            if envelope is not None and len(envelope) < 2:
                raise InvalidModel(f"gait.{name}", envelope, MULTIPLIERS)

    @property
    def period(self) -> float:
        """Duration of one cycle of both waves together [s]; infinite if they have no common one."""
        rates = [self.angular_frequency, self.pitch_angular_frequency or 0.0]
        moving = [abs(rate) for rate in rates if rate]
        if not moving:
            return inf
        ratio = Fraction(max(moving) / min(moving)).limit_denominator(MOST_CYCLES)
        together = abs(ratio * min(moving) - max(moving)) <= 1e-9 * max(moving)
        return ratio.denominator * 2 * pi / min(moving) if together else inf

    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
        yaw = Swing(self.yaw_amplitude, self.phase_shift, self.phase, self.yaw_offset, self._tuple("yaw_envelope"))
        shift = self.phase_shift if self.pitch_phase_shift is None else self.pitch_phase_shift
        pitch = Swing(self.pitch_amplitude, shift, self.pitch_phase, self.pitch_offset, self._tuple("pitch_envelope"))
        return yaw, pitch._replace(angular_frequency=self.pitch_angular_frequency)

    def _tuple(self, name: str) -> tuple[float, ...] | None:
        envelope = getattr(self, name)
        return None if envelope is None else tuple(envelope)
