"""A path as the pegs it touches, and its improvement: directions at the pegs are changed a little, again and again."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pushpoint.engine.planar.kinematics import directions
from pushpoint.planning.pegs.balance import Stretches
from pushpoint.planning.pegs.checks import check_parameters
from pushpoint.planning.pegs.edges import Edges
from pushpoint.planning.pegs.graph import NOTHING, PegGraph, States
from pushpoint.planning.pegs.search import Node, Task

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


def _curves(graph: PegGraph, route: States) -> Edges:
    """The curves between the states of a path."""
    return graph.edges(route.those(slice(None, -1)), route.those(slice(1, None)))


def route_points(graph: PegGraph, route: States) -> np.ndarray:
    """Points along a path [m], shape (n, 2)."""
    return np.concatenate((route.point[:1], _curves(graph, route).points[:, 1:].reshape(-1, 2)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """A route and how fit it is."""

    route: States
    """The states that the path passes, from start to goal."""
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
    routes = [graph.states.those(list(node.states)) for node in nodes[: polish.candidates]]
    found = judge_routes(task, graph, routes, polish.spacing)
    count = sum(len(one.head) for one in found)
    best = min(found, key=lambda one: one.rank)
    for _ in range(polish.rounds):
        if not best.rank[0]:
            break
        changed = [route for _ in range(polish.tries) if (route := _changed(graph, best, polish, random)) is not None]
        if not changed:
            continue
        found = judge_routes(task, graph, changed, polish.spacing)
        count += sum(len(one.head) for one in found)
        best = min(best, *found, key=lambda one: one.rank)
    return best, count


def judge_routes(task: Task, graph: PegGraph, routes: list[States], spacing: float) -> list[Judged]:
    """Judges routes from where the whole body is on them to their ends."""
    whole = graph.body.length
    curves = [_curves(graph, route) for route in routes]
    ends = [np.concatenate(([0.0], np.cumsum(edges.arc[:, -1]))) for edges in curves]
    heads = [np.arange(whole, max(end[-1], whole + spacing / 2), spacing) for end in ends]
    near = [np.unique(np.concatenate(graph.beside(edges))) for edges in curves]
    paths = []
    for k, route in enumerate(routes):
        along = np.concatenate(([-BEFORE, 0.0], (ends[k][:-1, None] + curves[k].arc[:, 1:]).ravel()))
        path = route_points(graph, route)
        paths.append((along, np.concatenate((path[:1] - BEFORE * directions(route.angle[:1]), path))))
    row = np.repeat(np.arange(len(routes)), [len(head) for head in heads])
    arc = np.concatenate(heads)
    stretches = Stretches.of(paths, max(end[-1] for end in ends) + BEFORE / 2, near, task.pegs.none)
    misfit = task.misfit(stretches, row, np.array([end[-1] for end in ends])[row] - arc, arc)
    return [Judged(route=route, head=heads[k], misfit=misfit[row == k], ends=ends[k]) for k, route in enumerate(routes)]


def _changed(graph: PegGraph, judged: Judged, polish: Polish, random: np.random.Generator) -> States | None:
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
    away = graph.body.half_width + graph.layout.slack
    point[at] = graph.clearance.beside(route.peg[at], route.side[at], angle[at], away)
    changed = route._replace(point=point, angle=angle)
    return changed if graph.passes(_curves(graph, changed)).all() else None
