"""Plans a path through pegs along which the robot can push itself: the second problem that Holden2014 leaves open.

The robot begins with its tail at the start and ends with its head at the goal. A layered search goes from peg to peg,
then the directions at the pegs of the best candidate are improved (both in `search`). Only mapping.path_quality
decides.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.mapping.limits import MappingBounds
from pushpoint.mapping.path_quality import PathQuality, Travel, beside_links, path_quality
from pushpoint.mapping.rails import Path, pose_on_path
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import What, check_fields, members
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.quantities import Count, Natural, Point
from pushpoint.planning.pegs.balance import PegArrays
from pushpoint.planning.pegs.graph import NOTHING, BodySize, Layout, PegGraph, lay_out
from pushpoint.planning.pegs.search import Effort, Judged, Polish, Task, best_route, route_points, search
from pushpoint.reduced.robot import finite_array, reduce_robot
from pushpoint.reduced.smooth import GroundFriction

MOST_BAD = 0.02
"""Largest share of bad positions of a path that still counts as planned [-]."""
OVERLAP = 1e-3
"""How far a link on the rails may overlap a peg in a plan that counts as clear [m]; edges are checked at points."""
SPACING = 0.02
"""Distance between the positions at which a plan is judged [m]."""
JOINT_LIMIT = math.radians(70.0)
"""Largest joint angle of a plan, unless the motors have narrower end stops [rad]."""
NEAR_END = 0.04
"""How far a state may lie from where the polygon's arc length says [m]."""
SHARPEST = 1.2
"""Largest curvature of a path, times the length of a link [-]."""


