"""Further work in space: the planar course, stairs and rubble."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.model.environment import Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.planar_robot import PlanarRobot, Support
from pushpoint.papers.ours.spatial import FALL, RISE, RUN, pieces, rubble, stairs_rest, upright_aiko_planar
from pushpoint.papers.registry import scenario
from pushpoint.papers.transeth2008a.scenarios import MIDDLE_AT, MIDDLE_LINK, gait, obstacle_aided as planar_course
from pushpoint.simulation.measures import mean_velocity
from pushpoint.simulation.simulate import simulate

STEPS = (2.5e-4, 1e-3, 2e-3)
COURSE, STAIRS, RUBBLE = "spatial/obstacle-aided", "spatial/stairs-rest", "spatial/rubble"
WEIGHT = 7.5 * 9.81
REACH = 0.0393


@cache
def run_of(name: str, dt: float) -> Any:
    """A scenario's run."""
    return scenario(name).with_changes(dt=dt).run()


@cache
def planar_run(dt: float) -> Any:
    """The course in the plane, every link carried by the ground at the two places where its spheres are."""
    course = planar_course()
    supports = (Support(offset=-REACH, share=0.5), Support(offset=REACH, share=0.5))
    links = tuple(replace(link, supports=supports) for link in course.world.robot.links)
    robot = PlanarRobot(links=links, motors=course.world.robot.motors)
    start = Start(link_angles=tuple(gait().link_angles(robot)), link=MIDDLE_LINK, position=MIDDLE_AT)
    return simulate(
        robot, course.world.environment, course.world.controller, duration=10.0, start=start, settings=Settings(dt=dt)
    )


@pytest.mark.parametrize("dt", STEPS)
def test_the_course_in_space_is_passed_as_fast_as_in_the_plane(dt: float) -> None:
    spatial, planar = (float(mean_velocity(run).sel(axis="x")) for run in (run_of(COURSE, dt), planar_run(dt)))
    assert spatial == pytest.approx(planar, rel=0.1)  # the bound


def test_the_course_is_passed_level_and_along_the_planar_path() -> None:
    spatial, planar = run_of(COURSE, 1e-3), planar_run(1e-3)
    assert float(np.abs(spatial.link_position.sel(axis="z") - 0.0525).max()) < 1e-6  # m; smooth pegs lift nothing
    gap = spatial.link_position.sel(axis=["x", "y"]) - planar.link_position
    assert float(np.abs(gap).max()) < 5e-3  # m; the same equations up to how the ground shares the weight


def test_the_robot_in_space_has_the_links_and_servos_of_the_planar_one() -> None:
    robot, flat = upright_aiko_planar(), planar_course().world.robot
    for field in ("length", "mass", "radius", "side_length"):
        np.testing.assert_array_equal(robot.column(field), flat.column(field))
    np.testing.assert_array_equal(robot.column("inertia")[:, 2], flat.column("inertia"))
    assert {(motor.stiffness, motor.damping) for motor in robot.motors} == {(800.0, 2.0)}


def _rests(run: Any) -> float:
    """Largest way of any link in the last two seconds [m]."""
    last = run.link_position.sel(time=slice(float(run.time[-1]) - 2.0, None))
    return float(np.sqrt(((last - last.isel(time=-1)) ** 2).sum("axis")).max())


@pytest.mark.parametrize("dt", STEPS)
def test_on_stairs_the_robot_comes_to_rest_and_stays(dt: float) -> None:
    run = run_of(STAIRS, dt)
    assert _rests(run) < 1e-3  # m
    carried = (run.obstacle_force + run.ground_force).isel(time=-1).sum("link")
    np.testing.assert_allclose(carried, [0.0, 0.0, WEIGHT], atol=1e-4 * WEIGHT)  # a tenth of the solver's tolerance
    assert int(run.unconverged.sum()) == 0


@pytest.mark.parametrize(("share", "stays"), [(0.95, False), (1.05, True)])
def test_it_stays_where_friction_exceeds_rise_over_run(share: float, stays: bool) -> None:
    run = stairs_rest(share * RISE / RUN).with_changes(duration=5.0).run()
    moved = float(np.sqrt(((run.center_of_mass[-1] - run.center_of_mass[0]) ** 2).sum()))
    # Like a body on an incline of that angle. It lands at 0.4 m/s; with 5 % too much friction it slides some cm.
    assert (_rests(run) < 1e-3 and moved < 5 * FALL) == stays


def test_the_robot_starts_clear_of_the_noses_by_the_height_of_its_fall() -> None:
    first = run_of(STAIRS, 1e-3).link_position[0].values
    tail, head = first[0], first[-1]
    along = (head - tail) / np.linalg.norm(head - tail)
    gaps = []
    for k in range(5):
        to_nose = np.array([k * RUN, 0.0, (k + 1) * RISE]) - tail
        if 0.0 < to_nose @ along < np.linalg.norm(head - tail):
            gaps.append(np.linalg.norm(to_nose - (to_nose @ along) * along) - 0.0525)
    assert len(gaps) >= 3
    np.testing.assert_allclose(gaps, FALL, atol=1e-9)


def test_rubble_is_the_same_for_the_same_seed() -> None:
    assert pieces(0) == pieces(0) != pieces(1)
    assert len(pieces(0)) == 60


def test_the_sidewinder_climbs_onto_the_rubble() -> None:
    run = run_of(RUBBLE, 1e-3)
    assert run.attrs["status_code"] == "finished"
    way = run.center_of_mass.isel(time=-1) - run.center_of_mass.isel(time=0)
    assert float(way.sel(axis="y")) > 0.1  # m; flat ground, where it would cross in 20 s, has 1.9
    on_top = run.obstacle_force.sel(axis="z").isel(time=slice(-500, None)).sum("link").mean()
    assert float(on_top) > 0.3 * WEIGHT  # in the last 5 s the boxes carry much of it
    fallen = run.link_position.sel(axis="z").isel(time=-1)
    assert float(fallen.min()) > 0.0525 - 1e-3 and float(fallen.max()) < 0.5  # m; nothing sank in or flew off


def test_rubble_runs_are_repeated_bit_for_bit() -> None:
    once, again = (rubble(3).with_changes(duration=1.0).run() for _ in range(2))
    np.testing.assert_array_equal(once.link_position, again.link_position)


def test_without_pegs_the_same_robot_goes_backward() -> None:
    course = scenario(COURSE)
    bare = course.with_changes(environment=replace(course.world.environment, obstacles=())).run()
    assert float(mean_velocity(bare).sel(axis="x")) < 0.0
    assert course.world.environment.ground == Ground(friction=Isotropic(0.2), rolling=0.02)
