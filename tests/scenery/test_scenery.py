"""Scenery: no drawing library, and every obstacle and friction law by what it is made of."""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint import scenery
from pushpoint.errors import InvalidModel
from pushpoint.scenery.palette import BLUE, paler, rgb
from pushpoint.scenery.shapes import capsules, in_polygon, rounded_hull
from pushpoint.scenery.surroundings import Scenery, from_above, law_words

STAIRS = pp.Stairs(foot=(1.0, 0.0), steps=3, rise=0.1, run=0.3, width=2.0, landing=1.0)


def test_scenery_needs_no_drawing_library() -> None:
    modules = [info.name for info in pkgutil.walk_packages(scenery.__path__, "pushpoint.scenery.")]
    drawing = ("matplotlib", "viser", "imageio_ffmpeg")
    code = f"import {', '.join(modules)}, sys; print([name for name in {drawing} if name in sys.modules])"
    environment = os.environ | {"PYTHONPATH": str(Path(pp.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]" and len(modules) > 7


def test_stairs_are_boxes_and_their_top_step_bears_the_number() -> None:
    around = Scenery(pp.Environment(obstacles=[pp.Peg(x=0.0, y=0.0, radius=0.1), STAIRS]))
    assert [solid.number for solid in around.solids] == [0, 1, 1, 1]
    assert [solid.numbered for solid in around.solids] == [True, False, False, True]
    assert (len(around.boxes), len(around.pegs)) == (3, 1)
    written = [solid.number for solid in around.solids if solid.number_size(2.0) > 0.0]
    assert written == [0, 1]  # 2 in/m: both are large enough
    assert [solid.number_size(0.05) for solid in around.solids] == [0.0] * 4


def test_what_is_made_of_nothing_known_is_refused() -> None:
    with pytest.raises(InvalidModel, match=r"^obstacle = 'Obstacle', must be made of hulls or solids$"):
        from_above(pp.Obstacle())


@dataclass(frozen=True)
class Felt:
    """A law that scenery has never heard of."""

    nap: float
    below: pp.Isotropic
    note: str = "soft"


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (pp.Frictionless(), "frictionless"),
        (pp.Skin(forward=0.1, backward=0.3, across=0.4), "skin 0.1, 0.3, 0.4"),
        (pp.Varying(law=pp.Isotropic(0.4), stick_ratio=1.5), "varying isotropic 0.4, 1.5, 0.01"),
        (Felt(0.25, pp.Isotropic(0.5)), "felt 0.25, isotropic 0.5"),
    ],
)
def test_any_friction_law_is_told_in_words(law: object, words: str) -> None:
    assert law_words(law) == words


def test_points_inside_a_polygon_that_is_not_convex() -> None:
    corners = np.array([(0, 0), (4, 0), (4, 3), (2, 1), (0, 3)], dtype=float)
    points = np.array([(1.0, 0.5), (0.2, 2.5), (3.8, 2.5), (2.0, 2.0), (2.0, 0.9), (5.0, 1.0), (-1.0, 0.0)])
    assert in_polygon(points, corners).tolist() == [True, True, True, False, True, False, False]
    grid = np.stack(np.meshgrid(np.linspace(-1, 5, 600), np.linspace(-1, 4, 500)), axis=-1)
    assert in_polygon(grid, corners).mean() * 6 * 5 == pytest.approx(8.0, rel=0.01)  # 4 x 3 without a triangle of 4


def test_a_capsule_is_two_points_grown_by_its_radius() -> None:
    along = np.array([np.cos(0.3), np.sin(0.3)])
    (outline,) = capsules(np.array([[1.0, 2.0]]), along[None], np.array([0.2]), np.array([0.05]))
    ends = np.array([1.0, 2.0]) + 0.2 * np.array([[-1.0], [1.0]]) * along
    hull = rounded_hull(ends, 0.05, 32)
    gap = np.linalg.norm(outline[:, None] - hull, axis=-1).min(axis=1)
    assert len(outline) == len(hull) == 34 and gap.max() < 1e-12
    x, y = outline.T
    assert np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) > 0.0  # counter-clockwise


def test_colours_are_read_as_they_are_written() -> None:
    assert rgb(BLUE).tolist() == [0x00 / 255, 0x72 / 255, 0xB2 / 255]
    assert paler("#000000", 0.25) == (0.25, 0.25, 0.25) and paler((1.0, 1.0, 1.0, 0.5), 0.5) == (1.0, 1.0, 1.0)


def test_one_place_on_a_field_of_heights_has_a_height() -> None:
    field = pp.HeightField(heights=[[0.0, 0.0], [0.2, 0.2]], spacing=1.0, origin=(0.0, 0.0))
    ground = Scenery(pp.Environment(ground=pp.Ground(heights=field))).ground
    assert float(ground.height(np.array([0.5, 0.5]))) == pytest.approx(0.1)
    assert ground.slopes(np.array([0.5, 0.5])) == pytest.approx([0.2, 0.0])
