"""Friction that falls with the speed, in the plane: against an independent integration, and against space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pushpoint as pp
from pushpoint.errors import InvalidModel

G, DT = 9.81, 1e-3
LINK = pp.PlanarLink(length=0.2, mass=0.7, inertia=2.4e-3, radius=0.04)
TWO = pp.PlanarRobot.uniform(2, LINK)
STILL = pp.gaits.FunctionOfTime(function=lambda _t: np.zeros(1))
LAW = pp.Varying(law=pp.Isotropic(0.2), stick_ratio=1.8, stribeck_speed=0.05)


def factor(speed: Any, law: pp.Varying = LAW) -> Any:
    return 1.0 + (law.stick_ratio - 1.0) * np.exp(-((speed / law.stribeck_speed) ** 2))


def slides(friction: Any, speed: float, duration: float, **more: Any) -> Any:
    """A straight robot that slides along itself, or across if `aside`; returns its run."""
    aside, regions, dt = more.get("aside", False), more.get("regions", ()), more.get("dt", DT)
    ground = pp.Ground(friction=friction, regions=regions)
    start = pp.Start(velocity=(0.0, speed) if aside else (speed, 0.0))
    settings = pp.Settings(dt=dt, tolerance=1e-8)
    return pp.simulate(
        TWO, pp.Environment(ground=ground), STILL, duration=duration, start=start, settings=settings,
        record=pp.Record(rate=1 / dt),
    )  # fmt: skip


def speeds(run: Any) -> np.ndarray:
    return np.asarray(np.hypot(*run.link_velocity.mean("link").values.T))


@pytest.mark.parametrize("aside", [False, True])
def test_a_sliding_body_slows_as_an_independent_integration_says(aside: bool) -> None:
    """dv/dt = -g mu (1 + (kappa - 1) exp(-(v/v_s)^2)), integrated by Runge and Kutta's method."""
    law = pp.Varying(law=pp.Elliptic(along=0.2, across=0.3), stick_ratio=1.8, stribeck_speed=0.05)
    mu = 0.3 if aside else 0.2
    exact = solve_ivp(lambda _t, v: -G * mu * factor(v), (0.0, 0.05), [0.25], rtol=1e-10, dense_output=True).sol
    errors = []
    for dt in (1e-3, 5e-4):
        run = slides(law, 0.25, 0.05, aside=aside, dt=dt)
        errors.append(float(np.abs(speeds(run) - exact(run.time.values)[0]).max()))
    assert errors[0] < 2e-3 and 0.4 < errors[1] / errors[0] < 0.6  # explicit in the speed: of first order in dt


def test_coefficients_are_those_of_the_speed_at_the_start_of_each_step() -> None:
    v, expected = 0.2, [0.2]
    for _ in range(60):
        v -= DT * G * 0.2 * float(factor(v))
        expected.append(v)
    np.testing.assert_allclose(speeds(slides(LAW, 0.2, 0.06)), expected, rtol=0, atol=1e-9)  # 60 steps at 1e-8 g dt


def test_a_viscous_law_varies_too() -> None:
    law = pp.Varying(law=pp.Viscous(along=2.0, across=2.0), stick_ratio=3.0, stribeck_speed=0.1)
    v, expected = 0.2, [0.2]
    for _ in range(50):
        v /= 1.0 + DT * 2.0 * float(factor(v, law)) / LINK.mass
        expected.append(v)
    np.testing.assert_allclose(speeds(slides(law, 0.2, 0.05)), expected, rtol=0, atol=1e-9)


def test_only_inside_the_region_that_has_it() -> None:
    """Half of the robot is on the patch: its link feels the law there, the other one nothing."""
    patch = pp.Region.rectangle(x=(0.0, 1.0), y=(-1.0, 1.0), friction=LAW)
    run = slides(pp.Frictionless(), 0.02, 0.002, regions=[patch])
    force = run.ground_force.sel(axis="x").values[1]
    assert force[0] == 0.0
    assert force[1] == pytest.approx(-0.2 * float(factor(0.02)) * LINK.mass * G, rel=1e-6)


