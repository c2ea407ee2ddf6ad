"""Newton's method and the papers' prox iteration solve the same equations, and the same inputs give the same bits."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import xarray as xr

from pushpoint.engine.settings import Settings
from pushpoint.engine.state import SpatialState, State
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import SimulationFailed
from pushpoint.model.environment import Environment, Peg
from pushpoint.papers.registry import scenario
from pushpoint.proof.check import Measured, checks_of
from pushpoint.scenarios.scenario import Scenario
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

check = checks_of("solver agreement")

STATES = 100
BETWEEN = 97
"""Steps from state to state [-]: a prime, so that no rhythm of the gait is met."""


def gait_stepper(scene: Scenario, settings: Settings) -> Stepper:
    """A published experiment at its start, driven by its gait."""
    world = scene.world
    stepper = Stepper([world.robot], [world.environment], settings)
    stepper.load(stepper.initial([world.pose()]))
    stepper.use_waves([world.controller.wave(world.robot)], [world.controller.prescribed])
    return stepper


def _one_step(name: str, tolerance: float) -> Measured:
    """From a hundred states on the way through an experiment, one step by either solver."""
    scene = scenario(name)
    recorder = gait_stepper(scene, Settings())
    solvers = [gait_stepper(scene, Settings(solver=solver, tolerance=tolerance)) for solver in ("newton", "prox")]
    apart, changes = [], []
    for _ in range(STATES):
        recorder.advance(BETWEEN)
        state = recorder.state()
        for stepper in solvers:
            stepper.load(state)
            stepper.advance(1)
        newton, prox = (stepper.state().v for stepper in solvers)
        apart.append(np.abs(newton - prox).max())
        changes.append(np.abs(newton - state.v).max())
    unsolved = sum(int(stepper.totals("unconverged").sum()) for stepper in solvers)
    if unsolved:
        raise SimulationFailed(f"{unsolved} of {2 * STATES} steps were not solved, must be none")
    return Measured(error=np.max(apart), values={"median_change_in_a_step_m_per_s": np.median(changes)})


@check(
    "solvers-plane",
    expected_from="the same inclusions have the same solution",
    error_is="largest difference of a link's velocity",
    tolerance=1e-6,
    unit="m/s",
    reason="both stop at 1e-7 g dt = 1e-9 m/s at a contact; ten joints pass on some hundred times that",
)
def steps_in_the_plane() -> Measured:
    """One step from 100 states of the obstacle course, by Newton and by prox."""
    return _one_step("transeth2008a/obstacle-aided", 1e-7)


@check(
    "solvers-space",
    expected_from="the same inclusions have the same solution",
    error_is="largest difference of a link's velocity",
    tolerance=1e-5,
    unit="m/s",
    reason="both stop at 1e-5 g dt = 1e-7 m/s at a contact; ten joints pass on some hundred times that",
)
def steps_in_space() -> Measured:
    """One step from 100 states of sidewinding, by Newton and by prox."""
    return _one_step("transeth2008b/sidewinding", 1e-5)


@check(
    "solvers-run",
    expected_from="the same inclusions have the same solution",
    error_is="largest distance of a link",
    tolerance=1e-4,
    unit="m",
    reason="Newton's tolerance is 1e-5 m/s at a contact; over 3 s that is at most 3e-5 m per contact",
)
def whole_run() -> Measured:
    """Three seconds of the obstacle course, by Newton (1e-3) and by prox (1e-6)."""
    scene = scenario("transeth2008a/obstacle-aided")
    paths = [
        simulate(scene.world, 3.0, settings=settings).link_position.values
        for settings in (Settings(solver="newton", tolerance=1e-3), Settings(solver="prox", tolerance=1e-6))
    ]
    return Measured(error=np.abs(paths[0] - paths[1]).max(), values={"way_m": np.abs(paths[0][-1] - paths[0][0]).max()})


SCENES = ("transeth2008a/obstacle-aided", "transeth2008b/sidewinding")
STEPS = 600
same_bits = partial(
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


@same_bits("bits-twice")
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


@same_bits("bits-portions")
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


@same_bits("bits-batch")
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
