"""What a search found: the best trial, the front of several goals, all trials, and the best as a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import PushpointError
from pushpoint.scenarios.scenario import Scenario
from pushpoint.studies.optimising.figures_of_merit import FIGURES
from pushpoint.studies.optimising.objective import Objective
from pushpoint.studies.optimising.space import Bounds
from pushpoint.studies.optimising.trials import Trial


@dataclass(frozen=True, kw_only=True)
class Optimum:
    """What `optimise` found."""

    __repr__ = brief

    space: Mapping[str, Bounds]
    """Ranges of the parameters by name."""
    objective: Objective
    """What was wanted."""
    seed: int
    """Seed of the search."""
    trials: Sequence[Trial]
    """All trials in their order."""

    @property
    def best(self) -> Trial:
        """The best trial that holds all limits; of several goals, the best by the first. Raises if none holds them."""
        return min(self._feasible(), key=lambda trial: trial.scores[0])

    @property
    def front(self) -> tuple[Trial, ...]:
        """Trials that hold all limits and that no other beats in every goal, by the first goal."""
        feasible = sorted(self._feasible(), key=lambda trial: tuple(trial.scores))
        scores = np.array([trial.scores for trial in feasible])
        kept: list[Trial] = []
        for row, trial in enumerate(feasible):
            beaten = (scores <= scores[row]).all(axis=1) & (scores < scores[row]).any(axis=1)
            if not beaten.any() and not any(tuple(each.scores) == tuple(trial.scores) for each in kept):
                kept.append(trial)
        return tuple(kept)

    def _feasible(self) -> list[Trial]:
        found = [trial for trial in self.trials if trial.feasible]
        if not found:
            most, least = dict(self.objective.most), dict(self.objective.least)
            limits = ", ".join([f"{k} <= {v:g}" for k, v in most.items()] + [f"{k} >= {v:g}" for k, v in least.items()])
            raise PushpointError(f"none of {len(self.trials)} trials holds all limits: {limits or 'all worlds failed'}")
        return found

    def scenario(self, trial: Trial | None = None) -> Scenario:
        """The scenario of a trial, by default the best one, under the first condition."""
        chosen = self.best if trial is None else trial
        base = self.objective.scenario
        (world, *_others) = self.objective.worlds([chosen.parameters])
        title = f"{base.title or base.name}: trial {chosen.number} of a search"
        return replace(base, worlds=world, title=title, claims=(), origin=None)

    def document(self) -> dict[str, Any]:
        """Everything in JSON types; units are those of figures of merit and of the scenario's keys."""
        several = len(self.objective.goals) > 1
        feasible = any(trial.feasible for trial in self.trials)
        return {
            "goals": dict(self.objective.goals),
            "most": dict(self.objective.most),
            "least": dict(self.objective.least),
            "units": {name: FIGURES[name].unit for name in self.objective.figures},
            "conditions": [dict(each) for each in self.objective.conditions],
            "space": {name: asdict(each) for name, each in self.space.items()},
            "seed": self.seed,
            "evaluations": len(self.trials),
            "best": asdict(self.best) if feasible else None,
            "front": [asdict(trial) for trial in self.front] if feasible and several else [],
            "trials": [asdict(trial) for trial in self.trials],
        }
