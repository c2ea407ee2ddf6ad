"""SpatialStart: where a robot is put, how it is turned, what is refused."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from oracles.spatial.states import mixed_robot, single_link
from pushpoint.engine.planar.start import Start
from pushpoint.engine.spatial.kinematics import link_poses, rotation_of
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel, StartOverlap
from pushpoint.gaits import LateralUndulation, Sidewinding
from pushpoint.model.catalogue import aiko, liljeback2014
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.joints import Yaw
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import Box, HeightField, Stairs
from pushpoint.worlds.world import World

ROBOT = mixed_robot()
LEVEL = Environment()
ANGLES = (0.3, -0.2, 0.5, 0.1, -0.4, 0.2)


def links_of(robot: SpatialRobot, pose: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Centres of mass and rotation matrices."""
    places, frames = link_poses(robot, pose["center"], pose["tail"], pose["angle"])
    return places, rotation_of(frames)


class TestPlace:
    def test_centre_of_mass(self) -> None:
        pose = SpatialStart(joint_angles=ANGLES, position=(1.0, 2.0, 3.0)).pose(ROBOT, LEVEL)
        places, _ = links_of(ROBOT, pose)
        np.testing.assert_allclose(ROBOT.column("mass") @ places / ROBOT.mass, [1.0, 2.0, 3.0], atol=1e-14)

    @pytest.mark.parametrize("link", [0, 2, 4])
    def test_one_link(self, link: int) -> None:
        pose = SpatialStart(joint_angles=ANGLES, link=link, position=(1.0, 2.0, 3.0)).pose(ROBOT, LEVEL)
        np.testing.assert_allclose(links_of(ROBOT, pose)[0][link], [1.0, 2.0, 3.0], atol=1e-14)

    def test_two_numbers_place_a_link_over_them_and_put_the_robot_down(self) -> None:
        pose = SpatialStart(joint_angles=ANGLES, link=3, position=(1.0, 2.0)).pose(ROBOT, LEVEL)
        places, _ = links_of(ROBOT, pose)
        np.testing.assert_allclose(places[3, :2], [1.0, 2.0], atol=1e-14)
        assert places[:, 2].min() < 0.06

    def test_straight_at_the_origin_unless_told(self) -> None:
        pose = SpatialStart().pose(aiko(), LEVEL)
        places, R = links_of(aiko(), pose)
        np.testing.assert_allclose(places[:, 0], 0.122 * (np.arange(11) - 5), atol=1e-14)
        np.testing.assert_allclose(places[:, 1:], [[0.0, 0.0525]] * 11, atol=1e-8)  # m: put down to 1e-9
        np.testing.assert_allclose(R, [np.eye(3)] * 11, atol=1e-14)
        assert not pose["v"].any() and not pose["omega"].any() and not pose["rate"].any()


