"""Trains the touch policy: CMA-ES on random courses, all candidates of a generation side by side in one run.

  python benchmarks/learning/train_touch.py train --seeds 0 1 2   # 3 minutes of a core each; goes on where it stopped
  python benchmarks/learning/train_touch.py validate              # every finished policy on the validation courses
  python benchmarks/learning/train_touch.py ship                  # the best of them becomes touch-v1
  python benchmarks/learning/train_touch.py parts                 # what touch-v1 is without one of its parts

The search starts from the hand-made ContinuousResolution, with a guess for what it does not have: a full share for the
neighbours and, when starved, a longer and slower wave with the head turned further. The guess comes from a few trials
on courses 800 to 899 (docs/theory/learned-touch.md). Most courses of a generation are ones on which this first policy
fails: those that it passes teach little. Half of the trials have noisy sensors, and all candidates have the same
courses. A candidate's score is the way of the head over the way that counts as a pass, plus the share of courses
passed. One that gets away on bare ground loses more than it could ever win: a robot that swims does not need to feel.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from cmaes import CMA

import pushpoint as pp
from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.hybrid import body_of
from pushpoint.control.policy_files import FOLDER as FOLDER_OF_POLICIES, FORMAT, learned
from pushpoint.control.touch_policy import TouchPolicy
from pushpoint.engine.signals import Measurement
from pushpoint.papers.liljeback2011.scenarios import PASSED, peg_course
from pushpoint.simulation.provenance import json_types
from pushpoint.studies.comparison import ControllerComparison
from pushpoint.studies.comparison_study import compare_in
from pushpoint.studies.places import Place, random_place
from pushpoint.studies.scoreboard import DEPLOYED, DRIFT_TIME, MOST_DRIFT, NOISY, drift
from pushpoint.studies.splits import TRAIN, VALIDATION
from pushpoint.whole_files import write_bytes

FOLDER = Path("out/learning/touch")
COMMAND = "python benchmarks/learning/train_touch.py train --seeds {} --generations {}"
RESULT = Path(__file__).resolve().parents[2] / "docs" / "results" / "touch-training.json"
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
"""Drift that a trained policy may have at most [m]; what is left of the effect of starvation in each step to it [-]."""
STARVED = ("starved_amplitude", "starved_phase_shift", "starved_speed")
"""What starvation does to the wave."""
HAND_MADE = ContinuousResolution()
LEAST_FORCE = 1.0
"""Three times the noise of touch, so that noise is not felt [N]."""
SEARCH = {
    "amplitude": Searched(first=HAND_MADE.amplitude, step=0.05, low=0.3, high=HALF_TURN_OF_A_JOINT),
    "phase_shift": Searched(first=HAND_MADE.phase_shift, step=0.04, low=0.4, high=0.95),
    "speed": Searched(first=HAND_MADE.speed, step=0.3, low=0.02, high=0.3, ratio=True),
    "gain": Searched(first=HAND_MADE.gain, step=0.4, low=0.01, high=5.0, ratio=True),
    "reflex_limit": Searched(first=HAND_MADE.reflex_limit, step=0.25, low=0.1, high=2.5),
    "head_angle": Searched(first=HAND_MADE.head_angle, step=0.12, low=0.2, high=1.4),
    "longest_travel": Searched(first=HAND_MADE.longest_travel, step=0.3, low=0.3, high=8.0, ratio=True),
    "neighbour_share": Searched(first=1.0, step=0.3, low=-1.0, high=2.0),
    "forward_bias": Searched(first=0.0, step=0.3, low=-1.0, high=1.0),
    "starvation_time": Searched(first=3.0, step=0.7, low=0.2, high=30.0, ratio=True),
    "starved_phase_shift": Searched(first=-0.15, step=0.1, low=-0.5, high=0.4),
    "starved_speed": Searched(first=-0.3, step=0.3, low=-0.8, high=4.0),
    "starved_head_angle": Searched(first=0.4, step=0.2, low=-0.8, high=0.8),
}
"""The parameters that are trained: all but the rate. Where the hand-made controller has none, `first` is a guess."""


def policy_at(point: Sequence[float]) -> TouchPolicy:
    """The policy at a point of the search."""
    found = {name: each.value(x) for (name, each), x in zip(SEARCH.items(), point, strict=True)}
    return TouchPolicy(least_force=LEAST_FORCE, **{name: float(f"{value:.4g}") for name, value in found.items()})


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much is tried."""

    generations: int = 14
    candidates: int = 12
    hard: int = 10
    """Courses per generation on which the first policy fails [-]."""
    easy: int = 6
    """Courses per generation that it passes [-]."""
    sorted: int = 300
    """Training courses that it is tried on beforehand [-]."""
    duration: float = 80.0
    """Simulated time of a trial [s]."""
    dt: float = 5e-3
    """Time step [s]."""
    sigma: float = 0.6
    """First spread of the search, in its units [-]."""
    bare: int = 8
    """Trials on bare ground [-], half of them with noise."""
    most_drift: float = 0.085
    """How far a candidate may get there in 60 s before it loses points [m]: less than the rule, which is 0.1 m."""
    drift_cost: float = 10.0
    """Points per metre beyond [1/m]."""
    averaged: int = 6
    """The policy is the mean of the search, averaged over this many last generations [-]."""


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
    """Ends a world whose head has come far enough; on bare ground nothing ends."""

    def __init__(self, worlds: Sequence[pp.World]) -> None:
        self._reach = body_of(worlds[0].robot).reach
        self._course = np.array([bool(world.environment.obstacles) for world in worlds])
        self._first: np.ndarray | None = None
        self.passed = np.zeros(len(worlds), dtype=bool)

    def __call__(self, measurement: Measurement) -> np.ndarray:
        head = measurement.center_of_mass[:, 0] + (self._reach * np.cos(measurement.link_angle)).sum(axis=1)
        if self._first is None:
            self._first = head
        self.passed |= (head - self._first > PASSED) & self._course
        return self.passed.copy()


