"""Wedges, pipes and short pegs as they are drawn: against other ways to the same picture, and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.scenery.casting import cast_bores, cast_boxes, cast_convex
from pushpoint.scenery.shapes import bore_mesh, box_mesh
from pushpoint.scenery.surroundings import Scenery, box_corners, box_faces, rim_points

BOX = pp.Box(center=(0.1, 0.2, 0.3), size=(0.4, 0.3, 0.2), yaw=0.4, pitch=0.3, roll=-0.5).solids[0]
RAMP = pp.Ramp(foot=(1.0, 2.0), heading=0.7, length=0.8, rise=0.3, width=0.5)
PIPE = pp.Pipe(start=(0.0, 0.0, 1.0), end=(1.0, 0.0, 1.0), radius=0.1, thickness=0.02).solids[0]
PIXELS = (
    np.linspace(-0.5, 0.7, 60, dtype=np.float32)[None, None, :],
    np.linspace(-0.3, 0.7, 50, dtype=np.float32)[None, :, None],
)


def test_a_convex_solid_is_cast_like_the_box_it_is() -> None:
    points, faces = box_faces(BOX)
    found = cast_convex(points, faces, *PIXELS, 100.0)
    same = cast_boxes(np.array([BOX.center]), np.array([BOX.half]), BOX.rotation[None], *PIXELS, 100.0)
    seen = same.cover > 0.0
    assert seen.mean() > 0.05
    for name in ("cover", "near", "light", "line"):
        np.testing.assert_allclose(getattr(found, name)[seen], getattr(same, name)[seen], atol=1e-4)  # single precision


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    """Of a closed mesh with outward faces: the sum of tetrahedra to the origin [m^3]."""
    a, b, c = vertices.astype(float)[faces].transpose(1, 0, 2)
    return float(np.sum(a * np.cross(b, c))) / 6.0


@pytest.mark.parametrize(("wedge", "share"), [(False, 1.0), (True, 0.5)])
def test_meshes_have_the_volume_of_their_solids(wedge: bool, share: float) -> None:
    mesh = box_mesh(np.array(BOX.center), np.array(BOX.half), BOX.rotation, wedge=wedge)
    assert volume(*mesh) == pytest.approx(share * 0.4 * 0.3 * 0.2, rel=1e-5)


def test_a_pipe_is_seen_from_inside() -> None:
    vertices, faces = bore_mesh(rim_points(PIPE, PIPE.inner))
    a, b, c = vertices.astype(float)[faces].transpose(1, 0, 2)
    out, middle = np.cross(b - a, c - a), (a + b + c) / 3.0
    toward_axis = np.array([0.0, 0.0, 1.0]) - middle * np.array([0.0, 1.0, 1.0])
    assert (np.sum(out * toward_axis, axis=1) > 0.0).all()


def test_the_far_half_of_a_pipe_is_drawn() -> None:
    ends = np.array([[[0.0, 0.0, 1.0]], [[1.0, 0.0, 1.0]]])  # u, v, d: it lies along u
    u, v = np.array([[[0.5]]], dtype=np.float32), np.array([[[-0.05], [0.0], [0.05], [0.2]]], dtype=np.float32)
    found = cast_bores(ends, np.array([0.1]), u, v, 100.0)
    np.testing.assert_allclose(
        found.near[0, :3, 0], 1.0 - np.sqrt(0.1**2 - np.array([0.05, 0.0, 0.05]) ** 2), rtol=1e-5
    )
    np.testing.assert_array_equal(found.cover[0, :, 0], [1.0, 1.0, 1.0, 0.0])


def test_what_a_robot_would_stand_on() -> None:
    peg = pp.Peg(x=3.0, y=0.0, radius=0.1, height=0.2)
    scenery = Scenery(pp.Environment(obstacles=[RAMP, peg, pp.Peg(x=5.0, y=0.0, radius=0.1)]))
    ahead = np.array([math.cos(0.7), math.sin(0.7)])
    places = np.array([RAMP.foot + s * ahead for s in (-0.1, 0.2, 0.7, 0.9)])
    np.testing.assert_allclose(scenery.top(places), [0.0, 0.075, 0.2625, 0.0], atol=1e-12)
    np.testing.assert_allclose(scenery.top(np.array([(3.05, 0.0), (3.2, 0.0), (5.0, 0.0)])), [0.2, 0.0, 0.0])


def test_a_wedge_has_six_corners_and_faces_through_them() -> None:
    solid = RAMP.solids[0]
    corners, (points, normals) = box_corners(solid), box_faces(solid)
    assert corners.shape == (6, 3)
    assert normals.shape == (5, 3)
    heights = (corners[:, None] - points) * normals
    assert float(heights.sum(axis=2).max()) < 1e-12  # no corner outside a face
