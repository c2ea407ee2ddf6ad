"""Films: in real time, whole or not at all, and pixels that show what the run holds."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from imageio_ffmpeg import get_ffmpeg_exe
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb

import pushpoint as pp
from oracles.described import first
from oracles.posed import LEVEL, pair, posed
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.films.film import film, film_samples
from pushpoint.films.frames import Frames
from pushpoint.films.planar import PlanarScene, sheet
from pushpoint.papers.registry import scenario
from pushpoint.scenery.camera import camera_path, film_view
from pushpoint.scenery.drawn_run import read_run
from pushpoint.scenery.palette import BLUE, LIFTED, ORANGE, paler
from pushpoint.scenery.shadows import sun_of

FRAME_RATE = 25


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    """Two seconds of the published course: seven pegs, eleven links."""
    return scenario("transeth2008a/obstacle-aided").with_changes(duration=2.0).run()


def film_frames(path: Path) -> np.ndarray:
    """The frames of a film as ffmpeg decodes them, in grey, shape (n, height, width)."""
    command = [get_ffmpeg_exe(), "-loglevel", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "gray", "-"]
    shown = subprocess.run([get_ffmpeg_exe(), "-i", str(path)], capture_output=True, text=True, check=False).stderr
    found = re.search(r"(\d{3,4})x(\d{3,4})", shown)
    assert found is not None
    raw = subprocess.run(command, capture_output=True, check=True).stdout
    return np.frombuffer(raw, dtype=np.uint8).reshape(-1, int(found[2]), int(found[1]))


def test_the_film_is_in_real_time_and_moves(run: xarray.Dataset, tmp_path: Path) -> None:
    frames = film_frames(film(run, tmp_path / "run.mp4"))
    assert len(frames) == 2 * FRAME_RATE + 1  # both ends are shown
    assert frames.shape[2] == 1280 and frames.shape[1] % 2 == 0
    header = Frames(read_run(run)).header
    below = frames[:, header:].astype(int)
    assert (np.abs(below[-1] - below[0]) > 40).sum() > 1000  # the body moves by 0.3 m, 130 px
    assert (np.abs(frames[-1, :header].astype(int) - frames[0, :header]) > 40).sum() > 20  # the clock


def test_frames_come_at_even_times_and_long_runs_are_played_faster() -> None:
    shown, speed = film_samples((0.0, 10.0), 25.0)
    assert (len(shown), speed) == (251, 1.0)
    np.testing.assert_allclose(shown, np.arange(251) / 25.0)
    shown, speed = film_samples((0.0, 600.0), 25.0)
    assert (len(shown), speed, shown[-1]) == (60 * FRAME_RATE + 1, 10.0, 600.0)
    shown, speed = film_samples((3.0, 3.1), 25.0)  # kept for a second
    assert (len(shown), shown[0], shown[-1]) == (FRAME_RATE, 3.0, 3.1)
    assert film_samples((0.0, 0.0), 25.0)[0].tolist() == [0.0] * FRAME_RATE
    shown, speed = film_samples((1.0, 9.0), 12.5, 4.0)
    assert (len(shown), speed, shown[1]) == (26, 4.0, pytest.approx(1.32))
    with pytest.raises(InvalidModel, match=r"^speed = 0\.5, must be at least 1: a film takes at most 600 s$"):
        film_samples((0.0, 600.0), 25.0, 0.5)


def test_a_film_that_cannot_be_made_leaves_no_trace(
    run: xarray.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("imageio_ffmpeg.get_ffmpeg_exe", lambda: "/bin/false")
    with pytest.raises(BadFile, match="ffmpeg"):
        film(first(run, 20), tmp_path / "run.mp4")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadFile, match=r"must end in \.mp4 or \.gif"):
        film(run, tmp_path / "run.avi")


def test_camera_sees_the_pegs_where_they_are(run: xarray.Dataset) -> None:
    course = read_run(run)
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
    course = read_run(far)
    scene = PlanarScene(course)
    samples = np.array([0, 50, 100])
    for sample, center in zip(samples, camera_path(course, samples), strict=True):
        box = scene.plan.region(center)[2]
        assert np.all((course.middle[sample] > box[0]) & (course.middle[sample] < box[1]))
    assert scene.picture[..., 0].size < 4e7


def frame_of(run: xarray.Dataset, sample: int = 0) -> tuple[Frames, np.ndarray]:
    frames = Frames(read_run(run))
    return frames, np.array(next(frames.draw([sample])))[frames.header :, :, :3].astype(float) / 255.0


def pixel(frames: Frames, course: Any, point: tuple[float, float, float] | np.ndarray) -> tuple[int, int]:
    """Row and column that show a point in the first frame."""
    view, plan = film_view(course), frames.scene.plan
    low, high = course.middle[0].min(axis=0), course.middle[0].max(axis=0)
    box = plan.region(view.flat((low + high) / 2.0))[2]
    u, v = (view.flat(np.array(point)) - box[0]) * plan.scale
    return plan.window[1] - 1 - int(v), int(u)


def test_the_film_shows_links_paler_when_lifted_with_a_shadow_below() -> None:
    three = posed([(-0.3, 0.0, 0.05), (0.0, 0.0, 0.25), (0.3, 0.0, 0.05)], [LEVEL] * 3, load=[15.0, 0.0, 15.0])
    film, frame = frame_of(three)
    course = read_run(three)
    hues = [frame[pixel(film, course, middle)] for middle in course.middle[0]]
    blue = np.array(to_rgb(BLUE))
    assert np.argmax(hues[0]) == 2 and np.abs(hues[0] / hues[0].max() - blue / blue.max()).max() < 0.1
    pale = np.array(paler(BLUE, LIFTED))
    assert np.abs(hues[1] / hues[1].max() - pale / pale.max()).max() < 0.1
    assert np.argmax(hues[2]) == 0  # the head
    sun = sun_of(film_view(course))
    below = course.middle[0, 1] - 0.25 / sun[2] * sun  # on the ground, away from the sun
    shadow, lit = (frame[pixel(film, course, below + np.array([x, y, 0.0]))] for x, y in ((0.02, 0.0), (0.0, 0.15)))
    assert shadow.mean() < 0.8 * lit.mean()


def test_a_lifted_head_keeps_the_colour_of_the_head() -> None:
    hues = []
    for load in (15.0, 0.0):
        made = posed([(-0.3, 0.0, 0.05), (0.0, 0.0, 0.05)], [LEVEL] * 2, load=[15.0, load])
        film, frame = frame_of(made)
        hues.append(frame[pixel(film, read_run(made), (0.0, 0.0, 0.05))])
    assert np.array_equal(*hues)
    orange = np.array(to_rgb(ORANGE))
    assert np.abs(hues[0] / hues[0].max() - orange / orange.max()).max() < 0.1


def test_a_box_before_the_body_hides_all_but_a_trace_of_it() -> None:
    view = film_view(read_run(pair()))
    before = 0.25 * view.toward[:2] / np.linalg.norm(view.toward[:2])
    box = pp.Box(center=(*before, 0.15), size=(0.15, 0.15, 0.3))
    for obstacles, hidden in (((), False), ((box,), True)):
        film, frame = frame_of(pair(obstacles=obstacles))
        red, _, blue = frame[pixel(film, read_run(pair(obstacles=obstacles)), (0.0, 0.0, 0.05))]
        assert (blue - red > 0.25) != hidden
        assert blue - red > 0.02


def test_a_sheet_has_the_pixels_that_are_asked_for() -> None:
    sizes = [FigureCanvasAgg(sheet(1280, height)).get_width_height() for height in range(300, 700)]
    assert sizes == [(1280, height) for height in range(300, 700)]
    sizes = [FigureCanvasAgg(sheet(width, 300, width / 1280)).get_width_height() for width in range(320, 1280)]
    assert sizes == [(width, 300) for width in range(320, 1280)]
