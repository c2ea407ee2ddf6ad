"""Figures, film and replay page of a run: they show what it holds, and any run gives those that it can."""

from __future__ import annotations

import base64
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib
import msgspec
import numpy as np
import pytest
import viser
import xarray
import zstandard
from imageio_ffmpeg import get_ffmpeg_exe
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

import pushpoint as pp
from oracles.described import described, world_of
from pushpoint import plots
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.films.film import FRAME_RATE, HEADER, film, film_samples
from pushpoint.films.planar import PlanarScene
from pushpoint.gallery import FILES, remove_media, write_media
from pushpoint.papers.registry import scenario
from pushpoint.plots import page
from pushpoint.plots.heat_map import condensed
from pushpoint.replays.replay import replay, replay_samples
from pushpoint.scenery.arrows import arrows, force_scale
from pushpoint.scenery.camera import camera_path
from pushpoint.scenery.course import read_course
from pushpoint.scenery.reading import read_recording
from pushpoint.scenery.surroundings import Scenery

SIZE_LIMIT = 3_000_000


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    """Two seconds of the published course: seven pegs, eleven links."""
    return scenario("transeth2008a/obstacle-aided").with_changes(duration=2.0).run()


@pytest.fixture(autouse=True)
def coarse_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves time where nobody looks."""
    monkeypatch.setattr(page, "DPI", 40)


def first(run: xarray.Dataset, samples: int) -> xarray.Dataset:
    return run.isel(time=slice(0, samples)).copy(deep=True)


def among(run: xarray.Dataset, *obstacles: Any, **others: Any) -> xarray.Dataset:
    """The run with other obstacles, and other parts of its world."""
    world = world_of(run)
    environment = replace(world.environment, obstacles=obstacles)
    return described(run, replace(world, **({"environment": environment} | others)))


def axes_of(figure: Figure, label: str) -> Axes:
    (found,) = (axes for axes in figure.axes if axes.get_label() == label)
    return found


def words(figure: Figure) -> str:
    return " | ".join(text.get_text() for axes in figure.axes for text in axes.texts)


def film_frames(path: Path) -> np.ndarray:
    """The frames of a film as ffmpeg decodes them, in grey, shape (n, height, width)."""
    command = [get_ffmpeg_exe(), "-loglevel", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "gray", "-"]
    shown = subprocess.run([get_ffmpeg_exe(), "-i", str(path)], capture_output=True, text=True, check=False).stderr
    found = re.search(r"(\d{3,4})x(\d{3,4})", shown)
    assert found is not None
    raw = subprocess.run(command, capture_output=True, check=True).stdout
    return np.frombuffer(raw, dtype=np.uint8).reshape(-1, int(found[2]), int(found[1]))


def recorded_scene(page: str) -> dict[str, Any]:
    """What a replay page carries: duration, and messages with their times."""
    found = re.search(r'__VISER_EMBED_DATA__="([^"]+)"', page)
    assert found is not None
    packed = base64.b64decode(found[1])[8:]
    inner = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    length = int.from_bytes(inner[:8], "little")
    scene: dict[str, Any] = msgspec.msgpack.decode(inner[8 : 8 + length])
    return scene


def test_all_media_are_written_and_nothing_else(run: xarray.Dataset, tmp_path: Path) -> None:
    begun: list[str] = []
    written = write_media(first(run, 40), tmp_path, begin=begun.append)
    assert begun == list(FILES.values())
    files = {str(file.relative_to(tmp_path)): file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert sorted(files) == sorted(FILES.values())
    assert {name: str(file.relative_to(tmp_path)) for name, file in written.items()} == FILES
    assert all(content.startswith(b"\x89PNG") for name, content in files.items() if name.endswith(".png"))
    assert files["run.mp4"][4:8] == b"ftyp"
    assert files["replay.html"].startswith(b"<!doctype html>")
    (tmp_path / "figures/mine.txt").write_text("kept")
    remove_media(tmp_path)
    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == ["mine.txt"]


def diverged(run: xarray.Dataset) -> xarray.Dataset:
    run = first(run, 30)
    for name in run.data_vars:
        if "time" in run[name].dims:
            run[name][20:25] = 1e200
            run[name][25:] = np.inf
    return run.assign_attrs(status_code="diverged", status="world 0 diverged at step 212")


@pytest.mark.parametrize("kind", ["one sample", "two samples", "diverged", "batch", "no obstacles"])
def test_any_run_gives_all_media(run: xarray.Dataset, tmp_path: Path, kind: str) -> None:
    runs = {
        "one sample": lambda: first(run, 1).assign_attrs(status_code="interrupted", status="interrupted by the user"),
        "two samples": lambda: first(run, 2).assign_attrs(status_code="interrupted", status="interrupted by the user"),
        "diverged": lambda: diverged(run),
        "batch": lambda: xarray.concat([first(run, 5)] * 2, "world", combine_attrs="override"),
        "no obstacles": lambda: among(first(run, 5)),
    }
    left_out: list[str] = []
    written = write_media(runs[kind](), tmp_path, leave_out=lambda file, why: left_out.append(f"{file}: {why}"))
    assert left_out == []
    assert list(written) == list(FILES)


def test_what_a_run_does_not_hold_is_left_out_with_a_reason(run: xarray.Dataset, tmp_path: Path) -> None:
    (tmp_path / "run.mp4").write_bytes(b"of an earlier run")
    left_out: dict[str, str] = {}
    written = write_media(first(run, 5)[["joint_angle", "penetration"]], tmp_path, leave_out=left_out.__setitem__)
    assert set(written) == {"joints", "health"}
    assert set(left_out) == set(FILES.values()) - {"figures/joints.png", "figures/health.png"}
    assert "a list with link_position, which the figure needs" in left_out["replay.html"]
    assert "a list with joint_torque" in left_out["figures/motors.png"]
    assert not (tmp_path / "run.mp4").exists()


def test_the_film_is_in_real_time_and_moves(run: xarray.Dataset, tmp_path: Path) -> None:
    frames = film_frames(film(run, tmp_path / "run.mp4"))
    assert len(frames) == 2 * FRAME_RATE + 1  # both ends are shown
    assert frames.shape[2] == 960
    below = frames[:, HEADER:].astype(int)
    assert (np.abs(below[-1] - below[0]) > 40).sum() > 1000  # the body moves by 0.3 m, 100 px
    assert (np.abs(frames[-1, :HEADER].astype(int) - frames[0, :HEADER]) > 40).sum() > 20  # the clock


def test_frames_are_the_nearest_samples() -> None:
    samples, speed = film_samples(np.linspace(0.0, 10.0, 1001))
    assert (len(samples), speed) == (251, 1.0)
    assert np.array_equal(samples, np.arange(0, 1001, 4))
    samples, speed = film_samples(np.linspace(0.0, 600.0, 6001))
    assert (len(samples), speed) == (60 * FRAME_RATE + 1, 10.0)
    assert samples[-1] == 6000
    samples, speed = film_samples(np.linspace(3.0, 3.1, 2))  # kept for a second
    assert (len(samples), samples[0], samples[-1]) == (FRAME_RATE, 0, 1)
    assert film_samples(np.array([0.0]))[0].tolist() == [0] * FRAME_RATE


def test_a_film_that_cannot_be_made_leaves_no_trace(
    run: xarray.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("imageio_ffmpeg.get_ffmpeg_exe", lambda: "/bin/false")
    with pytest.raises(BadFile, match="ffmpeg"):
        film(first(run, 20), tmp_path / "run.mp4")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadFile, match=r"must end in \.mp4"):
        film(run, tmp_path / "run.avi")


def test_camera_sees_the_pegs_where_they_are(run: xarray.Dataset) -> None:
    course = read_course(run)
    scene = PlanarScene(course)
    for center in (course.center[0], course.center[-1], np.array([100.0, 0.0])):
        rows, columns, box = scene.plan.region(center)
        part = scene.picture[rows, columns]
        assert part.shape[:2] == scene.plan.window[::-1]
        for solid in course.scenery.inside(box):
            x, y = (solid.center + np.array([0.6 * solid.radius, 0.0]) - box[0]) * scene.plan.scale
            if 0 <= x < part.shape[1] and 0 <= y < part.shape[0]:
                assert tuple(part[part.shape[0] - 1 - int(y), int(x), :3]) == (0xD3, 0xD3, 0xD3)
    assert len(course.scenery.inside(scene.plan.region(course.center[0])[2])) > 0


def test_camera_follows_a_body_that_leaves_its_view(run: xarray.Dataset) -> None:
    far = first(run, 101).assign_coords(time=np.linspace(0.0, 20.0, 101))
    far["link_position"][:] = far["link_position"] + 0.3 * xarray.DataArray(np.arange(101.0), dims="time")
    course = read_course(far)
    scene = PlanarScene(course)
    samples = np.array([0, 50, 100])
    for sample, center in zip(samples, camera_path(course, samples), strict=True):
        box = scene.plan.region(center)[2]
        assert np.all((course.middle[sample] > box[0]) & (course.middle[sample] < box[1]))
    assert scene.picture[..., 0].size < 4e7


def test_the_replay_page_needs_nothing_else_and_holds_the_run(run: xarray.Dataset, tmp_path: Path) -> None:
    page = replay(run, tmp_path / "replay.html").read_text(encoding="utf-8")
    assert len(page) < SIZE_LIMIT
    assert "<title>transeth2008a/obstacle-aided</title>" in page
    assert re.findall(r"""(?:src|href|action)\s*=\s*["']?\s*(?:https?:)?//""", page) == []
    assert re.findall(r"""<(?:iframe|object|embed|base)\b|@import|url\(\s*["']?(?:https?:)?//""", page) == []
    assert set(re.findall(r"https?://[\w.]+", page)) <= {"http://www.w3.org"}  # names of formats, not addresses
    scene = recorded_scene(page)
    assert scene["durationSeconds"] == pytest.approx(2.0, abs=0.05)  # and one frame to look at the end
    kinds = [message["type"] for _, message in scene["messages"]]
    names = {message.get("name") for _, message in scene["messages"]}
    assert {"/ground", "/obstacles", "/snake/links 0", "/contact forces", "/key"} <= names
    moves = [at for at, message in scene["messages"] if "batched_positions" in message.get("updates", {})]
    assert len(replay_samples(read_course(run))) == 61  # 30 per second
    assert len(moves) == 60  # the first is how the scene begins
    assert moves[-1] == pytest.approx(2.0)
    assert len(kinds) < 4 * len(moves) + 60