class TestOrientation:
    def test_heading_is_the_mean_of_the_links(self) -> None:
        robot = aiko()
        yaw = np.array([axis.name == "yaw" for axis in robot.axes])
        angles = np.where(yaw, np.linspace(-0.2, 0.4, 20), 0.0)
        _, R = links_of(robot, SpatialStart(joint_angles=angles, heading=0.7).pose(robot, LEVEL))
        headings = np.arctan2(R[:, 1, 0], R[:, 0, 0])
        assert headings.mean() == pytest.approx(0.7, abs=1e-12)

    def test_body_lies_level_on_the_mean(self) -> None:
        robot = aiko()
        pitch = np.array([axis.name == "pitch" for axis in robot.axes])
        angles = np.where(pitch, np.linspace(-0.1, 0.2, 20), 0.0)
        _, R = links_of(robot, SpatialStart(joint_angles=angles).pose(robot, LEVEL))
        assert np.arcsin(-R[:, 2, 0]).mean() == pytest.approx(0.0, abs=1e-12)

    @pytest.mark.parametrize("gait", [
        LateralUndulation(amplitude=0.6, angular_frequency=1.4, phase_shift=-0.9, phase=1.0),
        Sidewinding(yaw_amplitude=0.5, pitch_amplitude=0.2, angular_frequency=1.4, phase_shift=-0.9),
    ])  # fmt: skip
    def test_gait_gives_posture_and_the_angle_it_swings_about(self, gait: Any) -> None:
        robot = aiko()
        pose = World(robot, LEVEL, gait, SpatialStart(heading=0.3)).pose()
        np.testing.assert_allclose(pose["angle"], gait.references(np.zeros(1), robot)[0][0])
        _, R = links_of(robot, pose)
        level = Rotation.from_euler("z", 0.3 + gait.link_angles(robot)[0]).as_matrix()
        np.testing.assert_allclose(R[0][:2, 0] / np.linalg.norm(R[0][:2, 0]), level[:2, 0], atol=1e-12)

    def test_orientation_turns_the_whole_posture(self) -> None:
        turn = Rotation.from_euler("zyx", [0.4, 0.5, -1.2])
        quaternion = 3.0 * turn.as_quat(scalar_first=True)  # any size: it is made a unit quaternion
        place = {"joint_angles": ANGLES, "position": (0.1, 0.2, 3.0)}
        lying, turned = (
            links_of(ROBOT, SpatialStart(**place, **more).pose(ROBOT, LEVEL))
            for more in ({}, {"orientation": quaternion})
        )
        np.testing.assert_allclose(turned[1], turn.as_matrix() @ lying[1], atol=1e-14)
        middle = np.array([0.1, 0.2, 3.0])
        np.testing.assert_allclose(turned[0] - middle, turn.apply(lying[0] - middle), atol=1e-14)

    def test_heading_is_an_orientation_about_the_vertical(self) -> None:
        quaternion = (math.cos(0.35), 0.0, 0.0, math.sin(0.35))
        a = SpatialStart(joint_angles=ANGLES, heading=0.7, position=(0, 0, 1)).pose(ROBOT, LEVEL)
        b = SpatialStart(joint_angles=ANGLES, orientation=quaternion, position=(0, 0, 1)).pose(ROBOT, LEVEL)
        np.testing.assert_allclose(a["tail"], b["tail"], atol=1e-15)


