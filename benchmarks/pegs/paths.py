"""Prints how many fields of pegs the planner finds a path through, as JSON; `--seeds FIRST LAST` picks the fields.

The fields: Poisson-disc, 4.6 m x 2.4 m, about 3 by 1.6 body lengths, pegs of 4 cm diameter with friction 0.1, no two
centres nearer than the body's length over 6.8 or 5.0. The robot: 15 links of 0.1 m, 1.5 m long, 6 cm wide, 4.5 kg,
4 N m at the joints, ground friction 0.3. It begins with its tail at (0, 0) and is to bring its head to (4, 0). Both
places are kept free. The planner was tuned on seeds 0 to 99; reported are seeds 1000 to 1049.

Planned means: a path to the goal, bad <= 0.02 on positions 2 cm apart, no link deeper than 1 mm in a peg, no joint bent
by more than 70 degrees. Times are those of one process on one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from angles import peg_angles, torques_with_turned_links
from trials import DENSITIES, share_interval

from pushpoint.papers.ours.pegs import GOAL, START, field, fifteen_links
from pushpoint.planning.pegs.paths import PegPlan, plan_path
from pushpoint.reduced import GroundFriction, reduce_robot

ROBOT = fifteen_links()
TURNS_DEG = (-10.0, -5.0, 0.0, 5.0, 10.0)


def summary(seeds: range, plans: list[PegPlan], cpu: list[float]) -> dict[str, Any]:
    bad = np.array([plan.bad for plan in plans])
    planned = sum(plan.planned for plan in plans)
    good = [plan for plan in plans if plan.planned]
    torque = [np.abs(plan.quality.joint_torque).max() for plan in good]
    return {
        "fields": len(plans),
        "planned": planned,
        "planned_95": share_interval(planned, len(plans)),
        "bad_zero": int((bad == 0.0).sum()),
        "reaches_goal": sum(plan.reaches_goal for plan in plans),
        "bad_quartiles": [round(float(x), 4) for x in np.quantile(bad, (0.25, 0.5, 0.75))],
        "bad_largest": round(float(bad.max()), 4),
        "planning_time_median_s": round(float(np.median([plan.planning_time for plan in plans])), 3),
        "planning_time_largest_s": round(max(plan.planning_time for plan in plans), 3),
        "cpu_time_median_s": round(float(np.median(cpu)), 3),
        "path_length_median_m": round(float(np.median([plan.path.length for plan in plans])), 3),
        "of_planned": {
            "clearance_least_mm": round(1e3 * min((plan.clearance for plan in good), default=np.nan), 2),
            "bend_largest_deg": round(float(np.degrees(max((plan.bend for plan in good), default=np.nan))), 1),
            "torque_largest_median_N_m": round(float(np.median(torque)), 2) if torque else None,
            "peg_force_largest_median_N": round(float(np.median([p.quality.peg_force.max() for p in good])), 1)
            if good
            else None,
        },
        "flaws": {seed: plan.flaws for seed, plan in zip(seeds, plans, strict=True) if plan.flaws},
    }


def angles(plans: list[PegPlan]) -> dict[str, Any]:
    """How far reference angles are from tangents, and what turning the links at the pegs would do."""
    robot, ground = reduce_robot(ROBOT), GroundFriction.of(field().ground)
    difference, share, torque = [], {turn: [] for turn in TURNS_DEG}, {turn: [] for turn in TURNS_DEG}
    for plan in plans:
        head = plan.quality.head[::4]
        difference.append(np.abs(peg_angles(robot, plan.path, plan.pegs, head).difference))
        for turn in TURNS_DEG:
            found = torques_with_turned_links(robot, ground, plan.path, plan.pegs, head, np.radians(turn))
            found = np.abs(found).max(axis=1)
            share[turn].append(found > 4.0)
            torque[turn].append(found)
    off = np.degrees(np.concatenate(difference))
    return {
        "link_less_tangent_median_deg": round(float(np.median(off)), 2),
        "link_less_tangent_95_deg": round(float(np.quantile(off, 0.95)), 2),
        "turned_deg": TURNS_DEG,
        "share_beyond_4_N_m": [round(float(np.mean(np.concatenate(share[turn]))), 4) for turn in TURNS_DEG],
        "torque_median_N_m": [round(float(np.median(np.concatenate(torque[turn]))), 3) for turn in TURNS_DEG],
    }


def run(first: int, last: int) -> dict[str, Any]:
    seeds = range(first, last + 1)
    report: dict[str, Any] = {"seeds": [first, last]}
    for ratio in DENSITIES:
        plans, cpu = [], []
        for seed in seeds:
            surroundings = field(seed, ratio)
            began = time.process_time()
            plans.append(plan_path(ROBOT, surroundings, START, GOAL, seed=seed))
            cpu.append(time.process_time() - began)
        good = [plan for plan in plans if plan.planned]
        report[f"length_over_distance_{ratio}"] = summary(seeds, plans, cpu) | {
            "angles": angles(good) if good else None
        }
    return report


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", nargs=2, type=int, default=(1000, 1049), metavar=("FIRST", "LAST"))
    print(json.dumps(run(*parser.parse_args().seeds), indent=2))
