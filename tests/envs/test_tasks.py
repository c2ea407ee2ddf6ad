"""What tasks ask for, give and end, by closed forms."""

from __future__ import annotations

from math import exp, hypot
from typing import Any

import gymnasium
import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control.neural.observing import Asked
from pushpoint.envs import PegField, Randomised, Rubble, Sidewind, Slither, SnakeEnv, Turn, peg_field
from pushpoint.envs.randomised import Drawn
from pushpoint.studies.splits import HELD_OUT, SECOND_HELD_OUT, TRAIN, VALIDATION


def turn(place: tuple[float, float], power: float = 0.0, direction: float = 0.0, size: float = 1.0) -> Turn:
    return Turn(np.array([place]), np.array([power]), Asked(np.array([direction]), np.array([size])))


def test_a_steady_velocity_is_taken_up_as_by_a_low_pass() -> None:
    task = Slither(rate=20.0, memory=1.0, width=0.1, energy_weight=0.01)
    memory = task.begin(np.zeros((1, 2)))
    for k in range(1, 61):
        outcome, memory = task.judge(turn((0.012 * k, 0.005 * k), power=3.0, direction=0.2, size=0.3), memory)
    share = 1.0 - exp(-3.0)  # after three seconds
    velocity = (0.24 * share, 0.1 * share)
    np.testing.assert_allclose(memory.velocity[0], velocity, rtol=1e-12)
    error = hypot(velocity[0] - 0.3 * np.cos(0.2), velocity[1] - 0.3 * np.sin(0.2))
    assert outcome.told["velocity_error"][0] == pytest.approx(error, rel=1e-12)
    assert outcome.rewards["velocity"][0] == pytest.approx(exp(-((error / 0.1) ** 2)), rel=1e-12)
    assert outcome.rewards["energy"][0] == pytest.approx(-0.01 * 3.0 / 20.0, rel=1e-12)
    assert not outcome.terminated[0] and not outcome.truncated[0]


def test_only_a_way_that_is_further_than_ever_earns() -> None:
    task = PegField(way=0.5, progress_weight=10.0, goal_reward=5.0, patience=0.1, courses=[0])
    memory = task.begin(np.array([[1.0, 1.0]]))
    earned, ended = [], []
    for x in (1.1, 0.9, 1.1, 1.3, 1.6):
        outcome, memory = task.judge(turn((x, 7.0)), memory)
        earned.append({name: float(value[0]) for name, value in outcome.rewards.items()})
        ended.append((bool(outcome.terminated[0]), bool(outcome.truncated[0])))
    np.testing.assert_allclose([each["progress"] for each in earned], [1.0, 0.0, 0.0, 2.0, 3.0], atol=1e-12)
    assert [each["goal"] for each in earned] == [0.0, 0.0, 0.0, 0.0, 5.0]
    # Two steps of 0.05 s without progress are as long as the patience.
    assert ended == [(False, False), (False, False), (False, True), (False, False), (True, False)]


def test_progress_is_measured_toward_the_goal() -> None:
    task = Rubble(way=0.5)
    memory = task.begin(np.zeros((1, 2)))
    outcome, _ = task.judge(turn((0.3, 0.4), direction=np.arctan2(0.4, 0.3)), memory)
    assert outcome.told["way"][0] == pytest.approx(0.5, rel=1e-12)


def episodes(task: Any, count: int) -> list[Any]:
    random = np.random.default_rng(0)
    return [task.episode(random) for _ in range(count)]


def test_speeds_and_directions_are_drawn_from_their_ranges() -> None:
    found = np.array([(each.size, each.direction) for each in episodes(Slither(speed=(0.1, 0.2)), 400)])
    low, high = np.array([0.1, -0.6]), np.array([0.2, 0.6])
    assert (found >= low).all() and (found <= high).all()
    # The mean of 400 even draws is within 5 of its standard deviations, (high - low) / sqrt(12 * 400).
    np.testing.assert_allclose(found.mean(axis=0), (low + high) / 2, atol=5 * 1.2 / np.sqrt(12 * 400))


