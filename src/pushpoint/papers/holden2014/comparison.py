"""Force mapping beside shape propagation on the same course: how near to the path, how hard, with which torques.

Shape propagation is the usual way through pegs: servos follow the joint angles of the body on its path. Both were tuned
by one rule on the course of holden2014_course with the robot of fifteen links: of the gains tried, those with the least
squared torque that keep the speed within 5 % and the links within 0.05 rad of the path, at 100 Hz. Tried were
TUNING_GRID for the servos, and (400, 40), (200, 40), (200, 30), (150, 40), (100, 40), (100, 20) and (30, 20) for the
mapping. Where pegs are not where they are thought to be, softer servos push less hard than stiff ones, and stray more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.control.force_mapping_controller import RailGains
from pushpoint.engine.settings import Settings
from pushpoint.mapping.rails.path import Path
from pushpoint.model.checks import members
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.papers.holden2014.courses import flank_pegs
from pushpoint.simulation.simulate import simulate
from pushpoint.simulation.tracking import Tracking, tracking
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    pass

GROUND_FRICTION = 0.2
"""Of the course for the robot of fifteen links [-]."""
STIFFNESSES = (5.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 150.0, 200.0)
"""Tried for the servos of shape propagation [N m/rad]."""
DAMPING_TIMES = (0.005, 0.01, 0.02, 0.05)
"""Damping over stiffness, tried with each [s]."""
TUNING_GRID = tuple((p, p * d) for p in STIFFNESSES for d in DAMPING_TIMES)
"""Stiffness [N m/rad] and damping [N m s/rad]; tuned: (80, 4), which the motors of fifteen_links have."""
TUNED_MAPPING = RailGains(stiffness=100.0, damping=20.0)
"""The gains of the mapping by the same rule."""


def course(robot: PlanarRobot, *, ground: float = GROUND_FRICTION, **pegs: float) -> Environment:
    """The sine course for a robot; further arguments are those of flank_pegs."""
    radius = float(robot.column("radius").max())
    return Environment(ground=Ground(friction=Isotropic(ground)), obstacles=flank_pegs(radius, **pegs))


def disturbed(environment: Environment, path: Path, amplitude: float, seed: int, clear: float) -> Environment:
    """The pegs shifted away from the path or toward it by up to an amplitude [m], up to an x of `clear` [m] only away.

    So the robot at its start, which lies before `clear`, is not hit.
    """
    rng = np.random.default_rng(seed)
    points = path.at(np.linspace(0.0, path.length, 2000))[0]
    pegs = []
    for peg in members("environment.obstacles", environment.obstacles, Peg, "a Peg"):
        place = np.array((peg.x, peg.y))
        away = place - points[np.argmin(np.linalg.norm(points - place, axis=1))]
        shift = rng.uniform(0.0 if peg.x < clear else -amplitude, amplitude)
        x, y = (place + shift * away / np.linalg.norm(away)).tolist()
        pegs.append(replace(peg, x=x, y=y))
    return replace(environment, obstacles=tuple(pegs))


def drive(
    robots: Sequence[PlanarRobot],
    controllers: Sequence[Any],
    environment: Environment | Sequence[Environment],
    duration: float = 20.0,
) -> list[Tracking]:
    """Runs side by side, in one environment or each in its own.

    The controllers are of one kind and rate and know where their robots start: those of paths do.
    """
    places = [environment] * len(robots) if isinstance(environment, Environment) else environment
    worlds = [
        World(robot, place, controller, controller.start(robot))
        for robot, place, controller in zip(robots, places, controllers, strict=True)
    ]
    # Forces of rigid contacts have peaks as high as the time step is short: what is compared are means over 10 ms.
    variables = ("link_angle", "center_of_mass", "joint_torque", "obstacle_load")
    run = simulate(
        worlds,
        duration=duration,
        settings=Settings(on_failure="record"),
        record=Record(rate=100.0, variables=variables),
    )
    return [
        tracking(run.isel(world=w), robot, controller)
        for w, (robot, controller) in enumerate(zip(robots, controllers, strict=True))
    ]


def tune_propagation(
    robot: PlanarRobot, controller: Any, environment: Environment, grid: Sequence[tuple[float, float]] = TUNING_GRID
) -> list[tuple[float, float, Tracking]]:
    """Shape propagation with every pair of gains: stiffness [N m/rad], damping [N m s/rad] and what became of it."""
    limit = float(robot.motor_column("torque_limit").min())
    robots = [replace(robot, motors=Motor(stiffness=p, damping=d, torque_limit=limit)) for p, d in grid]
    found = drive(robots, [controller] * len(grid), environment)
    return [(p, d, one) for (p, d), one in zip(grid, found, strict=True)]
