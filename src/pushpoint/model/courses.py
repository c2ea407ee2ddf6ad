"""Courses for every controller: random pegs, corridors, channels.

Each function returns a tuple of obstacles for `Environment(obstacles=...)`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.channels import channel, corridor, sine
from pushpoint.model.checks import non_negative, positive
from pushpoint.model.environment import Peg
from pushpoint.model.keep_out import Disc, KeepOut, Posture, Rectangle

__all__ = [
    "CourseFull",
    "Disc",
    "Posture",
    "Rectangle",
    "channel",
    "corridor",
    "random_pegs",
    "sine",
]

FEWEST_TRIES, MOST_TRIES = 16, 20_000
"""Places tried at once for a peg, and in all before a course counts as full [-]."""


class CourseFull(InvalidModel):
    """A generator found no room for all pegs."""

    def __init__(self, density: float, placed: int, wanted: int) -> None:
        allowed = f"lower, or clearance and keep-out smaller: {placed} of {wanted} pegs placed, no room for another"
        super().__init__("random_pegs: density", density, allowed)
        self.placed = placed
        self.wanted = wanted


def random_pegs(
    *,
    density: float,
    radius: tuple[float, float],
    area: Rectangle,
    seed: int,
    clearance: float = 0.0,
    keep_out: KeepOut | Sequence[KeepOut] = (),
    friction: float = 0.0,
    restitution: float = 0.0,
) -> tuple[Peg, ...]:
    """Pegs strewn over an area.

    Args:
        density: Pegs per area [1/m^2]; their number is rounded.
        radius: Smallest and largest radius, drawn evenly between them [m].
        area: Where the centres lie.
        seed: Same seed, same course.
        clearance: Least distance between the surfaces of two pegs [m].
        keep_out: Zone or zones that no peg reaches into: `Disc`, `Rectangle`, or the `Posture` of a robot with a gap.
        friction: Coulomb coefficient between peg and link [-].
        restitution: Newton's restitution coefficient [-], 0 to 1.

    Returns:
        The pegs, from left to right.

    Raises:
        CourseFull: There is no room for all; says how many were placed.
    """
    if not isinstance(area, Rectangle):
        raise InvalidModel("random_pegs: area", area, "a Rectangle(x=(from, to), y=(from, to)) [m]")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidModel("random_pegs: seed", seed, "a whole number >= 0")
    low, high = _radii(radius)
    zones = _zones(keep_out)
    clearance = non_negative("random_pegs: clearance", clearance, "m")
    wanted = round(non_negative("random_pegs: density", density, "1/m^2") * area.size)
    random = np.random.default_rng(seed)
    # Large ones first: what is left between them still takes a small one.
    radii = np.sort(random.uniform(low, high, wanted))[::-1]
    centers = np.empty((wanted, 2))
    for k in range(wanted):
        center = _free_place(random, area, zones, float(radii[k]), centers[:k], radii[:k] + clearance)
        if center is None:
            raise CourseFull(density, k, wanted)
        centers[k] = center
    return tuple(
        Peg(
            x=float(centers[k, 0]),
            y=float(centers[k, 1]),
            radius=float(radii[k]),
            friction=friction,
            restitution=restitution,
        )
        for k in np.argsort(centers[:, 0])
    )


def _radii(radius: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = radius
    except (TypeError, ValueError):
        raise InvalidModel("random_pegs: radius", radius, "two numbers, smallest and largest [m]") from None
    low, high = positive("random_pegs: radius[0]", low, "m"), positive("random_pegs: radius[1]", high, "m")
    if low > high:
        raise InvalidModel("random_pegs: radius", radius, "smallest first, then largest [m]")
    return low, high


def _zones(keep_out: KeepOut | Sequence[KeepOut]) -> tuple[KeepOut, ...]:
    zones = (keep_out,) if isinstance(keep_out, KeepOut) else tuple(keep_out)
    for k, zone in enumerate(zones):
        if not isinstance(zone, KeepOut):
            raise InvalidModel(f"random_pegs: keep_out[{k}]", zone, "a Disc, a Rectangle or a Posture")
    return zones


def _free_place(
    random: np.random.Generator,
    area: Rectangle,
    zones: tuple[KeepOut, ...],
    radius: float,
    centers: np.ndarray,
    reach: np.ndarray,
) -> np.ndarray | None:
    """A centre where a peg of this radius is clear of the zones and of the pegs that stand; None if none was found."""
    corner, far_corner = np.array([area.x, area.y]).T
    tried, count = 0, FEWEST_TRIES
    while tried < MOST_TRIES:
        places = random.uniform(corner, far_corner, (count, 2))
        free = np.ones(count, dtype=bool)
        for zone in zones:
            free &= zone.distance(places) >= radius
        if len(centers):
            apart = np.linalg.norm(places[:, None] - centers, axis=-1)
            free &= np.all(apart >= radius + reach, axis=1)
        if free.any():
            return np.asarray(places[int(free.argmax())])
        tried, count = tried + count, min(4 * count, 4096)
    return None
