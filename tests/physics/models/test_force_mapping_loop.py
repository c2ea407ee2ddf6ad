"""Force mapping in a closed loop: a robot pushes itself along a 43 degree sine through pegs.

Forces are means over 10 ms, as a touch sensor read 100 times per second shows them, where nothing else is said: touches
of rigid bodies are impulses, and over a single time step look as hard as the step is short.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from oracles.robots import uneven_links
from pushpoint.control import ContactRule, ForceMappingController, RailGains, ShapePropagation
from pushpoint.control.rails import RailMemory
from pushpoint.engine.controller import Controller
from pushpoint.mapping import MappingBounds, RailCosts
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.papers.holden2014.courses import (
    CLEARANCE,
    TUNED_MAPPING,
    Pushes,
    disturbed,
    drive_side_by_side,
    fifteen_links,
    pushes,
    rail_course,
    sine_path,
)
from pushpoint.papers.registry import scenario
from pushpoint.reduced import GroundFriction
from pushpoint.simulation.tracking import Tracking, tracking
from pushpoint.worlds.world import World

ROBOT, PATH, HEAD = fifteen_links(), sine_path(), 1.6
COURSE = rail_course(ROBOT)
BODY = ROBOT.length
MU = 0.2
QUICK = 50.0  # Hz, the slowest rate asked for
TORQUE = 4.0


class Watched(Controller[RailMemory]):
    """A controller of one world whose last memory can be looked at."""

    def __init__(self, controller: ForceMappingController) -> None:
        self.controller: Controller[RailMemory] = controller
        self.path, self.head = controller.path, controller.head
        self.rate, self.needs = controller.rate, controller.needs
        self.kept: Any = None

    def start(self, robot: Any, environment: Any = None) -> Any:
        return self.controller.start(robot, environment)

    def bind(self, robot: Any, environment: Any = None) -> Watched:
        self.controller = self.controller.bind(robot, environment)
        return self

    def memory(self) -> RailMemory:
        return self.controller.memory()

    def command(self, measurement: Any, memory: RailMemory) -> Any:
        command, self.kept = self.controller.command(measurement, memory)
        return command, self.kept


def mapping(**changes: Any) -> ForceMappingController:
    """The controller with the rate at which tests are quick; it believes the course to be as it should be."""
    values: dict[str, Any] = {"path": PATH, "head": HEAD, "rate": QUICK, "pegs": COURSE.obstacles} | changes
    return ForceMappingController(**values)


def one(
    controller: Any, environment: Environment = COURSE, robot: PlanarRobot = ROBOT, duration: float = 20.0
) -> Tracking:
    return drive_side_by_side([robot], [controller], environment, duration)[0]


@cache
def nominal() -> Tracking:
    return one(mapping())


@pytest.mark.parametrize("rate", [50.0, 100.0, 200.0])
def test_the_robot_travels_a_body_length_at_the_speed_asked_for(rate: float) -> None:
    watched = Watched(mapping(rate=rate))
    found = one(watched, duration=17.0)
    assert found.advance >= BODY
    assert found.speed(1.0) == pytest.approx(0.1, rel=0.05)  # m/s, asked for
    assert found.shape_error.max() < 0.05  # rad, asked for
    assert watched.kept.failures[0] == 0  # of 850 to 3400 mappings


UNKNOWN = {
    "ground rougher than thought": (rail_course(ROBOT), {"ground": GroundFriction(coefficient=MU * 0.65)}),
    "ground smoother than thought": (rail_course(ROBOT), {"ground": GroundFriction(coefficient=MU * 1.35)}),
    "pegs rough": (rail_course(ROBOT, friction=0.2), {}),
    "pegs too far": (rail_course(ROBOT, clearance=CLEARANCE + 0.01), {}),
    "all at once, rougher": (
        rail_course(ROBOT, friction=0.2, clearance=CLEARANCE + 0.01),
        {"ground": GroundFriction(coefficient=MU * 0.65)},
    ),
    "all at once, smoother": (
        rail_course(ROBOT, friction=0.2, clearance=CLEARANCE + 0.01),
        {"ground": GroundFriction(coefficient=MU * 1.35)},
    ),
}


@cache
def in_unknown_worlds() -> dict[str, Tracking]:
    places = [place for place, _ in UNKNOWN.values()]
    controllers = [mapping(**belief) for _, belief in UNKNOWN.values()]
    return dict(zip(UNKNOWN, drive_side_by_side([ROBOT] * len(places), controllers, places), strict=True))


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_known_does_not_stop_it(name: str) -> None:
    assert in_unknown_worlds()[name].advance >= BODY  # in 20 s


def test_without_the_integral_an_unknown_friction_does() -> None:
    ground = GroundFriction(coefficient=MU * 0.65)
    found = one(mapping(ground=ground, gains=RailGains(integral=0.0)), duration=15.0)
    assert found.advance < in_unknown_worlds()["ground rougher than thought"].advance / 2


def stuck(found: Tracking) -> bool:
    """Less than a tenth of the body, in ten seconds; at the speed asked for it would be two thirds."""
    return bool(abs(found.advance) < 0.1 * BODY)


@pytest.mark.parametrize("form", ["free", "eliminated"])
def test_links_that_are_left_free_need_a_posture(form: Any) -> None:
    # The paper's task set: centre of mass, links at the pegs, those that come next, and the head.
    loose, held = (one(mapping(costs=RailCosts(form=form, posture=rho)), duration=10.0) for rho in (0.0, 0.1))
    assert stuck(loose) or loose.shape_error.max() > 1.0  # rad: links whirl
    assert not stuck(held) and held.shape_error.max() < 0.5  # rad


def test_a_peg_taken_for_two_contacts_locks_its_joint_in_the_eliminated_form() -> None:
    twice, eliminated = ContactRule(one_per_peg=False), RailCosts(form="eliminated")
    held = Watched(mapping(contacts=twice, costs=eliminated))
    assert stuck(one(held, duration=10.0))
    # Why: both links are thought to be held, so that the joint between them cannot turn as the path asks.
    free = Watched(mapping(contacts=twice))
    assert one(free, duration=10.0).advance == pytest.approx(0.1 * 10.0, rel=0.05)  # m, at the speed asked for
    assert held.kept.miss[0] > 100 * free.kept.miss[0]


def test_torques_that_are_too_small_do_not_bring_it_forward() -> None:
    # Statics asks for 0.92 N m on this course.
    assert stuck(one(mapping(bounds=MappingBounds(torque_limit=0.3)), duration=10.0))


@pytest.mark.parametrize("robot", [ROBOT, uneven_links()], ids=["equal links", "uneven links"])
def test_the_eliminated_form_moves_as_the_free_one(robot: PlanarRobot) -> None:
    free = nominal() if robot is ROBOT else one(mapping(), robot=robot)
    found = one(mapping(costs=RailCosts(form="eliminated")), robot=robot)
    assert found.advance == pytest.approx(free.advance, rel=0.01)  # asked for
    assert np.abs(found.head - free.head).max() < 0.01 * free.advance  # all along the way, too
    assert found.squared_torque == pytest.approx(free.squared_torque, rel=0.05)


def test_uneven_links_are_driven_as_well() -> None:
    found = one(mapping(), robot=uneven_links())
    assert found.advance >= BODY and found.speed(1.0) == pytest.approx(0.1, rel=0.05)
    assert found.shape_error.max() < 0.05  # rad


def test_the_robot_of_the_paper_travels_a_body_length() -> None:
    chosen = scenario("holden2014/closed-loop")
    found = tracking(chosen.run(), chosen.world.robot, chosen.world.controller)
    assert found.advance >= chosen.world.robot.length
    assert found.speed(1.0) == pytest.approx(0.1, rel=0.05) and found.shape_error.max() < 0.05  # m/s, rad
    assert np.abs(found.joint_torque[1:]).max() <= 4.5 + 1e-9  # N m, of Table I


@pytest.mark.parametrize("dt", [1e-3, 5e-4])
def test_a_bound_on_peg_forces_is_kept_in_every_time_step(dt: float) -> None:
    found = bounded(dt)
    assert found.lasting_force < 8.0  # N, asked for: of every contact that was closed in the step before
    assert found.quiet_force < 8.0  # N: of every peg, where no contact closes
    steps = round(0.01 / dt)
    parts = found.peg_force[: len(found.peg_force) // steps * steps].reshape(-1, steps, found.peg_force.shape[1])
    assert parts.mean(axis=1).max() < 8.0  # N: of every peg over 10 ms, touches included
    # A robot that comes to a peg sideways with v stops with an impulse of no more than its mass times v; pace: 0.1 m/s.
    assert found.touch_impulses.max() < ROBOT.mass * 0.1  # N s


@cache
def bounded(dt: float) -> Pushes:
    controller = mapping(rate=100.0, bounds=MappingBounds(torque_limit=TORQUE, force_limit=6.0))
    return pushes(World(ROBOT, COURSE, controller, controller.start(ROBOT)), 20.0, dt)


def test_touches_are_impulses_and_no_forces() -> None:
    coarse, fine = bounded(1e-3), bounded(5e-4)
    assert fine.touch_impulses.max() == pytest.approx(coarse.touch_impulses.max(), rel=0.1)  # the same hit
    assert fine.force.max() > 1.7 * coarse.force.max()  # over half the time step looks twice as hard


def test_the_bound_costs_no_way_and_is_one() -> None:
    held = one(mapping(rate=100.0, bounds=MappingBounds(torque_limit=TORQUE, force_limit=6.0)))
    assert held.advance >= BODY
    assert held.peg_force[1:].max() < 8.0  # N
    assert nominal().peg_force[1:].max() > 7.0  # N: without the bound it pushes harder


SERVO = ShapePropagation(path=PATH, head=HEAD)
TUNED = mapping(gains=TUNED_MAPPING, rate=SERVO.rate)
"""Both at the 100 Hz for which they are tuned."""


def test_well_tuned_shape_propagation_is_about_as_good_on_an_ideal_course() -> None:
    servo, push = one(SERVO), one(TUNED)
    for found in (servo, push):  # what both were tuned for
        assert found.advance >= BODY and found.shape_error.max() < 0.05  # rad
        assert found.speed(1.0) == pytest.approx(0.1, rel=0.05)  # m/s
    assert servo.squared_torque == pytest.approx(push.squared_torque, rel=0.1)  # the yardstick is a good one
    assert push.center_error.max() < servo.center_error.max()


def push_and_servo(seeds: range) -> list[tuple[Tracking, Tracking]]:
    """Force mapping and shape propagation where pegs are up to 15 mm off, which neither of them knows."""
    places = [disturbed(COURSE, PATH, 0.015, seed, clear=1.5) for seed in seeds]
    robots = [ROBOT] * len(places)
    push = drive_side_by_side(robots, [TUNED] * len(places), places)
    servo = drive_side_by_side(robots, [SERVO] * len(places), places)
    return list(zip(push, servo, strict=True))


def test_on_a_disturbed_course_the_mapping_strays_less_and_needs_less_torque() -> None:
    ((push, servo),) = push_and_servo(range(1))
    assert min(push.advance, servo.advance) >= BODY
    assert push.center_error.max() < servo.center_error.max()
    assert push.squared_torque < servo.squared_torque


@pytest.mark.slow  # sixteen runs of 20 s
def test_on_disturbed_courses_the_mapping_pushes_less_hard_strays_less_and_needs_less_torque() -> None:
    pairs = push_and_servo(range(8))
    assert all(push.advance >= BODY for push, _ in pairs)
    for figure in ("peak_peg_force_N", "center_error_mm", "squared_torque_N2m2"):
        assert np.median([push.summary[figure] / servo.summary[figure] for push, servo in pairs]) < 1.0


def test_it_stops_at_the_end_of_the_path() -> None:
    near = PATH.length - 0.15
    found = one(mapping(head=near), duration=8.0)
    assert 0.08 < found.advance < 0.15  # m
    assert found.speed(7.0) < 0.01  # m/s


def test_worlds_of_one_controller_do_not_disturb_each_other() -> None:
    alone = one(mapping(), duration=1.0)
    beside = drive_side_by_side([ROBOT, ROBOT], [mapping(), mapping()], [COURSE, rail_course(ROBOT, friction=0.2)], 1.0)
    np.testing.assert_array_equal(beside[0].head, alone.head)
    shared = mapping()
    both = drive_side_by_side([ROBOT, ROBOT], [shared, shared], [COURSE, rail_course(ROBOT, friction=0.2)], 1.0)
    np.testing.assert_array_equal(both[0].head, alone.head)
    np.testing.assert_array_equal(both[1].head, beside[1].head)
    assert np.abs(both[1].head - both[0].head).max() > 1e-4  # m: rough pegs are another world
