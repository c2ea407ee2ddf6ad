"""Solid shapes that a spatial robot climbs: boxes, stairs, heights of the ground. Frozen, SI, checked at birth."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import finite, non_negative, positive, store, within
from pushpoint.model.obstacle import Obstacle, Solid
from pushpoint.model.shapes import Point, checked_point

MOST_STEPS = 1000

Triple = tuple[float, float, float]


def _triple(field: str, value: Any, what: str) -> Triple:
    try:
        parts = tuple(value)
    except TypeError:
        raise InvalidModel(field, value, what) from None
    if len(parts) != 3:
        raise InvalidModel(field, value, what)
    x, y, z = (finite(f"{field}[{k}]", part, "m") for k, part in enumerate(parts))
    return x, y, z


@dataclass(frozen=True, kw_only=True)
class Box(Obstacle):
    """A fixed box, turned by Rz(yaw) Ry(pitch) Rx(roll)."""

    center: Sequence[float]
    """Middle of the box [m]."""
    size: Sequence[float]
    """Edge lengths along its own x, y, z [m]."""
    yaw: float = 0.0
    """Turn about the vertical [rad]."""
    pitch: float = 0.0
    """Tilt about its y axis [rad]."""
    roll: float = 0.0
    """Tilt about its x axis [rad]."""
    friction: float = 0.0
    """Coulomb coefficient between box and link [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""

    def __post_init__(self) -> None:
        size = _triple("box.size", self.size, "three lengths [m]")
        store(
            self,
            center=_triple("box.center", self.center, "three numbers x, y, z [m]"),
            size=tuple(positive(f"box.size[{k}]", part, "m") for k, part in enumerate(size)),
            yaw=finite("box.yaw", self.yaw, "rad"),
            pitch=finite("box.pitch", self.pitch, "rad"),
            roll=finite("box.roll", self.roll, "rad"),
            friction=non_negative("box.friction", self.friction, "-"),
            restitution=within("box.restitution", self.restitution, 0.0, 1.0, "-"),
        )

    @property
    def rotation(self) -> np.ndarray:
        """Its axes as columns, shape (3, 3)."""
        cy, sy = math.cos(self.yaw), math.sin(self.yaw)
        cp, sp = math.cos(self.pitch), math.sin(self.pitch)
        cr, sr = math.cos(self.roll), math.sin(self.roll)
        about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
        return np.asarray(about_z @ about_y @ about_x)

    @property
    def solids(self) -> tuple[Solid, ...]:
        """The box."""
        x, y, z = self.center
        length, width, height = self.size
        return (Solid((x, y, z), (length / 2, width / 2, height / 2), self.rotation),)


@dataclass(frozen=True, kw_only=True)
class Stairs(Obstacle):
    """Steps of equal size that rise toward `heading`; each is a box that reaches down to the foot of the stairs."""

    foot: Point
    """Middle of the lowest riser on the ground [m]."""
    heading: float = 0.0
    """Direction in which they rise [rad]."""
    steps: int
    """Number of steps [-]."""
    rise: float
    """Height of a step [m]."""
    run: float
    """Depth of a step [m]."""
    width: float = 2.0
    """Width of the stairs [m]."""
    landing: float = 1.0
    """Depth of the top step [m]."""
    friction: float = 0.0
    """Coulomb coefficient between stairs and link [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""

    def __post_init__(self) -> None:
        whole = hasattr(self.steps, "__index__") and not isinstance(self.steps, bool)
        if not whole or not 1 <= self.steps <= MOST_STEPS:
            raise InvalidModel("stairs.steps", self.steps, f"a whole number, 1 to {MOST_STEPS}")
        store(
            self,
            steps=operator.index(self.steps),
            foot=checked_point("stairs.foot", self.foot),
            heading=finite("stairs.heading", self.heading, "rad"),
            rise=positive("stairs.rise", self.rise, "m"),
            run=positive("stairs.run", self.run, "m"),
            width=positive("stairs.width", self.width, "m"),
            landing=positive("stairs.landing", self.landing, "m"),
            friction=non_negative("stairs.friction", self.friction, "-"),
            restitution=within("stairs.restitution", self.restitution, 0.0, 1.0, "-"),
        )

    @property
    def boxes(self) -> tuple[Box, ...]:
        """The steps, lowest first; each ends where the next one begins."""
        made = []
        for k in range(self.steps):
            depth = self.landing if k == self.steps - 1 else self.run
            height = (k + 1) * self.rise
            ahead = k * self.run + depth / 2
            x = self.foot[0] + ahead * math.cos(self.heading)
            y = self.foot[1] + ahead * math.sin(self.heading)
            made.append(
                Box(
                    center=(x, y, height / 2),
                    size=(depth, self.width, height),
                    yaw=self.heading,
                    friction=self.friction,
                    restitution=self.restitution,
                )
            )
        return tuple(made)

    @property
    def solids(self) -> tuple[Solid, ...]:
        """The steps."""
        return tuple(solid for box in self.boxes for solid in box.solids)


@dataclass(frozen=True, kw_only=True, eq=False)
class HeightField:
    """Heights of the ground on a square grid, bilinear in between; beyond its rim the last heights go on."""

    heights: np.ndarray
    """Heights [m], shape (columns, rows): heights[i, j] stands at origin + spacing (i, j)."""
    spacing: float
    """Distance from grid point to grid point [m]."""
    origin: Point = (0.0, 0.0)
    """Where heights[0, 0] stands [m]."""

    def __post_init__(self) -> None:
        try:
            given = np.array(self.heights)
        except ValueError:
            raise InvalidModel("height_field.heights", "rows of different lengths", "equally long rows [m]") from None
        if given.dtype.kind not in "fiu":
            raise InvalidModel("height_field.heights", f"an array of {given.dtype}", "an array of numbers [m]")
        heights = np.array(given, dtype=float)
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise InvalidModel("height_field.heights", heights.shape, "of shape (columns, rows), both 2 or more")
        if not np.isfinite(heights).all():
            i, j = (int(k) for k in np.argwhere(~np.isfinite(heights))[0])
            raise InvalidModel(f"height_field.heights[{i}, {j}]", float(heights[i, j]), "finite [m]")
        heights.setflags(write=False)
        store(
            self,
            heights=heights,
            spacing=positive("height_field.spacing", self.spacing, "m"),
            origin=checked_point("height_field.origin", self.origin),
        )
