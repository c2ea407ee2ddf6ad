"""Rows of panels on a page: in a row all are equally high; within each, lengths along all axes have one scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from pushpoint.plots.page import WIDTH, axes_at, draw_header, dress, header_height
from pushpoint.plots.shapes.drawing import draw_key
from pushpoint.plots.shapes.panels import Panel, ShapePanel, Shot

# Sizes on paper [in]: the edge of the figure, the key, and the largest height of a row.
EDGE, KEY_HEIGHT, TALLEST = 0.1, 0.2, 3.4
LOWEST = 1.2
"""A row is broken rather than made lower than this [in]."""


def compose(lines: list[str], rows: Sequence[Sequence[Panel]]) -> Figure:
    """A figure with a header, a key and rows of panels; axes are labelled "header", "panel 0", "panel 1", ..."""
    panels = [panel for row in rows for panel in row]
    keyed = any(isinstance(panel, ShapePanel) for panel in panels)
    tops = [header_height(lines) - 0.2 + KEY_HEIGHT * keyed]
    heights = [_row_height(row) for row in rows]
    least = min((height for row, height in zip(rows, heights, strict=True) if isinstance(row[0], Shot)), default=0.0)
    heights = [least if isinstance(row[0], Shot) else height for row, height in zip(rows, heights, strict=True)]
    for row, height in zip(rows, heights, strict=True):
        above, below = (max(panel.margins[side] for panel in row) for side in (2, 3))
        tops.append(tops[-1] + above + height + below)
    figure = Figure(figsize=(WIDTH, tops[-1] + EDGE), facecolor="white")
    draw_header(figure, lines)
    if keyed:
        place = (EDGE, header_height(lines) - 0.16, WIDTH - 2.0 * EDGE, KEY_HEIGHT)
        draw_key(axes_at(figure, "key", place))
    letters, number = iter("abcdefghijklmnopqrstuvwxyz"), 0
    for row, height, top in zip(rows, heights, tops, strict=False):
        left = EDGE + (WIDTH - 2.0 * EDGE - sum(_width(panel, height) for panel in row)) / 2.0
        above = max(panel.margins[2] for panel in row)
        for panel in row:
            wide = _width(panel, height) - panel.margins[0] - panel.margins[1]
            axes = axes_at(figure, f"panel {number}", (left + panel.margins[0], top + above, wide, height))
            panel.draw(axes, wide / float(np.ptp(panel.box[:, 0])))
            axes.set(xlim=panel.box[:, 0], ylim=panel.box[:, 1])
            follows = isinstance(panel, Shot) and number > 0 and isinstance(panels[number - 1], Shot)
            dress(axes, title=panel.title if follows else f"({next(letters)})  {panel.title}")
            number += 1
            left += _width(panel, height)
    return figure


def _width(panel: Panel, height: float) -> float:
    """Width of a panel with its margins [in] if its box is so high."""
    wide, tall = np.ptp(panel.box, axis=0)
    return panel.margins[0] + panel.margins[1] + height * float(wide / tall)


def _row_height(row: Sequence[Panel]) -> float:
    """Height of the boxes of panels that fill a row [in], unless they would be too tall."""
    spare = WIDTH - 2.0 * EDGE - sum(_width(panel, 0.0) for panel in row)
    return min(TALLEST, spare / sum(_width(panel, 1.0) - _width(panel, 0.0) for panel in row))


def unfold(rows: list[list[Panel]]) -> list[list[Panel]]:
    """Rows in which no panel is too small: those that do not fit beside each other are put below each other."""
    unfolded: list[list[Panel]] = []
    for row in rows:
        if len(row) > 1 and _row_height(row) < LOWEST and not isinstance(row[0], Shot):
            unfolded += unfold([row[:-1], row[-1:]])
        else:
            unfolded.append(row)
    return unfolded
