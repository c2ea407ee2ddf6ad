"""The picture of a check: what should come out as thin lines, what did as marks."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from pushpoint.plots.page import NORMAL, SMALL, axes_at
from pushpoint.proof.check import Plot
from pushpoint.scenery.palette import BLUE, GREEN, GREY, INK, PALE, PURPLE, VERMILION

SIZE = (4.6, 3.0)
"""Width and height [in]."""
LOOKS = ((BLUE, "o"), (VERMILION, "s"), (GREEN, "^"), (PURPLE, "D"))


def build_check_figure(plot: Plot) -> Figure:
    """The numbers of a check as a figure."""
    figure = Figure(figsize=SIZE, facecolor="white")
    axes = axes_at(figure, "check", (0.72, 0.32, SIZE[0] - 0.86, SIZE[1] - 0.84))
    several = sum(curve.expected for curve in plot.curves) > 1
    looks = iter(LOOKS * len(plot.curves))
    for curve in plot.curves:
        x, y = np.array(curve.x), np.array(curve.y)
        if curve.expected:
            # Where several lines are expected each is in the colour of the marks that belong to it, which follow.
            color, mark = next(looks) if several else (INK, "")
            axes.plot(x, y, "-", color=color, linewidth=0.9, label=curve.label, zorder=1.5)
        else:
            if not several:
                color, mark = next(looks)
            axes.plot(x, y, mark, color=color, markersize=4.5, markerfacecolor="white", label=curve.label, zorder=2.0)
    axes.set_xscale("log" if plot.log_x else "linear")
    axes.set_yscale("log" if plot.log_y else "linear")
    if plot.log_x:
        marks = sorted({value for curve in plot.curves if not curve.expected for value in curve.x})
        axes.set_xticks(marks, [f"{value:g}" for value in marks])
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(plot.y_label)
    axes.set_title(plot.title, loc="left", fontsize=NORMAL, color=INK, pad=4)
    axes.grid(color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.legend(fontsize=SMALL, frameon=False, labelcolor=INK)
    for spine in ("top", "right"):
        axes.spines[spine].set_visible(False)
    axes.tick_params(which="both", color=GREY, labelsize=SMALL)
    return figure
