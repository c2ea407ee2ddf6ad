"""The search for a path from peg to peg along which the robot can push itself on, and its improvement.

Paths grow from the start toward the goal. They are sorted into layers by the distance still to go; of each layer the
cheapest are continued by all their edges, and every position on a new edge is judged at once. What counts is the
stretch where the pegs cannot push the robot on, and how hard its joints have to work elsewhere. Of the best paths the
directions at the pegs are then changed a little, again and again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from pushpoint.engine.planar.kinematics import directions
from pushpoint.model.checks import Whole, at_least, check_fields
from pushpoint.model.quantities import Coefficient, Extent, Length
from pushpoint.planning.pegs.balance import PegArrays, Stretches, path_torques
from pushpoint.planning.pegs.graph import NOTHING, BodySize, Count, Edges, PegGraph, States
from pushpoint.reduced.robot import ReducedRobot
from pushpoint.reduced.smooth import GroundFriction

WIDTH = 16
"""Most pegs considered beside a path's last stretch [-]."""
TORQUES = (1e-9, 1e99)
"""Torque limits that stand for none at all and for no limit [N m]."""
RECENT = 6
"""States back in which a path may not have touched the peg it goes to [-]."""
BEFORE = 2.0
"""How far a straight line leads up to a path [m]: a polygon is a little shorter than the arc it stands for."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How wide the search is, and what it holds dear; tuned on seeds 0 to 99 of the benchmark's fields."""

    layer: Length = 0.1
    """Thickness of a layer of distances to the goal [m]."""
    edges: Count = 120
    """Edges by which paths of a layer are continued, about [-]."""
    spacing: Length = 0.08
    """Distance between judged positions [m]; no simple fraction of a link, so that all its parts meet the pegs."""
    visits: Count = 2
    """Paths of a layer continued from one state at most [-]."""
    bad_weight: Coefficient = 6.0
    """What a bad stretch costs over a way still to go as long [-]."""
    early_weight: Coefficient = 3.0
    """The same while the body is not yet wholly on the path and is judged as far as it is [-]."""
    early: Coefficient = 0.4
    """From which part of the body on the path on it is judged [-]."""
    soft: Coefficient = 0.3
    """What a stretch costs where the joints need their largest torques, over a bad one [-]."""
    greed: Coefficient = 2.0
    """Weight of the way still to go [-]."""
    noise: Extent = 0.1
    """Spread of a random part of the cost, for variety [m]."""

    def __post_init__(self) -> None:
        check_fields(self, "effort")


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """What is asked of a path besides its ends."""

    robot: ReducedRobot
    body: BodySize
    ground: GroundFriction
    pegs: PegArrays
    torque_limit: np.ndarray
    """Largest torque of each joint [N m], shape (n_joints,)."""
    joint_limit: float
    """Largest joint angle [rad]."""
    effort: Effort

    def misfit(self, stretches: Stretches, row: np.ndarray, behind: np.ndarray, arc: np.ndarray) -> np.ndarray:
        """How unfit positions are [-], shape (n,): 1 where the robot cannot push itself on, else `soft` at most."""
        torque = path_torques(self.robot, self.ground, self.pegs, stretches, row, behind, arc, self.joint_limit)
        load = np.max(np.abs(torque) / np.clip(self.torque_limit, *TORQUES), axis=1)
        return np.where(load <= 1.0, self.effort.soft * np.square(np.minimum(load, 1.0)), 1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Node:
    """A path from the start to a state."""

    states: tuple[int, ...]
    """The states it passes, from the start."""
    points: np.ndarray
    """Its last stretch [m], shape (n, 2)."""
    arc: np.ndarray
    """Arc lengths there [m], shape (n,)."""
    pegs: tuple[np.ndarray, ...]
    """Pegs beside each of its edges."""
    ends: tuple[float, ...]
    """Arc lengths at the ends of its edges [m]."""
    bad: float
    """Stretch where the robot cannot push itself on [m]."""
    cost: float
    """Weighted sum of the misfit along it [m]."""

    @property
    def length(self) -> float:
        """Arc length [m]."""
        return self.ends[-1] if self.ends else 0.0


class _Step(NamedTuple):
    """A path and an edge that continues it."""

    node: Node
    state: int
    points: np.ndarray
    """Of path and edge together [m], shape (n, 2)."""
    arc: np.ndarray
    """Arc lengths there [m], shape (n,)."""
    beside: np.ndarray
    """Pegs beside the edge."""


def search(task: Task, graph: PegGraph, random: np.random.Generator) -> tuple[list[Node], bool, int]:
    """Grows paths from the start until they reach the goal or no layer has any left.

    Returns the paths that reach the goal, the best first, else the one that came nearest to it; whether they reach it;
    and how many positions were judged.
    """
    effort, goals = task.effort, graph.goals
    roots = [_root(graph, k) for k in graph.starts]
    last = int(_to_go(graph, roots[0]) / effort.layer) + 1
    layers: list[list[Node]] = [[] for _ in range(last)] + [roots]
    reaching: list[Node] = []
    nearest, judged = roots[0], 0
    for here in range(last, -1, -1):
        nodes, count = _continued(task, graph, _chosen(layers[here], effort, graph, random))
        judged += count
        for node in nodes:
            if node.states[-1] in goals:
                reaching.append(node)
                continue
            if here:
                layers[min(int(_to_go(graph, node) / effort.layer), here - 1)].append(node)
            nearest = min(nearest, node, key=lambda one: _to_go(graph, one))
    return sorted(reaching, key=lambda node: (node.bad, node.cost)) or [nearest], bool(reaching), judged


def _root(graph: PegGraph, state: int) -> Node:
    """The path that has only begun; a straight line leads up to it."""
    angle, point = graph.states.angle[state], graph.states.point[state]
    back = graph.body.length + 1.0
    tail = point - back * np.array([np.cos(angle), np.sin(angle)])
    points, arc = np.stack((tail, point)), np.array([-back, 0.0])
    return Node(states=(state,), points=points, arc=arc, pegs=(), ends=(), bad=0.0, cost=0.0)


def _to_go(graph: PegGraph, node: Node) -> float:
    return float(np.linalg.norm(graph.states.point[node.states[-1]] - graph.states.point[-1]))


def _chosen(nodes: list[Node], effort: Effort, graph: PegGraph, random: np.random.Generator) -> list[Node]:
    """The cheapest paths of a layer, few of them in the same state."""
    visits: dict[int, int] = {}
    chosen: list[Node] = []
    edges = 0
    cost = np.array([node.cost + effort.greed * _to_go(graph, node) for node in nodes])
    for k in np.argsort(cost + effort.noise * random.random(len(cost))):
        state = nodes[k].states[-1]
        if visits.get(state, 0) < effort.visits:
            visits[state] = visits.get(state, 0) + 1
            chosen.append(nodes[k])
            edges += len(graph.leaving(state).state)
        if edges >= effort.edges:
            break
    return chosen


def _continued(task: Task, graph: PegGraph, chosen: list[Node]) -> tuple[list[Node], int]:
    """All continuations of these paths by an edge, judged; and how many positions that took."""
    steps = [step for node in chosen for step in _steps(graph, node)]
    effort, whole = task.effort, graph.body.length
    if not steps:
        return [], 0
    heads = []
    for step in steps:
        head = effort.spacing * np.arange(
            np.floor(step.node.length / effort.spacing) + 1, step.arc[-1] / effort.spacing
        )
        heads.append(head[head >= effort.early * whole])
    row, arc = np.repeat(np.arange(len(steps)), [len(head) for head in heads]), np.concatenate(heads)
    behind = np.array([step.arc[-1] for step in steps])[row] - arc
    misfit = effort.spacing * task.misfit(_stretches(task, graph, steps), row, behind, arc)
    weight = np.where(arc >= whole, effort.bad_weight, effort.early_weight)
    cost = np.bincount(row, weight * misfit, minlength=len(steps))
    bad = np.bincount(row, np.where((arc >= whole) & (misfit >= effort.spacing), misfit, 0.0), minlength=len(steps))
    return [_grown(step, whole, float(bad[k]), float(cost[k])) for k, step in enumerate(steps)], len(row)


def _steps(graph: PegGraph, node: Node) -> list[_Step]:
    """The ways to continue a path that do not come back to a peg it has just passed."""
    leaving = graph.leaving(node.states[-1])
    used = {int(graph.states.peg[state]) for state in node.states[-RECENT:]}
    steps = []
    for k, state in enumerate(leaving.state):
        peg = int(graph.states.peg[state])
        if peg >= 0 and peg in used:
            continue
        points = np.concatenate((node.points, leaving.edges.points[k, 1:]))
        arc = np.concatenate((node.arc, node.length + leaving.edges.arc[k, 1:]))
        steps.append(_Step(node=node, state=int(state), points=points, arc=arc, beside=leaving.beside[k]))
    return steps


def _grown(step: _Step, whole: float, bad: float, cost: float) -> Node:
    node, end = step.node, float(step.arc[-1])
    keep = max(int(np.searchsorted(step.arc, end - whole - 0.6)) - 1, 0)
    return Node(
        states=(*node.states, step.state),
        points=step.points[keep:],
        arc=step.arc[keep:],
        pegs=(*node.pegs, step.beside),
        ends=(*node.ends, end),
        bad=node.bad + bad,
        cost=node.cost + cost,
    )


def _stretches(task: Task, graph: PegGraph, steps: list[_Step]) -> Stretches:
    """The stretches that the robot covers while its head is on the last edge."""
    whole, near = graph.body.length, []
    for step in steps:
        first = int(np.searchsorted(step.node.ends, step.node.length - 1.2 * whole))
        near.append(np.unique(np.concatenate((*step.node.pegs[first:], step.beside)))[:WIDTH])
    length = whole + 1.5 * graph.layout.longest_edge + 0.1
    return Stretches.of([(step.arc, step.points) for step in steps], length, near, task.pegs.none)


@dataclass(frozen=True, kw_only=True)
class Polish:
    """How a path is improved; tuned on seeds 0 to 99 of the benchmark's fields."""

    candidates: Count = 6
    """Paths of the search that are judged closely [-]."""
    spacing: Length = 0.03
    """Distance between positions judged [m]."""
    rounds: Annotated[int, Whole(0, words="a whole number >= 0")] = 8
    """Rounds of changes at most [-]; it ends when no position is bad."""
    tries: Annotated[int, Whole(0, words="a whole number >= 0")] = 12
    """Changes tried per round, of which the best is kept [-]."""
    spread: Annotated[float, at_least(0, "rad")] = math.radians(10.0)
    """Spread of the changes of directions [rad]."""
    states: Count = 2
    """Neighbouring pegs changed at once, at most [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "polish")


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
