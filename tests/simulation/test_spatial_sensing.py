"""What the sensors of a spatial robot show: the IMU in its own frame, forces and joints, through all channels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pushpoint as pp
from oracles.spatial.pose import Array
from pushpoint.model.sensors import QUANTITIES as ALL_QUANTITIES
from pushpoint.simulation.stepping.simulator import Simulator

G = 9.81
TIGHT = pp.Settings(tolerance=1e-9)
BLOCK = pp.SpatialLink(length=0.1, mass=0.5, inertia=(4e-4, 6e-4, 6e-4), radius=0.03, side_length=0.08, shape="square")
ONE = pp.SpatialRobot(links=(BLOCK,), joints=())
MOTOR = pp.Motor(stiffness=5.0, damping=0.1)
LINK = pp.SpatialLink(length=0.1, mass=0.3, inertia=(1.2e-4, 3e-4, 3.5e-4), radius=0.025)
CHAIN = pp.SpatialRobot(links=(LINK,) * 4, joints=(pp.Cardan(yaw=MOTOR, pitch=MOTOR), pp.Yaw(MOTOR), pp.Pitch(MOTOR)))
GROUND = pp.Ground(friction=pp.Isotropic(0.9))
FLAT = pp.Environment(ground=GROUND)
SPACE = pp.Environment(ground=pp.Ground(gravity=0.0))
COURSE = pp.Environment(ground=replace(GROUND, rolling=0.02), obstacles=[pp.Peg(x=0.0, y=0.07, radius=0.04)])
QUANTITIES = tuple(name for name in ALL_QUANTITIES if name not in ("range", "ray_range", "center_of_mass"))
MEANS = ("joint_torque", "contact_normal_force", "imu_acceleration")
NOTHING = pp.Command()
VECTORS = ("imu_angular_rate", "imu_acceleration", "imu_tilt")


def quaternion(yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0) -> list[float]:
    """Rz(yaw) Ry(pitch) Rx(roll) as (w, x, y, z)."""
    return Rotation.from_euler("ZYX", (yaw, pitch, roll)).as_quat(scalar_first=True).tolist()


def matrix(yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0) -> Array:
    return np.asarray(Rotation.from_euler("ZYX", (yaw, pitch, roll)).as_matrix())


def afloat(**fields: Any) -> pp.SpatialStart:
    return pp.SpatialStart(**{"position": (0.0, 0.0, 5.0)} | fields)


def lying_on(slope: float, direction: float, heading: float) -> tuple[pp.World, Array]:
    """A block that lies flat on a slope, its heading along the slope's own axes, and its rotation matrix."""
    ground = replace(GROUND, slope=slope, slope_direction=direction)
    # About the level line across the direction in which the ground rises: its uphill side goes up.
    across = np.array([-math.sin(direction), math.cos(direction), 0.0])
    turn = Rotation.from_rotvec(-slope * across) * Rotation.from_euler("Z", heading)
    R = np.asarray(turn.as_matrix())
    place = R[:, 2] * (0.03 + 1e-9)
    start = pp.SpatialStart(orientation=turn.as_quat(scalar_first=True).tolist(), position=place.tolist())
    return pp.World(ONE, pp.Environment(ground=ground), start=start), R


def read(world: pp.World, turns: int = 5, command: pp.Command = NOTHING, **settings: Any) -> pp.Measurement:
    """The measurement after some turns of 10 ms, from a solver that leaves no slack."""
    simulator = Simulator([world], settings=replace(TIGHT, **settings))
    for _ in range(turns):
        measured = simulator.step(command)
    return measured


