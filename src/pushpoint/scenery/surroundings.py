"""What stands around the robot: the ground with its regions, and obstacles as hulls, boxes and posts.

Seen from above, every obstacle is one thing: corners, and a distance by which the surface stands off them. A peg has
one corner, a wall two, and a polygon stands off by nothing. Obstacles say themselves what they are made of, to the
engine and to pictures alike, so that one of a new kind is drawn wherever a run is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.ndimage import map_coordinates

from pushpoint.errors import InvalidModel
from pushpoint.model.environment import Environment, Ground, Region
from pushpoint.model.obstacle import Obstacle, Solid
from pushpoint.model.terrain import HeightField
from pushpoint.scenery.palette import GREY, SOLID_COLOR
from pushpoint.scenery.shapes import convex_hull, in_polygon, rounded_hull

# A recorded force is a mean over an interval in which the link moves on, so touching is judged with this slack, and a
# link counts as flat on a face with that one; both as shares of the link's radius.
TOUCH_SLACK, FLAT_SLACK = 0.1, 0.01
LARGEST_TYPE, SMALLEST_TYPE = 7.5, 5.0
"""Sizes of what is written on a map [pt]."""
# Thickness that is hidden by a border [in].
THIN = 2.0 / 72.0
# Width of a letter over the size of its type, on average.
LETTER_WIDTH = 0.55
# Width and height of a digit over the size of its type.
DIGIT = 0.7, 0.85
CORNERS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


@dataclass(frozen=True)
class GroundShape:
    """Where the ground of a model is, and how steep."""

    ground: Ground
    """The ground."""

    @property
    def field(self) -> HeightField | None:
        """Its heights; None for a plane."""
        return self.ground.heights

    @cached_property
    def gradient(self) -> np.ndarray:
        """Rise of the plane per length along x and y [-], shape (2,)."""
        direction = self.ground.slope_direction
        return math.tan(self.ground.slope) * np.array([math.cos(direction), math.sin(direction)])

    @property
    def flat(self) -> bool:
        """Whether it is horizontal."""
        return self.field is None and not self.gradient.any()

    @property
    def normal(self) -> np.ndarray:
        """Unit vector out of the plane, shape (3,)."""
        out = np.array([-self.gradient[0], -self.gradient[1], 1.0])
        return np.asarray(out / np.linalg.norm(out))

    def height(self, points: np.ndarray) -> np.ndarray:
        """Heights at places [m], shape (..., 2) to (...)."""
        if self.field is None:
            return np.asarray(points @ self.gradient)
        return _between(self.field, self.field.heights, points)

    def slopes(self, points: np.ndarray) -> np.ndarray:
        """Rise per length along x and y at places [-], shape (..., 2)."""
        if self.field is None:
            return np.broadcast_to(self.gradient, points.shape)
        rises = np.gradient(self.field.heights, self.field.spacing)
        return np.stack([_between(self.field, rise, points) for rise in rises], axis=-1)


def _between(field: HeightField, values: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Values at the points of a field's grid, between them; shape (..., 2) to (...)."""
    index = (points - np.array(field.origin)) / field.spacing
    found = map_coordinates(values, index.reshape(-1, 2).T, order=1, mode="nearest")  # takes no single point
    return np.asarray(found).reshape(points.shape[:-1])


def from_above(obstacle: Obstacle) -> list[tuple[list[np.ndarray], float]]:
    """What an obstacle is made of: outlines seen from above [m], each of shape (n, 2), and how far they are grown."""
    if obstacle.hulls:
        return [(hull.outlines, hull.radius) for hull in obstacle.hulls]
    if not obstacle.solids:
        raise InvalidModel("obstacle", type(obstacle).__name__, "made of hulls or solids")
    return [([convex_hull(box_corners(solid)[:, :2])], 0.0) for solid in obstacle.solids]


def box_corners(box: Solid) -> np.ndarray:
    """All eight [m], shape (8, 3); six of a wedge."""
    own = CORNERS[CORNERS[:, 2] <= CORNERS[:, 0]] if box.wedge else CORNERS
    return np.asarray(box.center + (own * np.array(box.half)) @ box.rotation.T)


