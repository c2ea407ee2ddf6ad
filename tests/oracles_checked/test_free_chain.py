"""The minimal-coordinate chain itself: finite differences, conservation laws, a second formulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from oracles.free_chain import FreeChain
from oracles.robots import uneven_robot
from pushpoint.model.friction import Viscous
from pushpoint.model.motor import Motor

Array = NDArray[np.float64]


def moving_state(chain: FreeChain) -> Array:
    return chain.state([0.3, -0.5, 0.9, 0.1], [1.0, -2.0, 1.5, 3.0], position=(0.2, -0.1), velocity=(0.4, 0.3))


class TestFreeChain:
    def test_jacobian_and_its_rate_match_finite_differences(self) -> None:
        chain = FreeChain(robot=uneven_robot())
        q, q_dot = np.split(moving_state(chain), 2)
        step = 1e-5  # central differences: error of order step^2
        for k in range(q.size):
            d = step * np.eye(q.size)[k]
            numeric = (chain.positions(q + d) - chain.positions(q - d)) / (2 * step)
            np.testing.assert_allclose(chain.jacobian(q)[:, :2, k], numeric, atol=1e-9)
        numeric = (chain.jacobian(q + step * q_dot) - chain.jacobian(q - step * q_dot)) / (2 * step)
        np.testing.assert_allclose(chain.jacobian_rate(q, q_dot), numeric, atol=1e-9)

    def test_point_jacobian_at_the_centre_of_mass_and_at_shared_joints(self) -> None:
        robot = uneven_robot()
        chain = FreeChain(robot=robot)
        q, _ = np.split(moving_state(chain), 2)
        for i, link in enumerate(robot.links):
            np.testing.assert_array_equal(chain.point_jacobian(q, i, link.mass_offset), chain.jacobian(q)[i, :2])
        for j in range(robot.n_joints):
            behind = chain.point_jacobian(q, j, robot.links[j].length / 2)
            ahead = chain.point_jacobian(q, j + 1, -robot.links[j + 1].length / 2)
            np.testing.assert_allclose(behind, ahead, atol=1e-15)

    def test_free_motion_keeps_energy_and_momentum(self) -> None:
        chain = FreeChain(robot=uneven_robot())
        run = chain.integrate(np.linspace(0.0, 2.0, 5), moving_state(chain))
        energy = [chain.kinetic_energy(state) for state in run.state]
        momentum = np.stack([chain.momentum(state) for state in run.state])
        np.testing.assert_allclose(energy, energy[0], rtol=1e-9)  # integration error at rtol 1e-11
        np.testing.assert_allclose(momentum - momentum[0], 0.0, atol=1e-9)
        mass = chain.robot.column("mass")
        np.testing.assert_allclose(mass @ run.link_velocity[-1] / mass.sum(), [0.4, 0.3], atol=1e-10)
        np.testing.assert_allclose(mass @ run.link_position[-1] / mass.sum(), [1.0, 0.5], atol=1e-10)

    def test_springs_keep_total_energy_and_momentum(self) -> None:
        chain = FreeChain(robot=uneven_robot(Motor(stiffness=3.0)), reference=lambda t: ([0.2, 0.0, -0.4], [0.0] * 3))
        run = chain.integrate(np.linspace(0.0, 0.5, 5), moving_state(chain))
        energy = [chain.kinetic_energy(state) + chain.spring_energy(0.0, state) for state in run.state]
        np.testing.assert_allclose(energy, energy[0], rtol=1e-9)
        np.testing.assert_allclose(chain.momentum(run.state[-1]), chain.momentum(run.state[0]), atol=1e-9)

    def test_acceleration_agrees_with_newton_euler_in_maximal_coordinates(self) -> None:
        robot = uneven_robot(Motor(stiffness=3.0, damping=0.1))
        load = np.array([[1.0, 0.5, 0.1], [0.0, -2.0, 0.0], [0.3, 0.0, -0.2], [0.0, 1.0, 0.0]])
        chain = FreeChain(robot=robot, reference=lambda t: ([math.sin(t)] * 3, [math.cos(t)] * 3), loads=lambda t: load)
        q, q_dot = np.split(moving_state(chain), 2)
        t = 0.7
        n, angle, rate = 4, q[2:], q_dot[2:]
        torque = chain.joint_torque(t, q, q_dot)
        force = load.copy()
        force[1:, 2] += torque
        force[:-1, 2] -= torque
        G, bias = np.zeros((2 * (n - 1), 3 * n)), np.zeros(2 * (n - 1))
        for j in range(n - 1):
            for i, sign, end in ((j, 1.0, 0.5), (j + 1, -1.0, -0.5)):
                arm = end * robot.links[i].length - robot.links[i].mass_offset
                e = np.array([math.cos(angle[i]), math.sin(angle[i])])
                G[2 * j : 2 * j + 2, 3 * i : 3 * i + 2] = sign * np.eye(2)
                G[2 * j : 2 * j + 2, 3 * i + 2] = sign * arm * np.array([-e[1], e[0]])
                bias[2 * j : 2 * j + 2] += -sign * arm * rate[i] ** 2 * e
        M = np.diag(chain.inertias.ravel())
        system = np.block([[M, -G.T], [G, np.zeros((6, 6))]])
        maximal = np.linalg.solve(system, np.concatenate([force.ravel(), -bias]))[: 3 * n].reshape(n, 3)
        q_ddot = chain.acceleration(t, q, q_dot)
        minimal = chain.jacobian(q) @ q_ddot + chain.jacobian_rate(q, q_dot) @ q_dot
        np.testing.assert_allclose(minimal, maximal, rtol=1e-9, atol=1e-9)

    def test_viscous_ground_and_damped_servos_take_energy_at_their_power(self) -> None:
        law = Viscous(along=0.5, across=2.0)
        motor = Motor(stiffness=3.0, damping=0.05)
        chain = FreeChain(robot=uneven_robot(motor), reference=lambda t: ([0.0] * 3, [0.0] * 3), friction=law)
        state = moving_state(chain)
        q, q_dot = np.split(state, 2)
        expected = -0.05 * float(np.sum(np.diff(q_dot[2:]) ** 2))
        for i, link in enumerate(chain.robot.links):
            for support in link.supports or ():
                v = chain.point_jacobian(q, i, support.offset) @ q_dot
                c, s = math.cos(q[2 + i]), math.sin(q[2 + i])
                along, across = c * v[0] + s * v[1], c * v[1] - s * v[0]
                expected -= support.share * (law.along * along**2 + law.across * across**2)
        h = 1e-5
        run = chain.integrate([0.0, h, 2 * h], state)
        energy = [chain.kinetic_energy(y) + chain.spring_energy(0.0, y) for y in run.state]
        slope = (-3 * energy[0] + 4 * energy[1] - energy[2]) / (2 * h)  # one-sided, error of order h^2
        assert slope == pytest.approx(expected, rel=1e-3)

    def test_stiff_and_explicit_integrators_agree(self) -> None:
        chain = FreeChain(
            robot=uneven_robot(Motor(stiffness=5.0, damping=0.05)),
            reference=lambda t: ([0.5 * math.sin(3 * t)] * 3, [1.5 * math.cos(3 * t)] * 3),
            friction=Viscous(along=0.5, across=3.0),
        )
        start, times = moving_state(chain), [0.0, 0.1, 0.2]
        explicit = chain.integrate(times, start)
        stiff = chain.integrate(times, start, method="Radau", rtol=1e-8)
        np.testing.assert_allclose(explicit.state, stiff.state, atol=1e-6)

    def test_torque_limit_cuts_the_servo(self) -> None:
        chain = FreeChain(
            robot=uneven_robot(Motor(stiffness=100.0, torque_limit=2.0)),
            reference=lambda t: ([1.0, 0.0, -1.0], [0.0] * 3),
        )
        q, q_dot = np.split(chain.state([0.0, 0.0, 0.01, 0.0]), 2)
        np.testing.assert_allclose(chain.joint_torque(0.0, q, q_dot), [2.0, -1.0, -2.0])
