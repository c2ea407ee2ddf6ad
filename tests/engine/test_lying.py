"""Default starts on slopes and height fields: the robot lies on the ground and does not begin by falling."""

from __future__ import annotations

from math import atan, pi, sqrt

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import pushpoint as pp
from pushpoint.engine.spatial.kinematics import link_poses, rotation_of
from pushpoint.engine.spatial.placing import height_at
from pushpoint.engine.spatial.ranges import ground_gaps, surface_gaps

WAVE = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
STICKY = pp.Isotropic(2.0)


def poses_of(world: pp.World) -> tuple[dict, np.ndarray, np.ndarray]:
    pose = world.pose()
    return pose, *link_poses(world.robot, pose["center"], pose["tail"], pose["angle"])


ROBOTS = {"round": pp.catalogue.aiko, "square": pp.catalogue.liljeback2014}


@pytest.mark.parametrize("shape", ROBOTS)
@pytest.mark.parametrize(("slope", "uphill", "heading"), [(0.3, 0.0, 0.0), (-0.5, 2.0, 1.0), (1.2, -0.7, 3.0)])
def test_all_links_touch_a_slope(shape: str, slope: float, uphill: float, heading: float) -> None:
    ground = pp.Ground(friction=STICKY, slope=slope, slope_direction=uphill)
    start = pp.SpatialStart(heading=heading, position=(0.4, -0.3))
    world = pp.World(ROBOTS[shape](), pp.Environment(ground=ground), WAVE, start)
    pose, places, frames = poses_of(world)
    gaps = ground_gaps(world.robot, world.environment, places, frames)
    assert gaps == pytest.approx(np.zeros(len(gaps)), abs=2e-9)  # put down to 1e-9
    assert pose["center"][:2] == pytest.approx((0.4, -0.3), abs=1e-12)


def test_heading_is_measured_along_the_slope() -> None:
    """A body that points uphill by its heading climbs at the angle of the slope; one along a contour stays level."""
    ground = pp.Ground(slope=0.4, slope_direction=0.9)
    for heading, climb in ((0.9, 0.4), (0.9 + pi / 2, 0.0), (0.9 + pi, -0.4)):
        world = pp.World(pp.catalogue.aiko(), pp.Environment(ground=ground), start=pp.SpatialStart(heading=heading))
        _, _, frames = poses_of(world)
        forward = rotation_of(frames)[0, :, 0]
        assert np.arcsin(forward[2]) == pytest.approx(climb, abs=1e-12)
        assert np.cos(np.arctan2(forward[1], forward[0]) - heading) == pytest.approx(1.0, abs=1e-12)


def test_a_link_on_a_slope() -> None:
    ground = pp.Ground(slope=0.4)
    world = pp.World(
        pp.catalogue.aiko(), pp.Environment(ground=ground), WAVE, pp.SpatialStart(link=10, position=(1.0, 0.5))
    )
    _, places, frames = poses_of(world)
    assert places[10, :2] == pytest.approx((1.0, 0.5), abs=1e-12)
    assert ground_gaps(world.robot, world.environment, places, frames) == pytest.approx(np.zeros(11), abs=2e-9)


@pytest.mark.parametrize("heading", [0.0, 0.7, pi / 2])
def test_it_begins_without_a_fall(heading: float) -> None:
    """On a slope below the friction angle a stiff robot stays: nothing falls, nothing hits the ground."""
    ground = pp.Ground(friction=STICKY, slope=0.3, rolling=0.5)
    world = pp.World(
        pp.catalogue.aiko(), pp.Environment(ground=ground), pp.gaits.Hold(), pp.SpatialStart(heading=heading)
    )
    run = pp.simulate(world, 0.1, record=pp.Record(rate=1000.0))
    speed = np.linalg.norm(run.link_velocity.values, axis=-1)
    assert speed.max() < 2e-3  # m/s: servos give way a little under the weight; a fall from 1 cm hits at 0.4
    height = run.center_of_mass.sel(axis="z").values
    assert np.ptp(height) < 1e-4  # m
    level = pp.SpatialStart(orientation=(np.cos(heading / 2), 0.0, 0.0, np.sin(heading / 2)))
    if heading != pi / 2:  # level, as it was put before, it touches at one end and falls
        fell = pp.simulate(pp.World(world.robot, world.environment, pp.gaits.Hold(), level), 0.1)
        assert np.linalg.norm(fell.link_velocity.values, axis=-1).max() > 0.3