def scores_of(controllers: Sequence[Any], places: Sequence[Place], plan: Plan, noise: int) -> dict[str, np.ndarray]:
    """Score, share passed, mean way and largest drift of every controller, shape (n_controllers,) each."""
    worlds = worlds_of(places, controllers, plan.bare, noise)
    far = FarEnough(worlds)
    settings = pp.Settings(dt=plan.dt, on_failure="record")
    run = pp.simulate(worlds, duration=plan.duration, settings=settings, record=RECORD, until=far)
    head = run.link_position.sel(axis="x").isel(link=-1).values
    shape = (len(controllers), -1)
    way = np.nanmax(head - head[:, :1], axis=1).clip(0.0, PASSED) / PASSED
    passed = far.passed.reshape(shape)[:, : len(places)]
    way = np.where(passed, 1.0, way.reshape(shape)[:, : len(places)])
    center = run.center_of_mass.values
    then = int(np.searchsorted(run.time, min(DRIFT_TIME, plan.duration) - 1e-6))
    moved = np.linalg.norm(center[:, then] - center[:, 0], axis=1).reshape(shape)[:, len(places) :]
    drift = np.nan_to_num(moved, nan=1.0).max(axis=1)
    score = way.mean(axis=1) + passed.mean(axis=1) - plan.drift_cost * np.clip(drift - plan.most_drift, 0.0, None)
    return {"score": score, "passed": passed.mean(axis=1), "way": way.mean(axis=1), "drift": drift}


def sorted_courses(plan: Plan, folder: Path) -> tuple[list[int], list[int]]:
    """Training courses on which the first policy of all searches fails, and those that it passes."""
    file = folder / "courses.json"
    if not file.exists():
        seeds = TRAIN[: plan.sorted]
        policy = policy_at(np.zeros(len(SEARCH)))
        worlds = worlds_of([place_of(seed) for seed in seeds], [policy], 0, 0)
        far = FarEnough(worlds)
        settings = pp.Settings(dt=plan.dt, on_failure="record")
        pp.simulate(worlds, duration=plan.duration, settings=settings, record=RECORD, until=far)
        passed = far.passed.tolist()
        found = {str(way): [s for s, p in zip(seeds, passed, strict=True) if p is way] for way in (False, True)}
        write_bytes(file, json.dumps(found).encode())
    found = json.loads(file.read_text())
    return found["False"], found["True"]


def kept_still(policy: TouchPolicy) -> TouchPolicy:
    """The policy with what starvation does made smaller, step by step, until it keeps the rule against swimming."""
    while max(drift(policy, sensors)["largest_m"] for sensors in DEPLOYED.values()) > SAFE_DRIFT:
        policy = replace(policy, **{name: round(SMALLER * getattr(policy, name), 4) for name in STARVED})
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


