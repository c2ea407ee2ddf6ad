"""Same inputs, same bits: however the steps are cut, and whichever worlds run beside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oracles.course import course
from oracles.engine import stepper_at_start
from pushpoint.engine.settings import Settings
from pushpoint.engine.state import State
from pushpoint.model.environment import Peg
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

SCENES = {"flat": course(obstacles=False), "rough pegs": course(obstacles=True, friction=0.3)}


def final_state(worlds: list[World], *portions: int) -> State:
    stepper = stepper_at_start(worlds, Settings())
    for steps in portions:
        stepper.advance(steps)
    return stepper.state()


def assert_same_bits(a: State, b: State) -> None:
    for name in State.names():
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def alone(state: State, w: int) -> dict[str, np.ndarray]:
    """One world of a batch, without what numbers the batch's obstacles."""
    return {name: getattr(state, name)[w] for name in State.names() if name != "contact_key"}


def variations(count: int) -> list[World]:
    """Worlds that differ in place, gait and number of pegs."""
    worlds = []
    for k in range(count):
        world = course(obstacles=True, friction=0.1 * (k % 3))
        x, y = world.start.position
        gait = replace(world.controller, angular_frequency=world.controller.angular_frequency * (1 + 0.1 * k))
        more = [Peg(x=3.0 + 0.3 * j, y=1.0, radius=0.05) for j in range(k)]
        environment = replace(world.environment, obstacles=[*world.environment.obstacles, *more])
        start = replace(world.start, position=(x + 1e-4 * k, y))
        worlds.append(World(world.robot, environment, gait, start))
    return worlds


@pytest.mark.parametrize("name", SCENES)
def test_same_run_twice(name: str) -> None:
    world = SCENES[name]
    first, second = (
        simulate(world.robot, world.environment, world.controller, start=world.start, duration=1.0) for _ in range(2)
    )
    for variable in first.data_vars:
        np.testing.assert_array_equal(first[variable], second[variable], err_msg=str(variable))


@pytest.mark.parametrize("name", SCENES)
def test_500_and_500_steps_are_1000(name: str) -> None:
    whole = final_state([SCENES[name]], 1000)
    assert_same_bits(final_state([SCENES[name]], 500, 500), whole)
    assert_same_bits(final_state([SCENES[name]], 1, 333, 666), whole)


@pytest.mark.parametrize("name", SCENES)
def test_restored_state_goes_on_as_if_nothing_had_happened(name: str) -> None:
    whole, half = final_state([SCENES[name]], 1000), final_state([SCENES[name]], 500)
    fresh = stepper_at_start([SCENES[name]], Settings())
    fresh.load(half)
    fresh.advance(500)
    assert_same_bits(fresh.state(), whole)

    used = stepper_at_start([SCENES[name]], Settings())
    used.advance(700)
    used.load(half)
    used.advance(500)
    assert_same_bits(used.state(), whole)


def test_world_in_a_batch_is_the_world_alone() -> None:
    worlds = variations(3)  # too few for a second thread
    batch = final_state(worlds, 1000)
    for w, world in enumerate(worlds):
        single = final_state([world], 1000)
        for name, values in alone(batch, w).items():
            np.testing.assert_array_equal(values, getattr(single, name)[0], err_msg=name)


def test_threads_change_nothing() -> None:
    worlds = variations(12)
    batch, again = final_state(worlds, 300), final_state(worlds, 300)
    assert_same_bits(batch, again)
    for w in (0, 5, 6, 11):
        single = final_state([worlds[w]], 300)
        for name, values in alone(batch, w).items():
            np.testing.assert_array_equal(values, getattr(single, name)[0], err_msg=name)
