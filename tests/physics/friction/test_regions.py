"""Regions of the ground: friction changes where a support point crosses the border, then and there and only for it.

A straight, rigid robot slides along +x. In every step its kinetic energy falls by the friction force times the way,
exactly; the force of a support point is that of the region in which the step's midpoint finds it.
"""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from oracles.controllers import straight
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.model.environment import Environment, Ground, Region
from pushpoint.model.friction import Elliptic, FrictionLaw, Frictionless, Isotropic, Skin, Viscous
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot, Support
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

GRAVITY = 9.81
LINK = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03)
FEET = (Support(offset=-0.08, share=0.3), Support(offset=0.05, share=0.7))
TWO_FEET = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03, supports=FEET)
ROBOT = PlanarRobot.uniform(4, LINK)
ALL_Y = (-5.0, 5.0)


def slide(
    regions: list[Region],
    speed: float,
    *,
    ground: FrictionLaw = Frictionless(),
    dt: float = 1e-3,
    duration: float = 2.0,
    robot: PlanarRobot = ROBOT,
    start: Start | None = None,
) -> xr.Dataset:
    """A rigid robot thrown along +x from a place with its centre at the origin."""
    environment = Environment(ground=Ground(friction=ground, gravity=GRAVITY, regions=regions))
    return simulate(
        robot,
        environment,
        straight(),
        start=start or Start(joint_angles=np.zeros(3), velocity=(speed, 0.0)),
        duration=duration,
        settings=Settings(dt=dt, tolerance=1e-6),
        record=Record(rate=1 / dt),
    )


def points(robot: PlanarRobot) -> tuple[np.ndarray, np.ndarray]:
    """Support points of a straight robot along x from its centre of mass [m], and the masses they carry [kg]."""
    middles = LINK.length * (np.arange(4) - 1.5)
    pairs = [
        (x + s.offset, s.share * link.mass) for x, link in zip(middles, robot.links, strict=True) for s in link.supports
    ]
    return np.array([x for x, _ in pairs]), np.array([m for _, m in pairs])


def stop_distance(robot: PlanarRobot, speed: float, border: float, before: float, beyond: float) -> float:
    """Way after which M v^2/2 = g sum_i m_i (mu_1 d_1 + mu_2 d_2) is used up; point i goes d_2 past the border."""
    x, m = points(robot)
    ways = np.sort(np.concatenate(([0.0], np.maximum(border - x, 0.0))))

    def used(d: float) -> float:
        past = np.clip(d - np.maximum(border - x, 0.0), 0.0, None)
        return float(GRAVITY * (m * (before * (d - past) + beyond * past)).sum())

    energy = m.sum() * speed**2 / 2
    k = int(np.flatnonzero([used(d) <= energy for d in ways])[-1])  # piecewise linear between crossings
    slope = (
        (used(ways[k] + 1.0) - used(ways[k]))
        if k == len(ways) - 1
        else ((used(ways[k + 1]) - used(ways[k])) / (ways[k + 1] - ways[k]))
    )
    return float(ways[k] + (energy - used(ways[k])) / slope)


@pytest.mark.parametrize("robot", [ROBOT, PlanarRobot.uniform(4, TWO_FEET)], ids=["one point", "two points"])
@pytest.mark.parametrize(("before", "beyond"), [(0.1, 0.4), (0.4, 0.1), (0.0, 0.3)])
@pytest.mark.parametrize("speed", [0.8, 1.3, 2.0])
def test_robot_stops_where_the_energy_is_used_up(
    speed: float, before: float, beyond: float, robot: PlanarRobot
) -> None:
    border = 0.45
    region = Region.rectangle(x=(border, 9.0), y=ALL_Y, friction=Isotropic(beyond))
    start = Start(joint_angles=np.zeros(3), velocity=(speed, 0.0))
    for dt in (1e-3, 2.5e-4):
        run = slide([region], speed, ground=Isotropic(before), dt=dt, robot=robot, start=start)
        if before > 0.0:
            assert float(abs(run.link_velocity[-1]).max()) < 1e-9
        way = float(run.center_of_mass.sel(axis="x")[-1])
        expected = stop_distance(robot, speed, border, before, beyond)
        # Each point changes its friction at a midpoint, up to v dt/2 off the border: so much energy at most, over the
        # smaller friction; and the last step's mu g dt^2/8.
        late = speed * dt / 2 * abs(beyond - before) / max(min(before, beyond), 0.1)
        assert way == pytest.approx(expected, abs=late + 0.4 * GRAVITY * dt**2)


