"""Walls: flat contacts rest on two points per link, corners carry what hangs over, hits and friction follow the book.

Frame: e along the wall, n from the wall to the robot; the robot lies straight beside it, its centre at the origin.
"""

from __future__ import annotations

import numpy as np
import pytest

from oracles.engine import contacts, stepper_in_poses
from oracles.outlines import CORNERS, contacts_by_feature
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.stepper import Stepper
from pushpoint.model.environment import Environment, Wall
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

DT = 1e-3
LINK = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03)
LONG = PlanarLink(length=0.6, mass=0.9, inertia=3e-2, radius=0.03)
HALF = 0.005  # m: half of the walls' thickness
BODIES = {"limp": (Motor(), False), "servos": (Motor(stiffness=100.0, damping=1.0), False), "rigid": (Motor(), True)}
SLOP = 1e-6  # m: overlap that the engine leaves alone


def axes(heading: float) -> tuple[np.ndarray, np.ndarray]:
    return np.array([np.cos(heading), np.sin(heading)]), np.array([-np.sin(heading), np.cos(heading)])


def wall(first: float, last: float, heading: float = 0.0, **surface: float) -> Wall:
    """A wall whose face touches the robot's right side, from `first` to `last` along the robot [m]."""
    e, n = axes(heading)
    depth = -(LINK.radius + HALF) * n
    return Wall(start=tuple(first * e + depth), end=tuple(last * e + depth), thickness=2 * HALF, **surface)


def beside(walls: list[Wall], body: str, *, start: Start, loads: np.ndarray, link: PlanarLink = LINK) -> Stepper:
    """A straight robot with constant loads (x, y [N], moment [N m]) on its links."""
    motor, prescribed = BODIES[body]
    robot = PlanarRobot.uniform(len(loads), link, motor)
    pose = start.pose(robot, np.zeros(len(loads)))
    environment = Environment(obstacles=walls)
    stepper = stepper_in_poses([robot], [environment], [pose], Settings(dt=DT, tolerance=1e-6))
    stepper.use_command(Command(prescribed=prescribed, link_load=loads[None]), 1_000_000)
    return stepper


def speed(stepper: Stepper) -> float:
    """Fastest velocity of any link [m/s], rotation by link length."""
    state = stepper.state()
    return float(max(np.abs(state.v).max(), np.abs(state.omega).max() * LINK.length))


def forces(stepper: Stepper, heading: float) -> tuple[np.ndarray, np.ndarray]:
    """Where contacts act along the wall [m] and their normal forces [N]."""
    e, n = axes(heading)
    found = contacts(stepper)
    np.testing.assert_allclose([contact.W_N[:2] for contact in found], np.tile(n, (len(found), 1)), atol=1e-6)
    places = [contact.rear_joint @ e + contact.W_N[2] for contact in found]  # the arm about J is along the wall
    return np.array(places), np.array([contact.P[0] for contact in found]) / DT


@pytest.mark.parametrize("heading", [0.0, 0.4, -2.5])
@pytest.mark.parametrize("body", BODIES)
def test_flat_robot_rests_without_rocking(body: str, heading: float) -> None:
    e, n = axes(heading)
    press = np.array([1.0, 0.6, 1.4, 0.9])
    turn = np.array([0.02, -0.03, 0.05, 0.0])  # too little to lift any end: a link alone would bear 0.06 N m and more
    loads = np.column_stack((-press[:, None] * n, turn))
    stepper = beside([wall(-1.0, 1.0, heading)], body, start=Start(heading=heading), loads=loads)
    begin = stepper.state()
    stepper.advance(20)
    assert speed(stepper) < 1e-9  # m/s, required
    stepper.advance(5000 - 20)
    state = stepper.state()
    assert speed(stepper) < 1e-9
    assert np.abs(state.center - begin.center).max() < 1e-8  # m in 5 s: the first steps may sink at the tolerance
    assert np.abs(state.theta - begin.theta).max() < 1e-7  # rad: likewise, over half a link
    np.testing.assert_array_equal(state.n_contacts, [[2, 2, 2, 2]])
    where, force = forces(stepper, heading)
    along = link_positions(PlanarRobot.uniform(4, LINK), np.zeros(2), np.full(4, heading)) @ e
    assert (force >= 0.0).all()
    # The solver stops at 1e-6 g dt, so that a link's balance may miss 1e-6 of its weight: 5e-6 N, 5e-7 N m.
    assert force.sum() == pytest.approx(press.sum(), abs=4 * 5e-6)
    assert force @ where == pytest.approx(press @ along - turn.sum(), abs=4 * 5e-6 * 0.4)
    assert stepper.totals("unconverged") == 0


