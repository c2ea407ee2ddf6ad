"""How figures look: sizes on paper, colours that colour-blind readers tell apart, axes, and the file they go into."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.errors import BadFile
from pushpoint.simulation.storage import write_atomically

INK, GREY, PALE = "#1f1f1f", "#8a8a8a", "#e4e4e4"
# The colours of Okabe and Ito (2008).
BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"
FORCE_COLOR = "#d03a00"
# Sizes on paper [in], two columns of a journal wide, and type [pt] that stays legible in print.
WIDTH, LEFT, RIGHT = 7.2, 0.6, 0.14
LINE_HEIGHT, X_LABEL_HEIGHT, PANEL_GAP = 0.17, 0.42, 0.3
SMALL, NORMAL, LARGE = 7.5, 8.5, 11.0
DPI = 200


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Writes a figure as a PNG file, whole or not at all."""
    target = Path(path)
    if target.suffix.lower() != ".png":
        raise BadFile(target, "the name of a figure must end in .png")
    return write_atomically(target, lambda place: figure.savefig(place, format="png", dpi=DPI))


def axes_at(figure: Figure, label: str, place: tuple[float, float, float, float]) -> Axes:
    """Axes at left, top (from the upper edge), width, height [in]."""
    left, top, width, height = place
    whole_width, whole_height = figure.get_size_inches()
    rectangle = (left / whole_width, 1.0 - (top + height) / whole_height, width / whole_width, height / whole_height)
    axes = figure.add_axes(rectangle, label=label)
    axes.tick_params(labelsize=SMALL, length=2.5, width=0.6, color=GREY, labelcolor=INK)
    axes.locator_params(axis="y", nbins=4)
    axes.xaxis.label.set(fontsize=NORMAL, color=INK)
    axes.yaxis.label.set(fontsize=NORMAL, color=INK)
    for spine in axes.spines.values():
        spine.set(linewidth=0.6, color=GREY)
    return axes


def stacked_axes(lines: list[str], heights: dict[str, float], *, right: float = RIGHT) -> tuple[Figure, list[Axes]]:
    """A figure with a header and panels over a common time below each other.

    Args:
        lines: The header, as `header_lines` gives it.
        heights: Label and height of each panel [in].
        right: Room to the right of the panels [in].
    """
    top = header_height(lines)
    height = top + sum(heights.values()) + (len(heights) - 1) * PANEL_GAP + X_LABEL_HEIGHT
    figure = Figure(figsize=(WIDTH, height), facecolor="white")
    draw_header(figure, lines)
    panels: list[Axes] = []
    for label, tall in heights.items():
        axes = axes_at(figure, label, (LEFT, top, WIDTH - LEFT - right, tall))
        if panels:
            axes.sharex(panels[0])
        axes.tick_params(labelbottom=False)
        panels.append(axes)
        top += tall + PANEL_GAP
    panels[-1].tick_params(labelbottom=True)
    panels[-1].set_xlabel("time [s]", labelpad=1.5)
    return figure, panels


def header_lines(name: str, subject: str, facts: str, status: str) -> list[str]:
    """Name and subject; facts; and what went wrong, if anything did."""
    unfinished = f"Not finished: {status}" if status else ""
    return [f"{name}: {subject}", *textwrap.wrap(facts, 120), *[f"! {line}" for line in textwrap.wrap(unfinished, 110)]]


def header_height(lines: list[str]) -> float:
    """Room for a header and the title of a panel below it [in]."""
    return 0.34 + LINE_HEIGHT * len(lines)


def draw_header(figure: Figure, lines: list[str]) -> None:
    """Writes the lines of `header_lines` at the top of a figure."""
    height = header_height(lines)
    axes = axes_at(figure, "header", (0.1, 0.0, WIDTH - 0.1, height))
    axes.set(xlim=(0.0, WIDTH - 0.1), ylim=(height, 0.0))
    axes.axis("off")
    for row, line in enumerate(lines):
        size, weight = (LARGE, "bold") if row == 0 else (NORMAL, "normal")
        color = FORCE_COLOR if line.startswith("! ") else INK
        axes.text(0.0, 0.2 + row * LINE_HEIGHT, line.removeprefix("! "), size=size, weight=weight, color=color)


def show_time(axes: Axes, time: np.ndarray) -> None:
    """Limits of the time axis, never of zero width."""
    first, last = float(time[0]), float(time[-1])
    axes.set_xlim(first, last if last > first else first + 0.01)


def draw_lines(axes: Axes, time: np.ndarray, lines: dict[str, np.ndarray], unit: str) -> None:
    """Curves over time with a legend; each has a colour and a dash of its own."""
    looks = ((BLUE, "-"), (VERMILION, "--"), (INK, ":"), (GREEN, "-."))
    for (label, values), (color, dash) in zip(lines.items(), looks, strict=False):
        axes.plot(time, values, dash, color=color, linewidth=1.0, label=label)
    axes.axhline(0.0, color=GREY, linewidth=0.5, zorder=0.5)
    axes.set_ylabel(unit)
    axes.margins(y=0.12)
    if lines and not any(np.isfinite(values).any() for values in lines.values()):
        axes.set_ylim(-1.0, 1.0)
    axes.grid(axis="y", color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    if len(lines) > 1:
        place_legend(axes, columns=len(lines))


def place_legend(axes: Axes, columns: int, *, handle: float = 2.2) -> None:
    """A legend above the upper right corner of the axes, where it hides no line."""
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=columns,
        fontsize=SMALL,
        frameon=False,
        handlelength=handle,
        columnspacing=1.2,
        borderaxespad=0.1,
        borderpad=0.0,
    )


def panel_title(axes: Axes, text: str) -> None:
    """What a panel shows, above its upper left corner."""
    axes.set_title(text, loc="left", fontsize=NORMAL, pad=2.5, color=INK)
