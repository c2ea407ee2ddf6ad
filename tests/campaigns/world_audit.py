"""One random world, run step by step, and what can be said against it: energy, momentum, numbers, second opinions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import pushpoint as pp
from campaigns.energy_audit import balance
from pushpoint.bench.random_worlds import RandomWorld
from pushpoint.engine.stepper import Stepper
from pushpoint.simulation.health import tolerance_of, warnings_about
from pushpoint.simulation.rollout import Rollout
from pushpoint.worlds.world import Experiment

MOST_NET = 2 * 0.1**2
"""Largest gain of a world without a warning, over its largest kinetic energy [-]: second order in the turn of a link in
a step, of which 0.1 rad are not warned of."""
ROUND_OFF = 1e-9
"""Momentum that may come from nowhere, over what went to and fro [-]."""
AGREEMENT = 1e3
"""How far apart two solvers may leave a link, in tolerances of the law [-]."""


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
        check_energy(case, samples)
    check_momentum(case, samples, health.steps + (0 if status.failed else 1))
    if opinions and not status.failed and not warned:
        check_opinions(case, rollout.stepper, settings)
    return "warned" if warned and not status.failed else status.name.lower()


def check_energy(case: RandomWorld, samples: dict[str, np.ndarray]) -> None:
    """No quiet world has more energy than it began with and its motors gave."""
    moving, total = balance(case, samples)
    # What a robot at rest gains by being led out of where it lies is measured by its weight.
    radius = float(case.world.robot.column("radius").min())
    weight = case.world.robot.mass * case.world.environment.ground.gravity
    rise, allowed = float((total - total[0]).max()), MOST_NET * float(moving.max()) + 1e-3 * weight * radius
    assert rise <= allowed, f"energy rose by {rise:.3g} J, at most {allowed:.3g} J are allowed"


def check_momentum(case: RandomWorld, samples: dict[str, np.ndarray], count: int) -> None:
    """What the links' momentum changed by is what ground, obstacles, loads and gravity gave."""
    samples = {name: values[:count] for name, values in samples.items()}
    mass = case.world.robot.column("mass")
    given = sum((samples[name] for name in ("ground", "obstacle", "load")), start=np.zeros(()))
    outside = given.sum(axis=1)
    if case.world.spatial:
        weight = mass.sum() * case.world.environment.ground.gravity
        outside = outside - np.outer(np.arange(len(outside)) * case.dt, (0.0, 0.0, weight))
    own = (mass[:, None] * samples["v"]).sum(axis=1)
    error = np.abs(own - own[0] - (outside - outside[0])).max()
    to_and_fro = np.abs(mass[:, None] * samples["v"]).sum(axis=(1, 2)).max() + np.abs(given).sum(axis=(1, 2)).max()
    assert error <= ROUND_OFF * to_and_fro, f"momentum off by {error:.3g} N s of {to_and_fro:.3g} N s"


def check_opinions(case: RandomWorld, stepper: Stepper, settings: pp.Settings) -> None:
    """From the world's last state, the papers' fixed point and a tighter tolerance take the step that it would take."""
    world, state = case.world, stepper.state()
    ends = []
    for solver, tolerance in (("newton", settings.tolerance), ("newton", 1e-7), ("prox", 1e-6)):
        chosen: Any = replace(settings, solver=solver, tolerance=tolerance, max_iterations=None)
        other = Stepper([world.robot], [world.environment], chosen)
        other.load(replace(state, status=np.zeros_like(state.status)))
        other.advance(1)
        ends.append((other.state().v, int(other.totals("unconverged")[0])))
    (v, open_), *others = ends
    most = AGREEMENT * tolerance_of(world, settings)
    for (other_v, other_open), name in zip(others, ("a tighter tolerance", "the fixed point"), strict=True):
        if not (open_ or other_open):
            apart = float(np.abs(v - other_v).max())
            assert apart <= most, f"{name} leaves a link {apart:.3g} m/s faster or slower, more than {most:.3g} m/s"