class TestVelocity:
    def test_of_centre_and_tail(self) -> None:
        start = SpatialStart(
            joint_angles=ANGLES, joint_rates=(1, 2, 3, 4, 5, 6), position=(0, 0, 2), velocity=(0.1, 0.2, 0.3),
            angular_velocity=(0.4, 0.5, 0.6), heading=1.0,
        )  # fmt: skip
        pose = start.pose(ROBOT, LEVEL)
        np.testing.assert_allclose(ROBOT.column("mass") @ pose["v"] / ROBOT.mass, [0.1, 0.2, 0.3], atol=1e-14)
        _, R = links_of(ROBOT, pose)
        np.testing.assert_allclose(R[0] @ pose["omega"][0], [0.4, 0.5, 0.6], atol=1e-14)
        np.testing.assert_allclose(pose["rate"], [1, 2, 3, 4, 5, 6])

    def test_of_links_in_a_plane_as_the_planar_robot_has_them(self) -> None:
        # Both tails turn at the rate that is given, and the rates of the joints add up toward the head.
        rates, spin = (1.0, -2.0, 0.5), 0.7
        link = SpatialLink(length=0.1, mass=0.5, inertia=(1e-4, 5e-4, 5e-4), radius=0.02)
        robot = SpatialRobot.uniform(4, link, Yaw())
        start = SpatialStart(joint_rates=rates, angular_velocity=(0, 0, spin), position=(0, 0, 1))
        planar = PlanarRobot.uniform(4, PlanarLink(length=0.1, mass=0.5, inertia=5e-4, radius=0.02))
        expected = Start(joint_rates=rates, spin=spin).pose(planar)
        pose = start.pose(robot, LEVEL)
        np.testing.assert_allclose(expected["omega"], spin + np.cumsum((0.0, *rates)), atol=1e-15)
        np.testing.assert_allclose(pose["omega"][:, 2], expected["omega"], atol=1e-15)
        np.testing.assert_allclose(pose["v"][:, :2], expected["v"], atol=1e-15)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "zero quaternion": ({"orientation": (0, 0, 0, 0)}, r"^start\.orientation = .*, must be a quaternion .* not zero$"),
    "three numbers": ({"orientation": (1, 0, 0)}, r"^start\.orientation = .*, must be 4 numbers"),
    "NaN quaternion": ({"orientation": (1, 0, math.nan, 0)}, r"^start\.orientation\[2\] = nan, must be finite"),
    "infinite quaternion": ({"orientation": (math.inf, 0, 0, 0)}, r"^start\.orientation\[0\] = inf, must be finite"),
    "a word": ({"orientation": "up"}, r"^start\.orientation = 'up', must be 4 numbers"),
    "both headings": (
        {"orientation": (1, 0, 0, 0), "heading": 0.1},
        r"^start\.heading = 0\.1, must be 0 if an orientation is given$",
    ),
    "angles of another robot": (
        {"joint_angles": (0.0,) * 5},
        r"^start\.joint_angles = 5, must be 6 numbers for 6 axes$",
    ),
    "rates of another robot": ({"joint_rates": (0.0,)}, r"^start\.joint_rates = 1, must be 6 numbers for 6 axes$"),
    "one coordinate": ({"position": (0.0,)}, r"^start\.position = .*, must be two numbers x, y or three"),
    "four coordinates": ({"position": (0.0,) * 4}, r"^start\.position = .*, must be two numbers x, y or three"),
    "NaN place": ({"position": (0, math.nan, 0)}, r"^start\.position\[1\] = nan, must be finite \[m\]$"),
    "no place": ({"position": None}, r"^start\.position = None, must be two numbers"),
    "planar velocity": ({"velocity": (0.1, 0.2)}, r"^start\.velocity = .*, must be 3 numbers \[m/s\]$"),
    "planar spin": ({"angular_velocity": 0.3}, r"^start\.angular_velocity = 0\.3, must be 3 numbers \[rad/s\]$"),
    "infinite heading": ({"heading": math.inf}, r"^start\.heading = inf, must be finite \[rad\]$"),
    "link past the head": ({"link": 5}, r"^start\.link = 5, must be 0 to 4 for 5 links$"),
    "link before the tail": ({"link": -1}, r"^start\.link = -1, must be 0 to 4 for 5 links$"),
    "half a link": ({"link": 0.5}, r"^start\.link = 0\.5, must be 0 to 4"),
    "link true": ({"link": True}, r"^start\.link = True, must be 0 to 4"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_sentence(case: str) -> None:
    fields, words = REFUSED[case]
    with pytest.raises(InvalidModel, match=words):
        SpatialStart(**fields).pose(ROBOT, LEVEL)


LINK = single_link()  # 0.122 m long, spheres 39.3 mm fore and aft, radius 52.5 mm
RADIUS = 0.0525


def overlap(environment: Environment, start: SpatialStart, robot: SpatialRobot = LINK, world: int = 0) -> StartOverlap:
    with pytest.raises(StartOverlap) as caught:
        World(robot, environment, start=start).pose(world)
    return caught.value


class TestOverlap:
    def test_in_the_ground(self) -> None:
        error = overlap(LEVEL, SpatialStart(position=(0, 0, 0.05)), world=3)
        assert str(error) == "start: link 0 overlaps the ground by 2.5 mm (world 3), must be clear"
        assert (error.world, error.link, error.obstacle) == (3, 0, None)
        assert error.depth == pytest.approx(0.0025, abs=1e-12)

    def test_in_a_slope(self) -> None:
        place = Environment(ground=Ground(slope=0.3, slope_direction=math.pi))  # rises toward -x
        low = SpatialStart(position=(0, 0, 0.06))
        rear = np.array([-0.0393, 0.0, 0.06])
        depth = RADIUS - (rear @ [math.sin(0.3), 0.0, math.cos(0.3)])
        assert overlap(place, low).depth == pytest.approx(depth, abs=1e-12)

    def test_inside_a_step(self) -> None:
        stairs = Stairs(foot=(-0.5, 0.0), steps=3, rise=0.1, run=0.3)
        far = Peg(x=5.0, y=5.0, radius=0.1)
        error = overlap(Environment(obstacles=[far, stairs]), SpatialStart(position=(0.0, 0.0, 0.2)), aiko())
        assert error.obstacle == 1 and "overlaps obstacle 1 by " in str(error)
        assert error.depth > 0.03

    def test_in_the_top_of_a_step(self) -> None:
        box = Box(center=(0.0, 0.0, 0.05), size=(0.4, 0.4, 0.1))
        error = overlap(Environment(obstacles=[box]), SpatialStart(position=(0.0, 0.0, 0.15)))
        assert str(error) == "start: link 0 overlaps obstacle 0 by 2.5 mm (world 0), must be clear"

    def test_on_a_nose_between_the_spheres(self) -> None:
        # The spheres are clear of the edge: 45 mm away from 39.3 mm; the axis is 50 mm above it.
        rail = Box(center=(0.0, 0.0, 0.05), size=(1e-3, 0.4, 0.1))
        error = overlap(Environment(obstacles=[rail]), SpatialStart(position=(0.0, 0.0, 0.15)))
        assert error.depth == pytest.approx(0.0025, abs=1e-9)

    def test_beside_a_peg(self) -> None:
        place = Environment(obstacles=[Peg(x=0.0, y=0.15, radius=0.1)])
        error = overlap(place, SpatialStart(position=(0.0, 0.0, 1.0)))  # a peg has no upper end
        assert error.depth == pytest.approx(RADIUS + 0.1 - 0.15, abs=1e-12)

    def test_names_the_deepest(self) -> None:
        boxes = [Box(center=(x, 0.0, 0.05), size=(0.1, 0.4, height)) for x, height in ((-0.4, 0.12), (0.5, 0.124))]
        error = overlap(Environment(obstacles=boxes), SpatialStart(position=(0.0, 0.0, 0.16)), aiko())
        assert error.obstacle == 1 and error.link in (8, 9, 10)
        assert error.depth == pytest.approx(RADIUS - (0.16 - 0.112), abs=1e-9)

    @pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-3, -1e-10])
    def test_touching_is_allowed(self, gap: float) -> None:
        place = Environment(obstacles=[Box(center=(0.0, 0.0, 0.05), size=(0.4, 0.4, 0.1))])
        on_box = World(LINK, place, start=SpatialStart(position=(0.0, 0.0, 0.1 + RADIUS + gap))).pose()
        on_ground = World(LINK, LEVEL, start=SpatialStart(position=(0.0, 0.0, RADIUS + gap))).pose()
        assert (on_box["center"][2], on_ground["center"][2]) == (0.1 + RADIUS + gap, RADIUS + gap)

    def test_a_micrometre_is_overlap(self) -> None:
        error = overlap(LEVEL, SpatialStart(position=(0.0, 0.0, RADIUS - 1e-6)))
        assert str(error) == "start: link 0 overlaps the ground by 0.001 mm (world 0), must be clear"

    def test_square_link_with_its_corners(self) -> None:
        # Rolled by 45 degrees a square link reaches down to its rounded edge.
        robot = liljeback2014()
        corner = 0.0035 + (0.035 - 0.0035) * math.sqrt(2)
        quaternion = (math.cos(math.pi / 8), math.sin(math.pi / 8), 0.0, 0.0)
        start = SpatialStart(orientation=quaternion, position=(0.0, 0.0, corner - 1e-3))
        assert overlap(LEVEL, start, robot).depth == pytest.approx(1e-3, abs=1e-9)


