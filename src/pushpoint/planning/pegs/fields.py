"""Fields of pegs scattered evenly at random: no two closer than a given distance, and no room for another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import NATURAL, instance, members, non_negative, positive, whole
from pushpoint.model.courses import KeepOut, Rectangle
from pushpoint.model.environment import Peg

DARTS = 4096
"""Positions tried at once [-]; a field counts as full when none of them is free."""
MOST_PEGS = 20_000


def peg_field(
    *,
    spacing: float,
    area: Rectangle,
    seed: int,
    radius: float = 0.02,
    friction: float = 0.0,
    keep_out: KeepOut | Sequence[KeepOut] = (),
) -> tuple[Peg, ...]:
    """A full Poisson-disc field of pegs: evenly random, none too close to another, and no room for more.

    Args:
        spacing: Least distance between the centres of two pegs [m]; at least two radii.
        area: Where the centres lie.
        seed: Seed of the random numbers. The same seed gives the same field.
        radius: Radius of every peg [m].
        friction: Coulomb coefficient between peg and link [-].
        keep_out: Zone or zones that no peg reaches into: `Disc`, `Rectangle` or `Posture`.

    Returns:
        The pegs, from left to right.
    """
    spacing, radius = positive("peg_field: spacing", spacing, "m"), positive("peg_field: radius", radius, "m")
    friction = non_negative("peg_field: friction", friction, "-")
    instance("peg_field: area", area, Rectangle, "a Rectangle(x=(from, to), y=(from, to)) [m]")
    if spacing < 2.0 * radius:
        raise InvalidModel("peg_field: spacing", spacing, f">= {2.0 * radius:.4g}, two radii of a peg [m]")
    if area.size > MOST_PEGS * spacing**2:
        raise InvalidModel("peg_field: spacing", spacing, f"larger: an area of {area.size:.4g} m^2 takes too many pegs")
    given = (keep_out,) if isinstance(keep_out, KeepOut) else keep_out
    zones = members("peg_field: keep_out", given, KeepOut, "a Disc, a Rectangle or a Posture")
    random = np.random.default_rng(whole("peg_field: seed", seed, NATURAL))
    centers = _fill(random, area, zones, spacing, radius)
    return tuple(
        Peg(x=float(x), y=float(y), radius=radius, friction=friction) for x, y in centers[np.argsort(centers[:, 0])]
    )


def _fill(
    random: np.random.Generator, area: Rectangle, zones: tuple[KeepOut, ...], spacing: float, radius: float
) -> np.ndarray:
    """Centres in a full field [m], shape (n, 2)."""
    from scipy.spatial import cKDTree

    corner, far_corner = np.array([area.x, area.y]).T
    kept = np.empty((0, 2))
    while True:
        darts = random.uniform(corner, far_corner, (DARTS, 2))
        free = np.ones(DARTS, dtype=bool)
        for zone in zones:
            free &= zone.distance(darts) >= radius
        if len(kept):
            free &= cKDTree(kept).query(darts)[0] >= spacing
        if not free.any():
            return kept
        kept = np.concatenate((kept, _thinned(darts[free], spacing)))


def _thinned(darts: np.ndarray, spacing: float) -> np.ndarray:
    """The darts that are not too close to an earlier one that is kept."""
    from scipy.spatial import cKDTree

    near = cKDTree(darts).query_ball_point(darts, np.nextafter(spacing, 0.0))
    stays = np.ones(len(darts), dtype=bool)
    for k, others in enumerate(near):
        if stays[k]:
            stays[[other for other in others if other > k]] = False
    return darts[stays]