def test_courses_come_from_their_set_and_never_from_those_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    course, asked = peg_field._course("liljeback2011", 3), []
    monkeypatch.setattr(peg_field, "_course", lambda robot, seed: asked.append(seed) or course)
    for options, allowed in (({}, TRAIN), ({"courses": "validation"}, VALIDATION), ({"courses": (7, 11)}, {7, 11})):
        asked.clear()
        told = {each.told["course"] for each in episodes(PegField(**options), 600)}
        assert told == set(asked) and told <= set(allowed) and len(told) > min(len(allowed), 300) / 1.2
        assert not told & {*HELD_OUT, *SECOND_HELD_OUT}


def test_what_is_asked_for_has_its_unit_whatever_its_size() -> None:
    assert [row.unit for row in Slither(speed=(0.1, 1.0)).observing.rows[:3]] == ["m/s", "m/s", "rad"]
    assert [row.unit for row in PegField().observing.rows[:3]] == ["-", "-", "rad"]


def test_boxes_are_clear_of_the_robot_and_differ() -> None:
    first, second = (each.world for each in episodes(Rubble(boxes=30, height=0.05), 2))
    assert first.environment.obstacles != second.environment.obstacles
    front = pp.catalogue.yaw_pitch_16().length / 2
    for box in first.environment.obstacles:
        assert box.center[0] - hypot(*box.size[:2]) / 2 > front
        assert 0.0125 <= box.size[2] / 2 <= 0.05


@pytest.mark.parametrize("kind", [Slither, Sidewind])
def test_masses_and_motors_are_scaled(kind: Any) -> None:
    task = kind(randomised=Randomised(mass=(2.0, 2.0), stiffness=(0.5, 0.5), torque_limit=(0.25, 0.25)))
    robot, usual = task.episode(np.random.default_rng(0)).world.robot, task.usual_robot
    np.testing.assert_allclose(robot.column("mass"), 2.0 * usual.column("mass"), rtol=1e-15)
    np.testing.assert_allclose(robot.column("inertia"), 2.0 * usual.column("inertia"), rtol=1e-15)
    for field, factor in (("stiffness", 0.5), ("damping", 0.5), ("torque_limit", 0.25), ("upper", 1.0)):
        np.testing.assert_allclose(robot.motor_column(field), factor * usual.motor_column(field), rtol=1e-15)


def test_frictions_are_scaled() -> None:
    chosen = Randomised(friction=(3.0, 3.0), obstacle_friction=(0.5, 0.5))
    slither, pegs, rubble = (
        episodes(task, 1)[0].world.environment
        for task in (
            Slither(randomised=chosen),
            PegField(courses=[3], randomised=chosen),
            Rubble(boxes=3, randomised=chosen),
        )
    )
    assert slither.ground.friction == pp.Elliptic(along=3.0 * 0.1, across=3.0 * 0.5)
    assert pegs.ground.friction == pp.Isotropic(3.0 * 0.3)
    assert {peg.friction for peg in pegs.obstacles} == {0.5 * 0.2}
    assert {box.friction for box in rubble.obstacles} == {0.5 * 0.6}


def test_factors_are_drawn_from_their_ranges() -> None:
    chosen, random = Randomised(friction=(0.5, 2.0), mass=(0.9, 1.1)), np.random.default_rng(1)
    found = [chosen.draw(random) for _ in range(500)]
    friction, mass = (np.array([getattr(each, name) for each in found]) for name in ("friction", "mass"))
    assert 0.5 <= friction.min() < 0.55 and 1.95 < friction.max() <= 2.0
    assert 0.9 <= mass.min() < 0.91 and 1.09 < mass.max() <= 1.1
    assert abs(np.corrcoef(friction, mass)[0, 1]) < 5 / np.sqrt(500)  # independent
    assert {each._replace(friction=1.0, mass=1.0) for each in found} == {Drawn()}


def test_a_world_that_fails_terminates_and_earns_nothing() -> None:
    # Steps of a quarter of a second with torques of their own: no integration survives that.
    env = gymnasium.wrappers.OrderEnforcing(SnakeEnv("Slither", action="torque", rate=4.0, dt=0.25))
    env.reset(seed=0)
    for k in range(200):
        seen, reward, terminated, _, info = env.step(np.full(9, 1.0 - 2.0 * (k % 2)))
        assert np.isfinite(seen).all() and seen in env.observation_space and np.isfinite(reward)
        if terminated:
            break
    assert terminated and info["failed"] and abs(reward) <= 1.0
    env.reset()
    assert not env.step(np.zeros(9))[4]["failed"]
