"""Alignment with lengths alone, and the fit to the curve: against whole robots, closed forms and dense samples."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel
from pushpoint.planning import (
    ShapeCurve,
    Skeleton,
    align,
    default_look_ahead,
    fit_to_curve,
    rolling_arc,
    sidewinding,
    vertical_wave,
)

ROBOTS = {"liljeback2014": pp.catalogue.liljeback2014(), "aiko, axes apart": pp.catalogue.aiko(0.022)}
some_robot = pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS.keys())
CURVE = ShapeCurve([(0, 0, 0), (0.8, 0.3, 0.2), (1.6, -0.2, 0.1), (2.6, 0.1, 0.3)])


@some_robot
def test_a_skeleton_has_the_joint_angles_of_its_robot(robot: pp.SpatialRobot) -> None:
    bare = Skeleton.of(robot)
    ours, theirs = (align(body, CURVE, [2.4, 3.0], [0.0, 0.5]) for body in (bare, robot))
    for name in ("joint_angles", "joint_points", "link_orientations", "references", "side"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert (bare.n_links, bare.n_joints, bare.axes) == (robot.n_links, robot.n_joints, robot.axes)
    assert bare.length == pytest.approx(robot.length, rel=1e-15)
    assert default_look_ahead(bare) == pytest.approx(default_look_ahead(robot), rel=1e-15)
    for maker in (sidewinding, vertical_wave, rolling_arc):
        np.testing.assert_array_equal(maker(bare).points, maker(robot).points)


def test_the_centre_of_a_skeleton_is_that_of_its_lines() -> None:
    bare = Skeleton(lengths=(0.1, 0.2, 0.3), joints=pp.Yaw())
    pose = align(bare, CURVE, 3.0)
    ends = pose.joint_points
    middles = (ends[1:] + ends[:-1]) / 2
    np.testing.assert_allclose(pose.center, np.array([1, 2, 3]) @ middles / 6, rtol=0, atol=1e-12)


def test_lengths_and_joints_are_enough_for_a_batch() -> None:
    snake = Skeleton.uniform(9, 0.1, (pp.Yaw(), pp.Pitch()))
    assert align(snake, CURVE, np.linspace(2.0, 3.0, 6).reshape(2, 3)).joint_angles.shape == (2, 3, 8)
    assert Skeleton(lengths=[0.1] * 4).n_joints == 6  # cardan joints
    assert Skeleton(lengths=[0.5]).n_joints == 0


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Skeleton(lengths=[]), r"lengths = .*, must be .*1"),
        (lambda: Skeleton(lengths=[0.1, -0.1]), r"skeleton.lengths\[1\] = -0.1, must be finite and > 0"),
        (lambda: Skeleton(lengths=[0.1] * 3, joints=(pp.Yaw(),)), r"joints = .*, must be"),
        (lambda: Skeleton(lengths=[0.1] * 2, joints=pp.Cardan(axis_distance=0.2)), r"shorter than the link behind"),
        (lambda: Skeleton(lengths=[0.1] * 2, joints=3), r"joints = 3, must be"),
        (lambda: Skeleton.uniform(0, 0.1), r"skeleton.n_links = 0"),
        (lambda: Skeleton.uniform(3, 0.1, ()), r"skeleton.joints = \(\), must be at least one joint"),
        (lambda: align(Skeleton(lengths=[0.1]), CURVE, 3.0).start(), r"must be a SpatialRobot: a skeleton has no mass"),
        (lambda: Skeleton(lengths=[0.1]).column("mass"), r"field = 'mass', must be"),
        (lambda: Skeleton.of(3), r"robot = 3, must be a SpatialRobot"),
        (lambda: align(3, CURVE, 3.0), r"robot = 3, must be a SpatialRobot or a Skeleton"),
    ],
)
def test_mistakes_are_one_sentence(make, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence) as caught:
        make()
    assert "\n" not in str(caught.value)


class TestFit:
    """Distances from the curve."""

    @pytest.mark.parametrize("kind", ["pchip", "smooth"])
    def test_the_nearest_point_is_that_of_a_dense_table(self, kind: str) -> None:
        points = np.cumsum(np.random.default_rng(2).normal(size=(9, 3)), axis=0)
        curve, some = ShapeCurve(points, kind), np.random.default_rng(3).normal(size=(40, 3)) * 2.0
        dense = curve.at(np.linspace(0.0, curve.end, 40001))
        expected = np.linalg.norm(some[:, None] - dense, axis=-1).min(axis=1)
        line = curve.points[0] - np.linspace(0.0, 30.0, 40001)[:, None] * curve.lead / np.linalg.norm(curve.lead)
        expected = np.minimum(expected, np.linalg.norm(some[:, None] - line, axis=-1).min(axis=1))
        found = curve.distance(some)
        # A table is never nearer than the curve, and by at most half its spacing, squared over the distance, farther.
        assert np.all(found <= expected + 1e-12) and np.abs(found - expected).max() < 1e-5
        np.testing.assert_allclose(curve.distance(dense[::997]), 0.0, atol=1e-8)

    def test_before_the_first_point_the_line_counts(self) -> None:
        curve = ShapeCurve([(0, 0, 0), (1, 0, 0), (2, 0, 0)])
        np.testing.assert_allclose(curve.nearest([(-2.0, 1.0, 0.0), (0.5, 0.2, 0.0), (5.0, 3.0, 0.0)]), [-2, 0.5, 2])
        np.testing.assert_allclose(curve.distance([(-2.0, 1.0, 0.0), (5.0, 3.0, 4.0)]), [1.0, np.sqrt(34.0)])

    def test_on_a_circle_joints_are_off_by_the_closed_form(self) -> None:
        # Joints settle at rho^2 = R^2 - L (L - a); links are chords of that circle.
        a, R, L = 0.05, 1.0, 0.1
        angle = np.linspace(0.0, 6.0, 601)
        circle = ShapeCurve(np.stack([R * np.cos(angle), R * np.sin(angle), 0 * angle], axis=-1), "smooth")
        whole = align(Skeleton.uniform(80, a, pp.Yaw()), circle, circle.end, 0.0, L)
        rho = np.sqrt(R**2 - L * (L - a))
        fit = fit_to_curve(whole, circle)
        assert fit.joint_max == pytest.approx(R - rho, abs=1e-6)  # 0.01 rad between points
        across = np.sqrt(rho**2 - (a / 2) ** 2 + (a / 16) ** 2)  # the middle two of eight parts are nearest to it
        assert fit.link_max == pytest.approx(R - across, abs=1e-6)
        assert 0.0 < fit.joint_rms < fit.joint_max and fit.joint_rms < fit.link_rms < fit.link_max

    def test_a_straight_body_on_a_straight_curve_fits(self) -> None:
        line = ShapeCurve([(0, 0, 0), (1.0, 0.5, 0.3), (2.0, 1.0, 0.6)])
        fit = fit_to_curve(align(ROBOTS["aiko, axes apart"], line, [1.9, 2.0]), line)
        assert fit.joint_max.shape == (2,) and max(fit.link_max.max(), fit.joint_max.max()) < 1e-8

    def test_a_fit_turns_with_its_case(self) -> None:
        turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        snake = Skeleton.uniform(12, 0.1, (pp.Yaw(), pp.Pitch()))
        one, other = (
            fit_to_curve(align(snake, curve, 3.0), curve) for curve in (CURVE, ShapeCurve(CURVE.points @ turn.T))
        )
        for name in ("joint_max", "joint_rms", "link_max", "link_rms"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-9)
