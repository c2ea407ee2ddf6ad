"""Fits a round or a square link to the shapes of a body, and says how far they are apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from pushpoint.interchange.robots.shapes import Shape

SAME = 1e-9
"""Misfits closer than this are equal [m]."""
DIRECTIONS = 400


class Fit(NamedTuple):
    """The link nearest to some shapes."""

    shape: str
    """"round" or "square"."""
    radius: float
    """Its radius or half its width [m]."""
    side_length: float
    """Length of its straight sides [m]."""
    misfit: float
    """Largest distance between the surfaces of the link and of the shapes' hull [m]."""


def _directions() -> np.ndarray:
    """Directions evenly over the sphere, with the axes, the diagonals and some around the length."""
    k = np.arange(DIRECTIONS)
    height, turn = 1 - (2 * k + 1) / DIRECTIONS, np.pi * (1 + 5**0.5) * k
    aside = np.sqrt(1 - height**2)
    spread = np.stack((aside * np.cos(turn), aside * np.sin(turn), height), axis=1)
    corners = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], float)
    tilt = np.linspace(-np.pi / 2, np.pi / 2, 61)
    rims = [np.stack((np.sin(tilt), np.cos(tilt) * a, np.cos(tilt) * b), axis=1) for a, b in ((1, 0), (0, 1), (-1, 0))]
    return np.vstack((spread, corners / np.linalg.norm(corners, axis=1)[:, None], *rims))


SPREAD = _directions()


def hull_reach(shapes: list[Shape], axes: np.ndarray, directions: np.ndarray = SPREAD) -> np.ndarray:
    """How far shapes reach from the origin in directions that are given in axes (columns), shape (n,) [m]."""
    return np.asarray(np.max([shape.reach(directions @ axes.T) for shape in shapes], axis=0))


def span(shapes: list[Shape], axes: np.ndarray) -> np.ndarray:
    """Least and largest coordinates of shapes along three axes (columns) [m], shape (2, 3)."""
    both = hull_reach(shapes, axes, np.vstack((np.eye(3), -np.eye(3))))
    return np.stack((-both[3:], both[:3]))


def fit_link(shapes: list[Shape], axes: np.ndarray, middle: np.ndarray) -> Fit:
    """The link, round or square, around a middle whose surface is nearest to that of the shapes' hull."""
    reach = hull_reach(shapes, axes) - SPREAD @ (axes.T @ middle)
    low, high = span(shapes, axes) - axes.T @ middle
    half = float(max(high[0], -low[0], SAME))
    radius = float(max((high[1:] - low[1:]).mean() / 2, SAME))
    return min(_best("round", reach, half, radius), _best("square", reach, half, radius), key=lambda fit: fit.misfit)


def _best(shape: str, reach: np.ndarray, half: float, radius: float) -> Fit:
    """One kind of link: as long as the shapes, or a round one nearer to them if its ends do not fit theirs."""

    def misfit(side: float) -> float:
        return float(np.abs(reach - _link_reach(shape, radius, side)).max())

    side = max(2 * (half - (radius if shape == "round" else radius / 10)), 0.0)
    if shape == "round" and misfit(side) > SAME:
        side = float(minimize_scalar(misfit, bounds=(0.0, 2 * half), method="bounded", options={"xatol": SAME}).x)
    return Fit(shape, radius, side, misfit(side))


def _link_reach(shape: str, radius: float, side: float) -> np.ndarray:
    """How far a link reaches from its middle in all directions [m]."""
    size = np.abs(SPREAD)
    if shape == "round":
        return np.asarray(size[:, 0] * side / 2 + radius)
    inside = radius - radius / 10
    return np.asarray(size @ np.array([side / 2, inside, inside]) + radius / 10)
