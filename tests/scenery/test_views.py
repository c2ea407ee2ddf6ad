"""From where a scene is looked at, what stands on the ground with its shadow, and what a run was to do."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from oracles.posed import LEVEL, pair, posed
from pushpoint.scenery.aims import Aim
from pushpoint.scenery.camera import film_view, terrain_rise
from pushpoint.scenery.drawn_run import read_run
from pushpoint.scenery.palette import BLUE, ORANGE, link_colors, paler, rgb
from pushpoint.scenery.scene import SpatialScene
from pushpoint.scenery.shadows import convex_shade, sun_of, tube_shade
from pushpoint.scenery.surroundings import Scenery, box_faces


def on_stairs(direction: float, *, backward: bool = False) -> Any:
    """A body across the middle of stairs that rise along a direction [rad]; it is moved by 0.1 m along x."""
    along = np.array([math.cos(direction), math.sin(direction)])
    stairs = pp.Stairs(foot=(0.0, 0.0), heading=direction, steps=8, rise=0.1, run=0.15)
    places = [(*(share * along), 0.8) for share in (0.3, 0.6, 0.9)]
    made = posed(places, [LEVEL] * 3, load=[10.0] * 3, obstacles=(stairs,))
    return read_run(made.assign(center_of_mass=-made["center_of_mass"]) if backward else made)


@pytest.mark.parametrize("direction", [0.0, 2.0, math.pi, -1.0])
@pytest.mark.parametrize("backward", [False, True])
def test_stairs_are_looked_at_from_below_so_that_risers_show(direction: float, backward: bool) -> None:
    course = on_stairs(direction, backward=backward)
    rise = terrain_rise(course)
    up = np.array([math.cos(direction), math.sin(direction)])
    assert rise @ up > 0.4 and abs(rise @ (-up[1], up[0])) < 0.1  # 0.1 m per 0.15 m
    view = film_view(course)
    riser, tread = -np.array([*up, 0.0]), np.array([0.0, 0.0, 1.0])
    # Both faces are seen, and either fills at least a third of what a step takes of the picture.
    shares = np.array([0.1 * riser @ view.toward, 0.15 * tread @ view.toward])
    assert shares.min() / shares.sum() > 0.3
    if abs(up @ course.travel) > 0.9:
        assert view.right[:2] @ course.travel > 0.0  # up or down, it goes from left to right


def test_treads_risers_and_sides_are_told_apart_by_their_light() -> None:
    course = on_stairs(0.0)
    picture = SpatialScene(course, 480).picture[..., 0]
    levels, some = np.unique(picture, return_counts=True)
    plain = levels[some > 0.02 * picture.size].astype(int)
    assert len(plain) >= 3 and np.diff(np.sort(plain)).min() > 8  # of 255


def test_level_ground_is_looked_at_from_behind() -> None:
    course = read_run(pair())
    assert np.abs(terrain_rise(course)).max() < 1e-12
    assert film_view(course).toward @ (1.0, 0.0, 0.0) < 0.0


def test_a_high_post_stands_on_the_ground_and_casts_a_shadow() -> None:
    post = pp.Peg(x=0.0, y=0.5, radius=0.1)
    high = posed([(0.0, 0.3, 2.0), (0.3, 0.3, 2.0)], [LEVEL] * 2, load=[0.0] * 2, obstacles=(post,))
    course = read_run(high)
    scene = SpatialScene(course, 640)
    view, plan = film_view(course), scene.plan

    def seen(place: np.ndarray) -> float:
        u, v = (view.flat(place) - plan.box[0]) * plan.scale
        return float(scene.picture[int(plan.pixels[1]) - 1 - int(v), int(u), 0])

    ground = 0.9 * 246.0
    front = np.array([0.0, 0.5, 0.0]) + 0.1 * np.array([*view.toward[:2], 0.0]) / np.hypot(*view.toward[:2])
    foot, beside = front + np.array([0.0, 0.0, 0.02]), front + 0.05 * view.toward * (1.0, 1.0, 0.0)
    assert seen(foot) < ground < seen(beside)
    away = -sun_of(view) * (1.0, 1.0, 0.0)
    shadow = np.array([0.0, 0.5, 0.0]) + 0.25 * away / np.linalg.norm(away)
    assert seen(shadow) < 0.85 * 246.0


def test_shadows_fall_away_from_the_sun() -> None:
    sun = np.array([0.6, 0.0, 0.8])
    x = np.linspace(-1.0, 1.0, 401, dtype=np.float32)[None, None]
    places = [x, np.zeros_like(x), np.zeros_like(x)]
    ball = np.array([(0.0, 0.0, 0.4)] * 2)[:, None]
    shade = tube_shade(places, ball, np.array([0.1]), sun, 1e-3)[0, 0]
    dark = x[0, 0, shade > 0.3]
    assert dark.mean() == pytest.approx(-0.3, abs=0.01)  # 0.4 m / 0.8 * 0.6
    box = pp.Box(center=(0.0, 0.0, 0.1), size=(0.2, 0.2, 0.2)).solids[0]
    dark = x[0, 0, convex_shade(places, *box_faces(box), sun, 1e-3)[0, 0] > 0.5]
    # From below the box to where the ray over its far upper edge lands: -0.1 - 0.2 * 0.6 / 0.8.
    assert (dark.min(), dark.max()) == pytest.approx((-0.25, 0.1), abs=0.01)


def test_one_rule_for_the_colours_of_links() -> None:
    colors = link_colors(np.array([True, False, False]))
    np.testing.assert_allclose(colors, [rgb(BLUE), paler(BLUE, 0.6), rgb(ORANGE)])
    own = link_colors(np.array([False, True]), body="#000000", head="#ffffff", lifted=0.5)
    assert own.tolist() == [[0.5] * 3, [1.0] * 3]


def test_numbers_are_written_only_where_they_fit() -> None:
    def written(*obstacles: Any, scale: float = 1.0) -> list[bool]:
        return [solid.number_size(scale) > 0.0 for solid in Scenery(pp.Environment(obstacles=obstacles)).solids]

    lone = pp.Peg(x=0.0, y=0.0, radius=0.05)
    assert written(lone) == [True]
    many = [replace(lone, x=0.5 * k) for k in range(101)]
    assert not any(written(*many))  # three digits do not fit, and then one does not stand there alone
    box = pp.Box(center=(0.0, 0.0, 0.1), size=(0.2, 0.2, 0.2))
    over = pp.Box(center=(0.05, 0.0, 0.2), size=(0.2, 0.2, 0.2))
    assert written(box) == [True] and written(box, over) == [False, False]
    assert written(box, replace(box, center=(0.3, 0.0, 0.1))) == [True, True]


def test_a_run_knows_its_planned_path_and_its_finishing_line() -> None:
    course = pp.scenario("holden2014/closed-loop").with_changes(duration=0.02)
    goal = pp.goals.Beyond(distance=2.0, direction=0.1)
    shown = read_run(replace(course, until=goal).run())
    path = course.world.controller.path
    assert shown.aim.path is not None and shown.aim.finish == (2.0, 0.1)
    np.testing.assert_allclose(shown.aim.path[[0, -1]], path.points[[0, -1]], atol=1e-9)
    assert read_run(pair()).aim == Aim()


def test_a_finishing_line_goes_from_edge_to_edge() -> None:
    line = Aim(finish=(2.0, 0.0)).finish_line(np.array([(0.0, -1.0), (3.0, 1.0)]))
    assert line is not None
    np.testing.assert_allclose(np.sort(line, axis=0), [(2.0, -1.0), (2.0, 1.0)])
    assert Aim(finish=(5.0, 0.0)).finish_line(np.array([(0.0, -1.0), (3.0, 1.0)])) is None
    assert Aim().finish_line(np.zeros((2, 2))) is None
    aslant = Aim(finish=(math.sqrt(0.5), math.pi / 4.0)).finish_line(np.array([(0.0, 0.0), (1.0, 1.0)]))
    assert aslant is not None
    np.testing.assert_allclose(np.sort(aslant, axis=0), [(0.0, 0.0), (1.0, 1.0)], atol=1e-9)
