"""Polygons cut into triangles: as many as there must be, with the polygon's area, none outside."""

from __future__ import annotations

import numpy as np
import pytest

from pushpoint.scenery.shapes import in_polygon, prism_mesh
from pushpoint.scenery.triangles import triangles_of

SQUARE = np.array([(0, 0), (4, 0), (4, 4), (0, 4)], dtype=float)
U = np.array([(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)], dtype=float)
TURN = np.linspace(0.0, 2 * np.pi, 40, endpoint=False)
STAR = np.stack([np.cos(TURN), np.sin(TURN)], axis=-1) * np.where(np.arange(40) % 2, 1.0, 0.4)[:, None]
HOLES = [np.array(hole, dtype=float) for hole in ([(1, 1), (1, 2), (2, 2)], [(3, 3), (3, 1), (2.5, 2)])]


def area(corners: np.ndarray) -> float:
    x, y = corners.T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


@pytest.mark.parametrize("outlines", [[SQUARE], [U], [STAR], [SQUARE, HOLES[0]], [SQUARE, *HOLES]])
def test_they_fill_the_polygon(outlines: list[np.ndarray]) -> None:
    found, points = triangles_of(outlines), np.concatenate(outlines)
    corners = sum(map(len, outlines))
    assert len(found) == corners - 2 + 2 * (len(outlines) - 1)
    areas = [area(points[each]) for each in found]
    assert min(areas) > -1e-12 and sum(areas) == pytest.approx(sum(area(each) for each in outlines))
    middles = points[found[np.array(areas) > 1e-9]].mean(axis=1)
    assert in_polygon(middles, outlines[0]).all() and not any(in_polygon(middles, hole).any() for hole in outlines[1:])


def test_a_prism_with_a_hole_has_walls_all_around_both() -> None:
    vertices, faces = prism_mesh(SQUARE, 0.0, 1.0, HOLES[:1])
    assert vertices.shape == (14, 3) and len(faces) == 2 * 7 + 7
