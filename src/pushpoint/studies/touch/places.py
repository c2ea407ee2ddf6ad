"""Where controllers that feel their way are compared: random courses, the paper's environments, one's own scenarios."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import radians

from pushpoint.engine.planar.start import Start
from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import liljeback2011 as paper_robot
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.papers.liljeback2011.places import (
    GROUND_FRICTION,
    PEG_FRICTION,
    course,
    published_course,
    published_start,
)
from pushpoint.papers.liljeback2011.random_courses import Course, random_course
from pushpoint.papers.liljeback2011.start import free_start, perturbed
from pushpoint.papers.liljeback2011.trials import PASSED
from pushpoint.scenarios.scenario import Scenario
from pushpoint.studies.course_passage import is_blocked

SPREAD_DEG = 1.0
"""Spread of the links' angles from start to start [deg]."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A course with a robot and its starts."""

    name: str
    """What it is called in tables."""
    robot: PlanarRobot
    """What moves."""
    environment: Environment
    """Where it moves."""
    starts: tuple[Start, ...]
    """How it begins, clear of all obstacles; each is a trial for every controller."""
    note: str = ""
    """What had to be done to its starts, in a sentence."""

    @property
    def blocked(self) -> bool:
        """Whether there is no way through for a robot as thick as this one."""
        return is_blocked(self.robot, self.environment, self.starts[0], PASSED)


def random_place(
    seed: int, starts: int = 1, *, robot: PlanarRobot | None = None, friction: float = GROUND_FRICTION
) -> Place:
    """The random course of a seed; starts after the first are perturbed."""
    chosen = robot or paper_robot()
    made = _course(chosen, seed)
    environment = course(made.pegs, friction)
    first = Start(link_angles=made.link_angles, link=chosen.n_links - 1)
    return Place(
        name=f"random-{seed}",
        robot=chosen,
        environment=environment,
        starts=_starts(chosen, environment, first, starts),
    )


@cache
def _course(robot: PlanarRobot, seed: int) -> Course:
    return random_course(robot, seed, friction=PEG_FRICTION)


def published_place(
    environment: int, starts: int, *, robot: PlanarRobot | None = None, friction: float = GROUND_FRICTION
) -> Place:
    """One of the paper's environments; all starts are perturbed, as in the tests of the paper's claims."""
    found = [published_start(environment, seed) for seed in range(starts)]
    return Place(
        name=f"environment-{environment}",
        robot=robot or paper_robot(),
        environment=published_course(environment, friction),
        starts=tuple(each.start for each in found),
        note=published_start(environment).note,
    )


def scenario_place(scenario: Scenario, starts: int) -> Place:
    """Robot, environment and start of any scenario in the plane; a start inside an obstacle is moved, and said so."""
    robot, start = scenario.world.robot, scenario.world.start
    if not isinstance(robot, PlanarRobot) or not isinstance(start, Start):
        raise InvalidModel(f"{scenario.name}: robot", type(robot).__name__, "a PlanarRobot")
    found = free_start(robot, scenario.world.environment, start)
    return Place(
        name=scenario.name,
        robot=robot,
        environment=scenario.world.environment,
        starts=_starts(robot, scenario.world.environment, found.start, starts),
        note=found.note if found.moved else "",
    )


def _starts(robot: PlanarRobot, environment: Environment, first: Start, count: int) -> tuple[Start, ...]:
    more = [perturbed(first, radians(SPREAD_DEG), seed, robot) for seed in range(1, count)]
    return (first, *(free_start(robot, environment, each).start for each in more))
