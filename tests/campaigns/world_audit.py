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
from pushpoint.simulation.rollout import Rollout
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
    rollout = Rollout(Experiment((case.world,), duration, settings, pp.Record(rate=1.0 / case.dt)), whole=True)
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
        check_energy(case, samples, health.energy_gained)
        check_momentum(case, samples, MOST_RESIDUAL * tolerance_of(case.world, settings))
    if status.failed:
        return status.name.lower()
    if opinions and not warned and isinstance(case.world.controller, WaveGait) and two_solutions(rollout):
        return "ambiguous"
    return "warned" if warned else "finished"


def check_energy(case: RandomWorld, samples: dict[str, np.ndarray], said: float) -> None:
    """No quiet world has more energy than at its start, from its motors and from contacts that say so [J]."""
    moving, total = balance(case, samples)
    rise, allowed = float((total - total[0]).max()), MOST_NET * float(moving.max()) + said
    assert rise <= allowed + 1e-9, f"energy rose by {rise:.3g} J, at most {allowed:.3g} J are allowed"


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

    Laws of dry friction have several solutions where friction is strong or does not oppose the slip, and so have motors
    with play: one opinion may differ, which is told by True. Both must not agree against the step as it is taken.
    """
    (world,), settings, state = rollout.worlds, rollout.settings, rollout.stepper.state()
    ends = []
    for solver, tolerance in (("newton", settings.tolerance), ("newton", 1e-7), ("prox", 1e-6)):
        chosen: Any = replace(settings, solver=solver, tolerance=tolerance, max_iterations=None)
        other = Rollout(rollout.experiment._replace(settings=chosen)).stepper
        other.new_samples(1, 0)  # there is no room for a sample of this step
        other.load(state)
        other.advance(1)
        ends.append((other.state().v, not other.totals("unconverged")[0]))
    (v, solved), *opinions = ends
    most = DRIFT * np.abs(v - state.v).max() + TOLERANCES * tolerance_of(world, settings)
    far = [np.abs(v - other).max() > most for other, other_solved in opinions if solved and other_solved]
    (v_tight, _), (v_prox, _) = opinions
    against = len(far) == 2 and all(far) and np.abs(v_tight - v_prox).max() <= most
    assert not against, f"a tighter tolerance and the fixed point go another way by {np.abs(v - v_tight).max():.3g} m/s"
    return any(far)
