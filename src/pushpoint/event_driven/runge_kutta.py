"""Adaptive Runge-Kutta of Dormand and Prince, order 5(4), with a dense output of order 4.

The layer has no SciPy; this is what the automaton needs of it. Coefficients and dense output as in Hairer, Norsett and
Wanner, Solving Ordinary Differential Equations I, sections II.5 and II.6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pushpoint.errors import SimulationFailed

Slope = Callable[[float, np.ndarray], np.ndarray]

NODES = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
STAGES = (
    np.array([]),
    np.array([1 / 5]),
    np.array([3 / 40, 9 / 40]),
    np.array([44 / 45, -56 / 15, 32 / 9]),
    np.array([19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729]),
    np.array([9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]),
    np.array([35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]),
)
DEFECT = np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
DENSE = np.array(
    [
        -12715105075 / 11282082432,
        0.0,
        87487479700 / 32700410799,
        -10690763975 / 1880347072,
        701980252875 / 199316789632,
        -1453857185 / 822651844,
        69997945 / 29380423,
    ]
)
SMALLEST = 1e-14
"""Shortest step, and shortest part of a step, that still counts as time [s]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Step:
    """One accepted step and the polynomial through it."""

    start: float
    """Its beginning [s]."""
    size: float
    """Its length [s]."""
    begin: np.ndarray
    """State at the beginning."""
    end: np.ndarray
    """State at the end."""
    last_slope: np.ndarray
    """Slope at the end; the next step of the same flow begins with it."""
    next_size: float
    """Length that the next step may have [s]."""
    curve: tuple[np.ndarray, np.ndarray, np.ndarray]
    """What bends the dense output."""

    def at(self, part: float) -> np.ndarray:
        """State after this part of the step, 0 to 1."""
        first, second, third = self.curve
        rest = 1.0 - part
        return self.begin + part * (self.end - self.begin + rest * (first + part * (second + rest * third)))


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """What the integrator holds."""

    relative: float = 1e-9
    """Error of a step per size of the component [-]."""
    absolute: float = 1e-10
    """Error of a step below which a component counts as zero [its unit]."""
    longest_step: float = 5e-3
    """Longest step [s]; contacts are looked for a few times in each."""


def take_step(
    slope: Slope, time: float, state: np.ndarray, size: float, accuracy: Accuracy, first: np.ndarray | None = None
) -> Step:
    """One step of at most this size that meets the accuracy; `first` is the slope at its beginning, if known."""
    size = min(size, accuracy.longest_step)
    k = np.empty((7, len(state)))
    k[0] = slope(time, state) if first is None else first
    while size > SMALLEST:
        for stage in range(1, 7):
            trial = state + size * (STAGES[stage] @ k[:stage])
            k[stage] = slope(time + NODES[stage] * size, trial)
        scale = accuracy.absolute + accuracy.relative * np.maximum(np.abs(state), np.abs(trial))
        error = float(np.sqrt(np.mean((size * (DEFECT @ k) / scale) ** 2)))
        if error <= 1.0:
            growth = 5.0 if error == 0.0 else min(5.0, 0.9 * error**-0.2)
            return Step(
                start=time,
                size=size,
                begin=state,
                end=trial,
                last_slope=k[6],
                next_size=size * growth,
                curve=_bend(size, k, trial - state),
            )
        size *= max(0.1, 0.9 * error**-0.2) if np.isfinite(error) else 0.1
    raise SimulationFailed(
        f"the event-driven model cannot go on at t = {time:.9g} s: the step that it needs is below {SMALLEST:g} s"
    )


def _bend(size: float, k: np.ndarray, change: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    early = size * k[0] - change
    return early, change - size * k[6] - early, size * (DENSE @ k)
