"""Whatever writes a file does it in one way: links are followed, pipes refused, and a failure leaves nothing behind."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xarray
from matplotlib.figure import Figure

import pushpoint as pp
from oracles.described import first
from pushpoint.cli.outputs import write_json
from pushpoint.errors import BadFile
from pushpoint.films import film as films
from pushpoint.interchange import joint_references, write_csv
from pushpoint.pages.page import write_page
from pushpoint.plots.page import save_figure
from pushpoint.replays import replay as replays
from pushpoint.scenarios.files import write_scenario
from pushpoint.simulation.run_ids import RUN_ID, identified, run_id_of
from pushpoint.simulation.storage import save
from pushpoint.whole_files import write_bytes

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "pushpoint"
COURSE = pp.scenario("transeth2008a/flat").with_changes(duration=0.02)


POLICY = pp.envs.policy_from(pp.envs.Slither(), [(np.zeros((4, 43)), np.zeros(4))])


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    return identified(COURSE.run())


def problem() -> pp.contact_problems.Problem:
    return pp.contact_problems.Problem(W=np.eye(3), q=np.zeros(3), mu=0.1)


def references(path: Path) -> None:
    write_csv(joint_references(COURSE.world.controller, COURSE.world.robot, duration=0.1, rate=30.0), path)


WRITERS: dict[str, Callable[[xarray.Dataset, Path], object]] = {
    "run.nc": save,
    "course.png": lambda run, path: save_figure(Figure(figsize=(1, 1)), path, run_id=run.attrs[RUN_ID]),
    "run.mp4": films.film,
    "replay.html": replays.replay,
    "report.html": lambda run, path: write_page("<!doctype html>", path),
    "results.json": lambda run, path: write_bytes(path, b"{}"),
    "summary.json": lambda run, path: write_json(path, {RUN_ID: run.attrs[RUN_ID]}),
    "mine.yaml": lambda run, path: write_scenario(COURSE, path),
    "problem.npz": lambda run, path: problem().save(path),
    "references.csv": lambda run, path: references(path),
    "policy.npz": lambda run, path: pp.control.write_policy(POLICY, path),
}
"""Every function that writes a file, by the name of what it writes."""


@pytest.fixture(autouse=True)
def short_films(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "SHORTEST", 0.0)


@pytest.mark.parametrize("name", WRITERS)
def test_the_file_behind_a_link_is_written(name: str, run: xarray.Dataset, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link, real = tmp_path / name, tmp_path / "far" / name
    link.symlink_to(real)
    WRITERS[name](first(run, 1), link)
    assert link.is_symlink() and real.stat().st_size > 0 and os.listdir(real.parent) == [name]
    assert sorted(os.listdir(tmp_path)) == sorted(["far", name])
    assert not any(str(path).encode() in real.read_bytes() for path in (tmp_path, PACKAGE))  # nothing of this machine
    if name in ("run.nc", "course.png", "run.mp4", "replay.html", "summary.json"):
        assert run_id_of(real) == run.attrs[RUN_ID]


@pytest.mark.parametrize("name", WRITERS)
def test_a_pipe_is_refused_and_not_waited_for(name: str, run: xarray.Dataset, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(BadFile, match=r"it is a pipe, (must be a|no) regular file\)$"):
        WRITERS[name](first(run, 1), tmp_path / name)
    assert os.listdir(tmp_path) == [name] and (tmp_path / name).is_fifo()


@pytest.mark.parametrize("older", [True, False], ids=["an older file", "no older file"])
@pytest.mark.parametrize("name", WRITERS)
def test_a_failure_leaves_nothing_behind(
    name: str, older: bool, run: xarray.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(os, "fsync", full)
    if older:
        (tmp_path / name).write_bytes(b"older")
    with pytest.raises(BadFile) as caught:
        WRITERS[name](first(run, 1), tmp_path / name)
    kept = "; the file that was there is kept" if older else ""
    assert str(caught.value) == f"{tmp_path / name}: cannot be written (Disk quota exceeded){kept}"
    assert [file.read_bytes() for file in tmp_path.iterdir()] == ([b"older"] if older else [])


def test_a_complaint_of_the_encoder_is_one_sentence(
    run: xarray.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(films, "options", lambda made, size, run_id: ["-i", "nothing.mp4"])
    with pytest.raises(BadFile, match=r"run\.mp4: cannot be written \(ffmpeg: [^\n@]+\)$"):
        films.film(first(run, 1), tmp_path / "run.mp4")
    assert os.listdir(tmp_path) == []


WRITING = re.compile(
    r"\w+\.(?:write_text|write_bytes|savefig|to_netcdf|tofile|save[tz]\w+)\(|np\.save\(|open\([^)]*\"[wax]"
)
ALLOWED = {
    "control/neural/policy.py": ['open("w'],
    "plots/page.py": ["self.savefig(", "figure.savefig("],  # into memory; into the temporary file
    "pages/page.py": ["figure.savefig("],  # into memory
    "interchange/references.py": ["np.savetxt("],
    "interchange/logs/log.py": ['open("w'],
    "interchange/tables.py": ['open("w'],
    "scenarios/files.py": ["np.save("],
    "contact_problems/problem.py": ['open("w', "np.savez_compressed("],
    "simulation/streaming.py": ["partial.write_bytes(", 'open(self.partial, "a'],  # a file that grows beside its place
    "studies/storing/store.py": ['open(self.folder / JOURNAL, "a'],  # the journal
    "studies/storing/table.py": ['open(path, "w'],
    "whole_files.py": ["temporary.write_bytes("],
}
"""Where files are written: into what `write_atomically` gives, but for those to which something is added."""


def test_nothing_else_in_the_package_writes_files() -> None:
    texts = {str(file.relative_to(PACKAGE)): file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py")}
    assert {file: found for file, text in texts.items() if (found := WRITING.findall(text))} == ALLOWED