def test_standing_holds_what_sticking_gives_and_slides_on_less() -> None:
    """Pushed along by a constant load: the limit at rest is stick_ratio times that at speed."""
    limit = 0.2 * 1.8 * TWO.mass * G
    for share, stands in ((0.97, True), (1.03, False)):
        simulator = pp.Simulator([pp.World(TWO, pp.Environment(ground=pp.Ground(friction=LAW)))])
        simulator.reset()
        load = np.zeros((1, 2, 3))
        load[..., 0] = share * limit / 2
        command = pp.Command(joint_angle=np.zeros((1, 1)), link_load=load)
        for _ in range(40):
            simulator.step(command)
        speed = float(simulator.state.v[0, 0, 0])
        assert (abs(speed) < 1e-6) if stands else speed > 0.05


def twin(robot: pp.PlanarRobot) -> pp.SpatialRobot:
    """The same robot in space; it cannot pitch."""
    links = [
        pp.SpatialLink(length=link.length, mass=link.mass, inertia=(1e-3, link.inertia, link.inertia),
                       radius=link.radius, shape="square", side_length=link.side_length)
        for link in robot.links
    ]  # fmt: skip
    return pp.SpatialRobot(links=tuple(links), joints=tuple(pp.Yaw(motor) for motor in robot.motors))  # type: ignore[union-attr]


@pytest.mark.parametrize("aside", [False, True])
def test_as_in_space_on_flat_ground(aside: bool) -> None:
    """Without turning, all points of contact slip alike, so the place where the ground carries does not matter."""
    flat = slides(LAW, 0.2, 0.06, aside=aside)
    body = twin(TWO)
    start = pp.SpatialStart(position=(0.0, 0.0, LINK.radius), velocity=(0.0, 0.2, 0.0) if aside else (0.2, 0.0, 0.0))
    ground = pp.Environment(ground=pp.Ground(friction=LAW))
    settings = pp.Settings(dt=DT, tolerance=1e-8)
    full = pp.simulate(
        body, ground, STILL, duration=0.06, start=start, settings=settings, record=pp.Record(rate=1 / DT)
    )
    space = full.link_velocity.mean("link").values[:, :2]
    np.testing.assert_allclose(np.hypot(*space.T), speeds(flat), rtol=0, atol=1e-6)  # 60 steps at 1e-8 g dt, settled


def test_worlds_with_different_laws_in_one_batch() -> None:
    laws = [pp.Isotropic(0.2), LAW, pp.Varying(law=pp.Isotropic(0.1), stick_ratio=3.0, stribeck_speed=0.2)]
    start = pp.Start(velocity=(0.2, 0.0))
    worlds = [pp.World(TWO, pp.Environment(ground=pp.Ground(friction=law)), STILL, start) for law in laws]
    record = pp.Record(rate=1 / DT)
    batch = pp.simulate(worlds, 0.05, settings=pp.Settings(dt=DT), record=record)
    for w, world in enumerate(worlds):
        alone = pp.simulate(world, 0.05, settings=pp.Settings(dt=DT), record=record)
        np.testing.assert_array_equal(batch.link_velocity.values[w], alone.link_velocity.values)


def test_a_pattern_around_the_link_is_for_spatial_robots() -> None:
    law = pp.Varying(law=pp.Isotropic(0.2), around=(1.0, 0.5))
    with pytest.raises(
        InvalidModel, match=r"^ground\.friction\.around = \(1\.0, 0\.5\), must be left out for a planar"
    ):
        pp.World(TWO, pp.Environment(ground=pp.Ground(friction=law)))
    patch = pp.Region.rectangle(x=(0, 1), y=(0, 1), friction=law)
    with pytest.raises(InvalidModel, match=r"^ground\.regions\[0\]\.friction\.around"):
        pp.World(TWO, pp.Environment(ground=pp.Ground(regions=[patch])))


@pytest.mark.parametrize("around", [(0.5,), (0.5, 0.5)], ids=["one number", "two"])
def test_a_multiplier_for_all_sides_scales_the_friction(around: tuple[float, ...]) -> None:
    """A body that slides in space loses mu g t of its speed, with half the coefficient half as much."""
    law, seconds = pp.Varying(law=pp.Isotropic(0.2), around=around), 0.05
    start = pp.SpatialStart(position=(0.0, 0.0, LINK.radius), velocity=(0.2, 0.0, 0.0))
    ground, settings = pp.Environment(ground=pp.Ground(friction=law)), pp.Settings(dt=DT, tolerance=1e-8)
    run = pp.simulate(twin(TWO), ground, STILL, duration=seconds, start=start, settings=settings)
    left = float(run.link_velocity.sel(axis="x").mean("link")[-1])
    assert left == pytest.approx(0.2 - 0.5 * 0.2 * G * seconds, abs=1e-6)  # 50 steps at 1e-8 g dt, settled
