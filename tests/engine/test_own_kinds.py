"""Friction laws, obstacles and joints of one's own, made of what the engines know, without a change in the package."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pushpoint as pp
from pushpoint.engine.packing import law_of
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.engine.spatial.kinematics import link_poses
from pushpoint.engine.spatial.placing import nearest_obstacle
from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import aiko, aiko_planar
from pushpoint.model.joints import FORWARD, LEFT, UP, Direction

MOTOR = pp.Motor(stiffness=8.0, damping=0.2)
GAIT = pp.gaits.LateralUndulation(amplitude=0.7, angular_frequency=1.4, phase_shift=-0.87)


@dataclass(frozen=True)
class WornScales(pp.FrictionLaw):
    """Scales that have lost a part of what they were."""

    wear: float
    kind: str = "cone"
    forward: float = 0.1

    @property
    def coefficients(self) -> tuple[float, float, float]:
        return (self.forward, *pp.Elliptic(along=0.5 * (1 - self.wear), across=0.6 * (1 - self.wear)).coefficients[1:])


@dataclass(frozen=True, kw_only=True)
class Gate(pp.Obstacle):
    """Two round posts."""

    x: float
    y: float
    width: float
    friction: float = 0.1
    restitution: float = 0.0

    @property
    def posts(self) -> tuple[pp.Peg, pp.Peg]:
        left, right = (
            pp.Peg(x=self.x, y=self.y + side * self.width / 2, radius=0.04, friction=self.friction) for side in (1, -1)
        )
        return left, right

    @property
    def hulls(self) -> tuple[pp.Hull, ...]:
        return tuple(hull for post in self.posts for hull in post.hulls)

    @property
    def solids(self) -> tuple[pp.Solid, ...]:
        return tuple(solid for post in self.posts for solid in post.solids)


@dataclass(frozen=True)
class TwoHinges(pp.Joint):
    """Any two axes in one point."""

    first: Direction
    second: Direction

    @property
    def hinges(self) -> tuple[pp.Hinge, ...]:
        return (pp.Hinge(self.first, MOTOR), pp.Hinge(self.second, MOTOR))


def run_of(robot, environment: pp.Environment, duration: float = 1.0):
    return pp.simulate(robot, environment, GAIT, duration=duration, settings=pp.Settings(dt=2e-3))


@pytest.mark.parametrize("make", [aiko_planar, aiko])
def test_a_law_made_of_a_set_moves_as_the_set_does(make) -> None:
    skin = pp.Skin(forward=0.1, backward=0.4, across=0.48)
    own, known = (run_of(make(), pp.Environment(ground=pp.Ground(friction=law))) for law in (WornScales(0.2), skin))
    np.testing.assert_array_equal(own.link_position.values, known.link_position.values)
    assert np.abs(own.link_position.values[-1] - own.link_position.values[0]).max() > 0.01
    varied = pp.Varying(law=WornScales(0.2), stick_ratio=1.5)
    assert law_of(varied) == law_of(skin) and varied.stick_ratio == 1.5


def test_a_law_that_names_no_set_is_refused_in_a_sentence() -> None:
    world = pp.Environment(ground=pp.Ground(friction=WornScales(0.2, kind="sponge")))
    with pytest.raises(InvalidModel, match=r"friction\.kind = 'sponge', must be one of 'none', 'cone'"):
        run_of(aiko_planar(), world)
    with pytest.raises(InvalidModel, match=r"friction\.coefficients\[0\] = -0\.1"):
        run_of(aiko_planar(), pp.Environment(ground=pp.Ground(friction=WornScales(0.2, forward=-0.1))))
    nested = pp.Varying(law=WornScales(0.2))
    with pytest.raises(InvalidModel, match=r"friction\.law.*constant coefficients"):
        pp.Varying(law=nested)


@pytest.mark.parametrize(("make", "dimension"), [(aiko_planar, 2), (aiko, 3)])
def test_an_obstacle_of_two_posts_is_two_pegs(make, dimension: int) -> None:
    gate, ground = Gate(x=0.1, y=0.02, width=0.36), pp.Ground(friction=pp.Isotropic(0.2))
    far = pp.Peg(x=5.0, y=5.0, radius=0.1)
    own = run_of(make(), pp.Environment(ground=ground, obstacles=[far, gate, far]), duration=3.0)
    apart = run_of(make(), pp.Environment(ground=ground, obstacles=[far, *gate.posts, far]), duration=3.0)
    np.testing.assert_array_equal(own.link_position.values, apart.link_position.values)
    assert own.link_position.shape[-1] == dimension
    load = apart.obstacle_load.values[1:]  # there is none before the first interval
    assert (load[:, 1:3].max(axis=0) > 1.0).all()  # both posts are pushed [N]
    whole = np.stack((load[:, 0], load[:, 1] + load[:, 2], load[:, 3]), axis=-1)
    np.testing.assert_allclose(own.obstacle_load.values[1:], whole, rtol=1e-12, atol=1e-12)


def test_distances_are_those_to_the_nearest_part() -> None:
    robot, gate, peg = aiko_planar(), Gate(x=0.1, y=0.0, width=0.5), pp.Peg(x=1.0, y=0.3, radius=0.1)
    center, theta = np.array([0.0, 0.05]), np.full(robot.n_links, 0.1)
    apart = link_obstacle_distance(robot, [*gate.posts, peg], center, theta)
    found = link_obstacle_distance(robot, [gate, peg], center, theta)
    np.testing.assert_array_equal(found, np.stack((apart[:, :2].min(axis=1), apart[:, 2]), -1))
    spatial = aiko()
    pose = (np.array([0.0, 0.05, 1.0]), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(spatial.n_joints))
    ahead = replace(gate, width=0.2)
    split = nearest_obstacle(spatial, pp.Environment(obstacles=[*ahead.posts]), *pose)
    whole = nearest_obstacle(spatial, pp.Environment(obstacles=[peg, ahead]), *pose)
    assert whole[:2] == split[:2] and whole[2] == 1


def test_a_rounded_polygon_is_nearer_by_its_rounding() -> None:
    @dataclass(frozen=True)
    class Cushion(pp.Obstacle):
        friction: float = 0.0
        restitution: float = 0.0
        rounding: float = 0.05

        @property
        def hulls(self) -> tuple[pp.Hull, ...]:
            return (pp.Hull(((0.0, 0.3), (0.4, 0.3), (0.2, 0.6)), self.rounding),)

    robot, sharp = aiko_planar(), pp.Polygon(vertices=((0.0, 0.3), (0.4, 0.3), (0.2, 0.6)))
    center, theta = np.array([0.1, 0.0]), np.full(robot.n_links, 0.2)
    near = link_obstacle_distance(robot, [sharp, Cushion()], center, theta)
    np.testing.assert_allclose(near[:, 1], near[:, 0] - 0.05, atol=1e-15)
    # Thrown at it with nothing to stop it before, the robot stops as far away as the rounding and its radius say.
    start = pp.Start(link_angles=(0.0,) * robot.n_links, position=(0.2, 0.1), velocity=(0.0, 0.2))
    straight = pp.gaits.FunctionOfTime(function=lambda t: np.zeros(robot.n_joints))
    for obstacle, rounding in ((sharp, 0.0), (Cushion(), 0.05)):
        run = pp.simulate(robot, pp.Environment(obstacles=[obstacle]), straight, start=start, duration=1.5)
        pose = (run.center_of_mass.values, run.link_angle.values)
        closest = link_obstacle_distance(robot, [sharp], *pose).min()
        assert closest == pytest.approx(rounding, abs=2e-4)  # a step at 0.2 m/s


def test_an_obstacle_without_parts_for_a_robot_is_refused() -> None:
    @dataclass(frozen=True)
    class Rumour(pp.Obstacle):
        friction: float = 0.0
        restitution: float = 0.0

    for make, world in ((aiko_planar, "planar"), (aiko, "spatial")):
        with pytest.raises(InvalidModel, match=rf"obstacles\[0\] = 'Rumour', must be .* for a {world} robot"):
            run_of(make(), pp.Environment(obstacles=[Rumour()]))


def test_axes_in_another_order_turn_in_that_order() -> None:
    link = pp.SpatialLink(length=0.2, mass=0.5, inertia=(4e-4, 2e-3, 2e-3), radius=0.03)
    robot = pp.SpatialRobot(links=(link,) * 3, joints=TwoHinges(UP, LEFT))
    assert [axis.name for axis in robot.axes] == ["yaw", "pitch"] * 2
    angle = np.array([0.4, -0.3, 0.2, 0.5])
    _places, frames = link_poses(robot, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), angle)
    front = Rotation.from_quat(frames[1], scalar_first=True).as_matrix()
    np.testing.assert_allclose(front, Rotation.from_euler("ZY", angle[:2]).as_matrix(), atol=1e-15)
    weightless = pp.Environment(ground=pp.Ground(gravity=0.0))
    start = pp.SpatialStart(position=(0.0, 0.0, 1.0), joint_angles=(0.0,) * 4)
    hold = pp.gaits.FunctionOfTime(function=lambda t: angle)
    run = pp.simulate(robot, weightless, hold, start=start, duration=4.0, settings=pp.Settings(dt=1e-3))
    np.testing.assert_allclose(run.joint_angle.values[-1], angle, atol=1e-3)  # servos have settled
    turns = Rotation.from_quat(run.link_orientation.values[-1], scalar_first=True)
    np.testing.assert_allclose(
        (turns[0].inv() * turns[1]).as_matrix(), Rotation.from_euler("ZY", run.joint_angle.values[-1, :2]).as_matrix(),
        atol=1e-12,
    )  # fmt: skip


def test_an_axis_that_the_engine_does_not_know_is_refused_in_a_sentence() -> None:
    link = pp.SpatialLink(length=0.2, mass=0.5, inertia=(4e-4, 2e-3, 2e-3), radius=0.03)
    robot = pp.SpatialRobot(links=(link,) * 3, joints=TwoHinges(FORWARD, LEFT))
    with pytest.raises(InvalidModel, match=r"robot\.joints: direction of an axis = \(1\.0, 0\.0, 0\.0\), must be up"):
        pp.simulate(robot, pp.Environment(), pp.gaits.FunctionOfTime(function=lambda t: np.zeros(4)), duration=0.1)
    with pytest.raises(InvalidModel, match=r"robot\.joints\[0\] = 'TwoHinges', must be a Yaw, Pitch or Cardan"):
        pp.planning.Aligner(replace(robot, joints=TwoHinges(UP, UP)), 4)
