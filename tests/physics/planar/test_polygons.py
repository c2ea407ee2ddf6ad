"""Polygons: corners are pegs without a radius, faces are walls, many corners make a peg, and no side is special."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.engine import contacts, stepper_in_poses
from oracles.outlines import regular_polygon
from pushpoint.engine.planar.kinematics import directions
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.signals import Command
from pushpoint.engine.state import State
from pushpoint.engine.stepper import Stepper
from pushpoint.model.environment import Environment, Peg, Polygon
from pushpoint.model.motor import Motor
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

DT = 1e-3
LINK = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03)
ROBOT = PlanarRobot.uniform(3, LINK, Motor(stiffness=5.0, damping=0.1))
TIGHT = Settings(dt=DT, tolerance=1e-8)
FINE = Settings(dt=DT / 10, tolerance=1e-8)
"""Where microns count: how often a step is iterated changes it by a share of its own error, dt^2."""


def pushed(
    obstacles: list[Obstacle], start: Start, loads: np.ndarray, *, rigid: bool = False, settings: Settings = TIGHT
) -> Stepper:
    """A robot with constant loads (x, y [N], moment [N m]) on its links."""
    stepper = stepper_in_poses([ROBOT], [Environment(obstacles=obstacles)], [start.pose(ROBOT, np.zeros(3))], settings)
    stepper.use_command(Command(prescribed=rigid, link_load=loads[None]), 1_000_000)
    return stepper


def turned(loads: np.ndarray, angle: float) -> np.ndarray:
    """Loads on a robot that is turned with everything around it."""
    e, left = directions(angle), directions(angle + np.pi / 2)
    return np.column_stack((loads[:, :1] * e + loads[:, 1:2] * left, loads[:, 2]))


def posture(state: State) -> np.ndarray:
    return np.concatenate((state.center[0], state.theta[0]))


def over_the_tip(obstacle: Obstacle) -> np.ndarray:
    """Postures [time, center and angles] of a robot that lies on the origin with its side, tips over and slides."""
    loads = np.array([[0.3, -1.0, 0.0], [0.3, -2.0, 0.0], [0.3, -1.4, 0.0]])
    stepper = pushed([obstacle], Start(position=(0.02, LINK.radius)), loads, settings=FINE)
    found = []
    for _ in range(10):
        stepper.advance(400)
        found.append(posture(stepper.state()))
    assert stepper.statuses() == [Status.RUNNING] and stepper.state().n_contacts[0, 1] == 1
    return np.array(found)


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_corner_is_a_peg_of_vanishing_radius(friction: float) -> None:
    tip = Polygon(vertices=[(0.0, 0.0), (-0.3, -0.5), (0.3, -0.5)], friction=friction)
    reference = over_the_tip(tip)
    assert np.abs(reference[-1, 2:]).max() > 0.2  # rad: it has turned about the tip
    errors = [
        np.abs(over_the_tip(Peg(x=0.0, y=-radius, radius=radius, friction=friction)) - reference).max()
        for radius in (1e-3, 1e-4, 1e-5)
    ]
    # The touching point is off by the radius times the turn; ten times less radius, ten times less error.
    assert errors[0] < 1e-3
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.02) and errors[2] == pytest.approx(errors[1] / 10, rel=0.02)


@pytest.mark.parametrize("face", range(4))
@pytest.mark.parametrize("lean", [0.0, 0.3])
def test_square_bears_on_each_face(face: int, lean: float) -> None:
    angle = lean + face * np.pi / 2
    square = regular_polygon((0.2, -0.1), 0.5 * np.sqrt(2), 4, turned=lean + np.pi / 4)
    outward = directions(angle)
    place = np.array([0.2, -0.1]) + (0.5 + LINK.radius) * outward
    heading = angle - np.pi / 2  # the face is on the robot's right
    loads = turned(np.tile([0.0, -1.5, 0.0], (3, 1)), heading)
    stepper = pushed([square], Start(position=place, heading=heading), loads, rigid=True)
    stepper.advance(1000)
    state = stepper.state()
    assert max(np.abs(state.v).max(), np.abs(state.omega).max() * LINK.length) < 1e-9  # m/s: it rests
    np.testing.assert_array_equal(state.n_contacts, [[2, 2, 2]])
    found = contacts(stepper)
    np.testing.assert_allclose([c.W_N[:2] for c in found], np.tile(outward, (6, 1)), atol=1e-8)  # rad: it lies flat
    assert sum(c.P[0] for c in found) / DT == pytest.approx(4.5, abs=1e-6)  # N: the tolerance is 1e-8 of its weight


@pytest.mark.parametrize("face", range(4))
def test_square_stops_a_head_at_each_face(face: int) -> None:
    angle = 0.3 + face * np.pi / 2
    square = regular_polygon((0.0, 0.0), 0.1 * np.sqrt(2), 4, turned=0.3 + np.pi / 4)
    outward, v = directions(angle), 0.4
    gap = v * DT * 10.5 - 5e-7  # so that the midpoint of step 10 finds an overlap below the slop
    place = (0.1 + gap + LINK.radius + 1.5 * LINK.length) * outward
    start = Start(position=place, heading=angle + np.pi, velocity=-v * outward)
    stepper = pushed([square], start, np.zeros((3, 3)), rigid=True)
    stepper.advance(20)
    np.testing.assert_allclose(stepper.state().v, 0.0, atol=1e-9)  # m/s: plastic, tolerance
    impulse = stepper.totals("obstacle")[0].sum(axis=0)
    np.testing.assert_allclose(impulse, ROBOT.mass * v * outward, atol=1e-8)  # N s


@pytest.mark.parametrize("turn", [0.0, 0.02, 0.05, 0.1])
def test_many_corners_carry_like_a_peg(turn: float) -> None:
    # Lever rule on two round obstacles at -d and d. A polygon touches a side with a corner, off by R sin(pi/n) at most.
    R, d, n = 0.05, 0.2, 48
    off = R * np.sin(np.pi / n)
    height = R + LINK.radius - R * (1 - np.cos(np.pi / n))  # all touch after at most that way
    loads = np.array([[0.0, -1.0, 0.0], [0.0, -2.0, 0.0], [0.0, -3.0, 0.0]])
    round_ones = [regular_polygon((x, 0.0), R, n, turned=np.pi / 2 + turn * k) for k, x in ((1, -d), (-2, d))]
    stepper = pushed(round_ones, Start(position=(0.0, height + 2e-4)), loads, rigid=True)
    stepper.advance(1000)
    at_front = (6 * d + (3 - 1) * LINK.length) / (2 * d)  # N: moments about the rear one
    front = sum(c.P[0] for c in contacts(stepper) if c.peg == 1) / DT
    rear = sum(c.P[0] for c in contacts(stepper) if c.peg == 0) / DT
    assert rear + front == pytest.approx(6.0, abs=1e-4)
    # Two places are off by `off`, on a distance of 2 d: to first order, and a robot that leans slides a little.
    assert front == pytest.approx(at_front, abs=6.0 * 2 * off / (2 * d) + 1e-4)


@pytest.mark.parametrize("turn", [0.0, 0.03, 0.06])
def test_many_corners_hold_a_head_like_two_pegs(turn: float) -> None:
    # A head between two round obstacles at (0, -h) and (0, h): each bears F/(2 cos b), sin b = h/(R + r).
    R, h, n, F = 0.05, 0.05, 48, 3.0
    pair = [regular_polygon((0.0, y), R, n, turned=y / h * turn) for y in (-h, h)]
    loads = np.tile([F / 3, 0.0, 0.0], (3, 1))
    stepper = pushed(pair, Start(position=(-0.3 - 0.0635, 0.0)), loads, rigid=True)
    stepper.advance(3000)
    assert np.abs(stepper.state().v).max() < 1e-6  # m/s: it stands
    for contact in contacts(stepper):
        # Exactly balanced with its own normals, and within the polygon's half angle of the peg's.
        assert contact.P[0] / DT == pytest.approx(F / (2 * abs(contact.W_N[0])), rel=1e-4)
        off = np.arcsin(abs(contact.W_N[1])) - np.arcsin(h / (R + LINK.radius))
        assert abs(off) < np.pi / n


@pytest.mark.parametrize("angle", [0.0, 0.7])
@pytest.mark.parametrize("clearance", [-2e-3, 2e-3])
def test_robot_passes_between_two_faces_only_if_it_fits(clearance: float, angle: float) -> None:
    gap, F = 2 * LINK.radius + clearance, 60.0
    e, left = directions(angle), directions(angle + np.pi / 2)
    pair = [
        regular_polygon(tuple(side * (gap / 2 + 0.1) * left), 0.1 * np.sqrt(2), 4, turned=angle + np.pi / 4)
        for side in (-1, 1)
    ]
    start = Start(position=-0.45 * e, heading=angle)
    stepper = pushed(pair, start, turned(np.tile([F / 3, 0.0, 0.0], (3, 1)), angle), rigid=True)
    stepper.advance(1000)
    head = stepper.state().center[0] @ e + 0.3
    assert stepper.statuses() == [Status.RUNNING]
    if clearance > 0:
        assert head > 1.0
        return
    # The end circle sits on both corners, which are at -0.1 along the way.
    assert head == pytest.approx(
        -0.1 - np.sqrt(LINK.radius**2 - gap**2 / 4), abs=1e-4
    )  # m: an overlap of 3e-5, leaning
    assert np.abs(stepper.state().v).max() < 1e-6
    towards = np.sqrt(1 - (gap / 2 / LINK.radius) ** 2)
    force = [c.P[0] / DT for c in contacts(stepper)]
    np.testing.assert_allclose(force, F / (2 * towards), rtol=1e-3)  # the normals lean by the overlap


def among(polygons: list[Obstacle], angle: float) -> np.ndarray:
    """Posture of a robot that was thrown between obstacles, in the frame turned by `angle`."""
    start = Start(heading=0.1 + angle, position=(0.0, 0.0), velocity=0.3 * directions(angle), spin=0.5)
    stepper = pushed(polygons, start, turned(np.tile([1.0, 0.2, 0.0], (3, 1)), angle))
    stepper.advance(500)
    state = stepper.state()
    assert np.linalg.norm(stepper.totals("obstacle")[0]) > 0.1  # N s: it did meet them
    turn = np.array([directions(angle), directions(angle + np.pi / 2)])
    return np.concatenate((turn @ state.center[0], state.theta[0] - angle))


def course(angle: float, shift: int, *, backward: bool) -> list[Obstacle]:
    """Three polygons turned about the origin; their corners listed from another one on, or the other way round."""
    made = []
    for (x, y), n in (((0.42, 0.05), 5), ((0.0, 0.12), 3), ((0.2, -0.15), 7)):
        center = x * directions(angle) + y * directions(angle + np.pi / 2)
        vertices = np.roll(regular_polygon(tuple(center), 0.07, n, turned=0.2 + angle).vertices, shift, axis=0)
        made.append(Polygon(vertices=vertices[:: -1 if backward else 1].tolist(), friction=0.2))
    return made


@pytest.mark.parametrize(
    ("angle", "shift", "backward"), [(0.0, 1, False), (0.0, 2, True), (1.0, 0, False), (-2.5, 1, True)]
)
def test_no_direction_and_no_corner_is_special(angle: float, shift: int, backward: bool) -> None:
    # Round-off of 1e-16 in the corners grows through half a second of hits and sliding, and the solver's tolerance too.
    expected = among(course(0.0, 0, backward=False), 0.0)
    np.testing.assert_allclose(among(course(angle, shift, backward=backward), angle), expected, atol=1e-7)