def test_a_replay_of_ten_seconds_and_sixty_links_stays_small(run: xarray.Dataset, tmp_path: Path) -> None:
    world = world_of(run)
    robot = pp.PlanarRobot.uniform(66, world.robot.links[0])
    long = xarray.concat([run.isel(link=slice(None))] * 6, "link", data_vars="minimal", join="override")
    long = xarray.concat([long] * 5, "time", data_vars="minimal", join="override")
    long = long.assign_coords(time=np.arange(long.sizes["time"]) * 0.01)
    long = described(long, replace(world, robot=robot))
    assert replay(long, tmp_path / "replay.html").stat().st_size < SIZE_LIMIT


def test_the_recorder_listens_on_this_machine_alone_and_is_silent(
    run: xarray.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    hosts = []

    class Watched(viser.ViserServer):
        def __init__(self, **arguments: Any) -> None:
            hosts.append(arguments["host"])
            super().__init__(**arguments)

    monkeypatch.setattr(viser, "ViserServer", Watched)
    replay(first(run, 3), tmp_path / "replay.html")
    assert hosts == ["127.0.0.1"]
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_arrows_stand_where_links_touch_and_point_as_the_force(run: xarray.Dataset) -> None:
    course = read_course(run)
    scale = force_scale(course)
    sample = int(np.hypot(*course.force.sum(axis=1).T).argmax())
    feet, steps = arrows(course, sample, scale)
    links = np.flatnonzero(np.hypot(*course.force[sample].T) > scale.smallest)
    assert len(feet) == len(links) > 0
    pegs = np.array([solid.center for solid in course.scenery.solids])
    gap = np.linalg.norm(feet[:, None] - pegs, axis=-1).min(axis=1) - course.scenery.solids[0].radius
    np.testing.assert_allclose(gap, 0.0, atol=0.006)  # a link moves that far in a recording interval
    turned = np.cross(np.pad(steps, ((0, 0), (0, 1))), np.pad(course.force[sample, links], ((0, 0), (0, 1))))
    np.testing.assert_allclose(turned, 0.0, atol=1e-9)
    assert len(arrows(course, 0, scale)[0]) == 0  # forces of the first sample are unknown


WALL = pp.Wall(start=(0.0, 0.0), end=(1.0, 0.0), thickness=0.1)
SQUARE = pp.Polygon(vertices=[(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)])  # clockwise
ICE = pp.Region(vertices=[(0, -1), (1, -1), (1, 1)], friction=pp.Isotropic(0.05))


def test_outlines_are_counter_clockwise_and_stand_off_by_the_radius() -> None:
    scenery = Scenery(pp.Environment(obstacles=[pp.Peg(x=2.0, y=1.0, radius=0.5), WALL, SQUARE]))
    areas = []
    for solid in scenery.solids:
        x, y = solid.outline(512).T
        areas.append(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) / 2.0)
    assert areas == pytest.approx([np.pi * 0.25, 0.1 + np.pi * 0.05**2, 1.0], rel=1e-4)  # 512 corners for a circle
    assert [solid.room for solid in scenery.solids] == pytest.approx([0.5, 0.05, 0.5])
    np.testing.assert_allclose(scenery.low, [(1.5, 0.5), (-0.05, -0.05), (0.0, 0.0)])


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


