"""The pixels of a film in 3D: what they show lies on the solids, which fill as many of them as their shadow does."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.scenery.camera import PicturePlan
from pushpoint.scenery.casting import Hits, cast_boxes, cast_tubes
from pushpoint.scenery.shapes import TOP, View, convex_hull, rounded_hull
from pushpoint.scenery.surroundings import GroundShape, Scenery
from pushpoint.scenery.terrain import draw_ground

SCALE = 400.0
SOLID_PIXEL = 0.999


def pixels(low: float = -1.0, high: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    side = np.arange(low, high, 1.0 / SCALE) + 0.5 / SCALE
    return side[None, None, :], side[::-1][None, :, None]


def seen(hits: Hits, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Points of the surface in all pixels that are filled, shape (n, 3)."""
    places = np.stack([*np.broadcast_arrays(u, v), hits.near], axis=-1)
    return places[hits.cover > SOLID_PIXEL].astype(float)


def segment_distance(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    step = end - start
    share = np.clip((points - start) @ step / (step @ step), 0.0, 1.0)
    return np.linalg.norm(points - start - share[:, None] * step, axis=-1)


def turned(angles: tuple[float, float, float]) -> np.ndarray:
    a, b, c = angles
    about_z = np.array([[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]])
    about_y = np.array([[np.cos(b), 0.0, np.sin(b)], [0.0, 1.0, 0.0], [-np.sin(b), 0.0, np.cos(b)]])
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(c), -np.sin(c)], [0.0, np.sin(c), np.cos(c)]])
    return about_z @ about_y @ about_x


@pytest.mark.parametrize(
    "step", [(0.5, 0.2, 0.0), (0.3, -0.4, 0.5), (0.0, 0.0, 0.6), (0.2, 0.1, -0.6), (0.0, 0.0, 0.0)]
)
def test_a_capsule_is_seen_where_it_is(step: tuple[float, float, float]) -> None:
    start, radius = np.array([-0.2, 0.1, 0.3]), 0.15
    end = start + np.array(step)
    u, v = pixels()
    hits = cast_tubes(np.stack([start, end])[:, None], np.array([radius]), u, v, SCALE)
    points = seen(hits, u, v)
    far = end if np.any(start != end) else start + 1e-9
    np.testing.assert_allclose(segment_distance(points, start, far), radius, atol=1e-5)  # single precision
    nearer = points + np.array([0.0, 0.0, 1e-3])
    assert np.all(segment_distance(nearer, start, far) > radius)  # the side that the viewer sees
    # The outline of a capsule is a rectangle between two half circles.
    area = np.pi * radius**2 + 2.0 * radius * np.hypot(step[0], step[1])
    assert hits.cover.sum() / SCALE**2 == pytest.approx(area, rel=1e-3)  # pixels of 1/60 of the radius


@pytest.mark.parametrize("angles", [(0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.4, -0.7, 0.3), (2.0, 0.9, -1.1)])
def test_a_box_is_seen_where_it_is(angles: tuple[float, float, float]) -> None:
    center, half, turn = np.array([0.1, -0.05, 0.4]), np.array([0.3, 0.2, 0.1]), turned(angles)
    u, v = pixels()
    hits = cast_boxes(center[None], half[None], turn[None], u, v, SCALE)
    points = seen(hits, u, v)
    outside = np.max(np.abs((points - center) @ turn) - half, axis=1)
    np.testing.assert_allclose(outside, 0.0, atol=1e-5)
    # A box's shadow is the sum of its three faces' shadows.
    area = 4.0 * half.prod() * np.sum(np.abs(turn[2]) / half)
    assert hits.cover.sum() / SCALE**2 == pytest.approx(area, rel=2e-3)


