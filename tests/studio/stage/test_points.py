"""Control points of shape curves: found in a controller, and moved while the robot follows the curve."""

from __future__ import annotations

import numpy as np

import pushpoint as pp
from pushpoint.studio.stage.points import curve_points, with_points


def test_a_moved_point_is_the_only_thing_that_differs_and_the_robot_goes_on() -> None:
    world = pp.scenario("liljeback2014/sidewinding").world
    points = curve_points(world.controller)
    assert points is not None
    moved = points.copy()
    moved[2] += (0.05, -0.02, 0.0)
    changed = with_points(world.controller, moved)
    np.testing.assert_array_equal(curve_points(changed), moved)
    assert with_points(changed, points) == world.controller
    with pp.Live(world, settings=pp.scenario("liljeback2014/sidewinding").settings) as live:
        live.advance(50)
        live.change(controller=changed)
        live.advance(50)
        assert live.status is pp.Status.RUNNING


def test_points_on_a_curve_of_their_own_are_moved_as_well() -> None:
    places = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.5, 0.1)]
    follower = pp.control.ShapeCurveFollower(motion=pp.planning.OnCurve(points=places))
    points = curve_points(follower)
    assert points is not None
    changed = with_points(follower, points + 1.0)
    np.testing.assert_allclose(curve_points(changed), points + 1.0)


def test_a_gait_has_none() -> None:
    assert curve_points(pp.gaits.Hold()) is None and curve_points(None) is None
