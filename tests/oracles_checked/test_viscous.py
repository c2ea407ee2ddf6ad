"""The closed forms on viscous ground themselves: their equations, and the integrated chain."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from oracles import viscous
from oracles.free_chain import FreeChain
from oracles.robots import uneven_robot
from pushpoint.model.friction import Viscous
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

Array = NDArray[np.float64]


def constant_load(load: Array, time: float) -> Array:
    return load


class TestViscous:
    law = Viscous(along=0.4, across=1.5)

    def test_speed_solves_its_equation_and_travel_its_integral(self) -> None:
        t, h = np.linspace(0.1, 3.0, 7), 1e-5
        v = viscous.speed(2.0, 0.8, 1.5, t, initial=0.3)
        slope = (
            viscous.speed(2.0, 0.8, 1.5, t + h, initial=0.3) - viscous.speed(2.0, 0.8, 1.5, t - h, initial=0.3)
        ) / (2 * h)
        np.testing.assert_allclose(1.5 * slope, 2.0 - 0.8 * v, atol=1e-8)
        x = [viscous.travel(2.0, 0.8, 1.5, t + d, initial=0.3) for d in (-h, h)]
        np.testing.assert_allclose((x[1] - x[0]) / (2 * h), v, atol=1e-8)
        assert viscous.speed(2.0, 0.0, 1.5, 3.0) == 4.0

    @pytest.mark.parametrize("drag", [0.0, 0.8])
    def test_implicit_speed_is_the_recursion(self, drag: float) -> None:
        v = viscous.implicit_speed(2.0, drag, 1.5, 1e-3, 500, initial=0.3)
        np.testing.assert_allclose(1.5 * (v[1:] - v[:-1]), 1e-3 * (2.0 - drag * v[1:]), atol=1e-14)

    def test_implicit_speed_is_first_order(self) -> None:
        error = [
            abs(viscous.implicit_speed(2.0, 0.8, 1.5, 1 / n, n)[-1] - viscous.speed(2.0, 0.8, 1.5, 1.0))
            for n in (100, 200)
        ]
        assert error[0] / error[1] == pytest.approx(2.0, rel=0.01)

    def test_uniform_chain_with_loose_joints_glides_like_one_body(self) -> None:
        """Equal links under equal forces stay in line without motors."""
        robot = PlanarRobot.uniform(3, PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03))
        body = viscous.straight_body(robot, self.law)
        np.testing.assert_allclose([body.along, body.across], [1.2, 4.5])
        assert body.spin == pytest.approx(1.5 * 2 * 0.2**2)
        assert body.inertia == pytest.approx(3 * 2e-3 + 2 * 0.5 * 0.2**2)
        for axis, drag in ((0, body.along), (1, body.across)):
            load = np.zeros((3, 3))
            load[:, axis] = 0.7
            chain = FreeChain(robot=robot, friction=self.law, loads=partial(constant_load, load))
            run = chain.integrate([0.0, 0.5, 1.0], chain.state([0.0] * 3))
            expected = viscous.speed(2.1, drag, body.mass, run.time)
            np.testing.assert_allclose(run.link_velocity[:, :, axis], np.outer(expected, np.ones(3)), atol=1e-9)

    def test_stiff_chain_turns_like_one_body(self) -> None:
        robot = PlanarRobot.uniform(
            3, PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03), Motor(stiffness=2e3, damping=5.0)
        )
        body = viscous.straight_body(robot, self.law)
        chain = FreeChain(
            robot=robot,
            friction=self.law,
            reference=lambda t: ([0.0, 0.0], [0.0, 0.0]),
            loads=lambda t: [[0.0, 0.0, 0.0], [0.0, 0.0, 0.1], [0.0, 0.0, 0.0]],
        )
        run = chain.integrate([0.0, 0.5, 1.0], chain.state([0.0] * 3), method="Radau", rtol=1e-8)
        expected = viscous.speed(0.1, body.spin, body.inertia, run.time)
        np.testing.assert_allclose(run.link_angular_velocity[:, 1], expected, rtol=1e-3)  # bends of order 0.1 / 2e3
        spin = viscous.implicit_spin(0.1, body, 1e-3, 1000)
        assert spin[-1] == pytest.approx(float(expected[-1]), rel=2e-3)  # first order in dt

    def test_implicit_spin_is_the_time_step_in_maximal_coordinates(self) -> None:
        """M (u_next - u) = dt (f - friction at u_next) + joint impulses at the midpoint: Transeth2008a (54) to (63).

        The velocities fit the joints at the end of the step: with half a step of turning, at the rate of its start.
        """
        robot = PlanarRobot.uniform(3, PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03))
        body, dt, torque = viscous.straight_body(robot, self.law), 5e-3, 2.0
        arms = np.array([-0.2, 0.0, 0.2])
        M = np.diag(np.tile([0.5, 0.5, 2e-3], 3))
        angle, u, rates = 0.0, np.zeros(9), [0.0]
        for _ in range(40):
            middle = angle + 0.5 * dt * rates[-1]
            forward = np.array([np.cos(middle), np.sin(middle)])
            left = np.array([-forward[1], forward[0]])
            drag = np.zeros((3, 3))
            drag[:2, :2] = self.law.along * np.outer(forward, forward) + self.law.across * np.outer(left, left)
            C = np.kron(np.eye(3), drag)
            # Motions that rigid joints allow: two of the whole and turning about the centre of mass.
            V = np.vstack([np.column_stack([np.eye(3, 2), [*(arm * left), 1.0]]) for arm in arms])
            load = M @ u + dt * np.array([0.0, 0.0, 0.0, 0.0, 0.0, torque, 0.0, 0.0, 0.0])
            inward = -dt / 2 * rates[-1] ** 2
            drift = np.concatenate([[*(inward * arm * forward), 0.0] for arm in arms])
            K = M + dt * C
            u = V @ np.linalg.solve(V.T @ K @ V, V.T @ (load - K @ drift)) + drift
            rates.append(float(u[2]))
            angle = middle + 0.5 * dt * rates[-1]
        assert angle > 0.5  # the robot has turned far
        np.testing.assert_allclose(rates, viscous.implicit_spin(torque, body, dt, 40), rtol=1e-13, atol=1e-14)

    def test_uncentred_friction_is_refused_for_turning(self) -> None:
        body = viscous.straight_body(
            PlanarRobot.uniform(2, PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03)),
            (self.law, Viscous(along=1.0, across=9.0)),
        )
        with pytest.raises(ValueError, match="not centred"):
            viscous.implicit_spin(0.1, body, 1e-3, 2)

    def test_linear_chain_is_the_limit_of_small_loads(self) -> None:
        robot = uneven_robot(Motor(stiffness=2.0, damping=0.02))
        forces, times = np.array([1.0, -2.0, 0.5, 1.5]), np.array([0.0, 0.1, 0.3])
        linear = viscous.sideways_chain(robot, self.law)
        q, q_dot = linear.motion(forces, times)
        scale = 1e-5  # nonlinear terms are of relative order scale^2
        load = scale * np.column_stack([np.zeros(4), forces, np.zeros(4)])
        chain = FreeChain(
            robot=robot, friction=self.law, reference=lambda t: ([0.0] * 3, [0.0] * 3), loads=lambda t: load
        )
        start = np.zeros(12)
        run = chain.integrate(times, start, rtol=1e-12)
        np.testing.assert_allclose(run.state[:, 1:6] / scale, q, atol=1e-6)
        np.testing.assert_allclose(run.state[:, 7:12] / scale, q_dot, atol=1e-6)
        np.testing.assert_allclose(run.link_position[-1, :, 1] / scale, linear.centre @ q[-1], atol=1e-6)
