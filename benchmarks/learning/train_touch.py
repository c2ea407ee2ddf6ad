"""Trains the touch policy: CMA-ES on random courses, all candidates of a generation side by side in one run.

  python benchmarks/learning/train_touch.py train --seeds 0 1 2   # six minutes of a core each; goes on where it stopped
  python benchmarks/learning/train_touch.py validate              # every finished policy on the validation courses
  python benchmarks/learning/train_touch.py ship                  # the best of them becomes touch-v1
  python benchmarks/learning/train_touch.py parts                 # what touch-v1 is without one of its parts
  pushpoint learn score touch-v1                                  # what it is worth; at last with --held-out

With `--processes 4`, four searches or comparisons run at a time, each on one thread. What is searched, and how a
candidate is scored: touch_search.py. The scores on the page are docs/results/learned-touch-validation.json and
learned-touch.json, the score.json of the last command.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from math import inf
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from touch_search import HAND_MADE, Plan, train

from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.policy_files import FOLDER as FOLDER_OF_POLICIES, FORMAT, learned
from pushpoint.control.touch_policy import TouchPolicy
from pushpoint.simulation.provenance import json_types
from pushpoint.studies.comparison import ControllerComparison, compare
from pushpoint.studies.places import random_place
from pushpoint.studies.scoreboard import DEPLOYED, MOST_DRIFT, drift, touch_sensors
from pushpoint.studies.splits import VALIDATION
from pushpoint.whole_files import write_bytes

FOLDER = Path("out/learning/touch")
RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"
POLICY = "touch-v1"
Map = Callable[[Callable[[Any], Any], Any], Iterator[Any]]
"""Calls a function with one thing after another."""


@contextmanager
def workers(processes: int) -> Iterator[Map]:
    """What calls a function in several processes of one thread each, in order; in this one if it is one."""
    if processes == 1:
        yield map
        return
    os.environ["PUSHPOINT_THREADS"] = "1"
    with get_context("spawn").Pool(processes) as pool:
        yield pool.imap


def trained(folder: Path, generations: int, seed: int) -> None:
    """Trains the policy of one seed."""
    train(seed, Plan(generations=generations), folder / f"seed-{seed}.json")


def finished(folder: Path) -> dict[int, dict[str, Any]]:
    """What finished searches have come to, by their seeds."""
    found = [json.loads(file.read_text()) for file in folder.glob("seed-*.json")]
    return {each["seed"]: each for each in sorted(found, key=lambda one: one["seed"]) if each["finished"]}


def drifts_of(policy: TouchPolicy) -> dict[str, dict[str, Any]]:
    """What the policy does on bare ground, by its sensors."""
    return {name: drift(policy, sensors) for name, sensors in DEPLOYED.items()}


def validated(parameters: dict[str, float]) -> dict[str, Any]:
    """One policy on the validation courses and on bare ground, as the scoreboard tries it."""
    policy = TouchPolicy(**parameters)
    return on_validation(policy) | {"drift": drifts_of(policy), "parameters": parameters}


def on_validation(policy: TouchPolicy) -> dict[str, Any]:
    """The policy on the validation courses."""
    places = [random_place(seed) for seed in VALIDATION]
    return compare(ControllerComparison(controllers={"it": policy}, places=places)).summary("it")


def validate(folder: Path, each: Map) -> None:
    """Every finished policy on the validation courses, but for those that have been there."""
    file = folder / "validation.json"
    known: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    asked = {str(seed): one["parameters"] for seed, one in finished(folder).items()}
    new = [seed for seed, it in asked.items() if seed not in known or known[seed]["parameters"] != it]
    known |= dict(zip(new, each(validated, [asked[seed] for seed in new]), strict=True))
    for seed, found in known.items():
        most = max(one["farthest_m"] for one in found["drift"].values())
        print(f"seed {seed}: {found['passed']} of {found['trials']}, drift {most:.3f} m")
    write_bytes(file, (json.dumps(json_types(known), indent=1) + "\n").encode())


MOST_REVERSED = 5
"""Validation courses that a policy may pass with its reflex reversed [-]."""


def keeps_the_rules(found: dict[str, Any]) -> bool:
    """Whether a policy stays where it is on bare ground, and needs its reflex."""
    if any(one["farthest_m"] > MOST_DRIFT for one in found["drift"].values()):
        return False
    policy = TouchPolicy(**found["parameters"])
    found["reversed"] = on_validation(replace(policy, gain=-policy.gain))["passed"]
    return bool(found["reversed"] <= MOST_REVERSED)


def ship(folder: Path, each: Map) -> None:
    """The best by validation among those that keep the rules becomes touch-v1; all searches are kept as a result."""
    searches, validated = finished(folder), json.loads((folder / "validation.json").read_text())
    ranked = sorted(searches, key=lambda seed: -validated[str(seed)]["passed"])
    best = next(seed for seed in ranked if keeps_the_rules(validated[str(seed)]))
    kept = {name: value for name, value in searches[best].items() if name not in ("parameters", "generations")}
    policy = {
        "format": FORMAT,
        "kind": "touch-policy",
        "title": "Feels its way through pegs; trained by CMA-ES for the robot of Liljeback2011.",
        "parameters": searches[best]["parameters"],
        "provenance": kept
        | {"chosen": f"of {len(searches)} searches, by {validated[str(best)]['passed']} of 100 validation courses"},
    }
    write_bytes(FOLDER_OF_POLICIES / f"{POLICY}.json", (json.dumps(policy, indent=1) + "\n").encode())
    for found in validated.values():
        del found["parameters"]
    rows = [one | {"validation": validated[str(seed)]} for seed, one in searches.items()]
    write_bytes(RESULTS / "touch-training.json", (json.dumps({"shipped": best, "searches": rows}) + "\n").encode())
    print(f"seed {best} is {POLICY}")


SHARED = [each.name for each in fields(ContinuousResolution)]
STARVED = ("starved_amplitude", "starved_phase_shift", "starved_speed")
"""What starvation does to the wave."""
WITHOUT: dict[str, dict[str, float]] = {
    "all of it": {},
    "neighbours do not help": {"neighbour_share": 0.0},
    "no matter where a push points": {"forward_bias": 0.0},
    "the heading does not matter": {"heading_gain": 0.0},
    "the wave heeds no starvation": dict.fromkeys(STARVED, 0.0),
    "the head heeds no starvation": {"starved_head_angle": 0.0},
    "endless patience": {"patience": inf},
    "the hand-made wave": {name: getattr(HAND_MADE, name) for name in ("amplitude", "phase_shift", "speed")},
    "the hand-made parameters where it has them": {name: getattr(HAND_MADE, name) for name in SHARED},
}
"""Parts of the policy, and the parameters that take them away."""


def without(name: str) -> dict[str, Any]:
    """The shipped policy without a part, on the validation courses and on bare ground."""
    policy: Any = learned(POLICY)
    changed = replace(policy, **WITHOUT[name])
    places = [random_place(seed) for seed in VALIDATION]
    compared = compare(ControllerComparison(controllers={"it": changed}, places=places))
    return compared.summary("it") | {"drift": drifts_of(changed)}


NOISIER = (0.5, 1.0)
"""Noise of touch with which the policy is tried on bare ground as well [N]; that of deployment is 0.3 N."""


def parts(folder: Path, each: Map) -> None:
    """Takes one part of touch-v1 away at a time, and makes its sensors worse on bare ground."""
    found = dict(zip(WITHOUT, each(without, list(WITHOUT)), strict=True))
    noisier = {f"touch noise {noise:g} N": drift(learned(POLICY), touch_sensors(noise=noise)) for noise in NOISIER}
    document = {"without": found, "noisier": noisier}
    write_bytes(RESULTS / "touch-parts.json", (json.dumps(json_types(document), indent=1) + "\n").encode())
    for name, one in found.items():
        most = max(tried["farthest_m"] for tried in one["drift"].values())
        print(f"{name}: {one['passed']} of {one['trials']}, drift {most:.3f} m")


STAGES: dict[str, Callable[[Path, Map], None]] = {
    "validate": validate,
    "ship": ship,
    "parts": parts,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("train", *STAGES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="of the searches, one policy each")
    parser.add_argument("--generations", type=int, default=Plan.generations, help="of each search")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--processes", type=int, default=1, help="that work at a time")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with workers(given.processes) as each:
        if given.stage == "train":
            list(each(partial(trained, given.folder, given.generations), given.seeds))
        else:
            STAGES[given.stage](given.folder, each)


if __name__ == "__main__":
    main()