def finished(folder: Path) -> dict[int, dict[str, Any]]:
    """What finished searches have come to, by their seeds."""
    found = [json.loads(file.read_text()) for file in folder.glob("seed-*.json")]
    return {each["seed"]: each for each in sorted(found, key=lambda one: one["seed"]) if each["finished"]}


def validate(folder: Path) -> dict[str, Any]:
    """Every finished policy on the validation courses and on bare ground, as the scoreboard tries it."""
    file = folder / "validation.json"
    known: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    places = [random_place(seed) for seed in VALIDATION]
    for seed, found in finished(folder).items():
        before = known.get(str(seed))
        if before and before["parameters"] == found["parameters"]:
            continue
        policy = TouchPolicy(**found["parameters"])
        compared = compare_in(folder / "trials", ControllerComparison(controllers={"it": policy}, places=places))
        drifts = {name: drift(policy, sensors)["largest_m"] for name, sensors in DEPLOYED.items()}
        known[str(seed)] = compared.summary("it") | {"drift_m": drifts, "parameters": found["parameters"]}
        write_bytes(file, (json.dumps(json_types(known), indent=1) + "\n").encode())
        print(f"seed {seed}: {known[str(seed)]['passed']} of {len(places)}, drift {drifts}", flush=True)
    return known


def ship(folder: Path) -> None:
    """The best by validation among those that do not swim becomes touch-v1; all searches are kept as a result."""
    searches, validated = finished(folder), json.loads((folder / "validation.json").read_text())
    still = [seed for seed in searches if max(validated[str(seed)]["drift_m"].values()) <= MOST_DRIFT]
    best = max(still, key=lambda seed: validated[str(seed)]["passed"])
    kept = {name: value for name, value in searches[best].items() if name not in ("parameters", "generations")}
    policy = {
        "format": FORMAT,
        "kind": "touch-policy",
        "title": "Feels its way through pegs; trained by CMA-ES for the robot of Liljeback2011.",
        "parameters": searches[best]["parameters"],
        "provenance": kept
        | {"chosen": f"of {len(searches)} searches, by {validated[str(best)]['passed']} of 100 validation courses"},
    }
    write_bytes(FOLDER_OF_POLICIES / "touch-v1.json", (json.dumps(policy, indent=1) + "\n").encode())
    for each in validated.values():
        del each["parameters"]
    rows = [one | {"validation": validated[str(seed)]} for seed, one in searches.items()]
    write_bytes(RESULT, (json.dumps({"shipped": best, "searches": rows}) + "\n").encode())
    print(f"seed {best} is touch-v1")


SHARED = [each.name for each in fields(ContinuousResolution)]
WITHOUT: dict[str, dict[str, float]] = {
    "all of it": {},
    "neighbours do not help": {"neighbour_share": 0.0},
    "no matter where a push points": {"forward_bias": 0.0},
    "the wave heeds no starvation": dict.fromkeys(STARVED, 0.0),
    "the head heeds no starvation": {"starved_head_angle": 0.0},
    "the hand-made parameters where it has them": {name: getattr(HAND_MADE, name) for name in SHARED},
}
"""Parts of the policy, and the parameters that take them away."""


def parts(folder: Path) -> None:
    """Takes one part of touch-v1 away at a time, on the validation courses."""
    policy: Any = learned("touch-v1")
    controllers = {name: replace(policy, **changed) for name, changed in WITHOUT.items()}
    places = [random_place(seed) for seed in VALIDATION]
    compared = compare_in(folder / "trials", ControllerComparison(controllers=controllers, places=places))
    found = {name: compared.summary(name) | {"drift_m": drift(each, NOISY)} for name, each in controllers.items()}
    write_bytes(RESULT.with_name("touch-parts.json"), (json.dumps(json_types(found), indent=1) + "\n").encode())
    for name, each in found.items():
        print(f"{name}: {each['passed']} of {len(places)}, drift {each['drift_m']['largest_m']:.3f} m")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("train", "validate", "ship", "parts"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="of the searches, one policy each")
    parser.add_argument("--generations", type=int, default=Plan.generations, help="of each search")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.stage == "train":
        for seed in given.seeds:
            train(seed, Plan(generations=given.generations), given.folder / f"seed-{seed}.json")
    else:
        {"validate": validate, "ship": ship, "parts": parts}[given.stage](given.folder)


if __name__ == "__main__":
    main()
