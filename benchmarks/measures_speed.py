"""Processor time of simulating a batch and of measuring it, at once and world by world; prints JSON.

python benchmarks/measures_speed.py                    256 worlds, five rounds
python benchmarks/measures_speed.py --worlds 64 --rounds 3

They are timed in turn, round after round, so that a busy machine slows all alike. "world by world" calls the same
measures on `run.isel(world=w)`, which is how a batch was measured before measures took whole batches.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

import pushpoint as pp

DURATION, STEP, RATE = 10.0, 2e-3, 50.0
NAMES = ("mean_velocity", "cost_of_transport", "drag_efficiency", "heading", "wave_efficiency", "detected_period")


def worlds(count: int) -> list[pp.World]:
    """Gaits of different amplitudes and frequencies for one robot on one ground."""
    ground = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=0.5)))
    robot, random = pp.catalogue.aiko_planar(), np.random.default_rng(0)
    gaits = [
        pp.gaits.LateralUndulation(amplitude=a, angular_frequency=w, phase_shift=-0.7, soft_start=1.0)
        for a, w in zip(random.uniform(0.3, 0.8, count), random.uniform(2.0, 6.0, count), strict=True)
    ]
    return [pp.World(robot, ground, gait) for gait in gaits]


def simulated(batch: list[pp.World]) -> xr.Dataset:
    variables = ("center_of_mass", "joint_power", "joint_angle", "link_angle")
    return pp.simulate(batch, DURATION, settings=pp.Settings(dt=STEP), record=pp.Record(rate=RATE, variables=variables))


def by_world(measure: Callable[[xr.Dataset], xr.DataArray], run: xr.Dataset) -> xr.DataArray:
    parts = [measure(run.isel(world=w)) for w in range(run.sizes["world"])]
    return xr.concat(parts, "world", coords="minimal", compat="override")


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = work()
    return 1e3 * (time.process_time() - start), found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    batch = worlds(asked.worlds)
    simulated(batch[:2])  # compiles the kernels
    spent: dict[str, list[float]] = {"simulation": []}
    largest = dict.fromkeys(NAMES, 0.0)
    for _ in range(asked.rounds):
        took, run = timed(lambda: simulated(batch))
        spent["simulation"].append(took)
        pp.world_of(run)  # the description is read once for all measures
        for name in NAMES:
            measure = getattr(pp.measures, name)
            (at_once, a), (one_by_one, b) = timed(lambda: measure(run)), timed(lambda: by_world(measure, run))  # noqa: B023
            spent.setdefault(f"{name}: at once", []).append(at_once)
            spent.setdefault(f"{name}: world by world", []).append(one_by_one)
            largest[name] = max(largest[name], float(np.nanmax(np.abs(a.values - b.values))))
    rows = {name: {"median_ms": statistics.median(each), "all_ms": each} for name, each in spent.items()}
    print(json.dumps({"worlds": asked.worlds, "processor_time": rows, "largest_difference": largest}, indent=1))


if __name__ == "__main__":
    main()