class TestAcceleration:
    @pytest.mark.parametrize("heading", [0.0, 0.7, -2.5])
    def test_at_rest_on_the_level_it_shows_the_push_of_the_ground(self, heading: float) -> None:
        world = pp.World(ONE, FLAT, start=pp.SpatialStart(orientation=quaternion(yaw=heading)))
        np.testing.assert_allclose(read(world).imu_acceleration[0], (0.0, 0.0, G), atol=1e-6)  # tolerance 1e-9 g dt

    @pytest.mark.parametrize(("direction", "heading"), [(0.0, 0.0), (math.pi / 2, 0.0), (0.0, 1.0), (2.0, -0.5)])
    def test_at_rest_on_a_slope_it_is_turned_with_the_link(self, direction: float, heading: float) -> None:
        world, R = lying_on(0.3, direction, heading)
        measured = read(world)
        np.testing.assert_allclose(measured.imu_acceleration[0], R.T @ (0.0, 0.0, G), atol=1e-5)
        if heading == direction == 0.0:  # nose uphill: the ground pushes forward as well
            np.testing.assert_allclose(
                measured.imu_acceleration[0], (G * math.sin(0.3), 0.0, G * math.cos(0.3)), atol=1e-5
            )

    def test_in_free_fall_it_shows_nothing_however_the_link_tumbles(self) -> None:
        world = pp.World(ONE, FLAT, start=afloat(angular_velocity=(3.0, -2.0, 5.0), velocity=(1.0, 0.0, 2.0)))
        np.testing.assert_allclose(read(world).imu_acceleration[0], np.zeros(3), atol=1e-12)

    def test_of_the_head_of_a_robot_that_whirls_points_backward(self) -> None:
        """Omega^2 r toward the robot's middle, to the order of the turn between two readings, (Omega 10 ms)^2 / 24."""
        spin = 4.0
        stiff = pp.Command(prescribed=True)
        start = afloat(angular_velocity=(0.0, 0.0, spin))
        world = pp.World(CHAIN, SPACE, start=start)
        head = read(world, command=stiff, dt=1e-4).imu_acceleration[0]
        np.testing.assert_allclose(head, (-(spin**2) * 0.15, 0.0, 0.0), atol=2e-3)
        tail = read(replace(world, sensors=pp.Sensors(imu_link=0)), command=stiff, dt=1e-4).imu_acceleration[0]
        np.testing.assert_allclose(tail, (spin**2 * 0.15, 0.0, 0.0), atol=2e-3)

    def test_of_a_push_is_force_over_mass_in_the_links_frame(self) -> None:
        turn = {"yaw": 0.4, "pitch": -0.7, "roll": 1.1}
        world = pp.World(ONE, SPACE, start=afloat(orientation=quaternion(**turn)))
        load = np.array([[[0.3, -0.2, 0.1, 0.0, 0.0, 0.0]]])
        measured = read(world, command=pp.Command(link_load=load))
        np.testing.assert_allclose(measured.imu_acceleration[0], matrix(**turn).T @ load[0, 0, :3] / 0.5, atol=1e-12)


class TestTurning:
    @pytest.mark.parametrize("turn", [{}, {"yaw": 1.0}, {"pitch": 0.5, "roll": -2.0}])
    def test_rates_are_those_of_the_links_own_axes(self, turn: dict[str, float]) -> None:
        omega = np.array([0.3, -1.2, 2.0])
        world = pp.World(ONE, SPACE, start=afloat(orientation=quaternion(**turn), angular_velocity=omega))
        shown = Simulator([world]).reset().imu_angular_rate[0]
        np.testing.assert_allclose(shown, matrix(**turn).T @ omega, atol=1e-14)

    def test_a_spin_about_its_own_axis_stays_there_while_the_link_lies_askew(self) -> None:
        start = afloat(orientation=quaternion(yaw=0.8, pitch=0.3), angular_velocity=3.0 * matrix(0.8, 0.3)[:, 0])
        np.testing.assert_allclose(read(pp.World(ONE, SPACE, start=start)).imu_angular_rate[0], (3, 0, 0), atol=1e-9)

    def test_each_link_has_its_own(self) -> None:
        start = afloat(joint_angles=(0.0, 0.0, 0.0, 0.0), joint_rates=(0.0, 1.0, 2.0, 4.0))
        for link, expected in ((0, (0, 0, 0)), (1, (0, 0, 1)), (2, (0, 0, 3)), (3, (0, 4, 3))):
            world = pp.World(CHAIN, SPACE, start=start, sensors=pp.Sensors(imu_link=link))
            np.testing.assert_allclose(Simulator([world]).reset().imu_angular_rate[0], expected, atol=1e-14)


