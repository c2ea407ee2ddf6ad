"""When a run has done what it is for: goals that end worlds before their time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pushpoint.engine.signals import Measurement
from pushpoint.model.checks import check_fields
from pushpoint.model.kinds import family_base, register
from pushpoint.model.quantities import Angle, Frequency, Length, Offset

LOOK_RATE = 20.0
"""How often a run looks whether it is over, where nothing else is said [Hz]."""


@family_base
@dataclass(frozen=True, kw_only=True)
class Goal(ABC):
    """What a world runs until.

    A goal sees time and pose as they are, and the rest as the controllers are shown it; beside gaits alone, exactly.
    """

    rate: Frequency = LOOK_RATE
    """How often it is looked at [Hz]; where a controller closes the loop, at the controller's rate."""

    def __post_init__(self) -> None:
        check_fields(self, "goal")

    @abstractmethod
    def reached(self, measurement: Measurement, first: Measurement) -> np.ndarray:
        """Whether worlds have reached it, shape (n_worlds,), from what is measured now and what was at their start."""


Until = Goal | Callable[[Measurement], np.ndarray]
"""A goal, or a function that says which worlds are over from what is measured, pose included; looked at like a goal."""


@register("beyond")
@dataclass(frozen=True, kw_only=True)
class Beyond(Goal):
    """The centre of mass has come beyond a line across a direction."""

    distance: Offset
    """Where the line lies along the direction, counted from the world's origin [m]."""
    direction: Angle = 0.0
    """The direction, from the x axis counter-clockwise [rad]."""

    def reached(self, measurement: Measurement, first: Measurement) -> np.ndarray:
        """Whether the place along the direction is the line's or one beyond."""
        return _place(measurement) @ (np.cos(self.direction), np.sin(self.direction)) >= self.distance


@register("travelled")
@dataclass(frozen=True, kw_only=True)
class Travelled(Goal):
    """The centre of mass has come a distance away from its start, seen from above."""

    distance: Length
    """How far [m]."""

    def reached(self, measurement: Measurement, first: Measurement) -> np.ndarray:
        """Whether the straight way from the start is that long."""
        return np.linalg.norm(_place(measurement) - _place(first), axis=1) >= self.distance


def _place(measurement: Measurement) -> np.ndarray:
    """Centres of mass seen from above [m], shape (n_worlds, 2)."""
    assert measurement.center_of_mass is not None  # goals are given the pose
    return measurement.center_of_mass[:, :2]
