"""Planned paths through fields of pegs, driven: who arrives, and with how much torque.

A path is driven in the planar engine by force mapping and by shape propagation (servos that follow the joint angles of
the body on the path). The robot begins at rest with its tail at the path's start; it has arrived when its head's front
end is within ARRIVED of the goal. It is given half as much time again as the path takes at the speed asked for.

What is compared is the squared torque per metre: the integral over time of the sum of the squared joint torques up to
the arrival, over the way made good. Torques are means over 10 ms.

Tuned is on seeds below 100, on the first plans that are bad nowhere, as many of either density; reported are seeds from
1000 on. One rule for both kinds of control: of the settings tried, those are kept that drive at most one training path
less than the best of their kind; of these the one with the least median squared torque per metre is taken, over the
training paths that all kept ones drive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.control.rails import ForceMappingController, RailGains, ShapePropagation
from pushpoint.engine.planar.kinematics import directions, rear_joints
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Measurement
from pushpoint.mapping.rails import Path, RailCosts
from pushpoint.model.environment import Environment
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.papers.ours.pegs import GOAL, SPEED, START, field, fifteen_links
from pushpoint.planning.pegs.paths import OVERLAP, PegPlan, PlanSettings, plan_path
from pushpoint.planning.pegs.search import Effort, Polish
from pushpoint.simulation.rollout import Rollout
from pushpoint.simulation.simulate import finish
from pushpoint.studies.comparison import wilson_interval
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import Experiment, World

if TYPE_CHECKING:
    import xarray

ARRIVED = 0.1
"""Distance of the head's front end from the goal at which it has arrived [m]."""
PATIENCE = 1.5
"""Time allowed, over that of the path at the speed asked for [-]."""
SETTLING = 2.0
"""Time allowed beside it, for starting and stopping [s]."""


@dataclass(frozen=True, kw_only=True)
class ServoSetting:
    """Shape propagation as it can be tuned."""

    stiffness: float
    """Of the motors [N m/rad]."""
    damping: float
    """Of the motors [N m s/rad]."""
    lead: float = 0.1
    """How far the virtual robot may be ahead before it waits [m]."""

    def world(self, robot: PlanarRobot, environment: Environment, path: Path) -> World:
        """The robot at the start of a path."""
        limit = float(robot.motor_column("torque_limit").min())
        motor = Motor(stiffness=self.stiffness, damping=self.damping, torque_limit=limit)
        servos = replace(robot, motors=motor)
        controller = _propagation(path, self.lead)
        return World(servos, environment, controller, controller.start(servos))


@lru_cache(maxsize=64)
def _propagation(path: Path, lead: float) -> ShapePropagation:
    """One controller for all worlds of a path: they are then computed together."""
    return ShapePropagation(path=path, speed=SPEED, lead=lead)


@dataclass(frozen=True, kw_only=True)
class MappingSetting:
    """Force mapping as it can be tuned."""

    stiffness: float = 400.0
    """k_p of the pose [1/s^2]."""
    damping: float = 40.0
    """k_d of the pose [1/s]."""
    torque_cost: float = 1e-2
    """Of a squared torque [1/(kg m^2)]."""
    rate: float = 50.0
    """Commands per second [Hz]."""

    def world(self, robot: PlanarRobot, environment: Environment, path: Path) -> World:
        """The robot at the start of a path."""
        controller = ForceMappingController(
            path=path,
            speed=SPEED,
            rate=self.rate,
            gains=RailGains(stiffness=self.stiffness, damping=self.damping),
            costs=RailCosts(torque=self.torque_cost),
        )
        return World(robot, environment, controller, controller.start(robot))


@dataclass(frozen=True, kw_only=True)
class PegDrive:
    """What became of one drive."""

    arrived: bool
    """Whether the head came to the goal."""
    miss: float
    """Distance of the head's front end from the goal, at the arrival or the least of all [m]."""
    time: float
    """Until the arrival, or all that was allowed [s]."""
    way: float
    """From the start to the arrival, along the path [m]."""
    squared_torque: float
    """Integral of the sum of squared torques up to then [(N m)^2 s]."""
    peak_torque: float
    """Largest torque, a mean over a sample [N m]."""
    peak_push: float
    """Largest normal force on a peg, a mean over a sample [N]."""
    status: str
    """How the simulation ended."""

    @property
    def squared_torque_per_metre(self) -> float:
        """Squared torque over the way [N^2 m s]."""
        return self.squared_torque / self.way


def head_tip(robot: PlanarRobot, center: np.ndarray, link_angle: np.ndarray) -> np.ndarray:
    """Front end of the head [m], shape (..., 2)."""
    rear = rear_joints(robot, center, link_angle)[..., -1, :]
    tip: np.ndarray = rear + robot.links[-1].length * directions(link_angle)[..., -1, :]
    return tip


def drive_worlds(worlds: Sequence[World], settings: Settings | None = None) -> list[PegDrive]:
    """Drives worlds side by side until all have arrived or their time is over.

    Their controllers are of one kind and rate, their robots have the same links. The goal of each is the end of its
    path.
    """
    goals = np.stack([_path(world).at(np.array(_path(world).length))[0] for world in worlds])
    allowed = np.array([_allowed(_path(world), world.robot) for world in worlds])
    robot: Any = worlds[0].robot

    def over(measurement: Measurement) -> np.ndarray:
        """Whether the heads are at their goals, or the time is over."""
        assert measurement.center_of_mass is not None and measurement.link_angle is not None
        tip = head_tip(robot, measurement.center_of_mass, measurement.link_angle)
        return (np.linalg.norm(tip - goals, axis=-1) < ARRIVED) | (measurement.time > allowed)

    experiment = Experiment(
        tuple(worlds),
        float(allowed.max()),
        settings=settings or Settings(on_failure="record"),
        record=Record(rate=100.0, variables=("link_angle", "center_of_mass", "joint_torque", "obstacle_load")),
        until=over,
    )
    rollout = Rollout(experiment)
    run, statuses = finish(rollout), rollout.statuses()
    return [
        _judged(run.isel(world=w), world, goals[w], float(allowed[w]), statuses[w].value)
        for w, world in enumerate(worlds)
    ]


