"""The search for a path from peg to peg along which the robot can push itself on.

Paths grow from the start toward the goal. They are sorted into layers by the distance still to go; of each layer the
cheapest are continued by all their edges, and every position on a new edge is judged at once. What counts is the
stretch where the pegs cannot push the robot on, and how hard its joints have to work elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.planning.pegs.balance import PegArrays, Stretches, path_torques
from pushpoint.planning.pegs.checks import check_parameters
from pushpoint.planning.pegs.graph import BodySize, PegGraph
from pushpoint.reduced.friction import GroundFriction
from pushpoint.reduced.robot import ReducedRobot

WIDTH = 16
"""Most pegs considered beside a path's last stretch [-]."""
TORQUES = (1e-9, 1e99)
"""Torque limits that stand for none at all and for no limit [N m]."""
RECENT = 6
"""States back in which a path may not have touched the peg it goes to [-]."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How wide the search is, and what it holds dear; tuned on seeds 0 to 99 of the benchmark's fields."""

    layer: float = 0.1
    """Thickness of a layer of distances to the goal [m]."""
    edges: int = 120
    """Edges by which paths of a layer are continued, about [-]."""
    spacing: float = 0.08
    """Distance between judged positions [m]; no simple fraction of a link, so that all its parts meet the pegs."""
    visits: int = 2
    """Paths of a layer continued from one state at most [-]."""
    bad_weight: float = 6.0
    """What a bad stretch costs over a way still to go as long [-]."""
    early_weight: float = 3.0
    """The same while the body is not yet wholly on the path and is judged as far as it is [-]."""
    early: float = 0.4
    """From which part of the body on the path on it is judged [-]."""
    soft: float = 0.3
    """What a stretch costs where the joints need their largest torques, over a bad one [-]."""
    greed: float = 2.0
    """Weight of the way still to go [-]."""
    noise: float = 0.1
    """Spread of a random part of the cost, for variety [m]."""

    def __post_init__(self) -> None:
        check_parameters(self, "effort", ("bad_weight", "early_weight", "early", "soft", "greed", "noise"))


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


@dataclass(frozen=True, kw_only=True, eq=False)
class Found:
    """What a search found."""

    reaching: list[Node]
    """Paths that reach the goal, the best first."""
    nearest: Node
    """The path that came nearest to the goal without reaching it."""
    judged: int
    """Positions judged [-]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Step:
    """A path and an edge that continues it."""

    node: Node
    state: int
    points: np.ndarray
    """Of path and edge together [m], shape (n, 2)."""
    arc: np.ndarray
    """Arc lengths there [m], shape (n,)."""
    beside: np.ndarray
    """Pegs beside the edge."""


def search(task: Task, graph: PegGraph, random: np.random.Generator) -> Found:
    """Grows paths from the start until they reach the goal or no layer has any left."""
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
    return Found(reaching=sorted(reaching, key=lambda node: (node.bad, node.cost)), nearest=nearest, judged=judged)


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
