"""Controllers that feel their way through obstacles, in a scenario document: those of Liljeback2011, and ours."""

from __future__ import annotations

from typing import Literal

from pushpoint.description.document_section import Section


class FollowerFields(Section):
    """Leader-following, as a part of the hybrid controller."""

    head_angle_deg: float = 50.0
    """Direction of the head link when it is sent to the left; to the right it is minus this [deg]."""
    swing: float = 0.14
    """How far the head may be beside the centre of mass before it is sent back [m]."""
    speed: float = 0.05
    """Speed at which the head joint's angle travels back along the body [m/s]."""
    rate: float = 20.0
    """Commands per second [Hz]."""


class LeaderFollowerSection(FollowerFields):
    """Leader-following alone: it feels nothing."""

    kind: Literal["leader-follower"]


class HybridSection(Section):
    """Leader-following until the robot is jammed, then jam resolution."""

    kind: Literal["hybrid"]
    follower: FollowerFields | None = None
    """Leader-following, and the rate of all."""
    jam_angle_deg: float = 20.0
    """How far a jammed joint is off its reference [deg]."""
    jam_time: float = 1.0
    """How long a jam lasts before it is resolved [s]."""
    resolution_time: float = 1.0
    """How long a resolution takes [s]."""
    gain: float = 0.05
    """Turn of a link per force along the direction of travel [rad/N]."""


class ContinuousResolutionSection(Section):
    """A wave that never stops, with a force reflex beside it; defaults are those of a search for the paper's robot."""

    kind: Literal["continuous-resolution"]
    amplitude_deg: float | None = None
    """Amplitude of the joints' wave [deg]."""
    phase_shift_deg: float | None = None
    """Phase from joint to joint [deg]."""
    speed: float | None = None
    """Speed of the wave along the body [m/s]."""
    gain: float | None = None
    """Turn of a link per force along the direction of travel [rad/N]; < 0 pushes backward, 0 feels nothing."""
    reflex_limit_deg: float | None = None
    """Largest change of a joint's reference by the reflex [deg]."""
    head_share: float | None = None
    """Share of the reflex that the head joint has [-]."""
    heading_gain: float | None = None
    """Bend of every joint per mean angle of the body from the direction of travel [-]."""
    head_angle_deg: float | None = None
    """Direction of the head link on the left; minus this on the right [deg]."""
    swing: float | None = None
    """Offset of the head from the centre of mass at which it changes sides [m]."""
    longest_travel: float | None = None
    """Way of the wave after which the head changes sides anyway [m]."""
    rate: float | None = None
    """Commands per second [Hz]."""
