"""What bounds a step: its floating-point operations and the memory it touches, beside what a core can do.

Operations are counted by running the kernels' source with numbers that count (see `operations`), in some steps along a
run. Memory counts every record of the world, its links, axes, support points and spheres once, and those of contacts
and neighbours that are in use; tables of laws, loads and self-contacts are left out. The core's own figures are those
of copying a large array, and of multiply-adds of single numbers, compiled like the kernels.
"""

from __future__ import annotations

import statistics
from functools import cache
from typing import Any

import numpy as np
import warp as wp

from pushpoint.bench.courses import SCENARIOS, PackedCourse, chosen, world_step_times
from pushpoint.bench.operations import operations_of_step
from pushpoint.bench.timing import alternate, timed
from pushpoint.engine.compiled import launch
from pushpoint.engine.devices import check_device
from pushpoint.engine.records import size_of
from pushpoint.kernels.rollouts import COMPILED
from pushpoint.scenarios.scenario import Scenario

ALWAYS = ("worlds", "links", "joints", "motors", "axes", "points", "spheres", "wheels", "bars", "n_contacts")
"""Arrays whose records are all touched in every step."""
IN_USE = {"contacts": "n_contacts", "near": "n_near"}
"""Arrays of which only so many records of each link are in use."""
CHAINS = 8
"""Multiply-adds in flight at a time in the kernel below: two per cycle, four cycles each."""


def run_bench(*, quick: bool = False) -> dict[str, Any]:
    """Operations, memory and time of steps, and what a core can do; quick: fewer and shorter."""
    repeats, steps, counts, megabytes = (3, 200, 2, 32) if quick else (9, 2000, 20, 256)
    return {
        "repeats": repeats,
        "steps": steps,
        "counted_steps": counts,
        "courses": {name: course_figures(chosen(name), repeats, steps, counts) for name in SCENARIOS},
        "core": core(repeats, megabytes),
    }


def course_figures(base: Scenario, repeats: int, steps: int, counts: int) -> dict[str, float]:
    """Time, operations and memory of a step of one world, means over a run."""
    (time,) = world_step_times(repeats, steps, [(base, 1, None)])
    course = PackedCourse(base)
    found = []
    for _ in range(counts):
        course.run(steps // counts - 1)
        found.append((operations_of_step(course.stepper), bytes_of_step(course)))
    operations, touched = (statistics.fmean(column) for column in zip(*found, strict=True))
    return {
        "us_per_step": 1e6 * time,
        "operations": operations,
        "bytes": touched,
        "operations_per_byte": operations / touched,
        "gflop_per_s": 1e-9 * operations / time,
    }


def bytes_of_step(course: PackedCourse) -> float:
    """Memory that the next step of a single world touches [bytes]."""
    stepper, records = course.stepper, course.stepper._records
    total = 0
    for kind in ("Model", "Drive", "Motion", "Work", "Tally"):
        variables = getattr(records.family, kind).vars
        for name, count in records.counts(kind, stepper._several).items():
            if name in IN_USE:
                count = int(records.read(stepper._motion, "links", IN_USE[name]).sum())
            if name in ALWAYS or name in IN_USE:
                total += count * size_of(variables[name].type.dtype)
    return total


def core(repeats: int, megabytes: int) -> dict[str, float]:
    """What one core of this machine can do: bytes copied and operations in a second."""
    check_device("cpu")
    large = np.ones(megabytes * 125_000)
    there, turns = np.empty_like(large), 200_000 * repeats
    place = wp.zeros(CHAINS, dtype=wp.float64, device="cpu")
    copying, adding = alternate(
        repeats,
        timed(lambda: np.copyto(there, large)),
        timed(lambda: launch(multiply_adds(), dim=1, inputs=[turns, place], device="cpu")),
    )
    return {
        "copy_gb_per_s": 1e-9 * large.nbytes / copying,
        "scalar_gflop_per_s": 1e-9 * 2 * CHAINS * turns / adding,
    }


@cache
def multiply_adds() -> Any:
    """A kernel that does nothing but multiply and add, CHAINS numbers in turn."""

    def turn(turns: int, place: wp.array(dtype=wp.float64)):  # type: ignore[valid-type, no-untyped-def]
        a = place[0] + wp.float64(0.5)
        b = place[0] + a
        c = place[1] + a
        d = place[2] + a
        e = place[3] + a
        f = place[4] + a
        g = place[5] + a
        h = place[6] + a
        i = place[7] + a
        for _ in range(turns):
            b = b * a + a
            c = c * a + a
            d = d * a + a
            e = e * a + a
            f = f * a + a
            g = g * a + a
            h = h * a + a
            i = i * a + a
        place[0] = (b + c + d + e + f + g + h + i) * wp.float64(0.0)

    return wp.kernel(turn, module="unique", enable_backward=False, module_options=COMPILED)
