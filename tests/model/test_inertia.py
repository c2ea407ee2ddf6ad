"""Moments of inertia of uniform bodies, against textbook forms, limits and sums over small pieces."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp

MASS, LENGTH, RADIUS = 0.7, 0.12, 0.05


def summed(inside, half: tuple[float, float, float], steps: int = 120) -> np.ndarray:
    """Moments of MASS spread over the points of a fine grid that lie inside a body."""
    axes = [(np.arange(steps) + 0.5) / steps * 2 * h - h for h in half]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    x, y, z = points[inside(points)].T
    return MASS * np.array([np.mean(y**2 + z**2), np.mean(x**2 + z**2), np.mean(x**2 + y**2)])


def in_cylinder(p: np.ndarray) -> np.ndarray:
    return np.hypot(p[:, 1], p[:, 2]) <= RADIUS


def in_capsule(p: np.ndarray) -> np.ndarray:
    beyond = np.maximum(np.abs(p[:, 0]) - LENGTH / 2, 0.0)
    return beyond**2 + p[:, 1] ** 2 + p[:, 2] ** 2 <= RADIUS**2


SUMMED = {
    "cylinder": (lambda: pp.inertia.cylinder(MASS, LENGTH, RADIUS), in_cylinder, (LENGTH / 2, RADIUS, RADIUS)),
    "capsule": (lambda: pp.inertia.capsule(MASS, LENGTH, RADIUS), in_capsule, (LENGTH / 2 + RADIUS, RADIUS, RADIUS)),
    "box": (lambda: pp.inertia.box(MASS, 0.12, 0.07, 0.03), lambda p: np.full(len(p), True), (0.06, 0.035, 0.015)),
}


@pytest.mark.parametrize("name", SUMMED)
def test_sum_over_small_pieces(name: str) -> None:
    made, inside, half = SUMMED[name]
    assert made() == pytest.approx(summed(inside, half), rel=2e-3)  # 120 pieces per edge: surfaces are stairs


def test_textbook_forms() -> None:
    assert pp.inertia.cylinder(2.0, 0.3, 0.1).x == pytest.approx(2.0 * 0.1**2 / 2)
    assert pp.inertia.cylinder(2.0, 0.3, 0.1).z == pytest.approx(2.0 * (3 * 0.1**2 + 0.3**2) / 12)
    assert pp.inertia.box(3.0, 1.0, 2.0, 4.0) == pytest.approx((3 * 20 / 12, 3 * 17 / 12, 3 * 5 / 12))
    assert pp.inertia.box(3.0, 1.0, 2.0) == pp.inertia.box(3.0, 1.0, 2.0, 2.0)


def test_a_capsule_of_length_zero_is_a_ball() -> None:
    assert pp.inertia.capsule(MASS, 0.0, RADIUS) == pytest.approx((0.4 * MASS * RADIUS**2,) * 3, rel=1e-14)


@pytest.mark.parametrize("body", ["cylinder", "capsule"])
def test_a_thin_body_is_a_rod(body: str) -> None:
    x, y, z = getattr(pp.inertia, body)(MASS, LENGTH, 1e-9)
    assert x < 1e-15 and y == z == pytest.approx(MASS * LENGTH**2 / 12, rel=1e-7)


def test_links_take_them() -> None:
    moments = pp.inertia.capsule(MASS, LENGTH, RADIUS)
    spatial = pp.SpatialLink(length=LENGTH, mass=MASS, inertia=moments, radius=RADIUS)
    planar = pp.PlanarLink(length=LENGTH, mass=MASS, inertia=moments.z, radius=RADIUS)
    assert tuple(spatial.inertia) == moments and planar.inertia == moments[2]


@pytest.mark.parametrize("wrong", [(0.0, 0.1, 0.1), (1.0, -0.1, 0.1), (1.0, 0.1, 0.0), (1.0, 0.1, np.nan)])
def test_refused(wrong: tuple[float, float, float]) -> None:
    for body in (pp.inertia.cylinder, pp.inertia.capsule, pp.inertia.box):
        with pytest.raises(pp.errors.InvalidModel):
            body(*wrong)
