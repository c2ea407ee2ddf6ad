"""What turns out to be wrong with a file when its run is prepared names file and line, as what is read does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel, PushpointError, StartBeyondStop, StartOverlap

COURSE = """\
robot:
  n_links: 3
  link: {length: 0.1, mass: 0.5, inertia: 1e-3, radius: 0.03}
  motor: {stiffness: 50, damping: 1, lower_deg: -60, upper_deg: 60}
obstacles:
- {x: 1.0, y: 0.0, radius: 0.1}
controller:
  kind: lateral-undulation
  amplitude_deg: 30
  angular_frequency_deg: 90
  phase_shift_deg: -60
start:
  position: [0, 0]
duration: 0.2
settings: {dt: 0.001}
"""


def written(folder: Path, *changes: tuple[str, str]) -> Path:
    text = COURSE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = folder / "course.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_start_that_overlaps_an_obstacle(tmp_path: Path) -> None:
    file = written(tmp_path, ("[0, 0]", "[1.0, 0.0]"))
    with pytest.raises(StartOverlap) as caught:
        pp.scenario(str(file)).rollout()
    assert str(caught.value).startswith(f"{file}:12: start: link 1 overlaps obstacle 0 by ")
    assert (caught.value.link, caught.value.obstacle) == (1, 0)
    with pytest.raises(StartOverlap, match=r"course\.yaml:12: start: "):
        pp.scenario(str(file)).with_changes(duration=1.0, dt=2e-3).run()
    moved = pp.scenario(str(file)).with_changes(start=pp.Start(position=(1.0, 0.01)))
    with pytest.raises(StartOverlap, match=r"^start: link"):
        moved.rollout()


SAMPLED = "kind: sampled\n  hold: true\n  rate: 30\n  gait: {kind: lateral-undulation, amplitude_deg: 30,"
HELD = (
    "kind: lateral-undulation\n  amplitude_deg: 30\n  angular_frequency_deg: 90\n  phase_shift_deg: -60",
    SAMPLED + " angular_frequency_deg: 90, phase_shift_deg: -60}",
)


@pytest.mark.parametrize(
    ("changes", "kind", "sentence"),
    [
        ([("[0, 0]", "[0, 0]\n  joint_angles_deg: [70, 0]")], StartBeyondStop, "12: start: joint 0 is at 1.22173 rad"),
        ([("duration: 0.2", "duration: 1e-5")], InvalidModel, "14: duration = 1e-05, must be "),
        ([HELD], InvalidModel, "10: gait.rate = 30.0, must be a rate [Hz] whose period is a whole number of"),
    ],
)
def test_what_does_not_fit_together(tmp_path: Path, changes: Any, kind: type, sentence: str) -> None:
    file = written(tmp_path, *changes)
    with pytest.raises(kind) as caught:
        pp.scenario(str(file)).rollout()
    assert str(caught.value).startswith(f"{file}:{sentence}")


def test_what_is_no_longer_the_files_has_no_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidModel, match=r"^duration = 1e-05, must be"):
        pp.scenario(str(written(tmp_path))).with_changes(duration=1e-5).rollout()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('name: "a\\nb"', "15: name = 'a\\nb', must be letters, digits and"),
        (f"name: {'a' * 300}", "15: name = 'aaaaaaaaaa"),
        ('title: "a\\nb"', "15: scenario.title = 'a\\nb', must be one line of text of at most 1000 characters"),
        ("title: |\n  two\n  lines", "15: scenario.title = 'two\\nlines\\n', must be one line of text"),
        ('source: "\\u202e"', "15: scenario.source = '\\u202e', must be one line of text"),
        (f"source: {'a ' * 1000}b", "15: scenario.source = 'a a a"),
    ],
)
def test_names_and_titles_are_short_lines(tmp_path: Path, line: str, sentence: str) -> None:
    file = written(tmp_path, ("settings:", f"{line}\nsettings:"))
    with pytest.raises(PushpointError) as caught:
        pp.scenario(str(file))
    said = str(caught.value)
    assert said.startswith(f"{file}:{sentence}") and len(said) < 400 and said.isprintable()


def test_names_of_robots_are_lines(tmp_path: Path) -> None:
    file = written(tmp_path, ("  n_links: 3", '  name: "a\\nb"\n  n_links: 3'))
    with pytest.raises(PushpointError) as caught:
        pp.scenario(str(file))
    assert str(caught.value).startswith(f"{file}:2: robot.name = 'a\\nb', must be one line of text")
