"""Recorded forces: they explain the motion, balance at every joint, and add up over the intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr

from oracles.controllers import straight
from oracles.course import course
from oracles.robots import uneven_robot
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.gaits import LateralUndulation
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

ROBOT = PlanarRobot.uniform(
    5, PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02), Motor(stiffness=5.0, damping=0.1)
)
ROUGH = Environment(ground=Ground(friction=Isotropic(0.3)))
GAIT = LateralUndulation(amplitude=0.5, angular_frequency=4.0, phase_shift=-0.8)
PEGS = [Peg(x=0.1 * k, y=y, radius=0.05) for k, y in ((-2, 0.1), (0, -0.1), (2, 0.1))]
COURSE = Environment(ground=Ground(friction=Isotropic(0.1)), obstacles=PEGS)


@pytest.fixture(scope="module")
def single() -> xr.Dataset:
    return simulate(ROBOT, COURSE, GAIT, duration=0.6)


@pytest.fixture(scope="module")
def every_step() -> xr.Dataset:
    return simulate(ROBOT, COURSE, GAIT, duration=0.6, record=Record(rate=1000.0))


def momentum_balance(run: xr.Dataset, mass: np.ndarray, load: Any = 0.0) -> np.ndarray:
    """Mass times acceleration minus all outer forces, per interval [N], shape (n_times - 1, 2)."""
    interval = float(run.time[1] - run.time[0])
    momentum = np.einsum("tix,i->tx", run.link_velocity.values, mass)
    outer = (run.ground_force + run.obstacle_force).sum("link").values[1:] + load
    return np.diff(momentum, axis=0) / interval - outer


def test_outer_forces_explain_the_motion(single: xr.Dataset) -> None:
    assert float(np.abs(single.obstacle_force).max()) > 0.5
    np.testing.assert_allclose(momentum_balance(single, np.full(5, 0.3)), 0.0, atol=1e-10)


def test_outer_forces_explain_the_published_course() -> None:
    world = course(obstacles=True, friction=0.3)
    run = simulate(world.robot, world.environment, world.controller, start=world.start, duration=0.5)
    assert float(np.abs(run.obstacle_force).max()) > 5.0
    np.testing.assert_allclose(momentum_balance(run, world.robot.column("mass")), 0.0, atol=1e-8)


def test_friction_of_a_sliding_robot_is_its_weight_times_the_coefficient() -> None:
    start = Start(joint_angles=np.zeros(4), heading=0.4, velocity=(0.6, 0.8))
    run = simulate(ROBOT, ROUGH, straight(), duration=0.2, start=start)
    # The disc at uniform slip: every link against the velocity, 0.3 m g.
    expected = np.tile(-0.3 * 9.81 * 0.3 * np.array([0.6, 0.8]), (20, 5, 1))
    np.testing.assert_allclose(run.ground_force[1:], expected, rtol=1e-6)


def test_friction_never_exceeds_its_bound(single: xr.Dataset) -> None:
    assert float(np.linalg.norm(single.ground_force[1:], axis=-1).max()) <= 0.1 * 0.3 * 9.81 * (1 + 1e-3)


def test_a_pulled_robot_is_a_rope() -> None:
    load = np.zeros((1, 5, 3))
    load[0, 0, :2], load[0, 4, :2] = (-2.0, 0.0), (2.0, 0.0)
    run = simulate(ROBOT, Environment(), straight(load), duration=0.1)
    expected = np.tile([-2.0, 0.0], (10, 4, 1))  # the rear link holds the front one back
    np.testing.assert_allclose(run.joint_force[1:], expected, atol=1e-9)
    assert float(np.abs(run.link_velocity).max()) < 1e-12


def test_a_robot_at_rest_hands_a_load_along_its_joints() -> None:
    # 0.4 N across the head, less than friction holds: what the ground takes up to a joint, the joint does not.
    load = np.zeros((1, 5, 3))
    load[0, 4, 1] = 0.4
    run = simulate(ROBOT, ROUGH, straight(load), duration=0.2, settings=Settings(tolerance=1e-9)).isel(time=-1)
    assert float(np.abs(run.link_velocity).max()) < 1e-9
    ground = run.ground_force.values
    np.testing.assert_allclose(ground.sum(axis=0), [0.0, -0.4], atol=1e-6)
    for j in range(4):
        in_front = ground[j + 1 :].sum(axis=0) + np.array([0.0, 0.4])
        np.testing.assert_allclose(run.joint_force[j], -in_front, atol=1e-6)


def test_an_accelerated_robot_is_a_train() -> None:
    # Pulled at the head, every joint pulls what is behind it: F_j on the front link = -(mass behind) a.
    load = np.zeros((1, 4, 3))
    load[0, 3, 0] = 4.6
    run = simulate(uneven_robot(), Environment(), straight(load), duration=0.1)
    behind = np.array([0.4, 1.3, 1.6])
    np.testing.assert_allclose(run.joint_force[1:, :, 0], np.tile(-2.0 * behind, (10, 1)), rtol=1e-9)
    np.testing.assert_allclose(run.joint_force[1:, :, 1], np.zeros((10, 3)), atol=1e-9)


def test_loads_of_smooth_pegs_are_the_forces_on_links(single: xr.Dataset) -> None:
    # Smooth pegs push along their normals; with one contact at a time both are the same number.
    loads = single.obstacle_load[1:].sum("obstacle").values
    forces = np.linalg.norm(single.obstacle_force[1:], axis=-1).sum(axis=-1)
    assert loads.max() > 0.5 and (loads >= -1e-9).all()
    assert (forces <= loads * (1 + 1e-9) + 1e-9).all()
    quiet = loads < 1e-9
    np.testing.assert_allclose(forces[quiet], 0.0, atol=1e-9)


def test_side_force_is_the_force_toward_the_left(every_step: xr.Dataset) -> None:
    run = every_step
    # Directions are those half a step after the start of each step.
    middle = run.link_angle.values[:-1] + 0.5e-3 * run.link_angular_velocity.values[:-1]
    left = np.stack([-np.sin(middle), np.cos(middle)], axis=-1)
    expected = (run.obstacle_force.values[1:] * left).sum(axis=-1)
    assert np.abs(expected).max() > 0.5
    np.testing.assert_allclose(run.contact_normal_force[1:], expected, atol=1e-9)


def test_power_is_torque_times_rate(every_step: xr.Dataset) -> None:
    run = every_step
    rate = np.diff(run.link_angular_velocity, axis=1)
    expected = run.joint_torque.values[1:] * (rate[1:] + rate[:-1]) / 2
    np.testing.assert_allclose(run.joint_power[1:], expected, rtol=1e-9, atol=1e-12)