def box_faces(box: Solid) -> tuple[np.ndarray, np.ndarray]:
    """A corner [m] and the unit outward normal of each face of a box or wedge, shape (n, 3) both."""
    half = np.array(box.half)
    normals = np.concatenate([np.eye(3), -np.eye(3)])
    points = normals * half
    if box.wedge:
        slope = np.array([-half[2], 0.0, half[0]]) / math.hypot(half[0], half[2])
        normals, points = np.stack([normals[0], normals[1], slope, *normals[4:]]), np.delete(points, 3, axis=0)
        points[2] = 0.0
    return np.asarray(box.center + points @ box.rotation.T), np.asarray(normals @ box.rotation.T)


def rim_points(pipe: Solid, radius: float, count: int = 48) -> np.ndarray:
    """Points around both ends of a pipe at a distance from its axis [m], shape (2, count, 3)."""
    turn = np.linspace(0.0, 2.0 * np.pi, count)
    ring = np.stack([radius * np.cos(turn), radius * np.sin(turn), np.zeros(count)], axis=-1)
    ends = np.array([[[0.0, 0.0, -pipe.half[2]]], [[0.0, 0.0, pipe.half[2]]]])
    return np.asarray(pipe.center + (ring + ends) @ pipe.rotation.T)


@dataclass(frozen=True, kw_only=True)
class Footprint:
    """An obstacle, or a part of one, seen from above."""

    number: int
    """The number it has in the run [-]."""
    corners: np.ndarray
    """Corners, counter-clockwise [m], shape (n_corners, 2)."""
    radius: float
    """How far the surface stands off the corners [m]."""
    holes: tuple[np.ndarray, ...] = ()
    """Corners of the free places inside it, clockwise [m], each of shape (n_corners, 2)."""
    numbered: bool = True
    """Whether its number is written on it; of several parts, the last one bears it."""
    digits: int = 1
    """Digits of the largest number beside it [-]: equal obstacles all bear their numbers, or none does."""
    clear: float = math.inf
    """Distance from its centre to the nearest other obstacle [m]; 0 if that lies over it."""

    @property
    def center(self) -> np.ndarray:
        """Mean of the corners [m], shape (2,)."""
        return np.asarray(self.corners.mean(axis=0))

    @property
    def room(self) -> float:
        """Radius of a circle about the centre that lies inside [m]; 0 if it has holes."""
        if len(self.corners) < 3 or self.holes:
            return 0.0 if self.holes else self.radius
        edge = np.roll(self.corners, -1, axis=0) - self.corners
        out = np.stack([edge[:, 1], -edge[:, 0]], axis=-1) / np.hypot(*edge.T)[:, None]
        return float(self.radius + np.min(np.sum((self.corners - self.center) * out, axis=1)))

    def color(self, inches_per_meter: float) -> str:
        """What it is filled with; a wall thinner than its own border would be a pale line."""
        thin = len(self.corners) == 2 and 2.0 * self.radius * inches_per_meter < THIN
        return GREY if thin else SOLID_COLOR

    def number_size(self, inches_per_meter: float) -> float:
        """Size of the type in which its number fits into it [pt]; 0 if it does not, or if it has none."""
        # The number is a rectangle whose corners lie in the circle that is free.
        corner = math.hypot(self.digits * DIGIT[0], DIGIT[1]) / 2.0
        size = min(LARGEST_TYPE, 72.0 * min(self.room, self.clear) * inches_per_meter / corner)
        return size if self.numbered and size > SMALLEST_TYPE else 0.0

    def distance(self, point: np.ndarray) -> float:
        """From a point, shape (2,), to its surface [m]; 0 inside."""
        outlines = (self.corners, *self.holes)
        if len(self.corners) > 2 and sum(int(in_polygon(point[None], each)[0]) for each in outlines) == 1:
            return 0.0
        corners, edge = self._edges
        share = np.sum((point - corners) * edge, axis=1) / np.maximum(np.sum(edge**2, axis=1), 1e-12)
        nearest = corners + np.clip(share, 0.0, 1.0)[:, None] * edge
        return max(0.0, float(np.hypot(*(nearest - point).T).min()) - self.radius)

    @cached_property
    def _edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners of all its outlines and the ways to the next one [m], shape (n, 2) each."""
        outlines = (self.corners, *self.holes)
        ways = [np.roll(each, -1, axis=0) - each for each in outlines]
        return np.concatenate(outlines), np.concatenate(ways)

    def outline(self, segments: int = 64) -> np.ndarray:
        """Points around it, counter-clockwise [m], shape (n, 2); round ends are cut in `segments` per whole turn."""
        return rounded_hull(self.corners, self.radius, segments)

    def outlines(self) -> list[np.ndarray]:
        """Points around it and around each of its holes [m], each of shape (n, 2)."""
        return [self.outline(), *(rounded_hull(hole, self.radius) for hole in self.holes)]

    def touch(self, middle: np.ndarray, along: np.ndarray, half: float, radius: float) -> np.ndarray | None:
        """Where a capsule touches it [m], shape (2,), the middle of the touching side if flat; None if it does not."""
        corners, edge = self._edges
        reach = np.clip((corners - middle) @ along, -half, half)
        on_axis, on_solid = middle + reach[:, None] * along, corners
        if len(self.corners) > 1:
            ends = np.stack([middle - half * along, middle + half * along])
            share = np.einsum("eka,ka->ek", ends[:, None] - corners, edge) / np.sum(edge**2, axis=1)
            nearest = corners + np.clip(share, 0.0, 1.0)[..., None] * edge
            on_axis = np.concatenate([on_axis, np.repeat(ends, len(edge), axis=0)])
            on_solid = np.concatenate([on_solid, nearest.reshape(-1, 2)])
        distance = np.hypot(*(on_solid - on_axis).T)
        least = float(distance.min())
        if not 0.0 < least < self.radius + radius + TOUCH_SLACK * radius:
            return None
        chosen = distance <= least + FLAT_SLACK * radius * (len(self.corners) > 1)
        normal = (on_solid[chosen] - on_axis[chosen]) / distance[chosen, None]
        feet = on_axis[chosen] + radius * normal
        return np.asarray((feet.min(axis=0) + feet.max(axis=0)) / 2.0)


@dataclass(frozen=True)
class Scenery:
    """All that does not move, from the objects of a model."""

    environment: Environment
    """The model."""

    @cached_property
    def ground(self) -> GroundShape:
        """The shape of the ground."""
        return GroundShape(self.environment.ground)

    @property
    def regions(self) -> Sequence[Region]:
        """Parts of the ground with another friction."""
        return self.environment.ground.regions

    @cached_property
    def solids(self) -> tuple[Footprint, ...]:
        """The obstacles seen from above."""
        digits = len(str(max(len(self.environment.obstacles) - 1, 0)))
        alone = [
            Footprint(
                number=number,
                corners=outlines[0],
                radius=radius,
                holes=tuple(outlines[1:]),
                numbered=part + 1 == len(parts),
                digits=digits,
            )
            for number, parts in enumerate(map(from_above, self.environment.obstacles))
            for part, (outlines, radius) in enumerate(parts)
        ]
        low, high = bounds_of(alone)
        return tuple(replace(solid, clear=_clearance(k, alone, low, high)) for k, solid in enumerate(alone))

    @cached_property
    def _in_space(self) -> list[Solid]:
        return [solid for obstacle in self.environment.obstacles for solid in obstacle.solids]

    @cached_property
    def boxes(self) -> list[Solid]:
        """Boxes and wedges in space."""
        return [solid for solid in self._in_space if not solid.radius]

    @cached_property
    def _lids(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """What boxes and pegs that end cover, seen from above [m], shape (n, 2), and their tops.

        A top is a height at x = y = 0 and its rises along x and y, shape (3,).
        """
        found = []
        for box in self.boxes:
            corners = box_corners(box)
            rise = box.rotation[:2, 0] * (box.half[2] / box.half[0] if box.wedge else 0.0)
            middle = box.center[2] if box.wedge else corners[:, 2].max()
            found.append((convex_hull(corners[:, :2]), np.array([middle - rise @ box.center[:2], *rise])))
        for peg in self.pegs:
            if not peg.endless:
                outline = rounded_hull(np.array([peg.center[:2]]), peg.radius)
                found.append((outline, np.array([peg.center[2] + peg.half[2], 0.0, 0.0])))
        return found

    def top(self, points: np.ndarray) -> np.ndarray:
        """Heights of what a robot would stand on at places, ground or solid [m], shape (..., 2) to (...)."""
        level = self.ground.height(points)
        for outline, (height, *rise) in self._lids:
            level = np.where(in_polygon(points, outline), np.maximum(level, height + points @ np.array(rise)), level)
        return level

    @cached_property
    def pegs(self) -> list[Solid]:
        """The round ones that are not hollow: upright columns."""
        return [solid for solid in self._in_space if solid.radius and not solid.inner]

    @cached_property
    def pipes(self) -> list[Solid]:
        """The hollow ones."""
        return [solid for solid in self._in_space if solid.inner]

    @cached_property
    def bounds(self) -> np.ndarray:
        """Lower left and upper right corners of the boxes around the solids [m], shape (2, n_solids, 2)."""
        return bounds_of(self.solids)

    def inside(self, box: np.ndarray) -> list[Footprint]:
        """The solids that reach into a box of lower left and upper right corner [m], shape (2, 2)."""
        low, high = self.bounds
        seen = np.all((high > box[0]) & (low < box[1]), axis=1)
        return [self.solids[number] for number in np.flatnonzero(seen)]

    def contact_point(self, middle: np.ndarray, along: np.ndarray, half: float, radius: float) -> np.ndarray:
        """Where a link touches [m]; the link's middle if it touches nothing or several, as only their sum is known."""
        reach = half * np.abs(along) + (1.0 + TOUCH_SLACK) * radius
        touched = [
            point
            for solid in self.inside(np.stack([middle - reach, middle + reach]))
            if (point := solid.touch(middle, along, half, radius)) is not None
        ]
        return touched[0] if len(touched) == 1 else np.asarray(middle)


