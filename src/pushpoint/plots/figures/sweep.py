"""One picture of a sweep: speeds over one or two parameters, or what became of every labelled world; and the claim."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.plots.heat_map import SIGNED_COLORS
from pushpoint.plots.looks import KNOWN, LIMIT_COLOR
from pushpoint.plots.page import SMALL, TALLEST_SHEET, PanelRow, dress, header_lines, page, place_legend
from pushpoint.scenarios.claim import Verdict
from pushpoint.scenarios.scenario import Scenario, Variation
from pushpoint.scenery.palette import INK, SKY

# Sizes on paper [in].
PANEL_HEIGHT, LABELS_WIDTH, GAP, ROW_HEIGHT, CELL_HEIGHT = 2.6, 1.55, 0.14, 0.24, 0.4
CM = 100.0
AROUND = 2.2
"""Room for header, axis and caption of a sheet [in]."""
MOST_NAMED = 55
"""Rows that can bear a name each on one sheet [-]."""
SIMULATED = KNOWN["simulated"].color
FASTEST = 1e9
"""Beyond this a speed is none [m/s]."""
BAND = 0.05
"""Height of the band of speeds that counts as flat, over their middle [-]."""


@checked_arguments
def sweep(swept: Scenario, speeds: np.ndarray, verdict: Verdict | None = None) -> Figure:
    """Speeds over the parameter of a sweep; its axes are labelled "header", "speed" and "caption".

    Args:
        swept: The sweep.
        speeds: Forward speed of each of its worlds [m/s], shape (n_worlds,).
        verdict: What its claim was found to be; default: nothing is said about it.
    """
    _check_speeds(swept, speeds)
    figure, panels = _page(swept, verdict, PanelRow(panels=("speed",), height=PANEL_HEIGHT))
    axes, varies, found = panels["speed"], _varies(swept), CM * speeds
    values, unit = np.array(varies.values), "" if varies.unit == "1" else varies.unit
    claim = swept.claims[0].id if swept.claims else ""
    if claim == "TA13":
        _draw_band(axes, values, found)
    else:
        _draw_line(axes, values, found, unit, proportional=claim == "TA12")
    look: dict[str, Any] = {"color": SIMULATED, "markersize": 6.0, "markeredgecolor": "white", "clip_on": False}
    axes.plot(values, found, "o", label="simulated", zorder=3.0, **look)
    dress(axes, x=f"{varies.parameter} [{unit}]" if unit else varies.parameter, y="forward speed [cm/s]", grid="both")
    # From zero, so that what looks flat is flat.
    axes.set_ylim(min(0.0, 1.15 * float(found.min())), max(0.0, 1.15 * float(found.max())))
    place_legend(axes, columns=3)
    return figure


def _check_speeds(swept: Scenario, speeds: np.ndarray) -> None:
    """Refuses speeds that are not those of the worlds of a sweep."""
    count = len(_varies(swept).values)
    if speeds.shape != (count,):
        raise InvalidModel("sweep: speeds", speeds.shape, f"of shape ({count},), one for each world [m/s]")
    if not (np.abs(speeds) < FASTEST).all():
        raise InvalidModel("sweep: runs", "without a speed in some world", "finished in every world")


def _varies(swept: Scenario) -> Variation:
    if swept.varies is None:
        raise InvalidModel("sweep: varies", None, "given: a sweep has several worlds")
    return swept.varies


@checked_arguments
def sweep_effects(swept: Scenario, runs: xarray.Dataset, verdict: Verdict | None = None) -> Figure:
    """What became of every world of a labelled sweep, tied to the first one.

    Its axes are labelled "header", by the names of the measures, and "caption".

    Args:
        swept: The sweep, with labels and measures.
        runs: Its runs, as `Scenario.run` returns them.
        verdict: What its claim was found to be; default: nothing is said about it.
    """
    varies = _varies(swept)
    if varies.measures is None:
        raise InvalidModel("sweep: labels", varies.labels, "given, with measures, for a figure of effects")
    found = varies.measures(runs)
    if not all(np.isfinite(values).all() for values in found.values()):
        raise InvalidModel("sweep: runs", "without a measure in some world", "finished in every world")
    tall = min(ROW_HEIGHT * len(varies.labels), TALLEST_SHEET - AROUND)
    row = PanelRow(panels=list(found), height=tall, left=LABELS_WIDTH, gap=GAP)
    figure, panels = _page(swept, verdict, row, f' Dashed: as with "{varies.labels[0]}". All simulated.')
    for k, (name, values) in enumerate(found.items()):
        _draw_measure(panels[name], name, np.asarray(values), tuple(varies.labels) if k == 0 else ())
    return figure


@checked_arguments
def sweep_map(
    swept: Scenario,
    speeds: np.ndarray,
    rows: Mapping[str, Sequence[str]],
    columns: Mapping[str, Sequence[str]],
    verdict: Verdict | None = None,
) -> Figure:
    """Speeds of a sweep over two things, as a table of colours; its axes are labelled "header", "speed" and "caption".

    Args:
        swept: The sweep, whose worlds go through the columns of one row after the other.
        speeds: Forward speed of each of its worlds [m/s], shape (n_worlds,).
        rows: What differs from row to row, and the name of each row.
        columns: The same for columns.
        verdict: What its claim was found to be; default: nothing is said about it.
    """
    _check_speeds(swept, speeds)
    for name, given in (("rows", rows), ("columns", columns)):
        if len(given) != 1:
            raise InvalidModel(f"sweep_map: {name}", given, "what differs, and the names of each: one entry")
    (down, row_names), (across, column_names) = (next(iter(each.items())) for each in (rows, columns))
    if len(row_names) * len(column_names) != len(speeds):
        raise InvalidModel("sweep_map: rows and columns", (len(row_names), len(column_names)), f"{len(speeds)} worlds")
    found = CM * speeds.reshape(len(row_names), len(column_names))
    row = PanelRow(panels=("speed",), height=min(CELL_HEIGHT * len(row_names), TALLEST_SHEET - AROUND))
    figure, panels = _page(swept, verdict, row, " Forward speed [cm/s]. All simulated.")
    axes, most = panels["speed"], float(np.abs(found).max())
    axes.imshow(found, cmap=SIGNED_COLORS, vmin=-most, vmax=most, aspect="auto")
    for (k, j), value in np.ndenumerate(found):
        color = "white" if abs(value) > 0.6 * most else INK
        axes.text(j, k, f"{value:.1f}", ha="center", va="center", fontsize=SMALL, color=color)
    axes.set_xticks(range(len(column_names)), column_names)
    axes.set_yticks(range(len(row_names)), row_names)
    dress(axes, x=across, y=down)
    return figure


def _page(swept: Scenario, verdict: Verdict | None, row: PanelRow, reading: str = "") -> tuple[Figure, dict[str, Axes]]:
    """A page with a row of panels between what is swept and what is claimed about it, if anything is."""
    caption = []
    for claim in swept.claims[:1]:
        statement = claim.statement[:1].upper() + claim.statement[1:]
        caption = textwrap.wrap(f"{claim.id} ({swept.source}): {statement}.", 104)
    found = "" if verdict is None else f"Measured here: {verdict.verdict}."
    caption += filter(None, [f"{found}{reading}".strip()])
    return page(header_lines(swept.name, "", "", title=swept.title), [row], caption=caption)


def _draw_line(axes: Axes, values: np.ndarray, found: np.ndarray, unit: str, *, proportional: bool) -> None:
    """The straight line that fits best; a proportional one is over an angular frequency [deg/s]."""
    if proportional:
        slope, level = float(values @ found / (values @ values)), 0.0
        ends = np.array([0.0, 1.05 * values.max()])
        label = f"proportional: {360.0 * slope:.3g} cm per cycle"
    else:
        slope, level = (float(each) for each in np.polyfit(values, found, 1))
        room = 0.05 * float(values.max() - values.min())
        ends = np.array([values.min() - room, values.max() + room])
        label = f"trend: {slope:+.2g} cm/s" + (f" per {unit}" if unit else "")
    axes.plot(ends, level + slope * ends, "--", color=LIMIT_COLOR, linewidth=1.2, label=label, zorder=2.0)
    axes.set_xlim(*ends)


def _draw_band(axes: Axes, values: np.ndarray, found: np.ndarray) -> None:
    """A band around the middle of all speeds; a speed outside would be an effect."""
    middle = float(found.max() + found.min()) / 2.0
    spread = float(found.max() - found.min()) / abs(middle)
    edges = middle * (1.0 - BAND / 2.0), middle * (1.0 + BAND / 2.0)
    axes.axhspan(*edges, color=SKY, alpha=0.35, linewidth=0.0, label=f"band of {100.0 * BAND:g} %", zorder=1.0)
    label = f"middle, {middle:.4g} cm/s; speeds differ by {100.0 * spread:.2g} %"
    axes.axhline(middle, linestyle="--", color=LIMIT_COLOR, linewidth=1.0, label=label, zorder=2.0)
    axes.set_xlim(0.0, 1.05 * float(values.max()))


def _draw_measure(axes: Axes, name: str, values: np.ndarray, labels: tuple[str, ...]) -> None:
    """A row per world, the first on top; each value is tied to that of the first world."""
    rows = np.arange(values.size)
    axes.axvline(values[0], linestyle="--", color=LIMIT_COLOR, linewidth=1.0, zorder=1.0)
    axes.hlines(rows, values[0], values, color=SIMULATED, linewidth=1.2, zorder=2.0)
    axes.plot(values, rows, "o", color=SIMULATED, markersize=5.0, markeredgecolor="white", zorder=3.0)
    every = max(1, math.ceil(rows.size / MOST_NAMED))
    named = [label if k % every == 0 else "" for k, label in enumerate(labels)]
    axes.set_yticks(rows, named or [""] * rows.size, fontsize=SMALL)
    axes.tick_params(axis="y", length=0.0)
    axes.set_ylim(values.size - 0.5, -0.5)
    axes.margins(x=0.12)
    dress(axes, x=name, grid="x")
    axes.xaxis.label.set(fontsize=SMALL)
