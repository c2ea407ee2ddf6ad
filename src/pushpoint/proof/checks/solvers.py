"""Newton's method and the papers' prox iteration solve the same equations, and the same inputs give the same bits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from pushpoint.engine.settings import Settings
from pushpoint.engine.state import SpatialState, State
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import SimulationFailed
from pushpoint.model.environment import Environment, Peg
from pushpoint.papers.registry import scenario
from pushpoint.proof.checks.bodies import stepped
from pushpoint.proof.verification import Measured, checks_of
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

COURSE, SIDEWINDING = "transeth2008a/obstacle-aided", "transeth2008b/sidewinding"
STATES = 100
BETWEEN = 97
"""Steps from state to state [-]: a prime, so that no rhythm of the gait is met."""


def gait_stepper(world: World, settings: Settings) -> Stepper:
    """A published experiment at its start, driven by its gait."""
    stepper = Stepper([world.robot], [world.environment], settings)
    stepper.load(stepper.initial([world.pose()]))
    stepper.use_waves([world.controller.wave(world.robot)], [world.controller.prescribed])
    return stepper


def _one_step(name: str, tolerance: float) -> Measured:
    """From a hundred states on the way through an experiment, one step by either solver."""
    world = scenario(name).world
    recorder = gait_stepper(world, Settings())
    solvers = [gait_stepper(world, Settings(solver=solver, tolerance=tolerance)) for solver in ("newton", "prox")]
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
    return Measured(np.max(apart), {"median_change_in_a_step_m_per_s": np.median(changes)})


check = checks_of("solver agreement", expected_from="the same inclusions have the same solution")
step_check = partial(check, error_is="largest difference of a link's velocity", unit="m/s")

steps_in_the_plane = step_check(
    "solvers-plane",
    "One step from 100 states of the obstacle course, by Newton and by prox.",
    tolerance=1e-6,
    reason="both stop at 1e-7 g dt = 1e-9 m/s at a contact; ten joints pass on some hundred times that",
)(partial(_one_step, COURSE, 1e-7))

steps_in_space = step_check(
    "solvers-space",
    "One step from 100 states of sidewinding, by Newton and by prox.",
    tolerance=1e-5,
    reason="both stop at 1e-5 g dt = 1e-7 m/s at a contact; ten joints pass on some hundred times that",
)(partial(_one_step, SIDEWINDING, 1e-5))


@check(
    error_is="largest distance of a link",
    tolerance=1e-4,
    unit="m",
    reason="Newton's tolerance is 1e-5 m/s at a contact; over 3 s that is at most 3e-5 m per contact",
)
def solvers_run() -> Measured:
    """Three seconds of the obstacle course, by Newton (1e-3) and by prox (1e-6)."""
    world = scenario(COURSE).world
    newton, prox = (
        simulate(world, 3.0, settings=settings).link_position.values
        for settings in (Settings(solver="newton", tolerance=1e-3), Settings(solver="prox", tolerance=1e-6))
    )
    return Measured(np.abs(newton - prox).max(), {"way_m": np.abs(newton[-1] - newton[0]).max()})


STEPS = 600
same_bits = checks_of(
    "determinism",
    expected_from="one thread per world, no sum across worlds, the state holds all that the next step needs",
    error_is="bytes that differ",
    tolerance=0.0,
    reason="the same machine rounds the same way",
)


def _rough(name: str) -> World:
    """The experiment, its pegs made rough, so that contacts stick and slip."""
    world = scenario(name).world
    pegs = [replace(peg, friction=0.3) for peg in world.environment.obstacles if isinstance(peg, Peg)]
    return replace(world, environment=replace(world.environment, obstacles=pegs))


def _unequal(first: np.ndarray, second: np.ndarray) -> int:
    """How many bytes of two arrays differ [-]."""
    a, b = np.ascontiguousarray(first), np.ascontiguousarray(second)
    return int((a.view(np.uint8) != b.view(np.uint8)).sum()) if a.shape == b.shape else max(a.size, b.size)


def _compared(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> Measured:
    """Bytes by which the arrays of pairs differ."""
    found = [(_unequal(first, second), first.size) for first, second in pairs]
    differing, numbers = np.sum(found, axis=0)
    return Measured(differing, {"compared_numbers_1": numbers})


@same_bits()
def bits_twice() -> Measured:
    """The obstacle course with rough pegs and sidewinding, each run twice."""
    runs = [[stepped([_rough(name)], STEPS * 1e-3) for _ in range(2)] for name in (COURSE, SIDEWINDING)]
    return _compared((one[name].values, again[name].values) for one, again in runs for name in one.data_vars)


@same_bits()
def bits_portions() -> Measured:
    """600 steps at once, in two portions, and from a restored state."""

    def different(first: State | SpatialState, second: State | SpatialState) -> int:
        return sum(_unequal(getattr(first, name), getattr(second, name)) for name in type(first).names())

    differing = 0
    for name in (COURSE, SIDEWINDING):
        whole, cut, fresh = (gait_stepper(_rough(name), Settings()) for _ in range(3))
        whole.advance(STEPS)
        cut.advance(250)
        half = cut.state()
        cut.advance(STEPS - 250)
        fresh.load(half)
        fresh.advance(STEPS - 250)
        differing += different(cut.state(), whole.state()) + different(fresh.state(), whole.state())
    return Measured(differing, {"steps_1": STEPS})


@same_bits()
def bits_batch() -> Measured:
    """Worlds of a batch of twelve and the same worlds alone."""
    worlds = [_variant(_rough(COURSE), k) for k in range(12)]
    together = stepped(worlds, STEPS * 1e-3)
    alone = {k: stepped([worlds[k]], STEPS * 1e-3) for k in (0, 5, 6, 11)}
    names = ("link_position", "link_angle", "link_velocity", "joint_torque", "obstacle_force")
    return _compared((run[name].values[0], together[name].values[k]) for k, run in alone.items() for name in names)


def _variant(world: World, k: int) -> World:
    """The experiment with another rhythm and another number of pegs."""
    gait = replace(world.controller, angular_frequency=world.controller.angular_frequency * (1 + 0.1 * k))
    more = [Peg(x=3.0 + 0.3 * j, y=1.0, radius=0.05) for j in range(k)]
    place = Environment(ground=world.environment.ground, obstacles=[*world.environment.obstacles, *more])
    return World(world.robot, place, gait, world.start)
