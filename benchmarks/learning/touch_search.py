"""The search of the touch policy: what is searched, what a generation tries, and how it is scored.

The search starts from a wave that was found by hand on training courses (docs/theory/learned-touch.md). Most
courses of a generation are ones on which this first policy fails: those that it passes teach little. Half of the trials
have noisy sensors, and all candidates have the same courses. A candidate's score is the way of the head over the way
that counts as a pass, plus the share of courses passed, less the share passed with the reflex reversed. One that gets
away on bare ground loses more than it could ever win: a robot that swims does not need to feel.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cmaes import CMA

import pushpoint as pp
from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.hybrid import body_of
from pushpoint.control.touch_policy import TouchPolicy
from pushpoint.engine.signals import Measurement
from pushpoint.papers.liljeback2011.scenarios import PASSED, peg_course
from pushpoint.studies.places import Place, random_place
from pushpoint.studies.scoreboard import DEPLOYED, DRIFT_TIME, NOISY, drift
from pushpoint.studies.splits import TRAIN
from pushpoint.whole_files import write_bytes

COMMAND = "python benchmarks/learning/train_touch.py train --seeds {} --generations {}"
HALF_TURN_OF_A_JOINT = np.pi / 4
"""The joints' limits [rad]: the wave must stay within them, or it is cut off and pushes its own way through."""


@dataclass(frozen=True, kw_only=True)
class Searched:
    """How a parameter is searched."""

    first: float
    """Where the search begins; for a ratio, its logarithm is searched."""
    step: float
    """One unit of the search, in the parameter's unit or as a change of the logarithm."""
    low: float
    """Smallest value."""
    high: float
    """Largest value."""
    ratio: bool = False
    """Whether equal ratios count as equal steps."""

    def value(self, coordinate: float) -> float:
        """The parameter at a coordinate of the search."""
        found = self.first * np.exp(self.step * coordinate) if self.ratio else self.first + self.step * coordinate
        return float(np.clip(found, self.low, self.high))


SAFE_DRIFT, SMALLER = 0.095, 0.85
"""Drift that a trained policy may have at most [m]; what is left of its patience in each step to it [-]."""
HAND_MADE = ContinuousResolution()
LEAST_FORCE = 1.5
"""Five times the noise of touch, so that noise is not felt [N]."""
SEARCH = {
    "amplitude": Searched(first=0.66, step=0.05, low=0.3, high=HALF_TURN_OF_A_JOINT),
    "phase_shift": Searched(first=0.48, step=0.05, low=0.25, high=0.95),
    "speed": Searched(first=0.07, step=0.2, low=0.02, high=0.3, ratio=True),
    "gain": Searched(first=1.2, step=0.3, low=0.01, high=5.0, ratio=True),
    "reflex_limit": Searched(first=1.5, step=0.25, low=0.1, high=2.5),
    "head_angle": Searched(first=0.55, step=0.12, low=0.1, high=0.9),
    "head_share": Searched(first=0.75, step=0.2, low=0.0, high=1.0),
    "swing": Searched(first=0.28, step=0.05, low=0.05, high=0.6),
    "longest_travel": Searched(first=1.5, step=0.3, low=0.3, high=8.0, ratio=True),
    "heading_gain": Searched(first=0.2, step=0.1, low=0.0, high=0.8),
    "neighbour_share": Searched(first=1.3, step=0.2, low=-1.0, high=2.0),
    "forward_bias": Searched(first=0.0, step=0.2, low=-1.0, high=1.0),
    "starvation_time": Searched(first=1.0, step=0.5, low=0.2, high=30.0, ratio=True),
    "starved_phase_shift": Searched(first=-0.15, step=0.06, low=-0.5, high=0.4),
    "starved_speed": Searched(first=0.2, step=0.2, low=-0.8, high=4.0),
    "starved_head_angle": Searched(first=0.6, step=0.15, low=-0.8, high=0.67),
    "patience": Searched(first=8.0, step=0.3, low=2.0, high=60.0, ratio=True),
}
"""The parameters that are trained: all but the rate, the least force and the starved amplitude."""


