"""How fast the planar engine is: compared with MuJoCo on the same course, and with more links, obstacles and worlds."""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.bench.courses import of_links
from pushpoint.bench.mujoco import MujocoPeer, references_of
from pushpoint.bench.mujoco.planar import PlanarJob
from pushpoint.bench.timing import batch_over_single_runs, beside_mujoco, step_times
from pushpoint.engine.planar.start import Start
from pushpoint.model.environment import Environment, Peg, Polygon
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.papers.registry import scenario
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.record import Record

COURSE = "transeth2008a/obstacle-aided"
STATES_ONLY = Record(variables=("link_angle", "center_of_mass"))
"""MuJoCo's loop keeps states only; recording the loads of thousands of obstacles would time the recording."""
TILE = (2.6, 0.6)
"""Width and height of one copy of the course in a field of copies [m]."""
CORNERS = 8
"""Corners of a peg that is made a polygon."""


def run_bench(*, quick: bool = False) -> dict[str, Any]:
    """All numbers of the planar benchmark; quick: fewer repeats and shorter runs, for a first impression."""
    repeats, duration, n_worlds = (3, 2.0, 32) if quick else (9, 10.0, 256)
    course = scenario(COURSE).with_changes(duration=duration)
    job = _job(course)
    peers = {preset: MujocoPeer(job, preset) for preset in ("default", "fastest")}
    figures: dict[str, Any] = beside_mujoco(course, peers, repeats, STATES_ONLY)
    figures |= _growth(course, repeats, n_worlds, duration=min(duration, 2.0))
    return {"dt_s": course.settings.dt, "simulated_s": duration, "repeats": repeats, **figures}


def _job(course: Scenario) -> PlanarJob:
    robot, start = course.world.robot, course.world.start
    assert isinstance(robot, PlanarRobot) and isinstance(start, Start)
    assert start.link_angles is not None and start.link is not None
    return PlanarJob(
        robot=robot,
        environment=course.world.environment,
        link_angles=np.array(start.link_angles),
        anchor_link=start.link,
        anchor_position=(start.position[0], start.position[1]),
        **references_of(course),
    )


def _growth(course: Scenario, repeats: int, n_worlds: int, *, duration: float) -> dict[str, float]:
    """How the time of a step grows: 11 to 176 links, 7 to 7,000 pegs or 1,001 polygons, many worlds at once."""
    course = course.with_changes(duration=duration)
    short, long = of_links(course, 11), of_links(course, 176)
    field = course.with_changes(environment=_field(course.world.environment, columns=25, rows=40))
    corners = course.with_changes(environment=_cut(_field(course.world.environment, columns=13, rows=11)))
    few_links, many_links, few_pegs, many_pegs, polygons = step_times(
        repeats, STATES_ONLY, short, long, course, field, corners
    )
    return {
        "time_176_links_over_11": many_links / few_links,
        "time_7000_pegs_over_7": many_pegs / few_pegs,
        "time_1001_polygons_over_7_pegs": polygons / few_pegs,
        "worlds": n_worlds,
        "time_batch_over_single_runs": batch_over_single_runs(course, STATES_ONLY, n_worlds, min(repeats, 5)),
    }


def _cut(environment: Environment) -> Environment:
    """The same course with every peg made a polygon."""
    turn = np.linspace(0.0, 2 * np.pi, CORNERS, endpoint=False)
    rim = np.column_stack((np.cos(turn), np.sin(turn)))
    polygons = [
        Polygon(vertices=[(peg.x + peg.radius * x, peg.y + peg.radius * y) for x, y in rim])
        for peg in environment.obstacles
        if isinstance(peg, Peg)
    ]
    return Environment(ground=environment.ground, obstacles=polygons)


def _field(environment: Environment, *, columns: int, rows: int) -> Environment:
    """Copies of the course in a grid; the robot is in the one in the middle."""
    shifts = [
        ((column - columns // 2) * TILE[0], (row - rows // 2) * TILE[1])
        for column in range(columns)
        for row in range(rows)
    ]
    course = [obstacle for obstacle in environment.obstacles if isinstance(obstacle, Peg)]
    pegs = [Peg(x=peg.x + x, y=peg.y + y, radius=peg.radius) for x, y in shifts for peg in course]
    return Environment(ground=environment.ground, obstacles=pegs)
