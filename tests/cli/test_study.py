"""`pushpoint study` and what looks at its store: the same command goes on, every mistake is one sentence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pushpoint.cli.main import main
from pushpoint.studies.running import cluster

STUDY = """\
base: transeth2008a/flat
set: {duration: 0.1, settings.dt: 4e-3}
varies:
  - {kind: range, field: controller.amplitude_deg, low: 20, high: 60, count: 3}
  - {kind: values, field: ground.friction.coefficient, values: [0.1, 0.3]}
measures: [distance]
batch: 2
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(STUDY, encoding="utf-8")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main([*words, "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_a_study_says_what_it_simulates_and_what_it_reuses(capsys: pytest.CaptureFixture[str]) -> None:
    first = said(capsys, "study", "small.yaml")
    assert (first["worlds"], first["reused"], first["simulated"], first["failed"], first["lost"]) == (6, 0, 6, 0, 0)
    assert main(["study", "small.yaml"]) == 0
    assert "small: 6 worlds; 6 reused, 0 simulated" in capsys.readouterr().out
    Path("small.yaml").write_text(STUDY.replace("0.3]", "0.2, 0.3]"), encoding="utf-8")
    assert said(capsys, "study", "small.yaml")["reused"] == 6


def test_status_table_and_figures_come_from_the_store_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "small.yaml", "--store", "kept"]) == 0
    Path("small.yaml").unlink()
    capsys.readouterr()
    status = said(capsys, "study-status", "kept")
    assert (status["finished"], status["statuses"], status["in_use"]) == (6, {"finished": 6}, False)
    table = said(capsys, "study-table", "kept", "--rows", "2")
    rows = table["rows"]
    assert isinstance(rows, list) and [row["controller.amplitude_deg"] for row in rows] == [20.0, 20.0]
    assert main(["study-table", "kept"]) == main(["study-table", "kept", "--out", "all.csv"]) == 0
    assert len(Path("all.csv").read_text(encoding="utf-8").splitlines()) == 7
    assert main(["study-figures", "kept"]) == 0
    assert Path("kept/figures/distance.png").stat().st_size > 1000
    assert main(["study-status", "kept"]) == 0
    assert "small: 6 of 6 worlds are finished" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["study", "none.yaml"], "none.yaml: no such file"),
        (["study", "small.yaml", "--workers", "0"], "workers = 0, must be a whole number, 1 to 1000"),
        (
            ["study", "small.yaml", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"],
            "scheduler = 'tcp://127.0.0.1:1', must be left out if workers are given",
        ),
        (["study", "small.yaml", "--device", "cuda:7"], "settings.device = 'cuda:7', must be one of cpu"),
        (["study", "small.yaml", "--store", "small.yaml"], "small.yaml: is a file, must be a folder for the store"),
        (["study-status", "."], ".: is no store of a study"),
        (["study-table", "nowhere"], "nowhere: is no store of a study"),
        (["study-table", "nowhere", "--rows", "0"], "--rows = 0, must be a whole number >= 1"),
        (["study-table", "nowhere", "--out", "t.xls"], "--out = 't.xls', must be a file that ends in .csv or .parquet"),
    ],
)
def test_a_mistake_is_one_sentence(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1 and sentence in printed.err


def test_an_interrupted_study_says_what_is_kept_and_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    long = STUDY.replace("duration: 0.1", "duration: 6.0").replace("count: 3", "count: 60")
    Path("small.yaml").write_text(long, encoding="utf-8")
    words = [sys.executable, "-m", "pushpoint", "study", "small.yaml", "--store", "kept"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        patience = time.monotonic() + 60.0
        while len(list(Path("kept/batches").glob("*.npz"))) < 2 and time.monotonic() < patience:
            time.sleep(0.02)
        os.kill(running.pid, signal.SIGTERM)
        _, complaint = running.communicate(timeout=60.0)
    assert running.returncode == 128 + signal.SIGTERM
    assert complaint.startswith("interrupted: ") and "are done and kept in kept; the same command goes on" in complaint
    before = said(capsys, "study-status", "kept")["finished"]
    assert isinstance(before, int) and 0 < before < 120
    assert said(capsys, "study", "small.yaml", "--store", "kept")["reused"] == before


def held(store: Path) -> dict[str, bytes]:
    """All files of a store but its lock, which names the last process."""
    files = [file for file in store.rglob("*") if file.is_file() and file.name != "lock"]
    return {str(file.relative_to(store)): file.read_bytes() for file in files}


LARGER = ("count: 3", "count: 5")


@pytest.mark.parametrize(
    ("change", "more", "sentence"),
    [
        (("amplitude_deg", "amplitude"), (), "small.yaml:4: varies[0].field: controller.amplitude = 20.0"),
        (("high: 60", "high: 20"), (), "small.yaml:4: varies[0].high = 20, must be above low = 20"),
        (("[0.1, 0.3]", "[]"), (), "small.yaml:5: varies[1].values = [], must be a list of at least one value"),
        (("[distance]", "[path_length]"), (), "kept: the store belongs to another study: its measures = "),
        (LARGER, ("--scheduler", "tcp://127.0.0.1:9"), "scheduler tcp://127.0.0.1:9: no answer in"),
        (LARGER, ("--scheduler", "nowhere"), "nowhere"),
    ],
)
def test_bad_input_is_a_sentence_and_leaves_the_results(
    change: tuple[str, str],
    more: tuple[str, ...],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "STARTING", 0.5)
    said(capsys, "study", "small.yaml", "--store", "kept")
    before = held(Path("kept"))
    Path("small.yaml").write_text(STUDY.replace(*change), encoding="utf-8")
    assert main(["study", "small.yaml", "--store", "kept", *more]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1 and sentence in printed.err
    after = held(Path("kept"))
    assert after | {"study.json": b""} == before | {"study.json": b""}
    assert said(capsys, "study-status", "kept")["finished"] == 6


@pytest.mark.parametrize("room", [0, 1000, 2000])
def test_a_disk_that_takes_no_more_is_a_sentence_and_nothing_is_lost(
    room: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files may have so many bytes, as on a disk that is full: the description, a batch or the table does not fit."""
    resource = pytest.importorskip("resource")
    said(capsys, "study", "small.yaml", "--store", "kept")
    before = held(Path("kept"))
    Path("small.yaml").write_text(STUDY.replace(*LARGER).replace("batch: 2", "batch: 100"), encoding="utf-8")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        status = main(["study", "small.yaml", "--store", "kept"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    printed = capsys.readouterr()
    assert status == 2 and printed.out == ""
    assert printed.err.count("\n") == 1 and "cannot be written (File too large)" in printed.err
    after = held(Path("kept"))
    assert all(after[name] == content for name, content in before.items() if name.startswith("batches/"))
    assert not [name for name in after if "/.pushpoint" in name]
    found = said(capsys, "study", "small.yaml", "--store", "kept")
    assert (found["worlds"], found["reused"], found["simulated"]) == (10, 6, 4)
