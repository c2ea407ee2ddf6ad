"""Measures of runs made by hand, against the numbers they must give."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.description.runs import run_text
from pushpoint.engine.spatial.kinematics import product
from pushpoint.gaits import FunctionOfTime, LateralUndulation
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation import measures
from pushpoint.simulation.provenance import DESCRIPTION
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import Experiment, World

PERIOD = 0.5  # s
VELOCITY = np.array([0.3, -0.1])  # m/s
SWING = np.array([0.02, 0.05])  # m
LIGHT = PlanarLink(length=0.1, mass=0.2, inertia=2e-4, radius=0.02)


def description(period: float | None = PERIOD, masses: tuple[float, ...] = (1.0, 2.0), gravity: float = 10.0) -> str:
    """What a run says of a robot with such masses [kg], under a gait of that period [s] or a function of time."""
    controller: Any = FunctionOfTime(function=lambda t: np.zeros(len(masses) - 1))
    if period is not None:
        controller = LateralUndulation(amplitude=0.5, angular_frequency=2 * math.pi / period, phase_shift=-0.8)
    robot = PlanarRobot(links=[replace(LIGHT, mass=mass) for mass in masses])
    world = World(robot, Environment(ground=Ground(gravity=gravity)), controller)
    return run_text(Experiment((world,), 1.0), {})


def travel(t: np.ndarray) -> np.ndarray:
    """A steady drift and a swing of one period about it [m], shape (n, 2)."""
    phase = 2 * math.pi * t / PERIOD
    return VELOCITY * t[:, None] + SWING * np.stack([np.sin(phase), 1 - np.cos(phase)], axis=-1)


def made(duration: float = 1.2, interval: float = 0.01, *, attrs: str | None = None, **variables: Any) -> xr.Dataset:
    """A run of two links; the centre of mass drifts and swings unless given."""
    t = np.arange(round(duration / interval) + 1) * interval
    data: dict[str, Any] = {"center_of_mass": (("time", "axis"), travel(t))} | variables
    coords = {"time": t, "axis": ["x", "y"]}
    return xr.Dataset(data, coords=coords, attrs={DESCRIPTION: attrs or description()})


class TestWholePeriods:
    def test_the_last_part_is_taken(self) -> None:
        part = measures.whole_periods(made(1.2))
        assert (float(part.time[0]), float(part.time[-1])) == pytest.approx((0.2, 1.2))

    @pytest.mark.parametrize("periods", [1, 2, 7])
    def test_exactly_whole_periods_are_kept_whole(self, periods: int) -> None:
        run = made(periods * PERIOD)
        assert measures.whole_periods(run).sizes["time"] == run.sizes["time"]

    def test_less_than_a_period_is_kept_whole(self) -> None:
        assert measures.whole_periods(made(0.3)).sizes["time"] == 31

    def test_without_a_period_all_is_kept(self) -> None:
        run = made(1.2, attrs=description(None))
        assert measures.gait_period(run) is None and measures.whole_periods(run).sizes["time"] == 121

    def test_period_of_a_gait_that_runs_backward(self) -> None:
        assert measures.gait_period(made(attrs=description(-PERIOD))) == pytest.approx(PERIOD)

    def test_a_gait_that_stands_still_has_none(self) -> None:
        assert measures.gait_period(made(attrs=description(math.inf))) is None


class TestMeanVelocity:
    @pytest.mark.parametrize("duration", [0.5, 0.7, 1.2, 1.93, 3.0])
    def test_swings_of_the_gait_do_not_count(self, duration: float) -> None:
        velocity = measures.mean_velocity(made(duration))
        np.testing.assert_allclose(velocity, VELOCITY, atol=1e-12)
        assert velocity.dims == ("axis",) and velocity.attrs["units"] == "m s-1"

    def test_they_do_where_the_period_is_unknown(self) -> None:
        run = made(0.7, attrs=description(None))
        expected = travel(np.array([0.7]))[0] / 0.7
        np.testing.assert_allclose(measures.mean_velocity(run), expected)
        assert np.abs(expected - VELOCITY).max() > 0.01

    def test_samples_that_miss_the_period_cost_one_interval(self) -> None:
        run = made(1.17, interval=0.03)
        error = np.abs(measures.mean_velocity(run) - VELOCITY).max()
        # Up to one interval is missing from 1 s of drift and swing: 0.03 s x 2 pi / 0.5 s x 0.05 m / 0.97 s.
        assert 1e-4 < error < 0.03 * 2 * math.pi / PERIOD * 0.05 / 0.97

    def test_one_sample_has_none(self) -> None:
        assert np.isnan(measures.mean_velocity(made(0.0))).all()

    def test_of_a_batch_by_world(self) -> None:
        run = pp.concat([made(), made(center_of_mass=(("time", "axis"), np.zeros((121, 2))))])
        np.testing.assert_allclose(measures.mean_velocity(run), [VELOCITY, [0.0, 0.0]], atol=1e-12)


def test_distance_is_straight() -> None:
    t = np.linspace(0.0, 1.0, 11)
    circle = np.stack([np.cos(math.pi * t), np.sin(math.pi * t)], axis=-1)
    run = made(1.0, 0.1, center_of_mass=(("time", "axis"), circle))
    assert float(measures.distance(run)) == pytest.approx(2.0)  # the diameter, not half the circumference


def test_a_path_is_as_long_as_its_way() -> None:
    t = np.linspace(0.0, 1.0, 101)
    circle = np.stack([np.cos(math.pi * t), np.sin(math.pi * t)], axis=-1)
    run = made(1.0, 0.01, center_of_mass=(("time", "axis"), circle))
    assert float(measures.path_length(run)) == pytest.approx(math.pi, rel=1e-4)  # chords of a circle


def test_the_distance_of_the_head_is_its_own() -> None:
    places = np.zeros((121, 2, 2))
    places[-1, 1] = (0.3, 0.4)
    assert float(measures.head_distance(made(link_position=(("time", "link", "axis"), places)))) == pytest.approx(0.5)


@pytest.mark.parametrize("measure", [measures.distance, measures.head_distance])
def test_a_world_that_ended_early_is_as_far_as_it_came(measure: Any) -> None:
    """In a batch it has NaN after its end. One that was never anywhere has no distance."""
    way = np.linspace(0.0, 1.2, 121)[:, None] * [3.0, 4.0]
    run = made(
        center_of_mass=(("time", "axis"), way), link_position=(("time", "link", "axis"), np.stack([way, way], 1))
    )
    batch = pp.concat([run, run, run])
    batch = batch.where((batch.world == 0) | ((batch.world == 1) & (batch.time < 0.605)))
    assert measure(batch.assign_attrs(run.attrs)).values == pytest.approx([6.0, 3.0, math.nan], nan_ok=True)


class TestHeading:
    @pytest.mark.parametrize("whole_turns", [0, 1, -3])
    def test_is_that_of_the_body_and_not_of_its_way(self, whole_turns: int) -> None:
        """The way leads along (0.3, -0.1); the links point to 1.0 +- 0.4, and one of them counts another turn."""
        angles = np.tile([1.4, 0.6 + 2 * math.pi * whole_turns], (121, 1))
        run = made(link_angle=(("time", "link"), angles))
        assert float(measures.heading(run)) == pytest.approx(1.0)

    def test_longer_links_count_more(self) -> None:
        """The direction from tail to head: 1 m along x, then 3 m along y."""
        robot = PlanarRobot(links=[replace(LIGHT, length=1.0), replace(LIGHT, length=3.0)])
        gait = LateralUndulation(amplitude=0.5, angular_frequency=4.0, phase_shift=-0.8)
        attrs = run_text(Experiment((World(robot, Environment(), gait),), 1.0), {})
        run = made(attrs=attrs, link_angle=(("time", "link"), np.tile([0.0, math.pi / 2], (121, 1))))
        assert float(measures.heading(run)) == pytest.approx(math.atan2(3.0, 1.0))

    def test_a_swing_over_whole_periods_does_not_count(self) -> None:
        t = np.arange(121) * 0.01
        swing = 0.4 * np.sin(2 * math.pi * t / PERIOD)
        angles = 0.5 + np.stack([swing, swing], axis=-1)
        assert float(measures.heading(made(link_angle=(("time", "link"), angles)))) == pytest.approx(0.5, abs=4e-3)

    def test_a_body_in_a_ring_has_none(self) -> None:
        run = made(link_angle=(("time", "link"), np.tile([0.0, math.pi], (121, 1))))
        assert math.isnan(float(measures.heading(run)))

    def test_in_space_it_is_seen_from_above(self) -> None:
        """A robot that looks along (1, 1) and up by 1.2 rad."""
        link = pp.SpatialLink(length=0.1, mass=0.2, inertia=(2e-4, 2e-4, 2e-4), radius=0.03)
        robot = pp.SpatialRobot.uniform(3, link)
        turn = (math.cos(math.pi / 8), 0.0, 0.0, math.sin(math.pi / 8))
        up = (math.cos(0.6), 0.0, -math.sin(0.6), 0.0)
        start = pp.SpatialStart(position=(0.0, 0.0, 1.0), orientation=product(np.array(turn), np.array(up)))
        run = pp.simulate(pp.World(robot, Environment(), FunctionOfTime(function=lambda t: np.zeros(4)), start), 0.02)
        assert float(measures.heading(run)) == pytest.approx(math.pi / 4, abs=1e-6)


class TestContactForce:
    def test_in_space_the_ground_counts(self) -> None:
        """A straight robot at rest on the ground bears its own weight: a link's weight at the least."""
        link = pp.SpatialLink(length=0.1, mass=0.5, inertia=(2e-4, 4e-4, 4e-4), radius=0.03)
        robot = pp.SpatialRobot.uniform(3, link)
        still = FunctionOfTime(function=lambda t: np.zeros(4))
        run = pp.simulate(robot, GROUND, still, duration=0.3)
        assert measures.summary(run)["peak_contact_force"] >= 0.5 * 9.81
        assert "peak_contact_force" not in measures.summary(run.drop_vars("ground_force"))

    def test_in_the_plane_obstacles_alone_do(self) -> None:
        run = simulate(ROBOT, GROUND, GAIT, duration=0.2)
        assert float(np.abs(run.ground_force).max()) > 0 and measures.summary(run)["peak_contact_force"] == 0.0


