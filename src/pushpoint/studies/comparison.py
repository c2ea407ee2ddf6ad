"""Compares controllers: each one in every place from every start, in a few large batches.

Trials with the same place and start are paired, so two controllers are compared by the trials that only one of them
passes. A place without a way through is reported as blocked, is not run, and does not count.

Every trial is measured from the recorded truth, in the same way for all controllers. It has passed once its head has
moved 0.7 m forward, half of the robot's length. All numbers count until then, or until the end if it never passes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.control.hybrid import Mode
from pushpoint.engine.settings import Settings
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import positive
from pushpoint.model.sensors import PERFECT_SENSORS, Sensors
from pushpoint.papers.liljeback2011.scenarios import PASSED, STEP
from pushpoint.simulation.rollout import Rollout
from pushpoint.simulation.simulate import finish
from pushpoint.studies.places import Place
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import Experiment, World

if TYPE_CHECKING:
    import xarray

RATE = 20.0
"""Samples per second [Hz]."""
MEASURED = "link_position center_of_mass contact_normal_force joint_torque joint_power controller_mode"
RECORD = Record(rate=RATE, variables=tuple(MEASURED.split()))
"""The variables that the measures need."""
STOP_TIME, STOP_WAY = 10.0, 0.01
"""A stop: the head does not get this much [m] farther than before for this long [s]."""
LAST_SHARE = 0.2
"""Share of the duration at the end in which the cause of a failure is sought [-]."""
SLOW_WAY = 0.05
"""A trial whose head moved farther than this in that time was not stuck but late [m]."""
TORQUE_BAND = 0.2
"""Smaller torques have no sign: a twentieth of the robot's largest [N m]."""
CAUSES = ("passed", "late", "jammed", "starved", "ended early", "blocked")
"""How a trial can end."""


