"""Where a path may touch pegs, and how it may continue from there.

A state is a peg, the side on which the body passes it, and the direction of the path there. The edges that leave a
state are computed when a search gets there: cubic Hermite curves, gentle enough for the links and clear of all pegs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pushpoint.engine.batching import pick
from pushpoint.engine.planar.kinematics import directions
from pushpoint.mapping.path_quality import REACH
from pushpoint.model.checks import check_fields
from pushpoint.model.environment import Peg
from pushpoint.model.quantities import Count, Extent, Factor, Length, Spread, Width

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

CELL = 0.005
"""Distance between the map's points [m]. Between them the error is CELL^2 / (8 distance), below 0.1 mm at 4 cm."""
MOST_CELLS = 20_000_000
SAMPLES = 17
"""Points of an edge that are checked and kept [-]."""
_T = np.linspace(0.0, 1.0, SAMPLES)[:, None]
_VALUE = np.hstack((1 - 3 * _T**2 + 2 * _T**3, _T - 2 * _T**2 + _T**3, 3 * _T**2 - 2 * _T**3, _T**3 - _T**2))
_SLOPE = np.hstack((6 * _T**2 - 6 * _T, 1 - 4 * _T + 3 * _T**2, 6 * _T - 6 * _T**2, 3 * _T**2 - 2 * _T))
_BEND = np.hstack((12 * _T - 6, 6 * _T - 4, 6 - 12 * _T, 6 * _T - 2))
NOTHING = -1
"""Stands for no peg: the start or the goal."""
MARGIN = 0.01
"""How much farther than needed distances to pegs are known [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ClearanceMap:
    """Distances to the nearest peg's surface on a grid, and which peg that is. It is queried many thousand times."""

    center: np.ndarray
    """Centres of the pegs [m], shape (n_pegs, 2)."""
    radius: np.ndarray
    """Radii of the pegs [m], shape (n_pegs,)."""
    corner: np.ndarray
    """Position of the first grid point [m], shape (2,)."""
    cell: float
    """Distance between grid points [m]."""
    distance: np.ndarray
    """Distance to the nearest surface, capped at `far` [m], shape (n_x, n_y)."""
    owner: np.ndarray
    """Index of that peg, -1 beyond `far`, same shape."""
    far: float
    """Distance beyond which pegs do not matter [m]."""

    @staticmethod
    def of(pegs: Sequence[Peg], far: float) -> ClearanceMap:
        """Makes the map around these pegs."""
        center, radius = np.array([(peg.x, peg.y) for peg in pegs]), np.array([peg.radius for peg in pegs])
        reach = radius.max() + far
        corner = center.min(axis=0) - reach
        size = center.max(axis=0) + reach - corner
        cell = max(CELL, float(np.sqrt(size.prod() / MOST_CELLS)))
        shape = tuple(np.ceil(size / cell).astype(int) + 2)
        distance, owner = np.full(shape, far), np.full(shape, -1)
        for k in range(len(pegs)):
            low = np.floor((center[k] - radius[k] - far - corner) / cell).astype(int).clip(0)
            high = np.ceil((center[k] + radius[k] + far - corner) / cell).astype(int) + 1
            part = (slice(low[0], high[0]), slice(low[1], high[1]))
            x, y = (
                corner[i] + cell * np.arange(low[i], low[i] + distance[part].shape[i]) - center[k, i] for i in (0, 1)
            )
            gap = np.hypot(x[:, None], y) - radius[k]
            nearer = gap < distance[part]
            distance[part][nearer] = gap[nearer]
            owner[part][nearer] = k
        return ClearanceMap(
            center=center, radius=radius, corner=corner, cell=cell, distance=distance, owner=owner, far=far
        )

    def at(self, points: np.ndarray) -> np.ndarray:
        """Distance of points to the nearest surface [m], negative inside, with the points' leading dimensions."""
        place = (points - self.corner) / self.cell
        low = np.floor(place).astype(int)
        inside = ((low >= 0) & (low < np.array(self.distance.shape) - 1)).all(axis=-1)
        low = np.where(inside[..., None], low, 0)
        x, y = np.moveaxis(place - low, -1, 0)
        i, j = low[..., 0], low[..., 1]
        d = self.distance
        value = (1 - x) * ((1 - y) * d[i, j] + y * d[i, j + 1]) + x * ((1 - y) * d[i + 1, j] + y * d[i + 1, j + 1])
        return np.where(inside, value, self.far)

    def nearest(self, points: np.ndarray) -> np.ndarray:
        """Index of the peg nearest to each point [-], -1 if none is near, with the points' leading dimensions."""
        near = np.rint((points - self.corner) / self.cell).astype(int)
        inside = ((near >= 0) & (near < np.array(self.owner.shape))).all(axis=-1)
        near = np.where(inside[..., None], near, 0)
        return np.where(inside, self.owner[near[..., 0], near[..., 1]], -1)

    def beside(self, peg: np.ndarray, side: np.ndarray, angle: np.ndarray, away: float) -> np.ndarray:
        """Points where paths of these directions [rad] pass pegs at a distance from their surfaces [m], (n, 2)."""
        left = np.stack((-np.sin(angle), np.cos(angle)), axis=1)
        return self.center[peg] + (side * (self.radius[peg] + away))[:, None] * left


