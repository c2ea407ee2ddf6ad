"""Planning, and whole commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pushpoint.pages.page import markdown_table
from pushpoint.proof.speed.wording import origin, paragraphs, short

STARTS = {
    "import": "`import pushpoint`",
    "help": "`pushpoint --help`",
    "list": "`pushpoint list`",
    "run_planar": "`pushpoint run transeth2008a/obstacle-aided --no-media`, 10 s simulated",
    "run_spatial": "`pushpoint run transeth2008b/sidewinding --no-media`, 15 s simulated",
    "run_planar_without_dask": "the first of these without the extra `studies`",
    "run_spatial_without_dask": "the second without it",
    "libraries": "the libraries that a run needs, imported alone",
    "python": "Python alone",
}
"""What is timed of the command line, and how it is called."""


def shape_curve_speed(timed: Mapping[str, Any]) -> str:
    """Planning by shape curves in sentences."""
    worlds = timed["worlds"]
    text = (
        f"Laying {timed['links']} links along a curve takes {short(timed['us_per_alignment'])} µs, and a whole "
        f"command of the follower {timed['us_per_command'] / 1e3:.2g} ms. {worlds} worlds that follow a curve at "
        f"30 Hz, with dynamics, run {short(timed[f'real_time_factor_{worlds}_worlds'])} times as fast as real time."
    )
    how = f"{timed['simulated_s']:g} s simulated, {timed['cores']} cores, medians of {timed['repeats']} runs"
    return paragraphs(text, origin(timed, how))


def force_mapping_speed(timed: Mapping[str, Any]) -> str:
    """One force mapping, built and solved."""
    sizes = {name.removeprefix("links_"): one for name, one in timed.items() if name.startswith("links_")}
    rows = [
        [size, *(f"{one[f'{part}_ms']:.2f}" for part in ("build", "solve", "build_and_solve")), str(one["iterations"])]
        for size, one in sizes.items()
    ]
    columns = ("links", "build [ms]", "solve [ms]", "both [ms]", "iterations")
    how = f"{timed['contacts']} contacts, one core, processor time, medians of {timed['repeats']:,}"
    return paragraphs(markdown_table(columns, rows), origin(timed, how))


def startup_speed(timed: Mapping[str, Any]) -> str:
    """Whole commands, from the start of Python to the end."""
    rows = [[words, f"{timed[f'{name}_s']:.2f}"] for name, words in STARTS.items()]
    how = f"whole processes, by turns, processor time, kernels compiled before, medians of {timed['repeats']}"
    return paragraphs(markdown_table(("command", "processor time [s]"), rows), origin(timed, how))