@dataclass(frozen=True)
class Measures:
    """Measures of many trials, each an array of shape (n_trials,)."""

    passed: np.ndarray
    """Whether the head got far enough."""
    progress: np.ndarray
    """Largest distance of the head along x [m]."""
    advance: np.ndarray
    """Final displacement of the centre of mass along x [m]; negative backward."""
    time_to_pass: np.ndarray
    """When the head got far enough [s]; NaN if never."""
    speed: np.ndarray
    """Mean forward speed of the head until it passed or the time was over [m/s]."""
    stops: np.ndarray
    """How often the robot stopped: 10 s in which the head got less than 1 cm farther than before [-]."""
    resolutions: np.ndarray
    """How often a supervisor resolved a jam [-]; NaN for controllers without one."""
    energy_per_metre: np.ndarray
    """Positive work of the motors per distance of the head [J/m]; NaN if the trial failed."""
    torque_reversals: np.ndarray
    """Sign changes of a motor's torque per second, averaged over all motors [1/s]."""
    touched: np.ndarray
    """Mean number of links touched at a time [-]."""
    cause: np.ndarray
    """One of CAUSES."""

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary of plain numbers per trial."""
        names = [each.name for each in fields(self)]
        columns = [getattr(self, name).tolist() for name in names]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def measures_of(run: xarray.Dataset) -> Measures:
    """The measures of all worlds of a run recorded at RATE."""
    time = run.time.values
    head = run.link_position.sel(axis="x").isel(link=-1).values
    alive = ~np.isnan(head)
    way = np.nan_to_num(head - head[:, :1], nan=-np.inf)
    farthest = np.maximum.accumulate(way, axis=1)
    passed = farthest[:, -1] > PASSED
    last = np.where(passed, np.argmax(farthest > PASSED, axis=1), alive.sum(axis=1) - 1)
    counted = np.arange(len(time)) <= last[:, None]
    spent = np.maximum(time[last], time[1] - time[0])
    center = run.center_of_mass.sel(axis="x").values
    reached = np.take_along_axis(way, last[:, None], axis=1)[:, 0]
    passing = counted & (np.arange(len(time)) > 0)  # the means of the first sample repeat those of the second
    work = _sum_over(np.clip(run.joint_power.values, 0.0, None).sum(axis=2), passing) / RATE
    touching = (np.abs(run.contact_normal_force.values) > 0.0).sum(axis=2)
    return Measures(
        passed=passed,
        progress=farthest[:, -1],
        advance=np.take_along_axis(center, last[:, None], axis=1)[:, 0] - center[:, 0],
        time_to_pass=np.where(passed, time[last], np.nan),
        speed=reached / spent,
        stops=_stops(farthest, counted),
        resolutions=_resolutions(run, counted),
        energy_per_metre=np.where(passed, work / np.where(passed, reached, 1.0), np.nan),
        torque_reversals=_reversals(run.joint_torque.values, counted) / spent,
        touched=_sum_over(touching, counted) / counted.sum(axis=1),
        cause=np.where(passed, "passed", _causes(farthest, touching, alive)),
    )


def _sum_over(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    return np.asarray(np.where(counted, np.nan_to_num(values), 0.0).sum(axis=1))


def _stops(farthest: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """How often standing still begins."""
    back = round(STOP_TIME * RATE)
    if farthest.shape[1] <= back:
        return np.zeros(len(farthest), dtype=int)
    standing = (farthest[:, back:] - farthest[:, :-back] < STOP_WAY) & counted[:, back:]
    return np.asarray((np.diff(standing.astype(int), axis=1, prepend=0) > 0).sum(axis=1))


def _resolutions(run: xarray.Dataset, counted: np.ndarray) -> np.ndarray:
    if "controller_mode" not in run:
        return np.full(len(counted), np.nan)
    mode = run.controller_mode.values
    begun = np.diff(((mode == Mode.RESOLVING) & counted).astype(int), axis=1, prepend=0) > 0
    return np.where(np.isnan(mode).all(axis=1), np.nan, begun.sum(axis=1))


def _reversals(torque: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Sign changes while counted, averaged over the joints; a small torque keeps the sign of the last large one."""
    sign = np.where(np.abs(torque) > TORQUE_BAND, np.sign(torque), 0.0)
    places = np.where(sign != 0.0, np.arange(sign.shape[1])[:, None], 0)
    kept = np.take_along_axis(sign, np.maximum.accumulate(places, axis=1), axis=1)
    changed = (kept[:, 1:] * kept[:, :-1] < 0.0) & counted[:, 1:, None]
    return np.asarray(changed.sum(axis=1).mean(axis=1))


def _causes(farthest: np.ndarray, touching: np.ndarray, alive: np.ndarray) -> np.ndarray:
    """Why trials failed, such as starved if at most one link is touched most of the time before the end."""
    first = round((1.0 - LAST_SHARE) * (farthest.shape[1] - 1))
    starved = (touching[:, first:] <= 1).mean(axis=1) > 0.5
    late = farthest[:, -1] - farthest[:, first] > SLOW_WAY
    stuck = np.where(late, "late", np.where(starved, "starved", "jammed"))
    return np.where(alive[:, -1], stuck, "ended early")


NORMAL_95 = 1.959964
"""Standard deviations of a normal distribution that contain 95 % [-]."""


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share [-]; 0 to 1 without any trial."""
    from scipy.stats import binomtest

    if trials == 0:
        return 0.0, 1.0
    low, high = binomtest(successes, trials).proportion_ci(method="wilson")
    return float(low), float(high)


def exact_sign_test(only_first: int, only_second: int) -> float:
    """Two-sided p value of McNemar's exact test [-].

    If there were no difference, each of the paired trials that only one controller passes would be the first's with
    probability one half.
    """
    from scipy.stats import binomtest

    decided = only_first + only_second
    return float(binomtest(only_first, decided).pvalue) if decided else 1.0


def paired_difference(only_first: int, only_second: int, trials: int) -> tuple[float, float]:
    """Wald's 95 % interval of the difference of two shares of the same trials [-]; -1 to 1 without any trial."""
    if trials == 0:
        return -1.0, 1.0
    difference = (only_first - only_second) / trials
    half = NORMAL_95 * sqrt(only_first + only_second - (only_first - only_second) ** 2 / trials) / trials
    return difference - half, difference + half


