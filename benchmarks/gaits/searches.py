"""The built-in searches from several seeds beside what is known of them; prints JSON (three minutes).

python benchmarks/gaits/searches.py > docs/results/gait-searches.json
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from typing import Any

from pushpoint.studies.optimising.questions import PHASE_LINKS, Question, best_phase_shift, question
from pushpoint.studies.optimising.search import evaluate

SEEDS = range(10)
FLOOR = 0.1
"""Friction along the planar robot: no gait there can cost less [-]."""


def searched(name: str, seed: int, asked: Question | None = None) -> dict[str, Any]:
    begun = time.process_time()
    optimum = (asked or question(name)).optimise(seed=seed)
    best = optimum.best
    return {
        "seed": seed,
        "evaluations": len(optimum.trials),
        "best": best.number,
        **{figure: values[0] for figure, values in best.figures.items()},
        "parameters": best.parameters,
        "failed": sum(trial.status != "finished" for trial in optimum.trials),
        "processor_s": round(time.process_time() - begun, 2),
    }


def phases() -> list[dict[str, Any]]:
    rows = []
    for links in PHASE_LINKS:
        best = question(f"phase-{links}-links").optimise().best
        closed = math.degrees(best_phase_shift(links))
        found = -best.parameters["controller.phase_shift_deg"]
        rows.append({"links": links, "found_deg": found, "closed_form_deg": closed, "error_deg": found - closed})
    return rows


def front(name: str) -> dict[str, Any]:
    optimum = question(name).optimise(seed=0)
    points = [trial.values for trial in optimum.front]
    lowest = min(point["cost_of_transport"] for point in points)
    return {"evaluations": len(optimum.trials), "lowest_cost_of_transport": lowest, "points": points}


def sidewinding() -> dict[str, Any]:
    """The fastest with the power of the published gait, beside it."""
    asked = question("sidewinding-speed-3W")
    measured = replace(asked.objective, goals={"speed": "maximise", "power": "minimise"}, most={})
    (published,) = evaluate(measured, [{}], [0])
    power = published.values["power"]
    equal = replace(asked, objective=replace(asked.objective, most={"power": power}))
    rows = [searched("", seed, equal) for seed in range(3)]
    speed = published.values["speed"]
    return {
        "published": published.values,
        "equal_power": rows,
        "times_as_fast": [row["speed"] / speed for row in rows],
        "front": front("sidewinding-front"),
    }


def main() -> None:
    speed = [searched("planar-speed-10W", seed) for seed in SEEDS]
    cost = [searched("planar-cost", seed) for seed in SEEDS]
    planar = front("planar-front")
    found = {
        "phase_shift": phases(),
        "planar_speed_10W": {"least_speed": min(row["speed"] for row in speed), "seeds": speed},
        "planar_other_powers": [searched(f"planar-speed-{power}W", 0) for power in (3, 30)],
        "planar_cost": {"most_cost": max(row["cost_of_transport"] for row in cost), "seeds": cost},
        "planar_front": {"floor": FLOOR, "above": planar["lowest_cost_of_transport"] > FLOOR, **planar},
        "sidewinding": sidewinding(),
    }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
