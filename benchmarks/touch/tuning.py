"""The tuning study: the continuous and the hybrid controller, searched alike on random courses of seeds 0 to 99.

Random search, then refinement around the best: the same for both, so that none gets more effort. Scores are noisy, for
the motion is chaotic: what is compared is always scored on the same courses, and the last choice is made among a few
finalists on more courses than the search has seen. `python benchmarks/touch/study.py tune` runs it.

The score of a trial is how far the head comes at most, over the way that counts as a pass, 0 to 1: it tells apart
parameters that pass equally often. Ranges hold the paper's values and as much room beyond as made sense.

Two bounds of the continuous controller are demands and not room. Its wave stays within the joints' limits: larger ones,
cut at the limits, push their own way through, whatever the reflex does. And it must not swim: a wave alone gets along
on ground of isotropic friction, forward if it is long and backward if it is short. A controller is to be carried by the
obstacles, so that a set which gets away from where it was on bare ground scores nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.papers.liljeback2011.scenarios import PASSED, STEP, peg_course, random_trials
from pushpoint.simulation.simulate import simulate
from pushpoint.studies.controllers import hybrid
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

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
class BestFound:
    """What a search came to."""

    parameters: Parameters
    """The best set."""
    score: float
    """Its score on the courses of the last choice."""
    finalists: Sequence[tuple[float, Parameters]]
    """All finalists with their scores, best first."""
    trials: int
    """Simulated trials [-]."""


def search_parameters(ranges: Mapping[str, Range], score: Score, plan: SearchPlan, seed: int) -> BestFound:
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
    return BestFound(parameters=ranked[0][1], score=ranked[0][0], finalists=ranked, trials=plan.trials)


def _sets(ranges: Mapping[str, Range], shares: np.ndarray) -> list[Parameters]:
    columns = {name: each.value(shares[:, k]) for k, (name, each) in enumerate(ranges.items())}
    # Three digits are more than the search can tell apart.
    return [{name: float(f"{column[row]:.3g}") for name, column in columns.items()} for row in range(len(shares))]


MOST_WORLDS = 400
"""Worlds simulated together [-]."""
SAMPLES = Record(rate=2.0, variables=("link_position",))
"""Often enough to see how far the head comes."""

MOST_DRIFT, DRIFT_TIME = 0.1, 60.0
"""How far the centre of mass may get on bare ground [m], and in which time [s]."""

RANGES: dict[str, dict[str, Range]] = {
    "continuous": {
        "amplitude": Range(low=0.6, high=0.785),
        "phase_shift": Range(low=0.58, high=0.72),
        "speed": Range(low=0.05, high=0.3, logarithmic=True),
        "gain": Range(low=0.05, high=2.0, logarithmic=True),
        "reflex_limit": Range(low=0.8, high=2.5),
        "head_share": Range(low=0.0, high=0.8),
        "heading_gain": Range(low=0.0, high=0.4),
        "head_angle": Range(low=0.4, high=1.2),
        "swing": Range(low=0.06, high=0.25),
        "longest_travel": Range(low=0.4, high=2.0),
    },
    "hybrid": {
        "speed": Range(low=0.02, high=0.3, logarithmic=True),
        "head_angle": Range(low=0.4, high=1.2),
        "swing": Range(low=0.06, high=0.25),
        "gain": Range(low=0.01, high=2.0, logarithmic=True),
        "jam_angle": Range(low=0.1, high=0.7, logarithmic=True),
        "jam_time": Range(low=0.1, high=2.0, logarithmic=True),
        "resolution_time": Range(low=0.1, high=3.0, logarithmic=True),
    },
}
"""What is tuned of each controller."""
BUILD: dict[str, Callable[..., Any]] = {"continuous": ContinuousResolution, "hybrid": hybrid}


@cache
def _course(seed: int) -> World:
    return random_trials([seed], None)[0]


def progress(controllers: Sequence[Any], seeds: Sequence[int], duration: float) -> np.ndarray:
    """Largest head way of every trial [m], shape (n_controllers, n_seeds)."""
    worlds = [replace(_course(seed), controller=control) for control in controllers for seed in seeds]
    settings = replace(STEP, on_failure="record")
    parts = []
    for first in range(0, len(worlds), MOST_WORLDS):
        run = simulate(worlds[first : first + MOST_WORLDS], duration=duration, settings=settings, record=SAMPLES)
        head = run.link_position.sel(axis="x").isel(link=-1).values
        parts.append(np.nanmax(head - head[:, :1], axis=1))
    return np.concatenate(parts).reshape(len(controllers), len(seeds))


def drift(controllers: Sequence[Any]) -> np.ndarray:
    """How far each gets on bare ground [m], shape (n_controllers,)."""
    bare = replace(_course(0), environment=peg_course(()))
    record = Record(rate=2.0, variables=("center_of_mass",))
    worlds = [replace(bare, controller=control) for control in controllers]
    center = simulate(worlds, duration=DRIFT_TIME, settings=STEP, record=record).center_of_mass.values
    return np.asarray(np.linalg.norm(center[:, -1] - center[:, 0], axis=1))


def score_of(build: Callable[..., Any], told: Callable[[str], None], *, may_swim: bool) -> Score:
    """The score that the search asks for."""

    def score(sets: Sequence[Parameters], seeds: Sequence[int], duration: float) -> np.ndarray:
        controllers = [build(**each) for each in sets]
        carried = np.ones(len(sets), dtype=bool) if may_swim else drift(controllers) <= MOST_DRIFT
        way = progress(controllers, seeds, duration)
        found = (way.clip(0.0, PASSED) / PASSED).mean(axis=1) * carried
        passed = (way > PASSED).mean(axis=1) * carried
        told(
            f"{len(sets)} sets, {carried.sum()} of them allowed; {len(seeds)} courses, {duration:g} s: "
            f"best {found.max():.3f}, passed at most {passed.max():.2f}"
        )
        return np.asarray(found)

    return score


PLAN = SearchPlan()
"""The same for both."""


def tune(name: str, plan: SearchPlan = PLAN, seed: int = 7, told: Callable[[str], None] = print) -> BestFound:
    """The best parameters of `continuous` or `hybrid`."""
    return search_parameters(RANGES[name], score_of(BUILD[name], told, may_swim=name != "continuous"), plan, seed)
