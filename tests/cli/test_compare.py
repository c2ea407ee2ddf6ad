"""`pushpoint compare`: what it writes and prints, and one line for whatever is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pushpoint.cli.main import main
from pushpoint.studies.running.batches import BatchRunner

ROBOT = """\
robot:
  n_links: 10
  link: {length: 0.14, mass: 0.96, inertia: 1.6e-3, radius: 0.07}
  motor: {stiffness: 20, damping: 1, torque_limit: 4, lower_deg: -45, upper_deg: 45}
controller: {kind: lateral-undulation, amplitude_deg: 0, angular_frequency_deg: 90, phase_shift_deg: -60}
duration: 1
start: {position: [-0.6, 0]}
obstacles:
"""
CLOSED = """\
  - {kind: wall, start: [-1.8, -0.6], end: [0.4, -0.6], thickness: 0.02}
  - {kind: wall, start: [0.4, -0.6], end: [0.4, 0.6], thickness: 0.02}
  - {kind: wall, start: [0.4, 0.6], end: [-1.8, 0.6], thickness: 0.02}
  - {kind: wall, start: [-1.8, 0.6], end: [-1.8, -0.6], thickness: 0.02}
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a wrong call gives."""
    assert main(["compare", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and error.count("\n") == 1
    assert not Path("out").exists()
    return error


class TestResults:
    def test_table_json_and_figure(self, capsys: pytest.CaptureFixture[str]) -> None:
        call = ["compare", "continuous", "hybrid:gain=0.1", "--courses", "2", "--seed", "5", "--duration", "2"]
        assert main(call) == 0
        printed = capsys.readouterr().out
        for words in ("continuous", "hybrid:gain=0.1", "of 2", "success, 95 %", "energy [J/m]", "exact McNemar test"):
            assert words in printed
        written = json.loads(Path("out/compare/comparison.json").read_text())
        assert [place["name"] for place in written["places"]] == ["random-5", "random-6"]
        assert list(written["controllers"]) == ["continuous", "hybrid:gain=0.1"]
        assert written["controllers"]["continuous"]["trials"] == 2 and len(written["pairs"]) == 1
        assert Path("out/compare/comparison.png").read_bytes().startswith(b"\x89PNG")

    def test_its_store_is_that_of_a_study_and_tells_how_far_it_is(self) -> None:
        assert main(["compare", "hybrid", "--courses", "2", "--duration", "1", "--out", "there"]) == 0
        # In a process of its own: nothing else has loaded the measures of comparisons there.
        words = [sys.executable, "-m", "pushpoint", "study-status", "there/trials", "--json"]
        found = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
        assert found["finished"] == found["worlds"] > 0 and not found["in_use"]

    def test_json_alone(self, capsys: pytest.CaptureFixture[str]) -> None:
        call = ["compare", "leader-follower", "--on", "liljeback2011/environment-2", "--starts", "2", "--duration", "1"]
        assert main([*call, "--json", "--out", "here"]) == 0
        written = json.loads(capsys.readouterr().out)
        (place,) = written["places"]  # --on alone: no random course beside it
        assert place["name"] == "liljeback2011/environment-2" and place["starts"] == 2
        assert written["controllers"]["leader-follower"]["trials"] == 2
        assert written["files"]["comparison"] == "here/comparison.json"

    def test_a_course_without_a_way_through_is_reported_and_no_error(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("closed.yaml").write_text(ROBOT + CLOSED)
        assert main(["compare", "continuous", "--on", "closed.yaml", "--duration", "1"]) == 0
        printed = capsys.readouterr().out
        assert "closed is blocked: there is no way through for this robot; not run" in printed
        assert "simulated 1 s in each of 0 trials" in printed
        assert "passed" not in printed  # nothing is said of what was not run

    def test_a_start_inside_an_obstacle_is_moved_and_said_so(self, capsys: pytest.CaptureFixture[str]) -> None:
        # The straight robot is 70 mm thick to each side.
        Path("touching.yaml").write_text(ROBOT + "  - {x: -0.6, y: 0.19, radius: 0.13}\n")
        assert main(["compare", "hybrid", "--on", "touching.yaml", "--duration", "1"]) == 0
        assert "overlaps an obstacle by 10 mm: the robot stands in the nearest free pose" in " ".join(
            capsys.readouterr().out.split()
        )

    def test_interrupted_it_writes_nothing(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def stop(self: BatchRunner, batch: Any) -> Any:
            raise KeyboardInterrupt

        monkeypatch.setattr(BatchRunner, "run", stop)
        assert main(["compare", "hybrid", "--courses", "1", "--duration", "1"]) == 130
        assert "error: interrupted before all results were written" in capsys.readouterr().err
        assert not Path("out/compare/comparison.json").exists()


class TestMistakes:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["hybird"], "unknown controller 'hybird'; did you mean hybrid"),
            (["hybrid:again=1"], "unknown parameter of hybrid 'again'; did you mean gain"),
            (["hybrid:gain=high"], "hybrid: gain = 'high', must be a number"),
            (["hybrid:gain=-1"], "controller.gain = -1.0, must be finite and > 0 [rad/N]"),
            (["hybrid", "hybrid"], "controller = 'hybrid', must be given once"),
            (["hybrid", "--courses", "0"], "--courses = 0, must be 1 to 10000"),
            (["hybrid", "--courses", "20000"], "--courses = 20000, must be 1 to 10000"),
            (["hybrid", "--courses", "many"], "a valid int"),
            (["hybrid", "--starts", "0"], "--starts = 0, must be 1 to 100"),
            (["hybrid", "--seed", "-3"], "--seed = -3, must be a whole number >= 0"),
            (["hybrid", "--courses", "1", "--duration", "-1"], "duration = -1.0, must be finite and > 0 [s]"),
            (["hybrid", "--on", "nowhere"], "unknown scenario 'nowhere'"),
            (["hybrid", "--on", "transeth2008b/sidewinding"], "'SpatialRobot', must be a PlanarRobot"),
        ],
    )
    def test_one_line(self, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert words in refused(capsys, *arguments)

    def test_a_file_in_the_place_of_the_folder(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("results").write_text("mine")
        line = refused(capsys, "hybrid", "--courses", "1", "--duration", "1", "--out", "results")
        assert "results: is a file, must be a folder for results" in line
        assert Path("results").read_text() == "mine"
