"""One picture of a robustness study: success in every condition, beside that in the unchanged one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.plots.page import NORMAL, SMALL, PanelRow, dress, page, place_legend
from pushpoint.scenery.palette import BLUE, INK, SKY, VERMILION

# Sizes on paper [in].
LABELS, ROW_HEIGHT, BETWEEN = 2.35, 0.17, 0.5
COLORS = (BLUE, VERMILION)


def robustness_figure(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> Figure:
    """The figure of rows of studies.robustness by controller, the first of each unchanged; axes "header", "success"."""
    rows = next(iter(results.values()))
    lines = ["What success depends on", f"{rows[0]['trials']} random courses per row; bars are 95 % intervals; "
             "band: as tuned"]  # fmt: skip
    groups = [(name, list(members)) for name, members in groupby(rows, key=lambda row: row["group"])]
    tall = ROW_HEIGHT * (len(rows) + BETWEEN * (len(groups) + 1))
    figure, panels = page(lines, [PanelRow(panels=("success",), height=tall, left=LABELS)])
    axes = panels["success"]
    places = _places(axes, groups)
    for k, (label, each) in enumerate(results.items()):
        low, high = (100.0 * end for end in each[0]["success_95"])
        if k == 0:
            axes.axvspan(low, high, color=SKY, alpha=0.25, linewidth=0.0)
        _draw_rows(axes, [place + 0.12 * (2 * k - len(results) + 1) for place in places], each, COLORS[k % 2], label)
    axes.set(xlim=(0.0, 100.0), ylim=(max(places) + BETWEEN + 0.4, -BETWEEN - 0.4))
    dress(axes, x="passed [%]", grid="x")
    if len(results) > 1:
        place_legend(axes, columns=2)
    return figure


def _places(axes: Axes, groups: Sequence[tuple[str, Sequence[Mapping[str, Any]]]]) -> list[float]:
    """Heights of the rows, with a gap between groups; writes the names beside them."""
    places: list[float] = []
    here = 0.0
    look: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "center"}
    for name, members in groups:
        axes.text(-0.19, here, name, size=NORMAL, **look)
        for member in members:
            axes.text(-0.02, here, member["value"], size=SMALL, **look)
            places.append(here)
            here += 1.0
        here += BETWEEN
    axes.set_yticks([])
    return places


def _draw_rows(axes: Axes, places: Sequence[float], rows: Sequence[Mapping[str, Any]], color: str, label: str) -> None:
    look: dict[str, Any] = {"color": color, "markersize": 4.5, "markeredgecolor": "white"}
    for k, (place, row) in enumerate(zip(places, rows, strict=True)):
        low, high = (100.0 * end for end in row["success_95"])
        axes.plot((low, high), (place, place), color=color, linewidth=1.6, solid_capstyle="butt")
        axes.plot(100.0 * row["success"], place, "o", label=label if k == 0 else None, **look)
    axes.tick_params(colors=INK)
