"""The published experiments of Liljeback2011: outcomes over perturbed starts, for the motion is chaotic after a jam.

A trial has passed once its head has come 0.7 m, half of the robot's length. Bounds come from paper-notes and from what
the paper says; none is a figure of a run of ours.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import xarray as xr

from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.hybrid import HybridController, LeaderFollower
from pushpoint.engine.planar.start import Start, check_clear
from pushpoint.engine.settings import Settings
from pushpoint.errors import StartOverlap, UnknownName
from pushpoint.model import catalogue
from pushpoint.model.catalogue import liljeback2011
from pushpoint.model.environment import Peg
from pushpoint.papers.liljeback2011 import courses
from pushpoint.papers.liljeback2011.courses import CLEARANCE, printed_link_angles, random_course
from pushpoint.papers.liljeback2011.heading import CAMERA
from pushpoint.papers.liljeback2011.readings import (
    BODIES,
    NARROW,
    OURS,
    POINTS,
    READINGS,
    fifth_places,
    with_fifth,
)
from pushpoint.papers.liljeback2011.scenarios import (
    CONTROLLERS,
    outcome,
    outcome_of,
    p_servo,
    paper_controller,
    peg_course,
    published_course,
    published_start,
    random_trials,
    trials,
)
from pushpoint.papers.registry import scenario, scenario_names
from pushpoint.studies.comparison import ControllerComparison, compare
from pushpoint.studies.controllers import controller_of
from pushpoint.studies.places import random_place
from pushpoint.worlds.world import World

NAMES = [name for name in scenario_names() if name.startswith("liljeback2011/")]
SWEPT = ("liljeback2011/heading-errors", "liljeback2011/bodies")
CLAIMS = {claim.id: claim for name in (*NAMES, *SWEPT) for claim in scenario(name).claims}
EXPECTED = {f"LB{number}" for number in range(1, 13)}
HYBRID, FOLLOWER, CONTINUOUS = HybridController(), LeaderFollower(), ContinuousResolution()
REVERSED, UNFEELING = replace(CONTINUOUS, gain=-CONTINUOUS.gain), replace(CONTINUOUS, gain=0.0)
SEEDS = tuple(range(20))


def test_every_claim_of_this_paper_is_encoded() -> None:
    assert set(CLAIMS) == EXPECTED


def test_a_camera_that_is_exact_to_0_6_cm_knows_the_angle_of_a_link_to_3_5_deg() -> None:
    # Two markers on a link of 0.14 m, each 6 mm off to the side, one to each: sqrt(2) 6 mm across, atan(8.5 / 140).
    assert np.degrees(CAMERA.noise) == pytest.approx(3.47, abs=0.01)


@cache
def run_of(name: str) -> xr.Dataset:
    return scenario(name).run()


LONG = ("LB1", "LB11", "LB12", "LB2", "LB3")


@pytest.mark.parametrize(
    "name", [*sorted(EXPECTED - {*LONG}), *(pytest.param(k, marks=pytest.mark.slow) for k in LONG)]
)
def test_claim_gets_its_recorded_verdict(name: str) -> None:
    found = CLAIMS[name].evaluate(run_of)
    assert found.verdict == CLAIMS[name].recorded, found.measured


class TestBodies:
    def test_balls_touch_their_neighbours_and_have_no_straight_side(self) -> None:
        # IV-A: outer diameter 140 mm; II: links of 2l = 140 mm.
        for link in BODIES["balls"].links:
            assert (link.side_length, 2 * link.radius) == (0.0, pytest.approx(link.length))
        assert {link.side_length for link in BODIES["tube"].links} == {0.14}

    def test_the_bodies_differ_in_nothing_else(self) -> None:
        tube = BODIES["tube"]
        for name, other in BODIES.items():
            same = {"side_length": 0.14, "contact_force": "surface"}
            assert other.motors == tube.motors and tuple(replace(link, **same) for link in other.links) == tube.links, (
                name
            )
            assert catalogue.ROBOTS[other.name]() == other

    def test_the_tube_passes_where_balls_do_not(self) -> None:
        # The finding behind LB1 and LB2 in little: environment 2, whose outcome no start changes.
        passed = {name: outcome_of(OURS.worlds(2, BODIES[name], (0, 1)), 60.0).passed for name in ("tube", "balls")}
        assert passed["tube"].all() and not passed["balls"].any()


class TestReadings:
    def test_sixteen_readings_and_the_plainest_is_ours(self) -> None:
        assert len(set(READINGS)) == 16 and READINGS[0] == OURS and OURS.controller == HYBRID and NARROW in READINGS

    def test_a_head_whose_front_is_at_the_origin_overlaps_less_at_the_start(self) -> None:
        # By hand in environment 3: the head points to -22 deg, so that it moves by 7 cm to (-6.5, 2.6) cm.
        centre, front = (published_start(3, None, liljeback2011(), point) for point in POINTS)
        assert (1e3 * centre.overlap, front.overlap) == (pytest.approx(10, abs=0.6), 0.0)
        assert front.start.position == pytest.approx((-0.0649, 0.0262), abs=1e-4)

    def test_a_fifth_obstacle_overlaps_nothing(self) -> None:
        robot = liljeback2011()
        pose = published_start(3, None, robot).start.pose(robot)
        places = fifth_places(0.2, robot)
        assert 40 < len(places) < 13 * 9  # of the whole grid
        for place in places:
            course = with_fifth(place)
            check_clear(0, robot, course, pose["center"], pose["theta"])
            *printed, fifth = course.obstacles
            assert min(np.hypot(fifth.x - peg.x, fifth.y - peg.y) for peg in printed) >= 0.3 - 1e-12

    def test_an_obstacle_out_of_reach_changes_nothing(self) -> None:
        alone, beside = (
            outcome_of(OURS.worlds_in(course, 3, liljeback2011(), (0,)), 20.0).head
            for course in (published_course(3), with_fifth((0.9, 0.8)))
        )
        np.testing.assert_array_equal(alone, beside)


class TestScenarios:
    def test_each_environment_has_each_controller(self) -> None:
        kinds = {"": HybridController, "-leader-follower": LeaderFollower, "-continuous": ContinuousResolution}
        for k in (1, 2, 3):
            for ending, kind in kinds.items():
                chosen = scenario(f"liljeback2011/environment-{k}{ending}")
                assert type(chosen.world.controller) is kind and str(k) in chosen.title
        assert len(NAMES) == 9 and set(CONTROLLERS) == {"hybrid", "leader-follower", "continuous"}

    def test_an_unknown_controller_is_named(self) -> None:
        with pytest.raises(UnknownName, match="unknown controller of Liljeback2011 'hybird'; did you mean hybrid"):
            paper_controller("hybird")

    @pytest.mark.parametrize(("environment", "overlap"), [(1, 41), (2, 84), (3, 10)])
    def test_the_listed_starts_overlap_as_paper_notes_say_and_are_moved(self, environment: int, overlap: int) -> None:
        robot, place = liljeback2011(), published_course(environment)
        listed = Start(link_angles=printed_link_angles(environment), link=9).pose(robot)
        with pytest.raises(StartOverlap):
            check_clear(0, robot, place, listed["center"], listed["theta"])
        found = published_start(environment)
        assert 1e3 * found.overlap == pytest.approx(overlap, abs=0.6)  # mm, paper-notes rounds
        pose = found.start.pose(robot)
        check_clear(0, robot, place, pose["center"], pose["theta"])
        # "Approximately" is what the paper says of its angles: the tracking alone is off by up to 21 mm.
        assert found.moved < 0.1 and np.degrees(found.turned) < 25.0
        assert f"overlaps an obstacle by {overlap} mm" in scenario(f"liljeback2011/environment-{environment}").source

    def test_the_run_tells_modes_by_name(self) -> None:
        run = scenario("liljeback2011/environment-2").with_changes(duration=8.0).run()
        assert set(np.unique(run.controller_mode)) <= {0.0, 1.0, 2.0} and run.controller_mode.max() > 0
        assert run.controller_mode.attrs["flag_meanings"] == "leader-following jammed jam-resolution"


class TestHybrid:
    @pytest.mark.parametrize("environment", [1, 2])
    def test_without_jam_resolution_it_gets_stuck(self, environment: int) -> None:
        found = outcome(environment, FOLLOWER, 5, 50.0)
        # It stands still from 30 s on. A prototype came 0.1 m from its start pose; ours gives the body a little more
        # room, so that what is asked is less than a third of a pass.
        assert np.abs(found.head[:, -1] - found.head[:, 600]).max() < 1e-3
        assert found.head.max() < 0.7 / 3

    @pytest.mark.parametrize("environment", [1, 2])
    def test_at_friction_0_1_nothing_jams(self, environment: int) -> None:
        found = outcome(environment, HYBRID, 4, 70.0, friction=0.1)
        assert np.median(found.resolutions) == 0 and found.passed.mean() >= 0.75

    @pytest.mark.parametrize("environment", [1, 2])
    def test_at_friction_0_5_it_mostly_fails(self, environment: int) -> None:
        found = outcome(environment, HYBRID, 4, 100.0, friction=0.5)
        assert found.passed.mean() <= 0.5 and np.median(found.resolutions) > 10

    @pytest.mark.slow
    @pytest.mark.parametrize("environment", [1, 2])
    def test_it_passes_with_half_the_time_step(self, environment: int) -> None:
        found = outcome_of(trials(environment, HYBRID, 10), 100.0, Settings(dt=1e-3))
        assert np.median(found.head[:, -1]) > 0.7

    @pytest.mark.slow
    @pytest.mark.parametrize("environment", [1, 2])
    def test_it_passes_with_the_robot_s_own_servos(self, environment: int) -> None:
        # Undamped, with the line of a motor of 4 rad/s: steps of 2 ms are too long for it.
        robot = p_servo(liljeback2011(), 4.0)
        found = outcome_of(trials(environment, HYBRID, 5, robot=robot), 100.0, Settings(dt=1e-3))
        assert np.median(found.head[:, -1]) > 0.7 and (found.resolutions > 0).all()


class TestContinuous:
    @pytest.mark.parametrize("environment", [1, 2, 3])
    def test_it_passes_all_three_environments(self, environment: int) -> None:
        assert outcome(environment, CONTINUOUS, 5, 60.0).passed.sum() >= 4

    @pytest.mark.parametrize("environment", [1, 2])
    def test_it_takes_less_than_half_the_time_of_the_hybrid_one(self, environment: int) -> None:
        hybrid, found = outcome(environment, HYBRID, 10, 100.0), outcome(environment, CONTINUOUS, 5, 60.0)
        assert np.nanmedian(found.time_to_pass) < 0.5 * np.nanmedian(hybrid.time_to_pass)

    @pytest.mark.parametrize("environment", [1, 2, 3])
    def test_without_the_reflex_none_is_passed(self, environment: int) -> None:
        assert not outcome(environment, UNFEELING, 5, 40.0).passed.any()

    @pytest.mark.parametrize("environment", [1, 2])
    def test_reversed_it_goes_backward(self, environment: int) -> None:
        # In environment 3 it does not, as docs/theory/touch.md says; random courses ask what it does in general.
        assert np.median(outcome(environment, REVERSED, 5, 60.0).center[:, -1]) < 0.0

    def test_on_random_courses_the_reflex_is_what_carries_it_forward(self) -> None:
        with_it, without, against = (
            outcome_of(random_trials(SEEDS, c), 60.0) for c in (CONTINUOUS, UNFEELING, REVERSED)
        )
        assert without.passed.sum() <= 1 and abs(np.median(without.center[:, -1])) < 0.14
        assert against.passed.mean() < with_it.passed.mean() and np.median(against.center[:, -1]) < 0.0  # backward
        # Were its success 60 %, fewer than 8 of 20 would pass in one of fifty batches.
        assert with_it.passed.sum() >= 8 and np.median(with_it.center[:, -1]) > 0.14

    def test_without_pegs_there_is_no_propulsion(self) -> None:
        found = outcome(None, CONTINUOUS, 3, 60.0)
        force = found.run.contact_normal_force.values
        touched = (np.abs(force) > 0.0).sum(axis=2)[:, -(force.shape[1] // 10) :]
        assert np.abs(found.center).max() < 0.14 and (touched.mean(axis=1) <= 1.0).all()  # a link's length, as for LB8

    @pytest.mark.slow
    def test_on_courses_never_looked_at_it_passes_more_than_the_hybrid_one(self) -> None:
        controllers = {name: controller_of(name) for name in ("continuous", "hybrid-tuned")} | {"none": UNFEELING}
        places = [random_place(seed) for seed in range(1000, 1100)]
        found = compare(ControllerComparison(controllers=controllers, places=places))
        success = {name: found.summary(name)["success"] for name in controllers}
        assert success["continuous"] >= 0.6 and success["none"] <= 0.03
        assert success["continuous"] >= success["hybrid-tuned"] + 0.2
        assert found.pairs()[0]["p_value"] < 0.01


class TestCourses:
    def test_a_seed_gives_a_course_free_of_the_robot(self) -> None:
        robot = liljeback2011()
        for seed in range(5):
            made = random_course(robot, seed, friction=0.2)
            assert made == random_course(robot, seed, friction=0.2)
            pose = made.start.pose(robot)
            check_clear(0, robot, peg_course(made.pegs), pose["center"], pose["theta"])
            gaps = [
                np.hypot(a.x - b.x, a.y - b.y) - a.radius - b.radius for a in made.pegs for b in made.pegs if a is not b
            ]
            assert min(gaps) >= CLEARANCE - 1e-9 and len(made.pegs) >= 10
        assert random_course(robot, 0, friction=0.2) != random_course(robot, 1, friction=0.2)

    @pytest.mark.parametrize("seed", [0, 7])
    def test_courses_are_those_of_one_position_after_the_other(self, seed: int) -> None:
        """Many positions are looked at together; the course is that of the first good one, as drawn one by one."""
        robot, random = liljeback2011(), np.random.default_rng((courses.STREAM, seed))
        for _ in range(courses.FIELDS):
            pegs, tries = courses._pegs(int(random.integers(2**32)), 0.2, courses.AS_PUBLISHED), 0
            while tries < courses.PLACES:
                phase, (x, y) = random.uniform(0.0, 2.0 * np.pi), random.uniform(-0.25, 0.25, 2).tolist()
                stance, tries = courses._stance(robot, phase, (x, y)), tries + 1
                if courses._lies_well(stance, pegs):
                    made = random_course(robot, seed, friction=0.2)
                    assert made.start.link_angles == stance.link_angles
                    assert [(peg.x, peg.y, peg.radius) for peg in made.pegs] == [
                        (peg.x - x, peg.y - y, peg.radius) for peg in pegs
                    ]
                    return
        raise AssertionError("no good position")

    @pytest.mark.parametrize("control", [HYBRID, CONTINUOUS], ids=["hybrid", "continuous"])
    def test_a_course_without_a_way_through_is_not_passed_and_no_error(self, control: Any) -> None:
        ring = [Peg(x=-0.6 + np.cos(a), y=np.sin(a), radius=0.12, friction=0.2) for a in np.arange(0, 6.2, 0.209)]
        start = Start(joint_angles=(0.15, -0.15) * 4 + (0.15,), position=(-0.6, 0.0))
        found = outcome_of([World(liljeback2011(), peg_course(ring), control, start)], 30.0)
        assert found.run.attrs["status"] == "finished" and not found.passed.any()
        assert np.abs(found.run.center_of_mass.values[0] - [-0.6, 0.0]).max() < 1.0  # still inside
