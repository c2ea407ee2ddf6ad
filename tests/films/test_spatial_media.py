"""Figures, film and replay page of a spatial run: the same media as in the plane, drawn for three dimensions."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Polygon
from scipy.spatial.transform import Rotation

import pushpoint as pp
from oracles.posed import FLAT, LEVEL, SQUARE, hills, pair, posed, turned
from pushpoint import plots
from pushpoint.films.film import HEADER, Film
from pushpoint.gallery import FILES, write_media
from pushpoint.plots import page
from pushpoint.scenery.camera import film_view
from pushpoint.scenery.course import body_box, contact_points, read_course
from pushpoint.scenery.palette import BLUE, paler
from pushpoint.scenery.reading import read_recording
from pushpoint.scenery.rendering.scene import LIFTED
from pushpoint.scenery.views import TOP, side_view


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    return pp.scenario("transeth2008b/sidewinding").with_changes(duration=1.0).run()


@pytest.fixture(autouse=True)
def coarse_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves time where nobody looks."""
    monkeypatch.setattr(page, "DPI", 40)


def axes_of(figure: Figure, label: str) -> Axes:
    (found,) = (axes for axes in figure.axes if axes.get_label() == label)
    return found


def labels(figure: Figure) -> set[str]:
    return {str(axes.get_label()) for axes in figure.axes}


def words(figure: Figure) -> str:
    return " | ".join(text.get_text() for axes in figure.axes for text in axes.texts)


TERRAINS = {
    "stairs, box and peg": pp.Environment(
        ground=pp.Ground(friction=pp.Isotropic(0.4)),
        obstacles=(
            pp.Stairs(foot=(1.0, 0.0), steps=3, rise=0.1, run=0.3),
            pp.Box(center=(0.0, 0.6, 0.05), size=(0.3, 0.2, 0.1), yaw=0.4, roll=0.1),
            pp.Peg(x=0.0, y=-0.3, radius=0.1),
        ),
    ),
    "hills": pp.Environment(
        ground=pp.Ground(
            heights=hills(),
            regions=(pp.Region.rectangle(x=(0.0, 0.5), y=(-0.2, 0.4), friction=pp.Isotropic(0.1)),),
        )
    ),
    "slope": pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.8), slope=0.2, slope_direction=1.0)),
}


@pytest.mark.parametrize(
    ("terrain", "robot"), list(zip(TERRAINS, ("aiko", "liljeback2014", "yaw-pitch-16"), strict=True))
)
def test_every_terrain_gives_all_media(tmp_path: Path, terrain: str, robot: str) -> None:
    gait = pp.gaits.Sidewinding(yaw_amplitude=0.3, pitch_amplitude=0.2, angular_frequency=6.0, phase_shift=-0.6)
    built = pp.catalogue.ROBOTS[robot]()
    made = pp.simulate(built, TERRAINS[terrain], gait, duration=0.1, start=pp.SpatialStart())
    left_out: list[str] = []
    written = write_media(made, tmp_path, leave_out=lambda file, why: left_out.append(f"{file}: {why}"))
    assert left_out == []
    assert list(written) == list(FILES)
    assert (tmp_path / "replay.html").stat().st_size < 1_300_000
    assert plots.course(made) is not None


def diverged(run: xarray.Dataset) -> xarray.Dataset:
    run = run.isel(time=slice(0, 30)).copy(deep=True)
    for name in run.data_vars:
        if "time" in run[name].dims:
            run[name][20:25] = 1e200
            run[name][25:] = np.inf
    return run.assign_attrs(status_code="diverged", status="world 0 diverged at step 212")


@pytest.mark.parametrize("kind", ["one sample", "two samples", "diverged", "batch"])
def test_any_run_gives_all_media(run: xarray.Dataset, tmp_path: Path, kind: str) -> None:
    runs = {
        "one sample": lambda: run.isel(time=slice(0, 1)).assign_attrs(status_code="interrupted", status="by the user"),
        "two samples": lambda: run.isel(time=slice(0, 2)),
        "diverged": lambda: diverged(run),
        "batch": lambda: xarray.concat([run.isel(time=slice(0, 3))] * 2, "world", combine_attrs="override"),
    }
    left_out: list[str] = []
    written = write_media(runs[kind](), tmp_path, leave_out=lambda file, why: left_out.append(f"{file}: {why}"))
    assert left_out == []
    assert list(written) == list(FILES)
    plots.course(runs[kind]())


