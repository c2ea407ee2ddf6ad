"""The classic gaits of one wave: undulation, vertical waves, sinus-lifting and rolling."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Annotated

from pushpoint.errors import InvalidModel
from pushpoint.gaits.waves import MULTIPLIERS, Multipliers, Swing, WaveGait
from pushpoint.model.checks import between
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle, Phase
from pushpoint.model.spatial_robot import AnyRobot


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
    envelope: Multipliers | None = None
    """Multipliers of the amplitude, two or more, spread evenly from tail to head [-]; default: 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.envelope is not None and len(self.envelope) < 2:
            raise InvalidModel("gait.envelope", self.envelope, MULTIPLIERS)

    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
        envelope = None if self.envelope is None else tuple(self.envelope)
        return Swing(self.amplitude, self.phase_shift, self.phase, self.offset, envelope), Swing()


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

    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
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

    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
        shift, phase = self.phase_shift, self.phase
        twice = 2 * self.angular_frequency
        pitch = Swing(-self.pitch_amplitude, 2 * shift, 2 * phase + pi / 2, angular_frequency=twice)
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

    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
        envelope = (1.0 - self.taper, 1.0 + self.taper)
        yaw = Swing(self.amplitude, phase=self.phase + pi / 2, envelope=envelope)
        return yaw, Swing(-self.amplitude, phase=self.phase, envelope=envelope)
