"""Obstacles that push at a link's centre of mass, as in the model of Liljeback2011, II: "the obstacle contact force on
link i is assumed to act on the CM of the link", "in the normal direction of link i", its friction "in the tangential
direction".
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from oracles.engine import contacts, stepper_in_poses
from pushpoint.engine.settings import Settings
from pushpoint.errors import InvalidModel
from pushpoint.event_driven.model import hybrid_model
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

HALF, MASS, INERTIA, RADIUS, PEG = 0.1, 0.5, 2e-3, 0.03, 0.04
SPEED = 0.2


def two_links(contact_force: str, mass_offset: float = 0.0) -> PlanarRobot:
    link = PlanarLink(
        length=2 * HALF, mass=MASS, inertia=INERTIA, radius=RADIUS, mass_offset=mass_offset,
        contact_force=contact_force,  # type: ignore[arg-type]
    )  # fmt: skip
    return PlanarRobot.uniform(2, link)


def struck(contact_force: str, along: float, friction: float = 0.0, mass_offset: float = 0.0):  # type: ignore[no-untyped-def]
    """Two straight links that move to their left, after one step in which a peg meets the front one at `along`."""
    robot = two_links(contact_force, mass_offset)
    beyond = max(along - HALF, 0.0)  # the front end of the straight side, around which the link is round
    peg = Peg(x=along, y=sqrt((RADIUS + PEG) ** 2 - beyond**2), radius=PEG, friction=friction)
    place = Environment(ground=Ground(friction=Isotropic(0.0)), obstacles=[peg])
    v = np.tile([SPEED / 3, SPEED], (2, 1))
    # The front link's middle is at the origin: the centre of mass of both lies one half link behind.
    pose = {"center": np.array([-HALF + mass_offset, 0.0]), "theta": np.zeros(2), "v": v, "omega": np.zeros(2)}
    stepper = stepper_in_poses([robot], [place], [pose], Settings(dt=1e-4, tolerance=1e-10))
    stepper.advance(1)
    return stepper


@pytest.mark.parametrize("along", [-0.08, 0.0, 0.07, 0.11])
def test_an_impact_cancels_the_normal_velocity_of_the_link_s_centre_wherever_it_is_met(along: float) -> None:
    # By hand: the peg's impulse P on the front centre, J of the joint, l = HALF. Front: m (v - SPEED) = P + J with
    # v = 0, I w = -l J. Rear: m (v0 - SPEED) = -J, I w0 = -l J. One velocity at the joint: v - l w = v0 + l w0.
    J = SPEED / (1 / MASS + 2 * HALF**2 / INERTIA)
    state = struck("centre", along).state()
    np.testing.assert_allclose(state.v[0, 1, 1], 0.0, atol=1e-9)  # the solver's tolerance
    np.testing.assert_allclose(state.v[0, 0, 1], SPEED - J / MASS, rtol=1e-6)
    np.testing.assert_allclose(state.omega[0], -HALF * J / INERTIA, rtol=1e-6)
    np.testing.assert_allclose(state.v[0, :, 0], SPEED / 3, rtol=1e-4)  # nothing pushes along; links turned


def test_on_the_surface_it_is_the_point_that_touches_whose_velocity_is_cancelled() -> None:
    state = struck("surface", 0.07).state()
    touching = state.v[0, 1, 1] + 0.07 * state.omega[0, 1]
    assert touching == pytest.approx(0.0, abs=1e-5)  # m/s: the link turns a little within a step
    assert abs(state.v[0, 1, 1]) > 0.01


@pytest.mark.parametrize("mass_offset", [0.0, 0.02])
def test_forces_have_no_moment_about_the_centre_and_friction_is_along_the_link(mass_offset: float) -> None:
    # At the round end, where the surface's normal leans forward.
    stepper = struck("centre", 0.11, friction=0.5, mass_offset=mass_offset)
    (touching,) = [each for each in contacts(stepper) if each.link == 1]
    lever = HALF + mass_offset  # rear joint to centre of mass
    np.testing.assert_allclose(touching.W_N, [0.0, -1.0, -lever], atol=1e-4)  # the link turns a little within a step
    np.testing.assert_allclose(touching.W_T, [1.0, 0.0, 0.0], atol=1e-4)
    P_N, P_T = touching.P
    assert P_N > 0.0 and P_T == pytest.approx(-0.5 * P_N, rel=1e-6)  # it slides forward: Coulomb's bound, backward


def test_models_with_surfaces_only_refuse_it() -> None:
    with pytest.raises(InvalidModel, match=r"links\[0\].contact_force = 'centre', must be 'surface' in this model"):
        hybrid_model(two_links("centre"), Environment())
    with pytest.raises(InvalidModel, match="contact_force"):
        two_links("middle")
