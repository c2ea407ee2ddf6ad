"""The replay page of a spatial run: links, terrain and colours are where and what the run says."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray

import pushpoint as pp
from oracles.posed import FLAT, hills, pair
from pushpoint.replays.legend import colors_of
from pushpoint.replays.moving import MovingParts
from pushpoint.replays.replay import replay
from pushpoint.replays.scene import set_scene
from pushpoint.scenery.drawn_run import read_run


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    return pp.scenario("transeth2008b/sidewinding").with_changes(duration=1.0).run()


class Watched:
    """A server that remembers what is put into its scene, by name."""

    def __init__(self) -> None:
        self.added: dict[str, tuple[tuple[Any, ...], dict[str, Any], SimpleNamespace]] = {}
        self.scene, self.initial_camera = self, SimpleNamespace()

    def __getattr__(self, method: str) -> Callable[..., SimpleNamespace]:
        def remember(*given: Any, **named: Any) -> SimpleNamespace:
            handle = SimpleNamespace()
            if given:
                self.added[str(given[0])] = (given[1:], named, handle)
            return handle

        return remember


def test_the_replay_moves_links_to_their_poses_and_colours_those_that_are_lifted(run: xarray.Dataset) -> None:
    server, course = Watched(), read_run(run)
    moving = MovingParts(server, course)  # type: ignore[arg-type]
    (_, _, turn, _), _, body = server.added["/snake/links 0"]
    assert course.space is not None and course.space.carries is not None
    sample = int(np.argmax(np.any(course.space.carries != course.space.carries[0], axis=1)))
    assert sample > 0
    moving.pose(sample)
    rounded = {"atol": 1e-4}  # kept to an eighth of a thousandth
    np.testing.assert_allclose(turn, run["link_orientation"].values[0], **rounded)
    np.testing.assert_allclose(body.batched_wxyzs, run["link_orientation"].values[sample], **rounded)
    np.testing.assert_allclose(body.batched_positions, run["link_position"].values[sample], **rounded)
    paleness = body.batched_colors[:-1].astype(int).sum(axis=1)
    carrying = course.space.carries[sample, :-1]
    assert paleness[carrying].max() < paleness[~carrying].min()


def test_a_lifted_head_keeps_the_colour_of_the_head() -> None:
    up, down = (colors_of(np.array([True, True, head]))[-1] for head in (False, True))
    assert np.array_equal(up, down) and up[0] > up[1] > up[2]  # orange


def test_the_replay_page_needs_nothing_else(tmp_path: Path) -> None:
    box = pp.Box(center=(0.5, 0.3, 0.05), size=(0.2, 0.2, 0.1))
    page = replay(pair(obstacles=(box,)), tmp_path / "replay.html").read_text(encoding="utf-8")
    assert "<title>posed</title>" in page and len(page) < 1_100_000
    assert set(re.findall(r"https?://[\w.]+", page)) <= {"http://www.w3.org"}  # names of formats, not addresses


def test_the_replay_shows_boxes_where_they_are() -> None:
    box = pp.Box(center=(0.5, 0.3, 0.05), size=(0.2, 0.4, 0.1), yaw=math.pi / 2.0)
    peg = pp.Peg(x=-0.4, y=0.0, radius=0.1)
    server = Watched()
    set_scene(server, read_run(pair(obstacles=(box, peg))))  # type: ignore[arg-type]
    (vertices, triangles), _, _ = server.added["/obstacles"]
    assert triangles.max() == len(vertices) - 1
    corners = vertices[vertices[:, 0] > 0.2]
    np.testing.assert_allclose(
        [corners.min(axis=0), corners.max(axis=0)], [(0.3, 0.2, 0.0), (0.7, 0.4, 0.1)], atol=1e-6
    )
    # Seen from outside, corners run counter-clockwise: the volume that they enclose is positive.
    first, second, third = (vertices[triangles[:12, k]] for k in range(3))
    volume = np.sum(np.einsum("ij,ij->i", first, np.cross(second, third))) / 6.0
    assert volume == pytest.approx(0.2 * 0.4 * 0.1, rel=1e-5)
    cylinder = vertices[vertices[:, 0] < 0.0]
    np.testing.assert_allclose(np.hypot(cylinder[:, 0] + 0.4, cylinder[:, 1]), 0.1, atol=1e-6)
    assert cylinder[:, 2].min() < 0.0 < 0.1 < cylinder[:, 2].max()


def test_a_large_height_field_is_drawn_coarser_and_still_true() -> None:
    made = pair(ground=replace(FLAT, heights=hills(500)))
    server = Watched()
    set_scene(server, read_run(made))  # type: ignore[arg-type]
    (vertices, _), _, _ = server.added["/ground"]
    assert 100**2 < len(vertices) < 205**2
    inside = np.all(np.abs(vertices[:, :2]) < 1.49, axis=1)
    x, y, z = vertices[inside].T
    np.testing.assert_allclose(z, 0.05 * np.sin(3.0 * x) * np.cos(3.0 * y), atol=2e-4)  # rounded to an eighth of a mm
