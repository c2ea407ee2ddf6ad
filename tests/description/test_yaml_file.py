"""Scenario files: plain values, and file and line in front of every complaint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pushpoint.description.files import SourceFile, parse_value
from pushpoint.errors import BadFile
from pushpoint.scenarios.files import scenario_from
from pushpoint.scenarios.scenario import Scenario

COURSE = """\
# three links between two pegs
title: 2026-11-15
robot:
  n_links: 3
  link: &link {length: 0.1, mass: 0.5, inertia: 1e-3, radius: 0.03}
  motor:
    stiffness: 50
    damping: 1
obstacles:
  - {x: 1.0, y: 0.0, radius: 0.1}
  - x: 0.0
    y: 1.0
    radius: 0.1
controller:
  kind: lateral-undulation
  amplitude_deg: 30
  angular_frequency_deg: 90
  phase_shift_deg: -60
duration: 0.2
"""


def read(folder: Path, text: str) -> Scenario:
    file = folder / "course.yaml"
    file.write_text(text, encoding="utf-8")
    source = SourceFile(file)
    return scenario_from(source.document, where=source.where)


def complaint(folder: Path, text: str) -> str:
    with pytest.raises(BadFile) as caught:
        read(folder, text)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence.removeprefix(f"{folder}/")


def test_a_file_is_read_and_named_after_itself(tmp_path: Path) -> None:
    made = read(tmp_path, COURSE)
    assert (made.name, made.title) == ("course", "2026-11-15")
    assert made.world.robot.links[0].inertia == 1e-3  # which YAML 1.1 readers take for text
    assert len(made.world.environment.obstacles) == 2


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("stiffness: 50", "stifness: 50", "course.yaml:7: robot.motor: unknown key 'stifness'; did you mean stiffness"),
        ("damping: 1", "damping: -1", "course.yaml:8: robot.motor.damping = -1, must be finite and >= 0 [N m s/rad]"),
        ("mass: 0.5", "mass: .nan", "course.yaml:5: robot.link.mass = nan, must be finite and > 0 [kg]"),
        ("    radius: 0.1", "    radius: -0.1", "course.yaml:13: obstacles[1].radius = -0.1, must be finite and > 0"),
        ("    radius: 0.1", "    radius: big", "course.yaml:13: obstacles[1].radius = 'big', must be a number"),
        ("    radius: 0.1\n", "", "course.yaml:11: obstacles[1].radius is missing, must be given"),
        ("n_links: 3", "n_links: 1", "course.yaml:4: robot.n_links = 1, must be 2 to 5000 links"),
        (
            "amplitude_deg: 30",
            "amplitude_deg: .inf",
            "course.yaml:16: controller.amplitude_deg = inf, must be finite [deg]",
        ),
        ("lateral-", "vertical-", "course.yaml:15: controller.kind: unknown kind 'vertical-undulation'; did you mean"),
        ("duration: 0.2", "duration: 0", "course.yaml:19: duration = 0, must be finite and > 0 [s]"),
        ("duration: 0.2\n", "", "course.yaml:1: duration is missing, must be given"),
        ("duration: 0.2", "duration: 1\nduration: 2", "course.yaml:20: key 'duration' is given twice"),
        ("damping: 1", "damping: [1", "course.yaml:9: is not readable as YAML: expected ',' or ']'"),
        ("damping: 1", "damping: 1: 2", "course.yaml:8: is not readable as YAML: mapping values are not allowed here"),
        ("damping: 1", "damping: *other", "course.yaml:8: is not readable as YAML: found undefined alias 'other'"),
        ("damping: 1", "damping: !!python/name:os.system x", "course.yaml:8: holds the tag 'tag:yaml.org,2002:python"),
        (
            "damping: 1",
            "damping: !mine {a: 1}",
            "course.yaml:8: holds the tag '!mine', which a scenario file cannot contain",
        ),
        ("damping: 1", "damping: !!int x", "course.yaml:8: holds 'x', which is not of type int"),
        ("damping: 1", "[1, 2]: 1", "course.yaml:8: holds a key that is not one word"),
        ("damping: 1", "damping: &a [*a]", "course.yaml:8: holds a value that contains itself"),
        (
            "controller:",
            "start: {link_angles_deg: [0, 0]}\ncontroller:",
            "course.yaml:14: start.link_angles_deg = 2, must be 3",
        ),
    ],
)
def test_complaints_name_the_line(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in COURSE
    before, _, after = COURSE.rpartition(old)
    assert complaint(tmp_path, before + new + after).startswith(sentence)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "course.yaml:1: is not a scenario, which is a mapping of keys and values"),
        ("- 1\n- 2\n", "course.yaml:1: is not a scenario, which is a mapping of keys and values"),
        ("a: 1\n---\nb: 2\n", "course.yaml:2: is not readable as YAML: but found another document"),
        ("a: \x01\n", "course.yaml:1: holds the character '\\x01', which is not allowed in text"),
        ("a: " + "[" * 5000, "course.yaml:1: is nested more than 40 deep"),
    ],
)
def test_what_is_no_scenario_at_all(tmp_path: Path, text: str, sentence: str) -> None:
    assert complaint(tmp_path, text).startswith(sentence)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"none\.yaml: no such file$"):
        SourceFile(tmp_path / "none.yaml")
    with pytest.raises(BadFile, match="cannot be read"):
        SourceFile(tmp_path)
    (tmp_path / "binary.yaml").write_bytes(b"\x89HDF\r\n\xff\xfe")
    with pytest.raises(BadFile, match="is not a text file"):
        SourceFile(tmp_path / "binary.yaml")


def test_anchors_repeat_values(tmp_path: Path) -> None:
    listed = COURSE.replace("  n_links: 3\n  link: &link ", "  links:\n  - &link ").replace(
        "  motor:\n    stiffness: 50\n    damping: 1\n", "  - *link\n  - *link\n"
    )
    assert read(tmp_path, listed).world.robot.n_links == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.3", 0.3), ("1e-3", 1e-3), ("15", 15), ("true", True), ("", None), ("[1, a]", [1, "a"]), ("{a: 1}", {"a": 1})],
)
def test_values_on_the_command_line_are_yaml(text: str, value: Any) -> None:
    read_value = parse_value(text, "key")
    assert read_value == value and type(read_value) is type(value)
