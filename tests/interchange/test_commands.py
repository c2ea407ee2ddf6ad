"""The command line: runs out, and recordings in other files laid over a run or fitted."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.cli.main import main
from pushpoint.worlds.edits import ChangeController


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, and a log of it as the recording of a robot."""
    place = tmp_path_factory.mktemp("commands")
    run = pp.scenario("transeth2008a/flat").with_changes(duration=1.0).run()
    pp.save(run, place / "run.nc")
    pp.export(run, place / "robot.mcap")
    source = "{topic: /center_of_mass, axes: [x, y]}"
    (place / "lab.yaml").write_text(f"channels:\n  center_of_mass: {source}\n")
    (place / "wrong.yaml").write_text(f"channels:\n  centre_of_mass: {source}\n")
    return place


def test_a_run_goes_out_beside_itself_or_under_a_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(folder / "run.nc"), "--to", "mcap"]) == 0
    assert f"wrote {folder / 'run.mcap'}" in capsys.readouterr().out
    assert (folder / "run.mcap").read_bytes() == (folder / "robot.mcap").read_bytes()
    assert main(["export", str(folder / "run.nc"), "--to", str(folder / "table.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0] == str(folder / "table.csv")
    assert main(["export", str(folder / "run.nc"), "--to", "mcap", "--world", "1"]) == 2
    assert capsys.readouterr().err == "error: --world = 1, must be 0 to 0\n"


def test_a_run_that_does_not_fit_into_memory_goes_out(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pushpoint.simulation.storage.allowed_memory", lambda: 1000)
    for ending in ("mcap", "csv"):
        assert main(["export", str(folder / "run.nc"), "--to", str(tmp_path / f"run.{ending}")]) == 0


def test_edits_that_are_left_out_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = replace(
        pp.scenario("transeth2008a/flat"), name="edited", edits=[ChangeController(step=10, controller=None)]
    )
    pp.write_scenario(scenario, tmp_path / "edited.yaml")
    words = ["references", str(tmp_path / "edited.yaml"), "--duration", "0.1", "--output", str(tmp_path / "out.csv")]
    assert main(words) == 0
    assert capsys.readouterr().err == "edited: 1 edit on its way left out, the controller is the one it begins with\n"


@pytest.mark.parametrize(("thing", "ending"), [("run.nc", "mcap"), ("aiko", "xml"), ("transeth2008a/flat", "urdf")])
def test_only_what_mujoco_runs_is_checked(
    thing: str, ending: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = folder / thing if thing.endswith(".nc") else thing
    assert main(["export", str(place), "--to", str(tmp_path / f"out.{ending}"), "--check"]) == 2
    said = f"out.{ending}: cannot be checked: --check is for a scenario that is written as .xml"
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir()), "written before it was refused"


MISSING = [
    ("mujoco", ["transeth2008a/flat", "--check", "--to", "out.xml"], "a run in MuJoCo needs the extra 'bench'"),
    ("mcap.writer", ["run.nc", "--to", "out.mcap"], "needs the extra 'interchange'"),
    ("pyarrow", ["run.nc", "--to", "out.parquet"], "needs the extra 'interchange'"),
]


@pytest.mark.parametrize(("module", "words", "said"), MISSING)
def test_a_missing_library_is_a_sentence_with_the_command(
    module: str,
    words: list[str],
    said: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.chdir(tmp_path)
    assert main(["export", *(str(folder / word) if word == "run.nc" else word for word in words)]) == 2
    told = capsys.readouterr().err
    assert said in told and "pip install 'pushpoint[" in told and told.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_joint_references_go_out_as_a_table(folder: Path) -> None:
    scenario = pp.scenario("transeth2008a/flat").with_changes(duration=1.0)
    report = pp.export(scenario, folder / "references.csv")
    header, *rows = (folder / "references.csv").read_text().splitlines()
    assert header.startswith("time_s,joint_0_yaw_deg,") and len(rows) == 31
    assert report.laws[0].how == "31 rows, 30 per second"


def test_a_log_is_laid_over_a_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare-recording", str(folder / "run.nc"), str(folder / "robot.mcap")]
    assert main([*words, "--columns", str(folder / "lab.yaml"), "--out", str(folder / "compared"), "--json"]) == 0
    found = capsys.readouterr()
    written = json.loads(found.out)
    assert written["rms_error"] < 1e-9 and written["recording"] == str(folder / "robot.mcap")
    assert found.err.startswith("/center_of_mass: 101 of 101 samples, one every 0.01 s; nothing is lost\n")
    assert main([*words, "--columns", str(folder / "wrong.yaml")]) == 2
    assert "wrong.yaml:2: unknown channel 'centre_of_mass'; did you mean center_of_mass" in capsys.readouterr().err


@pytest.mark.slow
def test_a_log_is_fitted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["fit", str(folder / "robot.mcap"), "transeth2008a/flat", "--vary", "delay=0:0.1"]
    assert main([*words, "--out", str(folder / "fit"), "--json"]) == 0
    found = capsys.readouterr()
    assert json.loads(found.out)["parameters"]["delay"]["value"] == pytest.approx(0.0, abs=1e-3)
    assert "/joint_states: 101 of 101 samples" in found.err


def test_a_recording_of_many_channels_needs_the_one_that_is_compared(folder: Path) -> None:
    run = pp.load(folder / "run.nc")
    recorded = pp.interchange.import_recording(folder / "robot.mcap").recorded
    with pytest.raises(pp.errors.InvalidModel, match=r"a list with link_position\[2\]\.x, which the comparison needs"):
        pp.compare_recording(run, recorded, link=2)
    holed = pp.studies.Recorded(
        time=np.arange(12.0),
        channels={f"center_of_mass.{axis}": np.where(np.arange(12) < 2, 1.0, np.nan) for axis in "xy"},
    )
    with pytest.raises(pp.errors.InvalidModel, match=r"samples of center_of_mass\.x = 2, must be at least 3"):
        pp.compare_recording(run, holed)