class TestAttitude:
    @pytest.mark.parametrize("yaw", [0.0, 2.0, -3.0])
    @pytest.mark.parametrize("pitch", [0.0, 0.6, -1.2])
    @pytest.mark.parametrize("roll", [0.0, 1.0, -2.5])
    def test_heading_and_tilt_are_yaw_pitch_and_roll(self, yaw: float, pitch: float, roll: float) -> None:
        start = afloat(orientation=quaternion(yaw, pitch, roll))
        measured = Simulator([pp.World(ONE, SPACE, start=start)]).reset()
        assert measured.imu_tilt is not None
        np.testing.assert_allclose(measured.imu_heading, [yaw], atol=1e-12)
        np.testing.assert_allclose(measured.imu_tilt, [(pitch, roll)], atol=1e-12)

    def test_a_nose_that_points_down_is_pitched_downward(self) -> None:
        start = afloat(orientation=quaternion(pitch=0.4))
        assert matrix(pitch=0.4)[2, 0] < 0.0  # its x axis goes down
        measured = Simulator([pp.World(ONE, SPACE, start=start)]).reset()
        assert measured.imu_tilt is not None and measured.imu_tilt[0, 0] == pytest.approx(0.4)

    def test_a_link_whose_left_side_is_up_is_rolled_to_its_right(self) -> None:
        start = afloat(orientation=quaternion(roll=0.4))
        assert matrix(roll=0.4)[2, 1] > 0.0  # its y axis goes up
        measured = Simulator([pp.World(ONE, SPACE, start=start)]).reset()
        assert measured.imu_tilt is not None and measured.imu_tilt[0, 1] == pytest.approx(0.4)

    def test_yaw_joints_turn_the_heads_heading_and_pitch_joints_its_tilt(self) -> None:
        def seen(link: int, *angles: float) -> tuple[float, float]:
            start = afloat(joint_angles=angles)
            measured = Simulator([pp.World(CHAIN, SPACE, start=start, sensors=pp.Sensors(imu_link=link))]).reset()
            assert measured.imu_tilt is not None
            return float(measured.imu_heading[0]), float(measured.imu_tilt[0, 0])

        yawed, pitched = (0.0, 0.3, 0.2, 0.0), (0.1, 0.0, 0.0, 0.5)
        assert seen(3, *yawed)[0] - seen(0, *yawed)[0] == pytest.approx(0.5)
        assert seen(3, *pitched)[1] - seen(0, *pitched)[1] == pytest.approx(0.6)
        assert seen(3, *yawed)[1] == pytest.approx(0.0) and seen(3, *pitched)[0] == pytest.approx(0.0)

    def test_on_a_slope(self) -> None:
        world, _ = lying_on(0.3, 0.0, 0.0)
        measured = read(world)
        assert measured.imu_tilt is not None
        np.testing.assert_allclose(measured.imu_tilt, [(-0.3, 0.0)], atol=1e-6)  # nose up


class TestForces:
    def test_a_peg_on_the_right_pushes_to_the_left(self) -> None:
        peg = pp.Peg(x=0.0, y=-0.07, radius=0.04)
        world = pp.World(ONE, pp.Environment(ground=pp.Ground(), obstacles=[peg]), start=pp.SpatialStart())
        load = np.zeros((1, 1, 6))
        load[0, 0, 1] = -3.0  # pressed against it
        measured = read(world, turns=20, command=pp.Command(link_load=load))
        np.testing.assert_allclose(measured.contact_normal_force, [[3.0]], atol=1e-4)

    def test_a_servo_that_holds_a_load_shows_its_torque(self) -> None:
        """Two links afloat, one pushed against the other by opposite moments: the joint's motor carries them."""
        pair = pp.SpatialRobot(links=(LINK, LINK), joints=pp.Cardan(yaw=MOTOR, pitch=MOTOR))
        load = np.zeros((1, 2, 6))
        load[0, 0, 4:], load[0, 1, 4:] = (0.02, -0.03), (-0.02, 0.03)  # about y and z
        world = pp.World(pair, SPACE, start=afloat())
        measured = read(world, turns=300, command=pp.Command(joint_angle=np.zeros((1, 2)), link_load=load))
        np.testing.assert_allclose(measured.joint_torque, [(0.02, -0.03)], atol=1e-4)


def every(channel: pp.Channel, **others: Any) -> pp.Sensors:
    """All quantities through the same kind of channel."""
    return pp.Sensors(**dict.fromkeys(QUANTITIES, channel), **others)


def readings(sensors: pp.Sensors, turns: int = 40) -> list[pp.Measurement]:
    """The measurement at the start and after each turn of a chain that swings beside a peg."""
    simulator = Simulator([pp.World(CHAIN, COURSE, sensors=sensors)])
    commands = (pp.Command(joint_angle=0.5 * np.sin(0.3 * k + np.arange(4.0))[None]) for k in range(turns))
    return [simulator.reset(), *(simulator.step(command) for command in commands)]


def series(measured: Sequence[pp.Measurement], name: str) -> np.ndarray:
    return np.stack([getattr(each, name)[0] for each in measured])


@pytest.fixture(scope="module")
def truth() -> list[pp.Measurement]:
    measured = readings(pp.Sensors())
    assert np.abs(series(measured, "contact_normal_force")).max() > 0.5
    assert all(np.ptp(series(measured, name), axis=0).min() > 0.01 for name in VECTORS)
    return measured


