"""Stretches of time in which a controller was in one of its modes, and how figures mark them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray
from matplotlib.axes import Axes

from pushpoint.errors import InvalidModel
from pushpoint.plots.page import SMALL
from pushpoint.scenery.palette import GREEN, INK, ORANGE, PURPLE, VERMILION

MODE_COLORS = ("#dcebf5", ORANGE, VERMILION, GREEN, PURPLE)
"""Of the modes by their number."""
RESOLUTION = "jam-resolution"
"""The mode whose work is worth seeing in the body's shape (Fig. 12)."""
TINT = 0.25
"""How much of its colour a marked stretch has [-]."""
LETTER = 0.075
"""Width of a figure of a number on paper [in]."""


def mode_names(run: xarray.Dataset) -> dict[int, str]:
    """The modes by their number, as the run names them."""
    if "controller_mode" not in run:
        raise InvalidModel("run: variables", list(run.data_vars), "a list with controller_mode")
    attributes = run["controller_mode"].attrs
    codes = np.atleast_1d(attributes.get("flag_values", np.empty(0, dtype=int)))
    return dict(zip((int(code) for code in codes), str(attributes.get("flag_meanings", "")).split(), strict=True))


def stays_in(modes: np.ndarray, code: int) -> list[tuple[int, int]]:
    """Samples before and at the end of every finished stay in a mode; a sample holds the mode that acted until it."""
    edges = np.diff((modes == code).astype(int))
    begins, ends = np.flatnonzero(edges > 0), np.flatnonzero(edges < 0)
    return [(int(begin), int(ends[ends > begin][0])) for begin in begins if (ends > begin).any()]


def mode_color(code: float) -> str:
    """The colour of a mode."""
    return MODE_COLORS[int(code) % len(MODE_COLORS)]


def mark_stretches(axes: Axes, stretches: Sequence[tuple[float, float]], color: str, label: str) -> None:
    """Tints stretches of time [s] behind curves, with one line of a legend, and numbers them where there is room."""
    for k, ends in enumerate(stretches):
        axes.axvspan(*ends, color=color, alpha=TINT, linewidth=0.0, zorder=0.4, label=label if k == 0 else None)
    number_stretches(axes, stretches, 0.98, top=True)


def number_stretches(axes: Axes, stretches: Sequence[tuple[float, float]], level: float, *, top: bool) -> None:
    """Numbers stretches of time [s] from 1 on, at a share of the height or at a row; numbers never meet."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    low, high = axes.get_xlim()
    inches_per_second = axes.get_position().width * figure.get_size_inches()[0] / (high - low)
    last = -np.inf
    for k, (first, end) in enumerate(stretches, 1):
        place, half = (first + end) / 2.0, LETTER * len(str(k)) / 2.0 / inches_per_second
        if place - half > last and low <= place - half and place + half <= high:
            across = axes.get_xaxis_transform() if top else axes.transData
            up = "top" if top else "center"
            axes.text(place, level, str(k), transform=across, size=SMALL, color=INK, ha="center", va=up, gid="stretch")
            last = place + half
