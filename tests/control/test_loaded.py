"""Loads on a robot beside its controller: what they do, when, and in batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel

PLANAR, SPATIAL = pp.catalogue.aiko_planar(), pp.catalogue.aiko()
STILL = pp.gaits.LateralUndulation(amplitude=0.0, angular_frequency=0.0, phase_shift=0.0)


@pytest.mark.parametrize(("robot", "load"), [(PLANAR, (0.3, 0.1, 0.0)), (SPATIAL, (0.3, 0.1, 0.0, 0.0, 0.0, 0.0))])
def test_a_free_robot_follows_the_impulse(robot: pp.PlanarRobot | pp.SpatialRobot, load: tuple[float, ...]) -> None:
    ground = pp.Ground(gravity=0.0)
    pulled = pp.control.Loaded(controller=STILL, load=[load], begin=0.1, end=0.3)
    run = pp.simulate(pp.World(robot, pp.Environment(ground=ground), pulled), 0.5)
    mass = np.array([link.mass for link in robot.links])
    momentum = (mass[:, None] * run.link_velocity.values[-1]).sum(axis=0)
    expected = robot.n_links * 0.2 * np.array(load[: momentum.size])  # force times 0.2 s
    np.testing.assert_allclose(momentum, expected, atol=1e-10)
    before = run.link_velocity.sel(time=0.09, method="nearest").values
    assert not before.any()


def test_worlds_of_a_batch_have_their_own() -> None:
    ground = pp.Environment(ground=pp.Ground(gravity=0.0))
    loads = [(0.1 * k, 0.0, 0.0) for k in range(3)]
    worlds = [pp.World(PLANAR, ground, pp.control.Loaded(controller=STILL, load=[load])) for load in loads]
    speed = pp.simulate(worlds, 0.2).link_velocity.values[:, -1, :, 0].mean(axis=-1)
    np.testing.assert_allclose(speed, np.array([0.0, 1.0, 2.0]) * speed[1], atol=1e-10)


def test_it_hands_on_what_the_controller_has() -> None:
    gait = pp.gaits.LateralUndulation(amplitude=0.4, angular_frequency=2.0, phase_shift=-0.6)
    loaded = pp.control.Loaded(controller=gait, load=[(0.0, 0.0, 0.0)])
    assert loaded.period == gait.period and loaded.prescribed == gait.prescribed
    ground = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=0.5)))
    alone, beside = (pp.simulate(pp.World(PLANAR, ground, each), 0.5) for each in (gait, loaded))
    np.testing.assert_allclose(beside.joint_reference[0], alone.joint_reference[0], atol=1e-12)
    # Commanded at 100 Hz instead of in every step, the reference lags by up to a period.
    np.testing.assert_allclose(beside.center_of_mass, alone.center_of_mass, atol=2e-3)


def test_a_file_keeps_it(tmp_path: Path) -> None:
    controller = pp.control.Loaded(controller=STILL, load=[(0.1, 0.0, 0.02)], end=2.0)
    world = pp.World(PLANAR, pp.Environment(), controller)
    read = pp.scenario(pp.write_scenario(world, tmp_path / "a.yaml", duration=1.0)).world.controller
    assert read == controller


@pytest.mark.parametrize(
    ("load", "words"),
    [
        ([(0.0, 0.0)], r"controller.load\[0\] = 2, must be 3 numbers for a PlanarRobot"),
        ([(0.0, 0.0, 0.0)] * 2, r"controller.load = 2, must be one load, or 11 for as many links"),
        ([], r"controller.load = .*, must be at least one load"),
    ],
)
def test_what_does_not_fit_is_refused(load: list[tuple[float, ...]], words: str) -> None:
    with pytest.raises(InvalidModel, match=words):
        pp.simulate(pp.World(PLANAR, pp.Environment(), pp.control.Loaded(controller=STILL, load=load)), 0.1)