@dataclass(frozen=True, kw_only=True)
class PegTouch:
    """A peg that the path touches."""

    peg: int
    """Index of the peg [-]."""
    side: float
    """+1: the peg is to the right of the path, -1: to its left, as in `Contacts`."""
    arc: float
    """Arc length of the path there [m]."""
    angle: float
    """Direction of the path there, the reference angle of the links that pass the peg [rad]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PegPlan:
    """A path through pegs, and how well a robot can push itself along it; made by `plan_path`."""

    __repr__ = brief

    path: Path
    """The path. The tail begins at its start, the head ends at its end."""
    pegs: tuple[Peg, ...]
    """All pegs of the field."""
    touches: tuple[PegTouch, ...]
    """The pegs that the path touches, in order of travel."""
    quality: PathQuality
    """Balance of forces at every head position from where the whole body is on the path to its end."""
    reaches_goal: bool = False
    """Whether the path ends at the goal; otherwise it ends where the search came nearest to it."""
    clearance: float
    """Smallest gap between a link on the path and a peg [m]; negative if they overlap."""
    bend: float
    """Largest joint angle on the path [rad]."""
    joint_limit: float
    """Largest joint angle allowed [rad]."""
    planning_time: float = 0.0
    """Time that planning took [s]."""
    judged: int = 0
    """Positions judged while planning [-]."""

    @property
    def bad(self) -> float:
        """Share of the positions where the robot cannot push itself forward [-]."""
        return self.quality.bad

    @property
    def planned(self) -> bool:
        """Whether the path reaches the goal, is clear of pegs, bends no joint too far and is good almost everywhere."""
        return not self.flaws

    @property
    def flaws(self) -> tuple[str, ...]:
        """What is wrong with the path, one phrase each; empty if nothing is."""
        worst = self.quality.head[~self.quality.feasible]
        found = (
            (not self.reaches_goal, "the path does not reach the goal"),
            (self.bad > MOST_BAD, f"the pegs cannot push the robot forward at {100 * self.bad:.3g} % of the positions"
             + (f", first with the head at {worst[0]:.3g} m" if worst.size else "")),
            (self.clearance < -OVERLAP, f"a link overlaps a peg by {-1e3 * self.clearance:.3g} mm"),
            (self.bend > self.joint_limit, f"a joint bends by {math.degrees(self.bend):.3g} degrees"),
        )  # fmt: skip
        return tuple(phrase for wrong, phrase in found if wrong)


@dataclass(frozen=True, kw_only=True)
class PlanSettings:
    """How the planner searches; the defaults were tuned on seeds 0 to 99 of the benchmark's fields."""

    layout: Layout = field(default_factory=Layout)
    """How states are laid out."""
    effort: Annotated[Effort, What("an Effort")] = field(default_factory=Effort)
    """How wide the search is."""
    polish: Polish = field(default_factory=Polish)
    """How the best candidate is improved."""
    attempts: Count = 3
    """How often planning is tried at most, with new random numbers each time, until a path is found [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "settings")


@checked_arguments
def plan_path(
    robot: PlanarRobot,
    environment: Environment | Sequence[Peg],
    start: Point,
    goal: Point,
    *,
    seed: Natural = 0,
    ground: GroundFriction | None = None,
    bounds: MappingBounds | None = None,
    settings: PlanSettings | None = None,
) -> PegPlan:
    """Plans a path through pegs along which the robot can push itself from start to goal.

    Args:
        robot: The planar robot.
        environment: The pegs with the ground they stand on, or pegs alone, which then need `ground`.
        start: Position of the tail's rear end at first [m].
        goal: Wanted position of the head's front end [m]; farther away than the robot's length.
        seed: Seed of the random numbers. The same seed gives the same plan.
        ground: Friction of the ground; default: that of the environment.
        bounds: Limits of torques and peg forces; default: the motors' torque limits.
        settings: How the planner searches; default: PlanSettings().

    Returns:
        The best path found. Its `planned` says whether it is good enough, its `flaws` what is wrong with it if not.

    Raises:
        InvalidModel: Start or goal is not free or not finite, or there is nothing to push against.
    """
    began, settings = time.perf_counter(), settings or PlanSettings()
    pegs, ground = _surroundings(environment, ground)
    bounds = bounds or MappingBounds(torque_limit=robot.motor_column("torque_limit"))
    link, half_width = (float(robot.column(name).max()) for name in ("length", "radius"))
    body = BodySize(length=robot.length, half_width=half_width, link=link, sharpest=SHARPEST / link)
    ends = _ends(start, goal, pegs, body)
    stops = np.abs(np.concatenate((robot.motor_column("lower"), robot.motor_column("upper"))))
    task = Task(
        robot=reduce_robot(robot),
        ground=ground,
        pegs=PegArrays.of(pegs),
        torque_limit=bounds.of(robot.n_joints, len(pegs))[0],
        joint_limit=float(min(JOINT_LIMIT, stops.min())),
        effort=settings.effort,
    )
    random = np.random.default_rng(seed)
    tried: list[PegPlan] = []
    for _ in range(settings.attempts):
        graph = lay_out(pegs, *ends, body, settings.layout, random)
        plan = _attempt(task, graph, pegs, bounds, settings.polish, random)
        if plan is not None:
            tried.append(plan)
            if plan.planned:
                break
    if not tried:
        allowed = "a point from which pegs lead on: no path as long as the robot was found"
        raise InvalidModel("start", ends[0].tolist(), allowed)
    best = min(tried, key=lambda plan: (not plan.planned, not plan.reaches_goal, plan.bad))
    return replace(best, planning_time=time.perf_counter() - began, judged=sum(plan.judged for plan in tried))


def _attempt(
    task: Task,
    graph: PegGraph,
    pegs: tuple[Peg, ...],
    bounds: MappingBounds,
    polish: Polish,
    random: np.random.Generator,
) -> PegPlan | None:
    """One plan, judged by mapping.path_quality; None if no path is as long as the robot."""
    nodes, reaches_goal, searched = search(task, graph, random)
    robot, length = task.robot, graph.body.length
    if nodes[0].ends[-1] <= length:
        return None
    best, judged = best_route(task, graph, nodes, polish, random)
    path = Path(route_points(graph, best.route))
    head = np.linspace(length, path.length, max(int((path.length - length) / SPACING) + 1, 2))
    pose = pose_on_path(robot, path, head)
    gap = beside_links(robot, pose.center, pose.link_angle, pegs)[3]
    return PegPlan(
        path=path,
        pegs=pegs,
        touches=_touches(path, best),
        quality=path_quality(Travel(robot, task.ground, path, pegs, head), bounds),
        reaches_goal=reaches_goal,
        clearance=float(gap.min()),
        bend=float(np.abs(np.diff(pose.link_angle, axis=1)).max()),
        joint_limit=task.joint_limit,
        judged=searched + judged,
    )


def _touches(path: Path, best: Judged) -> tuple[PegTouch, ...]:
    """The pegs that the path touches. It passes exactly through the points beside them."""
    route = best.route
    found = []
    for k in np.flatnonzero(route.peg != NOTHING):
        s = best.ends[k] + np.linspace(-NEAR_END, NEAR_END, 401)  # the polygon's arc is a little too short
        points, tangents = path.at(s)
        at = int(np.argmin(np.linalg.norm(points - route.point[k], axis=1)))
        angle = math.atan2(tangents[at, 1], tangents[at, 0])
        found.append(PegTouch(peg=int(route.peg[k]), side=float(route.side[k]), arc=float(s[at]), angle=angle))
    return tuple(found)


def _surroundings(
    environment: Environment | Sequence[Peg], ground: GroundFriction | None
) -> tuple[tuple[Peg, ...], GroundFriction]:
    name = "environment.obstacles" if isinstance(environment, Environment) else "pegs"
    obstacles = environment.obstacles if isinstance(environment, Environment) else environment
    pegs = members(name, obstacles, Peg, "a Peg: paths are planned among pegs alone")
    if not pegs:
        raise InvalidModel(name, 0, "at least one Peg: without pegs there is nothing to push against")
    if ground is None:
        if not isinstance(environment, Environment):
            raise InvalidModel("ground", None, "given if the pegs come without an Environment")
        ground = GroundFriction.of(environment.ground)
    if not ((ground.coefficient and ground.gravity) or ground.viscous_along or ground.viscous_across):
        raise InvalidModel("ground", "frictionless", "one with friction: without it, nothing resists the robot")
    return pegs, ground


def _ends(start: Any, goal: Any, pegs: Sequence[Peg], body: BodySize) -> tuple[np.ndarray, np.ndarray]:
    """Start and goal [m], checked to be free and farther apart than the robot's length."""
    ends = []
    for name, point in (("start", start), ("goal", goal)):
        place = finite_array(name, point, "m")
        if place.shape != (2,):
            raise InvalidModel(f"{name}: shape", place.shape, "(2,), x and y [m]")
        gaps = np.array([math.hypot(peg.x - place[0], peg.y - place[1]) - peg.radius for peg in pegs])
        k = int(np.argmin(gaps))
        if gaps[k] < body.half_width:
            where = "inside" if gaps[k] < 0.0 else f"{1e3 * gaps[k]:.3g} mm from"
            clear = f"clear of all pegs by {body.half_width:.3g} m, half the robot's width: it is {where} peg {k}"
            raise InvalidModel(name, place.tolist(), clear)
        ends.append(place.astype(float))
    if np.linalg.norm(ends[1] - ends[0]) <= body.length:
        far = f"more than the robot's length of {body.length:.3g} m from the start"
        raise InvalidModel("goal", ends[1].tolist(), far)
    return ends[0], ends[1]
