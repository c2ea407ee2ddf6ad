"""The study of the controllers that feel their way, in stages; each writes one JSON file into a folder.

  tune        continuous and hybrid controller, searched alike on course seeds 0 to 99 (about 5 minutes of a core each)
  held-out    all controllers on course seeds 1000 to 1099, and in the paper's environments from 5 perturbed starts
  robustness  one thing changed at a time, the first of the same courses
  figures     docs/images/touch-comparison.png and touch-robustness.png, from the two files before

`python benchmarks/touch/study.py held-out --folder out/touch`. What each figure means: docs/theory/touch.md.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from robustness import robustness, robustness_figure
from tuning import PLAN, tune

from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.plots.page import save_figure
from pushpoint.simulation.provenance import json_types
from pushpoint.studies.comparison import ControllerComparison, compare
from pushpoint.studies.comparison_figure import comparison_figure
from pushpoint.studies.controllers import controller_of
from pushpoint.studies.places import published_place, random_place

CONTROLLERS = ("continuous", "hybrid-tuned", "hybrid", "leader-follower")
IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
HELD_OUT = 1000
"""First seed of the courses that no parameter was chosen on."""


def tuning(seed: int, names: list[str]) -> dict[str, Any]:
    """The best parameters of each, and how much was tried."""
    found = {}
    for name in names:
        begun = time.process_time()
        best = tune(name, PLAN, seed=seed, told=lambda line: print(line, flush=True))
        found[name] = {
            "parameters": best.parameters,
            "score": best.score,
            "trials": best.trials,
            "cpu_s": time.process_time() - begun,
            "finalists": best.finalists,
        }
    return {"seed": seed, "found": found}


def held_out(courses: int, starts: int) -> dict[str, Any]:
    """All controllers, and the continuous one without its reflex and with the reflex reversed."""
    gain = ContinuousResolution().gain
    controllers = {name: controller_of(name) for name in CONTROLLERS}
    controllers["no reflex"] = ContinuousResolution(gain=0.0)
    controllers["reversed reflex"] = ContinuousResolution(gain=-gain)
    begun = time.process_time()
    places = [random_place(HELD_OUT + k) for k in range(courses)]
    random = compare(ControllerComparison(controllers=controllers, places=places)).document()
    cpu = time.process_time() - begun
    published = {}
    for number in (1, 2, 3):
        chosen = {name: controllers[name] for name in CONTROLLERS}
        asked = ControllerComparison(controllers=chosen, places=[published_place(number, starts)])
        published[str(number)] = compare(asked).document()
    return {"random": random, "cpu_s": cpu, "environments": published}


def changed(courses: int, file: Path) -> dict[str, Any]:
    """The robustness table of both tuned controllers; rows are printed as they come."""
    seeds = range(HELD_OUT, HELD_OUT + courses)
    rows: dict[str, Any] = {}
    for name, build in (
        ("continuous", ContinuousResolution),
        ("hybrid-tuned", lambda **given: controller_of(":rate=".join(["hybrid-tuned", *map(str, given.values())]))),
    ):
        rows[name] = robustness(build, seeds, 100.0, told=lambda row: print(json.dumps(json_types(row)), flush=True))
        file.write_text(json.dumps(json_types(rows), indent=1) + "\n", encoding="utf-8")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("tune", "held-out", "robustness", "figures"))
    parser.add_argument("--folder", type=Path, default=Path("out/touch"), help="where the JSON files are")
    parser.add_argument("--courses", type=int, default=100, help="held-out courses")
    parser.add_argument("--starts", type=int, default=5, help="starts in each of the paper's environments")
    parser.add_argument("--seed", type=int, default=7, help="of the search")
    parser.add_argument("--controllers", nargs="+", default=["continuous", "hybrid"], help="to tune")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    file = given.folder / f"{given.stage}.json"
    if given.stage == "figures":
        random = json.loads((given.folder / "held-out.json").read_text())["random"]
        save_figure(comparison_figure(random), IMAGES / "touch-comparison.png")
        rows = json.loads((given.folder / "robustness.json").read_text())
        save_figure(robustness_figure(rows), IMAGES / "touch-robustness.png")
        return
    if given.stage == "tune":
        document = tuning(given.seed, given.controllers)
    elif given.stage == "held-out":
        document = held_out(given.courses, given.starts)
    else:
        document = changed(given.courses, file)
    file.write_text(json.dumps(json_types(document), indent=1) + "\n", encoding="utf-8")
    print(f"wrote {file}")


if __name__ == "__main__":
    main()
