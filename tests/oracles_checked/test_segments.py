"""The reference for distances of links, against a search."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from oracles.segments import deepest_overlap, nearest_shares, touch
from oracles.spatial.dense import DenseRobot


def distance(a: np.ndarray, b: np.ndarray, s: np.ndarray | float, t: np.ndarray | float) -> np.ndarray:
    s, t = np.asarray(s)[..., None], np.asarray(t)[..., None]
    return np.linalg.norm(a[0] + s * (a[1] - a[0]) - b[0] - t * (b[1] - b[0]), axis=-1)


@pytest.mark.parametrize("seed", range(40))
def test_no_other_points_are_nearer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 2, 3)) * rng.uniform(0.2, 2.0)
    if seed % 4 == 0:  # parallel
        b = a + rng.normal(size=3)
    grid = np.linspace(0.0, 1.0, 401)
    searched = distance(a, b, grid[:, None], grid[None, :]).min()
    found = distance(a, b, *nearest_shares((a[0], a[1]), (b[0], b[1])))
    assert found <= searched + 1e-12
    assert searched - found < 5e-3 * np.linalg.norm(a[1] - a[0]) + 5e-3 * np.linalg.norm(b[1] - b[0])  # the grid's step


def test_points_and_crossings() -> None:
    x, y, z = np.eye(3)
    assert nearest_shares((-x, x), (z - y, z + y)) == (0.5, 0.5)
    assert 0.0 <= min(nearest_shares((0 * x, 0 * x), (y, y))) <= max(nearest_shares((0 * x, 0 * x), (y, y))) <= 1.0
    assert nearest_shares((0 * x, x), (2 * x, 3 * x)) == (1.0, 0.0)


def test_links_of_a_robot() -> None:
    """Three sides of a square: the outer ones are a side apart, less their thickness."""
    link = pp.SpatialLink(length=0.2, mass=1.0, inertia=(1e-3,) * 3, radius=0.03, mass_offset=0.05)
    robot = pp.SpatialRobot(links=(link,) * 3, joints=pp.Yaw())
    pose = DenseRobot.of(robot).pose((np.pi / 2, np.pi / 2))
    found = touch(robot, pose, 0, 2)
    assert found.gap == pytest.approx(0.14)
    np.testing.assert_allclose(found.normal, (0.0, -1.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(found.first - found.second, 0.14 * found.normal, atol=1e-12)
    assert deepest_overlap(robot, pose) == pytest.approx(-0.14)
