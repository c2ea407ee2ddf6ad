"""Where the robot of Liljeback2011 moves and how it starts: its three environments, and random courses like them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import inf, radians
from typing import Any

from pushpoint.engine.planar.start import Start
from pushpoint.model.catalogue import liljeback2011 as paper_robot
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.papers.liljeback2011.courses import link_angles, obstacles
from pushpoint.papers.liljeback2011.random_courses import random_course
from pushpoint.papers.liljeback2011.start import FreeStart, free_start, perturbed
from pushpoint.worlds.world import World

GROUND_FRICTION = 0.3
"""Not printed; ours and not tuned, as is that of the obstacles [-]."""
PEG_FRICTION = 0.2
ENVIRONMENTS = (1, 2, 3)


def p_servo(robot: PlanarRobot, speed_limit: float = inf) -> PlanarRobot:
    """The robot with its own servos, which are proportional (IV-B), instead of (11).

    A real motor is damped by its own line of torque over speed; `speed_limit` [rad/s] gives that line.
    """
    motors = tuple(replace(motor, damping=0.0, speed_limit=speed_limit) for motor in robot.motors)  # type: ignore[union-attr]
    return replace(robot, motors=motors, name=f"{robot.name}-p-servo")


def course(pegs: Sequence[Peg], friction: float = GROUND_FRICTION) -> Environment:
    """Pegs on level ground of isotropic friction."""
    return Environment(ground=Ground(friction=Isotropic(friction)), obstacles=list(pegs))


def published_course(environment: int, friction: float = GROUND_FRICTION) -> Environment:
    """Environment 1, 2 or 3 (IV-C)."""
    return course(obstacles(environment, friction=PEG_FRICTION), friction)


@cache
def published_start(environment: int, seed: int | None = None, spread_deg: float = 1.0) -> FreeStart:
    """The listed start (IV-C), moved to the nearest free pose; with a seed, every link is turned a little before."""
    robot = paper_robot()
    start = Start(link_angles=link_angles(environment), link=robot.n_links - 1)
    if seed is not None:
        start = perturbed(start, radians(spread_deg), seed, robot)
    return free_start(robot, published_course(environment), start)


def trials(
    environment: int, control: Any, count: int, friction: float = GROUND_FRICTION, robot: PlanarRobot | None = None
) -> list[World]:
    """Worlds of one environment that differ by about a degree per link at the start; they share the controller."""
    place = published_course(environment, friction)
    starts = [published_start(environment, seed).start for seed in range(count)]
    return [World(robot or paper_robot(), place, control, start) for start in starts]


def flat_trials(control: Any, count: int) -> list[World]:
    """The worlds of environment 1 without its obstacles."""
    place = course(())
    return [World(paper_robot(), place, control, published_start(1, seed).start) for seed in range(count)]


def random_trials(seeds: Sequence[int], control: Any, *, robot: PlanarRobot | None = None) -> list[World]:
    """Worlds of random courses, one per seed; they share the controller."""
    chosen = robot or paper_robot()
    worlds = []
    for seed in seeds:
        made = random_course(chosen, seed, friction=PEG_FRICTION)
        start = Start(link_angles=made.link_angles, link=chosen.n_links - 1)
        worlds.append(World(chosen, course(made.pegs), control, start))
    return worlds
