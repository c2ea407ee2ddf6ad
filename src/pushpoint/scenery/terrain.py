"""The terrain of a spatial run: the shape of the ground, boxes and pegs, read from a run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import map_coordinates

from pushpoint.model.terrain import Box, Stairs
from pushpoint.scenery.reading import Recording


@dataclass(frozen=True, kw_only=True)
class GroundShape:
    """A plane through the origin, or heights on a grid that go on beyond its rim."""

    gradient: np.ndarray
    """Rise of the plane per length along x and y [-], shape (2,)."""
    heights: np.ndarray | None = None
    """Heights at the grid's points [m], shape (columns, rows)."""
    spacing: np.ndarray | None = None
    """Distance of the grid's points along x and y [m], shape (2,)."""
    origin: np.ndarray | None = None
    """Where the grid begins [m], shape (2,)."""

    @property
    def flat(self) -> bool:
        """Whether it is horizontal."""
        return self.heights is None and not self.gradient.any()

    @property
    def normal(self) -> np.ndarray:
        """Unit vector out of the plane, shape (3,)."""
        out = np.array([-self.gradient[0], -self.gradient[1], 1.0])
        return np.asarray(out / np.linalg.norm(out))

    @property
    def steepness(self) -> float:
        """Angle of the plane from the horizontal [rad]."""
        return math.atan(math.hypot(*self.gradient))

    def height(self, points: np.ndarray) -> np.ndarray:
        """Heights at places [m], shape (..., 2) to (...)."""
        if self.heights is None:
            return np.asarray(points @ self.gradient)
        return self._between(self.heights, points)

    def slopes(self, points: np.ndarray) -> np.ndarray:
        """Rise per length along x and y at places [-], shape (..., 2)."""
        if self.heights is None or self.spacing is None:
            return np.broadcast_to(self.gradient, points.shape)
        rises = [rise / step for rise, step in zip(np.gradient(self.heights), self.spacing, strict=True)]
        return np.stack([self._between(rise, points) for rise in rises], axis=-1)

    def _between(self, values: np.ndarray, points: np.ndarray) -> np.ndarray:
        index = (points - self.origin) / self.spacing
        return np.asarray(map_coordinates(values, np.moveaxis(index, -1, 0), order=1, mode="nearest"))


@dataclass(frozen=True, kw_only=True)
class Block:
    """A box, or a step of stairs."""

    center: np.ndarray
    """Its middle [m], shape (3,)."""
    half: np.ndarray
    """Half of its edges [m], shape (3,)."""
    turn: np.ndarray
    """Its axes as columns, shape (3, 3)."""

    @property
    def corners(self) -> np.ndarray:
        """All eight [m], shape (8, 3)."""
        return np.asarray(self.center + (CORNERS * self.half) @ self.turn.T)


CORNERS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


@dataclass(frozen=True, kw_only=True)
class Post:
    """A peg: an upright cylinder without an upper end."""

    center: np.ndarray
    """Its axis [m], shape (2,)."""
    radius: float
    """Radius [m]."""


@dataclass(frozen=True, kw_only=True)
class Terrain:
    """All that does not move."""

    ground: GroundShape
    """The ground."""
    blocks: tuple[Block, ...]
    """Boxes and steps."""
    posts: tuple[Post, ...]
    """Pegs."""


def read_terrain(recording: Recording) -> Terrain:
    """The terrain of a run; raises KeyError, TypeError or ValueError on one that it does not know."""
    obstacles = recording.document.get("obstacles") or ()
    posts = tuple(
        Post(center=np.array([entry["x"], entry["y"]], dtype=float), radius=float(entry["radius"]))
        for entry in obstacles
        if entry.get("kind", "Peg") == "Peg"
    )
    blocks = tuple(block for entry in obstacles for block in read_blocks(entry))
    return Terrain(ground=_ground(recording), blocks=blocks, posts=posts)


def read_blocks(entry: dict[str, Any]) -> list[Block]:
    """The boxes of which an obstacle of a scenario is made; none of a peg."""
    fields = {name: value for name, value in entry.items() if name != "kind"}
    boxes: tuple[Box, ...] = ()
    if entry.get("kind") == "Box":
        boxes = (Box(**fields),)
    elif entry.get("kind") == "Stairs":
        boxes = Stairs(**fields).boxes
    return [
        Block(center=np.array(box.center), half=np.array(box.size) / 2.0, turn=np.asarray(box.rotation))
        for box in boxes
    ]


def _ground(recording: Recording) -> GroundShape:
    ground = recording.document.get("ground") or {}
    slope, direction = ground.get("slope") or 0.0, ground.get("slope_direction") or 0.0
    gradient = math.tan(slope) * np.array([math.cos(direction), math.sin(direction)])
    if not recording.has("terrain_height"):
        return GroundShape(gradient=gradient)
    field = recording.samples["terrain_height"].transpose("terrain_x", "terrain_y")
    places = [np.asarray(field[name], dtype=float) for name in ("terrain_x", "terrain_y")]
    return GroundShape(
        gradient=gradient,
        heights=np.asarray(field, dtype=float),
        spacing=np.array([(place[-1] - place[0]) / (len(place) - 1) for place in places]),
        origin=np.array([place[0] for place in places]),
    )