def test_link_longer_than_the_wall_rests_on_its_corners() -> None:
    # One rigid body on two points a < b: the lever rule. The wall stands under the tail link only.
    a, b = -0.35, -0.05
    loads = np.array([[0.0, -3.0, 0.05], [0.0, -0.5, 0.0]])
    stepper = beside([wall(a, b)], "rigid", start=Start(), loads=loads, link=LONG)
    stepper.advance(2000)
    assert [feature for feature, _ in contacts_by_feature(stepper)] == [CORNERS, CORNERS + 1]
    where, force = forces(stepper, 0.0)
    total, middle = 3.5, (3.0 * -0.3 + 0.5 * 0.3 - 0.05) / 3.5
    np.testing.assert_allclose(where, [a, b], atol=1e-6)  # m: it has crept less than that
    np.testing.assert_allclose(force, [total * (b - middle) / (b - a), total * (middle - a) / (b - a)], rtol=2e-5)
    assert speed(stepper) < 1e-6  # m/s: no friction holds it along the wall, a lean of 1e-9 rad lets it slide


def test_link_that_hangs_over_falls_off() -> None:
    stepper = beside([wall(-0.3, 0.0)], "rigid", start=Start(position=(0.02, 0.0)), loads=np.full((2, 3), [0, -1.0, 0]))
    stepper.advance(300)
    # The centre of mass is 0.02 m beyond the corner: it tips over it, to the right.
    assert stepper.state().omega[0, 0] < -0.01


@pytest.mark.parametrize("restitution", [0.0, 0.6])
@pytest.mark.parametrize("tilt", [0.3, -0.3])
def test_tilted_hit(tilt: float, restitution: float) -> None:
    # The lower end, h below the middle, hits with the arm d: the body turns with w = P d/I, and at the end of the step,
    # half a step after the midpoint that found it, the end shall rise at e v: P (1/m + d^2/I) + dt/2 w^2 h = (1 + e) v.
    v, n_links = 0.4, 3
    arm = -np.sign(tilt) * 1.5 * LINK.length * np.cos(tilt)
    mass, inertia = 3 * LINK.mass, 3 * LINK.inertia + 2 * LINK.mass * LINK.length**2
    way = v * DT * 10.5 - SLOP / 2  # the midpoint of step 10 finds it overlapped by less than the slop
    height = 1.5 * LINK.length * abs(np.sin(tilt)) + way
    stepper = beside(
        [wall(-1.0, 1.0, restitution=restitution)], "rigid",
        start=Start(heading=tilt, position=(0.0, height), velocity=(0.0, -v)), loads=np.zeros((n_links, 3)),
    )  # fmt: skip
    stepper.advance(11)
    bend = DT / 2 * (arm / inertia) ** 2 * 1.5 * LINK.length * abs(np.sin(tilt))
    P = max(np.roots([bend, 1 / mass + arm**2 / inertia, -(1 + restitution) * v]))
    state = stepper.state()
    np.testing.assert_allclose(state.omega[0], P * arm / inertia, rtol=1e-6)  # the tolerance is 2e-8 of the speed
    assert state.v[0, :, 1].mean() == pytest.approx(P / mass - v, rel=1e-6)
    assert stepper.totals("obstacle")[0, :, 1].sum() == pytest.approx(P, rel=1e-6)


