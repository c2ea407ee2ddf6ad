"""Goals: conditions that end a run before its time."""

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
"""How often a goal is checked by default [Hz]."""


@family_base
@dataclass(frozen=True, kw_only=True)
class Goal(ABC):
    """Base class of goals: conditions that end a world early.

    A goal sees the true time and pose. Everything else it sees as the controllers do, through the sensors; if all
    controllers are gaits, it sees the truth.
    """

    rate: Frequency = LOOK_RATE
    """How often the goal is checked [Hz]; with a feedback controller, at the controller's rate."""

    def __post_init__(self) -> None:
        check_fields(self, "goal")

    @abstractmethod
    def reached(self, measurement: Measurement, first: Measurement) -> np.ndarray:
        """Returns which worlds have reached the goal, shape (n_worlds,).

        Args:
            measurement: What is measured now.
            first: What was measured at the start of each world.
        """


Until = Goal | Callable[[Measurement], np.ndarray]
"""A goal, or a function that says which worlds are done.

The function takes a measurement (with pose) and returns truth values, shape (n_worlds,). It is called at the rate of a
goal.
"""


@register("beyond")
@dataclass(frozen=True, kw_only=True)
class Beyond(Goal):
    """Ends a run when the centre of mass has crossed a line.

    For example:

        run = pp.simulate(world, 5.0, until=pp.goals.Beyond(distance=0.5))
    """

    distance: Offset
    """Distance of the line from the world's origin, along `direction` [m]."""
    direction: Angle = 0.0
    """Direction perpendicular to the line, counter-clockwise from the x axis [rad]."""

    def reached(self, measurement: Measurement, first: Measurement) -> np.ndarray:
        """Returns which worlds are on the line or beyond it, shape (n_worlds,)."""
        return _place(measurement) @ (np.cos(self.direction), np.sin(self.direction)) >= self.distance


@register("travelled")
@dataclass(frozen=True, kw_only=True)
class Travelled(Goal):
    """Ends a run when the centre of mass is a given distance away from its start, seen from above."""

    distance: Length
    """The straight distance from the start [m]."""

    def reached(self, measurement: Measurement, first: Measurement) -> np.ndarray:
        """Returns which worlds are that far from their start, shape (n_worlds,)."""
        return np.linalg.norm(_place(measurement) - _place(first), axis=1) >= self.distance


def _place(measurement: Measurement) -> np.ndarray:
    """Centres of mass seen from above [m], shape (n_worlds, 2)."""
    assert measurement.center_of_mass is not None  # goals are given the pose
    return measurement.center_of_mass[:, :2]
