"""The terrain of a film in 3D: drawn once, with how near everything is, so that links can hide behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pushpoint.report.space import View
from pushpoint.report.stage import Stage
from pushpoint.report.terrain import GroundShape

# The camera looks down at this angle, from behind and from the right: its horizontal is turned from the direction of
# travel by the other one [rad]. Steps that rise ahead show their risers.
ELEVATION, ASIDE = math.radians(35.0), math.radians(30.0)
# A ground that is seen at less than this sine is looked at from the other side.
GRAZING = 0.2
MOST_PIXELS = 1.2e7
GROUND, GRID, SOLID, EDGE = "#f4f3f0", "#cfcfcf", "#c4c4c8", "#6f6f74"
# Pegs have no upper end; they are drawn this many radii of a link high above the ground, or as high as the body goes.
PEG_HEIGHT = 4.0


@dataclass(frozen=True, kw_only=True)
class Terrace:
    """A stage in 3D."""

    stage: Stage
    """Its picture."""
    near: np.ndarray
    """How near what is seen is to the viewer [m], shape of the picture."""
    view: View
    """Where the viewer stands."""


def film_view(travel: np.ndarray, ground: GroundShape) -> View:
    """A look from above at what moves along a horizontal unit vector of shape (2,)."""
    heading = math.atan2(travel[1], travel[0]) - ASIDE
    for turned in (heading, heading + math.pi):
        right = np.array([math.cos(turned), math.sin(turned), 0.0])
        away = np.array([-right[1], right[0], 0.0])
        up = math.sin(ELEVATION) * away + math.array_up() if False else _raised(away)
        view = View(right=right, up=up)
        if float(ground.normal @ view.toward) > GRAZING:
            break
    return view


def _raised(away: np.ndarray) -> np.ndarray:
    return math.sin(ELEVATION) * away + np.array([0.0, 0.0, math.cos(ELEVATION)])
