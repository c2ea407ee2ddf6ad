"""The course of Transeth2008a, as printed."""

from __future__ import annotations

from pushpoint.model.environment import Peg

CENTERS = (
    (0.0507, 0.1761),
    (0.4215, 0.0029),
    (0.8037, 0.1851),
    (1.1532, 0.0031),
    (1.5298, 0.1783),
    (1.8877, 0.0020),
    (2.2588, 0.1745),
)
"""Transeth2008a, VIII-D.2 [m]."""
RADIUS = 0.125
"""The printed 0.0125 m is a misprint: the obstacles are cut from pipe of 0.25 m outer diameter (VIII-C) [m]."""


def obstacles(*, friction: float = 0.0, restitution: float = 0.0) -> tuple[Peg, ...]:
    """The seven obstacles of Transeth2008a (VIII-D.2), numbered from left to right as in the paper.

    Its model has no friction at the obstacles; its robot heads for +x.
    """
    return tuple(Peg(x=x, y=y, radius=RADIUS, friction=friction, restitution=restitution) for x, y in CENTERS)
