"""How the time of a step grows: with the links of a robot, and with the worlds that a core advances in turn.

Longer robots have the same links and start straight on flat ground. How many iterations their steps take is told
beside the times: where it grows, the time per link does, too.
"""

from __future__ import annotations

import os
from typing import Any

from pushpoint.bench.courses import chosen, mean_iterations, of_links, world_step_times

LENGTHS = {"planar_flat": (11, 176, 352), "sidewinding": (11, 88, 352), "lateral_undulation": (11, 88, 352)}
"""Links of the robots, by the names of courses.SCENARIOS."""
PER_CORE = (1, 16, 256)
"""Worlds of a batch per core."""


def run_bench(*, quick: bool = False) -> dict[str, Any]:
    """Processor time per step of a world [us] over links and worlds; quick: fewer repeats and shorter runs."""
    repeats, steps = (3, 100) if quick else (7, 1000)
    per_core = PER_CORE[:2] if quick else PER_CORE
    return {
        "repeats": repeats,
        "steps": steps,
        "links": {name: over_links(name, counts, repeats, steps) for name, counts in LENGTHS.items()},
        "worlds_per_core": {name: over_worlds(name, per_core, repeats, steps) for name in LENGTHS},
    }


def over_links(name: str, counts: tuple[int, ...], repeats: int, steps: int) -> dict[str, dict[str, float]]:
    """Time per step and iterations by the number of links."""
    bases = [of_links(chosen(name), count) for count in counts]
    times = world_step_times(repeats, steps, [(base, 1, None) for base in bases])
    return {
        str(count): {"us_per_step": 1e6 * time, "iterations": mean_iterations(base, steps)}
        for count, base, time in zip(counts, bases, times, strict=True)
    }


def over_worlds(name: str, per_core: tuple[int, ...], repeats: int, steps: int) -> dict[str, float]:
    """Time of a world's step by the number of equal worlds per core, of all cores together [us]."""
    base, cores = of_links(chosen(name), LENGTHS[name][0]), os.cpu_count() or 1
    times = world_step_times(repeats, steps, [(base, count * cores, None) for count in per_core])
    return {str(count): 1e6 * time for count, time in zip(per_core, times, strict=True)}
