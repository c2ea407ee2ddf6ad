"""The follower and its steering without a simulation: time, batches, memory and bad input."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pushpoint.control import HeadingController, ShapeCurveFollower, TurnSchedule
from pushpoint.engine.batching import stack
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import aiko_planar, liljeback2014
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.planning import (
    AlongCurve,
    MovingPoints,
    OnCurve,
    OnMovingPoints,
    ShapeCurve,
    align,
    concatenated,
    rolling_arc,
    sidewinding,
)
from pushpoint.simulation.simulate import simulate
from pushpoint.simulation.stepping.controllers import Controllers
from pushpoint.worlds.world import World

ROBOT = liljeback2014()
ALONG = AlongCurve(segment=sidewinding(ROBOT), speed=0.5)
FLOOR = Environment(ground=Ground(friction=Isotropic(0.5)))


def commands(follower: ShapeCurveFollower, robots: list[Any], count: int) -> np.ndarray:
    """Joint angles of a batch over its first commands, shape (count, n_worlds, n_joints)."""
    asked = Controllers([World(robot, FLOOR, follower) for robot in robots])
    sent = []
    for k in range(count):
        nothing = np.zeros((len(robots), 1))
        seen = Measurement(
            time=np.full(len(robots), k / follower.rate),
            joint_angle=nothing,
            joint_rate=nothing,
            joint_torque=nothing,
            contact_normal_force=nothing,
            imu_angular_rate=nothing,
            imu_acceleration=nothing,
            imu_heading=nothing,
        )
        command = asked.ask(seen, np.ones(len(robots), dtype=bool), lambda command, rows: None)
        sent.append(command.joint_angle)
    return np.array(sent)


def test_commands_are_alignments_on_the_whole_curve_built_at_once() -> None:
    follower = ShapeCurveFollower(motion=ALONG)
    cycles = 7
    curve = ShapeCurve(concatenated(ALONG.segment, np.tile(np.eye(3), (cycles, 1, 1))))
    # The head begins where a cycle begins: here after three of them.
    first = curve.arc_length(24.0)
    heads = curve.at_arc_length(first + 0.5 * np.arange(60) / 30.0)
    expected = align(ROBOT, curve, heads).joint_angles
    np.testing.assert_allclose(commands(follower, [ROBOT], 60)[:, 0], expected, rtol=0, atol=1e-9)


def test_a_world_is_the_same_alone_and_beside_another_robot_of_as_many_joints() -> None:
    tail, *middle, head = ROBOT.links
    other = replace(ROBOT, links=(replace(tail, length=0.06), *middle, replace(head, length=0.1)))
    follower = ShapeCurveFollower(motion=ALONG, look_ahead=0.16)
    both = commands(follower, [ROBOT, other, ROBOT], 20)
    for w, robot in enumerate([ROBOT, other]):
        # Sums over a batch may be rounded otherwise than over one.
        np.testing.assert_allclose(both[:, w], commands(follower, [robot], 20)[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(both[:, 0], both[:, 2], rtol=0, atol=1e-12)
    assert np.abs(both[:, 0] - both[:, 1]).max() > 1e-3


def test_robots_of_different_length_may_share_a_follower() -> None:
    longer = replace(ROBOT, links=(*ROBOT.links[:-1], replace(ROBOT.links[-1], length=0.5)))
    follower = ShapeCurveFollower(motion=ALONG, look_ahead=0.5)
    both = commands(follower, [ROBOT, longer], 5)
    for w, robot in enumerate([ROBOT, longer]):
        np.testing.assert_array_equal(both[:, w], commands(follower, [robot], 5)[:, 0])


def test_virtual_robot_and_references_are_what_is_sent() -> None:
    follower = ShapeCurveFollower(motion=ALONG, steering=TurnSchedule(until=(0.5, 1.5), rates=(0.0, 1.0)))
    sent = commands(follower, [ROBOT], 61)[:, 0]
    times, poses = follower.virtual(ROBOT, 2.0)
    np.testing.assert_allclose(times, np.arange(61) / 30.0, rtol=1e-12)
    np.testing.assert_array_equal(poses.joint_angles, sent)
    held, rates = follower.references(np.array([0.0, 0.0332, 0.0334, 1.999]), ROBOT)
    np.testing.assert_array_equal(held, sent[[0, 0, 1, 59]])
    assert not rates.any()


def test_phase_is_a_part_of_a_cycle_ahead() -> None:
    later = ShapeCurveFollower(motion=replace(ALONG, phase=0.25)).first_pose(ROBOT).joint_angles
    way = 0.25 * ALONG.cycle_length
    moved = commands(ShapeCurveFollower(motion=ALONG, rate=0.5 / way), [ROBOT], 2)[1, 0]
    np.testing.assert_allclose(later, moved, rtol=0, atol=1e-9)


def test_roll_turns_the_robot_about_a_curve_that_stays() -> None:
    arc = rolling_arc(ROBOT).curve()
    follower = ShapeCurveFollower(motion=OnCurve(points=arc.points, head=2.0, roll=0.3, roll_rate=-2.0))
    expected = align(ROBOT, arc, 2.0, roll=0.3 - 2.0 * np.arange(10) / 30.0).joint_angles
    np.testing.assert_allclose(commands(follower, [ROBOT], 10)[:, 0], expected, rtol=0, atol=1e-12)


def test_way_3_advances_on_points_that_move() -> None:
    """A straight curve that moves aside while the head goes on: the angles stay zero, the head moves both ways."""

    def points(t: np.ndarray) -> np.ndarray:
        x = np.linspace(-3.0, 1.0, 9)
        return np.stack([np.tile(x, (len(t), 1)), np.tile(t[:, None], (1, 9)), np.zeros((len(t), 9))], axis=-1)

    motion = OnMovingPoints(moving=MovingPoints(points=points, head=6.0), speed=0.3)
    times, poses = ShapeCurveFollower(motion=motion).virtual(ROBOT, 1.0)
    assert np.abs(poses.joint_angles).max() < 1e-9
    np.testing.assert_allclose(poses.joint_points[:, -1, 0], 0.3 * times, rtol=0, atol=1e-9)
    np.testing.assert_allclose(poses.joint_points[:, -1, 1], times, rtol=0, atol=1e-12)


def test_schedule_is_the_integral_of_its_rates() -> None:
    schedule = TurnSchedule(until=(5.0, 10.0), rates=(0.0, np.radians(22.5)))
    expected = np.radians([0.0, 0.0, 22.5, 112.5, 112.5])
    np.testing.assert_allclose(schedule.at(np.array([0.0, 5.0, 6.0, 10.0, 15.0])), expected, rtol=0, atol=1e-12)
    assert TurnSchedule(rates=(0.1,)).at(np.array(7.0)) == pytest.approx(0.7)


class TestHeading:
    """A made-up robot that travels in the direction of its shape frame plus an offset that drifts."""

    @staticmethod
    def steer(controller: HeadingController, seconds: float, drift: float) -> float:
        dt, place, direction = 0.1, np.zeros(2), 0.4
        memory = stack([controller.begin(20)])
        psi = np.zeros(1)
        for k in range(int(seconds / dt)):
            measurement: Any = SimpleNamespace(center_of_mass=np.array([[*place, 0.0]]))
            turned = psi
            psi, memory = controller.turn(np.array([k * dt]), dt, measurement, memory)
            direction += 0.5 * float(psi[0] - turned[0]) - drift * dt
            place = place + 0.3 * dt * np.array([np.cos(direction), np.sin(direction)])
        return direction

    def test_settles_on_the_wanted_direction_against_a_drift(self) -> None:
        found = self.steer(HeadingController(direction=2.0, response=0.5, delay=0.0), 120.0, drift=0.03)
        assert found == pytest.approx(2.0, abs=0.005)  # rad: the last command's drift

    def test_takes_the_shorter_way_round(self) -> None:
        found = self.steer(HeadingController(direction=-2.5), 120.0, drift=0.0)
        assert found == pytest.approx(-2.5, abs=0.02)  # though it turns by 0.5 instead of 0.3 of its frame, and at once

    def test_does_not_go_too_far_though_the_robot_drifts_and_answers_late(self) -> None:
        """11 deg per cycle toward the target, as a wave of five points; an integral of the error goes too far."""
        controller = HeadingController(direction=2.0, response=0.3, delay=0.6)
        ticks, dt, late, drift = 30, 0.1, 18, np.radians(11) / 30
        memory, place, told, found = stack([controller.begin(ticks)]), np.zeros(2), [0.0] * late, []
        for k in range(20 * ticks):
            direction = 0.4 + 0.3 * told[-late] + drift * k
            place = place + 0.3 * dt * np.array([np.cos(direction), np.sin(direction)])
            seen: Any = SimpleNamespace(center_of_mass=np.array([[*place, 0.0]]))
            psi, memory = controller.turn(np.array([k * dt]), dt, seen, memory)
            told.append(float(psi[0]))
            found.append(direction)
        assert max(found) < 2.0 + 0.03 * 1.6  # rad: 3 % of the turn
        assert found[-1] == pytest.approx(2.0, abs=0.01)

    def test_waits_for_a_whole_cycle(self) -> None:
        controller = HeadingController(direction=3.0)
        memory = stack([controller.begin(20)])
        for k in range(20):
            measurement: Any = SimpleNamespace(center_of_mass=np.array([[0.01 * k, 0.0, 0.0]]))
            psi, memory = controller.turn(np.array([0.1 * k]), 0.1, measurement, memory)
            assert psi[0] == 0.0
        psi, memory = controller.turn(np.array([2.0]), 0.1, measurement, memory)
        assert psi[0] == pytest.approx(0.1 * controller.fastest)


def test_robot_starts_as_the_virtual_one_lies() -> None:
    follower = ShapeCurveFollower(motion=ALONG)
    world = World(ROBOT, FLOOR, follower)
    pose, virtual = world.pose(), follower.first_pose(ROBOT)
    np.testing.assert_allclose(pose["angle"], virtual.joint_angles, atol=1e-12)
    np.testing.assert_allclose(np.abs(pose["tail"] @ virtual.tail_orientation), 1.0, atol=1e-12)
    np.testing.assert_allclose(pose["center"][:2], virtual.center[:2], atol=1e-9)


def test_rate_and_time_step_must_fit() -> None:
    with pytest.raises(InvalidModel, match=r"controller.rate = 30.0, must be a rate .* time steps of 0.001 s"):
        simulate(ROBOT, FLOOR, ShapeCurveFollower(motion=ALONG), duration=0.1, settings=Settings(dt=1e-3))


def short() -> OnCurve:
    return OnCurve(points=[(0, 0, 0), (0.5, 0, 0.0)], head=1.0)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ShapeCurveFollower(motion="x"), r"follower.motion = 'x', must be a Motion"),
        (lambda: ShapeCurveFollower(motion=ALONG, steering=3), r"follower.steering = 3, must be a Steering"),
        (lambda: ShapeCurveFollower(motion=ALONG, rate=0.0), r"follower.rate = 0.0, must be"),
        (lambda: ShapeCurveFollower(motion=ALONG, look_ahead=0.07).first_pose(ROBOT), r"look_ahead = 0.07, must be at"),
        (
            lambda: ShapeCurveFollower(motion=short()).first_pose(ROBOT),
            r"length up to the head = 0.5, must be at least",
        ),
        (lambda: ShapeCurveFollower(motion=ALONG).bind(aiko_planar()), r"robot = .*, must be a SpatialRobot"),
        (lambda: replace(ALONG, speed=-1.0), r"motion.speed = -1.0"),
        (lambda: replace(ALONG, phase=1.0), r"motion.phase = 1.0, must be in \[0, 1\)"),
        (lambda: replace(ALONG, origin=(0.0, np.nan, 0.0)), r"motion.origin\[1\] = nan"),
        (lambda: replace(ALONG, origin=(0.0, 0.0)), r"motion.origin = \(0.0, 0.0\), must be three numbers"),
        (lambda: replace(ALONG, lead=3), r"motion.lead = 3, must be a GaitSegment"),
        (lambda: OnCurve(points=short().points, head=1.5), r"motion.head = 1.5, must be in"),
        (
            lambda: TurnSchedule(until=(2.0, 1.0), rates=(0.0, 0.0)),
            r"steering.until = \(2.0, 1.0\), must be increasing",
        ),
        (
            lambda: TurnSchedule(until=(1.0, 2.0, 3.0), rates=(0.0, 1.0)),
            r"steering.until = '3 ends', must be one end per rate, 2, or one less",
        ),
        (lambda: HeadingController(direction=np.nan), r"steering.direction = nan"),
        (
            lambda: ShapeCurveFollower(
                motion=replace(ALONG, speed=0.0), steering=HeadingController(direction=0.0)
            ).first_pose(ROBOT),
            r"steering = 'a HeadingController', must be used with a motion that has cycles",
        ),
        (
            lambda: ShapeCurveFollower(motion=short(), steering=TurnSchedule(rates=(0.1,))),
            r"follower.steering = 'TurnSchedule', must be left out: OnCurve has a fixed curve",
        ),
        (
            lambda: ShapeCurveFollower(
                motion=OnMovingPoints(moving=MovingPoints(points=lambda t: np.zeros((len(t), 3, 3)), head=2.0)),
                steering=HeadingController(direction=0.0),
            ),
            r"follower.steering = 'HeadingController', must be left out: OnMovingPoints has a fixed curve",
        ),
        (
            lambda: ShapeCurveFollower(motion=ALONG, steering=HeadingController(direction=0.0)).virtual(ROBOT, 1.0),
            r"follower.steering = .*, must be one that does not need the robot's pose",
        ),
    ],
)
def test_mistakes_are_one_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence) as caught:
        make()
    assert "\n" not in str(caught.value)
