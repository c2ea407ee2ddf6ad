"""Courses: random pegs, corridors, channels and the published ones."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pushpoint.engine.planar.kinematics import directions, link_positions
from pushpoint.errors import InvalidModel, UnknownName
from pushpoint.gaits import LateralUndulation
from pushpoint.model.catalogue import aiko_planar, holden2014, liljeback2011
from pushpoint.model.courses import CourseFull, Disc, Posture, Rectangle, channel, corridor, random_pegs, sine
from pushpoint.model.environment import Environment, Peg, Wall
from pushpoint.papers.liljeback2011 import courses as liljeback2011_courses
from pushpoint.papers.transeth2008a import courses as transeth2008a_courses
from pushpoint.papers.transeth2008a.courses import track_of

AREA = Rectangle(x=(0.0, 3.0), y=(-1.0, 1.0))


def table(pegs: tuple[Peg, ...]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([(peg.x, peg.y) for peg in pegs]), np.array([peg.radius for peg in pegs])


def face_distance(points: np.ndarray, walls: tuple[Wall, ...]) -> np.ndarray:
    """Distance of points from the nearest wall face, written out independently of the generator."""
    nearest = np.full(len(points), np.inf)
    for wall in walls:
        start, end = np.array(wall.start), np.array(wall.end)
        share = np.clip((points - start) @ (end - start) / np.sum((end - start) ** 2), 0.0, 1.0)
        distance = np.hypot(*(points - start - share[:, None] * (end - start)).T) - wall.thickness / 2
        nearest = np.minimum(nearest, distance)
    return nearest


# Random pegs


@settings(max_examples=30, deadline=None)
@given(
    density=st.floats(0.0, 8.0),
    low=st.floats(0.02, 0.06),
    spread=st.floats(0.0, 0.05),
    clearance=st.floats(0.0, 0.1),
    seed=st.integers(0, 2**32),
)
def test_random_pegs_keep_every_promise(density: float, low: float, spread: float, clearance: float, seed: int) -> None:
    zones = (Disc(x=1.0, y=0.0, radius=0.3), Rectangle(x=(2.0, 2.5), y=(-0.2, 0.9)))
    pegs = random_pegs(
        density=density, radius=(low, low + spread), clearance=clearance, seed=seed, area=AREA, keep_out=zones
    )
    centers, radii = table(pegs) if pegs else (np.empty((0, 2)), np.empty(0))
    assert len(pegs) == round(density * 6.0)
    assert np.all((radii >= low) & (radii <= low + spread))
    assert np.all((centers >= (0.0, -1.0)) & (centers <= (3.0, 1.0)))
    gaps = np.linalg.norm(centers[:, None] - centers, axis=-1) - radii[:, None] - radii
    assert np.all(gaps[~np.eye(len(pegs), dtype=bool)] >= clearance - 1e-12)
    assert np.all(np.hypot(centers[:, 0] - 1.0, centers[:, 1]) >= 0.3 + radii - 1e-12)
    beyond = np.maximum(np.array([2.0, -0.2]) - centers, centers - np.array([2.5, 0.9]))
    assert np.all(np.linalg.norm(np.maximum(beyond, 0.0), axis=1) >= radii - 1e-12)
    assert np.all(np.diff(centers[:, 0]) >= 0.0)


def test_same_seed_same_course_and_another_seed_another() -> None:
    first, again, other = (
        random_pegs(density=4.0, radius=(0.03, 0.08), seed=seed, area=AREA, friction=0.2, restitution=0.1)
        for seed in (7, 7, 8)
    )
    assert first == again != other
    assert {(peg.friction, peg.restitution) for peg in first} == {(0.2, 0.1)}
    assert Environment(obstacles=first).obstacles == first


@pytest.mark.parametrize("robot", [aiko_planar(), holden2014()], ids=["uniform", "masses off centre"])
@pytest.mark.parametrize("link", [None, 3])
def test_pegs_keep_the_gap_to_a_robot(robot: Any, link: int | None) -> None:
    theta = 0.8 * np.sin(np.linspace(0.0, 5.0, robot.n_links))
    posture = Posture(robot=robot, link_angles=tuple(theta), position=(1.5, 0.1), link=link, gap=0.02)
    pegs = random_pegs(density=6.0, radius=(0.03, 0.06), seed=3, area=AREA, keep_out=posture)
    centers, radii = table(pegs)
    # The oracle places the links by the engine's own kinematics and walks along their sides.
    center = np.array([1.5, 0.1])
    if link is not None:
        center = center - link_positions(robot, np.zeros(2), theta)[link]
    e = directions(theta)
    middle = link_positions(robot, center, theta) - robot.column("mass_offset")[:, None] * e
    along = np.linspace(-0.5, 0.5, 2001)[:, None, None] * (robot.column("side_length")[:, None] * e)
    axis = (middle + along).reshape(-1, 2)
    link_radius = np.tile(robot.column("radius"), 2001)
    gap = [
        (np.hypot(*(axis - center).T) - link_radius).min() - radius
        for center, radius in zip(centers, radii, strict=True)
    ]
    assert 0.02 - 1e-9 <= min(gap) < 0.1
    exact = posture.distance(centers) + posture.gap - radii
    np.testing.assert_allclose(gap, exact, atol=1e-6)  # the walk has steps of 0.06 mm


def test_a_full_course_says_how_many_pegs_it_holds() -> None:
    # A square of 1 m holds at most two discs of radius 0.45 m with their centres in it and 0.3 m between them.
    with pytest.raises(CourseFull, match=r"density = 20.0, must be lower.*: [12] of 20 pegs placed") as caught:
        random_pegs(
            density=20.0, radius=(0.45, 0.45), clearance=0.3, seed=0, area=Rectangle(x=(0.0, 1.0), y=(0.0, 1.0))
        )
    assert caught.value.wanted == 20 and 1 <= caught.value.placed <= 2
    assert isinstance(caught.value, InvalidModel)


def test_a_keep_out_that_covers_the_area_leaves_no_room() -> None:
    with pytest.raises(CourseFull, match="0 of 6 pegs placed"):
        random_pegs(density=1.0, radius=(0.1, 0.1), seed=0, area=AREA, keep_out=Disc(x=1.5, y=0.0, radius=5.0))


GOOD: dict[str, Any] = {"density": 1.0, "radius": (0.1, 0.2), "seed": 0, "area": AREA}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"density": -1.0}, "density = -1.0, must be finite and >= 0"),
        ({"density": math.nan}, "density = nan"),
        ({"radius": (0.2, 0.1)}, "smallest first"),
        ({"radius": (0.0, 0.1)}, r"radius\[0\] = 0.0, must be finite and > 0"),
        ({"radius": 0.1}, "two numbers"),
        ({"clearance": -0.1}, "clearance = -0.1"),
        ({"seed": -1}, "seed = -1, must be a whole number >= 0"),
        ({"seed": 0.5}, "seed = 0.5"),
        ({"area": ((0, 1), (0, 1))}, "area"),
        ({"keep_out": [(0, 0, 1)]}, r"keep_out\[0\] = \(0, 0, 1\), must be a Disc, a Rectangle or a Posture"),
        ({"friction": -0.1}, "friction = -0.1"),
    ],
)
def test_random_pegs_refuse(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        random_pegs(**(GOOD | changes))


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: Rectangle(x=(1.0, 1.0), y=(0.0, 1.0)), "rectangle.x"),
        (lambda: Disc(x=0.0, y=0.0, radius=0.0), "disc.radius"),
        (lambda: Posture(robot=aiko_planar(), link_angles=(0.0,) * 10), "11 angles for 11 links"),
        (lambda: Posture(robot=aiko_planar(), link_angles=(0.0,) * 11, link=11), "posture.link = 11, must be 0 to 10"),
        (lambda: Posture(robot=aiko_planar(), link_angles=(0.0,) * 11, gap=-1.0), "posture.gap"),
    ],
)
def test_zones_refuse(build: Any, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        build()


def test_distances_of_the_zones() -> None:
    points = np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 5.0]])
    np.testing.assert_allclose(Disc(x=0.0, y=0.0, radius=1.0).distance(points), [-1.0, 1.0, math.sqrt(41) - 1.0])
    np.testing.assert_allclose(Rectangle(x=(-1.0, 1.0), y=(-2.0, 1.0)).distance(points), [-1.0, 1.0, 5.0])


# Corridors and channels


def test_a_corridor_is_two_parallel_walls_of_the_given_width() -> None:
    left, right = corridor((1.0, 0.0), (1.0, 2.0), width=0.3, thickness=0.02, friction=0.1, restitution=0.2)
    # The way leads along +y, so left is -x; middle lines stand half a width and half a thickness off.
    assert left.start == pytest.approx((0.84, 0.0)) and left.end == pytest.approx((0.84, 2.0))
    assert right.start == pytest.approx((1.16, 0.0)) and right.end == pytest.approx((1.16, 2.0))
    assert {(wall.thickness, wall.friction, wall.restitution) for wall in (left, right)} == {(0.02, 0.1, 0.2)}


def test_a_right_angle_is_mitred() -> None:
    walls = channel([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)], width=0.18, thickness=0.02, tolerance=0.0)
    corners = [(0.0, 0.1), (0.9, 0.1), (0.9, 1.0), (0.0, -0.1), (1.1, -0.1), (1.1, 1.0)]
    expected = [*pairwise(corners[:3]), *pairwise(corners[3:])]
    for wall, (start, end) in zip(walls, expected, strict=True):
        assert wall.start == pytest.approx(start) and wall.end == pytest.approx(end)


@pytest.mark.parametrize("tolerance", [0.0, 1e-3, 5e-3])
def test_a_winding_channel_is_as_wide_as_asked_everywhere(tolerance: float) -> None:
    line = sine(length=2.5, amplitude=0.2, wavelength=1.2, start=(0.3, -0.1), heading=0.4)
    walls = channel(line, width=0.2, tolerance=tolerance)
    inside = line[10:-10]
    distance = face_distance(inside, walls)
    # The walls follow chords of the line: a point of it is off by up to the tolerance, and never nearer than that.
    assert distance.min() >= 0.1 - tolerance - 1e-9
    assert distance.max() <= 0.1 + tolerance + 1e-9
    assert len(walls) % 2 == 0
    for before, after in pairwise(walls[: len(walls) // 2]):
        assert before.end == after.start
    if tolerance:
        assert len(walls) < 2 * len(line) / 4


def test_fewer_walls_for_a_larger_tolerance() -> None:
    line = sine(length=2.5, amplitude=0.2, wavelength=1.2)
    counts = [len(channel(line, width=0.2, tolerance=tolerance)) for tolerance in (0.0, 1e-4, 1e-3, 1e-2)]
    assert counts == sorted(counts, reverse=True) and counts[0] > 5 * counts[2]


def test_a_channel_around_the_track_of_a_robot_lets_its_posture_pass() -> None:
    # TA17: a body on its own serpenoid track.
    robot = aiko_planar()
    gait = LateralUndulation(
        amplitude=math.radians(40), angular_frequency=math.radians(80), phase_shift=math.radians(-50), phase=math.pi
    )
    track = track_of(robot, gait, 5, (0.52, 0.16))
    walls = channel(track.points, width=0.18)
    posture = Posture(robot=robot, link_angles=tuple(gait.link_angles(robot)), position=(0.52, 0.16), link=5)
    steps = np.linspace(0.0, 1.0, 50)[:, None]
    points = np.concatenate([np.array(wall.start) * (1 - steps) + np.array(wall.end) * steps for wall in walls])
    gap = posture.distance(points).min() - walls[0].thickness / 2
    # 0.09 m half width less the body's radius of 0.0525 m is 37.5 mm. At the sharpest bend, 40 deg, straight links cut
    # the curve by L / 2 (1 / sin 20 deg - 1 / tan 20 deg) = 10.8 mm, and as they are as long as the arc and not as its
    # chord, the ends of the body stray by some millimetres more.
    assert 0.015 < gap < 0.0375 - 0.0108
    assert 100 < len(walls) < 400


@pytest.mark.parametrize(
    ("line", "width", "sentence"),
    [
        ([(0.0, 0.0)], 0.1, r"center_line = \(1, 2\)"),
        ([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], 0.1, r"center_line = \(2, 3\)"),
        ([(0.0, 0.0), ("a", 0.0)], 0.1, "numbers of shape"),
        ([(0.0, 0.0), (math.nan, 0.0)], 0.1, r"center_line\[1"),
        (
            [(0.0, 0.0), (1.0, 0.0), (1.0, 0.0)],
            0.1,
            r"center_line\[2\] = \(1.0, 0.0\), must be different from the point",
        ),
        ([(0.0, 0.0), (1.0, 0.0), (0.2, 0.0)], 0.1, "180 deg"),
        ([(0.0, 0.0), (1.0, 0.0)], 0.0, "width = 0.0, must be finite and > 0"),
        # A bend of radius 0.1 in a channel of half width 0.15.
        (0.1 * np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0, 3, 40)]), 0.3, "a wall would be inside the"),
        # Short pieces around a right angle: the inner walls would run backward.
        ([(0.0, 0.0), (0.1, 0.0), (0.1, 0.1)], 0.4, "a wall would be inside the"),
        # A hairpin whose legs are 0.3 m apart.
        ([(0.0, 0.0), (2.0, 0.0), (2.0, 0.3), (0.0, 0.3)], 0.4, "a wall would be inside the"),
        # A line that crosses itself at a right angle, far from its corners.
        ([(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (2.0, 2.0), (2.0, -2.0)], 0.1, "a wall would be inside the"),
    ],
)
def test_channels_refuse(line: Any, width: float, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        channel(line, width=width, thickness=0.01, tolerance=0.0)


def test_a_corridor_of_no_length_is_refused() -> None:
    with pytest.raises(InvalidModel, match="different from the point"):
        corridor((0.0, 0.0), (0.0, 0.0), width=0.1)


def test_a_sine_reaches_its_amplitude_to_the_left_first() -> None:
    line = sine(length=2.0, amplitude=0.3, wavelength=1.0, start=(1.0, 1.0), heading=math.pi / 2)
    np.testing.assert_allclose(line[0], (1.0, 1.0))
    np.testing.assert_allclose(line[-1], (1.0, 3.0), atol=1e-12)
    assert line[:, 0].min() == pytest.approx(0.7) and line[:, 0].max() == pytest.approx(1.3)
    assert line[5, 0] < 1.0  # heading +y, so left is -x


# Published courses


def test_transeth2008a_viii_d_2_seven_obstacles() -> None:
    pegs = transeth2008a_courses.obstacles(friction=0.1)
    assert [(peg.x, peg.y) for peg in pegs[::3]] == [(0.0507, 0.1761), (1.1532, 0.0031), (2.2588, 0.1745)]
    assert {peg.radius for peg in pegs} == {0.125} and {peg.friction for peg in pegs} == {0.1} and len(pegs) == 7


@pytest.mark.parametrize(
    ("environment", "count", "last", "overlap"),
    [(1, 5, (-0.006, 0.248, 0.1), 0.041), (2, 4, (0.317, 0.159, 0.15), 0.084), (3, 4, (0.146, 0.243, 0.15), 0.010)],
)
def test_liljeback2011_iv_c_environments(environment: int, count: int, last: Any, overlap: float) -> None:
    pegs = liljeback2011_courses.obstacles(environment)
    assert len(pegs) == count
    assert (pegs[-1].x, pegs[-1].y, pegs[-1].radius) == pytest.approx(last)
    posture = Posture(robot=liljeback2011(), link_angles=liljeback2011_courses.printed_link_angles(environment), link=9)
    centers, radii = table(pegs)
    # An independent prototype found the printed start poses to overlap by 41, 84 and 10 mm, rounded to 1 mm.
    assert -(posture.distance(centers) - radii).min() == pytest.approx(overlap, abs=5e-4)


def test_published_courses_by_name() -> None:
    assert len(transeth2008a_courses.obstacles()) == 7
    assert [len(liljeback2011_courses.obstacles(environment)) for environment in (1, 2, 3)] == [5, 4, 4]
    with pytest.raises(UnknownName, match="unknown environment of Liljeback2011 '4'"):
        liljeback2011_courses.obstacles(4)