class TestHeights:
    slope = HeightField(heights=np.add.outer(0.3 * 0.1 * np.arange(41), np.zeros(41)), spacing=0.1, origin=(-2.0, -2.0))

    def test_on_a_plane_of_heights(self) -> None:
        place = Environment(ground=Ground(heights=self.slope))
        s = math.atan(0.3)
        over = 0.6 + RADIUS / math.cos(s)  # above (0, 0), where the plane is 0.6 m high
        turn = Rotation.from_euler("y", -s).as_quat(scalar_first=True)
        World(LINK, place, start=SpatialStart(orientation=turn, position=(0.0, 0.0, over))).pose()
        error = overlap(place, SpatialStart(orientation=turn, position=(0.0, 0.0, over - 1e-3)))
        assert error.obstacle is None and error.depth == pytest.approx(1e-3 * math.cos(s), abs=1e-9)

    def test_on_a_crest(self) -> None:
        x = 0.1 * np.arange(-10, 11)
        crest = HeightField(heights=np.add.outer(0.5 - np.abs(x), 0 * x), spacing=0.1, origin=(-1.0, -1.0))
        place = Environment(ground=Ground(heights=crest))
        World(LINK, place, start=SpatialStart(position=(0.0, 0.0, 0.5 + RADIUS))).pose()
        assert overlap(place, SpatialStart(position=(0.0, 0.0, 0.5 + RADIUS - 1e-3))).depth == pytest.approx(
            1e-3, abs=1e-4
        )

    @pytest.mark.parametrize(("x", "height"), [(-3.0, 0.0), (4.0, 0.3)])
    def test_beyond_the_rim(self, x: float, height: float) -> None:
        field = HeightField(heights=[[0.0, 0.0], [0.3, 0.3]], spacing=1.0)
        place = Environment(ground=Ground(heights=field))
        World(LINK, place, start=SpatialStart(position=(x, 0.5, height + RADIUS))).pose()
        pose = World(LINK, place, start=SpatialStart(position=(x, 0.5))).pose()
        assert pose["center"][2] == pytest.approx(height + RADIUS, abs=1e-8)


