"""Where a robot is on a path: projections against closed forms, and that places only advance."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control.path_following.followed import trace_along
from pushpoint.control.path_following.track import NOWHERE, PIECES_AHEAD, lay_track
from pushpoint.engine.batching import pick, stack
from pushpoint.simulation.stepping.controllers import side_by_side


def line(angle: float, length: float = 3.0) -> pp.mapping.Path:
    return pp.mapping.Path([(1.0, 2.0), (1.0 + length * np.cos(angle), 2.0 + length * np.sin(angle))])


def circle(radius: float, laps: float = 1.0, n: int = 60) -> pp.mapping.Path:
    turn = np.linspace(0.0, 2 * np.pi * laps, n)
    return pp.mapping.Path(np.stack((radius * np.cos(turn), radius * np.sin(turn)), axis=1))


@pytest.mark.parametrize("angle", [0.0, 1.0, np.pi / 2, 2.5, -2.8])
def test_a_straight_line_in_any_direction(angle):
    track = lay_track(line(angle), 1.0, None)
    along, left = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    ways = np.array([(-0.5, 0.3), (0.0, -0.2), (1.7, 0.0), (2.9, 0.4), (5.0, -0.6)])  # before, on and beyond the line
    found = trace_along(track, np.array([1.0, 2.0]) + ways[:, :1] * along + ways[:, 1:] * left)
    np.testing.assert_allclose(found.arc, np.maximum(ways[:, 0], 0.0), atol=1e-12)  # 0 before the line
    np.testing.assert_allclose(found.aside, ways[:, 1], atol=1e-12)
    np.testing.assert_allclose(np.cos(found.angle - angle), 1.0)


@pytest.mark.parametrize(("radius", "off"), [(1.0, 0.1), (1.0, -0.1), (0.4, 0.05)])
def test_a_circle_is_followed_by_its_polar_angle(radius, off):
    track = lay_track(circle(radius), 0.5, None)
    turn = np.linspace(0.05, 6.0, 200)
    seen = (radius - off) * np.stack((np.cos(turn), np.sin(turn)), axis=1)  # the left of a left turn is inside
    found = trace_along(track, seen)
    # The table has pieces of 1 cm and less: chords lie up to h^2 / (8 R) inside the arc, 3e-5 m here.
    np.testing.assert_allclose(found.aside, off, atol=1e-4)
    np.testing.assert_allclose(found.arc, radius * turn, atol=2e-3)
    np.testing.assert_allclose(found.angle, turn + np.pi / 2, atol=5e-3)
    place = track.find(seen[:1], stack([NOWHERE]))
    assert place.curvature[0] == pytest.approx(1.0 / radius, rel=0.02)  # of a spline through 60 points


def test_a_robot_that_is_pushed_back_keeps_its_arc_length():
    track = lay_track(circle(1.0), 0.5, None)
    turn = np.array([0.5, 1.0, 0.8, 0.9, 1.1])
    found = trace_along(track, np.stack((np.cos(turn), np.sin(turn)), axis=1))
    np.testing.assert_allclose(found.arc, [0.5, 1.0, 1.0, 1.0, 1.1], atol=2e-3)


def test_a_closed_path_begins_at_its_first_point():
    track = lay_track(circle(1.0), 0.5, None)
    for off in (-0.2, 0.0, 0.2):
        assert trace_along(track, np.array([[1.0 + off, 0.0]])).arc[0] < 2e-3  # a spline is no circle


def test_a_crossing_does_not_change_the_branch():
    t = np.linspace(0.0, 2 * np.pi, 80)
    eight = pp.mapping.Path(np.stack((np.sin(t), np.sin(t) * np.cos(t)), axis=1))
    track = lay_track(eight, 0.3, None)
    finer = np.linspace(0.01, 6.2, 600)
    found = trace_along(track, np.stack((np.sin(finer), np.sin(finer) * np.cos(finer)), axis=1))
    assert np.all(np.diff(found.arc) >= 0.0) and np.abs(found.aside).max() < 1e-3
    assert np.diff(found.arc).max() < 0.05  # no jump at the crossing, where the other branch is 3 m further on


def test_waypoints_are_straight_legs_switched_before_the_corner():
    corner = pp.mapping.Path([(0.0, 0.0), (2.0, 0.0), (2.0, 2.0)])
    track = lay_track(corner, 1.0, 0.3)
    found = trace_along(track, np.array([(1.0, 0.1), (1.69, 0.1), (1.71, 0.1), (1.9, 0.8), (2.1, 3.0)]))
    np.testing.assert_allclose(found.aside, [0.1, 0.1, 0.29, 0.1, -0.1], atol=1e-12)
    np.testing.assert_allclose(found.angle, [0.0, 0.0, np.pi / 2, np.pi / 2, np.pi / 2], atol=1e-12)
    assert found.arc[0] == 1.0 and found.arc[-1] == 5.0 and np.all(np.diff(found.arc) >= 0.0)


def test_short_legs_are_passed_at_once():
    track = lay_track(pp.mapping.Path([(0.0, 0.0), (0.1, 0.0), (0.2, 0.0), (0.3, 0.0), (3.0, 0.0)]), 1.0, 0.2)
    found = trace_along(track, np.array([(0.15, 0.05)]))
    assert found.arc[0] == pytest.approx(0.15) and found.aside[0] == pytest.approx(0.05)


def test_a_point_too_far_ahead_is_not_taken():
    """A robot beside a hairpin stays on its own side, even where the other one is nearer."""
    x = np.concatenate((np.linspace(0.0, 4.0, 20), np.linspace(4.0, 0.0, 20)))
    y = np.concatenate((np.zeros(20), np.full(20, 0.3)))
    track = lay_track(pp.mapping.Path(np.stack((x, y), axis=1)), 0.5, None)
    found = trace_along(track, np.stack((np.linspace(0.0, 2.0, 50), np.linspace(0.0, 0.28, 50)), axis=1))
    assert found.arc[-1] < 2.5 and found.aside[-1] == pytest.approx(0.28, abs=0.01)


def test_worlds_with_different_paths_are_found_as_alone():
    tracks = [lay_track(circle(r), 0.5 * r, None) for r in (1.0, 0.7, 1.3)]
    assert len({len(track.arc) for track in tracks}) == 1 and len(tracks[0].arc) > PIECES_AHEAD
    together = side_by_side(tracks)
    turn = np.linspace(0.3, 2.0, 40)
    place = stack([NOWHERE] * 3)
    for angle in turn:
        seen = np.array([[r * np.cos(angle) * 1.02, r * np.sin(angle)] for r in (1.0, 0.7, 1.3)])
        place = together.find(seen, place)
    for w, (track, r) in enumerate(zip(tracks, (1.0, 0.7, 1.3), strict=True)):
        alone = trace_along(track, np.stack((r * np.cos(turn) * 1.02, r * np.sin(turn)), axis=1))
        assert pick(place, w).arc == alone.arc[-1] and pick(place, w).aside == alone.aside[-1]


def test_a_look_ahead_too_short_for_its_path_is_refused():
    with pytest.raises(pp.errors.InvalidModel, match=r"look_ahead = 1e-06, must be at least .* on so long a path"):
        lay_track(circle(1.0), 1e-6, None)
