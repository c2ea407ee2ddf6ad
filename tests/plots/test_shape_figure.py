"""Figures of shape curves: what is drawn is where the curve, the robot and the run are, in one scale."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from scipy.spatial.transform import Rotation

import pushpoint as pp
from oracles.posed import LEVEL, posed
from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.control.steering import HeadingController, TurnSchedule
from pushpoint.errors import InvalidModel
from pushpoint.planning import (
    Alignment,
    GaitSegment,
    MovingPoints,
    ShapeCurve,
    align,
    concatenated,
    rolling_arc,
    sidewinding,
    vertical_wave,
)
from pushpoint.planning.curves.motion import AlongCurve, OnCurve
from pushpoint.planning.curves.moving import OnMovingPoints
from pushpoint.plots.curves import ASLANT, joint_axes, link_ends
from pushpoint.plots.figures.shape import concatenation, follow, motion, shape_curve
from pushpoint.plots.page import save_figure
from pushpoint.plots.panels import path_panel, read_spatial, screen_shots
from pushpoint.scenery.shapes import TOP, look_from, side_view

ROBOT = pp.catalogue.liljeback2014()
CURVE = ShapeCurve([(0.0, 0.0, 0.0), (0.5, 0.3, 0.2), (1.0, -0.2, 0.1), (1.8, 0.1, 0.3)])
CLOSE = 1e-12  # [m]: what is drawn is computed in a few floating-point operations of numbers around 1


@pytest.fixture(scope="module")
def pose() -> Alignment:
    return align(ROBOT, CURVE, CURVE.end)


def panel(figure: Figure, number: int) -> Axes:
    (found,) = (axes for axes in figure.axes if axes.get_label() == f"panel {number}")
    return found


def drawn(axes: Axes, name: str) -> np.ndarray:
    """Data of the only line of that name, shape (n, 2)."""
    (line,) = (line for line in axes.lines if line.get_gid() == name)
    return np.stack([np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)], axis=-1)


def names(axes: Axes, begin: str) -> list[str]:
    return [str(line.get_gid()) for line in axes.lines if str(line.get_gid()).startswith(begin)]


def along_sidewinding(**others: Any) -> ShapeCurveFollower:
    return ShapeCurveFollower(motion=AlongCurve(segment=sidewinding(ROBOT), speed=0.5), **others)


def moved(step: tuple[float, float, float]) -> xarray.Dataset:
    """Two links side by side in a row, moved by a step within a second."""
    run = posed([(0.0, 0.0, 0.05), (0.2, 0.0, 0.05)], [LEVEL, LEVEL], load=[10.0, 10.0])
    shift = np.array(step) * run["time"].values[:, None]
    return run.assign(
        link_position=run["link_position"] + xarray.DataArray(shift[:, None], dims=("time", "one", "axis"))[:, 0],
        center_of_mass=run["center_of_mass"] + xarray.DataArray(shift, dims=("time", "axis")),
    )


@pytest.mark.parametrize(("view", "columns"), [(TOP, (0, 1)), (side_view(np.array([1.0, 0.0])), (0, 2))])
def test_links_points_and_curve_are_where_they_are_from_one_side(
    view: Any, columns: tuple[int, int], pose: Alignment
) -> None:
    axes = panel(shape_curve(CURVE, pose, view=view), 0)
    for k in range(ROBOT.n_links):
        assert np.allclose(drawn(axes, f"link {k}"), pose.joint_points[k : k + 2][:, columns], rtol=0, atol=CLOSE)
    assert np.array_equal(drawn(axes, "control points"), CURVE.points[:, columns])
    line = drawn(axes, "curve")
    assert np.allclose(line[[0, -1]], CURVE.points[[0, -1]][:, columns], rtol=0, atol=CLOSE)
    assert np.linalg.norm(np.diff(line, axis=0), axis=1).max() < 0.1  # [m]: no visible corners on 1.8 m
    assert (axes.get_xlabel(), axes.get_ylabel()) == tuple(f"{'xyz'[column]} [m]" for column in columns)


def test_a_view_aslant_is_a_projection_along_the_line_of_sight(pose: Alignment) -> None:
    axes = panel(shape_curve(CURVE, pose), 0)
    turn, tilt = math.radians(-28.0), math.radians(30.0)
    x, y, z = pose.joint_points.T
    across, away = x * math.cos(turn) + y * math.sin(turn), -x * math.sin(turn) + y * math.cos(turn)
    seen = np.stack([across, away * math.sin(tilt) + z * math.cos(tilt)], axis=-1)
    for k in range(ROBOT.n_links):
        assert np.allclose(drawn(axes, f"link {k}"), seen[k : k + 2], rtol=0, atol=CLOSE)
    assert {"x [m]", "y [m]", "z [m]"} <= {text.get_text() for text in axes.texts}
    assert len(names(axes, "axis")) == ROBOT.n_joints


def test_nearer_links_hide_farther_ones() -> None:
    across = ShapeCurve([(0.0, -0.8, 0.0), (0.01, 0.0, 0.0), (0.0, 0.8, 0.0)])  # goes away from the viewer
    axes = panel(shape_curve(across, align(ROBOT, across, across.end)), 0)
    order = {str(line.get_gid()): line.get_zorder() for line in axes.lines}
    assert all(order[f"link {k}"] > order[f"link {k + 1}"] for k in range(ROBOT.n_links - 1))


def test_bars_lie_along_what_a_joint_leaves_in_place(pose: Alignment) -> None:
    places, ways = joint_axes(pose)
    links = Rotation.from_quat(pose.link_orientations, scalar_first=True)
    for k, (place, way) in enumerate(zip(places, ways, strict=True)):
        assert np.allclose(place, pose.joint_points[k + 1], rtol=0, atol=1e-9)  # [m]: rounding along 17 links
        assert np.allclose((links[k + 1] * links[k].inv()).apply(way), way, rtol=0, atol=1e-9)
        local = links[k].inv().apply(way)
        assert np.allclose(local, (0, 1, 0) if ROBOT.axes[k].name == "pitch" else (0, 0, 1), rtol=0, atol=1e-9)


def test_axes_of_a_cardan_that_lie_apart_have_a_bar_each_and_a_piece_between() -> None:
    link = pp.SpatialLink(length=0.1, mass=1.0, inertia=(1e-3, 1e-3, 1e-3), radius=0.03)
    robot = pp.SpatialRobot.uniform(5, link, pp.Cardan(axis_distance=0.02))
    pose = align(robot, CURVE, CURVE.end)
    axes = panel(shape_curve(CURVE, pose), 0)
    assert len(names(axes, "cardan")) == 4 and len(names(axes, "axis")) == 8
    places, _ways = joint_axes(pose)
    assert np.allclose(np.linalg.norm(places[1::2] - places[::2], axis=1), 0.02, rtol=0, atol=1e-12)
    assert np.allclose(places[::2], link_ends(pose)[:-1, 1], rtol=0, atol=CLOSE)


def test_all_panels_have_equal_scales(pose: Alignment) -> None:
    figure = concatenation(CURVE, pose, sidewinding(ROBOT), [np.eye(3)] * 4)
    width, height = figure.get_size_inches()
    for number in range(4):
        axes = panel(figure, number)
        place = axes.get_position()
        wide, tall = np.ptp(axes.get_xlim()), np.ptp(axes.get_ylim())
        assert width * place.width / wide == pytest.approx(height * place.height / tall, rel=1e-9)


def test_a_repeated_segment_is_turned_by_45_degrees_in_its_second_half(pose: Alignment) -> None:
    segment = sidewinding(ROBOT)
    turned = Rotation.from_euler("z", 45.0, degrees=True).as_matrix()
    figure = concatenation(CURVE, pose, segment, [np.eye(3), np.eye(3), turned, turned])
    seen = np.diff(drawn(panel(figure, 3), "control points"), axis=0)
    steps = np.diff(segment.points, axis=0)
    expected = [*(steps @ ASLANT.basis[:2].T,) * 2, *(steps @ turned.T @ ASLANT.basis[:2].T,) * 2]
    assert np.allclose(seen, np.concatenate(expected), rtol=0, atol=1e-12)
    assert drawn(panel(figure, 0), "control points").shape == (4, 2)
    assert names(panel(figure, 0), "link") == [] and len(names(panel(figure, 1), "link")) == ROBOT.n_links


def test_the_head_stays_on_the_curve_that_was_kept() -> None:
    follower = along_sidewinding(steering=TurnSchedule(until=(1.0, 4.0), rates=(0.0, 0.5)))
    trace = follow(follower, ROBOT, 5.0)
    curve, tips = trace.curves[0], np.stack([pose.joint_points[-1] for pose in trace.poses])
    assert np.allclose(curve.at(np.array(trace.heads)), tips, rtol=0, atol=1e-9)  # [m]: rounding along the links
    assert curve.arc_length(trace.heads[-1]) - curve.arc_length(trace.heads[0]) == pytest.approx(2.5, abs=1e-6)


def test_an_unturned_curve_is_the_segment_repeated() -> None:
    segment = sidewinding(ROBOT)
    trace = follow(along_sidewinding(), ROBOT, 6.0)
    points = trace.curves[0].points
    start = int(np.flatnonzero(np.linalg.norm(points, axis=1) < 1e-12)[0])  # the motion begins at the origin
    cycles = (len(points) - 1 - start) // 8
    expected = concatenated(segment, [np.eye(3)] * cycles, start=(0.0, 0.0, 0.0))
    assert cycles == 2 and np.allclose(points[start : start + len(expected)], expected, rtol=0, atol=1e-12)


def test_a_segment_is_drawn_strongly_and_the_rest_of_the_curve_pale() -> None:
    segment = sidewinding(ROBOT)
    axes = panel(motion(along_sidewinding(), ROBOT, duration=0.1, parts=("segment",)), 0)
    seen = drawn(axes, "control points")
    assert np.allclose(seen, (segment.points - segment.points[-1]) @ ASLANT.basis[:2].T, rtol=0, atol=1e-12)
    assert len(drawn(axes, "other control points")) > len(seen)


def test_robots_are_drawn_at_the_times_asked_for() -> None:
    follower = along_sidewinding()
    axes = panel(motion(follower, ROBOT, duration=4.0, times=(1.0, 4.0), parts=("curve",)), 0)
    times, poses = follower.virtual(ROBOT, 4.0)
    heads = [line for line in axes.lines if line.get_gid() == "link 16"]
    for head, k in zip(heads, (30, 120), strict=True):
        ends = np.stack([head.get_xdata(), head.get_ydata()], axis=-1)
        assert np.allclose(ends, poses.joint_points[k, -2:, :2], rtol=0, atol=CLOSE)
        assert times[k] == pytest.approx(1.0 if k == 30 else 4.0)
    assert [text.get_text() for text in axes.texts] == ["1 s", "4 s"]


def test_a_vertical_wave_is_seen_from_the_side() -> None:
    follower = ShapeCurveFollower(motion=AlongCurve(segment=vertical_wave(ROBOT), speed=2.0))
    axes = panel(motion(follower, ROBOT, duration=1.0, parts=("curve",)), 0)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "z [m]")


def test_a_curve_that_stays_is_drawn_once_and_one_that_moves_at_every_time() -> None:
    arc = ShapeCurveFollower(motion=OnCurve(points=rolling_arc(ROBOT).points, head=2.0, roll_rate=-2.0 * math.pi))
    axes = panel(motion(arc, ROBOT, duration=1.0, times=(0.0, 0.5, 1.0), parts=("curve",)), 0)
    assert len(names(axes, "curve")) == 1 and len(names(axes, "link 0")) == 3

    def shifted(t: np.ndarray) -> np.ndarray:
        return np.stack([CURVE.points + np.array([0.0, 0.2 * float(time), 0.0]) for time in t])

    moving = ShapeCurveFollower(motion=OnMovingPoints(moving=MovingPoints(points=shifted, head=3.0)))
    axes = panel(motion(moving, ROBOT, duration=1.0, times=(0.0, 1.0), parts=("curve",)), 0)
    first, last = (line for line in axes.lines if line.get_gid() == "control points")
    assert np.allclose(np.asarray(last.get_ydata()) - np.asarray(first.get_ydata()), 0.2, rtol=0, atol=CLOSE)
    assert len(names(axes, "curve")) == 2


def test_a_path_is_that_of_the_link() -> None:
    run = moved((0.3, 1.0, 0.0))
    axes = panel(shape_curve(CURVE, path=run, link=1), 1)
    assert np.allclose(drawn(axes, "path"), run["link_position"][:, 1, :2], rtol=0, atol=CLOSE)
    assert "link 1" in axes.get_title(loc="left")


def test_robots_that_are_apart_share_a_screen_shot() -> None:
    course = read_spatial(moved((0.0, 3.0, 0.0)))
    (shot,), grid = screen_shots(course, [0, 5, 10])
    assert shot.labels == ("0 s", "0.5 s", "1 s") and grid > 0.0
    for body in shot.bodies:
        red, _green, blue = color_at(shot.picture, shot.box, body[-1])
        assert red > blue + 60  # the head is orange
        red, _green, blue = color_at(shot.picture, shot.box, body[0])
        assert blue > red + 60  # the other link is blue


def test_robots_that_would_hide_each_other_have_a_screen_shot_each() -> None:
    course = read_spatial(moved((0.1, 0.0, 0.0)))
    shots, _grid = screen_shots(course, [0, 5, 10])
    assert [shot.title for shot in shots] == ["simulated, 0 s", "0.5 s", "1 s"]
    assert all(np.array_equal(shot.box, shots[0].box) for shot in shots)  # one camera
    for shot in shots:
        red, _green, blue = color_at(shot.picture, shot.box, shot.bodies[0, -1])
        assert red > blue + 60


def test_a_shot_holds_a_robot_that_is_far_away_from_its_start() -> None:
    course = read_spatial(moved((9.0, 0.0, 0.0)))  # many times what the film's window shows
    (shot,), _grid = screen_shots(course, [0, 10])
    for body in shot.bodies:
        red, _green, blue = color_at(shot.picture, shot.box, body[-1])
        assert red > blue + 60


def color_at(picture: np.ndarray, box: np.ndarray, place: np.ndarray) -> tuple[int, int, int]:
    tall, wide = picture.shape[:2]
    share = (place - box[0]) / (box[1] - box[0])
    red, green, blue, _ = picture[int((1.0 - share[1]) * tall), int(share[0] * wide)].astype(int)
    return int(red), int(green), int(blue)


def test_a_whole_figure_is_written(tmp_path: Path) -> None:
    follower = along_sidewinding()
    stairs = pp.Stairs(foot=(3.0, 0.0), steps=2, rise=0.1, run=0.3)
    ground = pp.Ground(friction=pp.Isotropic(0.5))
    run = pp.simulate(
        ROBOT,
        pp.Environment(ground=ground, obstacles=(stairs,)),
        follower,
        start=follower.start(ROBOT),
        duration=0.5,
        settings=pp.Settings(dt=1 / 1200),
    )
    figure = motion(follower, ROBOT, duration=0.5, times=(0.0, 0.5), run=run, title="all of it")
    titles = [axes.get_title(loc="left") for axes in figure.axes if str(axes.get_label()).startswith("panel")]
    assert titles[:4] == [
        "(a)  gait segment and aligned robot",
        "(b)  shape curve and virtual robot",
        "(c)  path of link 8, simulated",
        "(d)  simulated, 0 s",
    ]
    steps = [patch for patch in panel(figure, 1).patches if isinstance(patch, Polygon)]
    assert len(steps) == 2
    assert save_figure(figure, tmp_path / "motion.png").stat().st_size > 10_000


def test_no_word_of_a_figure_leaves_the_page(pose: Alignment) -> None:
    figure = concatenation(CURVE, pose, sidewinding(ROBOT), [np.eye(3)] * 4)
    page = figure.bbox
    figure.draw_without_rendering()
    for axes in figure.axes:
        for text in axes.texts:
            box = text.get_window_extent()
            assert page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1, text


def planar() -> xarray.Dataset:
    return pp.scenario("transeth2008a/obstacle-aided").with_changes(duration=0.01).run()


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda pose: shape_curve([(0.0, 0.0, 0.0)]), "at least 2 points"),
        (lambda pose: shape_curve(CURVE, "pose"), "poses = 'str'"),
        (lambda pose: shape_curve(CURVE, [pose, 3]), "poses = 'int', must be Alignment"),
        (lambda pose: shape_curve(CURVE, view=look_from(0.3, 0.0)), "view"),
        (lambda pose: shape_curve(CURVE, path=planar()), "in the plane"),
        (lambda pose: path_panel(read_spatial(moved((1.0, 0.0, 0.0))), link=2), "link = 2, must be 0 to 1"),
        (lambda pose: path_panel(read_spatial(moved((1.0, 0.0, 0.0))), times=(2.0,)), "times"),
        (
            lambda pose: concatenation(CURVE, pose, CURVE, [np.eye(3)]),
            "must be a GaitSegment",
        ),
        (lambda pose: concatenation(CURVE, pose, GaitSegment(CURVE.points), np.eye(3)), "frames"),
        (lambda pose: motion("gait", ROBOT, duration=1.0), "must be a ShapeCurveFollower"),
        (lambda pose: motion(along_sidewinding(), ROBOT, duration=0.0), "duration"),
        (lambda pose: motion(along_sidewinding(), ROBOT, duration=1.0, times=(1.5,)), "times"),
        (lambda pose: motion(along_sidewinding(), ROBOT, duration=1.0, times=(math.nan,)), "times"),
        (lambda pose: motion(along_sidewinding(), ROBOT, duration=1.0, parts=("film",)), "parts = 'film'"),
        (lambda pose: motion(along_sidewinding(), ROBOT, duration=1.0, parts=("path",)), "need a run"),
        (
            lambda pose: motion(along_sidewinding(steering=HeadingController(direction=0.0)), ROBOT, duration=1.0),
            "does not need the robot's pose",
        ),
    ],
)
def test_bad_input_gives_a_sentence(build: Any, sentence: str, pose: Alignment) -> None:
    with pytest.raises(InvalidModel) as caught:
        build(pose)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)
