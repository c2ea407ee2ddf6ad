"""Periods, waves, efficiencies, stops and workspaces of runs made by hand and of real ones."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy.special import j0

import pushpoint as pp
from pushpoint.description.runs import run_text
from pushpoint.gaits import FunctionOfTime, LateralUndulation
from pushpoint.simulation import measures
from pushpoint.simulation.provenance import DESCRIPTION
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import Experiment

LINKS, LENGTH, MASS, G, MU = 21, 0.1, 0.5, 10.0, 0.2
LINK = pp.PlanarLink(length=LENGTH, mass=MASS, inertia=4e-4, radius=0.02)
ROBOT = pp.PlanarRobot.uniform(LINKS, LINK, pp.Motor())
OMEGA, AMPLITUDE = 2 * math.pi / 0.8, 0.6
BODY = LINKS * LENGTH


def made(time: np.ndarray, **variables: Any) -> xr.Dataset:
    """A run under a controller that says nothing of a period, on ground with friction MU."""
    unknown = FunctionOfTime(function=lambda t: np.zeros(LINKS - 1))
    ground = pp.Ground(friction=pp.Elliptic(along=MU, across=3 * MU), gravity=G)
    world = pp.World(ROBOT, pp.Environment(ground=ground), unknown)
    dims = {
        "joint_angle": ("time", "joint"), "joint_power": ("time", "joint"), "link_angle": ("time", "link"),
        "center_of_mass": ("time", "axis"), "link_position": ("time", "link", "axis"),
        "ground_force": ("time", "link", "axis"), "obstacle_force": ("time", "link", "axis"),
    }  # fmt: skip
    data = {name: (dims[name], values) for name, values in variables.items()}
    attrs = {DESCRIPTION: run_text(Experiment((world,), 1.0), {})}
    return xr.Dataset(data, coords={"time": time, "axis": ["x", "y"]}, attrs=attrs)


def clock(duration: float, step: float = 0.01) -> np.ndarray:
    return np.arange(round(duration / step) + 1) * step


def waving(time: np.ndarray, *periods: float, shift: float = 0.4) -> np.ndarray:
    """Joint angles [rad]: a wave of each period along ten joints, those of later ones half as large."""
    phase = shift * np.arange(10)
    return sum(0.5**k * np.sin(2 * math.pi / period * time[:, None] + phase) for k, period in enumerate(periods))  # type: ignore[return-value]


def period(angle: np.ndarray, step: float = 0.01) -> float:
    return float(measures.detected_period(made(np.arange(len(angle)) * step, joint_angle=angle)))


class TestDetectedPeriod:
    @pytest.mark.parametrize("true", [0.3, 0.8, 1.2345])
    def test_of_a_wave(self, true: float) -> None:
        assert period(waving(clock(5.0), true)) == pytest.approx(true, rel=1e-3)

    def test_of_two_frequencies_is_when_both_repeat(self) -> None:
        assert period(waving(clock(9.0), 1.0, 1.5)) == pytest.approx(3.0, rel=1e-3)
        assert period(waving(clock(9.0), 1.0, 0.5)) == pytest.approx(1.0, rel=1e-3)

    def test_noise_hides_it_only_where_it_is_as_large(self) -> None:
        random, angle = np.random.default_rng(5), waving(clock(8.0), 0.8)
        assert period(angle + 0.3 * random.normal(size=angle.shape)) == pytest.approx(0.8, rel=0.02)
        assert math.isnan(period(angle + 3.0 * random.normal(size=angle.shape)))

    @pytest.mark.parametrize(
        "angle",
        [
            np.zeros((500, 3)),
            np.ones((500, 3)),
            np.linspace(0.0, 1.0, 500)[:, None],
            np.exp(-np.linspace(0.0, 5.0, 500))[:, None],
            np.random.default_rng(1).normal(size=(500, 3)),
            np.random.default_rng(4).normal(size=(500, 3)).cumsum(axis=0),
            waving(clock(1.5), 0.8),
            waving(clock(0.02), 0.8),
            np.zeros((1, 3)),
            np.zeros((50, 0)),
        ],
        ids=[
            "still",
            "bent",
            "ramp",
            "decay",
            "noise",
            "walk",
            "too short",
            "three samples",
            "one sample",
            "no joints",
        ],
    )
    def test_of_what_does_not_repeat_is_none(self, angle: np.ndarray) -> None:
        assert math.isnan(period(angle))

    def test_two_periods_are_enough(self) -> None:
        assert period(waving(clock(1.7), 0.8)) == pytest.approx(0.8, rel=0.01)

    def test_an_offset_and_a_soft_start_do_not_matter(self) -> None:
        time = clock(6.0)
        soft = np.minimum(time / 1.5, 1.0)[:, None] * waving(time, 0.8) + np.arange(10)
        assert period(soft) == pytest.approx(0.8, rel=5e-3)

    def test_a_world_that_ended_is_judged_by_what_it_did(self) -> None:
        angle = waving(clock(6.0), 0.8)
        angle[400:] = np.nan
        assert period(angle) == pytest.approx(0.8, rel=1e-3)

    def test_of_a_batch_by_world(self) -> None:
        time = clock(5.0)
        runs = [made(time, joint_angle=waving(time, true)) for true in (0.5, 0.9)]
        runs.append(made(time, joint_angle=np.zeros((len(time), 10))))
        found = measures.detected_period(pp.concat(runs))
        assert found.dims == ("world",) and found.attrs["units"] == "s"
        np.testing.assert_allclose(found, [0.5, 0.9, np.nan], rtol=1e-3)

    def test_of_real_runs_it_is_that_of_the_gait(self) -> None:
        worlds = [replace(CREEPING, controller=replace(GAIT, angular_frequency=omega)) for omega in (6.0, 9.0)]
        found = measures.detected_period(simulate(worlds, 3.0))
        np.testing.assert_allclose(found, [2 * math.pi / 6.0, 2 * math.pi / 9.0], rtol=5e-3)

    def test_of_a_controller_that_does_not_say(self) -> None:
        mine = FunctionOfTime(function=lambda t: 0.4 * np.sin(7.0 * t + 0.9 * np.arange(5)))
        run = simulate(replace(CREEPING, controller=mine), 3.0)
        assert measures.gait_period(run) is None
        assert float(measures.detected_period(run)) == pytest.approx(2 * math.pi / 7.0, rel=5e-3)


SMALL = pp.PlanarRobot.uniform(6, LINK, pp.Motor(stiffness=50.0, damping=2.0))
GAIT = LateralUndulation(amplitude=0.5, angular_frequency=6.0, phase_shift=-0.9, soft_start=0.3)


def ground(across: float) -> pp.Environment:
    return pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=across)))


CREEPING = pp.World(SMALL, ground(0.6), GAIT)


def serpent(forward: float, duration: float = 4.0) -> xr.Dataset:
    """A serpenoid body of one wavelength whose wave runs to the tail; its centre moves at `forward` [m/s] along x."""
    time = clock(duration)
    wave_number = 2 * math.pi / BODY
    place = LENGTH * (np.arange(LINKS) + 0.5)
    angle = AMPLITUDE * np.cos(wave_number * place + OMEGA * time[:, None])
    center = np.stack([forward * time, np.zeros_like(time)], axis=-1)
    return made(time, joint_angle=np.diff(angle, axis=1), link_angle=angle, center_of_mass=center)


CREST = OMEGA * BODY / (2 * math.pi) * j0(AMPLITUDE)
"""Speed of the crests along x [m/s]: a serpenoid curve advances by J0 of its amplitude per length."""


class TestWaves:
    def test_speed_of_a_serpenoid_wave(self) -> None:
        assert float(measures.wave_speed(serpent(0.0))) == pytest.approx(CREST, rel=1e-3)

    def test_on_rails_there_is_no_slip_and_on_the_spot_nothing_else(self) -> None:
        rails, spot, half, back = (serpent(share * CREST) for share in (1.0, 0.0, 0.5, -0.2))
        run = pp.concat([rails, spot, half, back])
        np.testing.assert_allclose(measures.slip_ratio(run), [0.0, 1.0, 0.5, 1.2], atol=1e-3)
        np.testing.assert_allclose(measures.wave_efficiency(run), [1.0, 0.0, 0.5, -0.2], atol=1e-3)
        assert float(measures.slip_ratio(half)) == pytest.approx(0.5, abs=1e-3)

    def test_a_wave_toward_the_head_is_negative(self) -> None:
        run = serpent(-0.3)
        mirrored = run.assign(link_angle=-run.link_angle[::-1].assign_coords(time=run.time))
        mirrored = mirrored.assign(joint_angle=(("time", "joint"), np.diff(mirrored.link_angle, axis=1)))
        assert float(measures.wave_speed(mirrored)) == pytest.approx(-CREST, rel=1e-3)
        assert float(measures.wave_efficiency(mirrored)) > 0.0

    def test_without_a_wave_there_is_none(self) -> None:
        still = serpent(0.1)
        still = still.assign(joint_angle=0 * still.joint_angle)
        for name in ("wave_speed", "wave_efficiency", "slip_ratio", "friction_froude_number"):
            assert math.isnan(float(getattr(measures, name)(still))), name

    def test_real_robots_slip_less_the_more_the_ground_holds_them_across(self) -> None:
        run = simulate([replace(CREEPING, environment=ground(across)) for across in (0.2, 0.6, 3.0)], 4.0)
        slip = measures.slip_ratio(run).values
        assert (np.diff(slip) < -0.05).all() and 0.0 < slip[2] < slip[0] < 1.0


class TestFroude:
    def test_by_hand(self) -> None:
        assert float(measures.froude_number(serpent(0.4))) == pytest.approx(0.4**2 / (G * BODY))
        true = BODY / (MU * G * 0.8**2)
        assert float(measures.friction_froude_number(serpent(0.4))) == pytest.approx(true, rel=2e-3)

    def test_of_a_real_batch(self) -> None:
        heavy = replace(CREEPING.environment, ground=replace(CREEPING.environment.ground, gravity=5.0))
        sticky = pp.Environment(ground=pp.Ground(friction=pp.Viscous(along=1.0, across=9.0)))
        run = simulate([replace(CREEPING, environment=place) for place in (CREEPING.environment, heavy, sticky)], 2.5)
        expected = 0.6 / (0.1 * np.array([9.81, 5.0, np.nan]) * (2 * math.pi / 6.0) ** 2)
        np.testing.assert_allclose(measures.friction_froude_number(run), expected, rtol=1e-12)
        speed = np.hypot(*measures.mean_velocity(run).values.T)
        np.testing.assert_allclose(measures.froude_number(run), speed**2 / (np.array([9.81, 5.0, 9.81]) * 0.6))


class TestEfficiency:
    def test_drag_by_hand(self) -> None:
        run = serpent(0.3)
        run["joint_power"] = (("time", "joint"), np.full((run.sizes["time"], LINKS - 1), 0.5))
        expected = MU * ROBOT.mass * G * 0.3 / (0.5 * (LINKS - 1))
        assert float(measures.drag_efficiency(run)) == pytest.approx(expected)

    def test_propulsion_by_hand(self) -> None:
        """Two links push with 3 N and 1 N, others drag with 4 N in all; 2 W of motors."""
        run = serpent(0.3)
        force = np.zeros((run.sizes["time"], LINKS, 2))
        force[:, 0, 0], force[:, 5, 0], force[:, 7:11, 0], force[:, 3, 1] = 3.0, 1.0, -1.0, 9.0
        run["ground_force"], run["obstacle_force"] = (
            (("time", "link", "axis"), force),
            (("time", "link", "axis"), 0 * force),
        )
        run["joint_power"] = (("time", "joint"), np.full((run.sizes["time"], LINKS - 1), 0.1))
        assert float(measures.propulsive_efficiency(run)) == pytest.approx(4.0 * 0.3 / 2.0)

    def test_of_real_runs(self) -> None:
        """Over whole periods, drag efficiency times cost of transport is the coefficient of friction."""
        run = simulate([CREEPING, replace(CREEPING, environment=ground(2.0))], 3.0)
        for w in range(2):
            one = run.isel(world=w)
            cost = float(measures.cost_of_transport(measures.whole_periods(one)))
            assert float(measures.drag_efficiency(run)[w]) * cost == pytest.approx(0.1, rel=1e-9)
        propulsive = measures.propulsive_efficiency(run)
        assert propulsive.dims == ("world",) and (0.0 < propulsive).all() and (propulsive < 1.0).all()

    def test_without_power_there_is_none(self) -> None:
        run = serpent(0.3)
        run["joint_power"] = (("time", "joint"), np.zeros((run.sizes["time"], LINKS - 1)))
        assert math.isnan(float(measures.drag_efficiency(run)))


def going(*parts: tuple[float, float]) -> xr.Dataset:
    """A robot that goes along x with such speeds [m/s] for such durations [s]."""
    speed = np.concatenate([np.full(round(100 * duration), v) for v, duration in parts])
    x = np.concatenate(([0.0], np.cumsum(speed) / 100))
    return made(clock(0.01 * len(speed)), center_of_mass=np.stack([x, 0 * x], axis=-1))


class TestStops:
    def test_by_hand(self) -> None:
        run = going((0.5, 3.0), (0.0, 4.0), (0.5, 2.0), (0.0, 3.0))
        found = measures.stops(run, speed=0.05, window=1.0)
        assert int(found["count"]) == 2
        # A window is still once less than 0.05 m of it was moved: 0.1 s before the stop, and 0.1 s after it.
        np.testing.assert_allclose(found.start, [2.9, 8.9], atol=0.02)
        np.testing.assert_allclose(found.duration, [4.2, 3.1], atol=0.03)

    def test_a_robot_that_goes_and_one_that_does_not(self) -> None:
        run = pp.concat([going((0.5, 4.0)), going((0.0, 4.0))])
        found = measures.stops(run, window=1.0)
        assert found["count"].values.tolist() == [0, 1] and found.start.dims == ("world", "stop")
        np.testing.assert_array_equal(found.start, [[np.nan], [0.0]])
        np.testing.assert_allclose(found.duration, [[np.nan], [4.0]])

    def test_a_stop_is_a_jam_where_obstacles_push(self) -> None:
        run = going((0.5, 3.0), (0.0, 4.0), (0.5, 2.0), (0.0, 3.0))
        force = np.zeros((run.sizes["time"], LINKS, 2))
        force[300:600, 4, 1] = 2.0
        run["obstacle_force"] = (("time", "link", "axis"), force)
        np.testing.assert_array_equal(measures.stops(run, speed=0.05, window=1.0).jammed, [1.0, 0.0])
        assert np.isnan(measures.stops(run.drop_vars("obstacle_force"), speed=0.05, window=1.0).jammed).all()

    def test_a_run_shorter_than_the_window_has_none(self) -> None:
        assert int(measures.stops(going((0.0, 0.5)), window=1.0)["count"]) == 0

    def test_swings_on_the_spot_are_a_stop(self) -> None:
        """The window is a period: the centre comes back to where it was."""
        time = clock(4.0)
        swing = 0.1 * np.stack([np.sin(OMEGA * time), np.cos(OMEGA * time)], axis=-1)
        run = made(time, center_of_mass=swing, joint_angle=waving(time, 0.8))
        assert int(measures.stops(run)["count"]) == 1
        assert int(measures.stops(run, window=0.3)["count"]) == 0

    def test_a_controller_that_feels_jams_agrees(self) -> None:
        """Until its first jam the hybrid controller does what the plain leader-follower does, which stays stuck."""
        stuck = pp.scenario("records/jam").run()
        hybrid = pp.simulate(pp.scenario("liljeback2011/environment-1").world, 20.0, settings=pp.Settings(dt=2e-3))
        felt = float(hybrid.time[int(np.argmax(hybrid.controller_mode.values > 0))])
        found = measures.stops(stuck)
        last = found.isel(stop=-1)
        assert bool(last.jammed) and float(last.start + last.duration) == pytest.approx(20.0)
        assert abs(float(last.start) - felt) < 1.0 and felt > 5.0  # s; it waits and looks before it calls it a jam
        # Once it knows, every later stop is one that it resolves.
        later = measures.stops(hybrid)
        for start, duration in zip(later.start.values, later.duration.values, strict=True):
            if start > felt:
                inside = (hybrid.time >= start) & (hybrid.time <= start + duration)
                assert (hybrid.controller_mode[inside] > 0).any()


class TestWorkspace:
    def test_area_of_a_circle_and_of_a_line(self) -> None:
        time = np.linspace(0.0, 1.0, 361)
        place = np.zeros((361, LINKS, 2))
        place[:, -1] = 0.5 * np.stack([np.cos(2 * math.pi * time), np.sin(2 * math.pi * time)], axis=-1)
        assert float(measures.workspace(made(time, link_position=place))) == pytest.approx(math.pi * 0.25, rel=1e-3)
        place[:, -1, 1] = 0.0
        assert float(measures.workspace(made(time, link_position=place))) == 0.0
        assert float(measures.workspace(made(time[:1], link_position=place[:1]))) == 0.0

    def test_a_stiff_robot_that_turns_reaches_nothing_from_its_tail(self) -> None:
        time = np.linspace(0.0, 1.0, 361)
        angle = np.tile(2 * math.pi * time[:, None], (1, LINKS))
        arm = LENGTH * np.arange(LINKS)
        place = arm[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        run = made(time, link_position=place, link_angle=angle)
        assert float(measures.workspace(run)) == pytest.approx(math.pi * 2.0**2, rel=1e-3)
        assert float(measures.workspace(run, seen_from="tail")) == pytest.approx(0.0, abs=1e-12)

    def test_a_volume_in_space(self) -> None:
        """An arm of two links on a post: the head swings by 0.5 rad up and down, and left and right."""
        link = pp.SpatialLink(length=0.2, mass=0.3, inertia=(2e-4, 1e-3, 1e-3), radius=0.02)
        robot = pp.SpatialRobot.uniform(2, link, pp.Cardan())
        swings = FunctionOfTime(function=lambda t: 0.5 * np.array([np.sin(40.0 * t), np.sin(2.0 * t)]), prescribed=True)
        place = pp.Environment(ground=pp.Ground(gravity=0.0))
        run = simulate(robot, place, swings, start=pp.SpatialStart(position=(0.0, 0.0, 2.0)), duration=math.pi)
        # Places on a sphere of radius r = 0.1 m about the joint: a curved plate, whose hull is the cap below it.
        found = float(measures.workspace(run, seen_from="tail"))
        across = 0.1 * 2 * math.sin(0.5)
        assert 0.5 * across**2 * 0.1 * (1 - math.cos(0.5)) < found < across**2 * 0.1 * (1 - math.cos(0.5) ** 2)