class TestChannels:
    @pytest.mark.parametrize(("m", "d"), [(1, 0), (1, 3), (5, 0), (4, 3), (2, 60)])
    def test_rate_and_delay_are_exact_in_samples(self, truth: list[pp.Measurement], m: int, d: int) -> None:
        """Sampled every m turns, read d turns later: reading k shows turn max(0, k - d) // m * m, to the bit."""
        shown = readings(every(pp.Channel(rate=100.0 / m, delay=d * 0.01)))
        turns = np.maximum(0, np.arange(41) - d) // m * m
        for name in QUANTITIES:
            if name not in MEANS or m == 1:
                np.testing.assert_array_equal(series(shown, name), series(truth, name)[turns], err_msg=name)

    def test_forces_are_means_over_the_channels_own_interval(self, truth: list[pp.Measurement]) -> None:
        shown = readings(every(pp.Channel(rate=25.0, delay=0.02)))
        for name in ("joint_torque", "contact_normal_force"):
            true = series(truth, name)
            for k in range(41):
                sample = max(0, k - 2) // 4 * 4
                mean = true[sample - 3 : sample + 1].mean(axis=0) if sample else true[0]
                np.testing.assert_allclose(series(shown, name)[k], mean, atol=1e-12, err_msg=name)

    def test_acceleration_is_the_change_of_velocity_over_that_interval(self) -> None:
        simulator = Simulator([pp.World(CHAIN, COURSE, sensors=pp.Sensors(imu_acceleration=pp.Channel(rate=25.0)))])
        simulator.reset()
        states = [simulator.state]
        for k in range(8):
            measured = simulator.step(pp.Command(joint_angle=0.5 * np.sin(0.3 * k + np.arange(4.0))[None]))
            states.append(simulator.state)
        gained = (states[8].v[0, 3] - states[4].v[0, 3]) / 0.04 + (0.0, 0.0, G)
        assert np.linalg.norm(measured.imu_acceleration[0]) == pytest.approx(float(np.linalg.norm(gained)), rel=1e-12)

    def test_bias_and_rounding(self, truth: list[pp.Measurement]) -> None:
        biased = readings(every(pp.Channel(bias=0.25)))
        rounded = readings(every(pp.Channel(quantum=0.0625)))
        for name in QUANTITIES:
            np.testing.assert_array_equal(series(biased, name), series(truth, name) + 0.25, err_msg=name)
            steps = np.rint(series(truth, name) / 0.0625)
            np.testing.assert_array_equal(series(rounded, name) / 0.0625, steps, err_msg=name)

    def test_noise_is_gaussian_and_independent_from_axis_to_axis(self) -> None:
        turns = 1000
        senses = Simulator([pp.World(CHAIN, SPACE, sensors=every(pp.Channel(noise=0.3), seed=5))])._senses
        measured = [senses.read() for _ in range(turns)]  # many readings of one moment, without simulating it
        columns = np.concatenate([np.stack([getattr(m, name)[0] for m in measured]) for name in VECTORS], axis=1)
        assert columns.shape == (turns, 8)
        still = [0.0] * 8
        # 4 standard errors of the mean and of the deviation of N Gaussian numbers
        np.testing.assert_allclose(columns.mean(axis=0), still, atol=4 * 0.3 / math.sqrt(turns))
        np.testing.assert_allclose(columns.std(axis=0, ddof=1), 0.3, atol=4 * 0.3 / math.sqrt(2 * turns))
        correlation = np.corrcoef(columns.T) - np.eye(8)
        assert np.abs(correlation).max() < 5 / math.sqrt(turns)

    def test_a_seed_gives_the_same_noise_again(self) -> None:
        noisy = pp.Channel(noise=0.1)
        a, b, other = (readings(every(noisy, seed=seed), 10) for seed in (1, 1, 2))
        for name in QUANTITIES:
            np.testing.assert_array_equal(series(a, name), series(b, name), err_msg=name)
            assert not np.array_equal(series(a, name), series(other, name)), name

    def test_a_channel_of_one_quantity_leaves_the_others_true(self, truth: list[pp.Measurement]) -> None:
        for noisy in QUANTITIES:
            shown = readings(pp.Sensors(**{noisy: pp.Channel(noise=0.1)}), 10)
            for name in QUANTITIES:
                same = np.array_equal(series(shown, name), series(truth[:11], name))
                assert same == (name != noisy), (noisy, name)

    def test_a_controller_sees_what_the_channel_shows(self) -> None:
        seen: list[np.ndarray] = []

        class Watch(pp.Controller[None]):
            rate = 100.0

            def command(self, measurement: pp.Measurement, memory: None) -> tuple[pp.Command, None]:
                assert measurement.imu_tilt is not None
                seen.append(np.array(measurement.imu_tilt[0]))
                return pp.Command(joint_angle=0.5 * np.sin(0.3 * (len(seen) - 1) + np.arange(4.0))[None]), memory

        late = pp.Sensors(imu_tilt=pp.Channel(delay=0.03))
        pp.simulate([pp.World(CHAIN, COURSE, Watch(), sensors=late)], duration=0.2)
        true = series(readings(pp.Sensors(), 19), "imu_tilt")
        np.testing.assert_array_equal(seen, true[np.maximum(0, np.arange(20) - 3)])
