"""Sensors: what a controller is shown, sample by sample, against the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pushpoint.engine.controller import Controller
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.sensors import QUANTITIES as ALL_QUANTITIES, Channel, Sensors
from pushpoint.simulation.provenance import experiment_of
from pushpoint.simulation.simulate import simulate
from pushpoint.simulation.stepping.simulator import Simulator
from pushpoint.worlds.world import World

LINK = PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = PlanarRobot.uniform(4, LINK, Motor(stiffness=5.0, damping=0.1))
PEG = Peg(x=0.05, y=0.075, radius=0.05, friction=0.2)
PEGS = Environment(ground=Ground(friction=Isotropic(0.2)), obstacles=[PEG, replace(PEG, y=-0.08)])
FREE = Environment()
# A robot in the plane has no tilt; rays are tested in test_ray_sensors; the position is for controllers that need it.
QUANTITIES = tuple(name for name in ALL_QUANTITIES if name not in ("imu_tilt", "ray_range", "center_of_mass"))
MEANS = ("joint_torque", "contact_normal_force", "imu_acceleration")


def every(channel: Channel, **others: Any) -> Sensors:
    """All quantities through the same kind of channel."""
    return Sensors(**dict.fromkeys(QUANTITIES, channel), **others)


def bends(k: int, worlds: int) -> Command:
    """The command of turn k: bends that swing, different in each world."""
    shift = np.arange(worlds)[:, None] + np.arange(3)
    return Command(joint_angle=0.6 * np.sin(0.3 * k + shift))


def readings(worlds: Sequence[World], turns: int, simulator: Simulator | None = None) -> list[Measurement]:
    """The measurement at the start and after each turn."""
    simulator = simulator or Simulator(worlds)
    return [simulator.reset(), *(simulator.step(bends(k, len(worlds))) for k in range(turns))]


def series(measured: Sequence[Measurement], name: str, world: int = 0) -> np.ndarray:
    """One quantity of one world over the turns."""
    return np.stack([getattr(each, name)[world] for each in measured])


def assert_same(a: Sequence[Measurement], b: Sequence[Measurement], world: int) -> None:
    for name in ("time", *QUANTITIES):
        np.testing.assert_array_equal(series(a, name, world), series(b, name, world), err_msg=name)


@pytest.fixture(scope="module")
def truth() -> list[Measurement]:
    """41 readings without any error, 10 ms apart."""
    measured = readings([World(ROBOT, PEGS, sensors=every(Channel()))], 40)
    assert np.abs(series(measured, "contact_normal_force")).max() > 0.5
    assert np.ptp(series(measured, "range"), axis=0).max() > 0.01
    return measured


class TestRateAndDelay:
    """Sampled every m turns, read d turns later: reading k shows turn max(0, k - d) // m * m, to the bit."""

    @pytest.mark.parametrize(("m", "d"), [(1, 0), (1, 1), (1, 7), (2, 0), (5, 0), (4, 3), (3, 4), (2, 60), (50, 0)])
    @pytest.mark.parametrize("name", [name for name in QUANTITIES if name not in MEANS])
    def test_exact_in_samples(self, truth: list[Measurement], name: str, m: int, d: int) -> None:
        channel = Channel(rate=100.0 / m, delay=d * 0.01)
        shown = series(readings([World(ROBOT, PEGS, sensors=every(channel))], 40), name)
        turns = np.maximum(0, np.arange(41) - d) // m * m
        np.testing.assert_array_equal(shown, series(truth, name)[turns])

    @pytest.mark.parametrize("name", MEANS[:2])
    def test_means_are_over_the_channels_own_interval(self, truth: list[Measurement], name: str) -> None:
        world = World(ROBOT, PEGS, sensors=every(Channel(rate=25.0, delay=0.02)))
        shown, true = series(readings([world], 40), name), series(truth, name)
        for k in range(41):
            sample = max(0, k - 2) // 4 * 4
            mean = true[sample - 3 : sample + 1].mean(axis=0) if sample else true[0]
            np.testing.assert_allclose(shown[k], mean, atol=1e-12)

    def test_each_world_by_its_own_channel(self, truth: list[Measurement]) -> None:
        channels = [Channel(), Channel(delay=0.03), Channel(rate=20.0), Channel(rate=50.0, delay=0.01)]
        worlds = [World(ROBOT, PEGS, sensors=every(channel)) for channel in channels]
        together = readings(worlds, 30)
        for w, world in enumerate(worlds):
            simulator = Simulator([world])
            alone = [simulator.reset()]
            for k in range(30):
                command = bends(k, 4)
                assert command.joint_angle is not None
                alone.append(simulator.step(Command(joint_angle=command.joint_angle[w : w + 1])))
            for name in QUANTITIES:
                np.testing.assert_array_equal(series(together, name, w), series(alone, name), err_msg=name)

    def test_counts_from_the_start_without_a_reset(self, truth: list[Measurement]) -> None:
        simulator = Simulator([World(ROBOT, PEGS, sensors=Sensors(joint_angle=Channel(delay=0.02)))])
        shown = [simulator.step(bends(k, 1)).joint_angle[0] for k in range(10)]
        np.testing.assert_array_equal(shown, series(truth, "joint_angle")[[0, 0, *range(1, 9)]])

    @pytest.mark.parametrize("rate", [100.0, 1000.0])
    def test_in_a_run(self, rate: float) -> None:
        spy = Spy(rate)
        world = World(ROBOT, FREE, spy, sensors=Sensors(joint_angle=Channel(delay=0.02, rate=50.0)))
        run = simulate([world], duration=0.3)
        true, per_turn = run.joint_angle[0].values, round(rate / 100.0)
        for k, measured in enumerate(spy.seen[::per_turn]):
            np.testing.assert_array_equal(measured.joint_angle[0], true[max(0, k - 2) // 2 * 2])


class Spy(Controller[None]):
    """Swings whatever it sees, and keeps what it saw."""

    def __init__(self, rate: float = 100.0) -> None:
        self.rate = rate
        self.seen: list[Measurement] = []

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        self.seen.append(measurement)
        return bends(len(self.seen) - 1, len(measurement.time)), memory


class TestErrors:
    def test_bias_is_added(self, truth: list[Measurement]) -> None:
        shown = readings([World(ROBOT, PEGS, sensors=every(Channel(bias=0.25), max_range=10.0))], 40)
        for name in QUANTITIES:
            np.testing.assert_array_equal(series(shown, name), series(truth, name) + 0.25, err_msg=name)

    @pytest.mark.parametrize("gain", [0.0, -1.0, 0.5])
    def test_a_gain_multiplies_the_truth_before_the_bias(self, truth: list[Measurement], gain: float) -> None:
        shown = readings([World(ROBOT, PEGS, sensors=every(Channel(gain=gain, bias=1.0), max_range=10.0))], 40)
        for name in QUANTITIES:
            expected = gain * series(truth, name) + 1.0
            if name in ("range", "ray_range"):  # which lie between 0 and the reach
                expected = np.clip(expected, 0.0, None)
            np.testing.assert_array_equal(series(shown, name), expected, err_msg=name)

    def test_a_dead_sensor_of_infinite_things_shows_nothing(self) -> None:
        world = World(ROBOT, FREE, sensors=Sensors(range=Channel(gain=0.0)))
        assert not series(readings([world], 5), "range").any()

    def test_rounds_to_whole_quanta(self, truth: list[Measurement]) -> None:
        shown = readings([World(ROBOT, PEGS, sensors=every(Channel(quantum=0.0625)))], 40)
        for name in QUANTITIES:
            rounded, true = series(shown, name), series(truth, name)
            np.testing.assert_array_equal(rounded / 0.0625, np.rint(true / 0.0625), err_msg=name)
        assert len(np.unique(series(shown, "joint_angle"))) > 5

    def test_bias_and_noise_come_before_rounding(self) -> None:
        world = World(ROBOT, FREE, sensors=Sensors(joint_angle=Channel(bias=0.03, noise=0.02, quantum=0.1)))
        shown = series(readings([world], 200), "joint_angle")
        np.testing.assert_allclose(shown / 0.1, np.rint(shown / 0.1), atol=1e-12)

    @pytest.mark.parametrize(("m", "d"), [(1, 0), (4, 3)])
    def test_every_sample_has_its_own_noise(self, truth: list[Measurement], m: int, d: int) -> None:
        noisy, late = Channel(noise=0.01), Channel(noise=0.01, rate=100.0 / m, delay=d * 0.01)
        error = [
            series(readings([World(ROBOT, PEGS, sensors=Sensors(joint_angle=channel, seed=3))], 40), "joint_angle")
            for channel in (noisy, late)
        ]
        error[0] -= series(truth, "joint_angle")
        samples = np.maximum(0, np.arange(41) - d) // m
        error[1] -= series(truth, "joint_angle")[samples * m]
        np.testing.assert_allclose(error[1], error[0][samples], atol=1e-15)  # numbered by sample, not by reading


TURNS = 3000


@pytest.fixture(scope="module")
def errors() -> dict[str, np.ndarray]:
    """Noise of three resting robots, whose true readings are all zero: shape (turns, worlds, elements)."""
    worlds = [World(ROBOT, FREE, sensors=every(Channel(noise=0.3, bias=0.1), seed=11))] * 3
    senses = Simulator(worlds)._senses  # many readings of one moment, without simulating it
    measured = [senses.read() for _ in range(TURNS)]
    names = [name for name in QUANTITIES if name != "range"]
    return {name: np.stack([getattr(m, name).reshape(3, -1) for m in measured]) - 0.1 for name in names}


class TestNoise:
    def test_mean_and_deviation(self, errors: dict[str, np.ndarray]) -> None:
        for name, error in errors.items():
            mean, deviation = error.mean(axis=0), error.std(axis=0, ddof=1)
            # 4 standard errors of the mean and of the deviation of N Gaussian numbers
            assert np.abs(mean).max() < 4 * 0.3 / math.sqrt(TURNS), name
            assert np.abs(deviation - 0.3).max() < 4 * 0.3 / math.sqrt(2 * TURNS), name

    def test_is_gaussian(self, errors: dict[str, np.ndarray]) -> None:
        pooled = np.concatenate([error.ravel() for error in errors.values()]) / 0.3
        for sigmas, share in ((1.0, 0.6826895), (2.0, 0.9544997), (3.0, 0.9973002)):
            expected = 4 * math.sqrt(share * (1 - share) / pooled.size)
            assert abs((np.abs(pooled) < sigmas).mean() - share) < expected

    def test_elements_worlds_quantities_and_turns_are_independent(self, errors: dict[str, np.ndarray]) -> None:
        columns = np.concatenate([error.reshape(TURNS, -1) for error in errors.values()], axis=1)
        columns = np.concatenate((columns[1:], columns[:-1]), axis=1)  # beside those of the turn before
        correlation = np.corrcoef(columns.T) - np.eye(columns.shape[1])
        assert np.abs(correlation).max() < 5 / math.sqrt(TURNS)  # the largest of 4005 pairs

    def test_other_seeds_are_independent(self) -> None:
        sensors = [Sensors(joint_rate=Channel(noise=1.0), seed=seed) for seed in (0, 1, 2**64 - 1)]
        shown = [Simulator([World(ROBOT, FREE, sensors=each)]).reset().joint_rate for each in sensors]
        assert len(np.unique(np.concatenate(shown))) == 9


TIMES = ((PEGS, 50.0, 0.02, 1), (FREE, None, 0.0, 1), (PEGS, None, 0.01, 1), (PEGS, 20.0, 0.05, 2))
NOISY = [
    World(ROBOT, environment, sensors=every(Channel(noise=0.01, rate=rate, delay=delay, quantum=0.001), seed=seed))
    for environment, rate, delay, seed in TIMES
]


class TestReproducibility:
    def test_the_same_seed_gives_the_same_bits(self) -> None:
        a, b = readings(NOISY, 30), readings(NOISY, 30)
        for world in range(4):
            assert_same(a, b, world)

    def test_worlds_do_not_depend_on_the_batch(self) -> None:
        whole, part = readings(NOISY, 30), readings(NOISY[:2], 30)
        for world in range(2):
            assert_same(whole, part, world)
        others = [World(ROBOT, FREE), World(ROBOT, FREE, sensors=Sensors(range=Channel())), *NOISY[2:]]
        mixed = readings(others, 30)
        for world in (2, 3):
            assert_same(whole, mixed, world)

    def test_equal_worlds_have_their_own_noise(self) -> None:
        measured = readings([NOISY[1]] * 2, 5)
        assert (series(measured, "joint_rate", 0) != series(measured, "joint_rate", 1)).mean() > 0.9

    def test_a_channel_does_not_depend_on_the_others(self) -> None:
        alone = replace(NOISY[0], sensors=Sensors(imu_heading=NOISY[0].sensors.imu_heading, seed=1))
        shown = [series(readings([world], 20), "imu_heading") for world in (NOISY[0], alone)]
        np.testing.assert_array_equal(*shown)

    def test_a_run_shows_what_a_simulator_shows(self) -> None:
        spy = Spy()
        simulate([replace(world, controller=spy) for world in NOISY], duration=0.3)
        for world in range(4):
            assert_same(spy.seen, readings(NOISY, 29), world)

    def test_results_are_true(self) -> None:
        runs = [
            simulate([World(ROBOT, PEGS, Spy(), sensors=sensors)], duration=0.2)
            for sensors in (Sensors(), NOISY[0].sensors)
        ]
        for name in runs[0].data_vars:
            np.testing.assert_array_equal(runs[0][name], runs[1][name], err_msg=str(name))
        told = experiment_of(runs[1]).worlds[0].sensors
        assert (told.seed, told.imu_heading.delay, told.max_range) == (1, 0.02, 1.0)


class TestReset:
    def test_worlds_beside_a_reset_one_notice_nothing(self) -> None:
        whole, some = Simulator(NOISY), Simulator(NOISY)
        readings(NOISY, 7, whole), readings(NOISY, 7, some)
        last = some.step(bends(7, 4))
        whole.step(bends(7, 4))
        again = some.reset(np.array([True, False, False, True]))
        assert_same([again], [last], 1)
        assert_same([again], [last], 2)
        for k in range(8, 20):
            a, b = whole.step(bends(k, 4)), some.step(bends(k, 4))
            assert_same([a], [b], 1)
            assert_same([a], [b], 2)

    def test_sampling_and_delay_begin_anew_and_noise_goes_on(self, truth: list[Measurement]) -> None:
        sensors = Sensors(joint_angle=Channel(rate=25.0, delay=0.03), joint_rate=Channel(noise=0.1))
        simulator = Simulator([World(ROBOT, PEGS, sensors=sensors)])
        first = readings(simulator.worlds, 13, simulator)
        again = readings(simulator.worlds, 13, simulator)
        turns = np.maximum(0, np.arange(14) - 3) // 4 * 4
        np.testing.assert_array_equal(series(again, "joint_angle"), series(truth, "joint_angle")[turns])
        noise = [series(measured, "joint_rate") - series(truth, "joint_rate")[:14] for measured in (first, again)]
        long = series(readings([World(ROBOT, PEGS, sensors=sensors)], 27), "joint_rate")
        assert np.abs(noise[0] - noise[1]).min() > 1e-6
        np.testing.assert_allclose(np.concatenate(noise)[:28], long - series(truth, "joint_rate")[:28], atol=1e-14)

    def test_what_was_handed_out_is_not_shown_again(self) -> None:
        simulator = Simulator([World(ROBOT, FREE)] * 2)
        simulator.step(bends(0, 2)).joint_angle[:] = 7.0
        assert not (simulator.reset([True, False]).joint_angle == 7.0).any()

    def test_first_of_all_starts_every_world(self) -> None:
        measured = Simulator(NOISY).reset([True, False, False, False])
        assert_same([measured], [Simulator(NOISY).reset()], 3)


class TestImu:
    @pytest.mark.parametrize("link", [None, 0, 2])
    def test_is_the_finite_difference_of_the_recorded_state(self, link: int | None) -> None:
        spy = Spy()
        run = simulate([World(ROBOT, PEGS, spy, sensors=Sensors(imu_link=link))], duration=0.4)
        on = run.isel(world=0, link=3 if link is None else link)
        angle, velocity = on.link_angle.values, on.link_velocity.values
        shown = {name: series(spy.seen, name) for name in ("imu_heading", "imu_angular_rate", "imu_acceleration")}
        np.testing.assert_array_equal(shown["imu_heading"], angle[:40])
        np.testing.assert_array_equal(shown["imu_angular_rate"], on.link_angular_velocity[:40])
        assert not shown["imu_acceleration"][0].any()
        acceleration, halfway = np.diff(velocity, axis=0) / 0.01, (angle[1:] + angle[:-1]) / 2
        along = acceleration[:, 0] * np.cos(halfway) + acceleration[:, 1] * np.sin(halfway)
        left = -acceleration[:, 0] * np.sin(halfway) + acceleration[:, 1] * np.cos(halfway)
        expected = np.stack((along, left), axis=1)[:39]
        assert np.abs(expected).max() > 1.0
        np.testing.assert_allclose(shown["imu_acceleration"][1:], expected, rtol=1e-9, atol=1e-9)

    def test_a_push_along_a_turned_robot(self) -> None:
        simulator = Simulator([World(ROBOT, FREE, start=Start(heading=2.0))])
        push = np.tile([0.6 * math.cos(2.0), 0.6 * math.sin(2.0), 0.0], (1, 4, 1))  # 0.6 N on every 0.3 kg
        measured = simulator.step(Command(link_load=push))
        np.testing.assert_allclose(measured.imu_acceleration, [[2.0, 0.0]], atol=1e-9)

    @pytest.mark.parametrize("m", [1, 10])
    def test_a_steady_spin(self, m: int) -> None:
        # The head's centre is 0.15 m from the middle: w^2 r inward, smaller by sin(x)/x as a mean over 2 x of arc.
        sensors = Sensors(imu_acceleration=Channel(rate=100.0 / m))
        world = World(ROBOT, FREE, start=Start(spin=8.0), sensors=sensors)
        simulator = Simulator(
            [world], settings=Settings(dt=1e-4)
        )  # time stepping slows the spin by 8^2 dt / 2 per second
        measured = [simulator.step(Command()) for _ in range(50)]
        np.testing.assert_allclose(measured[-1].imu_angular_rate, 8.0, rtol=2e-3)
        np.testing.assert_allclose(measured[-1].imu_heading, 4.0, rtol=2e-3)  # more than half a turn
        half = 8.0 * 0.01 * m / 2
        expected = [[-64.0 * 0.15 * math.sin(half) / half, 0.0]]  # the head's link points outward
        np.testing.assert_allclose(measured[-1].imu_acceleration, expected, atol=0.03)


WHOLE = "a whole number of control periods of 0.01 s"


@pytest.mark.parametrize(
    ("channel", "words"),
    [
        (Channel(rate=30.0), rf"rate = 30\.0, must be a rate \[Hz\] whose period is {WHOLE}$"),
        (Channel(rate=200.0), rf"rate = 200\.0, must be a rate \[Hz\] whose period is {WHOLE}$"),
        (Channel(rate=1e9), r"rate = 1000000000\.0, must be"),
        (Channel(delay=0.015), rf"delay = 0\.015, must be {WHOLE}$"),
        (Channel(delay=1e-9), rf"delay = 1e-09, must be {WHOLE}$"),
    ],
)
def test_times_are_whole_control_periods(channel: Channel, words: str) -> None:
    worlds = [World(ROBOT, FREE), World(ROBOT, FREE, sensors=Sensors(imu_heading=channel))]
    with pytest.raises(InvalidModel, match=r"^worlds\[1\]\.sensors\.imu_heading\." + words):
        Simulator(worlds)
    with pytest.raises(InvalidModel, match=words):
        simulate([replace(world, controller=Spy()) for world in worlds], duration=0.1)


def test_a_stream_of_its_own_makes_noise_independent_of_the_place_in_the_batch() -> None:
    def readings(streams: list[int | None], seeds: list[int]) -> np.ndarray:
        sensors = [
            Sensors(joint_angle=Channel(noise=1.0), seed=seed, stream=stream)
            for seed, stream in zip(seeds, streams, strict=True)
        ]
        robot, place = aiko_planar(), Environment()
        return Simulator([World(robot, place, sensors=each) for each in sensors]).reset().joint_angle

    one = readings([5, 5, None, None], [1, 2, 1, 1])
    other = readings([None, None, 5, 5], [1, 1, 2, 1])
    assert np.array_equal(one[0], other[3]) and np.array_equal(one[1], other[2])  # wherever they are
    assert np.array_equal(readings([2], [1])[0], one[2])  # by default it is the index
    assert len({tuple(row) for row in np.concatenate((one, other[:2]))}) == 6
