"""Inside a pipe: rest, slide, swing and leave as closed forms say; the same run in a pipe that is turned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import pushpoint as pp
from oracles.controllers import Always
from pushpoint.errors import InvalidModel, StartOverlap

G = 9.81
BORE, RADIUS, HALF = 0.15, 0.05, 0.05
HIGH = np.array([0.0, 0.0, 5.0])
HOLD = Always(pp.Command())


def one_link(shape: str = "round", radius: float = RADIUS) -> pp.SpatialRobot:
    """One short link of 1 kg."""
    link = pp.SpatialLink(length=2 * HALF, mass=1.0, inertia=(1e-3, 2e-3, 2e-3), radius=radius, shape=shape)  # type: ignore[arg-type]
    return pp.SpatialRobot(links=(link,), joints=())


def pipe_along(axis: np.ndarray, length: float = 4.0, friction: float = 0.0) -> pp.Pipe:
    """A pipe about HIGH."""
    ends = HIGH - length / 2 * axis, HIGH + length / 2 * axis
    start, end = ((float(x), float(y), float(z)) for x, y, z in ends)
    return pp.Pipe(start=start, end=end, radius=BORE, friction=friction)


def beside_axis(turn: Rotation, angle: float, away: float) -> tuple[float, float, float]:
    """A place `away` from the axis of a pipe along turned x, at an angle from straight below [rad]."""
    x, y, z = HIGH + turn.apply([0.0, away * np.sin(angle), -away * np.cos(angle)])
    return float(x), float(y), float(z)


def run_in(
    pipe: pp.Pipe,
    robot: pp.SpatialRobot,
    place: tuple[float, float, float],
    turn: Rotation,
    seconds: float,
    gravity: float = G,
    **start: object,
) -> xr.Dataset:
    """A link that lies along turned x and holds."""
    w, x, y, z = turn.as_quat(scalar_first=True)
    begin = pp.SpatialStart(position=place, orientation=(w, x, y, z), **start)  # type: ignore[arg-type]
    return pp.simulate(
        pp.World(robot, pp.Environment(ground=pp.Ground(gravity=gravity), obstacles=[pipe]), HOLD, begin), seconds
    )


LEVEL = Rotation.identity()


class TestRest:
    def test_bottom_carries_the_weight(self) -> None:
        run = run_in(
            pipe_along(np.array([1.0, 0.0, 0.0])), one_link(), beside_axis(LEVEL, 0.0, BORE - RADIUS), LEVEL, 0.5
        )
        assert float(run.obstacle_load[-1, 0]) == pytest.approx(G, rel=1e-6)  # 1 kg
        np.testing.assert_allclose(
            run.link_position[-1, 0], run.link_position[0, 0], atol=2e-6
        )  # the gap that counts as closed

    def test_square_link_leans_on_two_edges(self) -> None:
        # Lower corners touch at atan(width / height) beside the bottom: N = weight / (2 cos) each, by symmetry.
        corner, aside = 0.005, 0.05 - 0.005
        low = np.sqrt((BORE - corner) ** 2 - aside**2)
        run = run_in(
            pipe_along(np.array([1.0, 0.0, 0.0])), one_link("square"), beside_axis(LEVEL, 0.0, low - aside), LEVEL, 0.5
        )
        expected = G * (BORE - corner) / low
        assert float(run.obstacle_load[-1, 0]) == pytest.approx(expected, rel=1e-3)  # dropped by 1e-6 m
        assert float(run.unconverged.max()) == 0.0

    @pytest.mark.parametrize(("friction", "slides"), [(0.55, True), (0.65, False)])
    def test_sloped_pipe_holds_up_to_the_tangent(self, friction: float, slides: bool) -> None:
        slope = np.arctan(0.6)
        turn = Rotation.from_euler("Y", -slope)
        run = run_in(
            pipe_along(turn.apply([1.0, 0.0, 0.0]), friction=friction),
            one_link(),
            beside_axis(turn, 0.0, BORE - RADIUS),
            turn,
            1.0,
        )
        way = float((run.link_position[-1, 0] - run.link_position[0, 0]).values @ turn.apply([-1.0, 0.0, 0.0]))
        expected = G * (np.sin(slope) - friction * np.cos(slope)) / 2 if slides else 0.0
        assert way == pytest.approx(expected, rel=3e-3, abs=1e-4)  # the step adds dt/2 of speed


class TestSwing:
    @pytest.mark.parametrize("angle", [0.3, 1.2])
    def test_frictionless_link_is_a_pendulum_of_length_bore_less_radius(self, angle: float) -> None:
        run = run_in(
            pipe_along(np.array([1.0, 0.0, 0.0])), one_link(), beside_axis(LEVEL, angle, BORE - RADIUS), LEVEL, 2.0
        )
        _, y, z = (run.link_position[:, 0] - HIGH).values.T
        found = np.arctan2(y, -z)
        swing = solve_ivp(
            lambda _t, s: [s[1], -G / (BORE - RADIUS) * np.sin(s[0])],
            (0.0, 2.0),
            [angle, 0.0],
            t_eval=run.time.values,
            rtol=1e-10,
            atol=1e-10,
        ).y[0]
        np.testing.assert_allclose(found, swing, rtol=0, atol=5e-3)  # rad over 3 periods: second order in dt = 1 ms
        energy = 0.5 * (run.link_velocity[:, 0] ** 2).sum("axis") + G * run.link_position[:, 0, 2]
        assert abs(float(energy[-1] - energy[0])) < 2e-3 * G * (BORE - RADIUS)  # of what it swings with
        assert float(run.penetration.max()) < 1e-4  # m
        assert float(run.unconverged.max()) == 0.0

    def test_order_in_dt(self) -> None:
        def error(dt: float) -> float:
            place = beside_axis(LEVEL, 0.8, BORE - RADIUS)
            begin = pp.SpatialStart(position=place)
            world = pp.World(one_link(), pp.Environment(obstacles=[pipe_along(np.array([1.0, 0.0, 0.0]))]), HOLD, begin)
            run = pp.simulate(world, 1.0, settings=pp.Settings(dt=dt, tolerance=1e-6))
            _, y, z = (run.link_position[-1, 0] - HIGH).values
            true = solve_ivp(
                lambda _t, s: [s[1], -G / 0.1 * np.sin(s[0])], (0.0, 1.0), [0.8, 0.0], rtol=1e-11, atol=1e-12
            )
            return abs(float(np.arctan2(y, -z) - true.y[0, -1]))

        assert error(1e-3) < 0.4 * error(2e-3)  # second order would be 0.25

    def test_rolling_link_with_friction_swings_slower(self) -> None:
        # Rolling without slip: the pendulum's length grows by 1 + I / (m r^2).
        robot = one_link()
        pipe = pipe_along(np.array([1.0, 0.0, 0.0]), friction=1.0)
        run = run_in(pipe, robot, beside_axis(LEVEL, 0.2, BORE - RADIUS), LEVEL, 2.0)
        length = (BORE - RADIUS) * (1.0 + robot.links[0].inertia[0] / (1.0 * RADIUS**2))
        true = solve_ivp(
            lambda _t, s: [s[1], -G / length * np.sin(s[0])],
            (0.0, 2.0),
            [0.2, 0.0],
            t_eval=run.time.values,
            rtol=1e-10,
            atol=1e-10,
        ).y[0]
        _, y, z = (run.link_position[:, 0] - HIGH).values.T
        np.testing.assert_allclose(np.arctan2(y, -z), true, rtol=0, atol=5e-3)


class TestTurned:
    def test_a_pipe_turned_about_the_vertical_gives_the_same_run_turned(self) -> None:
        def moved(yaw: float) -> np.ndarray:
            turn = Rotation.from_euler("ZY", [yaw, -0.4])
            about = Rotation.from_euler("Z", yaw)
            pipe = pipe_along(turn.apply([1.0, 0.0, 0.0]), friction=0.2)
            velocity = tuple(about.apply([0.1, 0.3, 0.0]).tolist())
            place = beside_axis(turn, 0.7, 0.09)
            run = run_in(pipe, one_link("square", 0.04), place, turn, 0.6, velocity=velocity)
            return np.asarray(about.inv().apply(run.link_position[:, 0].values - HIGH))

        np.testing.assert_allclose(moved(1.1), moved(0.0), rtol=0, atol=1e-5)  # m: the tolerance of the steps adds up

    def test_upright_pipe_lets_a_link_fall_through(self) -> None:
        turn = Rotation.from_euler("Y", -np.pi / 2)
        run = run_in(pipe_along(np.array([0.0, 0.0, 1.0]), 1.0, 0.5), one_link(), (0.02, 0.0, 5.3), turn, 0.4)
        fallen = 5.3 - float(run.link_position[-1, 0, 2])
        assert fallen == pytest.approx(G * 0.4**2 / 2, rel=3e-3)  # it touches nothing


class TestEnds:
    def test_a_link_that_slides_out_falls(self) -> None:
        axis = np.array([1.0, 0.0, 0.0])
        run = run_in(
            pipe_along(axis, 0.6), one_link(), (0.1, 0.0, 5.0 - BORE + RADIUS), LEVEL, 0.7, velocity=(1.0, 0.0, 0.0)
        )
        x, z = run.link_position[:, 0, 0].values, run.link_position[:, 0, 2].values
        inside = x < 0.3
        np.testing.assert_allclose(z[inside], 5.0 - BORE + RADIUS, atol=1e-5)
        assert z[-1] < 4.6
        energy = 0.5 * (run.link_velocity[:, 0] ** 2).sum("axis") + G * run.link_position[:, 0, 2]
        spin = 0.5 * 2e-3 * (run.link_angular_velocity[:, 0] ** 2).sum("axis")
        total = (energy + spin).values
        assert total.max() - total[0] < 1e-3  # J: the rim gives nothing
        assert total[-1] > total[0] - 0.02

    def test_the_wall_stops_a_link_that_misses_the_opening(self) -> None:
        # Its axis meets the wall between bore and outside.
        run = run_in(
            replace(pipe_along(np.array([1.0, 0.0, 0.0]), 1.0), thickness=0.03),
            one_link(),
            (-0.7, 0.0, 5.0 + BORE + 0.015),
            LEVEL,
            0.3,
            gravity=0.0,
            velocity=(1.0, 0.0, 0.0),
        )
        assert float(run.link_position[:, 0, 0].max()) == pytest.approx(
            -0.5 - HALF - RADIUS, abs=2e-3
        )  # one step of speed

    def test_a_link_lies_on_the_outside(self) -> None:
        # Across the pipe, balanced on top of it.
        turn = Rotation.from_euler("Z", np.pi / 2)
        run = run_in(
            pipe_along(np.array([1.0, 0.0, 0.0]), friction=0.5),
            one_link(),
            (0.0, 0.0, 5.0 + BORE + 0.01 + RADIUS),
            turn,
            0.3,
        )
        assert float(run.obstacle_load[-1, 0]) == pytest.approx(G, rel=1e-3)

    def test_too_wide_for_the_pipe_is_refused(self) -> None:
        with pytest.raises(
            StartOverlap, match=r"^start: link 0 overlaps obstacle 0 by 10 mm \(world 0\), must be clear$"
        ):
            run_in(pipe_along(np.array([1.0, 0.0, 0.0])), one_link(radius=0.16), (0.0, 0.0, 5.0), LEVEL, 0.1)

    def test_ground_through_a_pipe_is_refused(self) -> None:
        low = pp.Pipe(start=(0.0, 0.0, 0.1), end=(1.0, 0.0, 0.3), radius=0.15)
        with pytest.raises(
            InvalidModel,
            match=r"^obstacles\[0\] = 'a pipe with its inside 0.0471 m below the ground', must be above",
        ):
            pp.World(one_link(), pp.Environment(obstacles=[low]), HOLD)
