"""One random world, run step by step, and what can be said against it: energy, momentum, numbers, second opinions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import pushpoint as pp
from campaigns.energy_audit import balance
from pushpoint.bench.random_worlds import RandomWorld
from pushpoint.gaits import WaveGait
from pushpoint.simulation.health import MOST_RESIDUAL, tolerance_of, warnings_about
from pushpoint.simulation.simulate import Rollout
from pushpoint.worlds.world import Experiment

MOST_NET = 4 * 0.1**2
"""Largest gain of a world without a warning, over its largest kinetic energy [-]: second order in the turn of a link in
a step, of which 0.1 rad are not warned of, and in two steps or three where motors speed up a limp robot."""
ROUND_OFF = 1e-10
"""Momentum that may come from nowhere in a step besides the solver's tolerance, over what goes to and fro [-]."""
DRIFT = 0.02
"""How far a tighter tolerance may take a step elsewhere, over what the step changes [-]: where Newton's method needs
more than a dozen iterations, the turn of the links in the step is that of an iterate before."""
TOLERANCES = 100.0
"""How far it may do so in any case, in tolerances of the solver [-]: they hold link by link, a chain adds them up."""


def outcome(case: RandomWorld, duration: float, *, opinions: bool) -> str:
    """Runs a world; raises what is wrong with it, and says in a word how it ended."""
    settings = pp.Settings(dt=case.dt, on_failure="record")
    rollout = Rollout(Experiment((case.world,), duration, settings, pp.Record(rate=1.0 / case.dt)))
    while not rollout.finished:
        rollout.advance()
    (status,), (health,) = rollout.statuses(), rollout.health()
    samples = {
        name: values[0, : health.steps + 1] for name, values in rollout.stepper.samples().items() if name != "load_on"
    }
    warned = warnings_about([health], [case.world], settings)
    if not status.failed:
        none = [name for name, values in samples.items() if name != "reference" and not np.isfinite(values).all()]
        assert not none, f"finished with numbers that are none in {none}"
    if not status.failed and not warned:
        check_energy(case, samples)
        check_momentum(case, samples, MOST_RESIDUAL * tolerance_of(case.world, settings))
    if status.failed:
        return status.name.lower()
    if opinions and not warned and isinstance(case.world.controller, WaveGait) and two_solutions(rollout):
        return "ambiguous"
    return "warned" if warned else "finished"


def check_energy(case: RandomWorld, samples: dict[str, np.ndarray]) -> None:
    """No quiet world has more energy than it began with and its motors gave."""
    moving, total = balance(case, samples)
    # What a robot at rest gains by being led out of where it lies is measured by its weight.
    radius = float(case.world.robot.column("radius").min())
    weight = case.world.robot.mass * case.world.environment.ground.gravity
    rise, allowed = float((total - total[0]).max()), MOST_NET * float(moving.max()) + 1e-3 * weight * radius
    assert rise <= allowed, f"energy rose by {rise:.3g} J, at most {allowed:.3g} J are allowed"


def check_momentum(case: RandomWorld, samples: dict[str, np.ndarray], tolerance: float) -> None:
    """In each step momentum changes by what ground, obstacles, loads and gravity give, to a tolerance [m/s]."""
    mass = case.world.robot.column("mass")
    given = sum((samples[name] for name in ("ground", "obstacle", "load")), start=np.zeros(()))
    outside = np.diff(given.sum(axis=1), axis=0)
    if case.world.spatial:
        outside[:, 2] -= mass.sum() * case.world.environment.ground.gravity * case.dt
    own = mass[:, None] * samples["v"]
    to_and_fro = np.abs(own).sum(axis=(1, 2)).max() + np.abs(given).sum(axis=(1, 2)).max()
    error = np.abs(np.diff(own.sum(axis=1), axis=0) - outside).max(initial=0.0)
    allowed = mass.sum() * tolerance + ROUND_OFF * to_and_fro
    assert error <= allowed, f"momentum off by {error:.3g} N s in a step, at most {allowed:.3g} N s are allowed"


def two_solutions(rollout: Rollout) -> bool:
    """Takes one more step from a world's last state, with a tighter tolerance and by the papers' fixed point.

    The first must not change the step. The second may come to other velocities that solve the laws as well: laws of dry
    friction have several solutions where friction is strong or does not oppose the slip. True where it does.
    """
    (world,), settings, state = rollout.worlds, rollout.settings, rollout.stepper.state()
    ends = []
    for solver, tolerance in (("newton", settings.tolerance), ("newton", 1e-7), ("prox", 1e-6)):
        chosen: Any = replace(settings, solver=solver, tolerance=tolerance, max_iterations=None)
        other = Rollout(rollout.experiment._replace(settings=chosen)).stepper
        other.new_samples(1, 0, with_obstacles=False)  # there is no room for a sample of this step
        other.load(state)
        other.advance(1)
        ends.append((other.state().v, bool(other.totals("unconverged")[0])))
    (v, unsolved), (v_tight, unsolved_tight), (v_prox, unsolved_prox) = ends
    most = DRIFT * np.abs(v - state.v).max() + TOLERANCES * tolerance_of(world, settings)
    apart = np.abs(v - v_tight).max()
    if not (unsolved or unsolved_tight):
        assert apart <= most, f"a tighter tolerance takes a link {apart:.3g} m/s elsewhere, more than {most:.3g} m/s"
    return not (unsolved_tight or unsolved_prox) and bool(np.abs(v_tight - v_prox).max() > most)