MOST_WORLDS = 50
"""Worlds simulated together [-]: enough to hide the cost of commands, few enough that a stop loses seconds of work."""
MEDIANS = [each.name for each in fields(Measures) if each.name not in ("passed", "cause")]
"""Measures that are reported as the median over the trials that have them."""


@dataclass(frozen=True, kw_only=True)
class ControllerComparison:
    """What is compared, where and for how long."""

    controllers: Mapping[str, Any]
    """The controllers, by their names in tables."""
    places: Sequence[Place]
    """Where each of them is tried."""
    duration: float = 100.0
    """Simulated time of a trial [s]."""
    settings: Settings = field(default_factory=lambda: STEP)
    """Numerical settings."""
    sensors: Sensors = PERFECT_SENSORS
    """What controllers measure."""

    def __post_init__(self) -> None:
        positive("duration", self.duration, "s")
        if not self.controllers:
            raise InvalidModel("controllers", "none", "at least one")
        if not self.places:
            raise InvalidModel("courses", 0, "at least one course")


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The results of a comparison."""

    comparison: ControllerComparison
    """What was compared."""
    blocked: Sequence[str]
    """Names of the places without a way through."""
    trials: Mapping[str, Sequence[Mapping[str, Any]]]
    """By controller, one row per trial: place, start, and the fields of Measures."""
    done_before: int = 0
    """Number of trials, of all controllers together, that were taken from a store [-]."""

    def passed(self, label: str) -> np.ndarray:
        """Which trials a controller passed, in the order common to all controllers, shape (n_trials,)."""
        return np.array([row["passed"] for row in self.trials[label]], dtype=bool)

    def summary(self, label: str) -> dict[str, Any]:
        """Success rate with its confidence interval, medians, and how many trials ended in which way."""
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
        """Everything, for a JSON file."""
        places = self.comparison.places
        return {
            "duration_s": self.comparison.duration,
            "done_before": self.done_before,
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
    """Runs all trials in this process and keeps nothing; `comparison_study.compare_in` keeps them in a store.

    Args:
        comparison: What is compared. Controllers need not be registered.
        drive: Runs one batch to its end.
    """
    blocked, trials = open_trials(comparison)
    found: dict[str, list[Mapping[str, Any]]] = {}
    for label in comparison.controllers:
        rows: list[dict[str, Any]] = []
        for first in range(0, len(trials), MOST_WORLDS):
            batch = _experiment(comparison, label, trials[first : first + MOST_WORLDS])
            rows += measures_of(drive(Rollout(batch))).rows()
        found[label] = [{"place": place.name, "start": k} | row for (place, k), row in zip(trials, rows, strict=True)]
    return Compared(comparison=comparison, blocked=blocked, trials=found)


def open_trials(comparison: ControllerComparison) -> tuple[list[str], list[tuple[Place, int]]]:
    """Names of the blocked places, and the trials of all others: a place and the number of its start."""
    blocked = [place.name for place in comparison.places if place.blocked]
    others = [place for place in comparison.places if place.name not in blocked]
    return blocked, [(place, k) for place in others for k in range(len(place.starts))]


def _experiment(comparison: ControllerComparison, label: str, trials: Sequence[tuple[Place, int]]) -> Experiment:
    """The run of a controller in some trials."""
    controller, settings = comparison.controllers[label], replace(comparison.settings, on_failure="record")
    worlds = tuple(World(p.robot, p.environment, controller, p.starts[k], comparison.sensors) for p, k in trials)
    return Experiment(worlds, comparison.duration, settings, RECORD)


def _median(values: Sequence[float]) -> float | None:
    known = [value for value in values if not np.isnan(value)]
    return float(np.median(known)) if known else None
