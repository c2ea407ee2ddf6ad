"""A run as it is drawn: where links are and touch, how arrows stand, what lies around."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import xarray
from scipy.spatial.transform import Rotation

import pushpoint as pp
from oracles.described import first
from oracles.posed import SQUARE as SQUARE_LINK, pair, posed, turned
from pushpoint.papers.registry import scenario
from pushpoint.scenery.drawn_run import read_run
from pushpoint.scenery.reading import read_recording
from pushpoint.scenery.shapes import TOP, side_view
from pushpoint.scenery.surroundings import Scenery


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    """Two seconds of the published course: seven pegs, eleven links."""
    return scenario("transeth2008a/obstacle-aided").with_changes(duration=2.0).run()


WALL = pp.Wall(start=(0.0, 0.0), end=(1.0, 0.0), thickness=0.1)
SQUARE = pp.Polygon(vertices=[(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)])  # clockwise


def test_arrows_stand_where_links_touch_and_point_as_the_force(run: xarray.Dataset) -> None:
    course = read_run(run)
    scale = course.force_scale
    sample = int(np.hypot(*course.force.sum(axis=1).T).argmax())
    feet, steps = course.arrows(sample, scale)
    links = np.flatnonzero(np.hypot(*course.force[sample].T) > scale.smallest)
    assert len(feet) == len(links) > 0
    pegs = np.array([solid.center for solid in course.scenery.solids])
    gap = np.linalg.norm(feet[:, None] - pegs, axis=-1).min(axis=1) - course.scenery.solids[0].radius
    np.testing.assert_allclose(gap, 0.0, atol=0.006)  # a link moves that far in a recording interval
    turned = np.cross(np.pad(steps, ((0, 0), (0, 1))), np.pad(course.force[sample, links], ((0, 0), (0, 1))))
    np.testing.assert_allclose(turned, 0.0, atol=1e-9)
    assert len(course.arrows(0, scale)[0]) == 0  # forces of the first sample are unknown


def test_outlines_are_counter_clockwise_and_stand_off_by_the_radius() -> None:
    scenery = Scenery(pp.Environment(obstacles=[pp.Peg(x=2.0, y=1.0, radius=0.5), WALL, SQUARE]))
    areas = []
    for solid in scenery.solids:
        x, y = solid.outline(512).T
        areas.append(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) / 2.0)
    assert areas == pytest.approx([np.pi * 0.25, 0.1 + np.pi * 0.05**2, 1.0], rel=1e-4)  # 512 corners for a circle
    assert [solid.room for solid in scenery.solids] == pytest.approx([0.5, 0.05, 0.5])
    np.testing.assert_allclose(scenery.bounds[0], [(1.5, 0.5), (-0.05, -0.05), (0.0, 0.0)])


@pytest.mark.parametrize(
    ("obstacle", "middle", "angle", "foot"),
    [
        (WALL, (0.5, 0.1), 0.0, (0.5, 0.05)),  # flat on its side: the middle of the touching side
        (WALL, (0.95, 0.1), 0.0, (0.9, 0.05)),  # half beyond the end: the part from 0.8 to 1 touches
        (WALL, (0.5, 0.1 + 0.15 * np.sin(0.3)), 0.3, (0.5 - 0.15 * np.cos(0.3), 0.05)),  # on one end
        (SQUARE, (1.2, 0.5), np.pi, (1.0, 0.5)),  # head on
        (SQUARE, (1.0 + 0.05 / np.sqrt(2), 1.0 + 0.05 / np.sqrt(2)), 3 * np.pi / 4, (1.0, 1.0)),  # on a corner
        (SQUARE, (0.5, 1.2), 0.0, (0.5, 1.2)),  # beside it: the link's middle
    ],
)
def test_contact_point_of_a_link(
    obstacle: Any, middle: tuple[float, float], angle: float, foot: tuple[float, float]
) -> None:
    scenery = Scenery(pp.Environment(obstacles=[obstacle]))
    along = np.array([np.cos(angle), np.sin(angle)])
    np.testing.assert_allclose(scenery.contact_point(np.array(middle), along, 0.15, 0.05), foot, atol=1e-9)


def test_forward_is_from_start_to_end(run: xarray.Dataset) -> None:
    moved = np.diff(run["center_of_mass"].values[[0, -1]], axis=0)[0]
    np.testing.assert_allclose(read_recording(run).travel(), moved / np.hypot(*moved))
    assert read_recording(first(run, 1)).travel().tolist() == [1.0, 0.0]


def test_orientations_turn_links_as_their_quaternions_say() -> None:
    quaternions = np.random.default_rng(0).normal(size=(5, 4))
    made = posed([(0.0, 0.0, 1.0)] * 5, [tuple(one) for one in quaternions.tolist()], load=[0.0] * 5)
    space = read_run(made).space
    assert space is not None
    np.testing.assert_allclose(
        space.turn[3], Rotation.from_quat(quaternions, scalar_first=True).as_matrix(), atol=1e-12
    )


def size(outline: np.ndarray) -> list[float]:
    return np.ptp(outline, axis=0).tolist()


def test_outlines_are_what_is_seen_from_above_and_from_the_side() -> None:
    # Front down by 60 degrees: R_y(60 deg) turns x into (1/2, 0, -sqrt(3)/2).
    tilted = read_run(posed([(0.0, 0.0, 0.5)], [turned("y", math.pi / 3.0)], load=[0.0]))
    assert tilted.space is not None
    np.testing.assert_allclose(tilted.along[0, 0], (0.5, 0.0, -math.sqrt(0.75)), atol=1e-12)
    (above,) = tilted.outlines(0, TOP)
    assert size(above) == pytest.approx([0.1 + 0.1, 0.1], abs=1e-3)  # arcs of 32 corners
    (beside,) = tilted.outlines(0, side_view(np.array([1.0, 0.0])))
    assert size(beside) == pytest.approx([0.1 + 0.1, 0.2 * math.sqrt(0.75) + 0.1], abs=1e-3)
    # A square bar on its edge is wider by the diagonal of its section.
    on_edge = read_run(posed([(0.0, 0.0, 0.1)], [turned("x", math.pi / 4.0)], load=[0.0], link=SQUARE_LINK))
    assert on_edge.space is not None
    (above,) = on_edge.outlines(0, TOP)
    wide = 2.0 * (0.045 * math.sqrt(2.0) + 0.005)
    assert size(above) == pytest.approx([0.2 + 0.01, wide], abs=1e-4)
    np.testing.assert_allclose(np.diff(on_edge.body_box, axis=0)[0, 1:], wide, atol=1e-9)


def test_arrows_start_on_the_surface_that_is_pushed() -> None:
    force = np.zeros((11, 2, 3))
    force[:, 0], force[:, 1] = (0.0, 0.0, 30.0), (-20.0, 0.0, 0.0)
    course = read_run(pair().assign(obstacle_force=(("time", "link", "axis"), force)))
    feet = course.contact_points(0, np.array([0, 1]))
    np.testing.assert_allclose(feet, [(0.0, 0.0, 0.0), (0.3 + 0.1 + 0.05, 0.0, 0.2)], atol=1e-9)  # below; at the nose