def test_a_cylinder_has_a_flat_lid_and_a_round_side() -> None:
    up = np.array([0.0, np.cos(0.6), np.sin(0.6)])
    start, length, radius = np.array([0.0, -0.3, 0.0]), 0.5, 0.2
    u, v = pixels()
    hits = cast_tubes(np.stack([start, start + length * up])[:, None], np.array([radius]), u, v, SCALE, lids=True)
    points = np.stack([*np.broadcast_arrays(u, v), hits.near], axis=-1)[0].astype(float)
    height = (points - start) @ up
    off = np.linalg.norm(points - start - height[..., None] * up, axis=-1)
    on_lid, on_side = np.abs(height - length) < 1e-4, np.abs(off - radius) < 1e-4
    filled = hits.cover[0] > SOLID_PIXEL
    assert np.all((on_lid | on_side)[filled]) and on_side[filled].sum() > 1000
    area = hits.cover[0][on_lid].sum() / SCALE**2
    assert area == pytest.approx(np.pi * radius**2 * np.sin(0.6), rel=0.01)  # pixels of 1/80 of the radius


def plan(width: int, height: int) -> PicturePlan:
    size = np.array([width, height])
    return PicturePlan(origin=-size / 200.0, scale=100.0, window=(width, height), grid=0.5, pixels=size)


def aslant(heading: float) -> View:
    right = np.array([np.cos(heading), np.sin(heading), 0.0])
    return View(right=right, up=0.6 * np.array([-right[1], right[0], 0.0]) + np.array([0.0, 0.0, 0.8]))


def ground_points(ground: pp.Ground, view: View, stage: PicturePlan) -> np.ndarray:
    """Where the pixels of a picture show the ground [m], shape (height, width, 3)."""
    near = draw_ground(Scenery(pp.Environment(ground=ground)), view, stage)[1]
    u, v = stage.pixels_of(slice(0, near.shape[1]))
    return u[..., None] * view.right + v[..., None] * view.up + near[..., None] * view.toward


def test_pixels_of_a_tilted_plane_lie_on_it() -> None:
    ground = pp.Ground(slope=np.arctan(np.hypot(0.3, 0.2)), slope_direction=np.arctan2(-0.2, 0.3))
    points = ground_points(ground, aslant(0.7), plan(60, 40))
    np.testing.assert_allclose(points[..., 2], 0.3 * points[..., 0] - 0.2 * points[..., 1], atol=1e-6)


def test_pixels_of_hills_lie_on_them_and_nothing_stands_before_them() -> None:
    x, y = np.meshgrid(np.arange(-3.0, 3.0, 0.05), np.arange(-3.0, 3.0, 0.05), indexing="ij")
    hills = 0.5 * np.sin(4.0 * x) * np.cos(3.0 * y)  # steeper than the view in places, so that hills hide each other
    field = pp.HeightField(heights=hills, spacing=0.05, origin=(-3.0, -3.0))
    ground = GroundShape(pp.Ground(heights=field))
    view = aslant(0.3)
    points = ground_points(ground.ground, view, plan(120, 100)).reshape(-1, 3)
    off = points[:, 2] - ground.height(points[:, :2])
    assert np.percentile(np.abs(off), 95) < 0.003  # a third of a pixel; on a ridge, the pixel behind it is farther off
    for step in np.linspace(0.05, 1.5, 40):
        before = points + step * view.toward
        assert np.all(before[:, 2] > ground.height(before[:, :2]) - 0.02)


def test_hulls_have_the_area_of_what_they_enclose() -> None:
    points = np.array([(0, 0), (2, 0), (2, 1), (0, 1), (1, 0.5), (1, 0), (2, 0)], dtype=float)
    corners = convex_hull(points)
    assert sorted(map(tuple, corners.tolist())) == [(0, 0), (0, 1), (2, 0), (2, 1)]
    x, y = rounded_hull(corners, 0.3, 720).T
    area = np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) / 2.0
    assert area == pytest.approx(2.0 + 6.0 * 0.3 + np.pi * 0.09, rel=1e-4)  # Steiner's formula
    assert len(convex_hull(np.zeros((8, 2)))) == 1
    assert len(convex_hull(np.array([(0.0, 0.0), (1.0, 1.0), (0.0, 0.0)]))) == 2


def test_the_view_from_above_is_the_map() -> None:
    points = np.array([[1.0, 2.0, 3.0]])
    assert TOP.flat(points).tolist() == [[1.0, 2.0]]
    assert TOP.toward.tolist() == [0.0, 0.0, 1.0]
