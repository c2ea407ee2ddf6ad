"""Where a path may touch pegs, and how it may go on from there.

A state is a peg, the side on which the body passes it, and the direction of the path there. States are laid out in
advance; the edges that leave a state are worked out when a search gets there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from pushpoint.engine.planar.kinematics import directions
from pushpoint.mapping.path_quality import REACH
from pushpoint.model.environment import Peg
from pushpoint.planning.pegs.checks import check_parameters
from pushpoint.planning.pegs.edges import ClearanceMap, Edges, hermite_edges, passable

NOTHING = -1
"""In place of a peg: the start or the goal."""
MARGIN = 0.01
"""How much further than needed distances to pegs are known [m]."""


@dataclass(frozen=True, kw_only=True)
class BodySize:
    """What of the robot matters to the shape of its path."""

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
    """Places where a path may touch a peg, or those that it passes."""

    point: np.ndarray
    """Where the path is [m], shape (n, 2)."""
    angle: np.ndarray
    """Its direction there [rad], shape (n,)."""
    peg: np.ndarray
    """The peg it touches, or NOTHING [-], shape (n,)."""
    side: np.ndarray
    """+1: the peg is to the right of the path, -1: to its left, 0: no peg; shape (n,)."""

    def those(self, which: Any) -> States:
        """A selection of them."""
        return States(*(each[which] for each in self))


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


class Leaving(NamedTuple):
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

    body: BodySize
    layout: Layout
    states: States
    """Those at pegs; at the end those of the start, then those of the goal."""
    clearance: ClearanceMap
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

    def edges(self, start: States, end: States) -> Edges:
        """The curves from states to states."""
        return hermite_edges(start.point, start.angle, end.point, end.angle, self.body.link)

    def passes(self, edges: Edges) -> np.ndarray:
        """Whether the robot passes along each of these edges."""
        return passable(edges, self.clearance, self.body.half_width + self.layout.margin, self.body.sharpest)

    def beside(self, edges: Edges) -> list[np.ndarray]:
        """The pegs that links on each edge may reach."""
        close = self.clearance.at(edges.points) < self.body.reach
        owner = np.where(close, self.clearance.nearest(edges.points), -1)
        return [np.unique(row[row >= 0]) for row in owner]

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
        edges = self.edges(states.those(np.full(len(near), k)), states.those(near))
        fine = self.passes(edges)
        edges = edges.those(fine)
        return Leaving(near[fine], edges, self.beside(edges))


def lay_out(
    pegs: Sequence[Peg],
    start: np.ndarray,
    goal: np.ndarray,
    body: BodySize,
    layout: Layout,
    random: np.random.Generator,
) -> PegGraph:
    """The states between start and goal."""
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
    angle = ahead - side * offset  # a peg to the left pushes on a path that bears left
    point = clearance.beside(peg, side, angle, body.half_width + layout.slack)
    at_pegs = States(point, angle, peg, side).those(clearance.at(point) >= body.half_width + layout.margin)
    spread = ahead + np.linspace(-layout.end_spread, layout.end_spread, layout.n_angles)
    nothing = np.full(len(spread), NOTHING), np.zeros(len(spread))
    ends = [States(np.tile(end, (len(spread), 1)), spread, *nothing) for end in (start, goal)]
    states = States(*(np.concatenate(each) for each in zip(at_pegs, *ends, strict=True)))
    return PegGraph(body=body, layout=layout, states=states, clearance=clearance, tree=cKDTree(states.point))
