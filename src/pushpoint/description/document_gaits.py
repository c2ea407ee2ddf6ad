"""The gaits in a scenario document."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from pushpoint.description.document_section import Section


class LateralUndulationSection(Section):
    """A serpenoid wave that runs along the body."""

    kind: Literal["lateral-undulation"]
    amplitude_deg: float
    """Amplitude of the yaw angles [deg]."""
    angular_frequency_deg: float
    """Angular frequency [deg/s]."""
    phase_shift_deg: float
    """Phase from joint to joint, counted from the head [deg]; < 0 sends the wave from head to tail."""
    offset_deg: float = 0.0
    """Mean joint angle [deg]; > 0 turns left."""
    phase_deg: float = 0.0
    """Phase of the joint next to the head at time zero [deg]."""
    envelope: list[float] | None = None
    """Multipliers of the amplitude, two or more, spread evenly from tail to head [-]; default: 1."""
    soft_start: float = 0.0
    """Time in which the amplitude grows from zero [s]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""


class SidewindingSection(Section):
    """A yaw wave and a pitch wave: the body is set down and lifted in turn, and goes sideways."""

    kind: Literal["sidewinding"]
    yaw_amplitude_deg: float
    """Amplitude of the yaw angles [deg]."""
    pitch_amplitude_deg: float
    """Amplitude of the pitch angles [deg]."""
    angular_frequency_deg: float
    """Angular frequency [deg/s]."""
    phase_shift_deg: float
    """Phase from joint to joint, counted from the head [deg]; < 0 sends the waves from head to tail."""
    phase_offset_deg: float = 90.0
    """Phase of the pitch wave ahead of the other [deg]; the other sign goes to the other side."""
    yaw_offset_deg: float = 0.0
    """Mean yaw angle [deg]; > 0 bends the body to the left, so that it turns."""
    phase_deg: float = 0.0
    """Phase of the joint next to the head at time zero [deg]."""
    soft_start: float = 0.0
    """Time in which the amplitudes grow from zero [s]."""
    release_deg: float | None = None
    """Each axis waits at zero until its angle first comes within this [deg]; default: none waits."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""


class VerticalWaveSection(Section):
    """A wave of pitch angles that runs along the body."""

    kind: Literal["vertical-wave"]
    amplitude_deg: float
    """Amplitude of the pitch angles [deg]."""
    angular_frequency_deg: float
    """Angular frequency [deg/s]."""
    phase_shift_deg: float
    """Phase from joint to joint, counted from the head [deg]; < 0 sends the wave from head to tail."""
    yaw_offset_deg: float = 0.0
    """Angle of all yaw axes [deg]; > 0 bends the body to the left, so that it turns."""
    phase_deg: float = 0.0
    """Phase of the joint next to the head at time zero [deg]."""
    soft_start: float = 0.0
    """Time in which the amplitude grows from zero [s]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""


class RollingSection(Section):
    """An arc that turns about its own axis and rolls sideways."""

    kind: Literal["rolling"]
    amplitude_deg: float
    """Amplitude of yaw and pitch angles in the middle of the body [deg]."""
    angular_frequency_deg: float
    """Angular frequency [deg/s]; > 0 rolls to the left."""
    taper: float = 0.0
    """How the amplitude grows from tail to head, so that it turns [-], -1 to 1."""
    phase_deg: float = 0.0
    """Angle of the bend about the body's axis at time zero, from the left upward [deg]."""
    soft_start: float = 0.0
    """Time in which the amplitude grows from zero [s]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""


class SinusLiftingSection(Section):
    """Lateral undulation that lifts the body at the peaks of its wave."""

    kind: Literal["sinus-lifting"]
    yaw_amplitude_deg: float
    """Amplitude of the yaw angles [deg]."""
    pitch_amplitude_deg: float
    """Amplitude of the pitch angles [deg]; < 0 lifts the straight parts instead."""
    angular_frequency_deg: float
    """Angular frequency of the yaw angles [deg/s]; the pitch angles have twice as much."""
    phase_shift_deg: float
    """Phase of yaw from joint to joint, counted from the head [deg]; < 0 sends the waves from head to tail."""
    yaw_offset_deg: float = 0.0
    """Mean yaw angle [deg]; > 0 turns left."""
    phase_deg: float = 0.0
    """Phase of the joint next to the head at time zero [deg]."""
    soft_start: float = 0.0
    """Time in which the amplitudes grow from zero [s]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""


WaveValue = Annotated[
    LateralUndulationSection | SidewindingSection | VerticalWaveSection | RollingSection | SinusLiftingSection,
    Field(discriminator="kind"),
]


class SampledSection(Section):
    """A gait sent at a finite rate and late, as to a real robot."""

    kind: Literal["sampled"]
    gait: WaveValue
    """The gait that is sent."""
    rate: float
    """References per second [Hz]."""
    hold: bool = False
    """Whether the motors hold each reference until the next; otherwise they follow a cubic between them."""
    delay: float = 0.0
    """Time for which the first reference is held before the gait begins [s]."""