class TestWindow:
    def test_is_named(self) -> None:
        window = measures.averaging_window(made(1.2))
        assert (window.start, window.end) == pytest.approx((0.2, 1.2))
        assert (window.periods, window.period) == (2, PERIOD)
        assert str(window) == "the last 2 gait periods, 0.2 to 1.2 s"
        assert str(measures.averaging_window(made(0.7))) == "the last gait period, 0.2 to 0.7 s"

    def test_may_be_the_whole_run(self) -> None:
        whole = measures.averaging_window(made(1.2, attrs=description(None)))
        assert str(whole) == "the whole run, 0 to 1.2 s" and whole.periods is None
        assert str(measures.averaging_window(made(0.5))) == "the whole run, 0 to 0.5 s, 1 gait period"

    def test_speed_times_time_is_the_distance_or_the_notes_say_why(self) -> None:
        run = made(1.2)
        values = measures.summary(run)
        first, second = measures.notes(run)
        assert first == "mean velocity and heading are those of the last 2 gait periods, 0.2 to 1.2 s"
        assert second == (
            f"mean speed x 1 s = {values['mean_speed'] * 1.0:.4g} m is the distance in that time; "
            f"in the whole run, 1.2 s, it is {values['distance']:.4g} m"
        )
        whole = made(1.0)
        values = measures.summary(whole)
        assert values["mean_speed"] * 1.0 == pytest.approx(values["distance"], rel=1e-12)
        assert measures.notes(whole) == [
            "mean velocity and heading are those of the whole run, 0 to 1 s, 2 gait periods",
            f"mean speed x 1 s = {values['distance']:.4g} m is the distance",
        ]

    def test_runs_without_a_way_have_fewer_notes(self) -> None:
        assert measures.notes(made(1.2).drop_vars("center_of_mass").assign(x=("time", np.zeros(121)))) == [
            "mean velocity and heading are those of the last 2 gait periods, 0.2 to 1.2 s"
        ]
        assert len(measures.notes(made(1.2).isel(time=[0]))) == 1


