"""Spatial robots, terrain and varying friction: what they refuse at birth, in which words, and what follows."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pushpoint.errors import InvalidModel, shown
from pushpoint.model.environment import Environment, Ground, Peg, Polygon, Region, Wall, check_fits
from pushpoint.model.friction import Elliptic, Frictionless, Isotropic, Varying, Viscous
from pushpoint.model.joints import LEFT, UP, Axis, Cardan, Pitch, Yaw
from pushpoint.model.motor import FREE, Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import Box, HeightField, Stairs

LINK = SpatialLink(length=0.1, mass=0.5, inertia=(1e-4, 2e-4, 2e-4), radius=0.03)
SQUARE = dataclasses.replace(LINK, shape="square")
PLANAR_LINK = PlanarLink(length=0.1, mass=0.5, inertia=1e-3, radius=0.03)
M1, M2 = Motor(stiffness=1.0), Motor(stiffness=2.0)
BOX = Box(center=(0.0, 0.0, 0.1), size=(0.3, 0.2, 0.1))
STAIRS = Stairs(foot=(1.0, 0.0), steps=3, rise=0.1, run=0.2)
FLAT = np.zeros((3, 4))


def link(**changes: Any) -> Callable[[], SpatialLink]:
    return lambda: dataclasses.replace(LINK, **changes)


def square(**changes: Any) -> Callable[[], SpatialLink]:
    return lambda: dataclasses.replace(SQUARE, **changes)


def robot(**fields: Any) -> Callable[[], SpatialRobot]:
    return lambda: SpatialRobot(**({"links": (LINK,) * 3} | fields))


def uniform(n_links: Any, link: Any = LINK, joints: Any = FREE) -> Callable[[], SpatialRobot]:
    return lambda: SpatialRobot.uniform(n_links, link, joints)


def box(**changes: Any) -> Callable[[], Box]:
    return lambda: dataclasses.replace(BOX, **changes)


def stairs(**changes: Any) -> Callable[[], Stairs]:
    return lambda: dataclasses.replace(STAIRS, **changes)


def field(heights: Any, **fields: Any) -> Callable[[], HeightField]:
    return lambda: HeightField(heights=heights, **({"spacing": 0.1} | fields))


def with_hole(value: float) -> np.ndarray:
    heights = FLAT.copy()
    heights[2, 1] = value
    return heights


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (link(inertia=1e-3), "link.inertia = 0.001, must be three numbers: about x (roll), y and z [kg m^2]"),
    (link(inertia=(1e-3, 1e-3)), "link.inertia = (0.001, 0.001), must be three numbers: about x (roll), y and z"),
    (link(inertia=(1e-3, 0, 1e-3)), "link.inertia[1] = 0, must be finite and > 0 [kg m^2]"),
    (link(inertia=(1e-3, 1e-3, math.nan)), "link.inertia[2] = nan, must be finite and > 0 [kg m^2]"),
    (link(inertia=("a", 1, 1)), "link.inertia[0] = 'a', must be a number > 0 [kg m^2]"),
    (
        link(inertia=(1.0, 2.0, 4.0)),
        "link.inertia = (1.0, 2.0, 4.0), must be such that none exceeds the sum of the other two [kg m^2]",
    ),
    (link(shape="oval"), "link.shape = 'oval', must be one of 'round', 'square'"),
    (link(corner_radius=0.01), "link.corner_radius = 0.01, must be given for square links only"),
    (square(corner_radius=0.031), "link.corner_radius = 0.031, must be at most link.radius = 0.03 [m]"),
    (lambda: Cardan(yaw=5.0), "joint.yaw = 5.0, must be a Motor"),  # type: ignore[arg-type]
    (lambda: Cardan(pitch=None), "joint.pitch = None, must be a Motor"),  # type: ignore[arg-type]
    (lambda: Yaw("motor"), "joint.motor = 'motor', must be a Motor"),  # type: ignore[arg-type]
    (lambda: Pitch(3), "joint.motor = 3, must be a Motor"),  # type: ignore[arg-type]
    (robot(links=()), "robot.links = 0, must be 1 to 5000 links"),
    (robot(links=(LINK,) * 5001), "robot.links = 5001, must be 1 to 5000 links"),
    (robot(links=5), "robot.links = 5, must be a sequence, each entry a SpatialLink"),
    (robot(links=(LINK, PLANAR_LINK)), "robot.links[1] = a PlanarLink, must be a SpatialLink"),
    (robot(joints=(Yaw(),)), "robot.joints = 1, must be 2 joints for 3 links, or one for all"),
    (robot(joints=(Yaw(), M1)), "robot.joints[1] = a Motor, must be a Cardan, Yaw or Pitch"),
    (robot(joints="yaw"), "robot.joints = 'yaw', must be a sequence, each entry a Cardan, Yaw or Pitch"),
    (
        robot(joints=(Cardan(), Cardan(axis_distance=0.1))),
        "robot.joints[1].axis_distance = 0.1, must be shorter than the link behind it, 0.1 [m]",
    ),
    (robot(self_contact=1), "robot.self_contact = 1, must be true or false"),
    (robot(self_friction=-0.1), "robot.self_friction = -0.1, must be finite and >= 0 [-]"),
    (uniform(0), "robot.n_links = 0, must be a whole number, 1 to 5000"),
    (uniform(True), "robot.n_links = True, must be a whole number, 1 to 5000"),
    (uniform(2.0), "robot.n_links = 2.0, must be a whole number, 1 to 5000"),
    (uniform(3, PLANAR_LINK), "robot.link = a PlanarLink, must be a SpatialLink"),
    (uniform(3, joints=()), "robot.joints = (), must be at least one joint"),
    (uniform(3, joints=(Yaw(), FREE)), "robot.joints[1] = a Motor, must be a Cardan, Yaw or Pitch"),
    (box(center=(0, 0)), "box.center = (0, 0), must be three numbers x, y, z [m]"),
    (box(center=3), "box.center = 3, must be three numbers x, y, z [m]"),
    (box(center=(0, 0, math.inf)), "box.center[2] = inf, must be finite [m]"),
    (box(size=(1, 1, 1, 1)), "box.size = (1, 1, 1, 1), must be three lengths [m]"),
    (box(size=(1, 0, 1)), "box.size[1] = 0, must be finite and > 0 [m]"),
    (box(size=(1, 1, -1)), "box.size[2] = -1, must be finite and > 0 [m]"),
    (stairs(foot=(0, 0, 0)), "stairs.foot = (0, 0, 0), must be two numbers x, y [m]"),
    (stairs(steps=0), "stairs.steps = 0, must be a whole number, 1 to 1000"),
    (stairs(steps=1001), "stairs.steps = 1001, must be a whole number, 1 to 1000"),
    (stairs(steps=2.0), "stairs.steps = 2.0, must be a whole number, 1 to 1000"),
    (stairs(steps=True), "stairs.steps = True, must be a whole number, 1 to 1000"),
    (field(FLAT[0]), "height_field.heights = (4,), must be of shape (columns, rows) [m]"),
    (field(FLAT[:1]), "height_field.heights = (1, 4), must be of shape (columns, rows), both 2 or more"),
    (field(np.zeros((2, 2, 2))), "height_field.heights = (2, 2, 2), must be of shape (columns, rows) [m]"),
    (field(with_hole(math.nan)), "height_field.heights[2, 1] = nan, must be finite [m]"),
    (field(with_hole(-math.inf)), "height_field.heights[2, 1] = -inf, must be finite [m]"),
    (field([[0, 1], [2]]), "height_field.heights = [[0, 1], [2]], must be numbers of shape (columns, rows) [m]"),
    (
        field([[0, "a"], [2, 3]]),
        "height_field.heights = [[0, 'a'], [2, 3]], must be numbers of shape (",
    ),
    (field(FLAT, origin=(0.0, math.nan)), "height_field.origin[1] = nan, must be finite [m]"),
    (field(FLAT, origin=0.0), "height_field.origin = 0.0, must be two numbers x, y [m]"),
    (lambda: Ground(heights=FLAT), "ground.heights = an array of shape ("),  # type: ignore[arg-type]
    (
        lambda: Ground(heights=HeightField(heights=FLAT, spacing=1.0), slope=0.1),
        "ground.slope = 0.1, must be 0 if the ground has heights",
    ),
    (lambda: Varying(law=0.2), "friction.law = 0.2, must be a friction law with constant coefficients"),  # type: ignore[arg-type]
    (lambda: Varying(law=Varying(law=Frictionless())), "friction.law = a Varying, must"),  # type: ignore[arg-type]
    (lambda: Varying(law=Frictionless(), around=()), "friction.around = (), must be at least one multiplier"),
    (lambda: Varying(law=Frictionless(), around=2.0), "friction.around = 2.0, must be a list of multipliers"),  # type: ignore[arg-type]
    (lambda: Varying(law=Frictionless(), around="12"), "friction.around = '12', must be a list of multipliers"),  # type: ignore[arg-type]
    (lambda: Varying(law=Frictionless(), around=(1, -1)), "friction.around[1] = -1, must be finite and >= 0 [-]"),
    (lambda: Environment(obstacles=[BOX, FLAT]), "obstacles[1] = an array of shape ("),  # type: ignore[list-item]
    (lambda: Environment(obstacles=STAIRS), "obstacles = a Stairs, must be a sequence, each entry a Peg, Wall"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(
    ("make", "sentence"), REFUSED, ids=[sentence.partition(",")[0][:40] for _, sentence in REFUSED]
)
def test_one_sentence_names_the_field_the_value_and_what_is_allowed(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(InvalidModel) as caught:
        make()
    assert str(caught.value).startswith(sentence)
    assert f"{caught.value.field} = {shown(caught.value.value)}, must be {caught.value.allowed}" == str(caught.value)


class TestLinks:
    def test_a_flat_disc_is_the_limit_of_what_inertia_can_be(self) -> None:
        assert dataclasses.replace(LINK, inertia=[1e-3, 2e-3, 1e-3]).inertia == (1e-3, 2e-3, 1e-3)
        with pytest.raises(InvalidModel):
            dataclasses.replace(LINK, inertia=(1e-3, 2.001e-3, 1e-3))

    def test_defaults(self) -> None:
        assert (LINK.side_length, LINK.mass_offset, LINK.shape, LINK.corner_radius) == (0.1, 0.0, "round", None)
        assert SQUARE.corner_radius == pytest.approx(0.003)  # a tenth of the radius
        assert dataclasses.replace(LINK, side_length=0).side_length == 0.0

    def test_a_round_link_touches_with_two_balls_on_its_axis(self) -> None:
        made = dataclasses.replace(LINK, side_length=0.06)
        assert [(ball.position, ball.radius) for ball in made.spheres] == [
            ((-0.03, 0.0, 0.0), 0.03),
            ((0.03, 0.0, 0.0), 0.03),
        ]

    def test_a_square_link_touches_with_eight_balls_inside_its_corners(self) -> None:
        made = dataclasses.replace(SQUARE, side_length=0.06, corner_radius=0.01)
        balls = np.array([ball.position for ball in made.spheres])
        assert len({ball.position for ball in made.spheres}) == 8 and {ball.radius for ball in made.spheres} == {0.01}
        # They reach exactly to the bar's sides: half its width across, half the straight side and a rounding along.
        np.testing.assert_allclose(np.abs(balls) + 0.01, np.tile([0.04, 0.03, 0.03], (8, 1)), rtol=1e-15)

    def test_a_corner_may_be_as_round_as_the_link(self) -> None:
        made = dataclasses.replace(SQUARE, corner_radius=0.03)
        assert {(ball.position[1:], ball.radius) for ball in made.spheres} == {((0.0, 0.0), 0.03)}


class TestRobots:
    def test_axes_run_from_tail_to_head_pitch_before_yaw(self) -> None:
        made = SpatialRobot(links=(LINK,) * 4, joints=(Cardan(yaw=M1, pitch=M2), Yaw(M2), Pitch(M1)))
        assert made.axes == (Axis(0, LEFT), Axis(0, UP), Axis(1, UP), Axis(2, LEFT))
        assert made.motors == (M2, M1, M2, M1)
        np.testing.assert_array_equal(made.motor_column("stiffness"), [2.0, 1.0, 2.0, 1.0])
        assert (made.n_links, made.n_joints) == (4, 4)

    def test_a_planar_robot_has_yaw_axes_alone(self) -> None:
        assert PlanarRobot.uniform(3, PLANAR_LINK).axes == (Axis(0, UP), Axis(1, UP))

    def test_a_pattern_of_joints_is_repeated(self) -> None:
        made = SpatialRobot.uniform(6, LINK, (Pitch(M1), Yaw(M2)), name="worm", source="a book")
        assert made.joints == (Pitch(M1), Yaw(M2), Pitch(M1), Yaw(M2), Pitch(M1))
        assert (made.name, made.source) == ("worm", "a book")
        assert SpatialRobot.uniform(4, LINK, [Yaw()]) == SpatialRobot(links=(LINK,) * 4, joints=Yaw())

    def test_joints_are_free_cardans_unless_given(self) -> None:
        assert SpatialRobot(links=(LINK, LINK)).joints == (Cardan(yaw=FREE, pitch=FREE, axis_distance=0.0),)
        assert (Yaw().motor, Pitch().motor, Yaw().axis_distance, Pitch().axis_distance) == (FREE, FREE, 0.0, 0.0)

    def test_a_single_link_is_a_robot_without_joints(self) -> None:
        for made in (SpatialRobot(links=(LINK,)), SpatialRobot.uniform(1, LINK, Cardan())):
            assert (made.n_links, made.n_joints, made.joints, made.axes) == (1, 0, (), ())
            assert made.motor_column("stiffness").shape == (0,)

    def test_lengths_and_masses_add_up(self) -> None:
        longer = dataclasses.replace(LINK, length=0.3, mass=1.5)
        made = SpatialRobot(links=(LINK, longer, LINK), joints=(Cardan(axis_distance=0.02), Yaw()))
        assert made.length == pytest.approx(0.52) and made.mass == pytest.approx(2.5)
        np.testing.assert_array_equal(made.column("length"), [0.1, 0.3, 0.1])
        np.testing.assert_array_equal(made.column("inertia"), [[1e-4, 2e-4, 2e-4]] * 3)

    def test_nothing_changes_after_birth(self) -> None:
        owners = ((LINK, "mass"), (Cardan(), "yaw"), (Yaw(), "motor"), (SpatialRobot(links=(LINK,)), "name"))
        for owner, name in (
            *owners,
            (BOX, "size"),
            (STAIRS, "rise"),
            (HeightField(heights=FLAT, spacing=1.0), "origin"),
        ):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(owner, name, 1.0)


class TestTerrain:
    def test_a_box_is_turned_about_z_then_its_y_then_its_x(self) -> None:
        made = dataclasses.replace(BOX, yaw=0.4, pitch=-0.7, roll=1.1)
        expected = Rotation.from_euler("ZYX", [0.4, -0.7, 1.1]).as_matrix()
        np.testing.assert_allclose(made.rotation, expected, atol=1e-15)  # round-off of a product of three matrices

    def test_a_box_keeps_its_numbers_as_tuples(self) -> None:
        made = Box(center=[0, 1, 2], size=np.array([1, 2, 3]))  # type: ignore[arg-type]
        assert (made.center, made.size) == ((0.0, 1.0, 2.0), (1.0, 2.0, 3.0))
        assert hash(made) == hash(Box(center=(0, 1, 2), size=(1, 2, 3)))

    @pytest.mark.parametrize("heading", [0.0, 2.3])
    def test_stairs_are_as_high_as_one_has_climbed(self, heading: float) -> None:
        made = dataclasses.replace(STAIRS, heading=heading, landing=0.5, width=0.8, friction=0.6, restitution=0.1)
        for ahead in np.arange(0.005, 0.9, 0.01):
            expected = 0.1 * min(int(ahead / 0.2) + 1, 3)
            for aside, height in ((0.39, expected), (-0.39, expected), (0.41, 0.0)):
                x = 1.0 + ahead * math.cos(heading) - aside * math.sin(heading)
                y = ahead * math.sin(heading) + aside * math.cos(heading)
                assert height_at(made.boxes, x, y) == pytest.approx(height)
        assert {(step.friction, step.restitution) for step in made.boxes} == {(0.6, 0.1)}
        assert (
            height_at(made.boxes, 1.0 - 0.01 * math.cos(heading), -0.01 * math.sin(heading)) == 0.0
        )  # before the foot
        beyond = 0.2 + 0.2 + 0.5 + 0.01
        assert height_at(made.boxes, 1.0 + beyond * math.cos(heading), beyond * math.sin(heading)) == 0.0

    def test_every_step_stands_on_the_ground(self) -> None:
        assert [step.center[2] - step.size[2] / 2 for step in STAIRS.boxes] == pytest.approx([0.0] * 3, abs=1e-15)

    def test_one_step_is_all_landing(self) -> None:
        (step,) = Stairs(foot=(0.0, 0.0), steps=1, rise=0.1, run=0.2).boxes
        assert step.size == (1.0, 2.0, 0.1)

    def test_heights_are_a_copy_that_cannot_be_written(self) -> None:
        mine = np.zeros((2, 2), dtype=np.int64)
        made = HeightField(heights=mine, spacing=0.1)
        mine[0, 0] = 5
        assert made.heights.dtype == np.float64 and made.heights[0, 0] == 0.0
        with pytest.raises(ValueError, match="read-only"):
            made.heights[0, 0] = 1.0

    def test_height_fields_are_equal_to_themselves_alone(self) -> None:
        one, other = (HeightField(heights=FLAT, spacing=0.1) for _ in range(2))
        assert one == one and one != other
        assert Ground(heights=one) == Ground(heights=one) != Ground(heights=other)


def height_at(boxes: tuple[Box, ...], x: float, y: float) -> float:
    """Height of the highest upright box over a point of the ground; 0 where there is none [m]."""
    heights = [0.0]
    for each in boxes:
        dx, dy = x - each.center[0], y - each.center[1]
        along = dx * math.cos(each.yaw) + dy * math.sin(each.yaw)
        across = dy * math.cos(each.yaw) - dx * math.sin(each.yaw)
        if abs(along) <= each.size[0] / 2 and abs(across) <= each.size[1] / 2:
            heights.append(each.center[2] + each.size[2] / 2)
    return max(heights)


class TestGroundAndFriction:
    def test_the_ground_is_level_and_smooth_unless_told(self) -> None:
        ground = Ground()
        assert (ground.rolling, ground.restitution, ground.slope, ground.slope_direction) == (0.0, 0.0, 0.0, 0.0)
        assert ground.heights is None

    def test_heights_may_have_a_direction_of_no_slope(self) -> None:
        field = HeightField(heights=FLAT, spacing=0.1)
        assert Ground(heights=field, slope=0.0, slope_direction=1.0).heights is field

    def test_any_plain_law_can_vary(self) -> None:
        for law in (Frictionless(), Isotropic(0.2), Elliptic(along=0.1, across=0.5), Viscous(along=1, across=2)):
            made = Varying(law=law, stick_ratio=1.5, stribeck_speed=0.02, around=[1, 0.5, np.float64(0.8)])
            assert (made.law, made.around) == (law, (1.0, 0.5, 0.8)) and hash(made) == hash(dataclasses.replace(made))

    def test_a_law_that_varies_is_constant_until_told_how(self) -> None:
        made = Varying(law=Isotropic(0.2))
        assert (made.stick_ratio, made.around) == (1.0, (1.0,))

    def test_varying_laws_stand_wherever_laws_do(self) -> None:
        worn, plain = Varying(law=Isotropic(0.2), around=(1.0, 0.4)), Isotropic(0.3)
        assert Ground(friction=(worn, plain)).laws(2) == (worn, plain)
        assert Region.rectangle(x=(0, 1), y=(0, 1), friction=worn).friction is worn

    def test_obstacles_of_both_worlds_are_kept_in_order(self) -> None:
        mixed = [BOX, Peg(x=0.0, y=0.0, radius=0.1), STAIRS]
        assert Environment(obstacles=mixed).obstacles == tuple(mixed)


WALL = Wall(start=(0, 1), end=(1, 1))
TRIANGLE = Polygon(vertices=((0, 0), (1, 0), (0, 1)))
WORN = Varying(law=Isotropic(0.2), around=(1.0, 0.4))
BUMPS = HeightField(heights=FLAT, spacing=1.0)


class TestRobotAndWorld:
    @pytest.mark.parametrize("obstacle", [WALL, TRIANGLE])
    def test_outlines_are_not_for_spatial_robots(self, obstacle: Any) -> None:
        with pytest.raises(InvalidModel) as caught:
            check_fits(SpatialRobot(links=(LINK,)), Environment(obstacles=[BOX, obstacle]))
        kind = type(obstacle).__name__
        assert (
            str(caught.value)
            == f"obstacles[1] = '{kind}', must be a Peg, Box, Stairs, Ramp or Pipe for a spatial robot"
        )

    @pytest.mark.parametrize("obstacle", [BOX, STAIRS])
    def test_solids_are_not_for_planar_robots(self, obstacle: Any) -> None:
        with pytest.raises(InvalidModel) as caught:
            check_fits(PlanarRobot.uniform(2, PLANAR_LINK), Environment(obstacles=[WALL, obstacle]))
        kind = type(obstacle).__name__
        assert str(caught.value) == f"obstacles[1] = '{kind}', must be a Peg, Wall or Polygon for a planar robot"

    @pytest.mark.parametrize(
        ("ground", "field"),
        [
            (Ground(rolling=0.1), "ground.rolling"),
            (Ground(restitution=0.1), "ground.restitution"),
            (Ground(slope=0.1), "ground.slope"),
            (Ground(heights=BUMPS), "ground.heights"),
            (Ground(friction=WORN), "ground.friction.around"),
            (Ground(friction=(Isotropic(0.2), WORN)), "ground.friction[1].around"),
        ],
    )
    def test_planar_robots_live_on_a_level_table(self, ground: Ground, field: str) -> None:
        with pytest.raises(InvalidModel) as caught:
            check_fits(PlanarRobot.uniform(2, PLANAR_LINK), Environment(ground=ground))
        assert caught.value.field == field and "for a planar robot" in caught.value.allowed
        check_fits(SpatialRobot(links=(LINK, LINK)), Environment(ground=ground))

    def test_a_patch_that_varies_around_the_link_is_not_for_planar_robots(self) -> None:
        robot, patch = PlanarRobot.uniform(2, PLANAR_LINK), Region.rectangle(x=(0, 1), y=(0, 1), friction=WORN)
        with pytest.raises(InvalidModel, match=r"regions\[0\]\.friction\.around = .* left out for a planar robot"):
            check_fits(robot, Environment(ground=Ground(regions=[patch])))
        slippery = dataclasses.replace(patch, friction=Varying(law=Isotropic(0.2), stick_ratio=2.0, around=(1.0, 1.0)))
        check_fits(robot, Environment(ground=Ground(regions=[slippery])))

    def test_pegs_are_for_all(self) -> None:
        pegs = Environment(obstacles=[Peg(x=0.0, y=0.0, radius=0.1)])
        beside = Environment(obstacles=[*pegs.obstacles, BOX])
        for robot_of_both in (PlanarRobot.uniform(2, PLANAR_LINK), SpatialRobot(links=(LINK,))):
            check_fits(robot_of_both, pegs)
        with pytest.raises(InvalidModel, match=r"obstacles\[1\]"):  # the peg passes, what stands beside it does not
            check_fits(PlanarRobot.uniform(2, PLANAR_LINK), beside)
