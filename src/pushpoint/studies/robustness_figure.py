"""One picture of a robustness study: success in every condition, beside that in the unchanged one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.plots.drawing import (
    BLUE,
    INK,
    NORMAL,
    PALE,
    SKY,
    SMALL,
    VERMILION,
    WIDTH,
    X_LABEL_HEIGHT,
    axes_at,
    draw_header,
    header_height,
    save_figure,
)

# Sizes on paper [in].
LABELS, ROW, BETWEEN, ROOM = 2.35, 0.17, 0.5, 0.14
COLORS = (BLUE, VERMILION)


def draw_robustness(results: Mapping[str, Sequence[Mapping[str, Any]]], path: str | os.PathLike[str]) -> Path:
    """Writes the figure as a PNG file, whole or not at all; results are rows of studies.robustness by controller."""
    return save_figure(build_robustness_figure(results), path)


def build_robustness_figure(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> Figure:
    """Builds the figure; its axes are labelled "header" and "success". The first row of each is the unchanged one."""
    rows = next(iter(results.values()))
    trials = rows[0]["trials"]
    lines = ["What success depends on", f"{trials} random courses per row; bars are 95 % intervals; band: as tuned"]
    groups = [(name, list(members)) for name, members in groupby(rows, key=lambda row: row["group"])]
    tall = ROW * (len(rows) + BETWEEN * (len(groups) + 1))
    top = header_height(lines)
    figure = Figure(figsize=(WIDTH, top + tall + X_LABEL_HEIGHT), facecolor="white")
    draw_header(figure, lines)
    axes = axes_at(figure, "success", (LABELS, top, WIDTH - LABELS - ROOM, tall))
    places = _places(axes, groups)
    for k, (label, each) in enumerate(results.items()):
        low, high = (100.0 * end for end in each[0]["success_95"])
        if k == 0:
            axes.axvspan(low, high, color=SKY, alpha=0.25, linewidth=0.0)
        _draw_rows(axes, [place + 0.12 * (2 * k - len(results) + 1) for place in places], each, COLORS[k % 2], label)
    axes.set(xlim=(0.0, 100.0), ylim=(max(places) + BETWEEN + 0.4, -BETWEEN - 0.4))
    axes.set_xlabel("passed [%]", labelpad=1.5)
    axes.grid(axis="x", color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    if len(results) > 1:
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, fontsize=SMALL, frameon=False)
    return figure


def _places(axes: Axes, groups: Sequence[tuple[str, Sequence[Mapping[str, Any]]]]) -> list[float]:
    """Heights of the rows, with a gap between groups; writes the names beside them."""
    places: list[float] = []
    here = 0.0
    for name, members in groups:
        axes.text(-0.19, here, name, transform=axes.get_yaxis_transform(), ha="right", va="center", size=NORMAL)
        for member in members:
            label = member["value"]
            axes.text(-0.02, here, label, transform=axes.get_yaxis_transform(), ha="right", va="center", size=SMALL)
            places.append(here)
            here += 1.0
        here += BETWEEN
    axes.set_yticks([])
    return places


def _draw_rows(axes: Axes, places: Sequence[float], rows: Sequence[Mapping[str, Any]], color: str, label: str) -> None:
    for k, (place, row) in enumerate(zip(places, rows, strict=True)):
        low, high = (100.0 * end for end in row["success_95"])
        axes.plot((low, high), (place, place), color=color, linewidth=1.6, solid_capstyle="butt")
        axes.plot(
            100.0 * row["success"], place, "o", color=color, markersize=4.5, markeredgecolor="white",
            label=label if k == 0 else None,
        )  # fmt: skip
    axes.tick_params(colors=INK)
