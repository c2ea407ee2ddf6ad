"""Where a path may touch pegs, and how it may go on from there.

A state is a peg, the side on which the body passes it, and the direction of the path there. States are laid out in
advance; the edges that leave a state are worked out when a search gets there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import cKDTree

from pushpoint.mapping.path_quality import REACH
from pushpoint.model.environment import Peg
from pushpoint.planning.pegs.checks import check_parameters
from pushpoint.planning.pegs.clearance import ClearanceMap
from pushpoint.planning.pegs.edges import Edges, directions, hermite_edges, passable

NOTHING = -1
"""In place of a peg: the start or the goal."""
MARGIN = 0.01
"""How much further than needed distances to pegs are known [m]."""


@dataclass(frozen=True, kw_only=True)
class Body:
    """What of the robot matters to the shape of its path."""

    length: float
    """Length of the robot [m]."""
    half_width: float
    """Largest radius of its links [m]."""
    link: float
    """Length of its longest link [m]."""
    sharpest: float
    """Largest curvature of a path [1/m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class States:
    """Places where a path may touch a peg, then the start's and the goal's directions."""

    point: np.ndarray
    """Where the path is [m], shape (n, 2)."""
    angle: np.ndarray
    """Its direction there [rad], shape (n,)."""
    peg: np.ndarray
    """The peg it touches, or NOTHING [-], shape (n,)."""
    side: np.ndarray
    """+1: the peg is to the right of the path, -1: to its left, 0: no peg; shape (n,)."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How states are laid out and joined; tuned on seeds 0 to 99 of the benchmark's fields."""

    slack: float = 0.01
    """Distance between body and peg where the path touches it [m]: links cut the corner of a curved path."""
    margin: float = 0.002
    """Distance that edges keep from pegs beyond the body's half width [m]: they are checked at points only."""
    n_angles: int = 7
    """Directions tried per peg and side [-]."""
    widest: float = math.radians(80.0)
    """Largest angle between the path at a peg and the way to the goal, turned so that the peg pushes on [rad]."""
    braking: float = math.radians(10.0)
    """The same, turned the other way [rad]."""
    shortest_edge: float = 0.08
    """Least distance between neighbouring states [m]."""
    longest_edge: float = 0.45
    """Largest distance between neighbouring states [m]."""
    turn: float = math.radians(75.0)
    """Largest angle between an edge's ends and its chord [rad]."""
    end_spread: float = math.radians(50.0)
    """Largest angle between the path at start or goal and the way to the goal [rad]."""
    detour: float = 1.3
    """Pegs count whose distances to start and goal sum up to less than this many distances from start to goal [-]."""

    def __post_init__(self) -> None:
        check_parameters(self, "layout", ("slack", "margin", "braking", "end_spread", "shortest_edge"))


@dataclass(frozen=True, kw_only=True, eq=False)
class Leaving:
    """The edges that leave a state."""

    state: np.ndarray
    """The states that they lead to [-], shape (n,)."""
    edges: Edges
    """Their shapes."""
    beside: list[np.ndarray]
    """The pegs within reach of each."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PegGraph:
    """The states, and the edges found so far."""

    body: Body
    layout: Layout
    states: States
    """Those at pegs; at the end those of the start, then those of the goal."""
    clearance: ClearanceMap
    centers: np.ndarray
    """Of the pegs [m], shape (n_pegs, 2)."""
    radii: np.ndarray
    """Of the pegs [m], shape (n_pegs,)."""
    tree: cKDTree
    """Of the states' points."""
    known: dict[int, Leaving] = field(default_factory=dict)
    """Edges by the state that they leave."""

    @property
    def starts(self) -> range:
        """The states of the start."""
        count, n = self.layout.n_angles, len(self.states.angle)
        return range(n - 2 * count, n - count)

    @property
    def goals(self) -> range:
        """The states of the goal."""
        n = len(self.states.angle)
        return range(n - self.layout.n_angles, n)

    def passes(self, edges: Edges) -> np.ndarray:
        """Whether the robot passes along each of these edges."""
        return passable(edges, self.clearance, self.body.half_width + self.layout.margin, self.body.sharpest)

    def leaving(self, state: int) -> Leaving:
        """The edges by which a path may go on from a state."""
        if state not in self.known:
            self.known[state] = self._edges_from(state)
        return self.known[state]

    def _edges_from(self, k: int) -> Leaving:
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
        here = np.full(len(near), k)
        edges = hermite_edges(
            states.point[here], states.angle[here], states.point[near], states.angle[near], self.body.link
        )
        fine = self.passes(edges)
        edges = edges.those(fine)
        return Leaving(state=near[fine], edges=edges, beside=beside(edges, self.clearance, self.body))


def beside(edges: Edges, clearance: ClearanceMap, body: Body) -> list[np.ndarray]:
    """The pegs that links on each edge may reach."""
    close = clearance.at(edges.points) < reach_of(body)
    owner = np.where(close, clearance.nearest(edges.points), -1)
    return [np.unique(row[row >= 0]) for row in owner]


def reach_of(body: Body) -> float:
    """Distance from a path within which a peg may touch the body [m]; links cut corners by their sagitta."""
    return body.half_width + REACH + body.sharpest * body.link**2 / 8


def lay_out(
    pegs: Sequence[Peg],
    start: np.ndarray,
    goal: np.ndarray,
    body: Body,
    layout: Layout,
    random: np.random.Generator,
) -> PegGraph:
    """The states between start and goal."""
    center, radius = np.array([(peg.x, peg.y) for peg in pegs]), np.array([peg.radius for peg in pegs])
    way = goal - start
    ahead = math.atan2(way[1], way[0])
    through = np.linalg.norm(center - start, axis=1) + np.linalg.norm(center - goal, axis=1)
    used = np.flatnonzero(through <= layout.detour * np.linalg.norm(way) + body.length / 2)
    peg = np.repeat(used, 2 * layout.n_angles)
    side = np.tile(np.repeat([1.0, -1.0], layout.n_angles), len(used))
    span = (layout.widest + layout.braking) / layout.n_angles
    offset = -layout.braking + span * (np.tile(np.arange(layout.n_angles), 2 * len(used)) + random.random(len(peg)))
    angle = ahead - side * offset  # a peg to the left pushes on a path that bears left
    point = touch_point(center[peg], radius[peg], side, angle, body.half_width + layout.slack)
    clearance = ClearanceMap.of(pegs, reach_of(body) + MARGIN)
    free = clearance.at(point) >= body.half_width + layout.margin
    ends = ahead + np.linspace(-layout.end_spread, layout.end_spread, layout.n_angles)
    nothing = np.full(2 * len(ends), NOTHING)
    states = States(
        point=np.concatenate((point[free], np.tile(start, (len(ends), 1)), np.tile(goal, (len(ends), 1)))),
        angle=np.concatenate((angle[free], ends, ends)),
        peg=np.concatenate((peg[free], nothing)),
        side=np.concatenate((side[free], np.zeros(len(nothing)))),
    )
    return PegGraph(
        body=body,
        layout=layout,
        states=states,
        clearance=clearance,
        centers=center,
        radii=radius,
        tree=cKDTree(states.point),
    )


def touch_point(
    center: np.ndarray, radius: np.ndarray, side: np.ndarray, angle: np.ndarray, beside_peg: float
) -> np.ndarray:
    """Where paths of these directions pass pegs at a distance from their surfaces [m], shape (n, 2)."""
    left = np.stack((-np.sin(angle), np.cos(angle)), axis=1)
    return center + (side * (radius + beside_peg))[:, None] * left
