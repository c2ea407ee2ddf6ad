"""Passive wheels under the links of a robot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, sin
from typing import Any

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import check_fields
from pushpoint.model.friction import Rectangular
from pushpoint.model.quantities import Angle, Coefficient, Extent, Length, Offset

MOST_AXLES = 4
"""Axles under one link."""


@dataclass(frozen=True, kw_only=True)
class Wheels:
    """An axle with passive wheels under a link. They roll, and hold against side slip up to a limit.

    The law is set-valued: a wheel does not slip along its axle while the side force is below `side_limit` times what it
    carries, and does not roll while the force along is below `rolling_resistance` times that. The two bounds are
    independent. Wheels have no mass, and the ground's friction law does not change theirs.

    For example:

        wheels = pp.Wheels(rolling_resistance=0.02, side_limit=0.6)
        link = pp.PlanarLink(length=0.10, mass=0.5, inertia=6e-4, radius=0.04, wheels=(wheels,))
    """

    __repr__ = brief

    offset: Offset = 0.0
    """Position of the axle along the link, from the middle toward the head [m]; at most half the link's length."""
    axle_angle: Angle = 0.0
    """Turn of the axle from the link's left, counter-clockwise seen from above [rad]; 0: wheels roll along the link."""
    rolling_resistance: Coefficient = 0.02
    """Largest force against rolling, per normal force [-]."""
    side_limit: Coefficient = 0.6
    """Largest side force that the wheels hold without slipping, per normal force [-]."""
    track: Extent | None = None
    """Distance between the left and the right wheel [m]; 0: one wheel in the middle. Default: the link's radius."""
    radius: Length | None = None
    """Radius of the wheels [m], which matters in space alone; default: half the link's radius."""
    clearance: Length | None = None
    """How far the wheels reach below the link's underside [m], in space; at most their diameter.

    Default: a quarter of the link's radius, or less if the wheels are smaller than that.
    """

    def __post_init__(self) -> None:
        check_fields(self, "wheels")
        if self.radius is not None and self.clearance is not None and self.clearance > 2 * self.radius:
            others = {"radius": self.radius}
            raise InvalidModel("wheels.clearance", self.clearance, "at most twice {radius}", unit="m", others=others)

    @property
    def law(self) -> Rectangular:
        """The friction law of each wheel, along its rolling direction and along the axle."""
        return Rectangular(along=self.rolling_resistance, across=self.side_limit)

    @property
    def direction(self) -> tuple[float, float]:
        """Where the wheels roll, forward and left of the link [-]."""
        return cos(self.axle_angle), sin(self.axle_angle)

    @property
    def places(self) -> tuple[tuple[float, float], ...]:
        """Where the wheels are, forward and left of the link's middle [m], the right one first."""
        half = float(self.track or 0.0) / 2
        ahead, aside = self.direction
        sides = (-half, half) if half > 0.0 else (0.0,)
        return tuple((self.offset - side * aside, side * ahead) for side in sides)


def wheels_of(link: Any) -> tuple[Wheels, ...]:
    """The wheels of a link with the sizes that follow from the link's own."""
    if len(link.wheels) > MOST_AXLES:
        raise InvalidModel("link.wheels", len(link.wheels), f"at most {MOST_AXLES} axles")
    for k, wheels in enumerate(link.wheels):
        if abs(wheels.offset) > link.length / 2:
            others = {"length": link.length}
            raise InvalidModel(
                f"link.wheels[{k}].offset", wheels.offset, "at most half of {length}", unit="m", others=others
            )

    def fit(wheels: Wheels) -> Wheels:
        radius = link.radius / 2 if wheels.radius is None else wheels.radius
        track = link.radius if wheels.track is None else wheels.track
        clearance = min(link.radius / 4, radius) if wheels.clearance is None else wheels.clearance
        return replace(wheels, track=track, radius=radius, clearance=clearance)

    return tuple(fit(wheels) for wheels in link.wheels)
