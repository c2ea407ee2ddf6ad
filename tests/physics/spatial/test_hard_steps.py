"""Steps that were hard to solve: worlds in which one step in a hundred or one in two ended unconverged, by cause."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.bench.random_worlds import run_cases
from pushpoint.bench.violent_worlds import violent_case

CAUSES = {
    "viscous ground: a drag that began with the load left steps without a solution": (204, 0.002),
    "links pressed against each other by torques, between boxes": (400, 0.01),
}


@pytest.mark.parametrize(("seed", "share"), CAUSES.values(), ids=CAUSES.keys())
def test_violent_worlds_are_solved(seed: int, share: float) -> None:
    outcome = run_cases([violent_case(seed)])[0]
    assert outcome.status == "finished" and outcome.steps > 900
    assert outcome.unconverged < share * outcome.steps


def test_joints_that_bounce() -> None:
    """Two links that meet the ground with one ball must not rebound twice; 44 of these steps were unconverged."""
    random, link = np.random.default_rng(5), pp.catalogue.aiko().links[0]
    robot = pp.SpatialRobot(links=(link,) * 4, joints=pp.catalogue.aiko().chain[0])
    place = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(1.5), restitution=0.5))
    gait = pp.gaits.LateralUndulation(amplitude=0.3, angular_frequency=2.0, phase_shift=-0.5)
    worlds = []
    for _ in range(20):
        start = pp.SpatialStart(
            joint_angles=random.uniform(-0.5, 0.5, robot.n_joints).tolist(),
            orientation=random.normal(size=4).tolist(),
            position=(0.0, 0.0, 0.6),
            angular_velocity=random.uniform(-10.0, 10.0, 3).tolist(),
        )
        worlds.append(pp.World(robot, place, gait, start))
    run = pp.simulate(worlds, 1.5, settings=pp.Settings(dt=5e-4), record=pp.Record(rate=100.0))
    assert float(run.unconverged.sum()) < 0.0004 * 20 * 3000


def rolled(rolling: float, *, prescribed: bool, friction: float, duration: float, dt: float) -> xr.Dataset:
    """Aiko rolls sideways as a flat arc, from the start as fast as it will; the run."""
    robot = pp.catalogue.aiko()
    gait = pp.gaits.Rolling(amplitude=0.15, angular_frequency=pi, prescribed=prescribed)
    angle, rate = gait.references(np.zeros(1), robot)
    start = pp.SpatialStart(
        joint_angles=angle[0].tolist(),
        joint_rates=rate[0].tolist(),
        velocity=(0.0, pi * robot.links[0].radius, 0.0),
        angular_velocity=(-pi, 0.0, 0.0),
    )
    place = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(friction), rolling=rolling))
    settings = pp.Settings(dt=dt)
    return pp.simulate(robot, place, gait, duration=duration, start=start, settings=settings, record=pp.Record(rate=10))


class TestRolling:
    """Rolling friction on 22 redundant contacts: its steps are solved, and it does not turn the robot by itself."""

    def test_servos_on_a_rough_ground(self) -> None:
        run = rolled(0.02, prescribed=False, friction=0.8, duration=6.0, dt=5e-4)
        assert float(run.unconverged.sum()) < 0.001 * 12000

    def test_it_turns_no_more_than_without(self) -> None:
        """Where motion is prescribed, nothing is left to chance: the turn of the second period is the same."""
        turns = []
        for rolling in (0.0, 0.02, 0.1):
            place = rolled(rolling, prescribed=True, friction=0.4, duration=4.0, dt=1e-3).link_position.values[:, :, :2]
            chord = place[[20, 40], -1] - place[[20, 40], 0]
            turns.append(float(np.diff(np.arctan2(chord[:, 1], chord[:, 0]))[0]))
        assert max(turns) - min(turns) < 1e-3, turns  # rad, while the robot rolls by a whole turn
