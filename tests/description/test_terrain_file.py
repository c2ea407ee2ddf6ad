"""Short pegs, ramps and pipes in scenario files: read, written back, and refused in one sentence with the line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from pushpoint.description.files import SourceFile
from pushpoint.errors import BadFile
from pushpoint.model.environment import Peg
from pushpoint.model.terrain import Pipe, Ramp
from pushpoint.scenarios.files import scenario_from, write_scenario
from pushpoint.scenarios.scenario import Scenario

FILE = """\
robot: aiko
obstacles:
  - {kind: peg, x: 3.0, y: 0.5, radius: 0.1, height: 0.05}
  - {kind: ramp, foot: [0, 3], heading_deg: 90, length: 1, rise: 0.2, width: 0.8, landing: 0.5}
  - {kind: pipe, start: [0, -3, 0.2], end: [2, -3, 0.4], radius: 0.1, thickness: 0.005, friction: 0.6}
controller: {kind: lateral-undulation, amplitude_deg: 20, angular_frequency_deg: 60, phase_shift_deg: -40}
duration: 0.1
"""
MADE = (
    Peg(x=3.0, y=0.5, radius=0.1, height=0.05),
    Ramp(foot=(0, 3), heading=math.pi / 2, length=1, rise=0.2, width=0.8, landing=0.5),
    Pipe(start=(0, -3, 0.2), end=(2, -3, 0.4), radius=0.1, thickness=0.005, friction=0.6),
)


def read(folder: Path, text: str) -> Scenario:
    """The scenario that a file with this text describes."""
    path = folder / "place.yaml"
    path.write_text(text, encoding="utf-8")
    source = SourceFile(path)
    return scenario_from(source.document, where=source.where)


def test_a_file_becomes_its_obstacles_and_is_written_back(tmp_path: Path) -> None:
    made = read(tmp_path, FILE)
    assert made.world.environment.obstacles == MADE
    again = write_scenario(made, tmp_path / "again.yaml").read_text(encoding="utf-8")
    assert read(tmp_path, again).world.environment.obstacles == MADE


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("height: 0.05", "height: high", "3: obstacles[0].height = 'high', must be a number"),
        ("rise: 0.2", "rise: 0", "4: obstacles[1].rise = 0, must be finite and > 0 [m]"),
        ("landing: 0.5", "landing: -1", "4: obstacles[1].landing = -1, must be finite and >= 0 [m]"),
        ("start: [0, -3, 0.2]", "start: [0, -3]", "5: obstacles[2].start = [0, -3], must be three numbers x, y, z [m]"),
        ("start: [0, -3, 0.2]", "start: [2, -3, 0.4]", "5: obstacles[2].end = [2, -3, 0.4], must be a different point"),
        ("thickness: 0.005", "thickness: 0", "5: obstacles[2].thickness = 0, must be finite and > 0 [m]"),
        (
            "radius: 0.1, thickness",
            "radius: 0.3, thickness",
            "5: obstacles[2] = 'a pipe with its inside 0.0985 m below",
        ),
        ("robot: aiko", "robot: aiko-planar", "4: obstacles[1] = 'Ramp', must be a Peg, Wall or Polygon for a planar"),
    ],
)
def test_one_sentence_with_the_line(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(BadFile) as caught:
        read(tmp_path, FILE.replace(old, new))
    assert str(caught.value).partition("place.yaml:")[2].startswith(sentence)
