"""What turns a joint. Frozen, SI, checked at birth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import above, at_least, check_fields
from pushpoint.model.quantities import EndStop, Spread


@dataclass(frozen=True, kw_only=True)
class Motor:
    """What turns a joint: a compliant PD servo, limited in torque and speed, with play and end stops."""

    __repr__ = brief

    stiffness: Annotated[float, at_least(0, "N m/rad")] = 0.0
    """Torque per error of the joint angle, K_P [N m / rad]."""
    damping: Annotated[float, at_least(0, "N m s/rad")] = 0.0
    """Torque per error of the joint rate, K_D [N m s / rad]."""
    torque_limit: Annotated[float, at_least(0, "N m", infinite=True)] = math.inf
    """Largest torque, either way [N m]; with a speed limit, the torque at standstill."""
    speed_limit: Annotated[float, above(0, "rad/s", infinite=True)] = math.inf
    """Joint rate at which a motor has no torque left: the largest torque falls in a straight line to zero [rad/s].

    The line goes on either way, to twice `torque_limit` and no farther: against the motion a motor has more torque than
    at standstill, and faster than this rate it brakes, whatever is asked.
    """
    backlash: Spread = 0.0
    """Free play of the gear, from flank to flank [rad]: within it the servo does not hold a slow joint."""
    lower: EndStop = -math.inf
    """Smallest joint angle, an end stop [rad]."""
    upper: EndStop = math.inf
    """Largest joint angle, an end stop [rad]."""

    def __post_init__(self) -> None:
        check_fields(self, "motor")
        if math.isfinite(self.speed_limit) and not math.isfinite(self.torque_limit):
            raise InvalidModel("motor.torque_limit", self.torque_limit, "finite if there is a speed limit [N m]")
        if not self.lower < self.upper:
            raise InvalidModel("motor.upper", self.upper, "> {lower}", unit="rad", others={"lower": self.lower})
        if self.backlash >= self.upper - self.lower:
            allowed = "smaller than the range from lower to upper"
            raise InvalidModel("motor.backlash", self.backlash, allowed, unit="rad")


FREE = Motor()
"""A joint without a motor."""