def policy_at(point: Sequence[float]) -> TouchPolicy:
    """The policy at a point of the search."""
    found = {name: each.value(x) for (name, each), x in zip(SEARCH.items(), point, strict=True)}
    return TouchPolicy(least_force=LEAST_FORCE, **{name: float(f"{value:.4g}") for name, value in found.items()})


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much is tried."""

    generations: int = 9
    candidates: int = 10
    hard: int = 8
    """Courses per generation on which the first policy fails [-]."""
    easy: int = 5
    """Courses per generation that it passes [-]."""
    reversed: int = 3
    """Courses per generation that are tried with the reflex reversed, too [-]."""
    sorted: int = 300
    """Training courses that the first policy is tried on beforehand [-]."""
    duration: float = 80.0
    """Simulated time of a trial [s]."""
    dt: float = 5e-3
    """Time step [s]."""
    sigma: float = 0.5
    """First spread of the search, in its units [-]."""
    bare: int = 4
    """Trials on bare ground [-], half of them with noise."""
    most_drift: float = 0.085
    """How far a candidate may get there within 60 s before it loses points [m]: less than the rule, which is 0.1 m."""
    drift_cost: float = 10.0
    """Points per metre beyond [1/m]."""
    averaged: int = 5
    """The policy is the mean of the search, averaged over this many last generations [-]."""


class Tried(NamedTuple):
    """What became of controllers."""

    passed: np.ndarray
    """Whether they passed, shape (n_controllers, n_places)."""
    way: np.ndarray
    """Way of the head over that of a pass [-], same shape."""
    drift: np.ndarray
    """Farthest from the start on bare ground [m], shape (n_controllers,)."""


EXACT = pp.Sensors()
RECORD = pp.Record(rate=4.0, variables=("link_position", "center_of_mass"))


@cache
def place_of(seed: int) -> Place:
    return random_place(seed)


def worlds_of(places: Sequence[Place], controllers: Sequence[Any], bare: int, noise: int) -> list[pp.World]:
    """All controllers in all places, and in the first few of them without the pegs; every other one is noisy."""
    sensors = [EXACT, replace(NOISY, seed=noise)]
    nothing = peg_course(())
    return [
        pp.World(place.robot, course, controller, place.starts[0], sensors[k % 2])
        for controller in controllers
        for k, (place, course) in enumerate(
            [(place, place.environment) for place in places] + [(place, nothing) for place in places[:bare]]
        )
    ]


class FarEnough:
    """Ends a world whose head has come far enough, and on bare ground after the time of the rule."""

    def __init__(self, worlds: Sequence[pp.World]) -> None:
        self._reach = body_of(worlds[0].robot).reach
        self._course = np.array([bool(world.environment.obstacles) for world in worlds])
        self._first: np.ndarray | None = None
        self.ended = np.zeros(len(worlds), dtype=bool)

    def __call__(self, measurement: Measurement) -> np.ndarray:
        head = measurement.center_of_mass[:, 0] + (self._reach * np.cos(measurement.link_angle)).sum(axis=1)
        if self._first is None:
            self._first = head
        over = measurement.time > DRIFT_TIME + 1.0 / RECORD.rate
        self.ended |= np.where(self._course, head - self._first > PASSED, over)
        return self.ended.copy()


def tried(controllers: Sequence[Any], places: Sequence[Place], bare: int, plan: Plan, noise: int) -> Tried:
    """Every controller in every place, and on bare ground."""
    worlds = worlds_of(places, controllers, bare, noise)
    far = FarEnough(worlds)
    settings = pp.Settings(dt=plan.dt, on_failure="record")
    run = pp.simulate(worlds, duration=plan.duration, settings=settings, record=RECORD, until=far)
    head = run.link_position.sel(axis="x").isel(link=-1).values
    center = run.center_of_mass.values
    shape = (len(controllers), -1)
    passed = far.ended.reshape(shape)[:, : len(places)]
    way = np.nanmax(head - head[:, :1], axis=1).clip(0.0, PASSED).reshape(shape)[:, : len(places)] / PASSED
    then = int(np.searchsorted(run.time, min(DRIFT_TIME, plan.duration) - 1e-6)) + 1
    away = np.linalg.norm(center - center[:, :1], axis=2)[:, :then].max(axis=1)  # NaN of a failed world is the largest
    drift = np.nan_to_num(away, nan=1.0).reshape(shape)[:, len(places) :].max(axis=1, initial=0.0)
    return Tried(passed, np.where(passed, 1.0, way), drift)


def scores_of(controllers: Sequence[Any], places: Sequence[Place], plan: Plan, noise: int) -> dict[str, np.ndarray]:
    """Score, share passed, mean way, drift, and share passed with the reflex reversed, shape (n_controllers,) each."""
    found = tried(controllers, places, plan.bare, plan, noise)
    turned = [replace(each, gain=-each.gain) for each in controllers]
    against = tried(turned, places[-plan.reversed :], 0, plan, noise).passed.mean(axis=1)
    passed, way = found.passed.mean(axis=1), found.way.mean(axis=1)
    score = way + passed - plan.drift_cost * np.clip(found.drift - plan.most_drift, 0.0, None) - against
    return {"score": score, "passed": passed, "way": way, "drift": found.drift, "reversed": against}


def sorted_courses(plan: Plan, folder: Path) -> tuple[list[int], list[int]]:
    """Training courses on which the first policy of all searches fails, and those that it passes."""
    file = folder / "courses.json"
    if not file.exists():
        seeds = TRAIN[: plan.sorted]
        policy = policy_at(np.zeros(len(SEARCH)))
        passed = tried([policy], [place_of(seed) for seed in seeds], 0, plan, 0).passed[0].tolist()
        found = {str(way): [s for s, p in zip(seeds, passed, strict=True) if p is way] for way in (False, True)}
        write_bytes(file, json.dumps(found).encode())
    found = json.loads(file.read_text())
    return found["False"], found["True"]


def kept_still(policy: TouchPolicy) -> TouchPolicy:
    """The policy with less patience, step by step, until it keeps the rule against swimming."""
    while max(drift(policy, sensors)["farthest_m"] for sensors in DEPLOYED.values()) > SAFE_DRIFT:
        policy = replace(policy, patience=float(f"{SMALLER * policy.patience:.4g}"))
    return policy


def train(seed: int, plan: Plan, file: Path) -> dict[str, Any]:
    """Trains one policy; what is done already is told to a fresh search, which then proposes the same."""
    before: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {"generations": [], "finished": False}
    told = before["generations"]
    if before["finished"] and len(told) == plan.generations:
        return before
    search = CMA(mean=np.zeros(len(SEARCH)), sigma=plan.sigma, population_size=plan.candidates, seed=seed)
    generations: list[dict[str, Any]] = []
    means: list[np.ndarray] = []
    while len(generations) < plan.generations:
        number = len(generations)
        points = [search.ask() for _ in range(plan.candidates)]
        begun = time.process_time()
        if number < len(told):
            row = told[number]
        else:
            seeds = [
                of[(number * count + k) % len(of)]
                for of, count in zip(sorted_courses(plan, file.parent), (plan.hard, plan.easy), strict=True)
                for k in range(count)
            ]
            found = scores_of([policy_at(p) for p in points], [place_of(s) for s in seeds], plan, 1000 * seed + number)
            row = {name: values.round(6).tolist() for name, values in found.items()}
            row |= {"courses": seeds, "cpu_s": time.process_time() - begun}
        search.tell([(p, -score) for p, score in zip(points, row["score"], strict=True)])
        means.append(search.mean)
        last = number + 1 == plan.generations
        policy = policy_at(np.mean(means[-plan.averaged :], axis=0))
        if last:
            policy = kept_still(policy)
        generations.append(row | {"mean": {name: getattr(policy_at(search.mean), name) for name in SEARCH}})
        document = {
            "seed": seed,
            "pushpoint": pp.__version__,
            "machine": platform.machine(),
            "command": COMMAND.format(seed, plan.generations),
            "plan": asdict(plan),
            "cpu_s": sum(each["cpu_s"] for each in generations),
            "finished": last,
            "parameters": {name: getattr(policy, name) for name in (*SEARCH, "least_force")},
            "generations": generations,
        }
        if number >= len(told) or last:
            write_bytes(file, (json.dumps(document, indent=1) + "\n").encode())
            print(
                f"seed {seed} generation {number}: passed {np.mean(row['passed']):.2f}, best {max(row['score']):.2f}, "
                f"drift {np.median(row['drift']):.3f} m, {row['cpu_s']:.1f} s",
                flush=True,
            )
    return document
