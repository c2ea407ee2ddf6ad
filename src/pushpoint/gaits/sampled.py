"""Gaits that are sampled in time: one as it reaches the motors of a real robot, and any function of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Gait
from pushpoint.engine.signals import soft_step
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import Axes, array
from pushpoint.model.checks import What, check_fields, real
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Duration, Frequency
from pushpoint.model.spatial_robot import AnyRobot

RATE_STEP = 1e-6
"""Time step of the finite differences that give a function's rate [s]."""


@register("sampled")
@dataclass(frozen=True, kw_only=True)
class Sampled(Gait):
    """Another gait, sent at a fixed rate and after a delay, as a real robot receives it.

    For example:

        pp.gaits.Sampled(gait=gait, rate=50.0, delay=0.1)
    """

    __repr__ = brief

    gait: Annotated[Gait, What("a gait")]
    """The gait that is sent."""
    rate: Frequency
    """References per second [Hz]."""
    hold: bool = False
    """Whether the motors hold each reference until the next; otherwise they follow a cubic between them."""
    delay: Duration = 0.0
    """Time for which the first reference is held before the gait begins [s]."""

    def __post_init__(self) -> None:
        check_fields(self, "sampled")

    @property
    def prescribed(self) -> bool:
        """Whether the joints follow the references exactly instead of using them as servo targets."""
        return self.gait.prescribed

    @property
    def period(self) -> float | None:
        """Duration of one cycle of the gait [s]; None if it has no cycles."""
        return self.gait.period

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns joint angles [rad] and rates [rad/s] as sent at given times [s], shape (n_times, n_joints)."""
        late = np.asarray(time, dtype=float) - self.delay
        angles, rates = self.gait.references(np.maximum(late, 0.0), robot)
        # A held reference asks for a position, not a speed; before the gait begins there is no speed either.
        moving = np.zeros_like(late) if self.hold else (late > 0.0).astype(float)
        return angles, rates * moving[:, None]

    def link_angles(self, robot: AnyRobot) -> np.ndarray:
        """Link angles at time zero of the gait that is sent [rad], shape (n_links,)."""
        return self.gait.link_angles(robot)


@dataclass(frozen=True, kw_only=True)
class FunctionOfTime(Gait):
    """Joint references from a function of your own, joined by cubics.

    For example:

        pp.gaits.FunctionOfTime(function=lambda t: 0.3 * np.sin(2.0 * t) * np.ones(10))
    """

    __repr__ = brief

    function: Callable[[float], np.ndarray]
    """Takes a time [s] and returns joint angles [rad], shape (n_joints,)."""
    rate: Frequency = 200.0
    """How often the function is called [Hz]."""
    soft_start: Duration = 0.0
    """Time in which the angles grow from zero to those of the function [s]."""
    prescribed: bool = False
    """Whether the joints follow the references exactly instead of using them as servo targets."""

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidModel("gait.function", self.function, "a function of time that returns joint angles")
        check_fields(self, "gait")

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns joint angles [rad] and rates [rad/s] at given times [s], shape (n_times, n_joints)."""
        angles = np.array([self._ask(t, robot.n_joints) for t in time])
        rates = np.array([self._slope(t, robot.n_joints) for t in time])
        grown, growth = (each[:, None] for each in soft_step(np.asarray(time), self.soft_start))
        return grown * angles, grown * rates + growth * angles

    def _slope(self, t: float, n_joints: int) -> np.ndarray:
        """Rates by second-order differences; one-sided at the start, because there is no time before it."""
        h = RATE_STEP
        if t < h:
            now, soon, later = (self._ask(t + k * h, n_joints) for k in range(3))
            return (4 * soon - 3 * now - later) / (2 * h)
        return (self._ask(t + h, n_joints) - self._ask(t - h, n_joints)) / (2 * h)

    def _ask(self, t: float, n_joints: int) -> np.ndarray:
        return array(f"gait.function({t:.6g})", self.function(float(t)), real("rad"), Axes(n_joints))
