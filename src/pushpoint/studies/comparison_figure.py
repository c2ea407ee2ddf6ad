"""One picture of a comparison: who passes how surely and how soon, how the others end, and what a metre costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pushpoint.plots.looks import OUTCOMES, CurveLook, looks_of
from pushpoint.plots.page import SMALL, TALLEST_SHEET, X_LABEL_HEIGHT, PanelRow, dress, page, place_legend
from pushpoint.scenery.palette import GREY, INK

# Sizes on paper [in].
LABELS, ROW_HEIGHT, CURVES, GAP, BETWEEN = 1.75, 0.3, 2.1, 0.42, 0.25
LEGEND_COLUMNS = 4
Looks = Mapping[str, CurveLook]


def comparison_figure(document: Mapping[str, Any]) -> Figure:
    """The figure of a comparison's document; axes: "header", "success", "causes", "energy" and "curves".

    A controller has one colour in all panels, and the same one in every figure (`plots.looks_of`).
    """
    summaries, trials = document["controllers"], document["trials"]
    most = max((each["trials"] for each in summaries.values()), default=0)
    blocked = f", {len(document['blocked'])} of them blocked" if document["blocked"] else ""
    lines = [
        "Controllers compared",
        f"{len(document['places'])} courses{blocked}; {most} trials of {document['duration_s']:g} s each; "
        "bars are 95 % intervals; upright marks are medians",
    ]
    looks = looks_of(list(summaries))
    below = X_LABEL_HEIGHT + GAP
    tall = min(ROW_HEIGHT * max(2, len(summaries)), TALLEST_SHEET - 2.0 * below - CURVES)
    rows = [
        PanelRow(
            panels=("success", "causes", "energy"), height=tall, left=LABELS, gap=BETWEEN, above=GAP / 2.0, below=below
        ),
        PanelRow(panels=("curves",), height=CURVES),
    ]
    figure, panels = page(lines, rows)
    for name in ("success", "causes", "energy"):
        axes, labels = panels[name], [_short(label) for label in summaries] if name == "success" else None
        axes.set_ylim(-0.6, len(summaries) - 0.4)
        axes.set_yticks(np.arange(len(summaries))[::-1], labels or [""] * len(summaries))
        axes.tick_params(axis="y", length=0)
        dress(axes, grid="x")
    _draw_success(panels["success"], summaries, looks)
    _draw_causes(panels["causes"], summaries)
    _draw_curves(panels["curves"], trials, document["duration_s"], looks)
    _draw_energy(panels["energy"], trials, looks)
    return figure


def _short(label: str) -> str:
    return label if len(label) <= 26 else f"{label[:25]}…"


def _draw_success(axes: Axes, summaries: Mapping[str, Any], looks: Looks) -> None:
    for row, (label, summary) in enumerate(reversed(list(summaries.items()))):
        low, high = (100.0 * end for end in summary["success_95"])
        color = looks[label].color
        axes.plot((low, high), (row, row), color=color, linewidth=2.0, solid_capstyle="butt")
        if summary["success"] is not None:
            look: dict[str, Any] = {"color": color, "markersize": 5.0, "markeredgecolor": "white", "clip_on": False}
            axes.plot(100.0 * summary["success"], row, "o", **look)
    axes.set_xlim(0.0, 100.0)
    axes.set_xticks((0, 50, 100))
    dress(axes, title="success", x="passed [%]")


def _draw_causes(axes: Axes, summaries: Mapping[str, Any]) -> None:
    places = np.arange(len(summaries))[::-1]
    begin = np.zeros(len(summaries))
    for cause, (color, hatch) in OUTCOMES.items():
        counts = np.array([summary["causes"].get(cause, 0) for summary in summaries.values()])
        if counts.any():
            look: dict[str, Any] = {"color": color, "hatch": hatch, "edgecolor": GREY, "linewidth": 0.4}
            axes.barh(places, counts, left=begin, height=0.6, label=cause, **look)
        begin += counts
    axes.set_xlim(0.0, max(1.0, float(begin.max(initial=0.0))))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=3, integer=True))
    dress(axes, x="trials, by how they ended")
    if begin.any():
        place_legend(axes, columns=2, handle=0.9, handletextpad=0.4, columnspacing=0.7, labelspacing=0.25)


def _draw_curves(axes: Axes, trials: Mapping[str, Any], duration: float, looks: Looks) -> None:
    """The share of trials that have passed, over time."""
    for label, rows in trials.items():
        times = sorted(row["time_to_pass"] for row in rows if row["passed"])
        share = 100.0 * np.arange(len(times) + 1) / max(1, len(rows))
        ends = [0.0, *times, duration], [*share, share[-1]]
        color, dash = looks[label]
        words = _short(label) if times else f"{_short(label)} (none)"
        axes.step(*ends, dash, where="post", color=color, linewidth=1.2, label=words, clip_on=False)
    axes.set(xlim=(0.0, duration), ylim=(0.0, 100.0))
    if trials:
        place_legend(axes, columns=min(LEGEND_COLUMNS, len(trials)), handle=2.4, labelspacing=0.25)
    dress(axes, title="time to pass", x="time [s]", y="passed so far [%]", grid="both")


def _draw_energy(axes: Axes, trials: Mapping[str, Any], looks: Looks) -> None:
    """Energy per metre of every trial that passed, and the median; a controller that passed none has an empty row."""
    spent = {label: [row["energy_per_metre"] for row in rows if row["passed"]] for label, rows in trials.items()}
    for place, (label, values) in enumerate(reversed(list(spent.items()))):
        if values:
            aside = np.linspace(-0.22, 0.22, len(values)) if len(values) > 1 else np.zeros(1)
            axes.plot(values, place + aside, ".", color=looks[label].color, markersize=3.0, alpha=0.6)
            axes.plot([np.median(values)] * 2, (place - 0.32, place + 0.32), color=INK, linewidth=1.4)
    if not any(spent.values()):
        axes.text(0.5, 0.5, "none passed", ha="center", va="center", size=SMALL, color=INK, transform=axes.transAxes)
    axes.set_xlim(left=0.0)
    dress(axes, title="energy where passed", x="energy per metre [J/m]")
