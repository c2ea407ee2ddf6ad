"""What lean variants of the kernels save: processor time per step beside the general one, and time to compile each."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from pushpoint.bench.courses import SCENARIOS, PackedCourse, chosen, with_torque_limits, world_step_times
from pushpoint.engine.engines import engine_of
from pushpoint.engine.variants import VARIANTS
from pushpoint.engine.warming import variants_to_warm
from pushpoint.errors import PushpointError
from pushpoint.papers.registry import scenario
from pushpoint.scenarios.scenario import Scenario

LIMIT = 4.0
"""Largest torque of motors with limits [N m]: that of Holden2014's robot."""
COMPILED = """
import time
from pushpoint.engine.settings import Settings
from pushpoint.engine.warming import warm
begin = time.process_time()
list(warm([({engine!r}, {variant!r})], Settings()))
print(time.process_time() - begin)
"""
"""What a process does that compiles one variant and tells how long it took [s]."""


def courses() -> dict[str, Scenario]:
    """What is timed, by name."""
    return {
        **{name: chosen(name) for name in SCENARIOS},
        "planar_torque_limits": with_torque_limits(chosen("planar_flat"), LIMIT),
        "stairs": scenario("spatial/stairs-rest"),
    }


def run_bench(*, quick: bool = False) -> dict[str, Any]:
    """Times of all variants that cover a course, and times to compile [s]; quick: shorter runs, the usual variants."""
    repeats, steps = (3, 200) if quick else (9, 2000)
    return {
        "repeats": repeats,
        "steps": steps,
        "courses": {name: variants_on(base, repeats, steps) for name, base in courses().items()},
        "compile_s": compile_times(everything=not quick),
    }


def variants_on(base: Scenario, repeats: int, steps: int) -> dict[str, Any]:
    """Time per step of every variant that has what a scenario needs, the leanest first [us]."""
    engine, (leanest,) = engine_of([base.world.robot]).NAME, PackedCourse(base).stepper.variants
    names = covering(engine, leanest)
    times = world_step_times(repeats, steps, [(base, 1, variant) for variant in names])
    return {
        "engine": engine,
        "leanest": leanest,
        "us_per_step": {variant: 1e6 * time for variant, time in zip(names, times, strict=True)},
        "general_over_leanest": times[names.index("general")] / times[0],
    }


def covering(engine: str, leanest: str) -> list[str]:
    """Variants with all that the leanest has, without the one that only fills tallies on request."""
    table = VARIANTS[engine]
    return [name for name, has in table.items() if has >= table[leanest] and "details" not in has]


def compile_times(*, everything: bool) -> dict[str, dict[str, float]]:
    """Processor time to compile each variant, in a new process with an empty cache [s]."""
    found: dict[str, dict[str, float]] = {engine: {} for engine in VARIANTS}
    for engine, variant in variants_to_warm(tuple(VARIANTS), everything=everything):
        found[engine][variant] = compile_time(engine, variant)
    return found


def compile_time(engine: str, variant: str) -> float:
    """Processor time to compile one variant [s]."""
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]))
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", COMPILED.format(engine=engine, variant=variant)],
            env=os.environ | {"PYTHONPATH": path, "WARP_CACHE_PATH": cache},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode != 0:
        reason = (done.stderr.splitlines() or [f"exit status {done.returncode}"])[-1]
        raise PushpointError(f"{engine} {variant} cannot be compiled: {reason}")
    return float(done.stdout.splitlines()[-1])
