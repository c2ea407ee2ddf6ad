"""A path as the pegs it touches, and its improvement: directions at the pegs are changed a little, again and again."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from pushpoint.planning.pegs.balance import Windows
from pushpoint.planning.pegs.checks import check_parameters
from pushpoint.planning.pegs.edges import Edges, directions, hermite_edges
from pushpoint.planning.pegs.graph import NOTHING, PegGraph, beside, touch_point
from pushpoint.planning.pegs.search import WINDOW_STEP, Node, Task

BEFORE = 2.0
"""How far a straight line leads up to a path [m]: a polygon is a little shorter than the arc it stands for."""


@dataclass(frozen=True, kw_only=True)
class Polish:
    """How a path is improved; tuned on seeds 0 to 99 of the benchmark's fields."""

    candidates: int = 6
    """Paths of the search that are judged closely [-]."""
    spacing: float = 0.03
    """Distance between positions judged [m]."""
    rounds: int = 8
    """Rounds of changes at most [-]; it ends when no position is bad."""
    tries: int = 12
    """Changes tried per round, of which the best is kept [-]."""
    spread: float = math.radians(10.0)
    """Spread of the changes of directions [rad]."""
    states: int = 2
    """Neighbouring pegs changed at once, at most [-]."""

    def __post_init__(self) -> None:
        check_parameters(self, "polish", ("rounds", "tries", "spread"))


@dataclass(frozen=True, kw_only=True, eq=False)
class Route:
    """The states that a path passes, from start to goal."""

    point: np.ndarray
    """Where the path is [m], shape (n, 2)."""
    angle: np.ndarray
    """Its direction there [rad], shape (n,)."""
    peg: np.ndarray
    """The peg it touches, or NOTHING [-], shape (n,)."""
    side: np.ndarray
    """+1: the peg is to the right of the path, -1: to its left, 0: no peg; shape (n,)."""

    @staticmethod
    def of(graph: PegGraph, node: Node) -> Route:
        """The states of a path that a search found."""
        at, s = list(node.states), graph.states
        return Route(point=s.point[at], angle=s.angle[at], peg=s.peg[at], side=s.side[at])

    def edges(self, graph: PegGraph) -> Edges:
        """The curves between the states."""
        return hermite_edges(self.point[:-1], self.angle[:-1], self.point[1:], self.angle[1:], graph.body.link)

    def points(self, graph: PegGraph) -> np.ndarray:
        """Points along the path [m], shape (n, 2)."""
        return np.concatenate((self.point[:1], self.edges(graph).points[:, 1:].reshape(-1, 2)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """A route and how fit it is."""

    route: Route
    head: np.ndarray
    """Arc lengths of the head judged [m], shape (n,)."""
    misfit: np.ndarray
    """How unfit the positions are [-], shape (n,); see Task.misfit."""
    ends: np.ndarray
    """Arc lengths at the states [m], shape (n_states,)."""

    @property
    def rank(self) -> tuple[int, float]:
        """Bad positions, then the sum of the misfits: less is better."""
        return int((self.misfit >= 1.0).sum()), float(self.misfit.sum())


def best_route(
    task: Task, graph: PegGraph, nodes: list[Node], polish: Polish, random: np.random.Generator
) -> tuple[Judged, int]:
    """The best of these paths, improved; and how many positions were judged."""
    routes = [Route.of(graph, node) for node in nodes[: polish.candidates]]
    found = judge(task, graph, routes, polish.spacing)
    count = sum(len(one.head) for one in found)
    best = min(found, key=lambda one: one.rank)
    for _ in range(polish.rounds):
        if not best.rank[0]:
            break
        changed = [route for _ in range(polish.tries) if (route := _changed(graph, best, polish, random)) is not None]
        if not changed:
            continue
        found = judge(task, graph, changed, polish.spacing)
        count += sum(len(one.head) for one in found)
        best = min(best, *found, key=lambda one: one.rank)
    return best, count


def judge(task: Task, graph: PegGraph, routes: list[Route], spacing: float) -> list[Judged]:
    """Judges routes from where the whole body is on them to their ends."""
    whole = graph.body.length
    curves = [route.edges(graph) for route in routes]
    ends = [np.concatenate(([0.0], np.cumsum(edges.arc[:, -1]))) for edges in curves]
    heads = [np.arange(whole, max(end[-1], whole + spacing / 2), spacing) for end in ends]
    back = np.arange(0.0, max(end[-1] for end in ends) + BEFORE / 2, WINDOW_STEP)
    near = [np.unique(np.concatenate(beside(edges, graph.clearance, graph.body))) for edges in curves]
    pegs = np.full((len(routes), max(1, *map(len, near))), task.pegs.none)
    points = np.empty((len(routes), len(back), 2))
    for k, route in enumerate(routes):
        pegs[k, : len(near[k])] = near[k]
        along = np.concatenate(([-BEFORE, 0.0], (ends[k][:-1, None] + curves[k].arc[:, 1:]).ravel()))
        path = route.points(graph)
        path = np.concatenate((path[:1] - BEFORE * directions(route.angle[:1]), path))
        for axis in (0, 1):
            points[k, :, axis] = np.interp(ends[k][-1] - back, along, path[:, axis])
    row = np.repeat(np.arange(len(routes)), [len(head) for head in heads])
    arc = np.concatenate(heads)
    windows = Windows(points=points, step=WINDOW_STEP, pegs=pegs)
    misfit = task.misfit(windows, row, np.array([end[-1] for end in ends])[row] - arc, arc)
    return [Judged(route=route, head=heads[k], misfit=misfit[row == k], ends=ends[k]) for k, route in enumerate(routes)]


def _changed(graph: PegGraph, judged: Judged, polish: Polish, random: np.random.Generator) -> Route | None:
    """The route with other directions at pegs beside a bad position; None if the robot does not pass along it."""
    route = judged.route
    head = random.choice(judged.head[judged.misfit >= 1.0])
    under = np.flatnonzero((judged.ends >= head - graph.body.length) & (judged.ends <= head + 0.1))
    if not under.size:
        return None
    first = random.choice(under)
    chosen = np.arange(first, min(first + random.integers(1, polish.states + 1), len(route.angle)))
    angle = route.angle.copy()
    angle[chosen] += polish.spread * random.standard_normal(len(chosen))
    at = chosen[route.peg[chosen] != NOTHING]
    point = route.point.copy()
    center, radius = graph.centers[route.peg[at]], graph.radii[route.peg[at]]
    beside_peg = graph.body.half_width + graph.layout.slack
    point[at] = touch_point(center, radius, route.side[at], angle[at], beside_peg)
    changed = replace(route, point=point, angle=angle)
    return changed if graph.passes(changed.edges(graph)).all() else None
