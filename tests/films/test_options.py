"""What can be asked of a film: its format, width, speed and window; single frames; titles, keys and progress."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from imageio_ffmpeg import get_ffmpeg_exe
from matplotlib.image import imread

import pushpoint as pp
from oracles.posed import LEVEL, pair, posed
from pushpoint.films.frames import Frames, pace_words
from pushpoint.films.key import Header, key_entries
from pushpoint.scenery.drawn_run import DrawnRun, read_run


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    """A second of a body that is moved along."""
    return pair()


def shape_of(path: Path) -> tuple[int, int, int]:
    """Number of frames, width and height of a film."""
    said = subprocess.run(
        [get_ffmpeg_exe(), "-i", str(path), "-f", "null", "-"], capture_output=True, text=True, check=True
    ).stderr
    (width, height), count = re.findall(r"(\d{3,4})x(\d{3,4})", said)[0], re.findall(r"frame=\s*(\d+)", said)[-1]
    return int(count), int(width), int(height)


def test_a_gif_is_a_film_as_well(run: xarray.Dataset, tmp_path: Path) -> None:
    made = pp.film(run, tmp_path / "run.gif", stop=0.2)
    assert made.read_bytes()[:6] == b"GIF89a"
    assert shape_of(made)[:2] == (12, 800)  # at 12.5 frames per second, kept for a second


def test_width_speed_and_window_are_as_asked(run: xarray.Dataset, tmp_path: Path) -> None:
    made = pp.film(run, tmp_path / "run.mp4", width=401, speed=0.25, start=0.25, stop=0.75)
    count, width, height = shape_of(made)
    assert (count, width) == (51, 400) and height % 2 == 0  # half a second, four times slower


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"start": -1.0}, "start = -1.0, must be from 0 to 1 [s], which the run holds"),
        ({"stop": 3.0}, "stop = 3.0, must be from 0 to 1 [s], which the run holds"),
        ({"start": 0.8, "stop": 0.2}, "start = 0.8, must be at most the time at which the film stops, 0.2 [s]"),
        ({"width": 100}, "width = 100, must be a whole number from 320 to 3840 [px]"),
        ({"speed": 0.0}, "speed = 0.0, must be finite and > 0 [-]"),
        ({"progress": "yes"}, "progress = 'yes', must be true or false or a function"),
    ],
)
def test_what_cannot_be_filmed_is_refused(
    run: xarray.Dataset, tmp_path: Path, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(pp.errors.PushpointError) as refusal:
        pp.film(run, tmp_path / "run.mp4", **options)
    assert str(refusal.value) == sentence
    assert list(tmp_path.iterdir()) == []


def test_other_endings_are_refused_by_name(run: xarray.Dataset, tmp_path: Path) -> None:
    with pytest.raises(pp.errors.BadFile, match=r"the name of a film must end in \.mp4 or \.gif$"):
        pp.film(run, tmp_path / "run.webm")
    with pytest.raises(pp.errors.BadFile, match=r"the name of a still must end in \.png$"):
        pp.still(run, tmp_path / "run.jpg")
    with pytest.raises(pp.errors.InvalidModel, match=r"^time = 2\.0, must be from 0 to 1 \[s\], which the run holds$"):
        pp.still(run, tmp_path / "run.png", time=2.0)


def test_a_still_is_a_frame_of_the_film(run: xarray.Dataset, tmp_path: Path) -> None:
    frames = Frames(read_run(run), width=400)
    frame = np.array(next(frames.draw([3])))
    options: dict[str, Any] = {"time": 0.31, "width": 400}  # samples are 0.1 s apart
    kept = (255.0 * imread(pp.still(run, tmp_path / "run.png", **options))).round()
    assert np.array_equal(kept, frame)
    bare = (255.0 * imread(pp.still(run, tmp_path / "bare.png", key=False, **options))).round()
    assert np.array_equal(bare, frame[frames.header :])


def test_a_film_tells_how_far_it_is(run: xarray.Dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shares: list[float] = []
    pp.film(run, tmp_path / "run.mp4", width=320, speed=2.0, progress=shares.append)
    assert len(shares) == 25 and shares == sorted(shares) and shares[-1] == 1.0
    pp.film(run, tmp_path / "run.mp4", width=320, progress=True)
    assert capsys.readouterr().err.splitlines()[-1] == "film run.mp4: 100 %"


def header_words(monkeypatch: pytest.MonkeyPatch, course: DrawnRun, **options: Any) -> list[str]:
    """All that stands above a film."""
    from matplotlib.figure import Figure

    words: list[str] = []
    write: Callable[..., Any] = Figure.text

    def remember(self: Figure, x: float, y: float, text: str, *rest: Any, **look: Any) -> Any:
        words.append(text)
        return write(self, x, y, text, *rest, **look)

    monkeypatch.setattr(Figure, "text", remember)
    Frames(course, **options)
    return [word for word in words if word]


def test_the_header_has_the_title_of_the_scenario_and_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = pp.catalogue.aiko_planar()
    pegs = pp.Environment(obstacles=[pp.Peg(x=0.5, y=0.5, radius=0.1)])
    world = pp.World(robot, pegs, pp.gaits.LateralUndulation(amplitude=0.1, angular_frequency=1.0, phase_shift=0.5))
    made = pp.Scenario(name="mine/first", worlds=world, duration=0.01, title="A robot that lies still.").run()
    words = header_words(monkeypatch, read_run(made))
    assert "A robot that lies still" in words and any(word.startswith("mine/first") for word in words)
    assert {"head", "obstacle", "path of the centre of mass"} <= set(words)
    assert "planned path of the head" not in words and "lifted" not in words
    away = replace(world, environment=pp.Environment(obstacles=[pp.Peg(x=50.0, y=0.5, radius=0.1)]))
    made = pp.Scenario(name="mine/second", worlds=away, duration=0.01).run()
    assert "obstacle" not in header_words(monkeypatch, read_run(made))  # none is ever in view


def test_a_run_without_a_title_is_called_by_its_name(monkeypatch: pytest.MonkeyPatch, run: xarray.Dataset) -> None:
    words = header_words(monkeypatch, read_run(run))
    assert words.count("posed") == 1
    assert {"head", "carries weight", "lifted"} <= set(words)


def test_the_key_takes_as_many_rows_as_it_needs_and_never_leaves_the_film(run: xarray.Dataset) -> None:
    course = read_run(run)
    entries = list(key_entries(course, course.force_scale, 100.0, 1.0))
    wide, narrow = (Header(course, entries, 0.5, width, 1.0) for width in (1280, 420))
    assert narrow.height > wide.height and narrow.height % 2 == 0
    for header, width in ((wide, 1280), (narrow, 420)):
        for row in header._rows:
            left, entry = row[-1]
            assert left + entry.wide + header._length(entry.words, 9.5) < width


def test_playback_speed_is_said_in_words() -> None:
    assert [pace_words(speed) for speed in (1.0, 2.0, 0.25, 10.0 / 3.0)] == [
        "real time",
        "2 × real time",
        "0.25 × real time",
        "3.33 × real time",
    ]


def test_one_spike_does_not_shrink_the_arrows_and_cutting_is_said() -> None:
    made = posed([(0.0, 0.0, 0.05), (0.3, 0.0, 0.05)], [LEVEL] * 2, load=[20.0, 20.0])
    force = np.zeros((11, 2, 3))
    force[..., 1] = 10.0
    force[5, 0, 1] = 1000.0
    made["obstacle_force"] = (("time", "link", "axis"), force)
    course = read_run(made)
    assert course.force_scale.words == "10 N contact force on the link, cut at 25 N"
    steps = course.arrows(5, course.force_scale)[1]
    assert np.linalg.norm(steps, axis=1).max() == pytest.approx(2.5 * 0.15 * course.length)
    force[5, 0, 1] = 10.0
    made["obstacle_force"] = (("time", "link", "axis"), force)
    assert read_run(made).force_scale.words == "10 N contact force on the link"
