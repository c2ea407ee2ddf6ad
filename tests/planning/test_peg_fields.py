"""Poisson-disc fields: no two pegs too near, no room for another, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from pushpoint.errors import InvalidModel
from pushpoint.model.courses import Disc, Rectangle
from pushpoint.planning.pegs.fields import peg_field

AREA = Rectangle(x=(-1.0, 2.0), y=(0.0, 1.5))


def centers(**changes) -> np.ndarray:
    given = {"spacing": 0.22, "area": AREA, "seed": 3} | changes
    return np.array([(peg.x, peg.y) for peg in peg_field(**given)])


def test_pegs_keep_their_distance_and_stay_in_the_area() -> None:
    found = centers()
    apart = np.linalg.norm(found[:, None] - found, axis=-1) + 10.0 * np.eye(len(found))
    assert apart.min() >= 0.22
    assert found[:, 0].min() >= -1.0 and found[:, 0].max() <= 2.0
    assert found[:, 1].min() >= 0.0 and found[:, 1].max() <= 1.5
    assert (np.diff(found[:, 0]) >= 0.0).all()


def test_the_field_is_full() -> None:
    # By brute force on a grid: almost every place is too near to a peg; what is left are slivers.
    found = centers()
    x, y = np.meshgrid(np.linspace(-1.0, 2.0, 301), np.linspace(0.0, 1.5, 151))
    places = np.column_stack((x.ravel(), y.ravel()))
    nearest = np.linalg.norm(places[:, None] - found, axis=-1).min(axis=1)
    assert (nearest >= 0.22).mean() < 1e-3  # 4096 darts in a row missed: 1e-3 would be hit with 98 %
    # Densest possible: hexagons of pitch d, 1.155 per d^2; random sequential filling reaches about 0.7 per d^2
    # (0.547 of the area by discs of diameter d), a little more with the edge.
    assert 0.65 < len(found) * 0.22**2 / AREA.size < 0.85


def test_same_seed_same_field_and_another_seed_another() -> None:
    np.testing.assert_array_equal(centers(), centers())
    assert not np.array_equal(centers(seed=4)[:10], centers()[:10])


def test_zones_stay_free_of_whole_pegs() -> None:
    zone = Disc(x=0.5, y=0.7, radius=0.3)
    found = centers(keep_out=zone, radius=0.05)
    assert np.linalg.norm(found - [0.5, 0.7], axis=1).min() >= 0.35
    np.testing.assert_array_equal(found, centers(keep_out=[zone], radius=0.05))


def test_pegs_have_radius_and_friction() -> None:
    pegs = peg_field(spacing=0.3, area=AREA, seed=0, radius=0.03, friction=0.2)
    assert {(peg.radius, peg.friction) for peg in pegs} == {(0.03, 0.2)}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"spacing": 0.0}, "peg_field: spacing = 0.0, must be finite and > 0"),
        ({"spacing": float("nan")}, "peg_field: spacing = nan, must be finite"),
        ({"spacing": 0.03}, "peg_field: spacing = 0.03, must be >= 0.04, two radii"),
        ({"spacing": 0.001, "radius": 0.0004}, "peg_field: spacing = 0.001, must be larger"),
        ({"radius": -1.0}, "peg_field: radius = -1.0"),
        ({"friction": -0.1}, "peg_field: friction = -0.1"),
        ({"area": (0, 1)}, r"peg_field: area = \(0, 1\), must be a Rectangle"),
        ({"seed": -1}, "peg_field: seed = -1, must be a whole number >= 0"),
        ({"seed": 1.5}, "peg_field: seed = 1.5"),
        ({"keep_out": ["here"]}, r"peg_field: keep_out\[0\] = 'here', must be a Disc"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(changes: dict, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        centers(**changes)
