"""Random search, then refinement around the best: the same for every controller, so that none gets more effort.

Scores are noisy, for the motion is chaotic: what is compared is always scored on the same courses, and the last choice
is made among a few finalists on more courses than the search has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Parameters = Mapping[str, float]
Score = Callable[[Sequence[Parameters], Sequence[int], float], np.ndarray]
"""From parameter sets, course seeds and a duration [s] to one score each, larger is better."""


@dataclass(frozen=True, kw_only=True)
class Range:
    """Where a parameter is looked for."""

    low: float
    """Smallest value, in the parameter's unit."""
    high: float
    """Largest value."""
    logarithmic: bool = False
    """Whether equal ratios count as equal steps."""

    def value(self, share: np.ndarray) -> np.ndarray:
        """Values at shares 0 to 1 of the way."""
        if self.logarithmic:
            return np.asarray(self.low * (self.high / self.low) ** share)
        return np.asarray(self.low + (self.high - self.low) * share)


@dataclass(frozen=True, kw_only=True)
class SearchPlan:
    """How much is tried, on which courses."""

    draws: int = 40
    """Parameter sets drawn at random [-]."""
    draw_seeds: Sequence[int] = range(20)
    """Courses they are scored on."""
    rounds: int = 3
    """Rounds of refinement [-]."""
    variants: int = 10
    """New sets per round [-]."""
    parents: int = 3
    """Best sets that a round starts from; they are scored again on the round's courses [-]."""
    refine_seeds: Sequence[int] = range(20, 50)
    """Courses the rounds are scored on."""
    spread: float = 0.15
    """Standard deviation of the first round's changes, in shares of the ranges; halved from round to round [-]."""
    finalists: int = 4
    """Sets that are scored at last [-]."""
    final_seeds: Sequence[int] = range(20, 100)
    """Courses for the last choice."""
    duration: float = 50.0
    """Simulated time of a trial [s]."""
    final_duration: float = 80.0
    """Simulated time of a trial of the finalists [s]."""

    @property
    def trials(self) -> int:
        """Simulated trials of one search [-]."""
        refined = len(self.refine_seeds) * (self.parents + self.rounds * self.variants)
        return self.draws * len(self.draw_seeds) + refined + self.finalists * len(self.final_seeds)


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a search came to."""

    parameters: Parameters
    """The best set."""
    score: float
    """Its score on the courses of the last choice."""
    finalists: Sequence[tuple[float, Parameters]]
    """All finalists with their scores, best first."""
    trials: int
    """Simulated trials [-]."""


def search(ranges: Mapping[str, Range], score: Score, plan: SearchPlan, seed: int) -> Found:
    """The best parameters found; same seed, same draws."""
    random = np.random.default_rng(seed)
    shares = random.uniform(size=(plan.draws, len(ranges)))
    order = np.argsort(-score(_sets(ranges, shares), plan.draw_seeds, plan.duration), kind="stable")
    known = shares[order[: plan.parents]]
    scores = score(_sets(ranges, known), plan.refine_seeds, plan.duration)
    for level in range(plan.rounds):
        order = np.argsort(-scores, kind="stable")[: plan.parents]
        parents = known[order][np.arange(plan.variants) % plan.parents]
        # Half of the parameters stay as they are: a change of all at once is mostly for the worse.
        changes = random.normal(0.0, plan.spread / 2**level, parents.shape) * (random.uniform(size=parents.shape) < 0.5)
        fresh = np.clip(parents + changes, 0.0, 1.0)
        scores = np.concatenate((scores, score(_sets(ranges, fresh), plan.refine_seeds, plan.duration)))
        known = np.concatenate((known, fresh))
    last = _sets(ranges, known[np.argsort(-scores, kind="stable")[: plan.finalists]])
    final = score(last, plan.final_seeds, plan.final_duration)
    ranked = [(float(final[k]), last[k]) for k in np.argsort(-final, kind="stable")]
    return Found(parameters=ranked[0][1], score=ranked[0][0], finalists=ranked, trials=plan.trials)


def _sets(ranges: Mapping[str, Range], shares: np.ndarray) -> list[Parameters]:
    columns = {name: each.value(shares[:, k]) for k, (name, each) in enumerate(ranges.items())}
    # Three digits are more than the search can tell apart.
    return [{name: float(f"{column[row]:.3g}") for name, column in columns.items()} for row in range(len(shares))]
