"""Robots at rest: they are carried by equal shares, their contacts do not flicker, and they stay where they are."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from oracles.controllers import Always
from oracles.engine import stepper_at_start
from oracles.spatial.contacts import nearest_normals
from oracles.spatial.dense import DenseRobot
from oracles.spatial.engine import contacts, present
from oracles.spatial.states import mixed_robot
from oracles.spatial.step import step
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.engine.stepper import Stepper
from pushpoint.model.catalogue import aiko, liljeback2014, yaw_pitch_16
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, FrictionLaw, Frictionless, Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

G, DT = 9.81, 1e-3
ROBOTS: dict[str, SpatialRobot] = {"aiko": aiko(), "square": liljeback2014(), "uneven": yaw_pitch_16()}
LAWS: dict[str, FrictionLaw] = {
    "frictionless": Frictionless(),
    "isotropic": Isotropic(0.2),
    "elliptic": Elliptic(along=0.1, across=0.5),
}


def straight(robot: SpatialRobot, law: FrictionLaw, settings: Settings = Settings()) -> Stepper:
    """A straight robot on flat ground, its motors holding it so."""
    turning = 0.0 if isinstance(law, Frictionless) else 0.02
    ground = Ground(friction=law, rolling=turning, spin=0.05 * turning)
    return stepper_at_start([World(robot, Environment(ground=ground), None, SpatialStart())], settings)


def shares(robot: SpatialRobot, stepper: Stepper) -> np.ndarray:
    """Normal impulses of the last step over equal parts of each link's weight."""
    found = contacts(stepper)
    under = np.bincount([contact.link for contact in found], minlength=robot.n_links)
    weight = robot.column("mass") * G * DT / under
    return np.array([contact.P[0] / weight[contact.link] for contact in found])


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", ROBOTS)
class TestStraight:
    def test_equal_shares_from_the_first_step_on(self, name: str, law: str) -> None:
        # The rule for redundant forces: nearest to those of the last step, and at first to equal shares.
        robot = ROBOTS[name]
        stepper = straight(robot, LAWS[law])
        per_link = 4 if name == "square" else 2
        for _ in range(50):
            stepper.advance(1)
            found = shares(robot, stepper)
            assert len(found) == per_link * robot.n_links
            np.testing.assert_allclose(found, 1.0, rtol=0, atol=1e-9)  # round-off, required
            total = sum(contact.P[0] for contact in contacts(stepper))
            assert total == pytest.approx(robot.mass * G * DT, rel=1e-9)  # required
            assert max(np.abs(contact.P[1:]).max() for contact in contacts(stepper)) < 1e-12 * robot.mass * G * DT

    def test_contacts_do_not_flicker(self, name: str, law: str) -> None:
        stepper = straight(ROBOTS[name], LAWS[law])
        stepper.advance(1)
        first = stepper.state()
        for _ in range(1000):
            stepper.advance(1)
            state = stepper.state()
            np.testing.assert_array_equal(state.n_contacts, first.n_contacts)
            np.testing.assert_array_equal(state.contact_key, first.contact_key)
        np.testing.assert_allclose(shares(ROBOTS[name], stepper), 1.0, rtol=0, atol=1e-9)

    def test_stays_for_ten_seconds(self, name: str, law: str) -> None:
        stepper = straight(ROBOTS[name], LAWS[law])
        start = stepper.state()
        stepper.advance(10_000)
        state = stepper.state()
        assert np.abs(state.center - start.center).max() < 1e-9  # m, required
        assert np.abs(state.angle).max() < 1e-9 and np.abs(state.v).max() < 1e-9
        assert float(stepper.totals("unconverged")[0]) == 0


def bent(name: str) -> tuple[SpatialRobot, np.ndarray]:
    """A robot and joint angles at which it lies in a curve on the ground."""
    robot = {"mixed": mixed_robot(Motor(stiffness=30.0, damping=0.5))}.get(name) or ROBOTS[name]
    yaw = np.array([axis.name == "yaw" for axis in robot.axes])
    return robot, np.where(yaw, 0.3 * np.cos(np.arange(robot.n_joints)), 0.0)


class Hold(Always):
    """Holds joint angles."""

    def __init__(self, angles: np.ndarray) -> None:
        super().__init__(Command(joint_angle=angles[None]))


def let_fall(name: str, ground: Ground, settings: Settings, duration: float) -> xr.Dataset:
    """Dropped from 5 mm, a little askew."""
    robot, angles = bent(name)
    turn = np.array([1.0, 0.02, -0.01, 0.3])
    start = SpatialStart(joint_angles=angles, orientation=turn / np.linalg.norm(turn), position=(0.0, 0.0, 0.12))
    return simulate(robot, Environment(ground=ground), Hold(angles), start=start, duration=duration, settings=settings)


class TestFallen:
    @pytest.mark.parametrize("name", ["aiko", "square", "uneven", "mixed"])
    def test_comes_to_rest_and_stays(self, name: str) -> None:
        ground = Ground(friction=Isotropic(0.4), rolling=0.05, spin=1e-3)
        run = let_fall(name, ground, Settings(), 4.0)
        late = run.sel(time=slice(3.0, None))
        assert np.ptp(late.link_position.values, axis=0).max() < 1e-6  # m: 1 s at less than a tenth of g dt tolerance
        weight = bent(name)[0].mass * G
        np.testing.assert_allclose(late.ground_force.sum("link").values[:, 2], weight, rtol=1e-3)  # the tolerance
        assert float(run.link_position.isel(time=-1, axis=2).max()) < 0.06  # m: it lies

    @pytest.mark.parametrize("name", ["aiko", "mixed"])
    def test_weight_at_a_tight_tolerance(self, name: str) -> None:
        ground = Ground(friction=Isotropic(0.4), rolling=0.05, spin=1e-3)
        run = let_fall(name, ground, Settings(tolerance=1e-6), 3.0)
        carried = run.ground_force.sum("link").values[-1]
        weight = bent(name)[0].mass * G
        np.testing.assert_allclose(carried, [0.0, 0.0, weight], rtol=0, atol=1e-6 * weight)


def test_redundant_forces_are_nearest_to_those_of_the_last_step() -> None:
    # Frictionless, so that the oracle can tell which forces do the same: those that differ by the null space of G_NN.
    robot = aiko()
    stepper = straight(robot, Frictionless(), Settings(tolerance=1e-8))
    stepper.advance(1)
    dense, before = DenseRobot.of(robot), np.array([contact.P[0] for contact in contacts(stepper)])
    torque = np.zeros((1, 20))
    torque[0, 8] = 0.05  # N m: a pitch axis in the middle lifts a little
    stepper.use_command(Command(joint_torque=torque), 1)
    pose, u = present(dense, stepper.state())
    stepper.advance(1)
    after = np.array([contact.P[0] for contact in contacts(stepper)])
    assert len(after) == 22 and np.abs(after - before).max() > 0.1 * before.mean()
    result = step(dense, pose, u, DT, ground=Ground())
    nearest = nearest_normals(after, result.delassus[::6, ::6], before)
    np.testing.assert_allclose(after, nearest, rtol=0, atol=1e-6 * before.mean())  # 100 x tolerance
