"""The motors in the `robot` section of a scenario document."""

from __future__ import annotations

from pushpoint.description.document_section import Section


class MotorSection(Section):
    """A compliant PD servo, limited in torque and speed, with play and end stops."""

    stiffness: float = 0.0
    """Torque per error of the joint angle [N m/rad]."""
    damping: float = 0.0
    """Torque per error of the joint rate [N m s/rad]."""
    torque_limit: float | None = None
    """Largest torque, either way [N m]; with a speed limit, the torque at standstill; default: unlimited."""
    speed_limit_deg: float | None = None
    """Joint rate at which no torque is left [deg/s]; default: the torque does not depend on the rate."""
    backlash_deg: float | None = None
    """Free play of the gear, from flank to flank [deg]; default: none."""
    lower_deg: float | None = None
    """Smallest joint angle, an end stop [deg]; default: none."""
    upper_deg: float | None = None
    """Largest joint angle, an end stop [deg]; default: none."""
