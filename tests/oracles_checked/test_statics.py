"""The hand-derived balances themselves: special cases, free bodies cut elsewhere, virtual power."""

from __future__ import annotations

import math

import numpy as np
import pytest

from oracles import statics
from oracles.free_chain import FreeChain
from oracles.gray import GrayScene
from oracles.robots import uneven_robot
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

EVEN = PlanarRobot.uniform(2, PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03))


class TestStatics:
    def test_beam_of_two_equal_links(self) -> None:
        balance = statics.beam_on_two_pegs(EVEN, [3.0, 3.0], (0.05, 0.35))
        np.testing.assert_allclose(balance.peg_load, [3.0, 3.0])
        np.testing.assert_allclose(balance.joint_torque, [-3.0 * 0.2 / 4])
        np.testing.assert_allclose(balance.joint_force, [[0.0, 0.0]], atol=1e-15)

    def test_beam_joint_seen_from_behind(self) -> None:
        robot = uneven_robot()
        press, pegs = np.array([1.0, 2.0, 0.5, 3.0]), (0.07, 0.40)
        balance = statics.beam_on_two_pegs(robot, press, pegs)
        x, joint = statics.centres(robot), 0.25  # cut between links 1 and 2; the rear part carries minus the reaction
        assert balance.joint_force[1, 1] == pytest.approx(balance.peg_load[0] - 3.0)
        rear = -press[:2] @ (x[:2] - joint) + balance.peg_load[0] * (pegs[0] - joint)
        assert balance.joint_torque[1] == pytest.approx(rear)

    def test_load_outside_the_pegs_is_refused(self) -> None:
        with pytest.raises(ValueError, match="tips over"):
            statics.beam_on_two_pegs(EVEN, [3.0, 0.0], (0.15, 0.35))

    @pytest.mark.parametrize(("push", "expected", "acceleration"), [(0.5, 0.5, 0.0), (3.0, 1.2, 1.8)])
    def test_side_peg_holds_below_and_slides_above_the_limit(
        self, push: float, expected: float, acceleration: float
    ) -> None:
        balance = statics.against_side_peg(EVEN, [push / 2, push / 2], [2.0, 2.0], 0.3, 0.3)
        np.testing.assert_allclose(balance.peg_load, [4.0])
        np.testing.assert_allclose(balance.peg_friction, [expected])  # tangent -x: it opposes the push
        np.testing.assert_allclose(balance.acceleration, [acceleration, 0.0], atol=1e-15)
        assert balance.couple == pytest.approx(2.0 * (0.1 + 0.3) - 4.0 * 0.3 + 0.03 * expected)
        # The tail link alone about the joint: load 2 N toward -y at the arm -0.1 m, and minus the motor's torque.
        np.testing.assert_allclose(balance.joint_torque, [0.2])

    def test_front_peg_transmits_the_push(self) -> None:
        balance = statics.against_front_peg(EVEN, [5.0, 0.0], [0.0, 0.0], 0.4)
        np.testing.assert_allclose(balance.peg_load, [5.0])
        np.testing.assert_allclose(balance.joint_force, [[5.0, 0.0]])
        np.testing.assert_allclose(balance.joint_torque, [0.0], atol=1e-15)
        assert balance.couple == 0.0

    @pytest.mark.parametrize(("across", "friction", "acceleration"), [(1.9, 1.9, 0.0), (2.5, 2.0, 0.5)])
    def test_front_peg_friction(self, across: float, friction: float, acceleration: float) -> None:
        balance = statics.against_front_peg(EVEN, [5.0, 0.0], [0.0, across], 0.4)
        np.testing.assert_allclose(balance.peg_friction, [friction])  # tangent -y: it opposes the load
        np.testing.assert_allclose(balance.acceleration, [0.0, acceleration], atol=1e-15)
        tip = 0.4 + 0.03
        inertia = 0.5 * acceleration * (0.1 + 0.3)
        assert balance.couple == pytest.approx(friction * tip - across * 0.3 + inertia)


