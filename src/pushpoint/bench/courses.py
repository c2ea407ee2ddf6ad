"""Scenarios for timing the kernels alone: worlds packed and driven, advanced by a chosen variant, nothing recorded."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from pushpoint.bench.timing import alternate
from pushpoint.engine.planar.start import Start
from pushpoint.engine.stepper import Stepper
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.papers.registry import scenario
from pushpoint.scenarios.scenario import Scenario
from pushpoint.simulation.driving import drive
from pushpoint.worlds.world import poses_of

SCENARIOS = {
    "planar_flat": "transeth2008a/flat",
    "planar_pegs": "transeth2008a/obstacle-aided",
    "sidewinding": "transeth2008b/sidewinding",
    "lateral_undulation": "transeth2008b/lateral-undulation-orthotropic",
}
"""What most runs are like, by the names of the figures."""


class PackedCourse:
    """Worlds of a scenario at their start."""

    def __init__(self, base: Scenario, *, worlds: int = 1, variant: str | None = None) -> None:
        """`variant` chooses a form of the kernels; by default the leanest that fits."""
        each = (base.world,) * worlds
        robots, places = [world.robot for world in each], [world.environment for world in each]
        self.stepper = Stepper(robots, places, base.settings, variant=variant)
        self.stepper.load(self.stepper.initial(poses_of(each)))
        self._driving = drive(each, self.stepper)
        self.stepper.advance(0)  # compiles or loads the kernels

    def run(self, steps: int) -> None:
        """Advances all worlds."""
        done = 0
        while done < steps:
            done += self._driving.advance(steps - done)


def world_step_time(base: Scenario, steps: int, *, worlds: int = 1, variant: str | None = None) -> float:
    """Processor time of one step of one world, on all cores together, from the start on [s]."""
    course = PackedCourse(base, worlds=worlds, variant=variant)
    begin = time.process_time()
    course.run(steps)
    return (time.process_time() - begin) / (steps * worlds)


def world_step_times(repeats: int, steps: int, courses: Sequence[tuple[Scenario, int, str | None]]) -> list[float]:
    """Median time of a world's step for each scenario, number of worlds and variant, in alternation [s]."""
    rivals = [partial(world_step_time, base, steps, worlds=n, variant=variant) for base, n, variant in courses]
    return alternate(repeats, *rivals)


def mean_iterations(base: Scenario, steps: int) -> float:
    """Iterations of the solver per step, mean over the first steps of a run [-]."""
    course = PackedCourse(base)
    course.stepper.new_samples(steps + 1, 1)
    course.run(steps)
    return float(np.mean(course.stepper.samples()["iterations"][0, 1:]))


def of_links(base: Scenario, n_links: int) -> Scenario:
    """The same scenario with a longer robot of the same links, straight at the start and without obstacles."""
    robot = base.world.robot
    place = Environment(ground=base.world.environment.ground)
    if isinstance(robot, PlanarRobot):
        longer = PlanarRobot.uniform(n_links, robot.links[0], robot.motors[0])  # type: ignore[index]
        return base.with_changes(robot=longer, environment=place, start=Start())
    assert isinstance(robot, SpatialRobot)
    chain = SpatialRobot.uniform(n_links, robot.links[0], robot.chain[0])
    return base.with_changes(robot=chain, environment=place, start=None)


def with_torque_limits(base: Scenario, limit: float) -> Scenario:
    """The same scenario of a planar robot with motors of a largest torque [N m]."""
    robot = base.world.robot
    assert isinstance(robot, PlanarRobot)
    limited = replace(robot, motors=replace(robot.motors[0], torque_limit=limit))  # type: ignore[index]
    return base.with_changes(robot=limited)


def chosen(name: str) -> Scenario:
    """One of SCENARIOS."""
    return scenario(SCENARIOS[name])