def plane(rise_x: float, rise_y: float) -> pp.HeightField:
    x = np.linspace(-2.0, 2.0, 41)
    return pp.HeightField(heights=rise_x * x[:, None] + rise_y * x[None, :], spacing=0.1, origin=(-2.0, -2.0))


@pytest.mark.parametrize("shape", ROBOTS)
def test_a_field_that_is_a_plane_is_a_slope(shape: str) -> None:
    rise = 0.3 / sqrt(2)
    field, slope = pp.Ground(heights=plane(rise, rise)), pp.Ground(slope=atan(0.3), slope_direction=pi / 4)
    start = pp.SpatialStart(heading=0.4, position=(0.2, 0.1))
    found = []
    for ground in (field, slope):
        world = pp.World(ROBOTS[shape](), pp.Environment(ground=ground), WAVE, start)
        found.append(poses_of(world)[1:])
    assert found[0][0] == pytest.approx(found[1][0], abs=2e-6)  # m: it stops tipping at 1e-5 rad
    assert found[0][1] == pytest.approx(found[1][1], abs=2e-5)


def hills(seed: int) -> pp.HeightField:
    rng = np.random.default_rng(seed)
    return pp.HeightField(heights=0.06 * rng.random((30, 30)), spacing=0.15, origin=(-2.2, -2.2))


@pytest.mark.parametrize(("shape", "seed"), [("round", 0), ("round", 1), ("square", 1)])
def test_a_bent_body_stands_on_points_around_its_centre_of_mass(shape: str, seed: int) -> None:
    """Rigid and at rest: the vertical through the centre of mass passes between the points that touch."""
    bent = pp.gaits.LateralUndulation(amplitude=0.9, angular_frequency=1.5, phase_shift=-0.7)
    field = hills(seed)
    world = pp.World(ROBOTS[shape](), pp.Environment(ground=pp.Ground(heights=field)), bent)
    pose, places, frames = poses_of(world)
    points, gaps = surface_gaps(world.robot, field, places, frames)
    assert -1e-9 <= gaps.min() < 1e-8
    touching = (points - pose["center"])[gaps < 5e-4, :2]  # m
    hull = ConvexHull(np.concatenate([touching, 1e-3 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]) + touching[:1]]))
    # The ground rises by up to 0.4; on such ground a tipping body also slides, by as much as its height times that.
    assert (hull.equations[:, 2] < 0.4 * world.robot.links[0].radius).all()


@pytest.mark.parametrize("heading", [0.0, 1.0])
def test_a_straight_body_stands_on_points_before_and_behind_its_centre_of_mass(heading: float) -> None:
    field = hills(7)
    start = pp.SpatialStart(heading=heading)
    world = pp.World(pp.catalogue.aiko(), pp.Environment(ground=pp.Ground(heights=field)), start=start)
    pose, places, frames = poses_of(world)
    points, gaps = surface_gaps(world.robot, field, places, frames)
    along = (points - pose["center"]) @ rotation_of(frames)[0, :, 0]
    touching = along[gaps < 5e-4]
    assert touching.min() < 0.0 < touching.max()


def test_it_lies_lower_than_a_level_body() -> None:
    """Tipped as it would fall, its centre of mass is lower than that of a body that is put down level."""
    for seed in range(2):
        place = pp.Environment(ground=pp.Ground(heights=hills(seed)))
        lying, level = (
            pp.World(pp.catalogue.aiko(), place, WAVE, start).pose()["center"][2]
            for start in (pp.SpatialStart(), pp.SpatialStart(orientation=(1.0, 0.0, 0.0, 0.0)))
        )
        assert lying < level


def test_a_start_with_a_height_stays_level() -> None:
    place = pp.Environment(ground=pp.Ground(slope=0.3))
    pose = pp.World(pp.catalogue.aiko(), place, start=pp.SpatialStart(position=(0.0, 0.0, 1.0))).pose()
    assert pose["tail"] == pytest.approx((1.0, 0.0, 0.0, 0.0))


def test_heights_between_grid_points() -> None:
    """A bilinear function is given back exactly, and the rim goes on."""
    x = np.linspace(0.0, 1.0, 6)
    field = pp.HeightField(heights=1.0 + x[:, None] * x[None, :], spacing=0.2)
    u, v = np.random.default_rng(1).random((2, 50))
    assert height_at(field, u, v) == pytest.approx(1.0 + u * v, abs=1e-12)
    assert height_at(field, np.array([-3.0, 5.0]), np.array([0.5, 0.5])) == pytest.approx([1.0, 1.5])
