"""Recordings beside runs: synthetic ones with a known offset, frame and noise, and files that are wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings, strategies as st

import pushpoint as pp
from oracles.described import described
from pushpoint.cli.main import main
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.plots.figures.paths import recording as recording_figure
from pushpoint.plots.page import save_figure
from pushpoint.simulation.recordings import compare_recording, fit_frame_motion, turned_in_plane

PathOf = Callable[[np.ndarray], np.ndarray]
AHEAD = np.array([0.1, 0.0])
ROBOT = pp.PlanarRobot.uniform(2, pp.PlanarLink(length=0.2, mass=1.0, inertia=1e-3, radius=0.02))
OBSTACLES = (pp.Peg(x=0.5, y=0.4, radius=0.1), pp.Wall(start=(0.0, -0.4), end=(2.0, -0.4), thickness=0.02))


def winding(t: np.ndarray) -> np.ndarray:
    """A path that no shift in time maps onto itself: faster and wider as it goes."""
    return np.stack([0.1 * t + 0.008 * t**2, (0.05 + 0.02 * t) * np.sin(1.4 * t)], axis=-1)


def slithering(t: np.ndarray) -> np.ndarray:
    """Steady motion with a period of 2 s, which a shift by a period and a translation maps onto itself."""
    return np.stack([0.15 * t, 0.1 * np.sin(math.pi * t)], axis=-1)


def straight(t: np.ndarray) -> np.ndarray:
    return np.stack([0.15 * t, 0.05 * t], axis=-1)


def resting(t: np.ndarray) -> np.ndarray:
    return np.stack([0.3 + 0.0 * t, 0.1 + 0.0 * t], axis=-1)


def run_along(path: PathOf, *, duration: float = 10.0, rate: float = 100.0) -> xr.Dataset:
    """A run whose centre of mass follows a path; of its two links, one follows it behind and one before."""
    time = np.arange(round(duration * rate) + 1) / rate
    center = path(time)
    links = np.stack([center - AHEAD, center + AHEAD], axis=1)
    run = xr.Dataset(
        {"center_of_mass": (("time", "axis"), center), "link_position": (("time", "link", "axis"), links)},
        coords={"time": time, "link": [0, 1], "axis": ["x", "y"]},
    )
    return described(run, pp.World(ROBOT, pp.Environment(obstacles=OBSTACLES)), "made-up")


def record(
    file: Path,
    path: PathOf,
    *,
    times: np.ndarray,
    offset: float = 0.0,
    rotation: float = 0.0,
    translation: tuple[float, float] = (0.0, 0.0),
    noise: float = 0.0,
) -> Path:
    """Writes the recording that the given alignment maps onto the path."""
    points = turned_in_plane(path(times) - np.array(translation), -rotation)
    points = points + np.random.default_rng(1).normal(0.0, noise, points.shape)
    rows = [f"{t - offset!r},{x!r},{y!r}" for t, (x, y) in zip(times.tolist(), points.tolist(), strict=True)]
    file.write_text("\n".join(["t,x,y", *rows]) + "\n", encoding="utf-8")
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "recording.csv"


# What comes back


@pytest.mark.parametrize(
    ("offset", "rotation"), [(0.0, 0.0), (0.0, 0.6), (0.35, 0.0), (0.35, -2.9), (-2.2, math.pi / 2), (-1.7e9, 0.6)]
)
def test_an_exact_recording_is_laid_exactly_over_the_run(file: Path, offset: float, rotation: float) -> None:
    times = np.arange(0.5, 8.5, 0.05)
    record(file, winding, times=times, offset=offset, rotation=rotation, translation=(1.5, -0.4))
    found = compare_recording(run_along(winding), file)
    clock = (
        1e-6 if abs(offset) < 1e6 else 1e-4
    )  # a clock time of 1.7e9 s is known to 2.4e-7 s, and the speed is 0.2 m/s
    assert found.time_offset == pytest.approx(offset, abs=clock, rel=0)
    assert found.rotation == pytest.approx(rotation, abs=clock)
    assert found.translation == pytest.approx((1.5, -0.4), abs=clock)
    assert found.max_error < clock and found.time_is_sure
    assert len(found.time) == len(times) and found.link == "center_of_mass"
    np.testing.assert_allclose(found.time, times, atol=clock)
    np.testing.assert_allclose(found.simulated, winding(times), atol=clock)


def test_noise_is_measured_and_the_alignment_is_as_good_as_it_allows(file: Path) -> None:
    times, noise = np.arange(0.5, 9.5, 0.05), 0.003
    record(file, winding, times=times, offset=0.35, rotation=0.6, translation=(1.5, -0.4), noise=noise)
    found = compare_recording(run_along(winding), file)
    n = len(times)
    # Standard errors: noise over speed and sqrt(n) in time, over extent and sqrt(n) in angle; five of them.
    assert found.time_offset == pytest.approx(0.35, abs=5 * noise / (0.15 * math.sqrt(n)))
    assert found.rotation == pytest.approx(0.6, abs=5 * noise / (0.5 * math.sqrt(n)))
    assert found.rms_error == pytest.approx(noise * math.sqrt(2), rel=5 / (2 * math.sqrt(n)))
    low, high = found.time_offset_range
    assert low - 0.01 <= 0.35 <= high + 0.01 and high - low < 0.2  # searched in steps of a sample of the run
    assert found.time_is_sure
    assert found.max_error == found.error.max() >= found.rms_error
    assert found.end_error == pytest.approx(found.error[-1])


@pytest.mark.parametrize(("offset", "clock"), [(-1.0, 1e-6), (-1.7e9, 1e-4)])  # as above, of a clock since 1970
def test_a_recording_beyond_both_ends_of_the_run_is_cut(file: Path, offset: float, clock: float) -> None:
    record(file, winding, times=np.arange(-3.0, 12.0, 0.05), offset=offset, rotation=0.3)
    found = compare_recording(run_along(winding), file)
    assert found.time_offset == pytest.approx(offset, abs=clock, rel=0)
    assert found.time[0] >= -clock and found.time[-1] <= 10.0 + clock and len(found.time) >= 200
    assert found.max_error < clock


def test_a_slow_recording_of_a_fast_path_finds_its_time(file: Path) -> None:
    record(file, winding, times=np.arange(0.5, 9.0, 0.9), offset=0.62, rotation=0.3)
    assert compare_recording(run_along(winding), file).time_offset == pytest.approx(0.62, abs=1e-6)


def test_either_fit_can_be_left_out(file: Path) -> None:
    record(file, winding, times=np.arange(1.0, 9.0, 0.05), offset=0.2, translation=(0.5, 0.0))
    run = run_along(winding)
    as_it_is = compare_recording(run, file, align=())
    assert (as_it_is.time_offset, as_it_is.rotation, as_it_is.translation) == (0.0, 0.0, (0.0, 0.0))
    assert as_it_is.time_offset_range == (0.0, 0.0)
    assert as_it_is.rms_error == pytest.approx(0.5, abs=0.1)  # 0.5 m aside, and 0.2 s times 0.2 m/s
    frame = compare_recording(run, file, align=("frame",))
    assert frame.time_offset == 0.0 and 0.0 < frame.rms_error < 0.1
    fixed = compare_recording(run, file, align=("frame",), time_offset=0.2)
    assert fixed.time_offset == 0.2 and fixed.rms_error < 1e-6 and fixed.translation == pytest.approx((0.5, 0.0))
    record(file, winding, times=np.arange(1.0, 9.0, 0.05), offset=0.2)
    time = compare_recording(run, file, align=("time",))
    assert time.time_offset == pytest.approx(0.2, abs=1e-6) and time.rotation == 0.0 and time.rms_error < 1e-6


def test_steady_motion_takes_the_smaller_shift_and_says_that_it_is_open(file: Path) -> None:
    record(file, slithering, times=np.arange(0.0, 10.0, 0.05), offset=0.4, rotation=0.3, noise=0.002)
    run = run_along(slithering)
    found = compare_recording(run, file)
    assert found.time_offset == pytest.approx(0.4, abs=0.02) and not found.time_is_sure
    low, high = found.time_offset_range
    assert low < 0.4 - 1.5 and high > 0.4 + 1.5  # a period of 2 s either way fits as well
    later = compare_recording(run, file, time_offset=2.5)
    assert later.time_offset == pytest.approx(2.4, abs=0.02)


@pytest.mark.parametrize("noise", [0.0, 0.002])
def test_a_straight_path_tells_the_direction_but_not_the_time(file: Path, noise: float) -> None:
    record(file, straight, times=np.arange(0.0, 10.0, 0.05), offset=0.4, rotation=0.3, noise=noise)
    found = compare_recording(run_along(straight), file)
    assert found.time_offset == 0.0 and not found.time_is_sure
    assert found.rotation == pytest.approx(0.3, abs=1e-6 + noise)
    assert found.rms_error <= 1e-6 + 1.1 * noise * math.sqrt(2)
    # With the frame known, the same straight path does tell the time.
    record(file, straight, times=np.arange(0.0, 10.0, 0.05), offset=0.4, noise=noise)
    found = compare_recording(run_along(straight), file, align=("time",))
    assert found.time_offset == pytest.approx(0.4, abs=1e-6 + noise) and found.time_is_sure


def test_a_robot_that_does_not_move_tells_no_angle(file: Path) -> None:
    record(file, resting, times=np.arange(0.0, 5.0, 0.1), translation=(1.0, 0.0))
    found = compare_recording(run_along(resting), file)
    assert found.rotation == 0.0 and found.time_offset == 0.0 and not found.time_is_sure
    assert found.translation == pytest.approx((1.0, 0.0)) and found.max_error < 1e-9


def test_a_link_other_columns_and_a_world_of_a_batch(file: Path) -> None:
    other = run_along(straight)
    run = pp.concat([other, run_along(winding)])
    file.write_text("\ufefftime, place x ,y,x\n")
    with open(file, "a") as text:
        for t in np.arange(0.0, 10.0, 0.1):
            x, y = winding(t)
            text.write(f"{t}, {x + 0.1} ,{y},nonsense\n\n")
    found = compare_recording(run, file, link=1, columns=("time", "place x", "y"), align=(), world=1)
    assert found.link == 1 and found.max_error < 1e-6
    head = compare_recording(run.isel(world=1), file, link=0, columns=("time", "place x", "y"), align=())
    assert head.rms_error == pytest.approx(0.2)


def test_a_run_that_ended_early_is_used_as_far_as_it_goes(file: Path) -> None:
    run = run_along(winding)
    run["center_of_mass"][601:] = np.nan
    record(file, winding, times=np.arange(0.0, 10.0, 0.05), rotation=0.2)
    found = compare_recording(run, file)
    assert found.time[-1] == pytest.approx(6.0, abs=0.06) and found.max_error < 1e-6


# The closed form


@settings(max_examples=50, deadline=None)
@given(
    angle=st.floats(-3.1, 3.1),
    x=st.floats(-5, 5),
    y=st.floats(-5, 5),
    seed=st.integers(0, 1000),
    noise=st.floats(0, 0.1),
)
def test_no_other_frame_fits_better_than_the_closed_form(
    angle: float, x: float, y: float, seed: int, noise: float
) -> None:
    random = np.random.default_rng(seed)
    points = random.normal(size=(12, 2)) * (1.0, 0.3)
    target = turned_in_plane(points, angle) + (x, y) + noise * random.normal(size=(12, 2))

    def misfit(rotation: float, moved: np.ndarray) -> float:
        return float(np.sum((turned_in_plane(points, rotation) + moved - target) ** 2))

    rotation, moved = fit_frame_motion(points, target)
    least = misfit(rotation, moved)
    for turn, dx, dy in ((1e-3, 0, 0), (-1e-3, 0, 0), (0, 1e-3, 0), (0, 0, -1e-3), (math.pi, 0, 0)):
        assert misfit(rotation + turn, moved + np.array([dx, dy])) > least
    # Kabsch's own way, by singular values, without the mirror image.
    u, _, v = np.linalg.svd((points - points.mean(axis=0)).T @ (target - target.mean(axis=0)))
    matrix = v.T @ np.diag([1.0, np.linalg.det(v.T @ u.T)]) @ u.T
    np.testing.assert_allclose(turned_in_plane(np.eye(2), rotation).T, matrix, atol=1e-9)


# Wrong files and arguments


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("t,x\n0,0\n", "line 1: no column 'y', the columns are t, x"),
        ("t;x;y\n0;0;0\n", "line 1: no column 't', the columns are t;x;y"),
        ("\n\nt,x,y,x\n", "line 3: more than one column 'x'"),
        ("t,x,y\n0,0,0\n0.2,0,0\n0.1,0,0\n", "line 4: t = 0.1 comes after 0.2, times must increase"),
        ("t,x,y\n0,0,0\n0.1,0,0\n\n0.1,0,0\n", "line 5: t = 0.1 comes twice in a row, times must increase"),
        ("t,x,y\n0,0,0\n0.1,nan,0\n0.2,0,0\n", "line 3: x = nan, must be finite"),
        ("t,x,y\n0,0,0\n0.1,0,inf\n0.2,0,0\n", "line 3: y = inf, must be finite"),
        ("t,x,y\n0,0,0\n0.1,,0\n0.2,0,0\n", "line 3: x = '', must be a number"),
        ("t,x,y\n0,0,0\n0.1,a lot,0\n", "line 3: x = 'a lot', must be a number"),
        ("t,x,y\n0,0,0\n0.1,0\n", "line 3: ends before column 'y'"),
        ("t,x,y\n0,0,0\n1,0,0\n", "has 2 samples, must have at least 3"),
        ("t,x,y\n", "has 0 samples, must have at least 3"),
        ("", "is empty, must begin with a line of column names"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(file: Path, text: str, sentence: str) -> None:
    file.write_text(text)
    with pytest.raises(BadFile) as caught:
        compare_recording(run_along(winding), file)
    assert str(caught.value).startswith(f"{file}: {sentence}") and "\n" not in str(caught.value)


def test_files_that_are_none(tmp_path: Path, file: Path) -> None:
    with pytest.raises(BadFile, match="no such file"):
        compare_recording(run_along(winding), tmp_path / "missing.csv")
    file.write_bytes(b"t,x,y\n\xff\xfe\x00")
    with pytest.raises(BadFile, match="is not a text file"):
        compare_recording(run_along(winding), file)


def test_no_common_time_is_refused(file: Path) -> None:
    record(file, winding, times=np.arange(0.0, 5.0, 0.1), offset=-100.0)
    with pytest.raises(BadFile, match=r"fewer than 3 samples within the run \(the recording covers 100 to 104.9 s"):
        compare_recording(run_along(winding), file, align=("frame",))
    assert compare_recording(run_along(winding), file).time_offset == pytest.approx(-100.0, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"link": 2}, "link = 2, must be 0 to 1"),
        ({"link": "head"}, "link = 'head'"),
        ({"link": True}, "link = True"),
        ({"align": ("place",)}, "align"),
        ({"align": "time"}, "align"),
        ({"columns": "txy"}, "columns = 'txy', must be a list of names"),
        ({"columns": ("t", "x")}, "three names"),
        ({"time_offset": math.nan}, "time_offset = nan"),
    ],
)
def test_wrong_arguments_are_refused(file: Path, arguments: dict[str, Any], sentence: str) -> None:
    record(file, winding, times=np.arange(0.0, 5.0, 0.1))
    with pytest.raises(InvalidModel, match=sentence):
        compare_recording(run_along(winding), file, **arguments)


def test_runs_that_cannot_be_compared_are_refused(file: Path) -> None:
    record(file, winding, times=np.arange(0.0, 5.0, 0.1))
    run = run_along(winding)
    with pytest.raises(InvalidModel, match="a list with center_of_mass"):
        compare_recording(run.drop_vars("center_of_mass"), file)
    with pytest.raises(InvalidModel, match="finite positions = 1"):
        compare_recording(run.isel(time=slice(0, 1)), file)
    with pytest.raises(InvalidModel, match="world = 2, must be 0 to 1"):
        compare_recording(pp.concat([run, run]), file, world=2)


# The figure and the command


def test_the_figure_shows_both_paths_and_the_error(file: Path) -> None:
    record(file, winding, times=np.arange(1.0, 9.0, 0.05), offset=0.2, rotation=0.4, noise=0.004)
    run = run_along(winding)
    found = compare_recording(run, file)
    axes = {each.get_label(): each for each in recording_figure(found, run).axes}
    assert set(axes) == {"header", "paths", "error"}
    assert axes["paths"].get_xlabel() == "x [m]" and axes["error"].get_ylabel() == "error [mm]"
    lines = {line.get_label(): line for line in axes["paths"].get_lines()}
    np.testing.assert_array_equal(lines["simulated"].get_xydata(), winding(run.time.values))
    np.testing.assert_array_equal(axes["paths"].collections[0].get_offsets(), found.recorded)
    np.testing.assert_allclose(axes["error"].get_lines()[0].get_ydata(), 1e3 * found.error)
    words = " ".join(text.get_text() for text in axes["header"].texts)
    assert "made-up: recorded path of centre of mass" in words and "rms 5." in words and "open" not in words
    low, high = axes["paths"].get_xlim()
    assert low < found.recorded[:, 0].min() and high > found.recorded[:, 0].max()


def test_the_figure_of_a_straight_path_says_that_the_time_is_open(file: Path, tmp_path: Path) -> None:
    run = run_along(straight)
    found = compare_recording(run, record(file, straight, times=np.arange(1.0, 9.0, 0.05)))
    target = save_figure(recording_figure(found, run), tmp_path / "figure.png")
    assert min(matplotlib.image.imread(target).shape[:2]) > 400
    header = recording_figure(found, run).axes[0]
    assert any("leaves the time offset open" in text.get_text() for text in header.texts)
    with pytest.raises(InvalidModel, match="description"):
        recording_figure(found, run.assign_attrs(description="[]"))


def test_the_command_writes_figure_and_numbers(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = pp.save(run_along(winding), tmp_path / "run.nc")
    record(file, lambda t: winding(t) + AHEAD, times=np.arange(1.0, 9.0, 0.05), offset=0.2, rotation=0.4)
    out = tmp_path / "results"
    assert main(["compare-recording", str(run), str(file), "--link", "1", "--out", str(out), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    written = json.loads((out / "comparison.json").read_text())
    assert printed == written | {"files": {what: str(out / name) for what, name in written["files"].items()}}
    assert printed["time_offset"] == pytest.approx(0.2, abs=1e-6) and printed["rotation"] == pytest.approx(0.4)
    assert printed["link"] == 1 and printed["samples"] == 160 and (out / "comparison.png").is_file()
    fixed = ["--no-time-shift", "--no-frame", "--columns", "t, x,y"]
    assert main(["compare-recording", str(run), str(file), *fixed, "--out", str(out)]) == 0
    assert "rms error" in capsys.readouterr().out
    assert json.loads((out / "comparison.json").read_text())["time_offset"] == 0.0


def test_the_command_says_that_the_time_is_open(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = pp.save(run_along(straight), tmp_path / "run.nc")
    record(file, straight, times=np.arange(1.0, 9.0, 0.05))
    assert main(["compare-recording", str(run), str(file)]) == 0
    assert "leaves the time offset open" in capsys.readouterr().err
    assert (tmp_path / "out" / "made-up-recording" / "comparison.png").is_file()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run.nc", "missing.csv"], "missing.csv: no such file"),
        (["missing.nc", "recording.csv"], "missing.nc: no such file"),
        (["run.nc", "recording.csv", "--link", "head"], "--link = 'head', must be the number of a link, or com"),
        (["run.nc", "recording.csv", "--link", "9"], "link = 9, must be 0 to 1"),
        (["run.nc", "recording.csv", "--columns", "t,x,z"], "line 1: no column 'z'"),
    ],
)
def test_the_command_refuses_in_one_line(
    file: Path, arguments: list[str], sentence: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    pp.save(run_along(winding), "run.nc")
    record(file, winding, times=np.arange(1.0, 9.0, 0.5))
    assert main(["compare-recording", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and sentence in printed.err and len(printed.err.splitlines()) == 1


def test_a_simulated_robot_recorded_by_a_camera(file: Path) -> None:
    """Link 5 on the course of Transeth2008a, seen as in Liljeback2011: 15 Hz, 6 mm, its own frame and clock."""
    run = pp.scenario("transeth2008a/obstacle-aided").with_changes(duration=6.0).run()

    def seen(t: np.ndarray) -> np.ndarray:
        return np.stack([np.interp(t, run.time, run.link_position.sel(link=5, axis=axis)) for axis in "xy"], axis=-1)

    times = np.arange(0.2, 5.8, 1 / 15)
    record(file, seen, times=times, offset=0.35, rotation=0.6, translation=(1.5, -0.4), noise=0.006)
    found = pp.compare_recording(run, file, link=5)
    assert found.time_offset == pytest.approx(0.35, abs=0.03)  # 6 mm at 0.16 m/s are 38 ms per sample, of 84
    assert found.rotation == pytest.approx(0.6, abs=0.01)
    assert found.rms_error == pytest.approx(0.006 * math.sqrt(2), rel=0.2)
