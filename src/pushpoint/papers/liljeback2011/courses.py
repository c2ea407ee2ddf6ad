"""The environments of Liljeback2011, as printed."""

from __future__ import annotations

from math import radians

from pushpoint.errors import UnknownName
from pushpoint.model.environment import Peg

_CM = {
    # environment: x, y, diameter of every obstacle [cm]
    1: ((-123.9, 20.2, 30), (-89.6, -15.7, 20), (-48.4, 13.2, 30), (-8.2, -23.5, 30), (-0.6, 24.8, 20)),
    2: ((-90.9, -20.3, 30), (-35.5, 4.2, 30), (5.1, -28.9, 30), (31.7, 15.9, 30)),
    # Four positions are printed, but five diameters; as all five are 30 cm, the one without a position is left out.
    3: ((-93.1, -61.7, 30), (-79.4, -6.3, 30), (-17.4, -18.9, 30), (14.6, 24.3, 30)),
}
_DEG = {
    1: (49, 43, 6, 14, -19, -20, -3, 16, 11, 1),
    2: (58, 47, 25, -14, -35, -27, -12, 3, 28, 25),
    3: (-4, -4, -2, 15, 30, 65, 40, 29, -3, -22),
}


def obstacles(environment: int, *, friction: float = 0.0, restitution: float = 0.0) -> tuple[Peg, ...]:
    """The obstacles of environment 1, 2 or 3 of Liljeback2011 (IV-C); the head starts at the origin and heads for +x.

    The coefficient of friction is not printed. Of environment 3, four positions and five diameters are: it has four
    obstacles here.
    """
    return tuple(
        Peg(x=x / 100, y=y / 100, radius=diameter / 200, friction=friction, restitution=restitution)
        for x, y, diameter in _CM[_known(environment)]
    )


def link_angles(environment: int) -> tuple[float, ...]:
    """Angles of the ten links at the start [rad], tail to head: Liljeback2011 (IV-C), "approximately".

    With the head link at the origin, this pose overlaps obstacles by centimetres: no robot stood exactly so.
    """
    return tuple(radians(angle) for angle in _DEG[_known(environment)])


def _known(environment: int) -> int:
    if environment not in _CM:
        raise UnknownName("environment of Liljeback2011", str(environment), map(str, _CM))
    return environment
