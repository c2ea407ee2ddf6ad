"""How figures look: sizes on paper, a header with rows of panels below it, dressed axes, and the file they go into."""

from __future__ import annotations

import io
import os
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.errors import BadFile
from pushpoint.model.arguments import checked_arguments
from pushpoint.plots.looks import LOOKS
from pushpoint.scenery.palette import FORCE_COLOR, GREY, INK, PALE
from pushpoint.simulation.run_ids import RUN_ID
from pushpoint.whole_files import write_atomically

# Sizes on paper [in], two columns of a journal wide, and type [pt] that stays legible in print.
WIDTH, LEFT, RIGHT = 7.2, 0.6, 0.14
LINE_HEIGHT, X_LABEL_HEIGHT, PANEL_GAP = 0.17, 0.42, 0.3
SMALL, NORMAL, LARGE = 7.5, 8.5, 10.0
DPI = 200
SCREEN_DPI = 100  # in notebooks
TALLEST_SHEET = 1.39 * WIDTH
"""No figure is taller than this [in]: less than 1.4 times its width, with room for round-off."""
# Room that the number at a tick takes along an axis [in], and the most steps between ticks.
TICK_HEIGHT, TICK_WIDTH, MOST_STEPS_UP, MOST_STEPS_ACROSS = 0.24, 0.45, 4, 9
# Letters in a line: of a title, of facts and of remarks.
TITLE_LETTERS, FACT_LETTERS, REMARK_LETTERS = 80, 106, 106
TITLE_MARK = "# "
NUMBER_WITH_UNIT = re.compile(r"(\d) (m|cm|mm|s|ms|N|deg|Hz|kg)\b")
"""What no line is broken within."""
LETTER = 0.0083
"""Width of a letter per size of its type, on average [in/pt]."""
Looks = Sequence[tuple[str, str]]
"""Colours and dashes that tell curves apart."""


