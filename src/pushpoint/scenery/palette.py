"""Colours that colour-blind readers tell apart."""

from __future__ import annotations

from typing import Any

import numpy as np

INK, GREY, PALE = "#1f1f1f", "#8a8a8a", "#e4e4e4"
# The colours of Okabe and Ito (2008).
BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"
FORCE_COLOR, PLAN_COLOR = "#d03a00", GREEN
SOLID_COLOR, NUMBER_COLOR = "#d3d3d3", "#5a5a5a"
PATCH_LOOKS = (("#fdf1d3", "...."), ("#dceff9", "////"), ("#f6e3ee", "\\\\\\\\"), ("#dcefe8", "----"))
"""Regions of the ground: pale enough for a body on top; the hatches tell neighbours apart without colour."""


LIFTED = 0.6
"""Share of white in the colour of a link that is lifted [-]."""


def rgb(color: Any) -> np.ndarray:
    """Red, green and blue from 0 to 1 of a colour written as #rrggbb, or of such numbers, shape (3,)."""
    if isinstance(color, str):
        return np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.asarray(color, dtype=float)[:3]


def paler(color: Any, share: float) -> tuple[float, float, float]:
    """A colour mixed with a share of white."""
    red, green, blue = (rgb(color) + share * (1.0 - rgb(color))).tolist()
    return red, green, blue


def link_colors(carries: np.ndarray, body: Any = BLUE, head: Any = ORANGE, lifted: float = LIFTED) -> np.ndarray:
    """Red, green and blue of all links from tail to head, shape (n_links, 3): the one rule for stills, films and pages.

    A link that is lifted is paler, by a share of white. The head keeps its colour, lifted or not: it is what the eye
    follows, and its shadow tells that it is up.

    Args:
        carries: Whether links carry weight, shape (n_links,).
        body: Colour of the links that carry, as #rrggbb or three numbers from 0 to 1.
        head: Colour of the head, likewise.
        lifted: Share of white in links that do not carry [-].
    """
    colors = np.where(np.asarray(carries)[:, None], rgb(body), paler(body, lifted))
    colors[-1] = rgb(head)
    return colors