@pytest.mark.parametrize("robot", [ROBOT, PlanarRobot.uniform(4, TWO_FEET)], ids=["one point", "two points"])
def test_force_changes_with_the_step_whose_midpoint_is_across(robot: PlanarRobot) -> None:
    border, mu = 0.1234, (0.15, 0.5)
    region = Region.rectangle(x=(border, 9.0), y=ALL_Y, friction=Isotropic(mu[1]))
    run = slide([region], 1.5, ground=Isotropic(mu[0]), robot=robot, duration=0.3)
    x, m = points(robot)
    middle = run.center_of_mass.sel(axis="x").values[:-1] + 0.5e-3 * run.link_velocity.sel(axis="x").values[:-1, 0]
    past = middle[:, None] + x > border
    per_point = -GRAVITY * m * np.where(past, mu[1], mu[0])
    expected = per_point.reshape(len(middle), 4, -1).sum(axis=2)
    force = run.ground_force.sel(axis="x").values[1:]
    np.testing.assert_allclose(force, expected, rtol=1e-5)  # solver tolerance 1e-6 of the weight
    assert past[0].any() and not past[0].all() and past[-1].sum() > past[0].sum()  # some cross on the way
    # What crossing conserves: energy lost is the work of friction, step by step; nothing is pushed aside or turned.
    speed, way = run.link_velocity.sel(axis="x").values[:, 0], np.diff(run.center_of_mass.sel(axis="x").values)
    lost = -robot.mass / 2 * np.diff(speed**2)
    np.testing.assert_allclose(lost, -force.sum(axis=1) * way, rtol=1e-9)
    assert float(abs(run.link_velocity.sel(axis="y")).max()) < 1e-12
    assert float(abs(run.link_angle).max()) < 1e-12


def friction_at(
    regions: list[Region], places: list[tuple[float, float]], ground: FrictionLaw = Frictionless()
) -> np.ndarray:
    """Deceleration over g of a robot's links when they slide over given places, one robot per place."""
    found = []
    for x, y in places:
        start = Start(joint_angles=np.zeros(3), velocity=(1.0, 0.0), link=1, position=(x, y))
        run = slide(regions, 1.0, ground=ground, start=start, duration=1e-3)
        found.append(-float(run.ground_force.sel(axis="x")[1, 1]) / (LINK.mass * GRAVITY))
    return np.array(found)


def test_later_region_lies_on_top() -> None:
    wide = Region.rectangle(x=(-1.0, 1.0), y=(-1.0, 1.0), friction=Isotropic(0.2))
    small = Region.rectangle(x=(-0.3, 0.3), y=(-0.3, 0.3), friction=Isotropic(0.6))
    places = [(0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.0, 2.0)]
    np.testing.assert_allclose(friction_at([wide, small], places, Isotropic(0.1)), [0.6, 0.2, 0.2, 0.1], rtol=1e-4)
    np.testing.assert_allclose(friction_at([small, wide], places, Isotropic(0.1)), [0.2, 0.2, 0.2, 0.1], rtol=1e-4)


def test_frictionless_patch_on_rough_ground() -> None:
    ice = Region.rectangle(x=(-0.1, 0.1), y=(-0.1, 0.1), friction=Frictionless())
    np.testing.assert_allclose(friction_at([ice], [(0.0, 0.0), (0.3, 0.0)], Isotropic(0.3)), [0.0, 0.3], atol=1e-5)


