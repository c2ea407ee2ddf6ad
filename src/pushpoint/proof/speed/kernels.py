"""The kernels alone: their variants, how a step grows, and what bounds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pushpoint.engine.variants import EVERYTHING, VARIANTS
from pushpoint.pages.page import markdown_table
from pushpoint.proof.speed.wording import origin, paragraphs, short

PARTS = {
    "obstacles": "obstacles",
    "fields": "slopes and height fields",
    "laws": "any friction law, regions, wheels",
    "limits": "motor limits, backlash, end stops, torques and rates given",
    "joints": "joints of any kind",
    "loads": "loads on links",
    "selves": "self-contact",
    "prox": "the papers' prox iteration",
    "details": "tallies on request",
}
"""What the features of the kernels are called."""
BEYOND = "what it has beyond level ground, plain servos and joints of two axes that meet"
COURSES = {
    "planar_flat": "plane, flat ground",
    "planar_pegs": "plane, pegs",
    "planar_torque_limits": "plane, flat ground, torque limits",
    "sidewinding": "sidewinding",
    "lateral_undulation": "lateral undulation",
    "stairs": "resting on stairs",
}
"""What is timed, by the names of the figures."""


def variant_table() -> str:
    """What each variant has, from the table that the engine chooses from."""
    rows = [
        [engine, f"`{name}`", _has(features)] for engine, table in VARIANTS.items() for name, features in table.items()
    ]
    return markdown_table(
        ("engine", "variant", "what it has beyond level ground, plain servos and joints of two axes that meet"), rows
    )


def _has(features: frozenset[str]) -> str:
    if features >= EVERYTHING:
        more = [PARTS[name] for name in sorted(features - EVERYTHING)]
        return " and ".join(["everything", *more])
    named = [words for name, words in PARTS.items() if name in features]
    missing = [words for name, words in PARTS.items() if name in EVERYTHING - features]
    if len(missing) < len(named):
        return f"everything but {' and '.join(missing)}"
    return "; ".join(named) or "nothing"


def variant_speed(timed: Mapping[str, Any]) -> str:
    """Time per step of each variant on courses that it covers, and time to compile it."""
    rows = [
        [
            COURSES[name],
            ", ".join(f"`{variant}` {_two(us)}" for variant, us in one["us_per_step"].items()),
            f"{one['general_over_leanest']:.2f}",
        ]
        for name, one in timed["courses"].items()
    ]
    compiled = [
        [engine, f"`{variant}`", f"{seconds:.1f}"]
        for engine, table in timed["compile_s"].items()
        for variant, seconds in table.items()
    ]
    how = (
        f"one world, the first {timed['steps']:,} steps, by turns, processor time, medians of {timed['repeats']}; "
        "compiled once each, in a new process with an empty cache, processor time"
    )
    return paragraphs(
        markdown_table(("course", "µs per step, the leanest first", "general over leanest"), rows),
        markdown_table(("engine", "variant", "to compile [s]"), compiled),
        origin(timed, how),
    )


def growth(timed: Mapping[str, Any]) -> str:
    """Time per step over links and over worlds per core."""
    rows = [
        [
            COURSES[name],
            count,
            _two(one["us_per_step"]),
            f"{one['us_per_step'] / int(count):.2f}",
            f"{one['iterations']:.1f}",
        ]
        for name, table in timed["links"].items()
        for count, one in table.items()
    ]
    counts = list(next(iter(timed["worlds_per_core"].values())))
    worlds = [
        [COURSES[name], *(_two(one[count]) for count in counts)] for name, one in timed["worlds_per_core"].items()
    ]
    how = (
        f"the first {timed['steps']:,} steps of a straight robot on flat ground, many equal worlds with 11 links; "
        f"by turns, processor time of all cores together, medians of {timed['repeats']}"
    )
    return paragraphs(
        markdown_table(("robot", "links", "µs per step", "µs per step and link", "iterations per step"), rows),
        markdown_table(("µs per step of a world", *(_worlds(count) for count in counts)), worlds),
        origin(timed, how),
    )


def _worlds(count: str) -> str:
    return f"{count} world{'s' * (count != '1')} per core"


def roofline(timed: Mapping[str, Any]) -> str:
    """Operations and memory of a step beside what a core can do."""
    core = timed["core"]
    copied, peak = 1e3 * core["copy_gb_per_s"], 1e3 * core["scalar_gflop_per_s"]  # per microsecond
    rows = [
        [
            COURSES[name],
            f"{one['operations']:,.0f}",
            f"{one['bytes'] / 1e3:.0f}",
            f"{one['operations_per_byte']:.1f}",
            _two(one["bytes"] / copied),
            _two(one["operations"] / peak),
            _two(one["us_per_step"]),
        ]
        for name, one in timed["courses"].items()
    ]
    columns = (
        *("step of 11 links", "operations", "memory [kB]", "operations per byte"),
        *("µs to copy that memory", "µs to multiply and add as often", "µs measured"),
    )
    shares = [one["gflop_per_s"] / core["scalar_gflop_per_s"] for one in timed["courses"].values()]
    sentence = (
        f"A core here copies {short(core['copy_gb_per_s'])} GB per second and makes "
        f"{short(core['scalar_gflop_per_s'])} billion multiplications and additions of single numbers. A step reaches "
        f"{100 * min(shares):.0f} to {100 * max(shares):.0f} % of the latter."
    )
    how = (
        f"operations counted in {timed['counted_steps']} of {timed['steps']:,} steps, the mean; "
        f"processor time, medians of {timed['repeats']}"
    )
    return paragraphs(markdown_table(columns, rows), sentence, origin(timed, how))


def _two(value: float) -> str:
    """Microseconds: two digits, one more where they are few."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
