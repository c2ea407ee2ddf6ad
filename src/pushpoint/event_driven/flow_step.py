"""One step of the flow: what is seen at times within it, and when its mode ends."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from scipy.integrate import DenseOutput
from scipy.optimize import brentq

from pushpoint.event_driven.flow import Flow, flow, guards, lowest
from pushpoint.event_driven.model import ContactMode, HybridModel

LOOKS = 4
"""How many times the guards are checked in the longest step."""
FINEST = 1e-13
"""Accuracy of the time of an event [s]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FlowStep:
    """A step in one mode. Flows are costly: each is found once, for guards, sensors and the next step alike."""

    model: HybridModel
    """What flows."""
    mode: ContactMode
    """Its mode."""
    path: DenseOutput
    """The states as a function of time."""
    known: dict[float, Flow]
    """Flows by their times [s]."""

    def at(self, time: float) -> Flow:
        """Motion and forces at a time [s]."""
        if time not in self.known:
            self.known[time] = flow(self.model, time, self.path(time), self.mode)
        return self.known[time]

    def margin(self, time: float) -> float:
        """The smallest guard at a time [s]."""
        return lowest(guards(self.model, self.at(time), self.mode))

    def first_crossing(self, longest: float) -> float | None:
        """When a guard is first below zero [s], just after; None if none is. `longest` is the longest step [s]."""
        begin, length = self.path.t_old, self.path.t - self.path.t_old
        parts = 2 * ceil(LOOKS / 2 * length / longest)  # even: the middle is needed for what the robot feels
        looks = [begin + length * k / parts for k in range(parts)] + [self.path.t]
        for early, late in pairwise(looks):
            if self.margin(late) < 0.0:
                root = brentq(self.margin, early, late, xtol=FINEST)
                return float(next(time for time in (root, root + 2 * FINEST, late) if self.margin(time) < 0.0))
        return None
