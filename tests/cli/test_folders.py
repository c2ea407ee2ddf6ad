"""Folders of results: the files in one are of one run, whatever happens between two of them; what failed is said."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import xarray
from matplotlib.figure import Figure

import pushpoint as pp
from pushpoint import gallery, plots
from pushpoint.cli import folders, outputs
from pushpoint.cli.main import main
from pushpoint.cli.run import _write
from pushpoint.cli.studying.sweep import write_sweep
from pushpoint.errors import BadFile
from pushpoint.proof.judgement import Judgement
from pushpoint.scenarios.files import write_scenario
from pushpoint.simulation import measures
from pushpoint.simulation.run_ids import RUN_ID, identified, run_id_of
from pushpoint.simulation.storage import load, save
from pushpoint.whole_files import TEMPORARY, write_bytes

MEDIA = {"joints": "figures/joints.png", "animation": "run.mp4", "replay": "replay.html"}


class Killed(BaseException):
    """The process is gone."""


class Fate:
    """Lets so many changes of the folder happen, and then kills; a dead process changes nothing more."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, lives: int) -> None:
        self.lives = lives
        for name in ("replace", "unlink", "rmdir", "remove", "mkdir"):
            monkeypatch.setattr(os, name, self.watched(getattr(os, name)))

    def watched(self, change: Callable[..., None]) -> Callable[..., None]:
        def act(*arguments: Any, **others: Any) -> None:
            if self.lives <= 0:
                raise Killed
            change(*arguments, **others)
            self.lives -= 1

        return act


@pytest.fixture(scope="module")
def runs() -> list[xarray.Dataset]:
    scenario = pp.scenario("transeth2008a/flat")
    return [scenario.with_changes(duration=duration).run()[["joint_angle"]] for duration in (0.02, 0.03)]


@pytest.fixture(autouse=True)
def quick_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of nothing, with the id of their run."""

    def draw(name: str, run: xarray.Dataset, target: Path, *_: object) -> Path:
        return write_bytes(target, f"a picture, {RUN_ID}={run.attrs[RUN_ID]}".encode())

    monkeypatch.setattr(gallery, "_write", draw)
    monkeypatch.setattr(gallery, "FILES", MEDIA)
    monkeypatch.setattr(plots, "course", lambda run: Figure(figsize=(1, 1)))
    monkeypatch.setattr(plots, "sweep", lambda *about: Figure(figsize=(1, 1)))


@pytest.fixture
def no_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves time where only the files matter."""
    monkeypatch.setattr(measures, "summary", lambda run: {})
    monkeypatch.setattr(measures, "per_motor", lambda run: [])


def write_run(run: xarray.Dataset, folder: Path) -> None:
    _write(run, folder, {"name": "mine", "timing": {}}, media=True)


def ids_in(folder: Path) -> dict[str, str | None]:
    """The ids of all files but temporary ones."""
    files = [file for file in folder.rglob("*") if file.is_file() and not TEMPORARY.fullmatch(file.name)]
    return {str(file.relative_to(folder)): run_id_of(file) for file in files}