def test_walls_polygons_and_regions_are_drawn(run: xarray.Dataset, tmp_path: Path) -> None:
    ground = replace(world_of(run).environment.ground, regions=[ICE])
    square = pp.Polygon(vertices=[(0.6, 0.3), (0.9, 0.3), (0.9, 0.6), (0.6, 0.6)])
    wall = pp.Wall(start=(-20.0, -0.2), end=(20.0, -0.2), thickness=0.04)
    built = among(first(run, 3), environment=pp.Environment(ground=ground, obstacles=[wall, square]))
    figure = plots.paths(built)
    shapes = [patch for patch in axes_of(figure, "paths").patches if isinstance(patch, Polygon)]
    assert len(shapes) == 3
    assert "isotropic 0.05" in words(figure) and " | 1" in words(figure)
    low, high = axes_of(figure, "paths").get_xlim()
    assert high - low < 3.0  # the wall of 40 m does not make the body a dot
    assert sum(isinstance(patch, Polygon) for patch in plots.course(built).axes[1].patches) == 3
    assert write_media(built, tmp_path).keys() == FILES.keys()
    names = {message.get("name") for _, message in recorded_scene((tmp_path / "replay.html").read_text())["messages"]}
    assert "/regions/0 isotropic 0.05" in names


def test_figures_name_the_worst(run: xarray.Dataset) -> None:
    joints = plots.joints(run)
    error = np.degrees(np.abs(run["joint_angle"] - run["joint_reference"]).max())
    assert f"{float(error):.2g}° at most" in words(joints)
    assert "0 unsolved steps" in words(plots.health(run))
    peak = float(np.hypot(*np.moveaxis(run["obstacle_force"].values[1:], -1, 0)).max())
    assert f"largest force on a link {peak:.3g} N" in words(plots.contacts(run))
    assert "no link touched" in words(plots.contacts(run.assign(obstacle_force=0.0 * run["obstacle_force"])))
    assert "Not finished: stopped" in words(plots.joints(run.assign_attrs(status_code="x", status="stopped")))


