"""Channels: a straight robot in one of its own width slides as if alone; a narrowing one bears it like a wedge."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.engine import contacts, stepper_in_poses
from pushpoint.engine.planar.kinematics import directions
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.signals import Command
from pushpoint.engine.stepper import Stepper
from pushpoint.model.courses.channels import corridor
from pushpoint.model.environment import Environment, Wall
from pushpoint.model.motor import Motor
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

DT = 1e-3
LINK = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03)
WIDTH = 2 * LINK.radius
BODIES = {"limp": (Motor(), False), "servos": (Motor(stiffness=100.0, damping=1.0), False), "rigid": (Motor(), True)}
SLOP = 1e-6  # m: overlap that the engine leaves alone


def between(
    obstacles: tuple[Obstacle, ...] | list[Obstacle],
    start: Start,
    body: str = "rigid",
    load: tuple[float, float] = (0, 0),
) -> Stepper:
    """A straight robot of four links, each with the same load [N]."""
    motor, prescribed = BODIES[body]
    robot = PlanarRobot.uniform(4, LINK, motor)
    pose = start.pose(robot, np.zeros(4))
    stepper = stepper_in_poses([robot], [Environment(obstacles=obstacles)], [pose], Settings(dt=DT, tolerance=1e-6))
    stepper.use_command(Command(prescribed=prescribed, link_load=np.tile([*load, 0.0], (1, 4, 1))), 1_000_000)
    return stepper


@pytest.mark.parametrize("narrower", [0.0, 1e-6])
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("heading", [0.0, 0.6])
def test_channel_of_its_own_width_is_not_felt(heading: float, body: str, narrower: float) -> None:
    e, left = directions(heading), directions(heading + np.pi / 2)
    walls = corridor(tuple(-1.0 * e), tuple(3.0 * e), width=WIDTH - narrower)
    stepper = between(walls, Start(heading=heading, velocity=0.2 * e), body)
    stepper.advance(5000)
    state = stepper.state()
    np.testing.assert_array_equal(state.n_contacts, [[4, 4, 4, 4]])  # both ends, both sides
    np.testing.assert_allclose(state.v[0], np.tile(0.2 * e, (4, 1)), atol=1e-12)  # m/s: round-off
    assert state.center[0] @ e == pytest.approx(1.0, abs=1e-11)  # m: round-off of 5000 steps
    assert abs(state.center[0] @ left) < 1e-11 and np.abs(state.omega).max() < 1e-11  # nothing shakes
    # N s in 5 s: a round-off of 1e-17 m/s counts a hundredfold as squeeze, in every step.
    assert np.abs(stepper.totals("obstacle")).max() < 1e-6
    assert stepper.totals("unconverged") == 0


def test_rough_channel_of_its_own_width_brakes_with_what_is_pressed() -> None:
    # Pressed to the right with N = m a, friction mu there: the stop of a sliding body. Friction's moment mu N r about
    # the axis shifts the normals; the left wall may bear part of it, on an arm of half the robot at least.
    mu, a, v = 0.3, 2.0, 0.4
    N = 4 * LINK.mass * a
    walls = corridor((-1.0, 0.0), (3.0, 0.0), width=WIDTH, friction=mu)
    stepper = between(walls, Start(velocity=(v, 0.0)), load=(0.0, -N / 4))
    stepper.advance(2000)
    assert np.abs(stepper.state().v).max() < 1e-9  # m/s
    left, right = (sum(c.P[0] for c in contacts(stepper) if c.peg == side) / DT for side in (0, 1))
    assert right - left == pytest.approx(N, abs=1e-4)  # N: the tolerance is 1e-6 of its weight
    assert 0.0 <= left < mu * N * LINK.radius / 0.4
    # The way is that of the right wall alone less what the left one brakes; the last step's (mu a dt/v)^2/4 is 6e-7.
    assert stepper.state().center[0, 0] == pytest.approx(v**2 / (2 * mu * a), rel=2 * left / N)


@pytest.mark.parametrize("body", BODIES)
def test_robot_turned_in_a_wider_channel_rattles_to_rest_along_a_wall(body: str) -> None:
    walls = corridor((-1.0, 0.0), (3.0, 0.0), width=WIDTH + 4e-3)
    stepper = between(walls, Start(heading=4e-3, velocity=(0.2, 0.0)), body, load=(0.0, 0.5))
    stepper.advance(4000)
    state = stepper.state()
    np.testing.assert_allclose(state.v[0], np.tile([0.2, 0.0], (4, 1)), atol=1e-3)  # hits push along it by their lean
    np.testing.assert_allclose(state.v[0, :, 1], 0.0, atol=1e-9)
    assert state.center[0, 1] == pytest.approx(2e-3, abs=2 * SLOP)  # on the left
    np.testing.assert_allclose(state.theta, 0.0, atol=2 * SLOP / LINK.length)


def wedge(half_angle: float, friction: float = 0.0) -> list[Wall]:
    """Walls that close along +x and touch an end circle centred at the origin."""
    walls = []
    for side in (1, -1):
        inward = -np.array([np.sin(half_angle), side * np.cos(half_angle)])
        along = np.array([np.cos(half_angle), -side * np.sin(half_angle)])
        middle = -(LINK.radius + 0.005) * inward
        ends = (tuple(middle - 0.03 * along), tuple(middle + 0.1 * along))
        walls.append(Wall(start=ends[0], end=ends[1], thickness=0.01, friction=friction))
    return walls


def at_wedge(walls: list[Wall], speed: float, body: str = "rigid") -> Stepper:
    """A robot pushed with 2 N into a wedge, from 1 mm before it."""
    return between(walls, Start(position=(-0.4 - 1e-3, 0.0), velocity=(speed, 0.0)), body, load=(0.5, 0.0))


@pytest.mark.parametrize("body", ["servos", "rigid"])
@pytest.mark.parametrize("half_angle", [0.5, 0.1])
@pytest.mark.parametrize("speed", [0.0, 0.3])
def test_smooth_wedge_bears_with_f_over_2_sin(speed: float, half_angle: float, body: str) -> None:
    stepper = at_wedge(wedge(half_angle), speed, body)
    stepper.advance(3000)
    assert np.abs(stepper.state().v).max() < 1e-9  # m/s
    force = [c.P[0] / DT for c in contacts(stepper)]
    np.testing.assert_allclose(force, [1.0 / np.sin(half_angle)] * 2, rtol=1e-4)  # 1e-3 g dt: 5e-3 N at each link
    assert abs(stepper.state().center[0, 0] + 0.4) < 2 * SLOP / np.sin(half_angle)  # m: an overlap of the slop
    assert stepper.totals("unconverged") == 0


def test_rough_wedge_below_its_friction_angle_lets_go() -> None:
    # tan(0.5) = 0.55 > mu: pulled back, the robot comes out at once.
    stepper = at_wedge(wedge(0.5, friction=0.3), 0.0)
    stepper.advance(1000)
    stepper.use_command(Command(prescribed=True, link_load=np.tile([-0.5, 0.0, 0.0], (1, 4, 1))), 1_000_000)
    stepper.advance(500)
    np.testing.assert_allclose(stepper.state().v[0, :, 0], -0.5 / LINK.mass * 0.5, rtol=2e-3)  # free from step 1 on


@pytest.mark.parametrize("friction", [0.3, 1.0])
@pytest.mark.parametrize("speed", [0.3, 0.5])
def test_rough_wedge_above_its_friction_angle_holds(speed: float, friction: float) -> None:
    # tan(0.1) < mu: driven in, the robot stays when it is pulled back with as much.
    stepper = at_wedge(wedge(0.1, friction=friction), speed)
    stepper.advance(1000)
    place = stepper.state().center
    hit = 4 * LINK.mass * (speed + 0.05) / DT / np.sin(0.1)  # N: what the hit itself may leave as a squeeze, at most
    assert max(c.P[0] / DT for c in contacts(stepper)) < hit
    stepper.use_command(Command(prescribed=True, link_load=np.tile([-0.5, 0.0, 0.0], (1, 4, 1))), 1_000_000)
    stepper.advance(1000)
    np.testing.assert_allclose(stepper.state().center, place, atol=1e-6)
    assert stepper.totals("unconverged") == 0 and stepper.statuses() == [Status.RUNNING]


@pytest.mark.parametrize("body", ["servos", "rigid"])
@pytest.mark.parametrize("narrower", [1e-5, 1e-4])
def test_channel_too_narrow_does_not_squeeze_without_bound(narrower: float, body: str) -> None:
    walls = corridor((-1.0, 0.0), (3.0, 0.0), width=WIDTH - narrower)
    stepper = between(walls, Start(velocity=(0.2, 0.0), position=(0.0, 1e-7), heading=3e-5), body)
    stepper.advance(500)
    assert max(c.P[0] for c in contacts(stepper)) / DT < 10.0  # N: nothing drives it against the walls
    assert stepper.totals("unconverged") == 0
    np.testing.assert_allclose(stepper.state().v[0, :, 0], 0.2, atol=1e-3)  # m/s: smooth walls do not brake
