"""Newton's method and the papers' prox iteration solve the same equations."""

from __future__ import annotations

import numpy as np

from pushpoint.engine.settings import Settings
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import SimulationFailed
from pushpoint.papers.registry import scenario
from pushpoint.proof.check import Measured, checks_of
from pushpoint.scenarios.scenario import Scenario
from pushpoint.simulation.simulate import simulate

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
