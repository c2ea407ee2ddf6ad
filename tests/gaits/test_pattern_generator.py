"""The pattern generator: its limit cycle, its linearised convergence, an independent integration, and no jumps."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pushpoint as pp
from pushpoint.gaits.oscillators import Followed, OscillatorGains, PatternMemory, Told, advanced, followed, joint_angles

FIELDS: dict[str, Any] = {"angular_frequency": 3.0, "amplitude": 0.5, "phase_shift": -0.6}
PLANAR = pp.catalogue.aiko_planar()
SPATIAL = pp.catalogue.yaw_pitch_16()


def memory_of(theta: np.ndarray, psi: np.ndarray, omega: float) -> PatternMemory:
    """One world with full amplitudes of 1 and given phases."""
    n, error = len(theta), (theta - psi)[None]
    still = Followed(np.zeros((1, n)), np.zeros((1, n)))
    told = (Followed(part[None], np.zeros_like(part[None])) for part in (np.array([omega]), psi))
    grown = Followed(np.ones((1, n)), np.zeros((1, n)))
    return PatternMemory(np.zeros(1), np.zeros((1, 1)), error, grown, still, *told)


def phases(memory: PatternMemory) -> np.ndarray:
    """The phases of one world [rad]."""
    return np.asarray((memory.turned + memory.psi.value + memory.error)[0])


def gains(follow: float, coupling: float) -> OscillatorGains:
    return OscillatorGains(np.array([[follow]]), np.array([[coupling]]))


def kept(memory: PatternMemory) -> Told:
    """What the generator is told if nothing changes."""
    return Told(*(part.value for part in memory[3:]))


class TestLimitCycle:
    def test_is_the_wave_of_lateral_undulation(self) -> None:
        generator = pp.gaits.PatternGenerator(**FIELDS, offset=0.1, phase=0.4)
        wave = pp.gaits.LateralUndulation(**FIELDS, offset=0.1, phase=0.4)
        time = np.arange(0.0, 6.0, 0.01)
        late = time > 4.0  # what is left of the start: 0.6 (1 + 40) exp(-40) = 1e-16
        for found, expected in zip(generator.references(time, PLANAR), wave.references(time, PLANAR), strict=True):
            np.testing.assert_allclose(found[late], expected[late], atol=1e-9)  # Runge-Kutta with phases in step

    def test_is_that_of_sidewinding(self) -> None:
        generator = pp.gaits.PatternGenerator(**FIELDS, pitch_amplitude=0.2, pitch_lead=1.2, offset=-0.1)
        named = {key: value for key, value in FIELDS.items() if key != "amplitude"}
        wave = pp.gaits.Sidewinding(yaw_amplitude=0.5, pitch_amplitude=0.2, pitch_lead=1.2, yaw_offset=-0.1, **named)
        time = np.arange(0.0, 5.0, 0.01)
        np.testing.assert_allclose(
            generator.references(time, SPATIAL)[0][-50:], wave.references(time, SPATIAL)[0][-50:], atol=1e-9
        )

    def test_phase_differences_settle_at_the_biases_from_any_start_nearby(self) -> None:
        random = np.random.default_rng(3)
        psi = -0.7 * np.arange(4)
        memory = memory_of(psi + random.uniform(-1.0, 1.0, 4), psi, 3.0)
        later = advanced(memory, kept(memory), gains(20.0, 10.0), np.array([8.0]))
        np.testing.assert_allclose(np.diff(phases(later)), np.diff(psi), atol=1e-9)
        # Equal weights: the mean of the phases runs on undisturbed.
        mean = phases(later).mean() - phases(memory).mean()
        assert mean == pytest.approx(3.0 * 8.0, abs=1e-9)


class TestConvergence:
    def test_two_oscillators_follow_the_closed_form(self) -> None:
        # d_dot = -2 w sin d for the difference d to its bias: tan(d / 2) = tan(d_0 / 2) exp(-2 w t).
        memory = memory_of(np.array([0.0, 2.0 - 0.5]), np.array([0.0, -0.5]), 4.0)
        later = advanced(memory, kept(memory), gains(20.0, 3.0), np.array([0.4]))
        expected = 2 * math.atan(math.tan(1.0) * math.exp(-2 * 3.0 * 0.4))
        assert np.diff(phases(later))[0] + 0.5 == pytest.approx(expected, abs=1e-6)

    @pytest.mark.parametrize("mode", [1, 2, 5])
    def test_small_errors_of_a_chain_fade_at_the_rate_of_its_linearisation(self, mode: int) -> None:
        # The path graph's Laplacian has eigenvalues 4 sin^2(pi m / 2 n) and eigenvectors cos(pi m (i + 1/2) / n).
        n, w, t = 10, 8.0, 0.5
        shape = np.cos(math.pi * mode * (np.arange(n) + 0.5) / n)
        psi = -0.6 * np.arange(n)
        memory = memory_of(psi + 1e-4 * shape, psi, 2.0)
        later = advanced(memory, kept(memory), gains(20.0, w), np.array([t]))
        error = phases(later) - 2.0 * t - psi
        fade = math.exp(-w * 4 * math.sin(math.pi * mode / (2 * n)) ** 2 * t)
        np.testing.assert_allclose(error, 1e-4 * fade * shape, atol=1e-10)  # sin x - x: 1e-12; Runge-Kutta: 1e-4 * 1e-6

    def test_what_follows_is_critically_damped(self) -> None:
        # From rest: 1 - (1 + a t / 2) exp(-a t / 2).
        found = followed(Followed(np.zeros(1), np.zeros(1)), np.ones(1), np.array(6.0), np.array(0.5))
        assert found.value[0] == pytest.approx(1 - 2.5 * math.exp(-1.5), abs=1e-15)
        assert found.rate[0] == pytest.approx(9 * 0.5 * math.exp(-1.5), abs=1e-15)


def independent(t: float, state: np.ndarray, told: dict[str, Any], a: float, w: float) -> np.ndarray:
    """The equations written out once more, for scipy: theta, r, x, omega, psi and the rates of the last four."""
    n = (len(state) - 2) // 7
    theta, r, x, psi, r_dot, x_dot, psi_dot = state[:-2].reshape(7, n)
    omega, omega_dot = state[-2:]
    theta_dot = np.full(n, omega)
    for i in range(n):
        for j in (i - 1, i + 1):
            if 0 <= j < n:
                theta_dot[i] += w * math.sin(theta[j] - theta[i] - (psi[j] - psi[i]))
    pull = [
        a * (a / 4 * (told[key] - v) - d) for key, v, d in (("r", r, r_dot), ("x", x, x_dot), ("psi", psi, psi_dot))
    ]
    return np.concatenate(
        (theta_dot, r_dot, x_dot, psi_dot, *pull, [omega_dot, a * (a / 4 * (told["omega"] - omega) - omega_dot)])
    )


def test_agrees_with_an_independent_integration_after_a_change_of_everything() -> None:
    change = pp.gaits.PatternChange(time=1.0, angular_frequency=5.0, amplitude=0.3, phase_shift=-1.1, offset=-0.2)
    generator = pp.gaits.PatternGenerator(**FIELDS, changes=[change], gain=12.0, coupling=6.0)
    time = np.arange(0.0, 3.0001, 0.01)
    found, _ = generator.references(time, PLANAR)
    n, k = 10, np.arange(9, -1, -1)
    state = np.concatenate((-0.6 * k, np.zeros(2 * n), -0.6 * k, np.zeros(3 * n), [3.0, 0.0]))
    angles = []
    for begin, end, told in (
        (0.0, 1.0, {"r": 0.5, "x": 0.0, "psi": -0.6 * k, "omega": 3.0}),
        (1.0, 3.0, {"r": 0.3, "x": -0.2, "psi": -1.1 * k, "omega": 5.0}),
    ):
        times = time[(time >= begin - 1e-9) & (time <= end + 1e-9)]
        run = solve_ivp(
            independent, (begin, times[-1]), state, "DOP853", times, args=(told, 12.0, 6.0), rtol=1e-11, atol=1e-12
        )
        state = run.y[:, -1]
        angles.append((run.y[2 * n : 3 * n] + run.y[n : 2 * n] * np.sin(run.y[:n])).T)
    expected = np.concatenate((angles[0], angles[1][1:]))
    np.testing.assert_allclose(found, expected, atol=1e-6)  # steps of 0.1 / 24 s: 0.1^4 / 120 of the transient


STEPS = {
    "angular_frequency": 6.0,
    "amplitude": 0.2,
    "phase_shift": 0.4,
    "offset": 0.3,
    "pitch_amplitude": 0.3,
    "pitch_lead": 1.0,
    "pitch_offset": 0.2,
}


@pytest.mark.parametrize("name", STEPS)
def test_a_step_of_a_parameter_makes_nothing_jump(name: str) -> None:
    base = pp.gaits.PatternGenerator(**FIELDS, pitch_amplitude=0.1)
    changed = replace(base, changes=[pp.gaits.PatternChange(time=2.0, **{name: STEPS[name]})])
    h = 1e-4
    time = np.concatenate((np.arange(0.0, 2.0, 0.05), 2.0 + h * np.arange(-1, 4)))
    angle, rate = changed.references(time, SPATIAL)
    assert np.abs(np.diff(angle[-5:], axis=0)).max() < 5.0 * h  # no rate exceeds 5 rad/s
    assert np.abs(np.diff(rate[-5:], axis=0)).max() < 800.0 * h  # gain^2/4 = 100 per told change of up to 3, and rates
    # Plain replacement jumps: the wave of the old parameters and that of the new ones at the same time.
    old, new = (replace(base, **{name: value}) for value in (getattr(base, name), STEPS[name]))
    waves = [generator.references(np.arange(0.0, 2.01, 0.05), SPATIAL) for generator in (old, new)]
    jump = max(np.abs(after[-1] - before[-1]).max() for before, after in zip(*waves, strict=True))
    assert jump > 0.05


def test_a_change_arrives() -> None:
    change = pp.gaits.PatternChange(time=1.0, amplitude=0.2, offset=0.3, angular_frequency=6.0, pitch_amplitude=0.4)
    generator = pp.gaits.PatternGenerator(**FIELDS, changes=[change])
    end = generator.references(np.arange(0.0, 4.0, 0.05), SPATIAL)[0][-21:]  # one period of 6 rad/s
    yaw, pitch = (end[:, [axis.name == name for axis in SPATIAL.axes]] for name in ("yaw", "pitch"))
    np.testing.assert_allclose(yaw.mean(axis=0), 0.3, atol=0.01)
    np.testing.assert_allclose(np.ptp(yaw, axis=0), 0.4, rtol=0.02)  # a sine of 21 samples: up to 1 - cos(pi / 21)
    np.testing.assert_allclose(np.ptp(pitch, axis=0), 0.8, rtol=0.02)


class TestAsController:
    def test_worlds_with_different_generators_share_a_call(self) -> None:
        air = pp.Environment()
        one = pp.gaits.PatternGenerator(**FIELDS)
        two = replace(one, amplitude=0.2, angular_frequency=5.0, gain=8.0, coupling=4.0)
        worlds = [pp.World(PLANAR, air, each) for each in (one, two, one)]
        batch = pp.simulate(worlds, 0.2)
        for w, each in enumerate((one, two, one)):
            alone = pp.simulate(pp.World(PLANAR, air, each), 0.2)
            np.testing.assert_array_equal(batch.joint_reference.isel(world=w), alone.joint_reference)

    def test_commands_are_the_references_of_their_times(self) -> None:
        generator = pp.gaits.PatternGenerator(**FIELDS, changes=[pp.gaits.PatternChange(time=0.5, offset=0.2)])
        run = pp.simulate(PLANAR, pp.Environment(), generator, duration=1.0, record=pp.Record(rate=100.0))
        found, _ = generator.references(run.time.values, PLANAR)
        # A command holds until the next: what is recorded at its end is that of its beginning.
        np.testing.assert_allclose(run.joint_reference[1:], found[:-1], atol=1e-12)

    def test_changes_from_outside_keep_the_memory(self) -> None:
        simulator = pp.Simulator([pp.World(PLANAR, pp.Environment())], rate=100.0)
        generator = pp.gaits.PatternGenerator(**FIELDS)
        measurement, told = simulator.reset(), []
        memory = generator.memories(PLANAR)
        for k in range(60):
            if k == 30:
                generator = replace(generator, offset=0.3, angular_frequency=5.0)
            command, memory = generator.bind(PLANAR).command(measurement, memory)
            told.append(command.joint_angle[0])
            measurement = simulator.step(command)
        scheduled = replace(
            pp.gaits.PatternGenerator(**FIELDS),
            changes=[pp.gaits.PatternChange(time=0.29, offset=0.3, angular_frequency=5.0)],
        )
        np.testing.assert_allclose(told, scheduled.references(0.01 * np.arange(60), PLANAR)[0], atol=1e-9)

    def test_drives_a_robot_forward(self) -> None:
        ground = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=0.5)))
        run = pp.simulate(PLANAR, ground, pp.gaits.PatternGenerator(**FIELDS), duration=2.0)
        assert float(run.center_of_mass[-1, 0] - run.center_of_mass[0, 0]) > 0.1

    def test_reset_worlds_do_not_go_backward(self) -> None:
        generator = pp.gaits.PatternGenerator(**FIELDS)
        bound, memory = generator.bind(PLANAR), generator.memories(PLANAR)
        later = bound.advanced(memory, np.array([1.0]))
        again = bound.advanced(later, np.array([0.0]))
        np.testing.assert_array_equal(phases(again), phases(later))
        assert again.time == 0.0


def test_goes_through_a_file_with_its_changes(tmp_path: Any) -> None:
    changes = [pp.gaits.PatternChange(time=2.0, offset=0.1), pp.gaits.PatternChange(time=4.0, angular_frequency=-3.0)]
    generator = pp.gaits.PatternGenerator(**FIELDS, pitch_amplitude=0.2, changes=changes, gain=15.0)
    scenario = pp.Scenario(name="mine", worlds=pp.World(SPATIAL, pp.Environment(), generator), duration=1.0)
    pp.write_scenario(scenario, tmp_path / "mine.yaml")
    assert pp.scenario(tmp_path / "mine.yaml").world.controller == generator


def test_hardware_gets_the_references_of_a_generator() -> None:
    generator = pp.gaits.PatternGenerator(**FIELDS, changes=[pp.gaits.PatternChange(time=0.5, offset=0.2)])
    sent = pp.interchange.joint_references(generator, PLANAR, duration=1.0, rate=50.0)
    angle, rate = generator.references(sent.times, PLANAR)
    np.testing.assert_array_equal(sent.angles, angle)
    np.testing.assert_array_equal(sent.rates, rate)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no gain": ({"gain": 0.0}, r"^generator\.gain = 0\.0, must be finite and > 0 \[1/s\]$"),
    "NaN": ({"amplitude": math.nan}, r"^generator\.amplitude = nan, must be finite \[rad\]$"),
    "no change": ({"changes": [3]}, r"^generator\.changes\[0\] = 3, must be a PatternChange$"),
    "the wrong order": (
        {"changes": [pp.gaits.PatternChange(time=2.0), pp.gaits.PatternChange(time=1.0)]},
        r"^generator\.changes = \[2\.0, 1\.0\], must be in the order of their times \[s\]$",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_sentence(case: str) -> None:
    change, words = REFUSED[case]
    with pytest.raises(pp.errors.InvalidModel, match=words):
        pp.gaits.PatternGenerator(**FIELDS | change)


def test_a_negative_time_is_refused() -> None:
    with pytest.raises(pp.errors.InvalidModel, match=r"^change\.time = -1\.0, must be finite and >= 0 \[s\]$"):
        pp.gaits.PatternChange(time=-1.0)


def test_rates_are_the_slope_of_the_angles_whatever_the_phases() -> None:
    random = np.random.default_rng(0)
    psi = random.uniform(-1.0, 1.0, 6)
    memory = memory_of(random.uniform(-3.0, 3.0, 6), psi, 3.0)._replace(
        amplitude=Followed(random.uniform(0.1, 1.0, (1, 6)), random.uniform(-1.0, 1.0, (1, 6)))
    )
    told, both, h = kept(memory), gains(10.0, 5.0), 1e-5
    steps = [joint_angles(advanced(memory, told, both, np.array([k * h])), both.coupling) for k in range(3)]
    np.testing.assert_allclose((steps[2][0] - steps[0][0]) / (2 * h), steps[1][1], atol=1e-6)
