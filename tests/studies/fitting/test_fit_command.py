"""`pushpoint fit`: a recording in, parameters, a scenario and a picture out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.fit_coverage import SCENARIO, recording

import pushpoint as pp
from pushpoint.cli.main import main
from pushpoint.worlds.recorded import write_channels


def test_the_command_writes_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded, _truth = recording(106)
    write_channels(recorded, tmp_path / "recording.csv")
    pp.write_scenario(SCENARIO, tmp_path / "mine.yaml")
    files = [str(tmp_path / name) for name in ("recording.csv", "mine.yaml")]
    ranges = ["--vary", "ground.friction.along=0.03:0.4:log", "--vary", "delay=0:0.2"]
    assert main(["fit", *files, *ranges, "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "ground.friction.along" in said and "standard deviation" in said
    document = json.loads((tmp_path / "out" / "fit.json").read_text())
    law = pp.scenario(str(tmp_path / "out" / "fitted.yaml")).world.environment.ground.friction
    assert isinstance(law, pp.Elliptic)
    assert law.along == pytest.approx(document["parameters"]["ground.friction.along"]["value"])
    assert (tmp_path / "out" / "residual.png").stat().st_size > 0


@pytest.mark.parametrize("text", ["delay", "delay=1", "delay=a:b", "delay=0:1:2", "delay=1:0", "delay=0:1:log"])
def test_a_range_that_is_none_is_a_sentence(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "recording.csv", "transeth2008a/flat", "--vary", text, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: --vary") and error.count("\n") == 1


def test_a_recording_that_is_not_there_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["fit", str(tmp_path / "none.csv"), "transeth2008a/flat", "--vary", "delay=0:1", "--out", str(tmp_path)]
    assert main(words) == 2
    assert "none.csv" in capsys.readouterr().err