def test_a_single_link_has_no_joints_to_draw(tmp_path: Path) -> None:
    left_out: dict[str, str] = {}
    alone = posed([(0.0, 0.0, 0.05)], [LEVEL], load=[10.0])
    alone = alone.assign(joint_angle=(("time", "joint"), np.zeros((11, 0))))
    written = write_media(alone, tmp_path, leave_out=left_out.__setitem__)
    assert {"paths", "contacts", "animation", "replay"} <= set(written)
    assert "joints = 0, must be at least 1" in left_out["figures/joints.png"]


def test_orientations_turn_links_as_their_quaternions_say() -> None:
    quaternions = np.random.default_rng(0).normal(size=(5, 4))
    made = posed([(0.0, 0.0, 1.0)] * 5, [tuple(one) for one in quaternions.tolist()], load=[0.0] * 5)
    space = read_course(made).space
    assert space is not None
    np.testing.assert_allclose(
        space.turn[3], Rotation.from_quat(quaternions, scalar_first=True).as_matrix(), atol=1e-12
    )


def size(outline: np.ndarray) -> list[float]:
    return np.ptp(outline, axis=0).tolist()


def test_outlines_are_what_is_seen_from_above_and_from_the_side() -> None:
    # Front down by 60 degrees: R_y(60 deg) turns x into (1/2, 0, -sqrt(3)/2).
    tilted = read_course(posed([(0.0, 0.0, 0.5)], [turned("y", math.pi / 3.0)], load=[0.0]))
    assert tilted.space is not None
    np.testing.assert_allclose(tilted.along[0, 0], (0.5, 0.0, -math.sqrt(0.75)), atol=1e-12)
    (above,) = tilted.space.outlines(tilted.middle, 0, TOP)
    assert size(above) == pytest.approx([0.1 + 0.1, 0.1], abs=1e-3)  # arcs of 32 corners
    (beside,) = tilted.space.outlines(tilted.middle, 0, side_view(np.array([1.0, 0.0])))
    assert size(beside) == pytest.approx([0.1 + 0.1, 0.2 * math.sqrt(0.75) + 0.1], abs=1e-3)
    # A square bar on its edge is wider by the diagonal of its section.
    on_edge = read_course(posed([(0.0, 0.0, 0.1)], [turned("x", math.pi / 4.0)], load=[0.0], link=SQUARE))
    assert on_edge.space is not None
    (above,) = on_edge.space.outlines(on_edge.middle, 0, TOP)
    wide = 2.0 * (0.045 * math.sqrt(2.0) + 0.005)
    assert size(above) == pytest.approx([0.2 + 0.01, wide], abs=1e-4)
    np.testing.assert_allclose(np.diff(body_box(on_edge), axis=0)[0, 1:], wide, atol=1e-9)


def faces(axes: Axes) -> list[tuple[float, ...]]:
    return [tuple(np.round(patch.get_facecolor()[:3], 6)) for patch in axes.patches if isinstance(patch, PathPatch)]


def test_lifted_links_are_paler_and_those_on_boxes_are_not() -> None:
    course = read_course(pair())
    assert course.space is not None and course.space.carries is not None
    assert course.space.carries.tolist() == [[True, False]] * 11  # what is unknown at first is what comes next
    figure = plots.course(posed([(0.0, 0.0, 0.05)] * 3, [LEVEL] * 3, load=[10.0, 0.0, 0.0]))
    for view in ("posture 1", "side 1"):
        shades = sorted(sum(face) for face in faces(axes_of(figure, view)))
        assert len(shades) == 3 and shades[0] < shades[1] < shades[2]  # head, carrying, lifted
    assert "lifted" in words(figure)
    on_box = np.zeros((11, 2, 3))
    on_box[:, 1, 2] = 10.0
    course = read_course(pair().assign(obstacle_force=(("time", "link", "axis"), on_box)))
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
    assert named == {"", "y [m]"}  # within 10 degrees of it; rows above the last have no labels