class Edges(NamedTuple):
    """Curves between states, one per entry of the leading dimension."""

    points: np.ndarray
    """Points along them [m], shape (n, SAMPLES, 2)."""
    arc: np.ndarray
    """Arc length at the points [m], shape (n, SAMPLES)."""
    curvature: np.ndarray
    """Curvature there, positive to the left [1/m], shape (n, SAMPLES)."""
    inner: np.ndarray
    """Middle of a link whose ends lie on the curve on both sides of the point [m], shape (n, SAMPLES, 2)."""


def hermite_edges(
    start: np.ndarray, start_angle: np.ndarray, end: np.ndarray, end_angle: np.ndarray, link: float
) -> Edges:
    """Curves between points [m] with given tangent angles [rad]; `link` is the length of a link [m].

    The slopes at the ends have the length that makes symmetric edges nearly circular arcs: 2 chord / (1 + cos of the
    angle between tangent and chord).
    """
    way = end - start
    chord = np.maximum(np.linalg.norm(way, axis=-1), 1e-9)
    tangents = directions(start_angle), directions(end_angle)
    off = [np.arccos(np.clip(np.vecdot(way, tangent) / chord, -1.0, 1.0)) for tangent in tangents]
    size = (2.0 * chord / (1.0 + np.cos((off[0] + off[1]) / 2)))[:, None]
    control = np.stack((start, size * tangents[0], end, size * tangents[1]), axis=1)
    points, slope, bend = _VALUE @ control, _SLOPE @ control, _BEND @ control
    speed = np.maximum(np.linalg.norm(slope, axis=-1), 1e-9)
    curvature = (slope[..., 0] * bend[..., 1] - slope[..., 1] * bend[..., 0]) / speed**3
    left = np.stack((-slope[..., 1], slope[..., 0]), axis=-1) / speed[..., None]
    step = np.linalg.norm(np.diff(points, axis=1), axis=-1)
    arc = np.concatenate((np.zeros((len(points), 1)), np.cumsum(step, axis=1)), axis=1)
    sagitta = (curvature * link**2 / 8)[..., None]
    return Edges(points=points, arc=arc, curvature=curvature, inner=points + sagitta * left)


def passable(edges: Edges, clearance: ClearanceMap, half_width: float, sharpest: float) -> np.ndarray:
    """Whether a robot of this half width [m] can pass along each edge, with no curvature above `sharpest` [1/m]."""
    fine = np.abs(edges.curvature).max(axis=1) <= sharpest
    at = np.flatnonzero(fine)
    free = np.minimum(clearance.at(edges.points[at]), clearance.at(edges.inner[at])).min(axis=1) >= half_width
    fine[at] = free
    return fine


@dataclass(frozen=True, kw_only=True)
class BodySize:
    """The dimensions of the robot that matter for its path."""

    length: float
    """Length of the robot [m]."""
    half_width: float
    """Largest radius of its links [m]."""
    link: float
    """Length of its longest link [m]."""
    sharpest: float
    """Largest curvature of a path [1/m]."""

    @property
    def reach(self) -> float:
        """Distance from a path within which a peg may touch the body [m]; links cut corners by their sagitta."""
        return self.half_width + REACH + self.sharpest * self.link**2 / 8


