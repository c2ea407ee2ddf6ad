"""Colours that colour-blind readers tell apart."""

from __future__ import annotations

from typing import Any

import numpy as np

INK, GREY, PALE = "#1f1f1f", "#8a8a8a", "#e4e4e4"
# The colours of Okabe and Ito (2008).
BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"
FORCE_COLOR = "#d03a00"
SOLID_COLOR, NUMBER_COLOR = "#d3d3d3", "#5a5a5a"
PATCH_LOOKS = (("#fdf1d3", "...."), ("#dceff9", "////"), ("#f6e3ee", "\\\\\\\\"), ("#dcefe8", "----"))
"""Regions of the ground: pale enough for a body on top; the hatches tell neighbours apart without colour."""


def rgb(color: Any) -> np.ndarray:
    """Red, green and blue from 0 to 1 of a colour written as #rrggbb, or of such numbers, shape (3,)."""
    if isinstance(color, str):
        return np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.asarray(color, dtype=float)[:3]


def paler(color: Any, share: float) -> tuple[float, float, float]:
    """A colour mixed with a share of white."""
    red, green, blue = (rgb(color) + share * (1.0 - rgb(color))).tolist()
    return red, green, blue
