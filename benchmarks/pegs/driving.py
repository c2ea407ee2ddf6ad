"""Drives planned paths through fields of pegs by force mapping and by servos, and prints as JSON who arrives and how.

python benchmarks/pegs/driving.py [--store FOLDER] [--seeds FIRST LAST] [--stage tune|drive|print]

Every plan and every drive is kept in a store as it is done; what is there from the same sources is not done again.
Stages: `tune` tries all settings on training paths, `drive` takes the best of them through the fields reported, `print`
only prints what is there; the default is all of them. What is tuned, by which rule, and what is counted stands in
benchmarks/pegs/trials.py. About 40 minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path as File
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from trials import (
    DENSITIES,
    MAPPING_GRID,
    SERVO_GRID,
    TUNED_MAPPING,
    TUNED_SERVOS,
    MappingSetting,
    ServoSetting,
    bootstrap,
    choose,
    drivable_shape,
    drive_worlds,
    make_plan,
    share_interval,
)

from pushpoint.errors import InvalidModel
from pushpoint.mapping.rails import Path
from pushpoint.papers.ours.pegs import SPEED, field, fifteen_links
from pushpoint.planning.pegs.paths import PegPlan
from pushpoint.studies.storing.results import KeptResults, kept_results

TRAINING = 8
"""Training paths per density [-]."""
BATCH = 16
"""Worlds driven side by side [-]."""
EXTRA_SEEDS = 12
"""Seeds of which starved and unscored plans are driven, too [-]."""
GRIDS: dict[str, tuple[Any, ...]] = {"mapping": MAPPING_GRID, "servos": SERVO_GRID}
TUNED: dict[str, Any] = {"mapping": TUNED_MAPPING, "servos": TUNED_SERVOS}

BADNESS = {
    "bad 0": (-1.0, 0.0),
    "bad to 0.02": (0.0, 0.02),
    "bad 0.02 to 0.2": (0.02, 0.2),
    "bad above 0.2": (0.2, 1.0),
}

Setting = MappingSetting | ServoSetting


class Rows:
    """What is done, by label: a row has the label and what was found."""

    def __init__(self, kept: KeptResults) -> None:
        self._kept = kept

    def add(self, labels: list[dict[str, Any]], found: list[dict[str, Any]]) -> None:
        """Keeps what was found together."""
        self._kept.add({json.dumps(label): label | each for label, each in zip(labels, found, strict=True)})

    def get(self, label: dict[str, Any]) -> dict[str, Any] | None:
        """The row of a label, if it is done."""
        return self._kept.get(json.dumps(label))

    def find(self, **wanted: Any) -> list[dict[str, Any]]:
        """All rows with some values."""
        return [row for row in self._kept.values() if all(row.get(name) == each for name, each in wanted.items())]


def planned(rows: Rows, seed: int, density: float, variant: str) -> dict[str, Any]:
    """The row of a plan, which is made if it is not there yet; "fair" says whether there is one worth trying."""
    wanted = {"what": "plan", "seed": seed, "density": density, "variant": variant}
    if (found := rows.get(wanted)) is not None:
        return found
    began = time.process_time()
    try:
        plan = noted(make_plan(seed, density, variant))
    except InvalidModel:
        plan = {"fair": False}  # no path as long as the robot leads away from the start
    plan |= {"cpu_s": time.process_time() - began}
    rows.add([wanted], [plan])
    return wanted | plan


def noted(plan: PegPlan) -> dict[str, Any]:
    return {
        "fair": drivable_shape(plan),
        "planned": plan.planned,
        "bad": plan.bad,
        "length": plan.path.length,
        "wall_s": plan.planning_time,
        "statics_per_metre": float(plan.quality.cost.mean()) / SPEED,
        "points": plan.path.points.tolist(),
    }


def driven(rows: Rows, jobs: list[tuple[int, float, str, Setting]]) -> None:
    """Drives what is not driven yet, some worlds side by side."""
    left = [job for job in jobs if rows.get(label(*job)) is None]
    robot = fifteen_links()
    for first in range(0, len(left), BATCH):
        part = left[first : first + BATCH]
        paths = {job[:3]: Path(np.array(planned(rows, *job[:3])["points"])) for job in part}
        worlds = [job[3].world(robot, field(job[0], job[1]), paths[job[:3]]) for job in part]
        found = [asdict(each) | {"per_metre": each.squared_torque_per_metre} for each in drive_worlds(worlds)]
        rows.add([label(*job) for job in part], found)


def label(seed: int, density: float, variant: str, setting: Setting) -> dict[str, Any]:
    kind = "mapping" if isinstance(setting, MappingSetting) else "servos"
    return {
        "what": "drive",
        "seed": seed,
        "density": density,
        "variant": variant,
        "kind": kind,
        "setting": str(setting),
    }


def training(rows: Rows) -> list[tuple[int, float]]:
    """The first plans of either density that are bad nowhere."""
    found = []
    for density in DENSITIES:
        good: list[tuple[int, float]] = []
        seed = 0
        while len(good) < TRAINING and seed < 100:
            plan = planned(rows, seed, density, "planned")
            if plan["fair"] and plan["bad"] == 0.0:
                good.append((seed, density))
            seed += 1
        found += good
    return found


def tune(rows: Rows) -> None:
    for seed, density in training(rows):
        for grid in GRIDS.values():
            driven(rows, [(seed, density, "planned", setting) for setting in grid])


def tuned(rows: Rows) -> dict[str, tuple[Setting, dict[str, Any]]]:
    """The best setting of either kind by the rule, and by which figures; without training, the one on record."""
    best: dict[str, tuple[Setting, dict[str, Any]]] = {}
    for kind, grid in GRIDS.items():
        done = {
            str(setting): {
                (row["density"], row["seed"]): row["per_metre"] if row["arrived"] else None
                for row in rows.find(what="drive", setting=str(setting), variant="planned")
                if row["seed"] < 100
            }
            for setting in grid
        }
        paths = sorted(set.intersection(*(set(of) for of in done.values())))
        if not paths:
            best[kind] = TUNED[kind], {"driven": "not tuned here: the setting on record"}
            continue
        results = {name: [of[path] for path in paths] for name, of in done.items()}
        name, figures = choose(results)
        best[kind] = next(setting for setting in grid if str(setting) == name), figures
    return best


def jobs(first: int, last: int) -> Iterator[tuple[int, float, str]]:
    for density in DENSITIES:
        for seed in range(first, last + 1):
            yield seed, density, "planned"
        for variant in ("starved", "unscored"):
            for seed in range(first, min(first + EXTRA_SEEDS, last + 1)):
                yield seed, density, variant


def drive(rows: Rows, first: int, last: int) -> None:
    best = tuned(rows)
    fair = []
    for job in jobs(first, last):
        if planned(rows, *job)["fair"]:
            fair.append(job)
    mapping, servos = best["mapping"][0], best["servos"][0]
    driven(rows, [(*job, mapping) for job in fair])
    driven(rows, [(*job, servos) for job in fair if job[2] == "planned"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=File, default=File("out/peg-driving"))
    parser.add_argument("--seeds", nargs=2, type=int, default=(1000, 1049), metavar=("FIRST", "LAST"))
    parser.add_argument("--stage", choices=("tune", "drive", "print"))
    asked = parser.parse_args()
    with kept_results(asked.store) as kept:
        print(f"{len(kept)} plans and drives were done before", file=sys.stderr)
        rows = Rows(kept)
        if asked.stage in (None, "tune"):
            tune(rows)
        if asked.stage in (None, "drive"):
            drive(rows, *asked.seeds)
        if asked.stage != "tune":
            print(json.dumps(report(rows, *asked.seeds), indent=2))


def report(rows: Rows, first: int, last: int) -> dict[str, Any]:
    """All figures of the seeds asked for."""
    best = tuned(rows)
    plans = [row for row in rows.find(what="plan") if first <= row["seed"] <= last]
    drives = {
        kind: {_key(row): row for row in rows.find(what="drive", setting=str(setting)) if first <= row["seed"] <= last}
        for kind, (setting, _) in best.items()
    }
    return {
        "seeds": [first, last],
        "tuning": {kind: {"best": str(setting)} | figures for kind, (setting, figures) in best.items()},
        "planned": {str(d): planning([p for p in plans if p["density"] == d and _usual(p)]) for d in DENSITIES},
        "driven_by_mapping": predicted(plans, drives["mapping"]),
        "driven_by_servos": predicted([p for p in plans if _usual(p)], drives["servos"]),
        "mapping_over_servos": {
            name: compared([p for p in plans if _usual(p) and p.get("planned") and chosen(p)], drives)
            for name, chosen in {
                "all": lambda p: True,
                "6.8": lambda p: p["density"] == 6.8,
                "5.0": lambda p: p["density"] == 5.0,
            }.items()
        },
    }


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["seed"], row["density"], row["variant"]


def _usual(plan: dict[str, Any]) -> bool:
    return bool(plan["variant"] == "planned")


def planning(plans: list[dict[str, Any]]) -> dict[str, Any]:
    hits = sum(plan.get("planned", False) for plan in plans)
    return {
        "fields": len(plans),
        "planned": hits,
        "planned_95": share_interval(hits, len(plans)),
        "bad_zero": sum(plan.get("bad") == 0.0 for plan in plans),
        "wall_time_median_s": middle([plan["wall_s"] for plan in plans if "wall_s" in plan]),
        "cpu_time_median_s": middle([plan["cpu_s"] for plan in plans]),
    }


def predicted(plans: list[dict[str, Any]], drives: dict[tuple[Any, ...], dict[str, Any]]) -> dict[str, Any]:
    """How many plans are driven, by how bad they are, of all that are fair to try."""
    found = {}
    for name, (low, high) in BADNESS.items():
        tried = [p for p in plans if p["fair"] and low < p["bad"] <= high and _key(p) in drives]
        hits = sum(drives[_key(p)]["arrived"] for p in tried)
        not_driven = [[p["density"], p["seed"], p["variant"]] for p in tried if not drives[_key(p)]["arrived"]]
        found[name] = {"plans": len(tried), "driven": hits, "driven_95": share_interval(hits, len(tried))}
        if hits and not_driven:
            found[name]["not_driven"] = not_driven
    return found


def compared(plans: list[dict[str, Any]], drives: dict[str, dict[tuple[Any, ...], dict[str, Any]]]) -> dict[str, Any]:
    """Force mapping over servos, on the paths on which both arrive."""
    pairs = [(drives["mapping"][_key(p)], drives["servos"][_key(p)], p) for p in plans if _key(p) in drives["servos"]]
    both = [(a, b, p) for a, b, p in pairs if a["arrived"] and b["arrived"]]
    ratio = {
        name: np.array([a[name] / b[name] for a, b, _ in both])
        for name in ("per_metre", "peak_torque", "peak_push", "time")
    }
    return {
        "paths": len(pairs),
        "mapping_arrives": sum(a["arrived"] for a, _, _ in pairs),
        "servos_arrive": sum(b["arrived"] for _, b, _ in pairs),
        "both_arrive": len(both),
        "squared_torque_per_metre_N2ms": {
            "mapping": middle([a["per_metre"] for a, _, _ in both]),
            "servos": middle([b["per_metre"] for _, b, _ in both]),
            "statics": middle([p["statics_per_metre"] for _, _, p in both]),
        },
        "ratio_median": {name: middle(list(values)) for name, values in ratio.items()},
        "ratio_median_95": {name: bootstrap(values) for name, values in ratio.items()},
        "ratio_of_medians_of_squared_torque": round(
            middle([a["per_metre"] for a, _, _ in both]) / middle([b["per_metre"] for _, b, _ in both]), 3
        ),
    }


def middle(values: list[float]) -> float:
    return round(float(np.median(values)), 3) if values else float("nan")


if __name__ == "__main__":
    main()
