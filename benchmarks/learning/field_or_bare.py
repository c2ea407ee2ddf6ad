"""PegField for training, where swimming does not pay: some episodes have no pegs, and a robot that gets away loses.

A robot with nine joints can learn to swim on ground of isotropic friction. It would pass courses without feeling
anything, which the scoreboard forbids: on bare ground it must stay within 0.1 m. The policy is not told whether there
are pegs; only touch tells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from pushpoint.engine.signals import Measurement
from pushpoint.envs import Episode, PegField, StepOutcome, Turn
from pushpoint.envs.goal_task import Way
from pushpoint.model.sensors import Sensors
from pushpoint.studies.scoreboard import NOISY

BARE = 2.0 * np.pi
"""Added to the direction of the goal without pegs: observations are the same, and `judge` knows [rad]."""


class Ways(NamedTuple):
    """What is remembered of how far robots got."""

    way: Way
    """The way of the head."""
    start: np.ndarray
    """Where the centre of mass began [m], shape (n_worlds, 2)."""
    drift: np.ndarray
    """The furthest that it ever was from there [m], shape (n_worlds,)."""


@dataclass(frozen=True, kw_only=True)
class FieldOrBare(PegField):
    """PegField, and bare ground in a share of the episodes."""

    bare: float = 0.1
    """Share of episodes on bare ground [-]."""
    drift_weight: float = 20.0
    """What a metre of drift beyond the free one costs on bare ground [1/m]."""
    free_drift: float = 0.03
    """Drift that costs nothing [m]."""
    noisy: float = 0.5
    """Share of episodes with the noise of deployment [-]."""

    def episode(self, random: np.random.Generator) -> Episode:
        """An episode of PegField; without its pegs in some cases."""
        found = super().episode(random)
        if random.random() >= self.bare:
            return found
        bare = replace(found.world, environment=replace(found.world.environment, obstacles=()))
        return found._replace(world=bare, direction=found.direction + BARE)

    def sensing(self, random: np.random.Generator) -> Sensors:
        """Exact sensors, or those of deployment with noise of their own."""
        if random.random() >= self.noisy:
            return super().sensing(random)
        return replace(NOISY, seed=int(random.integers(2**63)), stream=0)

    def place(self, measurement: Measurement) -> np.ndarray:
        """Where the head and the centre of mass are, shape (n_worlds, 4)."""
        assert measurement.center_of_mass is not None
        return np.concatenate((super().place(measurement), measurement.center_of_mass[:, :2]), axis=1)

    def begin(self, place: np.ndarray) -> Any:
        """No way yet."""
        return Ways(super().begin(place[:, :2]), place[:, 2:], np.zeros(len(place)))

    def judge(self, turn: Turn, memory: Any) -> tuple[StepOutcome, Any]:
        """Progress among pegs, drift without."""
        outcome, way = super().judge(turn._replace(place=turn.place[:, :2]), memory.way)
        bare = turn.asked.direction > np.pi
        drift = np.maximum(memory.drift, np.linalg.norm(turn.place[:, 2:] - memory.start, axis=1))
        lost = np.maximum(drift - self.free_drift, 0.0) - np.maximum(memory.drift - self.free_drift, 0.0)
        terms = dict(outcome.rewards)
        terms["progress"] = np.where(bare, -self.drift_weight * lost, terms["progress"])
        terms["goal"] = np.where(bare, 0.0, terms["goal"])
        told = outcome.told | {"bare": bare, "drift": drift}
        ends = {"terminated": outcome.terminated & ~bare, "truncated": outcome.truncated & ~bare}
        return StepOutcome(terms, **ends, told=told), Ways(way, memory.start, drift)