def test_motors_are_shown_beside_their_limits(run: xarray.Dataset) -> None:
    world = world_of(run)
    limited = [replace(motor, torque_limit=4.0, speed_limit=8.0) for motor in world.robot.motors]
    weak = described(run, replace(world, robot=replace(world.robot, motors=limited)))
    speed = axes_of(plots.motors(weak), "speed")
    lines = [np.asarray(line.get_xydata()) for line in speed.lines if line.get_linestyle() == "--"]
    assert len(lines) == 2
    for line, sign in zip(lines, (1.0, -1.0), strict=True):
        np.testing.assert_allclose(line[:, 1], sign * 4.0 - 4.0 * line[:, 0] / 8.0)
    free = axes_of(plots.motors(run), "speed")
    assert [line for line in free.lines if line.get_linestyle() == "--"] == []


def test_figures_do_without_what_they_can_do_without(run: xarray.Dataset) -> None:
    short = first(run, 5)
    assert "error" not in {axes.get_label() for axes in plots.joints(short.drop_vars("joint_reference")).axes}
    without = plots.motors(short.drop_vars(["link_angular_velocity", "joint_rate"]))
    assert "speed" not in {axes.get_label() for axes in without.axes}
    assert len(axes_of(plots.contacts(short.drop_vars("ground_force")), "forward").lines) == 2  # and zero
    panels = {axes.get_label() for axes in plots.health(short[["unconverged", "link_angle"]]).axes}
    assert panels == {"header", "unconverged"}
    with pytest.raises(InvalidModel, match="solver_residual"):
        plots.health(short[["link_angle"]])


def test_forward_is_from_start_to_end(run: xarray.Dataset) -> None:
    moved = np.diff(run["center_of_mass"].values[[0, -1]], axis=0)[0]
    np.testing.assert_allclose(read_recording(run).travel(), moved / np.hypot(*moved))
    assert read_recording(first(run, 1)).travel().tolist() == [1.0, 0.0]


def test_a_condensed_map_keeps_every_peak() -> None:
    values = np.zeros((10_001, 3))
    values[[17, 5003, 9999], [0, 1, 2]] = (-7.0, 5.0, 3.0)
    values[0] = np.nan
    small = condensed(values, 100)
    assert small.shape == (100, 3)
    assert (np.nanmin(small[:, 0]), np.nanmax(small[:, 1]), np.nanmax(small[:, 2])) == (-7.0, 5.0, 3.0)
    assert condensed(values[:50], 100) is not None and len(condensed(values[:50], 100)) == 50


def test_figures_leave_the_settings_of_matplotlib_alone(run: xarray.Dataset) -> None:
    before = dict(matplotlib.rcParams)
    plots.paths(first(run, 3))
    assert dict(matplotlib.rcParams) == before
