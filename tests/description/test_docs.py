"""What docs/reference/scenario-files.md shows: every example is read, complete ones run, no name is forgotten."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pushpoint.cli.main import main
from pushpoint.description.changes import apply_sets
from pushpoint.description.files import SourceFile
from pushpoint.description.schema import document_schema
from pushpoint.model.catalogue import ROBOTS
from pushpoint.scenarios.files import scenario_from
from pushpoint.scenarios.scenario import Scenario

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "scenario-files.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
COMPLETE = [example for example in EXAMPLES if "\nduration:" in example]
PARTS = [example for example in EXAMPLES if "\nduration:" not in example]
WAVE = "controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -60}\n"
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()]
CHANGES = [line for line in COMMANDS if line.startswith("pushpoint run") and "--set" in line]


def read(folder: Path, text: str) -> Scenario:
    np.save(folder / "bumps.npy", np.zeros((41, 41)))
    (folder / "course.yaml").write_text(text, encoding="utf-8")
    source = SourceFile(folder / "course.yaml")
    return scenario_from(source.document, where=source.where)


def name_of(example: str) -> str:
    """The file that a complete example says it is."""
    return re.findall(r"# (\w+\.yaml)", example)[0]


@pytest.mark.parametrize("example", COMPLETE, ids=name_of)
def test_complete_examples_begin_to_run(tmp_path: Path, example: str) -> None:
    made = read(tmp_path, example).with_changes(duration=0.02)
    run = made.run()
    assert run.attrs["status_code"] == "finished" and bool(np.isfinite(run.link_position).all())


def test_both_worlds_have_a_complete_example() -> None:
    assert [name_of(example) for example in COMPLETE] == ["corridor.yaml", "stairs.yaml", "drawn.yaml"]


@pytest.mark.parametrize("part", PARTS)
def test_parts_are_read_in_an_otherwise_plain_file(tmp_path: Path, part: str) -> None:
    robot = "" if part.startswith("robot:") else "robot: aiko\n"
    assert read(tmp_path, part + robot + WAVE + "duration: 1\n").duration == 1


@pytest.mark.parametrize("command", CHANGES)
def test_commands_change_the_examples(tmp_path: Path, command: str) -> None:
    words = shlex.split(command)
    example = next(example for example in COMPLETE if name_of(example) == words[2])
    (tmp_path / words[2]).write_text(example, encoding="utf-8")
    sets = [after for word, after in pairwise(words) if word == "--set"]
    document = SourceFile(tmp_path / words[2]).document
    assert scenario_from(apply_sets(document, sets)) != scenario_from(document)


def test_the_commands_are_found() -> None:
    assert sum("--set" in command for command in COMMANDS) == 4


def words(node: Any, found: set[str]) -> set[str]:
    """All keys, and all words that name a kind, of a JSON schema."""
    if isinstance(node, dict):
        found |= set(node.get("properties", {}))
        found |= {node["const"]} if isinstance(node.get("const"), str) else set()
        for value in node.values():
            words(value, found)
    elif isinstance(node, list):
        for value in node:
            words(value, found)
    return found


def test_every_key_kind_and_robot_is_in_the_document() -> None:
    known = words(document_schema(), set()) | set(ROBOTS)
    assert len(known) > 100
    # A controller written in Python is named by results, never by a file.
    assert {word for word in known - {"custom"} if not re.search(rf"\b{re.escape(word)}\b", TEXT)} == set()


def test_a_spatial_file_runs_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "stairs.yaml").write_text(COMPLETE[1], encoding="utf-8")
    where = [str(tmp_path / "stairs.yaml"), "--out", str(tmp_path / "out"), "--no-media", "--json"]
    assert main(["run", *where, "--duration", "0.01", "--set", "robot.joints.motor.damping=3"]) == 0
    assert (tmp_path / "out" / "run.nc").is_file()