class TestGray:
    robot = PlanarRobot.uniform(3, PlanarLink(length=0.12, mass=0.7, inertia=1.3e-3, radius=0.05))

    def scene(self, alpha_deg: float, beta_deg: float, front: float = 1.0, rear: float = 1.0) -> GrayScene:
        alpha, beta = np.radians([alpha_deg, beta_deg])
        return GrayScene(robot=self.robot, alpha=alpha, beta=beta, front_torque=front, rear_torque=rear)

    @pytest.mark.parametrize(("alpha", "beta", "sign"), [(40, 20, 1), (20, 40, -1), (80, 10, 1), (30, 30, 0)])
    def test_direction_of_propulsion_and_of_release(self, alpha: float, beta: float, sign: int) -> None:
        scene = self.scene(alpha, beta)
        load, links, centre = scene.release()
        assert np.sign(round(scene.propulsion(), 12)) == sign
        assert np.sign(round(float(links[1, 0]), 9)) == sign
        assert np.sign(round(float(centre[0]), 9)) == sign
        assert min(load.min(), scene.peg_load().min()) > 0.0
        # Newton's law for the whole robot: only the pegs push it.
        np.testing.assert_allclose(load @ scene.peg_normals(), self.robot.mass * centre, atol=1e-9)

    def test_pegs_and_holding_load_balance_every_link(self) -> None:
        scene = self.scene(50, 20, front=0.8, rear=1.3)
        chain = FreeChain(robot=self.robot)
        q = np.concatenate([np.zeros(2), scene.link_angle])
        force = scene.peg_load()[:, None] * scene.peg_normals()
        generalised = sum(chain.point_jacobian(q, i, 0.0).T @ force[i] for i in range(3))
        generalised[3:] += [1.3, 0.8]  # joint torques, tail to head, on the link ahead ...
        generalised[2:-1] -= [1.3, 0.8]  # ... and behind
        generalised += chain.jacobian(q)[1].T @ scene.holding_load()
        np.testing.assert_allclose(generalised, 0.0, atol=1e-12)

    def test_propulsion_is_the_power_of_gliding_at_unit_speed(self) -> None:
        scene = self.scene(50, 20, front=0.8, rear=1.3)
        step = 1e-6
        normals, middles = scene.peg_normals(), scene.link_middles()

        def bends(shift: float) -> tuple[float, float]:
            """Bends for which the outer links still pass through their contact points, the middle link shifted."""
            front = middles[2] - np.array([0.06 + shift, 0.0])
            rear = middles[0] - np.array([-0.06 + shift, 0.0])
            return math.atan2(front[1], front[0]), math.atan2(rear[1], -rear[0])

        (alpha_0, beta_0), (alpha_1, beta_1) = bends(-step), bends(step)
        power = 0.8 * (alpha_1 - alpha_0) / (2 * step) + 1.3 * (beta_1 - beta_0) / (2 * step)
        assert power == pytest.approx(scene.propulsion(), rel=1e-8)
        np.testing.assert_allclose(np.hypot(*normals.T), 1.0)

    def test_equal_bends_rest_without_holding(self) -> None:
        scene = self.scene(35, 35)
        load, links, _ = scene.release()
        np.testing.assert_allclose(load, scene.peg_load(), rtol=1e-10)
        np.testing.assert_allclose(links, 0.0, atol=1e-9)
        np.testing.assert_allclose(scene.holding_load(), 0.0, atol=1e-14)

    def test_pegs_touch_the_links(self) -> None:
        scene = self.scene(40, 20)
        gap = scene.link_middles() - scene.peg_centres(0.1)
        np.testing.assert_allclose(gap, 0.15 * scene.peg_normals(), atol=1e-15)
        assert scene.peg_centres(0.1)[2, 1] > 0.0 > scene.peg_centres(0.1)[1, 1]
