"""Forces and moments in joints against beams at rest, and against Newton and Euler made up from recorded motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from oracles.controllers import Always, straight
from oracles.spatial.pose import Pose
from pushpoint.simulation.simulate import simulate

G, LENGTH, MASS = 9.81, 0.1, 0.3
LINK = pp.SpatialLink(length=LENGTH, mass=MASS, inertia=(2e-4, 3e-4, 3e-4), radius=0.03)
SERVO = pp.Motor(stiffness=20.0, damping=0.2)
RECORD = pp.Record(also=["joint_moment"])


def beam(joint: pp.Joint, n_links: int = 5) -> pp.SpatialRobot:
    return pp.SpatialRobot.uniform(n_links, LINK, joint)


class TestAtRest:
    @pytest.mark.parametrize("joint", [pp.Yaw(), pp.Pitch(), pp.Cardan()], ids=["yaw", "pitch", "cardan"])
    def test_a_robot_held_up_at_its_middle(self, joint: pp.Joint) -> None:
        """A beam that hangs on both sides: at a joint, k links in front weigh k m g with a lever of k l / 2."""
        robot = beam(joint)
        load = np.zeros((1, 5, 6))
        load[0, 2, 2] = 5 * MASS * G
        start = pp.SpatialStart(position=(0.0, 0.0, 1.0))
        run = simulate(robot, pp.Environment(), straight(load), start=start, duration=0.05, record=RECORD)
        np.testing.assert_allclose(run.joint_force[-1, 2:, 2], [2 * MASS * G, MASS * G], rtol=1e-9)
        np.testing.assert_allclose(run.joint_force[-1, :2, 2], [-MASS * G, -2 * MASS * G], rtol=1e-9)
        # The weight in front turns the head down, about +y, so the joint turns it up, about -y.
        lever = MASS * G * LENGTH * np.array([0.5, 2.0, 2.0, 0.5])
        np.testing.assert_allclose(run.joint_moment[-1, :, 1], -lever, rtol=1e-9)
        np.testing.assert_allclose(run.joint_moment[-1][:, [0, 2]], 0.0, atol=1e-10)

    def test_a_robot_that_bridges_a_gap(self) -> None:
        """Lying on two narrow boxes under its end links: a beam on two supports under its own weight."""
        robot = beam(pp.Yaw(motor=SERVO), 6)
        boxes = [pp.Box(center=(x, 0.0, 0.1), size=(0.01, 0.2, 0.2), friction=0.5) for x in (-0.25, 0.25)]
        start = pp.SpatialStart(position=(0.0, 0.0, 0.23))
        record = pp.Record(also=["joint_moment", "obstacle_reaction"])
        run = simulate(robot, pp.Environment(obstacles=boxes), straight(), start=start, duration=0.5, record=record)
        np.testing.assert_allclose(run.obstacle_reaction[-1, :, 2], -3 * MASS * G, rtol=1e-4)
        # At a joint at x, with k links in front: k m g at k l / 2 down, and the support at 0.25 m up.
        k = np.arange(5, 0, -1)
        x = 0.3 - k * LENGTH
        support = np.where(x < 0.25, 3 * MASS * G * (0.25 - x), 0.0) + np.where(
            x < -0.25, 3 * MASS * G * (-0.25 - x), 0.0
        )
        expected = support - k * MASS * G * k * LENGTH / 2
        np.testing.assert_allclose(run.joint_moment[-1, :, 1], expected, rtol=0, atol=2e-4)  # N m of 0.6

    def test_a_torque_on_the_head_goes_through_all_joints(self) -> None:
        load = np.zeros((1, 5, 6))
        load[0, 4, 3:], load[0, 0, 3:] = (0.2, -0.1, 0.3), (-0.2, 0.1, -0.3)
        place = pp.Environment(ground=pp.Ground(gravity=0.0))
        start = pp.SpatialStart(position=(0.0, 0.0, 1.0))
        run = simulate(beam(pp.Cardan()), place, straight(load), start=start, duration=0.02, record=RECORD)
        np.testing.assert_allclose(run.joint_moment[-1], np.tile([-0.2, 0.1, -0.3], (4, 1)), rtol=1e-9)


def newton_euler(robot: pp.SpatialRobot, load: np.ndarray, run: xr.Dataset) -> np.ndarray:
    """Moments at joints [N m] between samples, from recorded poses and velocities alone; no contacts."""
    dt = float(run.time[1] - run.time[0])
    found = []
    for k in range(run.sizes["time"] - 1):
        now, then = run.isel(time=k), run.isel(time=k + 1)
        poses = [Pose.of(each.link_position, each.link_orientation) for each in (now, then)]
        turning = [
            np.einsum(
                "nij,j,nkj,nk->ni", pose.rotation, np.array(LINK.inertia), pose.rotation, each.link_angular_velocity
            )
            for pose, each in zip(poses, (now, then), strict=True)
        ]
        spin = (turning[1] - turning[0]) / dt - load[:, 3:]
        push = MASS * (then.link_velocity - now.link_velocity).values / dt - load[:, :3] + [0.0, 0.0, MASS * G]
        middle = (poses[0].position + poses[1].position) / 2
        ahead = (poses[0].rotation[:, :, 0] + poses[1].rotation[:, :, 0]) / 2
        joints = middle - LENGTH / 2 * ahead
        found.append([(spin[j:] + np.cross(middle[j:] - joints[j], push[j:])).sum(axis=0) for j in range(1, len(push))])
    return np.array(found)


class TestInMotion:
    def test_newton_and_euler_say_the_same(self) -> None:
        """A robot with cardan joints, thrown and pushed about: second order in the recording interval."""
        robot = beam(pp.Cardan(yaw=SERVO, pitch=SERVO))
        load = np.random.default_rng(3).normal(scale=0.3, size=(5, 6)) * [1, 1, 1, 0.1, 0.1, 0.1]
        start = pp.SpatialStart(
            position=(0.0, 0.0, 5.0), angular_velocity=(2.0, 1.0, -3.0), joint_angles=(0.3, -0.5, 0.4, 0.2) * 2
        )
        errors = []
        for dt in (1e-3, 2.5e-4):
            run = simulate(
                robot,
                pp.Environment(),
                Always(pp.Command(joint_angle=np.zeros((1, 8)), link_load=load[None])),
                start=start,
                duration=0.03,
                settings=pp.Settings(dt=dt, tolerance=1e-10),
                record=pp.Record(rate=1 / dt, also=["joint_moment"]),
            )
            expected = newton_euler(robot, load, run)
            off = np.abs(run.joint_moment.values[1:] - expected)[run.time.values[1:] > 0.01]  # servos begin with a jump
            errors.append(off.max() / np.abs(expected).max())
        assert errors[0] < 1e-4 and errors[1] == pytest.approx(errors[0] / 16, rel=0.2)

    def test_along_an_axis_it_is_the_motor(self) -> None:
        """On the ground, with contacts: the motor's torque is solved for by other means."""
        undulation = pp.scenario("transeth2008b/lateral-undulation-orthotropic").world
        dt = 1e-3
        run = simulate(
            undulation,
            0.2,
            settings=pp.Settings(dt=dt, tolerance=1e-8),
            record=pp.Record(rate=1 / dt, also=["joint_moment"]),
        )
        behind = run.link_behind.values
        frames = np.stack(
            [Pose.of(p, q).rotation for p, q in zip(run.link_position, run.link_orientation, strict=True)]
        )
        yaw = run.joint_axis.values == "yaw"
        up = frames[:, behind[yaw] + 1][..., 2]  # a yaw axis is fixed to the front link
        middle = (up[1:] + up[:-1]) / 2
        along = (run.joint_moment.values[1:, behind[yaw]] * middle).sum(axis=-1)
        motor = run.joint_torque.values[1:, yaw]
        assert np.abs(motor).max() > 0.1
        assert np.abs(along - motor)[5:].max() < 2e-3 * np.abs(motor).max()

    def test_a_batch_has_the_moments_of_its_worlds(self) -> None:
        light = beam(pp.Cardan(yaw=SERVO, pitch=SERVO))
        heavy = replace(light, links=tuple(replace(link, mass=2 * MASS) for link in light.links))
        worlds = [pp.World(robot, pp.Environment(), straight()) for robot in (light, heavy)]
        run = simulate(worlds, 0.1, record=RECORD)
        for w, world in enumerate(worlds):
            np.testing.assert_array_equal(run.joint_moment[w], simulate(world, 0.1, record=RECORD).joint_moment)
