"""The kinematic model of a chain on wheels that never slip sideways: three axles determine how the whole chain moves.

Written from the condition itself, axle . velocity = 0 at each axle, and integrated by the classical Runge-Kutta method;
nothing of the engine is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

Shape = Callable[[float], tuple[np.ndarray, np.ndarray]]
"""Joint angles [rad] and rates [rad/s] at a time [s]."""


@dataclass(frozen=True)
class Axle:
    """An axle under a link."""

    link: int
    ahead: float
    """From the link's rear joint [m]."""
    turn: float = 0.0
    """From the link's left [rad]."""


@dataclass(frozen=True)
class WheeledChain:
    """Links of given lengths [m], and three axles."""

    lengths: Sequence[float]
    axles: Sequence[Axle]

    def conditions(self, heading: float, angle: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A and b of A (v_x, v_y, spin) = b for the tail's rear joint: each row one axle."""
        theta = heading + np.concatenate(([0.0], np.cumsum(angle)))
        extra = np.concatenate(([0.0], np.cumsum(rate)))  # spin beyond the tail's
        rows, right = [], []
        for axle in self.axles:
            side = theta[axle.link] + axle.turn + np.pi / 2
            a = np.array([np.cos(side), np.sin(side)])
            arms = np.array(self.lengths[: axle.link + 1], dtype=float)
            arms[-1] = axle.ahead
            left = np.stack((-np.sin(theta), np.cos(theta)), axis=-1)[: axle.link + 1]
            swings = arms * (left @ a)
            rows.append([a[0], a[1], swings.sum()])
            right.append(-(swings * extra[: axle.link + 1]).sum())
        return np.array(rows), np.array(right)

    def path(self, shape: Shape, duration: float, steps: int) -> np.ndarray:
        """Position of the tail's rear joint and heading of the tail [m, m, rad], from zero, shape (steps + 1, 3)."""

        def rate_of(t: float, pose: np.ndarray) -> np.ndarray:
            return np.linalg.solve(*self.conditions(float(pose[2]), *shape(t)))

        h, pose = duration / steps, np.zeros(3)
        path = [pose]
        for k in range(steps):
            t = k * h
            k_1 = rate_of(t, pose)
            k_2 = rate_of(t + h / 2, pose + h / 2 * k_1)
            k_3 = rate_of(t + h / 2, pose + h / 2 * k_2)
            k_4 = rate_of(t + h, pose + h * k_3)
            pose = pose + h / 6 * (k_1 + 2 * k_2 + 2 * k_3 + k_4)
            path.append(pose)
        return np.array(path)

    def worst_condition(self, shape: Shape, duration: float) -> float:
        """Largest condition number of the three conditions on the way [-]; infinite in a singular posture."""
        times = np.linspace(0.0, duration, 400)
        return float(max(np.linalg.cond(self.conditions(0.0, *shape(float(t)))[0]) for t in times))


def one_round(offset: np.ndarray, amplitude: np.ndarray, phase: np.ndarray, duration: float) -> Shape:
    """One period of sines that begins and ends at rest: the phase runs through a turn as t - sin."""

    def shape(t: float) -> tuple[np.ndarray, np.ndarray]:
        turn = 2 * np.pi * t / duration
        at, speed = turn - np.sin(turn), 2 * np.pi / duration * (1 - np.cos(turn))
        return offset + amplitude * np.cos(at + phase), -amplitude * speed * np.sin(at + phase)

    return shape
