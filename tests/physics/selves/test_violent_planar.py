"""Links that touch each other where it is hard: turning as one body, stout links, many contacts with friction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

import pushpoint as pp
from pushpoint.bench.random_worlds import RandomWorld, run_cases
from pushpoint.bench.violent_worlds import violent_planar_case
from pushpoint.engine.planar.ranges import link_link_distance

LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3.5e-4, radius=0.02)


def closed(gap: float) -> np.ndarray:
    """Joint angles at which head and tail of four links are so far from each other [rad]."""
    robot = pp.PlanarRobot(links=(LINK,) * 4)

    def apart(bend: float) -> float:
        return float(link_link_distance(robot, np.zeros(2), bend * np.arange(4.0))[0, 3]) - gap

    return np.full(3, float(brentq(apart, 1.0, 1.9)))


def test_a_closed_hoop_that_turns_as_one_body_does_not_press_on_itself() -> None:
    """Its joints are held: the velocity of the links past each other is zero, and so is their force, at any spin."""
    robot = pp.PlanarRobot(links=(LINK,) * 4, self_contact=True, self_friction=0.5)
    bend = closed(5e-7)  # less than the gap up to which a contact counts, 1 um
    held = pp.gaits.FunctionOfTime(function=lambda _t: bend, prescribed=True)
    start, record = pp.Start(joint_angles=bend, spin=20.0), pp.Record(rate=1000.0)
    run, free = (
        pp.simulate(each, pp.Environment(), held, duration=0.1, start=start, record=record)
        for each in (robot, replace(robot, self_contact=False))
    )
    assert run.attrs["unconverged_steps"] == 0
    centrifugal = LINK.mass * 20.0**2 * LINK.length
    # Joints that are held leave no freedom: round-off in a velocity, 1e-11 m/s, meets a million times the mass.
    assert float(np.abs(run.self_force).max()) < 1e-3 * centrifugal
    np.testing.assert_allclose(run.link_angular_velocity, free.link_angular_velocity, rtol=1e-6)


def touching(seed: int, friction: float) -> RandomWorld:
    """A violent world whose robot touches itself."""
    case = violent_planar_case(seed)
    robot = replace(case.world.robot, self_contact=True, self_friction=friction)
    return replace(case, world=replace(case.world, robot=robot))


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("seed", [103, 109, 141, 197])
def test_links_as_long_as_they_are_thick_fold_and_stay_whole(seed: int, friction: float) -> None:
    """A joint that folds beyond a right angle brings its neighbours in touch, at first without any lever."""
    (outcome,) = run_cases([touching(seed, friction)], duration=1.0)
    assert not outcome.failed and outcome.unconverged == 0


@pytest.mark.parametrize("seed", [36, 60, 193])
def test_many_contacts_with_friction_are_solved_together(seed: int) -> None:
    """Constant torques and hard throws press robots on themselves in several places at once."""
    (outcome,) = run_cases([touching(seed, 0.5)])
    assert not outcome.failed and outcome.unconverged == 0
