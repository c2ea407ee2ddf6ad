"""Five thousand links, the most that a robot may have: a whole run, against free fall and its own weight."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.model.planar_robot import MOST_LINKS

LINK = pp.SpatialLink(length=0.1, mass=0.3, inertia=(1.2e-4, 3e-4, 3.5e-4), radius=0.02)
ROBOT = pp.SpatialRobot.uniform(MOST_LINKS, LINK, pp.Cardan())
PLACE = pp.Environment()
STEPS, DT, G = 10, 1e-3, PLACE.ground.gravity


def test_free_fall() -> None:
    bent, turning = 0.3 * np.sin(np.arange(ROBOT.n_joints)), np.cos(np.arange(ROBOT.n_joints))
    start = pp.SpatialStart(position=(0.0, 0.0, 400.0), joint_angles=bent, joint_rates=turning)
    run = pp.simulate(ROBOT, PLACE, start=start, duration=STEPS * DT, record=pp.Record(rate=1.0 / DT))
    assert (run.sizes["link"], run.sizes["joint"]) == (MOST_LINKS, 2 * (MOST_LINKS - 1))
    assert float(run.unconverged.sum()) == 0
    # The chain writhes, but only gravity acts from outside: constant acceleration is exact in the scheme.
    assert float(np.abs(run.joint_rate[-1]).max()) > 0.1  # rad/s
    fallen = 400.0 - G / 2 * run.time.values**2
    np.testing.assert_allclose(run.center_of_mass.sel(axis="z"), fallen, rtol=0, atol=1e-10)  # m: round-off of 400 m
    np.testing.assert_allclose(run.center_of_mass.sel(axis=["x", "y"]), 0.0, atol=1e-10)


@pytest.mark.slow
def test_rests_on_its_weight() -> None:
    run = pp.simulate(ROBOT, PLACE, duration=STEPS * DT, record=pp.Record(rate=1.0 / DT))
    weight = G * MOST_LINKS * LINK.mass
    pushed = run.ground_force.sel(axis="z").isel(time=slice(1, None)).sum("link")
    np.testing.assert_allclose(pushed, weight, rtol=1e-3)  # the solver's tolerance: a thousandth of the weight per step