@pytest.mark.parametrize("body", BODIES)
def test_tilted_robot_falls_flat_and_stays(body: str) -> None:
    start = Start(heading=0.2, position=(0.0, 0.09), velocity=(0.0, -0.3))
    stepper = beside([wall(-1.0, 1.0)], body, start=start, loads=np.full((4, 3), [0.0, -1.0, 0.0]))
    stepper.advance(4000)
    state = stepper.state()
    assert speed(stepper) < 1e-9
    np.testing.assert_allclose(state.theta, 0.0, atol=2 * SLOP / LINK.length)  # ends may keep overlaps up to the slop
    np.testing.assert_allclose(state.center[0, 1], 0.0, atol=2 * SLOP)
    np.testing.assert_array_equal(state.n_contacts, [[2, 2, 2, 2]])


@pytest.mark.parametrize("heading", [0.0, 1.1])
@pytest.mark.parametrize("body", ["limp", "rigid"])
def test_sliding_along_a_rough_wall_stops_after_v2_over_2_mu_a(body: str, heading: float) -> None:
    # Pressed with N = m a per link, a = 3 m/s^2. Friction acts a radius below the axis: it shifts the normals by mu r,
    # not out of the link. As on the ground, only the last step errs, by (mu a dt/v)^2/4 of the way.
    mu, a, v = 0.3, 3.0, 0.2
    e, n = axes(heading)
    loads = np.tile([*(-a * LINK.mass * n), 0.0], (4, 1))
    walls = [wall(-1.0, 1.0, heading, friction=mu)]
    stepper = beside(walls, body, start=Start(heading=heading, velocity=v * e), loads=loads)
    stepper.advance(100)
    assert stepper.state().v[0] @ e == pytest.approx(v - mu * a * 0.1, rel=1e-6)
    drag = np.array([contact.P[1] / contact.P[0] for contact in contacts(stepper) if contact.P[0] > 1e-6])
    np.testing.assert_allclose(drag, -mu * np.sign(contacts(stepper)[0].W_T[:2] @ e), rtol=1e-6)  # all at the limit
    stepper.advance(900)
    assert stepper.state().center[0] @ e == pytest.approx(v**2 / (2 * mu * a), rel=1e-4)  # (mu a dt/v)^2/4 is 5e-6
    assert speed(stepper) < 1e-9
    place = stepper.state().center
    stepper.advance(2000)
    np.testing.assert_allclose(stepper.state().center, place, atol=1e-12)  # m: it sticks


def test_seam_between_two_walls_in_line_is_hardly_felt() -> None:
    # A contact exists from a gap of 1e-6 m on, so that an end meets the next wall's round end early, at a lean of
    # sqrt(2e-6/(r + h)) at most; to pass it costs up to the lean's square of the speed. Six ends pass two seams.
    lean = np.sqrt(2 * 1e-6 / (LINK.radius + HALF))
    loads = np.tile([0.0, -0.5, 0.0], (3, 1))
    walls = [wall(-1.0, 0.35), wall(0.35, 0.5), wall(0.5, 1.5)]
    stepper = beside(walls, "rigid", start=Start(velocity=(0.3, 0.0)), loads=loads)
    highest = 0.0
    for _ in range(200):
        stepper.advance(10)
        highest = max(highest, float(stepper.state().center[0, 1]))
    assert 0.0 <= 1 - stepper.state().v[0, :, 0].min() / 0.3 < 12 * lean**2
    assert highest < (0.3 * lean) ** 2 / 2  # m: how far it hops with the load's 1 m/s^2
    assert stepper.state().center[0, 1] > -SLOP and speed(stepper) == pytest.approx(0.3, rel=12 * lean**2)
