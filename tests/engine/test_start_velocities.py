"""Velocities of a start, against differences of poses a moment before and after."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pushpoint as pp
from oracles.spatial.states import mixed_robot
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.spatial.kinematics import link_poses, turned

H = 1e-5
"""Half the time between the two poses [s]; differences are then exact to about 1e-9."""


def planar_difference(robot, start, spin, rates, velocity):
    """Velocities of the links' centres of mass and their angular velocities, from two poses."""
    pose = start.pose(robot)
    tail_to_head = spin + np.concatenate(([0.0], np.cumsum(rates)))
    two = [
        link_positions(robot, pose["center"] + side * H * np.array(velocity), pose["theta"] + side * H * tail_to_head)
        for side in (1.0, -1.0)
    ]
    return (two[0] - two[1]) / (2 * H), tail_to_head


@pytest.mark.parametrize("link", [None, 0, 7])
def test_planar(link: int | None) -> None:
    robot, rng = pp.catalogue.holden2014(), np.random.default_rng(2)
    rates, velocity, spin = rng.normal(size=19), (0.3, -0.2), 1.7
    start = pp.Start(
        joint_angles=rng.uniform(-0.4, 0.4, 19), link=link, position=(0.4, 0.1), velocity=velocity, spin=spin,
        joint_rates=rates,
    )  # fmt: skip
    pose, (v, omega) = start.pose(robot), planar_difference(robot, start, spin, rates, velocity)
    assert pose["v"] == pytest.approx(v, abs=1e-8)
    assert pose["omega"] == pytest.approx(omega, abs=1e-12)
    masses = robot.column("mass")
    assert masses @ pose["v"] / robot.mass == pytest.approx(velocity, abs=1e-14)


@pytest.mark.parametrize("spatial", [False, True])
def test_spin_alone_turns_the_robot_as_one_body_about_its_centre_of_mass(spatial: bool) -> None:
    angles = np.linspace(-0.5, 0.6, 10)
    if spatial:
        robot, spin = pp.catalogue.aiko(), np.array([0.5, -1.0, 2.0])
        start = pp.SpatialStart(
            joint_angles=np.repeat(angles, 2), position=(1.0, 2.0, 3.0), velocity=(0.1, 0.2, 0.3), angular_velocity=spin
        )
        pose = start.pose(robot, pp.Environment())
        places, frames = link_poses(robot, pose["center"], pose["tail"], pose["angle"])
        assert turned(frames, pose["omega"]) == pytest.approx(np.tile(spin, (11, 1)), abs=1e-14)
        assert pose["v"] == pytest.approx(
            np.array([0.1, 0.2, 0.3]) + np.cross(spin, places - (1.0, 2.0, 3.0)), abs=1e-13
        )
    else:
        planar = pp.catalogue.aiko_planar()
        pose = pp.Start(joint_angles=angles, position=(1.0, 2.0), velocity=(0.1, 0.2), spin=2.0).pose(planar)
        arm = link_positions(planar, pose["center"], pose["theta"]) - (1.0, 2.0)
        assert pose["omega"] == pytest.approx(np.full(11, 2.0))
        assert pose["v"] == pytest.approx(2.0 * np.stack((-arm[:, 1], arm[:, 0]), 1) + (0.1, 0.2), abs=1e-13)


@pytest.mark.parametrize("link", [None, 0, 4])
def test_spatial(link: int | None) -> None:
    robot, rng = mixed_robot(), np.random.default_rng(4)
    n = robot.n_joints
    angles, rates, velocity, spin = rng.uniform(-1, 1, n), rng.normal(size=n), rng.normal(size=3), rng.normal(size=3)
    start = pp.SpatialStart(
        joint_angles=angles, joint_rates=rates, link=link, position=(1.0, 2.0, 3.0), velocity=velocity,
        angular_velocity=spin,
    )  # fmt: skip
    pose = start.pose(robot, pp.Environment())
    tail = Rotation.from_quat(pose["tail"], scalar_first=True)
    moved = []
    for side in (1.0, -1.0):
        turn = (Rotation.from_rotvec(side * H * spin) * tail).as_quat(scalar_first=True)
        moved.append(link_poses(robot, pose["center"] + side * H * velocity, turn, angles + side * H * rates))
    (after, after_frames), (before, before_frames) = moved
    assert pose["v"] == pytest.approx((after - before) / (2 * H), abs=1e-8)
    turns = [Rotation.from_quat(frames, scalar_first=True) for frames in (after_frames, before_frames)]
    omega = (turns[0] * turns[1].inv()).as_rotvec() / (2 * H)  # world axes
    _, frames = link_poses(robot, pose["center"], pose["tail"], pose["angle"])
    assert turned(frames, pose["omega"]) == pytest.approx(omega, abs=1e-8)


def test_the_first_moments_of_a_run_move_so() -> None:
    """A free robot without gravity: its first samples follow the velocities of its start."""
    robot, rng = pp.catalogue.aiko(), np.random.default_rng(6)
    start = pp.SpatialStart(
        joint_angles=rng.uniform(-0.4, 0.4, 20), joint_rates=rng.uniform(-1, 1, 20), position=(0.0, 0.0, 3.0),
        velocity=(0.5, 0.0, 0.2), angular_velocity=(0.3, 0.2, -1.0),
    )  # fmt: skip
    free = pp.SpatialRobot.uniform(11, robot.links[0], pp.Cardan())
    dt = 1e-4
    run = pp.simulate(
        pp.World(free, pp.Environment(ground=pp.Ground(gravity=0.0)), start=start),
        10 * dt,
        settings=pp.Settings(dt=dt),
        record=pp.Record(rate=1 / dt),
    )
    moved = (run.link_position.values[1] - run.link_position.values[0]) / dt
    assert moved == pytest.approx(start.pose(free, pp.Environment())["v"], abs=2e-3)  # acceleration times dt / 2