def bounds_of(solids: Sequence[Footprint]) -> np.ndarray:
    """Lower left and upper right corners of the boxes around obstacles [m], shape (2, n_solids, 2)."""
    low = [solid.corners.min(axis=0) - solid.radius for solid in solids]
    high = [solid.corners.max(axis=0) + solid.radius for solid in solids]
    return np.array([low, high]).reshape(2, -1, 2)


def _clearance(number: int, solids: Sequence[Footprint], low: np.ndarray, high: np.ndarray) -> float:
    """Distance from the centre of an obstacle to others that come into its room [m]; infinite without any."""
    this = solids[number]
    near = np.all((low < this.center + this.room) & (high > this.center - this.room), axis=1)
    near[number] = False
    return min((solids[k].distance(this.center) for k in np.flatnonzero(near).tolist()), default=math.inf)


def law_place(region: Region, box: np.ndarray, inches_per_meter: float) -> tuple[float, float] | None:
    """Where the friction law of a region is written [m]: in the middle of the lower edge of what a box shows of it.

    A body is least likely there; None if there is no room.
    """
    seen = np.clip(np.array(region.vertices), box[0], box[1])
    wide, tall = np.ptp(seen, axis=0) * inches_per_meter
    if not (tall > 0.0 and len(law_words(region.friction)) * LETTER_WIDTH * LARGEST_TYPE / 72.0 < 0.9 * wide):
        return None
    y = float(seen[:, 1].min())
    return float(seen[seen[:, 1] < y + 1e-6, 0].mean()), y + 0.03 / inches_per_meter


def law_words(law: Any) -> str:
    """A friction law in a few words, such as `skin 0.1, 0.3, 0.4`; any law that is a dataclass has some."""
    values = [getattr(law, field.name) for field in fields(law)]
    words = [f"{v:g}" if isinstance(v, (int, float)) else law_words(v) if is_dataclass(v) else "" for v in values]
    return f"{type(law).__name__.lower()} {', '.join(filter(None, words))}".strip()
