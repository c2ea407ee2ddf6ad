"""What turns a joint. Frozen, SI, checked at birth."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import non_negative, not_nan, store


@dataclass(frozen=True, kw_only=True)
class Motor:
    """What turns a joint: a compliant PD servo, limited in torque and speed, with play and end stops."""

    stiffness: float = 0.0
    """Torque per error of the joint angle, K_P [N m / rad]."""
    damping: float = 0.0
    """Torque per error of the joint rate, K_D [N m s / rad]."""
    torque_limit: float = math.inf
    """Largest torque, either way [N m]; with a speed limit, the torque at standstill."""
    speed_limit: float = math.inf
    """Joint rate at which a motor has no torque left: the largest torque falls in a straight line to zero [rad/s]."""
    backlash: float = 0.0
    """Free play of the gear, from flank to flank [rad]: within it the servo does not hold a slow joint."""
    lower: float = -math.inf
    """Smallest joint angle, an end stop [rad]."""
    upper: float = math.inf
    """Largest joint angle, an end stop [rad]."""

    def __post_init__(self) -> None:
        store(
            self,
            stiffness=non_negative("motor.stiffness", self.stiffness, "N m/rad"),
            damping=non_negative("motor.damping", self.damping, "N m s/rad"),
            torque_limit=non_negative("motor.torque_limit", self.torque_limit, "N m", infinite=True),
            speed_limit=non_negative("motor.speed_limit", self.speed_limit, "rad/s", infinite=True),
            backlash=non_negative("motor.backlash", self.backlash, "rad"),
            lower=not_nan("motor.lower", self.lower, "rad"),
            upper=not_nan("motor.upper", self.upper, "rad"),
        )
        if self.speed_limit == 0.0:
            raise InvalidModel("motor.speed_limit", self.speed_limit, "> 0 [rad/s]")
        if math.isfinite(self.speed_limit) and not math.isfinite(self.torque_limit):
            raise InvalidModel("motor.torque_limit", self.torque_limit, "finite if there is a speed limit [N m]")
        if not self.lower < self.upper:
            raise InvalidModel("motor.upper", self.upper, f"> motor.lower = {self.lower} [rad]")
        if self.backlash >= self.upper - self.lower:
            raise InvalidModel("motor.backlash", self.backlash, "smaller than the range from lower to upper [rad]")


FREE = Motor()
"""A joint without a motor."""