def _path(world: World) -> Path:
    controller: Any = world.controller
    path: Path = controller.path
    return path


def _allowed(path: Path, robot: Any) -> float:
    """Time for a path [s]."""
    return PATIENCE * (path.length - float(robot.length)) / SPEED + SETTLING


def _judged(run: xarray.Dataset, world: World, goal: np.ndarray, allowed: float, status: str) -> PegDrive:
    robot: Any = world.robot
    off = np.linalg.norm(head_tip(robot, run.center_of_mass.values, run.link_angle.values) - goal, axis=-1)
    last = min(len(off), int(np.searchsorted(run.time.values, allowed, side="right"))) - 1
    here = np.flatnonzero(off[: last + 1] < ARRIVED)  # a world that failed measures nothing any more
    arrived = bool(here.size)
    at = int(here[0]) if arrived else last
    miss = float(off[at] if arrived else np.nanmin(off[: last + 1]))
    step = float(run.time[1] - run.time[0])
    torque = run.joint_torque.values[1 : at + 1]
    return PegDrive(
        arrived=arrived,
        miss=miss,
        time=float(run.time[at]),
        way=_path(world).length - robot.length - miss,
        squared_torque=float(np.nansum(np.square(torque)) * step),
        peak_torque=float(np.nanmax(np.abs(torque))),
        peak_push=float(np.nanmax(run.obstacle_load.values[1 : at + 1])),
        status=status,
    )


DENSITIES = (6.8, 5.0)
"""Length of the body over the least distance between two pegs [-]."""
VARIANTS = {
    "planned": PlanSettings(),
    "starved": PlanSettings(
        effort=Effort(edges=15, visits=1), polish=Polish(candidates=1, rounds=0, tries=1), attempts=1
    ),
    "unscored": PlanSettings(
        effort=Effort(edges=30, visits=1, bad_weight=0.0, early_weight=0.0, soft=0.0),
        polish=Polish(candidates=1, rounds=0, tries=1),
        attempts=1,
    ),
}
"""Planners: as it is; with a search so narrow that it often fails; with one that does not ask for pushing at all. The
two others are there to have bad paths."""
MAPPING_GRID = tuple(
    MappingSetting(stiffness=stiffness, damping=damping, torque_cost=cost)
    for stiffness, damping in ((400.0, 40.0), (100.0, 20.0))
    for cost in (0.01, 0.02, 0.04, 0.08)
)
"""Settings of force mapping that were tried."""
SERVO_GRID = tuple(
    ServoSetting(stiffness=stiffness, damping=0.05 * stiffness) for stiffness in (20.0, 40.0, 60.0, 80.0, 120.0, 160.0)
)
"""Settings of shape propagation that were tried. Damping of 0.02 s times the stiffness gave the same on two paths, and
a lead of 0.3 m instead of 0.1 m on seven: neither is worth more runs."""
TUNED_MAPPING = MappingSetting(stiffness=100.0, damping=20.0, torque_cost=0.08)
"""By the rule: 16 of 16 training paths driven."""
TUNED_SERVOS = ServoSetting(stiffness=80.0, damping=4.0)
"""By the rule: 13 of 16 training paths driven; the most that servos of any stiffness drove were 14."""


def make_plan(seed: int, density: float, variant: str) -> PegPlan:
    """The path that a planner finds through the field of a seed."""
    return plan_path(fifteen_links(), field(seed, density), START, GOAL, seed=seed, settings=VARIANTS[variant])


def drivable_shape(plan: PegPlan) -> bool:
    """Whether a path is a fair one to try: it reaches the goal, is clear of the pegs and bends no joint too far."""
    return plan.reaches_goal and plan.clearance >= -OVERLAP and plan.bend <= plan.joint_limit


def choose(results: Mapping[str, Sequence[float | None]]) -> tuple[str, dict[str, Any]]:
    """The tuning rule: the best of some settings, and the figures that it goes by.

    results: Squared torque per metre of every setting on every training path, None where it did not arrive.
    """
    table = {name: np.array([np.nan if x is None else x for x in row], dtype=float) for name, row in results.items()}
    driven = {name: int(np.isfinite(row).sum()) for name, row in table.items()}
    kept = [name for name, count in driven.items() if count >= max(driven.values()) - 1]
    common = np.logical_and.reduce([np.isfinite(table[name]) for name in kept])
    median = {name: float(np.median(table[name][common])) if common.any() else np.nan for name in kept}
    best = min(kept, key=lambda name: (median[name], name))
    return best, {"driven": driven, "compared_on": int(common.sum()), "median_of_kept": median}


def share_interval(hits: int, n: int) -> list[float] | None:
    """95 % confidence interval of a share [-]; None of nothing."""
    return [round(end, 3) for end in wilson_interval(hits, n)] if n else None


def bootstrap(values: np.ndarray, draws: int = 10_000) -> list[float] | None:
    """95 % confidence interval of the median, by drawing again; None of nothing."""
    if not len(values):
        return None
    drawn = np.random.default_rng(0).choice(values, (draws, len(values)))
    return [round(float(x), 3) for x in np.quantile(np.median(drawn, axis=1), (0.025, 0.975))]
