"""Energy: what the motors put in is found in motion, in friction with the ground, and in impacts on pegs.

A step changes the kinetic energy by impulses times the mean of old and new velocity, exactly. The one term missing
here is the work of the joints: the old velocities fit the joints of the last midpoint, not of this one. It is of first
order.
"""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from oracles.course import course
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.settings import Settings
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

DURATION = 9.0  # two periods of the gait
SHARE = 1e-3  # of the motor work, required


def run(world: World, dt: float) -> xr.Dataset:
    return simulate(
        world.robot, world.environment, world.controller, start=world.start, duration=DURATION,
        settings=Settings(dt=dt), record=Record(rate=1 / dt),
    )  # fmt: skip


def kinetic_energy(world: World, dataset: xr.Dataset) -> np.ndarray:
    """Kinetic energy at every sample [J]."""
    mass, inertia = world.robot.column("mass"), world.robot.column("inertia")
    moving = (dataset.link_velocity.values**2).sum(axis=-1) @ mass
    return np.asarray(0.5 * (moving + dataset.link_angular_velocity.values**2 @ inertia))


def mean_of_step(values: np.ndarray) -> np.ndarray:
    return (values[1:] + values[:-1]) / 2


def ground_work(dataset: xr.Dataset, dt: float) -> np.ndarray:
    """Work of the ground on the robot in every step [J]; it rubs at the centres of mass."""
    velocity = mean_of_step(dataset.link_velocity.values)
    return np.asarray(dt * (dataset.ground_force.values[1:] * velocity).sum(axis=(1, 2)))


def peg_work(world: World, dataset: xr.Dataset, dt: float) -> np.ndarray:
    """Work of smooth pegs in every step [J]: their force acts at the point of the link's axis nearest to the peg."""
    velocity, omega = dataset.link_velocity.values, dataset.link_angular_velocity.values
    theta = dataset.link_angle.values[:-1] + dt / 2 * omega[:-1]
    middle = link_positions(world.robot, (dataset.center_of_mass.values + dt / 2 * velocity.mean(axis=1))[:-1], theta)
    forward = np.stack((np.cos(theta), np.sin(theta)), axis=-1)
    centres = np.array([(peg.x, peg.y) for peg in world.environment.obstacles])
    half = world.robot.links[0].side_length / 2
    to_peg = centres - middle[:, :, None]
    along = np.clip(np.einsum("tikx,tix->tik", to_peg, forward), -half, half)
    away = along[..., None] * forward[:, :, None] - to_peg
    nearest = np.argmin(np.linalg.norm(away, axis=-1), axis=-1)[..., None]
    lever = np.take_along_axis(along, nearest, axis=-1)
    left = np.stack((-forward[..., 1], forward[..., 0]), axis=-1)
    touching = mean_of_step(velocity) + lever * mean_of_step(omega)[..., None] * left
    return np.asarray(dt * (dataset.obstacle_force.values[1:] * touching).sum(axis=(1, 2)))


def missing(world: World, dt: float) -> tuple[float, float, float]:
    """Energy that the balance lacks, motor work, and work of ground and pegs [J]."""
    dataset = run(world, dt)
    motors = dt * float(dataset.joint_power.sum())
    outside = float(ground_work(dataset, dt).sum())
    if world.environment.obstacles:
        outside += float(peg_work(world, dataset, dt).sum())
    kinetic = kinetic_energy(world, dataset)
    return float(kinetic[-1] - kinetic[0]) - motors - outside, motors, outside


@pytest.mark.parametrize("obstacles", [False, True], ids=["flat", "obstacle-aided"])
def test_balance_closes(obstacles: bool) -> None:
    lacking, motors, outside = missing(course(obstacles=obstacles), 1e-3)
    assert motors > 1.0 and outside < -0.9 * motors  # J: nearly all of it goes into friction and impacts
    assert abs(lacking) < SHARE * motors


@pytest.mark.parametrize("obstacles", [False, True], ids=["flat", "obstacle-aided"])
def test_balance_is_of_first_order(obstacles: bool) -> None:
    coarse, fine = (abs(missing(course(obstacles=obstacles), dt)[0]) for dt in (1e-3, 2.5e-4))
    assert fine < 0.4 * coarse  # a quarter of it, but for the instants at which links hit pegs and the gait sets in


@pytest.mark.parametrize("obstacles", [False, True], ids=["flat", "obstacle-aided"])
def test_friction_and_plastic_impacts_never_give_energy(obstacles: bool) -> None:
    world = course(obstacles=obstacles)
    dataset = run(world, 1e-3)
    assert (ground_work(dataset, 1e-3).cumsum() <= 0.0).all()
    if obstacles:
        assert (peg_work(world, dataset, 1e-3).cumsum() <= 0.0).all()
