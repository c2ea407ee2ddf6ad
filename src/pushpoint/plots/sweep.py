"""One picture of a sweep: the speed over the parameter, beside what the source claims about it."""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.errors import InvalidModel
from pushpoint.papers.transeth2008a.sweeps import speeds
from pushpoint.plots.drawing import (
    BLUE,
    INK,
    LEFT,
    LINE_HEIGHT,
    NORMAL,
    PALE,
    RIGHT,
    SKY,
    VERMILION,
    WIDTH,
    X_LABEL_HEIGHT,
    axes_at,
    draw_header,
    header_height,
    place_legend,
    save_figure,
)
from pushpoint.scenarios.claim import Verdict
from pushpoint.scenarios.sweep import Sweep

if TYPE_CHECKING:
    import xarray

# Sizes on paper [in].
PANEL_HEIGHT, CAPTION_GAP = 2.6, 0.1
CM = 100.0
BAND = 0.05
"""Height of the band of speeds that counts as flat, over their middle [-]."""


def sweep_speeds(sweep: Sweep, runs: xarray.Dataset) -> np.ndarray:
    """Forward speed of each world over its first two gait periods [m/s], shape (n_worlds,)."""
    return speeds(runs, [math.degrees(world.controller.angular_frequency) for world in sweep.worlds])


def draw_sweep(sweep: Sweep, runs: xarray.Dataset, verdict: Verdict, path: str | os.PathLike[str]) -> Path:
    """Writes the figure of a sweep as a PNG file, whole or not at all.

    Args:
        sweep: The sweep.
        runs: Its runs, as `Sweep.run` returns them.
        verdict: What its claim was found to be.
        path: The file to write, ending in .png.

    Returns:
        The path written.
    """
    return save_figure(build_sweep_figure(sweep, runs, verdict), path)


def build_sweep_figure(sweep: Sweep, runs: xarray.Dataset, verdict: Verdict) -> Figure:
    """Builds the figure that `draw_sweep` writes; its axes are labelled "header", "speed" and "caption"."""
    found = CM * sweep_speeds(sweep, runs)
    if not np.isfinite(found).all():
        raise InvalidModel("sweep: runs", "without a speed in some world", "finished in every world")
    lines = [sweep.name, *textwrap.wrap(sweep.title, 120)]
    caption = _caption(sweep, verdict)
    top = header_height(lines)
    caption_top = top + PANEL_HEIGHT + X_LABEL_HEIGHT + CAPTION_GAP
    height = caption_top + LINE_HEIGHT * len(caption) + CAPTION_GAP
    figure = Figure(figsize=(WIDTH, height), facecolor="white")
    draw_header(figure, lines)
    axes = axes_at(figure, "speed", (LEFT, top, WIDTH - LEFT - RIGHT, PANEL_HEIGHT))
    _draw_speeds(axes, sweep, found)
    below = axes_at(figure, "caption", (0.1, caption_top, WIDTH - 0.1, LINE_HEIGHT * len(caption)))
    below.axis("off")
    for row, line in enumerate(caption):
        level = 1.0 - (row + 0.5) / len(caption)
        below.text(0.0, level, line, transform=below.transAxes, size=NORMAL, color=INK, va="center_baseline")
    return figure


def _caption(sweep: Sweep, verdict: Verdict) -> list[str]:
    claim = sweep.claim
    statement = claim.statement[:1].upper() + claim.statement[1:]
    return [*textwrap.wrap(f"{claim.id} ({sweep.source}): {statement}.", 104), f"Measured here: {verdict.verdict}."]


def _draw_speeds(axes: Axes, sweep: Sweep, found: np.ndarray) -> None:
    values = np.array(sweep.values)
    GUIDES.get(sweep.claim.id, _draw_trend)(axes, sweep, values, found)
    axes.plot(
        values, found, "o", color=BLUE, markersize=6.0, markeredgecolor="white", label="simulated", clip_on=False,
        zorder=3.0,
    )  # fmt: skip
    unit = "" if sweep.unit == "1" else f" [{sweep.unit}]"
    axes.set_xlabel(f"{sweep.parameter}{unit}", labelpad=1.5)
    axes.set_ylabel("forward speed [cm/s]")
    # From zero, so that what looks flat is flat.
    axes.set_ylim(min(0.0, 1.15 * float(found.min())), max(0.0, 1.15 * float(found.max())))
    axes.grid(color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    place_legend(axes, columns=3)


def _draw_proportional(axes: Axes, sweep: Sweep, values: np.ndarray, found: np.ndarray) -> None:
    """The line through the origin that fits best, over an angular frequency [deg/s]."""
    slope = float(values @ found / (values @ values))
    ends = np.array([0.0, 1.05 * values.max()])
    label = f"proportional: {360.0 * slope:.3g} cm per cycle"
    axes.plot(ends, slope * ends, "--", color=VERMILION, linewidth=1.2, label=label, zorder=2.0)
    axes.set_xlim(*ends)


def _draw_band(axes: Axes, sweep: Sweep, values: np.ndarray, found: np.ndarray) -> None:
    """A band around the middle of all speeds; a speed outside would be an effect."""
    middle = float(found.max() + found.min()) / 2.0
    spread = float(found.max() - found.min()) / abs(middle)
    edges = middle * (1.0 - BAND / 2.0), middle * (1.0 + BAND / 2.0)
    axes.axhspan(*edges, color=SKY, alpha=0.35, linewidth=0.0, label=f"band of {100.0 * BAND:g} %", zorder=1.0)
    label = f"middle, {middle:.4g} cm/s; speeds differ by {100.0 * spread:.2g} %"
    axes.axhline(middle, linestyle="--", color=VERMILION, linewidth=1.0, label=label, zorder=2.0)
    axes.set_xlim(0.0, 1.05 * float(values.max()))


def _draw_trend(axes: Axes, sweep: Sweep, values: np.ndarray, found: np.ndarray) -> None:
    """The straight line that fits best."""
    slope, level = (float(each) for each in np.polyfit(values, found, 1))
    room = 0.05 * float(values.max() - values.min())
    ends = np.array([values.min() - room, values.max() + room])
    unit = "" if sweep.unit == "1" else f" per {sweep.unit}"
    label = f"trend: {slope:+.2g} cm/s{unit}"
    axes.plot(ends, level + slope * ends, "--", color=VERMILION, linewidth=1.2, label=label, zorder=2.0)
    axes.set_xlim(*ends)


GUIDES: dict[str, Callable[[Axes, Sweep, np.ndarray, np.ndarray], None]] = {
    "TA12": _draw_proportional,
    "TA13": _draw_band,
    "TA14": _draw_trend,
}
"""What is drawn beside the speeds, by the claim; default: the trend."""