class Sheet(Figure):
    """A figure that a notebook shows by itself: bare ones it knows only of pyplot."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        self.savefig(picture, format="png", dpi=SCREEN_DPI)
        return picture.getvalue()


@checked_arguments
def save_figure(figure: Figure, path: str | os.PathLike[str], *, run_id: str = "") -> Path:
    """Writes a figure as a PNG file, whole or not at all.

    Args:
        figure: The figure.
        path: The file to write, ending in .png.
        run_id: Of the run that it shows; the file keeps it.

    Returns:
        The path written.
    """
    target = Path(path)
    if target.suffix.lower() != ".png":
        raise BadFile(target, "the name of a figure must end in .png")
    said = {RUN_ID: run_id} if run_id else {}
    return write_atomically(target, lambda place: figure.savefig(place, format="png", dpi=DPI, metadata=said))


@dataclass(frozen=True, kw_only=True)
class PanelRow:
    """Panels of one size beside each other; sizes in inches."""

    panels: Sequence[str]
    """Labels of the panels, from left to right."""
    height: float
    """Height of the panels."""
    above: float = 0.0
    """Room above them."""
    below: float = X_LABEL_HEIGHT
    """Room below them."""
    left: float = LEFT
    """Room to their left."""
    right: float = RIGHT
    """Room to their right."""
    gap: float = 0.0
    """Room between them."""
    columns: int = 0
    """For how many panels there is room; default: as many as there are."""

    @property
    def width(self) -> float:
        """Width of one panel."""
        columns = self.columns or len(self.panels)
        return (WIDTH - self.left - self.right - (columns - 1) * self.gap) / columns


def page(
    lines: Sequence[str], rows: Sequence[PanelRow], *, caption: Sequence[str] = ()
) -> tuple[Figure, dict[str, Axes]]:
    """A figure with a header, as `header_lines` gives it, rows of panels, and a caption; the panels by their labels."""
    top = header_height(lines)
    if caption:
        tall = LINE_HEIGHT * len(caption)
        rows = [*rows, PanelRow(panels=("caption",), height=tall, above=0.1, below=0.1, left=0.1, right=0.0)]
    height = top + sum(row.above + row.height + row.below for row in rows)
    figure = Sheet(figsize=(WIDTH, height), facecolor="white")
    panels = {"header": draw_header(figure, lines)}
    for row in rows:
        top += row.above
        for k, label in enumerate(row.panels):
            place = (row.left + k * (row.width + row.gap), top, row.width, row.height)
            panels[label] = axes_at(figure, label, place)
        top += row.height + row.below
    for number, line in enumerate(caption):
        axes, level = panels["caption"], 1.0 - (number + 0.5) / len(caption)
        axes.axis("off")
        axes.text(0.0, level, line, transform=axes.transAxes, size=NORMAL, color=INK, va="center_baseline")
    return figure, panels


def time_page(
    lines: Sequence[str], time: np.ndarray, heights: Mapping[str, float], *, right: float = RIGHT
) -> tuple[Figure, list[Axes]]:
    """A figure with a header, as `header_lines` gives it, and panels over a common time [s] below each other.

    heights: label and height of each panel [in], less if the sheet would be too tall; right: room to their right [in].
    """
    rows = [PanelRow(panels=(label,), height=height, right=right, below=PANEL_GAP) for label, height in heights.items()]
    rows[-1] = replace(rows[-1], below=X_LABEL_HEIGHT)
    around = header_height(lines) + sum(row.above + row.below for row in rows)
    share = min(1.0, (TALLEST_SHEET - around) / sum(heights.values()))
    figure, made = page(lines, [replace(row, height=share * row.height) for row in rows])
    panels = [made[label] for label in heights]
    for axes in panels[1:]:
        axes.sharex(panels[0])
    for axes in panels[:-1]:
        axes.tick_params(labelbottom=False)
    show_time(panels[-1], time)
    return figure, panels


def axes_at(figure: Figure, label: str, place: tuple[float, float, float, float]) -> Axes:
    """Axes at left, top (from the upper edge), width, height [in]."""
    left, top, width, height = place
    whole_width, whole_height = figure.get_size_inches()
    rectangle = (left / whole_width, 1.0 - (top + height) / whole_height, width / whole_width, height / whole_height)
    axes = figure.add_axes(rectangle, label=label)
    axes.tick_params(labelsize=SMALL, length=2.5, width=0.6, color=GREY, labelcolor=INK)
    axes.locator_params(axis="y", nbins=int(np.clip(height / TICK_HEIGHT, 1, MOST_STEPS_UP)))
    axes.locator_params(axis="x", nbins=int(np.clip(width / TICK_WIDTH, 1, MOST_STEPS_ACROSS)))
    axes.xaxis.label.set(fontsize=NORMAL, color=INK)
    axes.yaxis.label.set(fontsize=NORMAL, color=INK)
    for spine in axes.spines.values():
        spine.set(linewidth=0.6, color=GREY)
    return axes


def dress(axes: Axes, *, title: str = "", x: str = "", y: str = "", grid: str = "") -> None:
    """What a panel shows, above its upper left corner; what its axes are; and pale lines across "x", "y" or "both"."""
    if title:
        axes.set_title(title, loc="left", fontsize=NORMAL, pad=2.5, color=INK)
    if x:
        axes.set_xlabel(x, labelpad=1.5)
    if y:
        label_upright(axes, y)
    if grid:
        which: Any = grid
        axes.grid(axis=which, color=PALE, linewidth=0.5)
        axes.set_axisbelow(True)


def label_upright(axes: Axes, words: str) -> None:
    """Says what the upright axis is; in two lines of smaller type if one line were longer than the axis."""
    figure = axes.get_figure(root=True)
    tall = axes.get_position().height * (figure.get_size_inches()[1] if figure is not None else 1.0)
    if len(words) * LETTER * NORMAL > tall:
        axes.set_ylabel(in_two_lines(words), fontsize=SMALL, labelpad=1.0, linespacing=0.95)
    else:
        axes.set_ylabel(words, labelpad=2.5)


def in_two_lines(words: str) -> str:
    """Words broken into two lines of about the same length, if there are several."""
    for width in range(len(words) // 2, len(words)):
        lines = textwrap.wrap(words, max(width, 1), break_long_words=False)
        if len(lines) <= 2:
            return "\n".join(lines)
    return words


def header_lines(name: str, subject: str, facts: str, remarks: Iterable[str] = (), *, title: str = "") -> list[str]:
    """The title of the scenario, its name and what the figure shows; facts; and the warnings of the run.

    Without a title, name and subject are the heading.
    """
    against = [line for remark in remarks for line in textwrap.wrap(remark, REMARK_LETTERS)]
    named = f"{name}: {subject}" if subject else name
    whole = NUMBER_WITH_UNIT.sub("\\1\u00a0\\2", title.rstrip("."))
    count = len(textwrap.wrap(whole, TITLE_LETTERS))
    even = min(TITLE_LETTERS, len(whole) // max(count, 1) + 10)  # lines of about the same length
    heading = [f"{TITLE_MARK}{line}" for line in textwrap.wrap(whole, even)]
    return [*heading, named, *textwrap.wrap(facts, FACT_LETTERS), *[f"! {line}" for line in against]]


def header_height(lines: Sequence[str]) -> float:
    """Room for a header and the title of a panel below it [in]."""
    return 0.34 + LINE_HEIGHT * len(lines)


def draw_header(figure: Figure, lines: Sequence[str]) -> Axes:
    """Writes the lines of `header_lines` at the top of a figure, into axes whose unit is the inch."""
    height = header_height(lines)
    axes = axes_at(figure, "header", (0.1, 0.0, WIDTH - 0.1, height))
    axes.set(xlim=(0.0, WIDTH - 0.1), ylim=(height, 0.0))
    axes.axis("off")
    for row, line in enumerate(lines):
        size, weight = (LARGE, "bold") if row == 0 or line.startswith(TITLE_MARK) else (NORMAL, "normal")
        color = FORCE_COLOR if line.startswith("! ") else INK
        look: dict[str, Any] = {
            "size": size,
            "weight": weight,
            "color": color,
            "parse_math": False,
        }  # names are no formulas
        axes.text(0.0, 0.2 + row * LINE_HEIGHT, line.removeprefix("! ").removeprefix(TITLE_MARK), **look)
    return axes


def show_time(axes: Axes, time: np.ndarray) -> None:
    """Makes the horizontal axis one of time, with limits that are never equal."""
    first, last = float(time[0]), float(time[-1])
    axes.set_xlim(first, last if last > first else first + 0.01)
    dress(axes, x="time [s]")


def draw_lines(
    axes: Axes, time: np.ndarray, lines: Mapping[str, np.ndarray], unit: str, *, title: str, looks: Looks = LOOKS
) -> None:
    """Curves over time with a legend; each has a colour and a dash of its own."""
    for (label, values), (color, dash) in zip(lines.items(), looks, strict=False):
        axes.plot(time, values, dash, color=color, linewidth=1.0, label=label)
    axes.axhline(0.0, color=GREY, linewidth=0.5, zorder=0.5)
    axes.margins(y=0.12)
    if lines and not any(np.isfinite(values).any() for values in lines.values()):
        axes.set_ylim(-1.0, 1.0)
    dress(axes, title=title, y=unit, grid="y")
    if len(lines) > 1:
        place_legend(axes, columns=len(lines))


def place_legend(axes: Axes, columns: int, *, handle: float = 2.2, side: str = "right", **others: Any) -> None:
    """A legend above the upper right or left corner of the axes, where it hides no line."""
    look = {"fontsize": SMALL, "frameon": False, "borderaxespad": 0.1, "borderpad": 0.0, "columnspacing": 1.2} | others
    place: Any = f"lower {side}"
    corner = (1.0 if side == "right" else 0.0, 1.0)
    axes.legend(loc=place, bbox_to_anchor=corner, ncols=columns, handlelength=handle, **look)