def test_every_measure_is_explained() -> None:
    for name, measure in measures.MEASURES.items():
        assert 0 < len(measure.meaning) <= 32 and measure.unit, name


POWER = np.array([[np.nan, np.nan], [2.0, 4.0], [-1.0, 0.0], [3.0, -2.0]])


def powered(**more: Any) -> xr.Dataset:
    place = np.outer(np.arange(4.0), [0.3, 0.4])
    return made(0.3, 0.1, center_of_mass=(("time", "axis"), place), joint_power=(("time", "joint"), POWER), **more)


class TestWork:
    def test_is_power_times_interval(self) -> None:
        assert float(measures.motor_work(powered())) == pytest.approx(0.1 * 6.0)

    def test_cost_of_transport(self) -> None:
        # 0.6 J for 3 kg at 10 m/s^2 over 1.5 m.
        assert float(measures.cost_of_transport(powered())) == pytest.approx(0.6 / (30.0 * 1.5))

    def test_of_one_sample_is_nothing(self) -> None:
        assert float(measures.motor_work(powered().isel(time=[0]))) == 0.0

    def test_of_a_batch_by_world(self) -> None:
        double = powered().assign(joint_power=2 * powered().joint_power)
        run = pp.concat([powered(), double])
        np.testing.assert_allclose(measures.motor_work(run), [0.6, 1.2])
        np.testing.assert_allclose(measures.cost_of_transport(run), [0.6 / 45.0, 1.2 / 45.0])


