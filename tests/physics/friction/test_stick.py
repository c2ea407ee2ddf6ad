"""Sticking is standing still: a side load below the friction limit moves nothing, one above it does.

Loads act at the links' centres of mass, where the ground rubs, so that no joint has to carry anything.
"""

from __future__ import annotations

import numpy as np
import pytest

from oracles.engine import stepper_in_poses
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.stepper import Stepper
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic, Rectangular, Skin
from pushpoint.model.planar_robot import PlanarRobot

ROBOT = aiko_planar()
MU, GRAVITY = 0.2, 9.81
BENT = np.radians(40.0) * np.sin(np.arange(10) * 0.8)
LAWS: dict[str, FrictionLaw] = {
    "disc": Isotropic(MU),
    "ellipse": Elliptic(along=0.1, across=MU),
    "skin": Skin(forward=0.05, backward=0.1, across=MU, flow="directional"),
    "rectangle": Rectangular(along=0.1, across=MU),
}


def loaded(law: FrictionLaw, joint_angles: np.ndarray, share: float, tolerance: float = 1e-3) -> Stepper:
    """A robot whose servos hold its shape, each link pushed to its left with `share` of the friction limit."""
    pose = Start(joint_angles=joint_angles).pose(ROBOT)
    ground = Environment(ground=Ground(friction=law, gravity=GRAVITY))
    stepper = stepper_in_poses([ROBOT], [ground], [pose], Settings(tolerance=tolerance))
    left = np.stack((-np.sin(pose["theta"]), np.cos(pose["theta"]), np.zeros(ROBOT.n_links)), axis=-1)
    force = share * MU * GRAVITY * ROBOT.column("mass")[:, None] * left
    stepper.use_command(Command(joint_angle=joint_angles[None], link_load=force[None]), 1_000_000)
    return stepper


def places(stepper: Stepper, robot: PlanarRobot = ROBOT) -> np.ndarray:
    state = stepper.state()
    return link_positions(robot, state.center, state.theta)[0]


@pytest.mark.parametrize("shape", [np.zeros(10), BENT], ids=["straight", "bent"])
@pytest.mark.parametrize("name", LAWS)
def test_below_the_limit_the_chain_does_not_creep(name: str, shape: np.ndarray) -> None:
    # The first steps may creep at the tolerance: at its default, 1e-3 g dt, by 1e-8 m each, too near to the limit.
    stepper = loaded(LAWS[name], shape, 0.9, tolerance=1e-4)
    start = places(stepper)
    stepper.advance(20)
    state = stepper.state()
    assert np.abs(state.v).max() < 1e-12  # m/s after 20 steps, required
    assert np.abs(state.omega).max() * 0.122 < 1e-12  # likewise, by link length
    stepper.advance(round(10.0 / 1e-3) - 20)
    assert np.abs(places(stepper) - start).max() < 1e-8  # m, required, here in 10 s


def test_below_the_limit_the_chain_stays_for_100_s() -> None:
    stepper = loaded(Isotropic(MU), BENT, 0.9)
    start = places(stepper)
    stepper.advance(100_000)
    assert np.abs(places(stepper) - start).max() < 1e-8  # m, required


def test_above_the_limit_the_chain_slides() -> None:
    stepper = loaded(Isotropic(MU), np.zeros(10), 1.1)
    stepper.advance(500)
    state = stepper.state()
    # Constant acceleration 0.1 mu g: the scheme is exact for it, up to the tolerance 1e-3 g dt of the first step.
    np.testing.assert_allclose(state.v[0, :, 1], 0.1 * MU * GRAVITY * 0.5, rtol=1e-9)
    np.testing.assert_allclose(state.v[0, :, 0], 0.0, atol=1e-12)
    assert state.center[0, 1] == pytest.approx(0.05 * MU * GRAVITY * 0.25, rel=1e-9)


@pytest.mark.parametrize("name", LAWS)
def test_a_sliding_chain_stops_and_stays_when_the_load_falls_below_the_limit(name: str) -> None:
    stepper = loaded(LAWS[name], np.zeros(10), 1.5)
    stepper.advance(100)
    left = np.zeros((1, ROBOT.n_links, 3))
    left[0, :, 1] = 0.9 * MU * GRAVITY * ROBOT.column("mass")
    stepper.use_command(Command(link_load=left), 10_000)
    stepper.advance(520)  # it slows down at 0.1 mu g from 0.5 mu g 0.1 s: 500 steps, then 20
    state, start = stepper.state(), places(stepper)
    assert np.abs(state.v).max() < 1e-12
    stepper.advance(1000)
    assert np.abs(places(stepper) - start).max() < 1e-13
