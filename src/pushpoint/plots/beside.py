"""What others report, drawn beside our curves into a finished figure: always in one look, with a line in the legend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from pushpoint.errors import UnknownName
from pushpoint.plots.looks import PRINTED_COLOR
from pushpoint.plots.page import place_legend
from pushpoint.scenery.palette import INK

PALE = 0.3
"""How much of the colour a band has [-]."""
WIDER = 1.12
"""Letters are rounded to pixels: in a file they may be wider than measured here by this factor [-]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Beside:
    """Numbers beside our curves, in the units of the axes."""

    form: str
    """"points", "moments" (lines upright at x), "band" (between the y) or "slope" (a line that begins as ours does)."""
    label: str
    """What the legend says."""
    x: np.ndarray
    """Places along the axis to the right, and how far they may be off, shape (2, n)."""
    y: np.ndarray
    """The same along the axis upward."""


def draw_beside(figure: Figure, panel: str, beside: Beside) -> None:
    """Draws numbers into the axes of a figure that have a label."""
    panels = {str(axes.get_label()): axes for axes in figure.axes}
    if panel not in panels:
        raise UnknownName("panel", panel, panels)
    axes = panels[panel]
    shown = axes.get_legend()
    if shown is None:
        handles, labels = axes.get_legend_handles_labels()
    else:
        handles = [one for one in shown.legend_handles if one is not None]
        labels = [text.get_text() for text in shown.get_texts()]
    limits = axes.get_xlim()
    mark = {"points": _points, "moments": _moments, "band": _band, "slope": _slope}[beside.form](axes, beside)
    if beside.form != "points":
        axes.set_xlim(limits)
    entries: dict[str, Any] = {"handles": [*handles, mark], "labels": [*labels, beside.label]}
    place_legend(axes, columns=len(labels) + 1, **entries)
    if not _fits(axes):
        place_legend(axes, columns=(len(labels) + 2) // 2, labelspacing=0.25, **entries)


def _fits(axes: Axes) -> bool:
    """Whether the legend stays on the page and clear of the title on its left."""
    legend, words = axes.get_legend(), axes.get_title(loc="left")
    texts = [one for one in axes.get_children() if isinstance(one, Text) and words and one.get_text() == words]
    if legend is None:
        return True
    edge = max((one.get_window_extent().x1 for one in texts), default=0.0)
    box = legend.get_window_extent()
    return bool(box.x1 - WIDER * box.width > edge)


def _points(axes: Axes, beside: Beside) -> Artist:
    look: dict[str, Any] = {"fmt": "D", "color": PRINTED_COLOR, "markersize": 4.5, "markeredgecolor": INK}
    bars: dict[str, Any] = {"markeredgewidth": 0.5, "ecolor": INK, "elinewidth": 0.8, "capsize": 2.0, "zorder": 4.0}
    y, error = beside.y
    return axes.errorbar(beside.x[0], y, error, **look, **bars).lines[0]


def _moments(axes: Axes, beside: Beside) -> Artist:
    lines = [
        axes.axvline(x, linestyle=(0, (4, 2)), color=PRINTED_COLOR, linewidth=1.4, zorder=3.0) for x in beside.x[0]
    ]
    return lines[0]


def _band(axes: Axes, beside: Beside) -> Artist:
    return axes.axhspan(*beside.y[0], color=PRINTED_COLOR, alpha=PALE, linewidth=0.0, zorder=0.8)


def _slope(axes: Axes, beside: Beside) -> Artist:
    """A line from the first point of the first curve; the wedge around it is how far the slope may be off."""
    first, level = (float(np.asarray(data)[0]) for data in axes.lines[0].get_data())
    ends = np.array([first, axes.get_xlim()[1]])
    (slope,), (error,) = beside.y
    rise = ends - first
    axes.fill_between(
        ends,
        level + (slope - error) * rise,
        level + (slope + error) * rise,
        color=PRINTED_COLOR,
        alpha=PALE,
        linewidth=0.0,
    )
    return axes.plot(ends, level + slope * rise, color=PRINTED_COLOR, linewidth=1.4, zorder=1.5)[0]