WITHOUT_A_WAVE = {"drag_efficiency", "wave_efficiency"}
"""What a run without friction and joint angles has not."""


class TestSummary:
    RUN = powered(
        joint_torque=(("time", "joint"), np.array([[np.nan, np.nan], [1.0, -3.0], [0.0, 2.0], [-1.0, 1.0]])),
        joint_rate=(("time", "joint"), np.array([[0.0, 0.0], [-2.5, 1.0], [2.0, 0.5], [0.0, 0.0]])),
        obstacle_force=(
            ("time", "link", "axis"),
            np.array([[[np.nan] * 2] * 2, [[3.0, 4.0], [1.0, 0.0]], [[-1.0, 0.0], [0.0, -6.0]], [[0.0, 0.0]] * 2]),
        ),
        penetration=(("time",), np.array([np.nan, 1e-6, 3e-5, 2e-6])),
        solver_residual=(("time",), np.array([np.nan, 1e-6, 2e-4, 5e-5])),
        unconverged=(("time",), np.array([np.nan, 0.0, 2.0, 1.0])),
        link_angle=(("time", "link"), np.array([[0.1, 0.5]] * 4)),
        link_position=(("time", "link", "axis"), np.array([[[0.0, 0.0], [k, -k]] for k in range(4)], dtype=float)),
    )

    def test_by_hand(self) -> None:
        assert measures.summary(self.RUN) == pytest.approx(
            {
                "distance": 1.5,
                "path_length": 1.5,
                "head_distance": 3 * math.sqrt(2),
                "mean_speed": 5.0,
                "mean_velocity_x": 3.0,
                "mean_velocity_y": 4.0,
                "travel_direction": math.atan2(4.0, 3.0),
                "heading": 0.3,
                "cost_of_transport": 0.6 / 45.0,
                "positive_cost_of_transport": 0.9 / 45.0,
                "stops": 0.0,
                "motor_work": 0.6,
                "positive_work": 0.1 * (2.0 + 4.0 + 3.0),
                "peak_torque": 3.0,
                "rms_torque": math.sqrt((1 + 9 + 0 + 4 + 1 + 1) / 6),
                "peak_power": 4.0,
                "peak_joint_speed": 2.5,
                "mean_propulsive_force": (4.0 - 1.0 + 0.0) / 3,
                "peak_contact_force": 6.0,
                "largest_penetration": 3e-5,
                "largest_residual": 2e-4,
                "unconverged_steps": 3.0,
            }
        )

    def test_has_a_unit_for_everything_and_its_order(self) -> None:
        found = [name for name in measures.UNITS if name not in WITHOUT_A_WAVE]
        assert list(measures.summary(self.RUN)) == found

    @pytest.mark.parametrize(
        ("left_out", "missing"),
        [
            (
                "center_of_mass",
                {"distance", "path_length", "mean_speed", "mean_velocity_x", "mean_velocity_y", "travel_direction"}
                | {"cost_of_transport", "positive_cost_of_transport", "stops"},
            ),
            ("link_angle", {"heading"}),
            ("link_position", {"head_distance"}),
            (
                "joint_power",
                {"motor_work", "positive_work", "peak_power", "cost_of_transport", "positive_cost_of_transport"},
            ),
            ("joint_torque", {"peak_torque", "rms_torque"}),
            ("joint_rate", {"peak_joint_speed"}),
            ("obstacle_force", {"mean_propulsive_force", "peak_contact_force"}),
            ("penetration", {"largest_penetration"}),
            ("solver_residual", {"largest_residual"}),
            ("unconverged", {"unconverged_steps"}),
        ],
    )
    def test_leaves_out_what_was_not_recorded(self, left_out: str, missing: set[str]) -> None:
        found = set(measures.summary(self.RUN.drop_vars(left_out)))
        assert set(measures.UNITS) - found == missing | WITHOUT_A_WAVE

    def test_a_robot_that_stays_has_no_cost_of_transport(self) -> None:
        still = self.RUN.assign(center_of_mass=0 * self.RUN.center_of_mass)
        assert "cost_of_transport" not in measures.summary(still)

    def test_without_weight_there_is_no_cost_of_transport(self) -> None:
        values = measures.summary(self.RUN.assign_attrs({DESCRIPTION: description(gravity=0.0)}))
        assert math.isfinite(sum(values.values())) and "cost_of_transport" not in values


