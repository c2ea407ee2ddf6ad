"""Moments of inertia of uniform bodies about their centre of mass, in a link's frame: x forward, y left, z up.

Each function returns the three moments about x (roll), y (pitch) and z (yaw), as `SpatialLink` takes them. A planar
link takes the last one:

    upright = pp.SpatialLink(length=0.1, mass=0.5, inertia=pp.inertia.capsule(0.5, 0.1, 0.03), radius=0.03)
    planar = pp.PlanarLink(length=0.1, mass=0.5, inertia=pp.inertia.capsule(0.5, 0.1, 0.03).z, radius=0.03)
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import above
from pushpoint.model.quantities import Extent, Length

Mass = Annotated[float, above(0, "kg")]
"""A mass [kg], > 0."""


class Moments(NamedTuple):
    """Principal moments of inertia about the centre of mass."""

    x: float
    """About the link's long axis, roll [kg m^2]."""
    y: float
    """About the axis to the left, pitch [kg m^2]."""
    z: float
    """About the axis that points up, yaw [kg m^2]: the inertia of a planar link."""


@checked_arguments
def cylinder(mass: Mass, length: Length, radius: Length) -> Moments:
    """A uniform cylinder along x.

        m r^2 / 2 about its axis, m (3 r^2 + l^2) / 12 across it

    Args:
        mass: Mass [kg].
        length: Length [m].
        radius: Radius [m].
    """
    across = mass * (3 * radius * radius + length * length) / 12
    return Moments(mass * radius**2 / 2, across, across)


@checked_arguments
def capsule(mass: Mass, length: Extent, radius: Length) -> Moments:
    """A uniform capsule along x: a cylinder with half a ball on each end.

    The mass is shared by volume: pi r^2 l in the cylinder, 4/3 pi r^3 in the two halves of a ball, whose centres of
    mass are 3/8 r beyond the ends of the cylinder. With length 0 it is a ball, with a small radius a rod.

    Args:
        mass: Mass [kg].
        length: Length of the straight sides [m], as `side_length` of a link; the capsule is two radii longer.
        radius: Radius [m].
    """
    ball = mass * 4 * radius / (4 * radius + 3 * length)
    tube = mass - ball
    about_axis = tube * radius**2 / 2 + ball * 0.4 * radius**2
    # Half a ball about its own centre of mass: 2/5 r^2 about the middle of its flat side, less (3/8 r)^2.
    out = length / 2 + 0.375 * radius
    across = tube * (3 * radius**2 + length**2) / 12 + ball * (0.4 * radius**2 - (0.375 * radius) ** 2 + out**2)
    return Moments(about_axis, across, across)


@checked_arguments
def box(mass: Mass, length: Length, width: Length, height: Length | None = None) -> Moments:
    """A uniform box.

        m (w^2 + h^2) / 12 about x, m (l^2 + h^2) / 12 about y, m (l^2 + w^2) / 12 about z

    Args:
        mass: Mass [kg].
        length: Length along x [m].
        width: Width along y [m].
        height: Height along z [m]; default: the width.
    """
    tall = width if height is None else height
    return Moments(
        mass * (width**2 + tall**2) / 12, mass * (length**2 + tall**2) / 12, mass * (length**2 + width**2) / 12
    )