def test_arrows_start_on_the_surface_that_is_pushed() -> None:
    force = np.zeros((11, 2, 3))
    force[:, 0], force[:, 1] = (0.0, 0.0, 30.0), (-20.0, 0.0, 0.0)
    course = read_course(pair().assign(obstacle_force=(("time", "link", "axis"), force)))
    feet = contact_points(course, 0, np.array([0, 1]))
    np.testing.assert_allclose(feet, [(0.0, 0.0, 0.0), (0.3 + 0.1 + 0.05, 0.0, 0.2)], atol=1e-9)  # below; at the nose


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
    assert {"yaw torque", "pitch torque", "power", "loads", "speed"} <= labels(motors)
    stiffness = read_recording(run).world.robot.motor_column("stiffness")
    assert len(stiffness) == 20
    expected = [motor.stiffness for motor in pp.scenario("transeth2008b/sidewinding").robot.motors]
    np.testing.assert_allclose(stiffness, expected)  # in the order of the joints of the run


def test_paths_show_heights_over_time(run: xarray.Dataset) -> None:
    panel = axes_of(plots.paths(run), "heights")
    heights = [np.asarray(line.get_ydata()) for line in panel.lines if len(np.asarray(line.get_ydata())) > 2]
    assert len(heights) == 4
    np.testing.assert_allclose(heights[-1], run["center_of_mass"].values[:, 2])
    assert "ground or an obstacle" in axes_of(plots.health(run), "penetration").get_title(loc="left")


def frame_of(run: xarray.Dataset) -> tuple[Film, np.ndarray]:
    film = Film(read_course(run))
    return film, np.array(next(iter(film.frames())))[HEADER:, :, :3].astype(float) / 255.0


def pixel(film: Film, course: Any, point: tuple[float, float, float]) -> tuple[int, int]:
    """Row and column that show a point in the first frame."""
    view, plan = film_view(course), film._scene.plan
    low, high = course.middle[0].min(axis=0), course.middle[0].max(axis=0)
    box = plan.region(view.flat((low + high) / 2.0))[2]
    u, v = (view.flat(np.array(point)) - box[0]) * plan.scale
    return plan.window[1] - 1 - int(v), int(u)


def test_the_film_shows_links_paler_when_lifted_with_a_shadow_below() -> None:
    three = posed([(-0.3, 0.0, 0.05), (0.0, 0.0, 0.25), (0.3, 0.0, 0.05)], [LEVEL] * 3, load=[15.0, 0.0, 15.0])
    film, frame = frame_of(three)
    course = read_course(three)
    hues = [frame[pixel(film, course, tuple(middle))] for middle in course.middle[0]]
    blue = np.array(to_rgb(BLUE))
    assert np.argmax(hues[0]) == 2 and np.abs(hues[0] / hues[0].max() - blue / blue.max()).max() < 0.1
    pale = np.array(paler(BLUE, LIFTED))
    assert np.abs(hues[1] / hues[1].max() - pale / pale.max()).max() < 0.1
    assert np.argmax(hues[2]) == 0  # the head
    shadow, sun = (frame[pixel(film, course, (x, y, 0.0))] for x, y in ((0.02, 0.0), (0.13, 0.13)))
    assert shadow.mean() < 0.75 * sun.mean()


def test_a_box_before_the_body_hides_all_but_a_trace_of_it() -> None:
    view = film_view(read_course(pair()))
    before = 0.25 * view.toward[:2] / np.linalg.norm(view.toward[:2])
    box = pp.Box(center=(*before, 0.15), size=(0.15, 0.15, 0.3))
    for obstacles, hidden in (((), False), ((box,), True)):
        film, frame = frame_of(pair(obstacles=obstacles))
        red, _, blue = frame[pixel(film, read_course(pair(obstacles=obstacles)), (0.0, 0.0, 0.05))]
        assert (blue - red > 0.25) != hidden
        assert blue - red > 0.02
