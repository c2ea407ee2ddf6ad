"""One figure of a comparison: who passes, how soon, how the others end, and the energy per metre."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.plots.page import SMALL, X_LABEL_HEIGHT, PanelRow, dress, page, place_legend
from pushpoint.scenery.palette import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, SKY, VERMILION

LOOKS = ((BLUE, "-"), (VERMILION, "--"), (GREEN, "-."), (INK, ":"), (ORANGE, "-"), (PURPLE, "--"))
CAUSE_COLORS = {"passed": BLUE, "late": SKY, "jammed": VERMILION, "starved": ORANGE, "ended early": PURPLE}
# Sizes on paper [in].
LABELS, ROW_HEIGHT, CURVES, GAP = 1.75, 0.3, 2.1, 0.42


def comparison_figure(document: Mapping[str, Any]) -> Figure:
    """The figure of a comparison's document; axes: "header", "success", "causes", "curves" and "energy"."""
    summaries, trials = document["controllers"], document["trials"]
    most = max((each["trials"] for each in summaries.values()), default=0)
    blocked = f", {len(document['blocked'])} of them blocked" if document["blocked"] else ""
    lines = [
        "Controllers compared",
        f"{len(document['places'])} courses{blocked}; {most} trials of {document['duration_s']:g} s each; "
        "bars are 95 % intervals",
    ]
    tall, below = ROW_HEIGHT * max(2, len(summaries)), X_LABEL_HEIGHT + GAP
    rows = [
        PanelRow(panels=("success", "causes"), height=tall, left=LABELS, gap=0.35, below=below),
        PanelRow(panels=("curves", "energy"), height=CURVES, gap=0.65),
    ]
    figure, panels = page(lines, rows)
    for name, labels in (("success", [_short(label) for label in summaries]), ("causes", [""] * len(summaries))):
        axes = panels[name]
        axes.set_ylim(-0.6, len(summaries) - 0.4)
        axes.set_yticks(np.arange(len(summaries))[::-1], labels)
        axes.tick_params(axis="y", length=0)
        dress(axes, grid="x")
    _draw_success(panels["success"], summaries)
    _draw_causes(panels["causes"], summaries)
    _draw_curves(panels["curves"], trials, document["duration_s"])
    _draw_energy(panels["energy"], trials)
    return figure


def _short(label: str) -> str:
    return label if len(label) <= 26 else f"{label[:25]}…"


def _draw_success(axes: Axes, summaries: Mapping[str, Any]) -> None:
    for row, summary in enumerate(reversed(list(summaries.values()))):
        low, high = (100.0 * end for end in summary["success_95"])
        axes.plot((low, high), (row, row), color=BLUE, linewidth=2.0, solid_capstyle="butt")
        if summary["success"] is not None:
            axes.plot(100.0 * summary["success"], row, "o", color=BLUE, markersize=5.0, markeredgecolor="white")
    axes.set_xlim(0.0, 100.0)
    dress(axes, title="success", x="passed [%]")


def _draw_causes(axes: Axes, summaries: Mapping[str, Any]) -> None:
    places = np.arange(len(summaries))[::-1]
    begin = np.zeros(len(summaries))
    for cause, color in CAUSE_COLORS.items():
        counts = np.array([summary["causes"].get(cause, 0) for summary in summaries.values()])
        if counts.any():
            axes.barh(places, counts, left=begin, height=0.6, color=color, label=cause)
        begin += counts
    dress(axes, x="trials")
    if begin.any():
        place_legend(axes, columns=5, handle=0.9, handletextpad=0.4, columnspacing=0.9)


def _draw_curves(axes: Axes, trials: Mapping[str, Any], duration: float) -> None:
    """The share of trials that have passed, over time."""
    for (label, rows), (color, dash) in zip(trials.items(), cycle(LOOKS), strict=False):
        times = sorted(row["time_to_pass"] for row in rows if row["passed"])
        share = 100.0 * np.arange(len(times) + 1) / max(1, len(rows))
        ends = [0.0, *times, duration], [*share, share[-1]]
        axes.step(*ends, dash, where="post", color=color, linewidth=1.2, label=_short(label))
    axes.set(xlim=(0.0, duration), ylim=(0.0, 100.0))
    axes.legend(loc="upper left", fontsize=SMALL, frameon=False, handlelength=2.4)
    dress(axes, title="time to pass", x="time [s]", y="passed so far [%]", grid="both")


def _draw_energy(axes: Axes, trials: Mapping[str, Any]) -> None:
    """Energy per metre of every trial that passed, and the median; controllers that passed none are left out."""
    spent = [[row["energy_per_metre"] for row in rows if row["passed"]] for rows in trials.values()]
    drawn = [(values, color) for values, (color, _) in zip(spent, cycle(LOOKS), strict=False) if values]
    for place, (values, color) in enumerate(drawn):
        aside = np.linspace(-0.25, 0.25, len(values)) if len(values) > 1 else np.zeros(1)
        axes.plot(place + aside, values, ".", color=color, markersize=3.0, alpha=0.6)
        axes.plot((place - 0.32, place + 0.32), [np.median(values)] * 2, color=INK, linewidth=1.4)
    if not drawn:
        axes.text(0.5, 0.5, "none passed", ha="center", size=SMALL, color=GREY, transform=axes.transAxes)
    axes.set_xlim(-0.6, max(1, len(drawn)) - 0.4)
    axes.set_xticks([])
    axes.set_ylim(bottom=0.0)
    dress(axes, title="energy where passed; colours as beside", y="energy per metre [J/m]", grid="y")
