"""One number per link or joint over time, as a map of colours: it stays readable from two rows to hundreds."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from pushpoint.plots.page import LETTER, SMALL, TICK_HEIGHT, WIDTH, axes_at, dress, in_two_lines
from pushpoint.scenery.palette import GREY, INK

# Blue below zero, white at zero, red above: safe for colour-blind readers.
SIGNED_COLORS = "RdBu_r"
# White at zero, darker above.
AMOUNT_COLORS = "Blues"
UNKNOWN_COLOR = "#e8e8e8"
# Room for the colour bar to the right of the panel [in], and its width.
BAR_ROOM, BAR_GAP, BAR_WIDTH = 0.85, 0.08, 0.1
# More columns than pixels would leave it to chance which samples are seen.
MOST_COLUMNS = 1200
# Short peaks would make all else pale: the scale ends where this share of the values that are not zero lies below.
SCALED_SHARE = 99.5
# Peaks below this multiple of it are no reason to cut.
MILD_PEAK = 1.3


def draw_heat_map(
    axes: Axes,
    time: np.ndarray,
    values: np.ndarray,
    rows: str,
    unit: str,
    *,
    title: str,
    numbers: np.ndarray | None = None,
    signed: bool = True,
) -> None:
    """Fills axes with a map of values, NaN where unknown, shape (n_times, n_rows), and a colour bar in BAR_ROOM beside.

    The rows are joints or links from the tail, which is lowest, numbered from 0 by default; the unit says what colours
    mean, such as "torque [N m]". Without a sign, what is not above zero is white. Colours end at a high quantile of the
    values; where some lie beyond, the largest is written above the colour bar.
    """
    shown = np.abs(values[np.isfinite(values) & (values != 0.0)])
    largest = float(shown.max(initial=0.0))
    limit = float(np.percentile(shown, SCALED_SHARE)) if largest > 0.0 else 1.0
    limit = largest if limit < largest < MILD_PEAK * limit else limit
    colors = matplotlib.colormaps[SIGNED_COLORS if signed else AMOUNT_COLORS]
    colors = colors.with_extremes(bad=UNKNOWN_COLOR, under=None if signed else "white")
    half = (time[-1] - time[0]) / (2.0 * (len(time) - 1)) if len(time) > 1 else 0.005
    image = axes.imshow(
        condensed(values, MOST_COLUMNS).T,
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        cmap=colors,
        vmin=-limit if signed else 1e-6 * limit,
        vmax=limit,
        extent=(time[0] - half, time[-1] + half, -0.5, values.shape[1] - 0.5),
    )
    dress(axes, title=title, y=f"{rows}, tail to head")
    figure = axes.get_figure(root=True)
    assert figure is not None
    bounds, height = axes.get_position(), float(figure.get_size_inches()[1])
    steps = int(np.clip(bounds.height * height / TICK_HEIGHT, 1, 6))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=steps, integer=True))
    if numbers is not None:
        names = {row: f"{number}" for row, number in enumerate(numbers)}
        axes.yaxis.set_major_formatter(FuncFormatter(lambda row, _: names.get(round(row), "")))
    place = (bounds.x1 * WIDTH + BAR_GAP, (1.0 - bounds.y1) * height, BAR_WIDTH, bounds.height * height)
    beside = axes_at(figure, f"{axes.get_label()} colours", place)
    cut = "both" if signed else "max"
    bar = figure.colorbar(image, cax=beside, extend=cut if largest > limit else "neither")
    fits = len(unit) * LETTER * SMALL < bounds.height * height
    bar.set_label(unit if fits else in_two_lines(unit), fontsize=SMALL, color=INK, labelpad=2.0, linespacing=0.95)
    if largest > limit:
        word = unit.rpartition("[")[2].rstrip("]") if "[" in unit else ""
        at: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "annotation_clip": False}
        look: dict[str, Any] = {"size": SMALL, "color": INK, "ha": "right", "va": "bottom", "gid": "cut"}
        words = f"peaks to {largest:.3g} {word}".rstrip().replace(" °", "°")
        axes.annotate(words, (1.0, 1.0), (72.0 * (BAR_ROOM - 0.05), 3.0), **at, **look)
    bar.outline.set(linewidth=0.6, edgecolor=GREY)
    bar.locator = MaxNLocator(nbins=int(np.clip(bounds.height * height / TICK_HEIGHT, 2, 5)))
    bar.update_ticks()


def condensed(values: np.ndarray, most: int) -> np.ndarray:
    """At most `most` samples, each the largest by amount of those it stands for; shape (n, n_rows)."""
    if len(values) <= most:
        return values
    ends = np.linspace(0, len(values), most + 1).astype(int)
    amount = np.nan_to_num(np.abs(values), nan=-1.0)
    rows = np.arange(values.shape[1])
    return np.stack([values[first + amount[first:last].argmax(axis=0), rows] for first, last in pairwise(ends)])
