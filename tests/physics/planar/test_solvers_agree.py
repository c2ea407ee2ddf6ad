"""Newton's method and the papers' prox iteration solve the same equations: step by step, and over whole runs."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.course import course
from oracles.engine import stepper_at_start
from pushpoint.engine.settings import Settings
from pushpoint.engine.state import State
from pushpoint.kernels.planar.structs import FEATURES
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

SCENES = {
    "flat": course(obstacles=False),
    "obstacle-aided": course(obstacles=True),
    "rough pegs": course(obstacles=True, friction=0.3),
}
N_STATES = 100


def recorded_states(world: World) -> State:
    """One hundred states on the way through the run, as a batch of worlds."""
    stepper = stepper_at_start([world], Settings())
    states = []
    for _ in range(N_STATES):
        stepper.advance(97)  # prime, so that no rhythm of the gait is met
        states.append(stepper.state())
    batch = {name: np.concatenate([getattr(state, name) for state in states]) for name in State.names()}
    # Obstacles are rows of the whole batch: each world's own ones lie behind those of the worlds before it.
    first = np.arange(N_STATES) * len(world.environment.obstacles)
    keys = batch["contact_key"]
    batch["contact_key"] = keys + (int(FEATURES) * first[:, None, None]).astype(keys.dtype)
    return State(**batch)


def next_velocities(world: World, states: State, settings: Settings) -> np.ndarray:
    stepper = stepper_at_start([world] * N_STATES, settings)
    stepper.load(states)
    stepper.advance(1)
    assert stepper.totals("unconverged").sum() == 0
    return stepper.state().v


@pytest.mark.parametrize("name", SCENES)
def test_one_step_from_recorded_states(name: str) -> None:
    world = SCENES[name]
    states = recorded_states(world)
    newton, prox = (
        next_velocities(world, states, Settings(solver=solver, tolerance=1e-7)) for solver in ("newton", "prox")
    )
    changed = np.abs(newton - states.v).max(axis=(1, 2))
    assert np.median(changed) > 1e-5  # m/s: far more than what they may differ by
    assert np.abs(newton - prox).max() < 1e-6  # m/s, required


@pytest.mark.parametrize("name", ["flat", "obstacle-aided"])
def test_whole_run(name: str) -> None:
    world = SCENES[name]
    paths = [
        simulate(
            world.robot, world.environment, world.controller, start=world.start, duration=10.0,
            settings=Settings(solver=solver, tolerance=tolerance),
        ).link_position.isel(link=5)
        for solver, tolerance in (("newton", 1e-3), ("prox", 1e-6))
    ]  # fmt: skip
    assert float(np.abs(paths[0] - paths[1]).max()) < 1e-4  # m, required: link 6 of the paper is our link 5
