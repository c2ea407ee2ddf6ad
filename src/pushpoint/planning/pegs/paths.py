"""A path through a field of pegs that can be travelled by pushing: the second problem that Holden2014 leaves open.

The robot lies on its path like a train on rails (mapping.rails): it begins with its tail at the start and ends with its
head at the goal. On the way pegs must stand where they can push it on. The plan is found in three steps: a layered
search from peg to peg (peg_search), changes of the directions at the pegs of the best candidate (peg_routes), and
mapping.path_quality of the result, which alone decides.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.mapping.bounds import MappingBounds
from pushpoint.mapping.path_quality import beside_links, path_quality
from pushpoint.mapping.rails.path import Path, pose_on_path
from pushpoint.model.checks import instance, members, store
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.planning.pegs.balance import PegArrays
from pushpoint.planning.pegs.checks import whole_number
from pushpoint.planning.pegs.graph import NOTHING, BodySize, Layout, PegGraph, lay_out
from pushpoint.planning.pegs.plan import PegPlan, PegTouch
from pushpoint.planning.pegs.routes import Judged, Polish, best_route, route_points
from pushpoint.planning.pegs.search import Effort, Task, search
from pushpoint.reduced.friction import GroundFriction
from pushpoint.reduced.robot import reduce_robot
from pushpoint.reduced.state import finite_array

SPACING = 0.02
"""Distance between the positions at which a plan is judged [m]."""
JOINT_LIMIT = math.radians(70.0)
"""Largest joint angle of a plan where the motors have no narrower stops [rad]."""
NEAR_END = 0.04
"""How far a state may lie from where the polygon's arc length says [m]."""
SHARPEST = 1.2
"""Largest curvature of a path, times the length of a link [-]."""


@dataclass(frozen=True, kw_only=True)
class PlanSettings:
    """How the planner searches; the defaults were tuned on seeds 0 to 99 of the benchmark's fields."""

    layout: Layout = field(default_factory=Layout)
    """How states are laid out."""
    effort: Effort = field(default_factory=Effort)
    """How wide the search is."""
    polish: Polish = field(default_factory=Polish)
    """How the best candidate is improved."""
    attempts: int = 3
    """How often the whole is tried at most, each time with other random numbers, until a path is planned [-]."""

    def __post_init__(self) -> None:
        instance("settings.layout", self.layout, Layout, "a Layout")
        instance("settings.effort", self.effort, Effort, "an Effort")
        instance("settings.polish", self.polish, Polish, "a Polish")
        store(self, attempts=whole_number("settings.attempts", self.attempts, 1))


def plan_path(
    robot: PlanarRobot,
    environment: Environment | Sequence[Peg],
    start: Sequence[float] | np.ndarray,
    goal: Sequence[float] | np.ndarray,
    *,
    seed: int = 0,
    ground: GroundFriction | None = None,
    bounds: MappingBounds | None = None,
    settings: PlanSettings | None = None,
) -> PegPlan:
    """Plans a path through pegs along which the robot can push itself from start to goal.

    Args:
        robot: The planar robot.
        environment: The pegs with the ground they stand on, or pegs alone, which then need `ground`.
        start: Where the tail's rear end is at first [m].
        goal: Where the head's front end is to come [m].
        seed: Same seed, same plan.
        ground: Friction of the ground; default: that of the environment.
        bounds: Limits of torques and peg forces; default: the motors' torque limits.
        settings: How the planner searches; default: PlanSettings().

    Returns:
        The best path found. Its `planned` says whether it will do, its `flaws` what is wrong with it if not.

    Raises:
        InvalidModel: Start or goal is not free or not finite, or there is nothing to push against.
    """
    began = time.perf_counter()
    settings = settings or PlanSettings()
    pegs, ground = _surroundings(environment, ground)
    instance("robot", robot, PlanarRobot, "a PlanarRobot")
    bounds = bounds or MappingBounds(torque_limit=robot.motor_column("torque_limit"))
    body = _body(robot)
    ends = _ends(start, goal, pegs, body)
    task = Task(
        robot=reduce_robot(robot),
        body=body,
        ground=ground,
        pegs=PegArrays.of(pegs),
        torque_limit=bounds.of(robot.n_joints, len(pegs))[0],
        joint_limit=_joint_limit(robot),
        effort=settings.effort,
    )
    random = np.random.default_rng(whole_number("seed", seed, 0))
    tried: list[PegPlan] = []
    for _ in range(settings.attempts):
        plan = _attempt(task, ends, pegs, bounds, settings, random)
        if plan is not None:
            tried.append(plan)
            if plan.planned:
                break
    if not tried:
        why = "one from which pegs lead on: no path as long as the robot was found from there"
        raise InvalidModel("start", ends[0].tolist(), why)
    best = min(tried, key=lambda plan: (not plan.planned, not plan.reaches_goal, plan.bad))
    return replace(best, planning_time=time.perf_counter() - began, judged=sum(plan.judged for plan in tried))