@pytest.mark.usefixtures("no_measures")
def test_files_are_of_one_run_wherever_it_is_killed(
    runs: list[xarray.Dataset], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (identified(run).attrs[RUN_ID] for run in runs)
    write_run(runs[0], tmp_path / "before")
    (tmp_path / "before/mine.txt").write_text("the user's own")
    seen = []
    for number in range(100):
        folder = Path(shutil.copytree(tmp_path / "before", tmp_path / str(number)))
        with monkeypatch.context() as patched:
            Fate(patched, number)
            try:
                write_run(runs[1], folder)
                break
            except Killed:
                pass
        found = ids_in(folder)
        assert found.pop("mine.txt") is None and "run.nc" in found
        seen.append(set(found.values()))
        assert seen[-1] in ({first}, {second}), f"after {number} changes: {found}"
    assert seen.index({second}) > 5  # those of the first one left one by one
    assert len(seen) > 12 and set(ids_in(folder).values()) == {second, None}
    write_run(runs[1], tmp_path / "3")  # the next one clears up
    assert [file.name for file in (tmp_path / "3").rglob(".*")] == []


@pytest.mark.usefixtures("no_measures")
def test_the_same_run_again_removes_nothing(
    runs: list[xarray.Dataset], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(runs[0], tmp_path)
    before = ids_in(tmp_path)
    Fate(monkeypatch, 2)
    with pytest.raises(Killed):
        write_run(runs[0], tmp_path)
    assert ids_in(tmp_path) == before


def test_a_picture_is_known_whatever_its_checksum(tmp_path: Path) -> None:
    """One in sixteen checksums begins with a byte that could be a digit of the id before it."""
    ids = (f"{number:016x}" for number in range(1000))
    digits = b"0123456789abcdef"
    chosen = next(each for each in ids if zlib.crc32(f"tEXt{RUN_ID}\0{each}".encode()) >> 24 in digits)
    plots.save_figure(Figure(figsize=(1, 1)), tmp_path / "picture.png", run_id=chosen)
    assert run_id_of(tmp_path / "picture.png") == chosen


def test_a_sweep_is_of_one_run_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = pp.scenario("transeth2008a/speed-over-friction")
    short = [sweep.with_changes(duration=duration).run()[["joint_angle"]] for duration in (0.01, 0.02)]
    monkeypatch.setattr("pushpoint.papers.transeth2008a.scenarios.sweep_speeds", lambda sweep, runs: [])
    verdict = SimpleNamespace(verdict="reproduced", measured={})
    monkeypatch.setattr(type(sweep.claims[0]), "evaluate", lambda claim, run_of: verdict)
    write_sweep(sweep, short[0], tmp_path / "before", {})
    for number in range(100):
        folder = Path(shutil.copytree(tmp_path / "before", tmp_path / str(number)))
        with monkeypatch.context() as patched:
            Fate(patched, number)
            try:
                write_sweep(sweep, short[1], folder, {})
                break
            except Killed:
                assert len(set(ids_in(folder).values())) == 1
    assert number > 5
    assert ids_in(folder) == dict.fromkeys(ids_in(folder), identified(short[1]).attrs[RUN_ID])
    assert sorted(ids_in(folder)) == ["runs.nc", "summary.json", "sweep.png"]


def test_a_report_and_its_results_are_of_one_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    works: list[Any] = [SimpleNamespace(document={"of": text}, page=lambda text=text: text) for text in ("one", "two")]
    for number in range(100):
        Judgement.write(works[0], tmp_path)
        with monkeypatch.context() as patched:
            Fate(patched, number)
            try:
                Judgement.write(works[1], tmp_path)
                break
            except Killed:
                results = json.loads((tmp_path / "results.json").read_text())["of"]
                pages = [page.read_text() for page in tmp_path.glob("report.html")]
                assert pages in ([], [results])
    assert number > 2 and (tmp_path / "report.html").read_text() == "two"


class TestIds:
    def test_equal_runs_have_equal_ids_and_others_do_not(self, runs: list[xarray.Dataset], tmp_path: Path) -> None:
        run = runs[0]
        known = identified(run).attrs[RUN_ID]
        assert identified(run.copy(deep=True)).attrs[RUN_ID] == known == identified(identified(run)).attrs[RUN_ID]
        assert RUN_ID not in run.attrs
        moved = run.copy(deep=True)
        moved.joint_angle[-1, -1] += 1e-9
        for other in (moved, run.isel(time=slice(1, None)), run.drop_vars("joint_angle"), run.assign_attrs(status="x")):
            assert identified(other).attrs[RUN_ID] != known
        assert run_id_of(save(identified(run), tmp_path / "run.nc")) == known

    def test_files_without_one(self, tmp_path: Path) -> None:
        (tmp_path / "page.html").write_text("run_id=0123")
        (tmp_path / "run.nc").write_text("nothing")
        assert {run_id_of(tmp_path / name) for name in ("page.html", "run.nc", "none.png")} == {None}


class TestCheck:
    @pytest.mark.usefixtures("no_measures")
    def test_a_folder_is_of_one_run_or_not(
        self, runs: list[xarray.Dataset], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        write_run(runs[0], tmp_path / "one")
        known = run_id_of(tmp_path / "one/run.nc")
        assert main(["check", str(tmp_path / "one")]) == 0
        assert capsys.readouterr().out == f"{tmp_path / 'one'}: fine: 6 files of the run {known}\n"
        write_run(runs[1], tmp_path / "other")
        other = run_id_of(shutil.copy(tmp_path / "other/summary.json", tmp_path / "one"))
        (tmp_path / "other/course.png").write_bytes(b"drawn by hand")
        (tmp_path / "empty").mkdir()
        assert main(["check", *(str(tmp_path / name) for name in ("one", "other", "empty"))]) == outputs.FAILED
        assert capsys.readouterr().err.splitlines() == [
            f"{tmp_path / 'one/summary.json'}: is of another run than run.nc: {other} and {known}",
            f"{tmp_path / 'other/course.png'}: has no id of a run",
            f"{tmp_path / 'empty'}: holds no results of pushpoint",
        ]


class TestFailures:
    def test_each_file_that_cannot_be_written_is_said_and_the_rest_is_kept(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for name in ("course.png", "run.mp4", "summary.json"):
            (tmp_path / "there" / name).mkdir(parents=True)
        assert main(["run", "transeth2008a/flat", "--duration", "0.02", "--out", "there"]) == outputs.FAILED
        printed = capsys.readouterr()
        sentences = printed.err.splitlines()
        assert [line.split(": ")[:2] for line in sentences] == [
            ["error", f"there/{name}"] for name in ("summary.json", "course.png", "run.mp4", "summary.json")
        ]
        assert "wrote there/run.nc" in printed.out and "wrote there/replay.html" in printed.out
        assert "wrote there/run.mp4" not in printed.out and load("there/run.nc").sizes["time"] == 3

    @pytest.mark.parametrize("room", [True, False], ids=["elsewhere", "nowhere"])
    def test_samples_that_the_folder_does_not_take(
        self, room: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "there/run.nc").mkdir(parents=True)
        (tmp_path / "there/summary.json").write_text("of an earlier run")
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path if room else tmp_path / "missing"))
        assert main(["run", "transeth2008a/flat", "--duration", "0.02", "--out", "there", "--json"]) == outputs.FAILED
        printed = capsys.readouterr()
        assert printed.err.count("\n") == 1 and "there/run.nc: cannot be written (it is a folder" in printed.err
        files = json.loads(printed.out)["files"]
        assert json.loads(printed.out)["measures"]["mean_velocity_x"] is not None
        if room:
            folder = Path(files["run"]).parent
            assert folder.parent == tmp_path and f"; all results are in {folder}\n" in printed.err
            assert set(ids_in(folder)) == {"run.nc", "course.png", "summary.json", *MEDIA.values()}
        else:
            assert printed.err.endswith("; the samples are lost\n") and files == {}
        assert (tmp_path / "there/summary.json").read_text() == "of an earlier run"

    @pytest.mark.usefixtures("no_measures")
    def test_folders_of_other_commands_and_runs_are_refused(
        self, runs: list[xarray.Dataset], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        write_run(runs[0], tmp_path / "one")
        write_run(runs[1], tmp_path / "other")
        with pytest.raises(BadFile, match=r"^one: holds run\.nc of another command, must be a folder of its own"):
            folders.check_kind(Path("one"), "runs.nc")
        folders.check_kind(Path("one"), "run.nc")
        before = ids_in(tmp_path / "other")
        assert main(["render", "one/run.nc", "--out", "other"]) == 2 and ids_in(tmp_path / "other") == before
        assert main(["render", "one/run.nc"]) == 0 and main(["render", "one/run.nc", "--out", "new"]) == 0
        assert set(ids_in(tmp_path / "new").values()) == {run_id_of(Path("one/run.nc"))} != {before["run.nc"]}


def test_results_tell_nothing_of_the_machine(tmp_path: Path) -> None:
    course, folder = tmp_path / "course.yaml", tmp_path / "there"
    write_scenario(pp.scenario("transeth2008a/flat"), course, duration=0.02)
    assert main(["run", str(course), "--out", str(folder)]) == 0
    said = repr(load(folder / "run.nc").attrs)
    said += "".join(file.read_bytes().decode("latin-1") for file in folder.iterdir() if file.is_file())
    assert not any(word in said for word in (str(tmp_path), "course.yaml", str(Path(pp.__file__).parent)))


def test_two_processes_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits, done, said = threading.Event(), threading.Event(), []

    def echo(sentence: str, err: bool) -> None:
        said.append(sentence)
        waits.set()

    def write() -> None:
        with folders.writing_in(tmp_path):
            done.set()

    monkeypatch.setattr(folders.typer, "echo", echo)
    other = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    thread = threading.Thread(target=write)
    thread.start()
    waits.wait()
    assert not done.is_set() and said == [f"waiting: another process is writing results into {tmp_path}"]
    os.close(other)
    thread.join()
    assert done.is_set()


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("my/course", "my-course"),
        ("../../etc/passwd", "etc-passwd"),
        ("/dev/null", "dev-null"),
        ("..", "run"),
        ("", "run"),
        (".hidden", "hidden"),
        ("a\nb\0c", "a-b-c"),
        ("schlängeln", "schl-ngeln"),
        ("x" * 100, "x" * 100),
    ],
)
def test_any_name_gives_a_folder_below_out(name: str, folder: str) -> None:
    assert outputs.default_folder(name) == Path("out") / folder


def test_long_names_are_cut_and_stay_apart() -> None:
    one, other = outputs.default_folder("x" * 300), outputs.default_folder("x" * 301)
    assert one != other and one.parent == Path("out") and len(one.name) < 120
