"""No energy out of nothing: random worlds with an account of what contacts did to each."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from campaigns.energy_audit import audited, bouncing, imposed
from pushpoint.simulation.health import MOST_UNCONVERGED, warnings_about


def check_bouncing(seeds: range, duration: float) -> None:
    found = audited([bouncing(seed) for seed in seeds], duration)
    steps = sum(health.steps for _, _, health in found)
    assert sum(health.unconverged_steps for _, _, health in found) < 0.002 * steps  # required
    gained, taken = (
        np.array([getattr(health, name) for _, _, health in found]) for name in ("energy_gained", "energy_taken")
    )
    # Over all, a hundredth of what they take: links led out of penetrations, and what acts within one step.
    assert gained.sum() < 0.01 * taken.sum()
    for case, _, health in found:  # a world that gains more says so
        said = warnings_about([health], [case.world], pp.Settings(dt=case.dt))
        lifted = case.world.robot.mass * 9.81 * case.world.robot.column("radius").min()
        beyond = health.energy_gained > 0.1 * max(health.energy_taken, lifted)
        assert beyond == any(sentence.startswith("contacts added") for sentence in said)


def check_imposed(seeds: range, duration: float) -> None:
    found = audited([imposed(seed) for seed in seeds], duration)
    steps = sum(health.steps for _, _, health in found)
    assert sum(health.unconverged_steps for _, _, health in found) < 0.002 * steps  # required; it was 0.011
    for case, status, health in found:
        radius = float(case.world.robot.column("radius").min())
        said = warnings_about([health], [case.world], pp.Settings(dt=case.dt))
        assert status.failed or health.deepest_penetration < radius or any("sank in" in each for each in said)
        assert status.failed or health.unconverged_steps <= 2 * MOST_UNCONVERGED * health.steps  # jams are stopped


def test_bouncing_worlds() -> None:
    check_bouncing(range(7000, 7016), 0.5)


def test_imposed_worlds() -> None:
    check_imposed(range(9050, 9062), 0.5)


@pytest.mark.slow
def test_many_bouncing_worlds() -> None:
    check_bouncing(range(7100, 7400), 1.0)


@pytest.mark.slow
def test_many_imposed_worlds() -> None:
    check_imposed(range(9100, 9400), 2.0)
