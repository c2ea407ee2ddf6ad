"""Figures of a spatial run: the same as in the plane, drawn for three dimensions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import xarray
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Polygon

import pushpoint as pp
from oracles.posed import FLAT, LEVEL, pair, posed
from oracles.seen import axes_of, labels, words
from pushpoint import plots
from pushpoint.scenery.drawn_run import read_run
from pushpoint.scenery.reading import read_recording


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    return pp.scenario("transeth2008b/sidewinding").with_changes(duration=1.0).run()


def faces(axes: Axes) -> list[tuple[float, ...]]:
    return [tuple(np.round(patch.get_facecolor()[:3], 6)) for patch in axes.patches if isinstance(patch, PathPatch)]


def test_lifted_links_are_paler_and_those_on_boxes_are_not() -> None:
    course = read_run(pair())
    assert course.space is not None and course.space.carries is not None
    assert course.space.carries.tolist() == [[True, False]] * 11  # what is unknown at first is what comes next
    figure = plots.course(posed([(0.0, 0.0, 0.05)] * 3, [LEVEL] * 3, load=[10.0, 0.0, 0.0]))
    for view in ("posture 1", "side 1"):
        shades = sorted(sum(face) for face in faces(axes_of(figure, view)))
        assert len(shades) == 3 and shades[0] < shades[1] < shades[2]  # head, carrying, lifted
    assert "lifted" in words(figure)
    on_box = np.zeros((11, 2, 3))
    on_box[:, 1, 2] = 10.0
    course = read_run(pair().assign(obstacle_force=(("time", "link", "axis"), on_box)))
    assert course.space is not None and course.space.carries is not None and course.space.carries[1:].all()
    unknown = pair().drop_vars("ground_force")
    assert "lifted" not in words(plots.course(unknown))


def test_the_side_view_looks_along_what_the_robot_does_not_travel() -> None:
    stairs = pp.Stairs(foot=(0.1, 0.0), steps=3, rise=0.1, run=0.2, width=1.0, landing=0.3)
    figure = plots.course(pair(obstacles=(stairs,)))
    side = axes_of(figure, "side 0")
    assert side.get_xlim() == pytest.approx(axes_of(figure, "posture 0").get_xlim())
    steps = [patch for patch in side.patches if isinstance(patch, Polygon)]
    tops = sorted(round(float(np.max(patch.get_xy()[:, 1])), 9) for patch in steps)
    assert tops == [0.1, 0.2, 0.3]
    assert [text.get_text() for text in axes_of(figure, "posture 0").texts] == ["0"]  # stairs are one obstacle
    away = pair()
    moved = away["link_position"].values + np.array([0.0, 1.0, 0.0]) * np.linspace(0.0, 1.0, 11)[:, None, None]
    away = away.assign(link_position=(("time", "link", "axis"), moved))
    away = away.assign(center_of_mass=(("time", "axis"), moved.mean(axis=1)))
    figure = plots.course(away)
    named = {axes.get_xlabel() for axes in figure.axes if str(axes.get_label()).startswith("side")}
    assert named <= {"", "y [m]"} and "y [m]" in named  # within 10 degrees; rows above the last have no labels


def test_contour_lines_show_a_slope() -> None:
    slope = replace(FLAT, slope=math.atan(0.5), slope_direction=math.pi / 2.0)
    figure = plots.course(pair(ground=slope))
    (contours,) = axes_of(figure, "posture 0").collections[:1]
    for line in contours.get_paths():
        corners = np.asarray(line.vertices)
        if len(corners):
            assert np.ptp(corners[:, 1]) == pytest.approx(0.0, abs=1e-9)  # it rises along y
    assert "contour lines in m" in words(figure)


def test_contacts_show_the_force_across_the_ground() -> None:
    slope = replace(FLAT, slope=0.5, slope_direction=0.0)
    tilted = pair(ground=slope)
    image = axes_of(plots.contacts(tilted), "ground").images[0].get_array()
    assert image is not None
    np.testing.assert_allclose(np.asarray(image)[:, 1], [20.0 * math.cos(0.5), 0.0], atol=1e-9)
    assert "1.0 of 2 links on the ground" in words(plots.contacts(tilted))
    assert "obstacles" not in labels(plots.contacts(tilted))


def test_yaw_and_pitch_have_panels_of_their_own(run: xarray.Dataset) -> None:
    figure = plots.joints(run)
    wanted = {f"{kind} {part}" for kind in ("yaw", "pitch") for part in ("angle", "error", "curves")}
    assert wanted <= labels(figure)
    angle = np.degrees(run["joint_angle"].values)[:, np.asarray(run["joint_axis"]) == "pitch"]
    image = axes_of(figure, "pitch angle").images[0].get_array()
    assert image is not None
    np.testing.assert_allclose(np.asarray(image).T, angle)
    motors = plots.motors(run)
    assert {f"{kind} {part}" for kind in ("yaw", "pitch") for part in ("torque", "loads", "speed")} | {
        "power"
    } <= labels(motors)
    stiffness = read_recording(run).world.robot.motor_column("stiffness")
    assert len(stiffness) == 20
    expected = [motor.stiffness for motor in pp.scenario("transeth2008b/sidewinding").world.robot.motors]
    np.testing.assert_allclose(stiffness, expected)  # in the order of the joints of the run


def test_paths_show_heights_over_time(run: xarray.Dataset) -> None:
    panel = axes_of(plots.paths(run), "heights")
    heights = [np.asarray(line.get_ydata()) for line in panel.lines if len(np.asarray(line.get_ydata())) > 2]
    assert len(heights) == 4
    np.testing.assert_allclose(heights[-1], run["center_of_mass"].values[:, 2])
    assert "ground or an obstacle" in axes_of(plots.health(run), "penetration").get_title(loc="left")