def _attempt(
    task: Task,
    ends: tuple[np.ndarray, np.ndarray],
    pegs: tuple[Peg, ...],
    bounds: MappingBounds,
    settings: PlanSettings,
    random: np.random.Generator,
) -> PegPlan | None:
    """One plan; None if no path is as long as the robot."""
    graph = lay_out(pegs, *ends, task.body, settings.layout, random)
    found = search(task, graph, random)
    nodes = found.reaching or [found.nearest]
    if nodes[0].length <= task.body.length:
        return None
    best, judged = best_route(task, graph, nodes, settings.polish, random)
    plan = _plan(task, graph, best, pegs, bounds)
    return replace(plan, reaches_goal=bool(found.reaching), judged=found.judged + judged)


def _plan(task: Task, graph: PegGraph, best: Judged, pegs: tuple[Peg, ...], bounds: MappingBounds) -> PegPlan:
    """The finished plan of a route, judged by mapping.path_quality."""
    robot, length, route = task.robot, graph.body.length, best.route
    path = Path(route_points(graph, route))
    head = np.linspace(length, path.length, max(int((path.length - length) / SPACING) + 1, 2))
    pose = pose_on_path(robot, path, head)
    gap = beside_links(robot, pose.center, pose.link_angle, pegs)[3]
    return PegPlan(
        path=path,
        pegs=pegs,
        touches=_touches(path, best),
        quality=path_quality(robot, task.ground, path, pegs, head, bounds),
        clearance=float(gap.min()),
        bend=float(np.abs(np.diff(pose.link_angle, axis=1)).max()),
        joint_limit=task.joint_limit,
    )


def _touches(path: Path, best: Judged) -> tuple[PegTouch, ...]:
    """The pegs that the path is led along; it passes exactly through the points beside them."""
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
        raise InvalidModel(name, 0, "at least one Peg: without a peg there is nothing to push against")
    if ground is None:
        if not isinstance(environment, Environment):
            raise InvalidModel("ground", None, "given where pegs come without an Environment")
        ground = GroundFriction.of(environment.ground)
    if not ((ground.coefficient and ground.gravity) or ground.viscous_along or ground.viscous_across):
        raise InvalidModel("ground", "frictionless", "one with friction: nothing resists the robot")
    return pegs, ground


def _ends(
    start: Sequence[float] | np.ndarray, goal: Sequence[float] | np.ndarray, pegs: Sequence[Peg], body: BodySize
) -> tuple[np.ndarray, np.ndarray]:
    ends = _free_point("start", start, pegs, body), _free_point("goal", goal, pegs, body)
    if np.linalg.norm(ends[1] - ends[0]) <= body.length:
        far = f"more than the robot's length of {body.length:.3g} m from the start"
        raise InvalidModel("goal", ends[1].tolist(), far)
    return ends


def _body(robot: PlanarRobot) -> BodySize:
    link = float(robot.column("length").max())
    return BodySize(
        length=robot.length, half_width=float(robot.column("radius").max()), link=link, sharpest=SHARPEST / link
    )


def _joint_limit(robot: PlanarRobot) -> float:
    stops = np.abs(np.concatenate((robot.motor_column("lower"), robot.motor_column("upper"))))
    return float(min(JOINT_LIMIT, stops.min()))


def _free_point(name: str, point: Sequence[float] | np.ndarray, pegs: Sequence[Peg], body: BodySize) -> np.ndarray:
    place = finite_array(name, point, "m")
    if place.shape != (2,):
        raise InvalidModel(f"{name}: shape", place.shape, "(2,), x and y [m]")
    gaps = np.array([math.hypot(peg.x - place[0], peg.y - place[1]) - peg.radius for peg in pegs])
    k = int(np.argmin(gaps))
    if gaps[k] < body.half_width:
        where = "inside" if gaps[k] < 0.0 else f"{1e3 * gaps[k]:.3g} mm from"
        clear = f"clear of all pegs by {body.half_width:.3g} m, half the robot's width: it is {where} peg {k}"
        raise InvalidModel(name, place.tolist(), clear)
    return place.astype(float)
