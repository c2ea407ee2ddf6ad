"""Obstacles that are moved keep their sizes, whatever their kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.studio.stage.course import anchor
from pushpoint.studio.stage.shifting import shifted

OBSTACLES = [
    pp.Peg(x=0.5, y=-0.2, radius=0.1),
    pp.Wall(start=(0.0, 0.0), end=(1.0, 2.0), thickness=0.05),
    pp.Polygon(vertices=[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]),
    pp.Polygon(
        vertices=[(0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (0.0, 3.0)],
        holes=[[(1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0)]],
    ),
    pp.Box(center=(0.1, 0.2, 0.1), size=(0.2, 0.3, 0.4), yaw=0.3),
    pp.Stairs(foot=(0.0, 0.0), steps=3, rise=0.1, run=0.2),
    pp.Ramp(foot=(0.0, 0.0), length=1.0, rise=0.1),
    pp.Pipe(start=(0.0, 0.0, 0.1), end=(1.0, 0.0, 0.1), radius=0.2),
]


@pytest.mark.parametrize("obstacle", OBSTACLES, ids=lambda each: type(each).__name__)
def test_all_its_parts_move_by_as_much_and_back_again(obstacle: Any) -> None:
    moved = shifted(obstacle, 1.5, -2.0)
    for before, after in zip(parts(obstacle), parts(moved), strict=True):
        np.testing.assert_allclose(after - before, np.broadcast_to([1.5, -2.0], before.shape), atol=1e-12)
    np.testing.assert_allclose(anchor(moved) - anchor(obstacle), [1.5, -2.0], atol=1e-12)
    for one, other in zip(obstacle.solids, moved.solids, strict=True):
        np.testing.assert_allclose(other.half, one.half, atol=1e-12)
    for before, after in zip(parts(obstacle), parts(shifted(moved, -1.5, 2.0)), strict=True):
        np.testing.assert_allclose(after, before, atol=1e-12)


def parts(obstacle: Any) -> list[np.ndarray]:
    """All places of an obstacle, seen from above: from what it says it is made of."""
    flat = [np.asarray(outline) for hull in obstacle.hulls for outline in hull.outlines]
    return flat + [np.array([each.center[:2]]) for each in obstacle.solids]
