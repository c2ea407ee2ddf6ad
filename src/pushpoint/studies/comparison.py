"""Controllers compared: every one in every place from every start, in a few large batches.

Trials of one place and start are pairs, so that two controllers are compared by the trials that only one of them
passes. A place without a way through is reported as blocked, is not run, and counts for no controller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.engine.settings import Settings
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import positive
from pushpoint.model.sensors import PERFECT_SENSORS, Sensors
from pushpoint.papers.liljeback2011.trials import STEP
from pushpoint.simulation.simulate import Rollout, finish
from pushpoint.studies.places import Place
from pushpoint.studies.trial_measures import CAUSES, RATE, VARIABLES, measures_of
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import Experiment, World

if TYPE_CHECKING:
    import xarray

NORMAL_95 = 1.959964
"""Standard deviations of a normal distribution within which 95 % lie [-]."""


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share [-]; all of 0 to 1 without a trial."""
    from scipy.stats import binomtest

    if trials == 0:
        return 0.0, 1.0
    low, high = binomtest(successes, trials).proportion_ci(method="wilson")
    return float(low), float(high)


def exact_sign_test(only_first: int, only_second: int) -> float:
    """Two-sided p value of McNemar's exact test [-].

    Of the paired trials that only one of two passes, each would be the first's with probability one half if there were
    no difference.
    """
    from scipy.stats import binomtest

    decided = only_first + only_second
    return float(binomtest(only_first, decided).pvalue) if decided else 1.0


def paired_difference(only_first: int, only_second: int, trials: int) -> tuple[float, float]:
    """Wald's 95 % interval of the difference of two shares of the same trials [-]; all of -1 to 1 without a trial."""
    if trials == 0:
        return -1.0, 1.0
    difference = (only_first - only_second) / trials
    half = NORMAL_95 * sqrt(only_first + only_second - (only_first - only_second) ** 2 / trials) / trials
    return difference - half, difference + half


MOST_WORLDS = 200
"""Worlds simulated together [-]: enough to hide what a command costs, few enough to hold in memory."""
MEDIANS = (
    "progress",
    "advance",
    "time_to_pass",
    "speed",
    "stops",
    "resolutions",
    "energy_per_metre",
    "torque_reversals",
    "touched",
)
"""Measures that are given as the median over the trials that have them."""


@dataclass(frozen=True, kw_only=True)
class ControllerComparison:
    """What is compared, where and for how long."""

    controllers: Mapping[str, Any]
    """The controllers by the names they get in tables."""
    places: Sequence[Place]
    """Where each of them is tried."""
    duration: float = 100.0
    """Simulated time of a trial [s]."""
    settings: Settings = field(default_factory=lambda: STEP)
    """Numerical choices."""
    sensors: Sensors = PERFECT_SENSORS
    """What controllers are shown."""

    def __post_init__(self) -> None:
        positive("duration", self.duration, "s")
        if not self.controllers:
            raise InvalidModel("controllers", "none", "at least one")
        if not self.places:
            raise InvalidModel("courses", 0, "at least one course")

    def rollouts(self, open_places: Sequence[Place]) -> Iterator[tuple[str, list[tuple[str, int]], Rollout]]:
        """Controller, (place, start) of each world, and the run that is to be driven."""
        for label, controller in self.controllers.items():
            trials = [(place, k) for place in open_places for k in range(len(place.starts))]
            for first in range(0, len(trials), MOST_WORLDS):
                part = trials[first : first + MOST_WORLDS]
                worlds = [World(p.robot, p.environment, controller, p.starts[k], self.sensors) for p, k in part]
                rollout = Rollout(
                    Experiment(
                        tuple(worlds),
                        self.duration,
                        settings=replace(self.settings, on_failure="record"),
                        record=Record(rate=RATE, variables=VARIABLES),
                        name=f"{label}, {first + 1} to {first + len(part)} of {len(trials)}",
                    )
                )
                yield label, [(place.name, k) for place, k in part], rollout


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What a comparison came to."""

    comparison: ControllerComparison
    """What was asked."""
    blocked: Sequence[str]
    """Names of the places without a way through."""
    trials: Mapping[str, Sequence[Mapping[str, Any]]]
    """By controller, one row per trial: place, start, and the measures of trial_measures."""

    def passed(self, label: str) -> np.ndarray:
        """Which trials a controller passed, in the order that all controllers have, shape (n_trials,)."""
        return np.array([row["passed"] for row in self.trials[label]], dtype=bool)

    def summary(self, label: str) -> dict[str, Any]:
        """Success with its confidence interval, medians, and how many trials ended in which way."""
        rows = self.trials[label]
        passed = self.passed(label)
        low, high = wilson_interval(int(passed.sum()), len(rows))
        medians = {name: _median([row[name] for row in rows]) for name in MEDIANS}
        causes = Counter(str(row["cause"]) for row in rows)
        return {
            "trials": len(rows),
            "passed": int(passed.sum()),
            "success": float(passed.mean()) if rows else None,
            "success_95": [low, high],
            **medians,
            "causes": {cause: causes[cause] for cause in CAUSES if causes[cause]},
        }

    def pairs(self) -> list[dict[str, Any]]:
        """For every two controllers: the trials that only one passes, and the exact test of their difference."""
        found = []
        for first, second in combinations(self.trials, 2):
            a, b = self.passed(first), self.passed(second)
            only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
            found.append(
                {
                    "first": first,
                    "second": second,
                    "only_first": only_a,
                    "only_second": only_b,
                    "difference": float(a.mean() - b.mean()) if len(a) else None,
                    "difference_95": list(paired_difference(only_a, only_b, len(a))),
                    "p_value": exact_sign_test(only_a, only_b),
                }
            )
        return found

    def document(self) -> dict[str, Any]:
        """All of it, for a JSON file."""
        places = self.comparison.places
        return {
            "duration_s": self.comparison.duration,
            "places": [
                {"name": p.name, "starts": len(p.starts), "blocked": p.name in self.blocked, "note": p.note}
                for p in places
            ],
            "blocked": list(self.blocked),
            "controllers": {label: self.summary(label) for label in self.trials},
            "pairs": self.pairs(),
            "trials": {label: [dict(row) for row in rows] for label, rows in self.trials.items()},
        }


def compare(comparison: ControllerComparison, drive: Callable[[Rollout], xarray.Dataset] = finish) -> Compared:
    """Runs all trials; `drive` runs one batch to its end."""
    blocked = [place.name for place in comparison.places if place.blocked]
    open_places = [place for place in comparison.places if place.name not in blocked]
    trials: dict[str, list[Mapping[str, Any]]] = {label: [] for label in comparison.controllers}
    for label, origins, rollout in comparison.rollouts(open_places):
        rows = measures_of(drive(rollout)).rows()
        trials[label] += [{"place": name, "start": k} | row for (name, k), row in zip(origins, rows, strict=True)]
    return Compared(comparison=comparison, blocked=blocked, trials=trials)


def _median(values: Sequence[float]) -> float | None:
    known = [value for value in values if not np.isnan(value)]
    return float(np.median(known)) if known else None
