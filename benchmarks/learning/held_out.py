"""Looks at the held-out courses once: the network that validation chose, beside the controllers with touch.

    python benchmarks/learning/held_out.py out/runs --out out/networks/held-out.json

The rule is fixed before: of the networks that do not swim on bare ground and pass more courses of validation than the
continuous controller, the one that passes most, and of equal ones the fastest. If there is none, nobody looks.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import assessing

from pushpoint.studies.comparison import exact_sign_test, paired_difference
from pushpoint.studies.controllers import controller_of
from pushpoint.studies.splits import seeds_of

SETS = ("held-out", "second-held-out")
OTHERS = ("touch-v1", "continuous")
HAND_MADE = 76
"""Courses of validation that the continuous controller passes, of 100: docs/results/learned-touch-validation.json."""


def chosen(runs: Sequence[Path]) -> Path | None:
    """The run whose network is to be looked at; None if there is none that is worth it."""
    found = {run: json.loads((run / "run.json").read_text()) for run in runs if (run / "run.json").exists()}
    worth = {
        run: (document["passed"], -document["validation"]["time_to_pass"])
        for run, document in found.items()
        if document.get("passed", 0) > HAND_MADE and document["drift"]["kept"]
    }
    return max(worth, key=lambda run: worth[run]) if worth else None


def tried(controller: str, name: str) -> dict[str, Any]:
    """What a controller does on the courses of a set."""
    found = assessing.pegs({"it": controller_of(controller)}, seeds_of(name))
    return found["controllers"]["it"] | {"passed_seeds": found["passed_seeds"]["it"]}


def looked(policy: Path, work: Path) -> dict[str, Any]:
    """All controllers on all courses, each in a process of its own."""
    work.mkdir(parents=True, exist_ok=True)
    names, script = {"network": str(policy), **{name: name for name in OTHERS}}, str(Path(__file__).resolve())
    running = {
        (name, split): subprocess.Popen(
            [sys.executable, script, "--one", controller, "--split", split, "--out", str(work / f"{name}-{split}.json")]
        )
        for name, controller in names.items()
        for split in SETS
    }
    document: dict[str, Any] = {split: {} for split in SETS}
    for (name, split), process in running.items():
        process.wait()
        document[split][name] = json.loads((work / f"{name}-{split}.json").read_text())
    for split in SETS:
        first = set(document[split]["network"]["passed_seeds"])
        count = len(seeds_of(split))
        for name in OTHERS:
            other = set(document[split][name]["passed_seeds"])
            only = (len(first - other), len(other - first))
            document[split][f"against {name}"] = {
                "only_network": only[0],
                "only_other": only[1],
                "difference_95": list(paired_difference(*only, count)),
                "p_value": exact_sign_test(*only),
            }
    return document


def main() -> None:
    """Looks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path, nargs="?", help="folder of the runs")
    parser.add_argument("--one", help="one controller alone")
    parser.add_argument("--split", choices=SETS)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if options.one:
        options.out.write_text(json.dumps(tried(options.one, options.split)))
        return
    run = chosen(sorted(options.work.iterdir()))
    if run is None:
        print("no network is worth a look")
        return
    found = looked(run / "policy.npz", options.work.with_name("looked"))
    options.out.write_text(json.dumps({"run": run.name} | found))
    print(run.name, {split: {name: each.get("passed") for name, each in found[split].items()} for split in SETS})


if __name__ == "__main__":
    main()