@pytest.mark.parametrize("prong", [2.9, 3.0])
@pytest.mark.parametrize("backward", [False, True])
def test_hollow_outline(backward: bool, prong: float) -> None:
    # A U, open to the top: its notch is not part of it.
    corners = [(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, prong), (0, prong)]
    notched = Region(vertices=corners[::-1] if backward else corners, friction=Isotropic(0.5))
    within = [(0.5, 2.0), (2.5, 2.0), (1.5, 0.5), (2.5, 2.999), (0.5, prong - 1e-3)]
    without = [(1.5, 2.0), (1.5, 3.5), (-0.5, 2.0), (3.5, 0.5), (1.5, 1.001)]
    np.testing.assert_allclose(friction_at([notched], within), 0.5, rtol=1e-4)
    np.testing.assert_allclose(friction_at([notched], without), 0.0, atol=1e-9)


def test_star_agrees_with_the_winding_of_its_outline() -> None:
    random = np.random.default_rng(4)
    angle = np.linspace(0.0, 2 * np.pi, 14, endpoint=False)
    star = np.column_stack((np.cos(angle), np.sin(angle))) * np.where(np.arange(14) % 2, 0.4, 1.0)[:, None]
    places = random.uniform(-1.0, 1.0, (60, 2))
    x, y = (star[None] - places[:, None]).transpose(2, 0, 1)
    turns = np.diff(np.arctan2(y, x), axis=1, append=np.arctan2(y, x)[:, :1])
    winds = np.abs(((turns + np.pi) % (2 * np.pi) - np.pi).sum(axis=1)) > np.pi
    assert 10 < winds.sum() < 50
    found = friction_at([Region(vertices=star.tolist(), friction=Isotropic(0.5))], [tuple(place) for place in places])
    np.testing.assert_allclose(found, np.where(winds, 0.5, 0.0), atol=1e-4)  # the midpoint is 0.5 mm ahead of the place


def test_from_coulomb_to_viscous_ground() -> None:
    # Beyond the border every link feels -c v: once all are across, v falls by 1/(1 + c dt/m) per step, and the way
    # still to go is v m/c. Before, mu g.
    border, mu, c = 0.4, 0.05, 1.5
    mud = Region.rectangle(x=(border, 99.0), y=ALL_Y, friction=Viscous(along=c, across=c))
    run = slide([mud], 1.5, ground=Isotropic(mu), duration=4.0)
    v, x = run.link_velocity.sel(axis="x").values[:, 0], run.center_of_mass.sel(axis="x").values
    first = int(np.flatnonzero(x - 1.5 * LINK.length > border)[0])
    steps = np.arange(len(v) - first)
    np.testing.assert_allclose(v[first:], v[first] * (1 + c * 1e-3 / LINK.mass) ** -steps, rtol=1e-6, atol=1e-9)
    left = v[first] * LINK.mass / c
    assert x[-1] - x[first] == pytest.approx(left, rel=c * 1e-3 / LINK.mass)  # implicit Euler: first order in dt
    dry = x + 1.5 * LINK.length + 2e-3 < border
    np.testing.assert_allclose(np.diff(v)[dry[:-1]], -mu * GRAVITY * 1e-3, rtol=1e-5)


@pytest.mark.parametrize("law", [Elliptic(along=0.1, across=0.5), Skin(forward=0.1, backward=0.4, across=0.5)])
def test_from_anisotropic_ground_and_back(law: FrictionLaw) -> None:
    # The impulses of one law are the first guess under the next; forces must not remember it.
    patches = [Region.rectangle(x=(0.1 * k, 0.1 * k + 0.05), y=ALL_Y, friction=law) for k in range(1, 40, 2)]
    run = slide(patches, 1.5, ground=Isotropic(0.3), duration=0.6)
    middle = run.link_position.sel(axis="x").values[:-1] + 0.5e-3 * run.link_velocity.sel(axis="x").values[:-1]
    inside = np.any([(middle > r.vertices[0][0]) & (middle < r.vertices[1][0]) for r in patches], axis=0)
    force = run.ground_force.sel(axis="x").values[1:]
    moving = run.link_velocity.sel(axis="x").values[1:, 0] > 1e-3
    expected = -LINK.mass * GRAVITY * np.where(inside, 0.1, 0.3)
    np.testing.assert_allclose(force[moving], expected[moving], rtol=1e-4)
    assert np.diff(inside.astype(int), axis=0).any(axis=0).all()  # every link crosses