class TestPutDown:
    def test_lowest_sphere_touches(self) -> None:
        robot = aiko()
        pitch = np.array([axis.name == "pitch" for axis in robot.axes])
        angles = np.where(pitch, 0.1 * np.cos(np.arange(20)), 0.0)
        pose = SpatialStart(joint_angles=angles, position=(0.3, -0.2)).pose(robot, LEVEL)
        places, R = links_of(robot, pose)
        lowest = min(
            float((p + s * 0.0393 * frame[:, 0])[2]) for p, frame in zip(places, R, strict=True) for s in (-1, 1)
        )
        assert 0.0 <= lowest - RADIUS < 1e-8  # m
        np.testing.assert_allclose(pose["center"][:2], [0.3, -0.2], atol=1e-14)

    def test_level_on_a_slope(self) -> None:
        place = Environment(ground=Ground(slope=0.2, slope_direction=1.0))
        pose = SpatialStart(position=(1.0, 0.5), orientation=(1.0, 0.0, 0.0, 0.0)).pose(LINK, place)
        n = np.array([-math.sin(0.2) * math.cos(1.0), -math.sin(0.2) * math.sin(1.0), math.cos(0.2)])
        gap = min(float((pose["center"] + s * np.array([0.0393, 0, 0])) @ n) for s in (-1, 1)) - RADIUS
        assert 0.0 <= gap < 1e-8  # m

    @pytest.mark.parametrize(("x", "height"), [(0.0, 0.1), (0.2, 0.1), (1.0, 0.0)])
    def test_on_a_box_or_beside_it(self, x: float, height: float) -> None:
        place = Environment(obstacles=[Box(center=(0.0, 0.0, 0.05), size=(0.4, 0.4, 0.1))])
        pose = SpatialStart(position=(x, 0.0)).pose(LINK, place)
        assert pose["center"][2] == pytest.approx(height + RADIUS, abs=1e-8)

    def test_on_the_nose_of_a_step(self) -> None:
        # Across the edge of a box, only its axis reaches over it.
        rail = Box(center=(0.0, 0.0, 0.05), size=(0.01, 0.4, 0.1))
        pose = SpatialStart(position=(0.0, 0.0)).pose(LINK, Environment(obstacles=[rail]))
        assert pose["center"][2] == pytest.approx(0.1 + RADIUS, abs=1e-8)

    def test_beneath_nothing(self) -> None:
        # Pegs have no top to be put on: a robot put down into one overlaps it.
        place = Environment(obstacles=[Peg(x=0.0, y=0.1, radius=0.1)])
        assert SpatialStart(position=(0.0, 0.0)).pose(LINK, place)["center"][2] == pytest.approx(RADIUS, abs=1e-8)
        assert overlap(place, SpatialStart(position=(0.0, 0.0))).obstacle == 0

    def test_on_heights(self) -> None:
        place = Environment(ground=Ground(heights=TestHeights.slope))
        pose = SpatialStart(position=(0.0, 0.0), heading=math.pi / 2).pose(LINK, place)
        s = math.atan(0.3)
        assert pose["center"][2] == pytest.approx(0.6 + RADIUS / math.cos(s), abs=1e-8)

    def test_is_quick_beside_many_boxes(self) -> None:
        boxes = [
            Box(center=(0.3 * i, 0.3 * j, 0.02), size=(0.2, 0.2, 0.04)) for i in range(-5, 5) for j in range(-5, 5)
        ]
        begin = time.perf_counter()
        pose = SpatialStart(position=(0.0, 0.0)).pose(aiko(), Environment(obstacles=boxes))
        assert time.perf_counter() - begin < 5.0  # s: on busy machines too
        assert pose["center"][2] == pytest.approx(0.04 + RADIUS, abs=1e-8)
