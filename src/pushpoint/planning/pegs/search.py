"""The search for a path from peg to peg along which the robot can push itself, and its improvement.

Paths grow from the start toward the goal, sorted into layers by the remaining distance. The cheapest paths of each
layer are continued by all their edges. The cost counts stretches where the pegs cannot push the robot forward, and how
hard its joints must work elsewhere. Then the directions of the best paths at the pegs are changed a little, again and
again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pushpoint.engine.batching import pick
from pushpoint.engine.planar.kinematics import directions
from pushpoint.model.checks import check_fields
from pushpoint.model.quantities import Coefficient, Count, Extent, Length, Natural, Spread
from pushpoint.planning.pegs.balance import PegArrays, Stretches, path_torques
from pushpoint.planning.pegs.graph import NOTHING, Edges, PegGraph, States
from pushpoint.reduced.robot import ReducedRobot
from pushpoint.reduced.smooth import GroundFriction

WIDTH = 16
"""Most pegs considered beside a path's last stretch [-]."""
TORQUES = (1e-9, 1e99)
"""Stand for no torque at all and for no torque limit [N m]."""
RECENT = 6
"""Number of previous states in which a path must not have touched the peg it goes to [-]."""
BEFORE = 2.0
"""Length of a straight line before a path [m]: a polygon is a little shorter than its arc."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How wide the search is, and how it weighs costs; tuned on seeds 0 to 99 of the benchmark's fields."""

    layer: Length = 0.1
    """Thickness of a layer of distances to the goal [m]."""
    edges: Count = 120
    """Approximate number of edges by which the paths of a layer are continued [-]."""
    spacing: Length = 0.08
    """Distance between judged positions [m]. Not a simple fraction of a link, so that all its parts meet the pegs."""
    visits: Count = 2
    """Most paths of a layer continued from one state [-]."""
    bad_weight: Coefficient = 6.0
    """Cost of a bad stretch relative to an equally long remaining distance [-]."""
    early_weight: Coefficient = 3.0
    """The same while the body is only partly on the path; only that part is judged [-]."""
    early: Coefficient = 0.4
    """Share of the body on the path from which it is judged [-]."""
    soft: Coefficient = 0.3
    """Cost of a stretch where the joints need their largest torques, relative to a bad one [-]."""
    greed: Coefficient = 2.0
    """Weight of the remaining distance [-]."""
    noise: Extent = 0.1
    """Standard deviation of a random part of the cost, for variety [m]."""

    def __post_init__(self) -> None:
        check_fields(self, "effort")


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """What a path must fulfil besides its ends."""

    robot: ReducedRobot
    ground: GroundFriction
    pegs: PegArrays
    torque_limit: np.ndarray
    """Largest torque of each joint [N m], shape (n_joints,)."""
    joint_limit: float
    """Largest joint angle [rad]."""
    effort: Effort

    def misfit(
        self,
        paths: Sequence[tuple[np.ndarray, np.ndarray]],
        heads: Sequence[np.ndarray],
        near: Sequence[np.ndarray],
        length: float,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How bad positions are [-]: 1 where the robot cannot push itself forward, else at most `soft`.

        Only the last `length` [m] of the paths (arc lengths and points [m]) counts, with the pegs near it; `heads` are
        the arc lengths of the head to be judged on each [m]. Returns the path of each position, its arc length [m] and
        its misfit, shapes (n,).
        """
        row, arc = np.repeat(np.arange(len(heads)), [len(head) for head in heads]), np.concatenate(heads)
        behind = np.array([along[-1] for along, _ in paths])[row] - arc
        stretches = Stretches.of(paths, length, near, self.pegs.none)
        torque = path_torques(self.robot, self.ground, self.pegs, stretches, row, behind, arc, self.joint_limit)
        load = np.max(np.abs(torque) / np.clip(self.torque_limit, *TORQUES), axis=1)
        return row, arc, np.where(load <= 1.0, self.effort.soft * np.square(np.minimum(load, 1.0)), 1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Node:
    """A path from the start to a state."""

    states: tuple[int, ...]
    """The states it passes, beginning at the start."""
    points: np.ndarray
    """Its last stretch [m], shape (n, 2)."""
    arc: np.ndarray
    """Arc lengths there [m], shape (n,)."""
    pegs: tuple[np.ndarray, ...]
    """Pegs beside each of its edges."""
    ends: tuple[float, ...]
    """Arc lengths at its states [m]."""
    bad: float
    """Length of the stretch where the robot cannot push itself forward [m]."""
    cost: float
    """Weighted sum of the misfit along it [m]."""


def search(task: Task, graph: PegGraph, random: np.random.Generator) -> tuple[list[Node], bool, int]:
    """Grows paths from the start until they reach the goal or no layer has any left.

    Returns the paths that reach the goal, best first, or else the one that came nearest to it; whether they reach it;
    and the number of judged positions.
    """
    effort, (starts, goals) = task.effort, graph.ends
    roots = [_root(graph, k) for k in starts]
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
    """A path that has only begun; a straight line leads up to it."""
    point, back = graph.states.point[state], graph.body.length + 1.0
    points = np.stack((point - back * directions(graph.states.angle[state]), point))
    return Node(states=(state,), points=points, arc=np.array([-back, 0.0]), pegs=(), ends=(0.0,), bad=0.0, cost=0.0)


def _to_go(graph: PegGraph, node: Node) -> float:
    return float(np.linalg.norm(graph.states.point[node.states[-1]] - graph.states.point[-1]))


def _chosen(nodes: list[Node], effort: Effort, graph: PegGraph, random: np.random.Generator) -> list[Node]:
    """The cheapest paths of a layer, only a few of them in the same state."""
    visits: Counter[int] = Counter()
    chosen: list[Node] = []
    edges = 0
    cost = np.array([node.cost + effort.greed * _to_go(graph, node) for node in nodes])
    for k in np.argsort(cost + effort.noise * random.random(len(cost))):
        state = nodes[k].states[-1]
        if visits[state] < effort.visits:
            visits[state] += 1
            chosen.append(nodes[k])
            edges += len(graph.leaving(state)[0])
        if edges >= effort.edges:
            break
    return chosen


def _continued(task: Task, graph: PegGraph, chosen: list[Node]) -> tuple[list[Node], int]:
    """All judged continuations of these paths by one edge, and the number of judged positions."""
    nodes = [longer for node in chosen for longer in _longer(graph, node)]
    effort, whole = task.effort, graph.body.length
    if not nodes:
        return [], 0
    heads, near = [], []
    for node in nodes:
        *_, begin, end = node.ends
        head = effort.spacing * np.arange(np.floor(begin / effort.spacing) + 1, end / effort.spacing)
        heads.append(head[head >= effort.early * whole])
        first = int(np.searchsorted(node.ends[1:], begin - 1.2 * whole))
        near.append(np.unique(np.concatenate(node.pegs[first:]))[:WIDTH])
    length = whole + 1.5 * graph.layout.longest_edge + 0.1
    row, arc, misfit = task.misfit([(node.arc, node.points) for node in nodes], heads, near, length)
    misfit *= effort.spacing
    weight = np.where(arc >= whole, effort.bad_weight, effort.early_weight)
    badly = np.where((arc >= whole) & (misfit >= effort.spacing), misfit, 0.0)
    bad, cost = (np.bincount(row, each, minlength=len(nodes)).tolist() for each in (badly, weight * misfit))
    found = zip(nodes, bad, cost, strict=True)
    return [replace(node, bad=node.bad + more, cost=node.cost + price) for node, more, price in found], len(row)


def _longer(graph: PegGraph, node: Node) -> list[Node]:
    """The path continued by each edge that does not return to a peg it has just passed; not judged yet."""
    used = {int(graph.states.peg[state]) for state in node.states[-RECENT:]} - {NOTHING}
    end, (states, edges, near) = node.ends[-1], graph.leaving(node.states[-1])
    keep = max(int(np.searchsorted(node.arc, end - graph.body.length - 0.6)) - 1, 0)
    return [
        replace(
            node,
            states=(*node.states, int(state)),
            points=np.concatenate((node.points[keep:], points[1:])),
            arc=np.concatenate((node.arc[keep:], end + arc[1:])),
            pegs=(*node.pegs, beside),
            ends=(*node.ends, end + float(arc[-1])),
        )
        for state, points, arc, beside in zip(states, edges.points, edges.arc, near, strict=True)
        if int(graph.states.peg[state]) not in used
    ]


@dataclass(frozen=True, kw_only=True)
class Polish:
    """How a path is improved; tuned on seeds 0 to 99 of the benchmark's fields."""

    candidates: Count = 6
    """Number of paths of the search that are judged closely [-]."""
    spacing: Length = 0.03
    """Distance between positions judged [m]."""
    rounds: Natural = 8
    """Most rounds of changes [-]; it ends when no position is bad."""
    tries: Natural = 12
    """Changes tried per round; the best one is kept [-]."""
    spread: Spread = math.radians(10.0)
    """Standard deviation of the changes of directions [rad]."""
    states: Count = 2
    """Most neighbouring pegs changed at once [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "polish")


def _curves(graph: PegGraph, route: States) -> Edges:
    """The curves between the states of a path."""
    return graph.edges(pick(route, slice(None, -1)), pick(route, slice(1, None)))


def route_points(graph: PegGraph, route: States) -> np.ndarray:
    """Points along a path [m], shape (n, 2)."""
    return np.concatenate((route.point[:1], _curves(graph, route).points[:, 1:].reshape(-1, 2)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """A route and how good it is."""

    route: States
    """The states that the path passes, from start to goal."""
    head: np.ndarray
    """Judged arc lengths of the head [m], shape (n,)."""
    misfit: np.ndarray
    """How bad the positions are [-], shape (n,); see Task.misfit."""
    ends: np.ndarray
    """Arc lengths at the states [m], shape (n_states,)."""

    def rank(self) -> tuple[int, float]:
        """Number of bad positions, then the sum of the misfits; smaller is better."""
        return int((self.misfit >= 1.0).sum()), float(self.misfit.sum())


def best_route(
    task: Task, graph: PegGraph, nodes: list[Node], polish: Polish, random: np.random.Generator
) -> tuple[Judged, int]:
    """The best of these paths, improved, and the number of judged positions."""
    routes = [pick(graph.states, list(node.states)) for node in nodes[: polish.candidates]]
    found = judge_routes(task, graph, routes, polish.spacing)
    best, count = min(found, key=Judged.rank), sum(len(one.head) for one in found)
    for _ in range(polish.rounds):
        if not best.rank()[0]:
            break
        changed = [route for _ in range(polish.tries) if (route := _changed(graph, best, polish, random)) is not None]
        if changed:
            found = judge_routes(task, graph, changed, polish.spacing)
            count += sum(len(one.head) for one in found)
            best = min(best, *found, key=Judged.rank)
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
    row, _, misfit = task.misfit(paths, heads, near, max(end[-1] for end in ends) + BEFORE / 2)
    return [Judged(route=route, head=heads[k], misfit=misfit[row == k], ends=ends[k]) for k, route in enumerate(routes)]


def _changed(graph: PegGraph, judged: Judged, polish: Polish, random: np.random.Generator) -> States | None:
    """The route with other directions at pegs beside a bad position; None if the robot cannot pass along it."""
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
