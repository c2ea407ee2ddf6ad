"""The motor of a joint."""

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
    """The motor of a joint: a PD servo with limits on torque and speed, backlash and end stops.

    For example:

        pp.Motor(stiffness=400.0, damping=1.0, torque_limit=5.0, lower=-1.0, upper=1.0)
    """

    __repr__ = brief

    stiffness: Annotated[float, at_least(0, "N m/rad")] = 0.0
    """Torque per joint angle error, K_P [N m / rad]."""
    damping: Annotated[float, at_least(0, "N m s/rad")] = 0.0
    """Torque per joint rate error, K_D [N m s / rad]."""
    torque_limit: Annotated[float, at_least(0, "N m", infinite=True)] = math.inf
    """Largest torque in either direction [N m]. With a speed limit, this is the torque at standstill."""
    speed_limit: Annotated[float, above(0, "rad/s", infinite=True)] = math.inf
    """Joint rate at which the available torque has fallen linearly to zero [rad/s].

    The line continues in both directions, up to twice `torque_limit`. A joint that is driven backward has more torque
    than at standstill. A joint that turns faster than this rate is braked, whatever the command.
    """
    backlash: Spread = 0.0
    """Free play of the gear, from flank to flank [rad]. Within it the servo does not hold a slow joint."""
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
