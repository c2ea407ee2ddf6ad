"""Wheels in pictures: discs where the wheels are, turned like their axles."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.scenery.drawn_run import read_run
from pushpoint.scenery.shapes import TOP, side_view
from pushpoint.scenery.wheels import HALF_WIDTH, wheel_mesh


def resting(robot: pp.PlanarRobot | pp.SpatialRobot) -> xr.Dataset:
    start = pp.Start if isinstance(robot, pp.PlanarRobot) else pp.SpatialStart
    world = pp.World(robot, pp.Environment(), pp.gaits.Hold(), start(heading=0.5, position=(1.0, 2.0)))
    return pp.simulate(world, 0.01)


@pytest.mark.parametrize("name", ["acm-iii", "acm-iii-planar"])
def test_outlines_from_above(name: str) -> None:
    """Of a straight robot at a heading: a disc on its edge is a rectangle of 2 r by its width."""
    robot = pp.catalogue.ROBOTS[name]()
    course = read_run(resting(robot))
    found = course.wheel_outlines(0, TOP)
    assert len(found) == 40
    middle, along = course.middle[0, 0, :2], np.array([math.cos(0.5), math.sin(0.5)])
    left = np.array([-along[1], along[0]])
    for outline, side in zip(found[:2], (-0.025, 0.025), strict=True):
        local = (outline - middle - side * left) @ np.stack([along, left], axis=-1)
        np.testing.assert_allclose(np.abs(local).max(axis=0), [0.025, HALF_WIDTH * 0.025], atol=1e-9)


def test_wheels_stand_on_the_ground() -> None:
    course = read_run(resting(pp.catalogue.acm_iii()))
    across = side_view(np.array([math.cos(0.5), math.sin(0.5)]))
    lowest = min(outline[:, 1].min() for outline in course.wheel_outlines(0, across))
    assert lowest == pytest.approx(0.0, abs=1e-4)  # 24 corners of a circle, one of them at the bottom; and the solver
    planar = read_run(resting(pp.catalogue.acm_iii_planar()))
    assert min(outline[:, 1].min() for outline in planar.wheel_outlines(0, across)) == pytest.approx(0.0, abs=1e-12)


def test_skewed_axle() -> None:
    robot = pp.catalogue.acm_iii_planar()
    skewed = replace(
        robot, links=(replace(robot.links[0], wheels=(pp.Wheels(axle_angle=0.3, track=0.0),)), *robot.links[1:])
    )
    course = read_run(resting(skewed))
    outline = course.wheel_outlines(0)[0] - course.middle[0, 0]
    roll = np.array([math.cos(0.8), math.sin(0.8)])  # heading and skew
    assert np.abs(outline @ roll).max() == pytest.approx(0.025)
    assert np.abs(outline @ [-roll[1], roll[0]]).max() == pytest.approx(HALF_WIDTH * 0.025)


def test_a_robot_without_wheels_has_none() -> None:
    course = read_run(resting(pp.catalogue.aiko_planar()))
    assert course.wheel_outlines(0) == [] and not course.wheels.lift.any()


def test_mesh_is_closed() -> None:
    """Every edge belongs to two triangles, and the volume is that of a prism with 24 sides."""
    vertices, faces = wheel_mesh(0.1)
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    assert set(np.unique(edges, axis=0, return_counts=True)[1]) == {2}
    corners = vertices[faces].astype(float)
    volume = np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    area = 0.5 * 24 * math.sin(2 * math.pi / 24) * 0.1**2
    assert volume == pytest.approx(area * 2 * HALF_WIDTH * 0.1, rel=1e-5)


@pytest.mark.parametrize("name", ["acm-iii", "acm-iii-planar"])
def test_replay_and_still(name: str, tmp_path: object) -> None:
    run = resting(pp.catalogue.ROBOTS[name]())
    assert pp.replay(run, f"{tmp_path}/replay.html").is_file()
    assert pp.still(run, f"{tmp_path}/still.png", width=320).is_file()
