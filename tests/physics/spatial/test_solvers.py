"""Newton's method and the papers' prox iteration solve the same equations in space: step by step, and over a run."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.engine import stepper_at_start
from oracles.spatial.engine import joined, stepper_in
from pushpoint.engine.settings import Settings
from pushpoint.engine.state import SpatialState
from pushpoint.papers.registry import scenario
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

N_STATES = 100
SCENES = ("sidewinding", "lateral-undulation-orthotropic", "lateral-undulation-isotropic")


def scene(name: str) -> World:
    found = scenario(f"transeth2008b/{name}")
    return World(found.world.robot, found.world.environment, found.world.controller, found.world.start)


def recorded_states(world: World) -> SpatialState:
    """One hundred states on the way through the run, as a batch of worlds."""
    stepper = stepper_at_start([world], Settings())
    states = []
    for _ in range(N_STATES):
        stepper.advance(97)  # prime, so that no rhythm of the gait is met
        states.append(stepper.state())
    return joined(states)


def next_velocities(world: World, states: SpatialState, settings: Settings) -> np.ndarray:
    stepper = stepper_in(world.robot, world.environment, [world.pose()] * N_STATES, settings)
    stepper.use_waves([world.controller.wave(world.robot)] * N_STATES, [False] * N_STATES)
    stepper.load(states)
    stepper.advance(1)
    assert stepper.totals("unconverged").sum() == 0
    return stepper.state().v


@pytest.mark.parametrize("name", SCENES)
def test_one_step_from_recorded_states(name: str) -> None:
    world = scene(name)
    states = recorded_states(world)
    # States made with the default tolerance are only so level: their redundant contacts can be solved to 1e-5 g dt.
    newton, prox = (
        next_velocities(world, states, Settings(solver=solver, tolerance=1e-5)) for solver in ("newton", "prox")
    )
    changed = np.abs(newton - states.v).max(axis=(1, 2))
    assert np.median(changed) > 1e-4  # m/s: far more than what they may differ by
    assert np.abs(newton - prox).max() < 1e-5  # m/s, required


def test_sidewinding_over_five_seconds() -> None:
    world = scene("sidewinding")
    paths = [
        simulate(
            world.robot, world.environment, world.controller, start=world.start, duration=5.0,
            settings=Settings(solver=solver), record=Record(variables=["link_position", "unconverged"]),
        )
        for solver in ("newton", "prox")
    ]  # fmt: skip
    assert float(paths[1].unconverged.sum()) == 0
    moved = paths[0].link_position.isel(time=-1) - paths[0].link_position.isel(time=0)
    assert float(np.abs(moved).max()) > 0.3  # m
    assert float(np.abs(paths[0].link_position - paths[1].link_position).max()) < 1e-2  # m, required
