"""A robot without a controller: its motors are off."""

from __future__ import annotations

import json
from dataclasses import replace
from math import cos, pi, sin, tan

import numpy as np
import pytest
from typer.testing import CliRunner

import pushpoint as pp
from pushpoint.cli.main import app

SERVO = pp.Motor(stiffness=400.0, damping=1.0)
LINK = pp.PlanarLink(length=0.1, mass=0.5, inertia=6e-4, radius=0.03)
PLANAR = pp.PlanarRobot.uniform(5, LINK, SERVO)
SLIDING = pp.Start(joint_angles=(0.3, -0.2, 0.1, 0.2), velocity=(0.5, 0.1), joint_rates=(1.0, -2.0, 1.5, 0.5))
FLAT = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.1)))
WAVE = pp.gaits.LateralUndulation(amplitude=0.4, angular_frequency=2.0, phase_shift=-0.6)


def test_servos_exert_no_torque() -> None:
    """The run of a robot with stiff servos is that of a robot without motors."""
    off = pp.simulate(pp.World(PLANAR, FLAT, start=SLIDING), 0.5)
    free = pp.simulate(pp.World(replace(PLANAR, motors=pp.Motor()), FLAT, pp.gaits.Hold(), SLIDING), 0.5)
    assert (off.joint_torque.values[1:] == 0.0).all()
    # Two kernels, for torques and for servos: round-off of 500 steps.
    np.testing.assert_allclose(off.link_position, free.link_position, rtol=0, atol=1e-12)
    held = pp.simulate(pp.World(PLANAR, FLAT, pp.gaits.Hold(), SLIDING), 0.5)
    assert np.abs(held.joint_angle.values[-1]).max() < 0.01 < np.abs(off.joint_angle.values[-1]).max()


def test_end_stops_act() -> None:
    stopped = replace(PLANAR, motors=replace(SERVO, lower=-0.4, upper=0.4))
    start = replace(SLIDING, joint_rates=(20.0, -20.0, 20.0, -20.0))
    run = pp.simulate(pp.World(stopped, pp.Environment(), start=start), 0.3)
    assert 0.39 < np.abs(run.joint_angle.values).max() < 0.4 + 0.02  # rad: 20 rad/s for a step of 1 ms
    assert (run.joint_torque.values[1:] == 0.0).all()


def test_nothing_is_asked_of_it() -> None:
    run = pp.simulate(PLANAR, FLAT, duration=0.1)
    assert np.isnan(run.joint_reference.values).all()
    assert pp.measures.gait_period(run) is None
    assert pp.measures.mean_velocity(run).values == pytest.approx((0.0, 0.0))
    assert pp.world_of(run).controller is None
    assert "controller" not in repr(pp.world_of(run))


@pytest.mark.parametrize("beside", [WAVE, pp.gaits.Hold(), pp.control.ConstantTorque(torque=(0.1,) * 4)])
def test_beside_other_worlds(beside: pp.Controller) -> None:
    """In a batch it moves as it does alone, and so do the others."""
    worlds = [pp.World(PLANAR, FLAT, controller, SLIDING) for controller in (None, beside, None)]
    batch = pp.simulate(worlds, 0.3)
    for w, world in enumerate(worlds):
        alone = pp.simulate(world, 0.3)
        assert (batch.link_position.values[w] == alone.link_position.values).all()
    assert (batch.joint_torque.values[[0, 2], 1:] == 0.0).all() and batch.joint_torque.values[1, 1:].all()
    assert [pp.world_of(batch.isel(world=w)).controller for w in range(3)] == [None, beside, None]


def test_a_block_slides_down_a_slope() -> None:
    """A limp chain below its friction angle: acceleration g (sin s - mu cos s), as long as it stays straight."""
    slope, mu = 0.5, 0.2
    ground = pp.Ground(friction=pp.Isotropic(mu), slope=slope)
    world = pp.World(pp.catalogue.aiko(), pp.Environment(ground=ground))
    run = pp.simulate(world, 0.5)
    along = run.center_of_mass.sel(axis="x").values / cos(slope)
    expected = -0.5 * 9.81 * (sin(slope) - mu * cos(slope)) * run.time.values**2
    assert along == pytest.approx(expected, abs=2e-3)  # m, of 0.37 m: the first step counts half
    assert mu < tan(slope)


def test_in_a_file(tmp_path) -> None:
    file = pp.write_scenario(pp.World(PLANAR, FLAT, start=SLIDING), tmp_path / "limp.yaml", duration=0.2)
    text = file.read_text()
    assert "controller" not in text
    assert pp.scenario(file).world.controller is None
    assert pp.scenario("transeth2008a/flat", ["controller=null"]).world.controller is None
    saved = pp.save(pp.scenario(file).run(), tmp_path / "run.nc")
    assert pp.world_of(pp.load(saved)).controller is None


def test_on_the_command_line(tmp_path) -> None:
    file = str(pp.write_scenario(pp.World(PLANAR, FLAT, start=SLIDING), tmp_path / "limp.yaml", duration=0.2))
    shown = CliRunner().invoke(app, ["show", file])
    assert shown.exit_code == 0 and "controller" not in shown.output
    told = CliRunner().invoke(app, ["run", file, "--json", "--no-media", "--out", str(tmp_path / "out")])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout.splitlines()[-1])
    refused = CliRunner().invoke(app, ["references", file])
    assert refused.exit_code == 1
    assert str(refused.exception) == "limp has no controller: its motors are off, so there are no references"


def test_hold_keeps_a_posture() -> None:
    angles = (0.3, -0.2, 0.1, 0.2)
    hold = pp.gaits.Hold(joint_angles=angles)
    run = pp.simulate(pp.World(PLANAR, FLAT, hold), 0.2)
    assert run.joint_angle.values == pytest.approx(np.tile(angles, (run.time.size, 1)), abs=1e-9)
    assert run.joint_reference.values == pytest.approx(np.tile(angles, (run.time.size, 1)))
    assert pp.measures.gait_period(run) is None
    with pytest.raises(pp.errors.InvalidModel, match=r"gait\.joint_angles: count = 4, must be 10, one per axis"):
        pp.simulate(pp.World(pp.catalogue.aiko_planar(), FLAT, hold), 0.1)


def test_hold_in_a_file(tmp_path) -> None:
    for hold in (pp.gaits.Hold(), pp.gaits.Hold(joint_angles=(pi / 6, 0.0, 0.0, 0.0), prescribed=True)):
        file = pp.write_scenario(pp.World(PLANAR, FLAT, hold), tmp_path / "hold.yaml", duration=0.2)
        assert pp.scenario(file).world.controller == hold
