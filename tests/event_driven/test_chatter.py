"""Impacts that follow each other at ever shorter intervals: the sequence ends, and both contacts stay closed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.event_driven import SteadyTorque, hybrid_model, integrate
from pushpoint.event_driven.jumps import HOP
from pushpoint.event_driven.rows import snapshot

MASS, INERTIA, ASIDE, PUSH = 1.0, 0.08, 0.2, 10.0
"""A rod; two smooth pegs beside its middle, one at each side of it; and the force that presses it on them."""


def rocking(speed: float) -> tuple[pp.event_driven.HybridModel, pp.Start]:
    """A rod that rests on peg 1 and leaves peg 0 at a speed [m/s], while a force at its middle presses it back."""
    feather = pp.PlanarLink(length=0.1, mass=1e-9, inertia=1e-10, radius=1e-3, side_length=0.0)
    rod = pp.PlanarLink(length=1.0, mass=MASS, inertia=INERTIA, radius=0.02)
    pegs = [pp.Peg(x=x, y=0.05, radius=0.03) for x in (-ASIDE, ASIDE)]
    model = hybrid_model(pp.PlanarRobot(links=(rod, feather)), pp.Environment(obstacles=pegs))
    rate = speed / (2 * ASIDE)
    start = pp.Start(link_angles=(0.0, 0.0), link=0, velocity=(0.0, -ASIDE * rate), spin=rate)
    return replace(model, load=np.array([(0.0, PUSH, 0.0), (0.0, 0.0, 0.0)])), start


def test_a_rod_that_rocks_between_two_pegs_comes_to_rest_when_its_hops_have_added_up() -> None:
    """By hand: each impact lifts the other contact at a third of the speed, so the hops are a geometric series."""
    speed = 0.02
    model, start = rocking(speed)
    back = 2 * ASIDE**2 * PUSH / (INERTIA + MASS * ASIDE**2)  # acceleration of the open contact
    share = (1 / MASS - ASIDE**2 / INERTIA) / (1 / MASS + ASIDE**2 / INERTIA)
    speeds = speed * share ** np.arange(20)
    hops = speeds[speeds**2 / (2 * back) > HOP]
    run = integrate(model, start, duration=0.02, times=[0.019, 0.02])
    impacts = [event for event in run.events if event.name == "impact"]
    assert [event.peg for event in impacts] == [k % 2 for k in range(len(hops))]
    late = {"abs": 1e-5}  # a clearance of 1e-9 m at some 1e-4 m/s
    assert [event.time for event in impacts] == pytest.approx(np.cumsum(2 * hops / back), **late)
    assert sorted(run.mode.contacts.peg.tolist()) == [0, 1]
    still = 1e-7  # gaps of 1e-9 m per impact are closed at 20 per second
    assert np.abs(run.link_rate[:, 0]).max() < still and np.abs(run.velocity[:, 1]).max() < still


def test_joints_that_press_on_their_end_stops_come_to_rest_there() -> None:
    """Each stop that is reached lifts the other joint off its own, by a share that the masses determine."""
    link = pp.PlanarLink(length=0.2, mass=1.0, inertia=0.004, radius=0.02)
    robot = pp.PlanarRobot.uniform(3, link, pp.Motor(lower=-0.2, upper=0.2))
    model = hybrid_model(robot, pp.Environment(), SteadyTorque(torque=(1.0, -0.7)))
    start = pp.Start(link_angles=(-0.19, 0.0, -0.17))
    run = integrate(model, start, duration=0.2, times=[0.2])
    assert run.mode.stopped.tolist() == [1, -1]
    at = snapshot(model, np.concatenate([run.link_angle[0], run.center[0], run.link_rate[0], run.velocity[0]]))
    rows = np.eye(2, 5, 1) - np.eye(2, 5)
    A = rows @ np.linalg.solve(at.terms.mass_matrix, rows.T)
    share = abs(A[0, 1]) / np.sqrt(A[0, 0] * A[1, 1])
    most = 2 + np.log(0.03 / HOP) / -np.log(share**2)  # each hop is lower than the one before by the share's square
    assert 0 < len(run.times_of("reach")) < most
