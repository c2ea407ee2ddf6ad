"""One picture of a labelled sweep: what became of every world, beside the first one."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.errors import InvalidModel
from pushpoint.plots.drawing import (
    BLUE,
    INK,
    LINE_HEIGHT,
    NORMAL,
    PALE,
    RIGHT,
    SMALL,
    VERMILION,
    WIDTH,
    X_LABEL_HEIGHT,
    axes_at,
    draw_header,
    header_height,
    save_figure,
)
from pushpoint.scenarios.claim import Verdict
from pushpoint.scenarios.sweep import Sweep

if TYPE_CHECKING:
    import xarray

# Sizes on paper [in].
LABELS_WIDTH, GAP, ROW, CAPTION_GAP = 1.55, 0.14, 0.24, 0.1


def draw_effects(sweep: Sweep, runs: xarray.Dataset, verdict: Verdict, path: str | os.PathLike[str]) -> Path:
    """Writes the figure of a labelled sweep as a PNG file, whole or not at all.

    Args:
        sweep: The sweep, with labels and measures.
        runs: Its runs, as `Sweep.run` returns them.
        verdict: What its claim was found to be.
        path: The file to write, ending in .png.

    Returns:
        The path written.
    """
    return save_figure(build_effects_figure(sweep, runs, verdict), path)


def build_effects_figure(sweep: Sweep, runs: xarray.Dataset, verdict: Verdict) -> Figure:
    """Builds the figure that `draw_effects` writes: axes "header", one per measure by its name, and "caption"."""
    if sweep.measures is None:
        raise InvalidModel("sweep: labels", sweep.labels, "given, with measures, for a figure of effects")
    found = sweep.measures(runs)
    if not all(np.isfinite(values).all() for values in found.values()):
        raise InvalidModel("sweep: runs", "without a measure in some world", "finished in every world")
    lines = [sweep.name, *textwrap.wrap(sweep.title, 120)]
    caption = _caption(sweep, verdict)
    top, tall = header_height(lines), ROW * len(sweep.labels)
    caption_top = top + tall + X_LABEL_HEIGHT + CAPTION_GAP
    figure = Figure(figsize=(WIDTH, caption_top + LINE_HEIGHT * len(caption) + CAPTION_GAP), facecolor="white")
    draw_header(figure, lines)
    wide = (WIDTH - LABELS_WIDTH - RIGHT - GAP * (len(found) - 1)) / len(found)
    for k, (name, values) in enumerate(found.items()):
        axes = axes_at(figure, name, (LABELS_WIDTH + k * (wide + GAP), top, wide, tall))
        _draw_measure(axes, name, np.asarray(values), sweep.labels if k == 0 else ())
    below = axes_at(figure, "caption", (0.1, caption_top, WIDTH - 0.1, LINE_HEIGHT * len(caption)))
    below.axis("off")
    for row, line in enumerate(caption):
        level = 1.0 - (row + 0.5) / len(caption)
        below.text(0.0, level, line, transform=below.transAxes, size=NORMAL, color=INK, va="center_baseline")
    return figure


def _caption(sweep: Sweep, verdict: Verdict) -> list[str]:
    claim = sweep.claim
    statement = claim.statement[:1].upper() + claim.statement[1:]
    reading = f'Dashed: as with "{sweep.labels[0]}". All simulated.'
    return [
        *textwrap.wrap(f"{claim.id} ({sweep.source}): {statement}.", 104),
        f"Measured here: {verdict.verdict}. {reading}",
    ]


def _draw_measure(axes: Axes, name: str, values: np.ndarray, labels: tuple[str, ...]) -> None:
    """A row per world, the first on top; each value is tied to that of the first world."""
    rows = np.arange(values.size)
    axes.axvline(values[0], linestyle="--", color=VERMILION, linewidth=1.0, zorder=1.0)
    axes.hlines(rows, values[0], values, color=BLUE, linewidth=1.2, zorder=2.0)
    axes.plot(values, rows, "o", color=BLUE, markersize=5.0, markeredgecolor="white", zorder=3.0)
    axes.set_yticks(rows, labels or [""] * rows.size, fontsize=SMALL)
    axes.tick_params(axis="y", length=0.0)
    axes.set_ylim(values.size - 0.5, -0.5)
    axes.margins(x=0.12)
    axes.locator_params(axis="x", nbins=4)
    axes.set_xlabel(name, labelpad=1.5, fontsize=SMALL)
    axes.grid(axis="x", color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
