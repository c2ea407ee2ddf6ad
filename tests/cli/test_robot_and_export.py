"""`pushpoint robot` and `pushpoint export`: what they print and write, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pushpoint as pp
from pushpoint.cli.main import main


def test_a_robot_goes_out_and_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sea.urdf"
    assert main(["export", "yaw-pitch-16", "--to", str(file)]) == 0
    said = capsys.readouterr().out
    assert f"wrote {file}\n" in said and f"wrote {file}.report.json\n" in said and "lost: gains of the servos" in said
    assert main(["robot", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["links"]) == 17 and found["joints"][0]["upper_deg"] == pytest.approx(90.0)
    assert found["mass"] == pytest.approx(pp.catalogue.yaw_pitch_16().mass)
    assert main(["robot", str(file)]) == 0
    said = capsys.readouterr().out
    assert main(["export", str(file), "--to", str(tmp_path / "sea.xml")]) == 0
    assert pp.read_robot(tmp_path / "sea.xml").axes == pp.catalogue.yaw_pitch_16().axes
    assert "17 links, 16 axes" in said and "approximated" not in said.partition("URDF file")[0]


def test_the_report_beside_the_file_is_the_one_that_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "flat.xml"
    assert main(["export", "transeth2008a/flat", "--to", str(file), "--check", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert json.loads(file.with_name("flat.xml.report.json").read_text()) == printed
    (path,) = (entry for entry in printed["laws"] if entry["law"] == "path")
    assert path["kept"] == "approximated" and path["unit"] == "mm" and 0.0 < path["error"] < 10.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["robot", "none.urdf"], "none.urdf: no such file"),
        (["robot", "text.xml"], "text.xml:1: is no XML"),
        (["robot", "text.xml", "--head", "left"], "head = 'left', must be root or tip"),
        (["export", "aiko", "--to", "aiko.sdf"], "aiko.sdf: ends in '.sdf', must end in .xml or .urdf for a robot"),
        (["export", "aiko", "--to", "aiko.xml", "--check"], "--check is for a scenario that is written as .xml"),
        (["export", "aikoo", "--to", "aiko.xml"], "unknown scenario 'aikoo'"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.xml").write_text("hello")
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and said in error and "Traceback" not in error


def test_a_robot_is_drawn(tmp_path: Path) -> None:
    file = tmp_path / "aiko.xml"
    pp.export(pp.catalogue.aiko_planar(), file)
    assert main(["robot", str(file), "--planar", "--out", str(tmp_path / "aiko.png")]) == 0
    assert (tmp_path / "aiko.png").read_bytes().startswith(b"\x89PNG")
