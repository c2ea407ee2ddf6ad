"""Forces and torques on links from outside: six numbers per link, world axes, torque about the centre of mass."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from oracles.controllers import Always
from oracles.spatial.dense import DenseRobot
from oracles.spatial.engine import engine_start, midpoint, smooth_impulses, stepper_in
from oracles.spatial.states import mixed_robot, moving_state, single_link
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.simulation.simulate import simulate

G, DT = 9.81, 1e-3
LINK = single_link()
WEIGHTLESS = Environment(ground=Ground(gravity=0.0))
HIGH = (0.0, 0.0, 3.0)
TURN = Rotation.from_euler("zyx", [0.5, -0.7, 0.3])


def loaded(robot: SpatialRobot, link: int, load: list[float]) -> Always:
    """A load on one link; motors off."""
    loads = np.zeros((1, robot.n_links, 6))
    loads[0, link] = load
    return Always(Command(joint_torque=np.zeros((1, robot.n_joints)), link_load=loads))


class TestOneLink:
    def test_force(self) -> None:
        start = SpatialStart(orientation=TURN.as_quat(scalar_first=True), position=HIGH)
        run = simulate(LINK, WEIGHTLESS, loaded(LINK, 0, [1.0, -2.0, 0.5, 0.0, 0.0, 0.0]), start=start, duration=0.2)
        t, push = run.time.values[:, None], np.array([1.0, -2.0, 0.5])
        np.testing.assert_allclose(run.link_velocity.values[:, 0], push / LINK.mass * t, rtol=0, atol=1e-12)
        np.testing.assert_allclose(run.center_of_mass, HIGH + push / LINK.mass * t**2 / 2, rtol=0, atol=1e-12)
        np.testing.assert_allclose(run.link_angular_velocity, 0.0, atol=1e-12)  # round-off of 200 steps

    @pytest.mark.parametrize("axis", range(3))
    def test_torque_about_a_principal_axis(self, axis: int) -> None:
        # Given in world axes; it turns the link about its own axis and so stays along it.
        torque = 0.01 * TURN.apply(np.eye(3)[axis])
        start = SpatialStart(orientation=TURN.as_quat(scalar_first=True), position=HIGH)
        run = simulate(LINK, WEIGHTLESS, loaded(LINK, 0, [0.0, 0.0, 0.0, *torque]), start=start, duration=0.1)
        expected = np.outer(run.time.values, torque) / LINK.links[0].inertia[axis]
        np.testing.assert_allclose(run.link_angular_velocity.values[:, 0], expected, rtol=0, atol=1e-11)
        np.testing.assert_allclose(run.center_of_mass.values[-1], HIGH, rtol=0, atol=1e-14)

    def test_ground_answers(self) -> None:
        # Pressed down by 5 N and pulled along by less than friction holds: weight, load and ground balance.
        start = SpatialStart(position=(0.0, 0.0, 0.0525))
        place = Environment(ground=Ground(friction=Isotropic(0.5), rolling=0.1))
        run = simulate(
            LINK, place, loaded(LINK, 0, [2.0, 0.5, -5.0, 0.0, 0.0, 0.0]), start=start, duration=0.3,
            settings=Settings(tolerance=1e-6),
        )  # fmt: skip
        force = run.ground_force.values[-1, 0]
        np.testing.assert_allclose(force, [-2.0, -0.5, 5.0 + LINK.mass * G], rtol=0, atol=1e-5)  # N: 1e-6 m g and more
        assert np.abs(run.center_of_mass.values[-1] - start.position).max() < 1e-7  # m

    def test_lift_off(self) -> None:
        start = SpatialStart(position=(0.0, 0.0, 0.0525))
        for share, rises in ((0.99, False), (1.01, True)):
            run = simulate(
                LINK, Environment(), loaded(LINK, 0, [0.0, 0.0, share * LINK.mass * G, 0.0, 0.0, 0.0]),
                start=start, duration=0.2,
            )  # fmt: skip
            way = run.center_of_mass.values[-1, 2] - 0.0525
            assert way == pytest.approx(0.01 * G * 0.02 if rises else 0.0, abs=1e-5)


class TestChain:
    def test_momentum_follows_the_loads(self) -> None:
        # Per step, in the posture of the midpoint: the change is dt times the sum of loads and their moments.
        robot = mixed_robot()
        dense = DenseRobot.of(robot)
        pose, u = moving_state(dense, 2)
        loads = np.random.default_rng(5).normal(size=(1, 5, 6)) * [3.0, 3.0, 3.0, 0.1, 0.1, 0.1]
        stepper = stepper_in(robot, WEIGHTLESS, [engine_start(dense, pose.shifted(HIGH), u)])
        stepper.use_command(Command(joint_angle=np.zeros((1, 6)), link_load=loads), 100)
        for _ in range(20):
            before = stepper.state()
            stepper.advance(1)
            mid, after = midpoint(dense, before, 0, DT), stepper.state()
            old, new = (np.hstack([state.v[0], state.omega[0]]) for state in (before, after))
            old = old + smooth_impulses(dense, before, 0, DT, 0.0) / np.diag(dense.mass_matrix).reshape(-1, 6)
            change = dense.momentum(mid, new) - dense.momentum(mid, old)
            force, torque = loads[0, :, :3], loads[0, :, 3:]
            moment = np.cross(mid.position, force) + torque
            np.testing.assert_allclose(change, DT * np.concatenate([force.sum(0), moment.sum(0)]), atol=1e-12)

    def test_couple_on_neighbours_turns_the_joint(self) -> None:
        # The same as a motor torque on the axis between them, here a yaw axis seen from above.
        robot = mixed_robot()
        row = [axis.link_behind for axis in robot.axes].index(1)
        assert robot.axes[row].name == "yaw"
        dense = DenseRobot.of(robot)
        start = engine_start(dense, dense.pose(position=HIGH), np.zeros((5, 6)))
        by_load, by_motor = (stepper_in(robot, WEIGHTLESS, [start]) for _ in range(2))
        loads, torque = np.zeros((1, 5, 6)), np.zeros((1, 6))
        loads[0, 1, 5], loads[0, 2, 5], torque[0, row] = -0.3, 0.3, 0.3
        by_load.use_command(Command(joint_torque=0 * torque, link_load=loads), 1)
        by_motor.use_command(Command(joint_torque=torque), 1)
        for stepper in (by_load, by_motor):
            stepper.advance(1)
        np.testing.assert_allclose(by_load.state().rate, by_motor.state().rate, rtol=0, atol=1e-14)
        assert abs(by_load.state().rate[0, row]) > 0.1

    def test_three_numbers_are_refused(self) -> None:
        wrong = Always(Command(link_load=np.zeros((1, 5, 3))))
        with pytest.raises(
            InvalidModel,
            match=r"^command\.link_load of .* at t = 0 s = \(1, 5, 3\), must be of shape \(1, 5, 6\) \[N, N m\]$",
        ):
            simulate(mixed_robot(), Environment(), wrong, duration=0.1)
