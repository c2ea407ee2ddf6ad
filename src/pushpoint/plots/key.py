"""The key of a figure: symbols with words, laid out from left to right and broken into lines where they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Polygon, Rectangle
from matplotlib.textpath import TextPath

from pushpoint.plots.page import LINE_HEIGHT, SMALL
from pushpoint.plots.world import draw_arrows
from pushpoint.scenery.palette import INK
from pushpoint.scenery.shapes import capsules

# Sizes [in]: between symbol and words, between entries, and of a symbol.
WORD_GAP, ENTRY_GAP, SYMBOL = 0.06, 0.2, 0.24


@dataclass(frozen=True)
class KeySymbol:
    """A symbol and what it means."""

    words: str
    """What it means."""
    draw: Callable[[Axes, float, float], object]
    """Draws it into axes whose unit is the inch, its left end at x and y."""
    width: float = SYMBOL
    """Of the symbol [in]."""

    @property
    def reach(self) -> float:
        """Width of symbol and words [in]."""
        return self.width + WORD_GAP + text_width(self.words)


def text_width(words: str, size: float = SMALL) -> float:
    """Width of words on paper [in]."""
    if not words.strip():
        return 0.0
    return float(TextPath((0.0, 0.0), words, size=size, prop=FontProperties(), usetex=False).get_extents().x1) / 72.0


def key_lines(entries: Sequence[KeySymbol], width: float) -> list[list[KeySymbol]]:
    """The entries line by line, as many in each as the width [in] holds."""
    lines: list[list[KeySymbol]] = []
    end = 0.0
    for entry in entries:
        if not lines or end + ENTRY_GAP + entry.reach > width:
            lines.append([])
            end = -ENTRY_GAP
        lines[-1].append(entry)
        end += ENTRY_GAP + entry.reach
    return lines


def draw_entries(axes: Axes, lines: Sequence[Sequence[KeySymbol]], top: float) -> None:
    """Draws the lines of a key into axes whose unit is the inch and whose y points down; the first one at top [in]."""
    for row, entries in enumerate(lines):
        x, y = 0.0, top + row * LINE_HEIGHT
        for entry in entries:
            entry.draw(axes, x, y)
            axes.text(
                x + entry.width + WORD_GAP, y, entry.words, size=SMALL, color=INK, va="center_baseline", gid="key"
            )
            x += entry.reach + ENTRY_GAP


def link_entry(words: str, face: Any, edge: Any) -> KeySymbol:
    """A link of a body."""

    def draw(axes: Axes, x: float, y: float) -> None:
        middle, along = np.array([[x + 0.1, y]]), np.array([[1.0, 0.0]])
        outline = capsules(middle, along, np.array([0.05]), np.array([0.05]))[0]
        axes.add_patch(Polygon(outline, facecolor=face, edgecolor=edge, linewidth=0.6))

    return KeySymbol(words, draw, 0.2)


def line_entry(words: str, **look: Any) -> KeySymbol:
    """A line."""
    return KeySymbol(words, lambda axes, x, y: axes.plot([x, x + SYMBOL], [y, y], **look))


def mark_entry(words: str, **look: Any) -> KeySymbol:
    """A mark at one place."""
    return KeySymbol(words, lambda axes, x, y: axes.plot([x + 0.05], [y], **look), 0.1)


def patch_entry(words: str, **look: Any) -> KeySymbol:
    """A tint."""
    return KeySymbol(words, lambda axes, x, y: axes.add_patch(Rectangle((x, y - 0.05), 0.2, 0.1, **look)), 0.2)


def arrow_entry(words: str, length: float) -> KeySymbol:
    """A force arrow of a length [in]."""

    def draw(axes: Axes, x: float, y: float) -> None:
        draw_arrows(axes, np.array([[x, y]]), np.array([[length, 0.0]]))

    return KeySymbol(words, draw, length)