class States(NamedTuple):
    """Points where a path may touch a peg, or the points of one path."""

    point: np.ndarray
    """Position of the path [m], shape (n, 2)."""
    angle: np.ndarray
    """Its direction there [rad], shape (n,)."""
    peg: np.ndarray
    """The peg it touches, or NOTHING [-], shape (n,)."""
    side: np.ndarray
    """+1: the peg is to the right of the path, -1: to its left, 0: no peg; shape (n,)."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How states are laid out and connected; tuned on seeds 0 to 99 of the benchmark's fields."""

    slack: Extent = 0.01
    """Distance between body and peg where the path touches it [m]; links cut the corners of a curved path."""
    margin: Extent = 0.002
    """Extra distance of edges from pegs, beyond the body's half width [m]; they are checked at points only."""
    n_angles: Count = 7
    """Directions tried per peg and side [-]."""
    widest: Width = math.radians(80.0)
    """Largest angle between path and direction to the goal at a peg, turned so that the peg pushes forward [rad]."""
    braking: Spread = math.radians(10.0)
    """The same, turned the other way [rad]."""
    shortest_edge: Extent = 0.08
    """Least distance between neighbouring states [m]."""
    longest_edge: Length = 0.45
    """Largest distance between neighbouring states [m]."""
    turn: Width = math.radians(75.0)
    """Largest angle between an edge's ends and its chord [rad]."""
    end_spread: Spread = math.radians(50.0)
    """Largest angle between the path at start or goal and the direction to the goal [rad]."""
    detour: Factor = 1.3
    """Only pegs whose distances to start and goal add up to less than this many start-goal distances count [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "layout")


@dataclass(frozen=True, kw_only=True, eq=False)
class PegGraph:
    """The states, and the edges found so far."""

    body: BodySize
    layout: Layout
    states: States
    """The states at pegs, then those of the start, then those of the goal."""
    clearance: ClearanceMap
    tree: cKDTree
    """Search tree of the states' points."""
    known: dict[int, tuple[np.ndarray, Edges, list[np.ndarray]]] = field(default_factory=dict)
    """The edges that leave the states visited so far."""

    @property
    def ends(self) -> tuple[range, range]:
        """The states of the start, and those of the goal."""
        count, n = self.layout.n_angles, len(self.states.angle)
        return range(n - 2 * count, n - count), range(n - count, n)

    def edges(self, start: States, end: States) -> Edges:
        """The curves between states."""
        return hermite_edges(start.point, start.angle, end.point, end.angle, self.body.link)

    def passes(self, edges: Edges) -> np.ndarray:
        """Whether the robot can pass along each of these edges."""
        return passable(edges, self.clearance, self.body.half_width + self.layout.margin, self.body.sharpest)

    def beside(self, edges: Edges) -> list[np.ndarray]:
        """The pegs that links on each edge may reach."""
        close = self.clearance.at(edges.points) < self.body.reach
        owner = np.where(close, self.clearance.nearest(edges.points), -1)
        return [np.unique(row[row >= 0]) for row in owner]

    def leaving(self, k: int) -> tuple[np.ndarray, Edges, list[np.ndarray]]:
        """The states that can follow state k, the edges to them, and the pegs within reach of each."""
        if k in self.known:
            return self.known[k]
        states, layout = self.states, self.layout
        near = np.array(sorted(self.tree.query_ball_point(states.point[k], layout.longest_edge)), dtype=int)
        chord = states.point[near] - states.point[k]
        distance = np.linalg.norm(chord, axis=1)
        least = np.cos(layout.turn) * distance
        near = near[
            (distance >= layout.shortest_edge)
            & ((states.peg[near] != states.peg[k]) | (states.peg[near] == NOTHING))
            & (chord @ directions(states.angle[k]) >= least)
            & (np.vecdot(chord, directions(states.angle[near])) >= least)
        ]
        edges = self.edges(pick(states, np.full(len(near), k)), pick(states, near))
        fine = self.passes(edges)
        edges = pick(edges, fine)
        return self.known.setdefault(k, (near[fine], edges, self.beside(edges)))


def lay_out(
    pegs: Sequence[Peg],
    start: np.ndarray,
    goal: np.ndarray,
    body: BodySize,
    layout: Layout,
    random: np.random.Generator,
) -> PegGraph:
    """The states between start and goal."""
    from scipy.spatial import cKDTree

    clearance = ClearanceMap.of(pegs, body.reach + MARGIN)
    center = clearance.center
    way = goal - start
    ahead = math.atan2(way[1], way[0])
    through = np.linalg.norm(center - start, axis=1) + np.linalg.norm(center - goal, axis=1)
    used = np.flatnonzero(through <= layout.detour * np.linalg.norm(way) + body.length / 2)
    peg = np.repeat(used, 2 * layout.n_angles)
    side = np.tile(np.repeat([1.0, -1.0], layout.n_angles), len(used))
    span = (layout.widest + layout.braking) / layout.n_angles
    offset = -layout.braking + span * (np.tile(np.arange(layout.n_angles), 2 * len(used)) + random.random(len(peg)))
    angle = ahead - side * offset  # a peg on the left pushes the robot forward on a path that turns left
    point = clearance.beside(peg, side, angle, body.half_width + layout.slack)
    at_pegs = pick(States(point, angle, peg, side), clearance.at(point) >= body.half_width + layout.margin)
    spread = ahead + np.linspace(-layout.end_spread, layout.end_spread, layout.n_angles)
    nothing = np.full(len(spread), NOTHING), np.zeros(len(spread))
    ends = [States(np.tile(end, (len(spread), 1)), spread, *nothing) for end in (start, goal)]
    states = States(*(np.concatenate(each) for each in zip(at_pegs, *ends, strict=True)))
    return PegGraph(body=body, layout=layout, states=states, clearance=clearance, tree=cKDTree(states.point))
