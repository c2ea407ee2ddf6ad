"""A sliding robot stops after v^2/(2 mu g), and on the way its velocity turns as its friction law says.

While it slides, a step changes the speed by exactly mu g dt and the place by the mean of old and new speed: the
parabola itself. Only the step in which it stops differs: it takes dt for the last bit of speed s < mu g dt, which
covers s dt/2 instead of s^2/(2 mu g). The difference is at most mu g dt^2/8, relative to the whole way (mu g dt/v)^2/4.
"""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.gaits import LateralUndulation
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic, Rectangular, Skin
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

SPEED = 1.0
GRAVITY = 9.81
TOLERANCE = 1e-5  # required; the last step's share (mu g dt/v)^2/4 is 6e-6 at mu 0.5 and dt 1 ms, less below
SHORT = PlanarLink(length=0.12, mass=0.6, inertia=1e-3, radius=0.03)
LONG = PlanarLink(length=0.20, mass=1.1, inertia=4e-3, radius=0.03, mass_offset=0.03)
LIMP = PlanarRobot(links=(SHORT, LONG, SHORT, SHORT))  # no motors: only equal deceleration of all links keeps its shape
IDLE = LateralUndulation(amplitude=0.0, angular_frequency=1.0, phase_shift=0.0)


def slide(worlds: list[World], dt: float, duration: float) -> xr.Dataset:
    return simulate(worlds, duration=duration, settings=Settings(dt=dt), record=Record(rate=1 / dt))


def straight_world(law: FrictionLaw, bearing: float, heading: float = 0.7) -> World:
    """A straight robot that slides at an angle `bearing` from its own direction [rad]."""
    direction = np.array([np.cos(heading + bearing), np.sin(heading + bearing)])
    ground = Environment(ground=Ground(friction=law, gravity=GRAVITY))
    return World(LIMP, ground, IDLE, Start(heading=heading, velocity=SPEED * direction))


def in_own_frame(run: xr.Dataset, heading: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    """Centre of mass and its velocity, (along, across), shape (n_worlds, n_times, 2)."""
    turn = np.array([[np.cos(heading), -np.sin(heading)], [np.sin(heading), np.cos(heading)]])
    return run.center_of_mass.values @ turn, run.link_velocity.values[:, :, 0] @ turn


@pytest.fixture(scope="module")
def any_direction() -> xr.Dataset:
    bends = (0.6, -0.9, 1.2)
    worlds = [
        World(
            LIMP,
            Environment(ground=Ground(friction=Isotropic(0.2), gravity=GRAVITY)),
            IDLE,
            Start(joint_angles=bends, velocity=(SPEED * np.cos(angle), SPEED * np.sin(angle))),
        )
        for angle in np.linspace(0.0, 2 * np.pi, 16, endpoint=False) + 0.1
    ]
    return slide(worlds, 1e-3, 0.6)


def test_disc_stops_after_the_textbook_distance_in_any_direction(any_direction: xr.Dataset) -> None:
    way = any_direction.center_of_mass.isel(time=-1) - any_direction.center_of_mass.isel(time=0)
    distance = np.hypot(*way.values.T)
    np.testing.assert_allclose(distance, SPEED**2 / (2 * 0.2 * GRAVITY), rtol=TOLERANCE)
    assert float(abs(any_direction.link_velocity.isel(time=-1)).max()) < 1e-12  # it stands still: round-off


def test_disc_slides_straight_without_turning(any_direction: xr.Dataset) -> None:
    way = any_direction.center_of_mass - any_direction.center_of_mass.isel(time=0)
    angle = np.linspace(0.0, 2 * np.pi, 16, endpoint=False)[:, None] + 0.1
    aside = np.cos(angle) * way.sel(axis="y") - np.sin(angle) * way.sel(axis="x")
    assert float(abs(aside).max()) < 1e-13  # m: round-off
    turned = any_direction.link_angle - any_direction.link_angle.isel(time=0)
    assert float(abs(turned).max()) < 1e-12  # rad: round-off, no link is pulled by its joints


@pytest.mark.parametrize("flow", ["associated", "directional"])
def test_main_directions_stop_after_their_own_distance(flow: str) -> None:
    skin = Skin(forward=0.1, backward=0.3, across=0.5, flow=flow)
    ellipse = Elliptic(along=0.1, across=0.3, flow=flow)
    box = Rectangular(along=0.1, across=0.3)
    cases = [
        (skin, 0.0, 0.1), (skin, np.pi, 0.3), (skin, np.pi / 2, 0.5), (skin, -np.pi / 2, 0.5),
        (ellipse, 0.0, 0.1), (ellipse, np.pi, 0.1), (ellipse, np.pi / 2, 0.3), (box, 0.0, 0.1), (box, np.pi / 2, 0.3),
    ]  # fmt: skip
    run = slide([straight_world(law, bearing) for law, bearing, _ in cases], 1e-3, 1.1)
    way = run.center_of_mass.isel(time=-1) - run.center_of_mass.isel(time=0)
    expected = [SPEED**2 / (2 * mu * GRAVITY) for _, _, mu in cases]
    np.testing.assert_allclose(np.hypot(*way.values.T), expected, rtol=TOLERANCE)


def test_rectangle_stops_each_component_by_itself() -> None:
    bearings = np.array([0.5, 2.0, -1.2])
    run = slide([straight_world(Rectangular(along=0.1, across=0.3), bearing) for bearing in bearings], 1e-3, 1.1)
    place, _ = in_own_frame(run)
    start = SPEED * np.stack((np.cos(bearings), np.sin(bearings)), axis=-1)
    expected = start * np.abs(start) / (2 * GRAVITY * np.array([0.1, 0.3]))
    last_step = GRAVITY * 0.3 * 1e-6 / 8  # m: a slow component's way is short, so the bound is absolute, see above
    np.testing.assert_allclose(place[:, -1] - place[:, 0], expected, rtol=0, atol=last_step)


@pytest.mark.parametrize("bearing", [0.6, 2.4, -0.9, -2.7])
@pytest.mark.parametrize("kind", ["ellipse", "skin"])
@pytest.mark.parametrize("flow", ["associated", "directional"])
def test_velocity_turns_as_the_flow_rule_says(flow: str, kind: str, bearing: float) -> None:
    # dv = -g dt S^2 v/|S v| (associated) or -g dt S v/|v| (directional): dividing the components' equations leaves
    # |v_along/v_along(0)|^(1/k_along) = |v_across/v_across(0)|^(1/k_across), k = mu^2 or mu.
    along = 0.15 if kind == "skin" and np.cos(bearing) < 0 else 0.25
    law: FrictionLaw = Elliptic(along=0.25, across=0.4, flow=flow)
    if kind == "skin":
        law = Skin(forward=0.25, backward=0.15, across=0.4, flow=flow)
    power = 2 if flow == "associated" else 1
    run = slide([straight_world(law, bearing)], 1e-4, 0.15)
    _, velocity = in_own_frame(run)
    shrunk = np.log(velocity[0, -1] / velocity[0, 0]) / np.array([along, 0.4]) ** power
    assert shrunk[0] < -0.2  # a good part of the velocity is gone
    # First order: a step errs by (g dt mu^k/|v|)^2/2 in these logarithms, so by some g dt mu/|v| = 5e-4 of them in all.
    assert shrunk[0] == pytest.approx(shrunk[1], rel=1e-3)
    turned = run.link_angle - run.link_angle.isel(time=0)
    assert float(abs(turned).max()) < 1e-12  # rad: all links feel the same, nothing bends