LINK = PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = PlanarRobot.uniform(4, LINK, Motor(stiffness=5.0, damping=0.1))
GROUND = Environment(ground=Ground(friction=Isotropic(0.2)))
GAIT = LateralUndulation(amplitude=0.5, angular_frequency=4 * math.pi, phase_shift=-0.8)


def test_every_motor_by_hand() -> None:
    torque = np.array([[np.nan, np.nan], [1.0, -4.0], [-2.0, 3.0]])
    power = np.array([[np.nan, np.nan], [0.5, -1.5], [1.5, 0.5]])
    run = xr.Dataset({
        "joint_torque": (("time", "joint"), torque),
        "joint_power": (("time", "joint"), power),
        "joint_rate": (("time", "joint"), np.diff([[0.0, 1.0, 4.0], [0.0, -3.0, -2.0], [0.0, 0.0, 0.0]], axis=1)),
    })  # fmt: skip
    figures = measures.per_motor(run)
    assert figures["peak_torque"] == [2.0, 4.0] and figures["peak_speed"] == [3.0, 3.0]
    assert figures["rms_torque"] == pytest.approx([math.sqrt(2.5), math.sqrt(12.5)])
    assert figures["peak_power"] == [1.5, 1.5] and figures["mean_power"] == [1.0, -0.5]


class TestRuns:
    def test_all_of_them(self) -> None:
        values = measures.summary(simulate(ROBOT, GROUND, GAIT, duration=1.0))
        assert set(values) == set(measures.UNITS) and all(math.isfinite(value) for value in values.values())
        assert values["mean_propulsive_force"] == 0.0 and values["motor_work"] > 0.01

    def test_a_run_of_one_sample(self) -> None:
        values = measures.summary(simulate(ROBOT, GROUND, GAIT, duration=0.005))
        assert values["distance"] == 0.0 and values["motor_work"] == 0.0 and math.isnan(values["mean_velocity_x"])

    @pytest.mark.parametrize(
        "name",
        ["motor_work", "distance", "path_length", "head_distance", "heading", "mean_velocity", "cost_of_transport"],
    )
    def test_each_world_by_its_own_gait_and_mass(self, name: str) -> None:
        measure = getattr(measures, name)
        heavy = PlanarRobot.uniform(4, replace(LINK, mass=0.6), Motor(stiffness=5.0, damping=0.1))
        worlds = [World(ROBOT, GROUND, GAIT), World(heavy, GROUND, replace(GAIT, angular_frequency=2.6 * math.pi))]
        batch = measure(simulate(worlds, duration=1.0))
        for w, world in enumerate(worlds):
            alone = measure(simulate(world.robot, world.environment, world.controller, duration=1.0))
            np.testing.assert_allclose(batch.isel(world=w), alone, rtol=1e-6, err_msg=f"world {w}")


def test_a_world_taken_out_of_a_batch_is_measured_by_its_own_robot() -> None:
    heavy = PlanarRobot.uniform(
        3, replace(LIGHT, mass=3 * LIGHT.mass, inertia=3 * LIGHT.inertia), Motor(stiffness=20.0)
    )
    light = PlanarRobot.uniform(3, LIGHT, Motor(stiffness=20.0))
    gait = LateralUndulation(amplitude=0.5, angular_frequency=6.0, phase_shift=-1.0)
    ground = Environment(ground=Ground(friction=Isotropic(0.2)))
    runs = simulate([World(light, ground, gait), World(heavy, ground, gait)], duration=0.5)
    for name in ("cost_of_transport", "mean_velocity"):
        measure = getattr(measures, name)
        np.testing.assert_array_equal(measure(runs.isel(world=1)), measure(runs).isel(world=1))
        np.testing.assert_array_equal(measure(runs.isel(world=[1])).isel(world=0), measure(runs).isel(world=1))
