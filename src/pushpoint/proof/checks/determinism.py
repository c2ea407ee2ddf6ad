"""The same inputs give the same bits: twice, cut into portions, restored, in a batch."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import xarray as xr

from pushpoint.engine.settings import Settings
from pushpoint.engine.state import SpatialState, State
from pushpoint.model.environment import Environment, Peg
from pushpoint.papers.registry import scenario
from pushpoint.proof.check import Measured, checks_of
from pushpoint.proof.checks.solvers import gait_stepper
from pushpoint.scenarios.scenario import Scenario
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

SCENES = ("transeth2008a/obstacle-aided", "transeth2008b/sidewinding")
STEPS = 600
check = partial(
    checks_of("determinism"),
    expected_from="one thread per world, no sum across worlds, the state holds all that the next step needs",
    error_is="bytes that differ",
    tolerance=0.0,
    reason="the same machine rounds the same way",
)


def _rough(name: str) -> Scenario:
    """The experiment, its pegs made rough, so that contacts stick and slip."""
    scene = scenario(name)
    pegs = [replace(peg, friction=0.3) for peg in scene.world.environment.obstacles if isinstance(peg, Peg)]
    return scene.with_changes(environment=replace(scene.world.environment, obstacles=pegs))


def _different(first: State | SpatialState, second: State | SpatialState) -> int:
    """How many numbers of two states are not the same bits [-]."""
    return sum(_unequal(getattr(first, name), getattr(second, name)) for name in type(first).names())


def _unequal(first: np.ndarray, second: np.ndarray) -> int:
    a, b = np.ascontiguousarray(first), np.ascontiguousarray(second)
    return int((a.view(np.uint8) != b.view(np.uint8)).sum()) if a.shape == b.shape else max(a.size, b.size)


@check("bits-twice")
def twice() -> Measured:
    """The obstacle course with rough pegs and sidewinding, each run twice."""
    differing, numbers = 0, 0
    for name in SCENES:
        scene = _rough(name)
        first, second = (_run([scene.world]) for _ in range(2))
        for variable in first.data_vars:
            differing += _unequal(first[variable].values, second[variable].values)
            numbers += first[variable].size
    return Measured(error=differing, values={"compared_numbers_1": numbers})


@check("bits-portions")
def portions() -> Measured:
    """600 steps at once, in two portions, and from a restored state."""
    differing = 0
    for name in SCENES:
        whole, cut, fresh = (gait_stepper(_rough(name), Settings()) for _ in range(3))
        whole.advance(STEPS)
        cut.advance(250)
        half = cut.state()
        cut.advance(STEPS - 250)
        fresh.load(half)
        fresh.advance(STEPS - 250)
        differing += _different(cut.state(), whole.state()) + _different(fresh.state(), whole.state())
    return Measured(error=differing, values={"steps_1": STEPS})


@check("bits-batch")
def batch() -> Measured:
    """Worlds of a batch of twelve and the same worlds alone."""
    scene = _rough(SCENES[0])
    worlds = [_variant(scene, k) for k in range(12)]
    together = _run(worlds)
    differing, numbers = 0, 0
    for k in (0, 5, 6, 11):
        alone = _run([worlds[k]])
        for variable in ("link_position", "link_angle", "link_velocity", "joint_torque", "obstacle_force"):
            differing += _unequal(alone[variable].values[0], together[variable].values[k])
            numbers += alone[variable].size
    return Measured(error=differing, values={"compared_numbers_1": numbers})


def _run(worlds: list[World]) -> xr.Dataset:
    return simulate(worlds, duration=STEPS * 1e-3)


def _variant(scene: Scenario, k: int) -> World:
    """The experiment with another rhythm and another number of pegs."""
    gait = replace(scene.world.controller, angular_frequency=scene.world.controller.angular_frequency * (1 + 0.1 * k))
    more = [Peg(x=3.0 + 0.3 * j, y=1.0, radius=0.05) for j in range(k)]
    place = Environment(ground=scene.world.environment.ground, obstacles=[*scene.world.environment.obstacles, *more])
    return World(scene.world.robot, place, gait, scene.world.start)
