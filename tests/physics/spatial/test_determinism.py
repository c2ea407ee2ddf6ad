"""Same inputs, same bits in space: however the steps are cut, whichever worlds run beside; and single precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from oracles.engine import stepper_at_start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.engine.state import SpatialState
from pushpoint.gaits import Sidewinding
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.terrain import Box, HeightField
from pushpoint.papers.registry import scenario
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

GAIT = Sidewinding(yaw_amplitude=0.5, pitch_amplitude=0.17, angular_frequency=3.0, phase_shift=-0.9)


def rubble(k: int = 0) -> World:
    """Sidewinding across boxes and a peg; worlds differ in gait, place and number of boxes."""
    boxes = [
        Box(center=(0.3 * j - 0.6, 0.15, 0.01), size=(0.2, 0.1, 0.02), yaw=0.3 * j, friction=0.3) for j in range(4 + k)
    ]
    place = Environment(
        ground=Ground(friction=Isotropic(0.2 + 0.02 * k), rolling=0.02),
        obstacles=[*boxes, Peg(x=0.9, y=0.3, radius=0.05, friction=0.2)],
    )
    gait = replace(GAIT, angular_frequency=3.0 + 0.1 * k)
    return World(aiko(), place, gait, SpatialStart(position=(1e-3 * k, 0.0, 0.16)))


def hills(k: int = 0) -> World:
    """The same gait on a height field."""
    heights = 0.03 * np.sin(np.arange(60)[:, None] * 0.5) * np.cos(np.arange(60)[None, :] * (0.4 + 0.01 * k))
    field = HeightField(heights=heights, spacing=0.05, origin=(-1.5, -1.5))
    place = Environment(ground=Ground(friction=Isotropic(0.3), rolling=0.02, heights=field))
    return World(aiko(), place, GAIT, SpatialStart(position=(0.0, 0.0, 0.2)))


def flat() -> World:
    scene = scenario("transeth2008b/sidewinding")
    return World(scene.world.robot, scene.world.environment, scene.world.controller, scene.world.start)


SCENES = {"flat": flat(), "rubble": rubble(), "hills": hills()}


def final_state(worlds: list[World], *portions: int, settings: Settings = Settings()) -> SpatialState:
    stepper = stepper_at_start(worlds, settings)
    for steps in portions:
        stepper.advance(steps)
    assert all(status.value == "running" for status in stepper.statuses())
    return stepper.state()


def assert_same_bits(a: SpatialState, b: SpatialState) -> None:
    for name in SpatialState.names():
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def alone(state: SpatialState, w: int) -> dict[str, np.ndarray]:
    """One world of a batch, without what numbers the batch's obstacles."""
    return {name: getattr(state, name)[w] for name in SpatialState.names() if name != "contact_key"}


@pytest.mark.parametrize("name", SCENES)
def test_same_run_twice(name: str) -> None:
    world = SCENES[name]
    first, second = (
        simulate(world.robot, world.environment, world.controller, start=world.start, duration=0.5) for _ in range(2)
    )
    for variable in first.data_vars:
        np.testing.assert_array_equal(first[variable], second[variable], err_msg=str(variable))
    if name == "rubble":
        assert float(np.abs(first.obstacle_force).sum()) > 0.0


@pytest.mark.parametrize("name", SCENES)
def test_500_and_500_steps_are_1000(name: str) -> None:
    whole = final_state([SCENES[name]], 1000)
    assert_same_bits(final_state([SCENES[name]], 500, 500), whole)
    assert_same_bits(final_state([SCENES[name]], 1, 333, 666), whole)


@pytest.mark.parametrize("name", SCENES)
def test_restored_state_goes_on_as_if_nothing_had_happened(name: str) -> None:
    whole, half = final_state([SCENES[name]], 1000), final_state([SCENES[name]], 500)
    for steps_before in (0, 700):
        stepper = stepper_at_start([SCENES[name]], Settings())
        stepper.advance(steps_before)
        stepper.load(half)
        stepper.advance(500)
        assert_same_bits(stepper.state(), whole)


@pytest.mark.parametrize("make", [rubble, hills])
def test_world_in_a_batch_is_the_world_alone(make: Callable[[int], World]) -> None:
    worlds = [make(k) for k in range(3)]  # too few for a second thread
    batch = final_state(worlds, 500)
    for w, world in enumerate(worlds):
        single = final_state([world], 500)
        for name, values in alone(batch, w).items():
            np.testing.assert_array_equal(values, getattr(single, name)[0], err_msg=name)


def test_threads_change_nothing() -> None:
    worlds = [rubble(k) for k in range(12)]
    batch, again = final_state(worlds, 300), final_state(worlds, 300)
    assert_same_bits(batch, again)
    for w in (0, 5, 6, 11):
        single = final_state([worlds[w]], 300)
        for name, values in alone(batch, w).items():
            np.testing.assert_array_equal(values, getattr(single, name)[0], err_msg=name)


@pytest.mark.parametrize("name", SCENES)
def test_single_precision_follows_double(name: str) -> None:
    world = SCENES[name]
    runs = [
        simulate(
            world.robot, world.environment, world.controller, start=world.start, duration=1.0,
            settings=Settings(precision=precision), record=Record(rate=50.0),
        )
        for precision in ("float64", "float32")
    ]  # fmt: skip
    assert np.isfinite(runs[1].link_position).all()
    assert float(runs[1].unconverged.sum()) <= 0.02 * 1000  # steps
    # Impacts and slip amplify round-off of 1e-7; over 1 s the way of the whole stays the same within some millimetres.
    assert np.abs(runs[1].center_of_mass.values - runs[0].center_of_mass.values).max() < 5e-3  # m
