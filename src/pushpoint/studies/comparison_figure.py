"""One picture of a comparison: who passes how surely and how soon, how the others end, and what a metre costs."""

from __future__ import annotations

from collections.abc import Mapping
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
    labels = list(document["controllers"])
    trials = max((each["trials"] for each in document["controllers"].values()), default=0)
    blocked = f", {len(document['blocked'])} of them blocked" if document["blocked"] else ""
    lines = [
        "Controllers compared",
        f"{len(document['places'])} courses{blocked}; {trials} trials of {document['duration_s']:g} s each; "
        "bars are 95 % intervals",
    ]
    tall, below = ROW_HEIGHT * max(2, len(labels)), X_LABEL_HEIGHT + GAP
    rows = [
        PanelRow(panels=("success", "causes"), height=tall, left=LABELS, gap=0.35, below=below),
        PanelRow(panels=("curves", "energy"), height=CURVES, gap=0.65),
    ]
    figure, panels = page(lines, rows)
    _draw_success(panels["success"], document, labels)
    _draw_causes(panels["causes"], document, labels)
    _draw_curves(panels["curves"], document, labels)
    _draw_energy(panels["energy"], document, labels)
    return figure


def _rows(axes: Axes, labels: list[str], *, named: bool) -> np.ndarray:
    places = np.arange(len(labels))[::-1]
    axes.set_ylim(-0.6, len(labels) - 0.4)
    axes.set_yticks(places, [_short(label) for label in labels] if named else [""] * len(labels))
    axes.tick_params(axis="y", length=0)
    dress(axes, grid="x")
    return places


def _short(label: str) -> str:
    return label if len(label) <= 26 else f"{label[:25]}…"


def _draw_success(axes: Axes, document: Mapping[str, Any], labels: list[str]) -> None:
    for row, label in zip(_rows(axes, labels, named=True), labels, strict=True):
        summary = document["controllers"][label]
        low, high = (100.0 * end for end in summary["success_95"])
        axes.plot((low, high), (row, row), color=BLUE, linewidth=2.0, solid_capstyle="butt")
        if summary["success"] is not None:
            axes.plot(100.0 * summary["success"], row, "o", color=BLUE, markersize=5.0, markeredgecolor="white")
    axes.set_xlim(0.0, 100.0)
    dress(axes, title="success", x="passed [%]")


def _draw_causes(axes: Axes, document: Mapping[str, Any], labels: list[str]) -> None:
    seen = []
    for row, label in zip(_rows(axes, labels, named=False), labels, strict=True):
        begin = 0.0
        for cause, color in CAUSE_COLORS.items():
            count = document["controllers"][label]["causes"].get(cause, 0)
            if count:
                axes.barh(row, count, left=begin, height=0.6, color=color, label=None if cause in seen else cause)
                seen.append(cause)
                begin += count
    dress(axes, x="trials")
    if seen:
        place_legend(axes, columns=5, handle=0.9, handletextpad=0.4, columnspacing=0.9)


def _draw_curves(axes: Axes, document: Mapping[str, Any], labels: list[str]) -> None:
    """The share of trials that have passed, over time."""
    for k, label in enumerate(labels):
        color, dash = LOOKS[k % len(LOOKS)]
        rows = document["trials"][label]
        times = sorted(row["time_to_pass"] for row in rows if row["passed"])
        x = np.concatenate(([0.0], times, [document["duration_s"]]))
        share = 100.0 * np.arange(len(times) + 1) / max(1, len(rows))
        axes.step(x, np.append(share, share[-1]), dash, where="post", color=color, linewidth=1.2, label=_short(label))
    axes.set(xlim=(0.0, document["duration_s"]), ylim=(0.0, 100.0))
    axes.legend(loc="upper left", fontsize=SMALL, frameon=False, handlelength=2.4)
    dress(axes, title="time to pass", x="time [s]", y="passed so far [%]", grid="both")


def _draw_energy(axes: Axes, document: Mapping[str, Any], labels: list[str]) -> None:
    """Energy per metre of every trial that passed, and the median; a controller that passed none has no place."""
    place = 0
    for k, label in enumerate(labels):
        rows = document["trials"][label]
        values = np.array([row["energy_per_metre"] for row in rows if row["passed"]], dtype=float)
        if not values.size:
            continue
        aside = np.linspace(-0.25, 0.25, values.size) if values.size > 1 else np.zeros(1)
        axes.plot(place + aside, values, ".", color=LOOKS[k % len(LOOKS)][0], markersize=3.0, alpha=0.6)
        axes.plot((place - 0.32, place + 0.32), [np.median(values)] * 2, color=INK, linewidth=1.4)
        place += 1
    if place == 0:
        axes.text(0.5, 0.5, "none passed", ha="center", size=SMALL, color=GREY, transform=axes.transAxes)
    axes.set_xlim(-0.6, max(1, place) - 0.4)
    axes.set_xticks([])
    axes.set_ylim(bottom=0.0)
    dress(axes, title="energy where passed; colours as beside", y="energy per metre [J/m]", grid="y")
