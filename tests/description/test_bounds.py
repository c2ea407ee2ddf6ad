"""What users hand in has bounds: bytes, values, depth and aliases of a file, and no file that is none."""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pushpoint.description import yaml_values
from pushpoint.description.files import SourceFile, parse_value
from pushpoint.description.yaml_values import DEEPEST, MOST_BYTES, MOST_VALUES
from pushpoint.errors import BadFile, InvalidModel, PushpointError
from pushpoint.model.environment import Polygon, Region
from pushpoint.model.friction import Frictionless
from pushpoint.papers.registry import scenario
from pushpoint.scenarios import files
from pushpoint.scenarios.files import write_scenario


def complaint(folder: Path, text: str | bytes) -> str:
    file = folder / "course.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BadFile) as caught:
        SourceFile(file)
    sentence = str(caught.value)
    assert "\n" not in sentence and len(sentence) < 400
    return sentence.removeprefix(f"{folder}/")


def bomb(levels: int, width: int = 9) -> str:
    """Every level repeats the one before: width to the power of levels values in a few lines."""
    lines = ["a0: &a0 [x]"]
    for k in range(1, levels):
        lines.append(f"a{k}: &a{k} [" + ", ".join([f"*a{k - 1}"] * width) + "]")
    return "\n".join(lines) + "\n"


def test_aliases_do_not_multiply_without_end(tmp_path: Path) -> None:
    said = complaint(tmp_path, bomb(30))
    assert re.match(rf"course\.yaml:\d+: holds more than {MOST_VALUES:,} values, with aliases expanded", said)


def test_the_count_of_visited_nodes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost of a bomb is what is allowed, however many values it stands for."""
    visited = [0]
    value = yaml_values._Reader.value

    def counted(self: Any, node: Any, parents: Any) -> Any:
        visited[0] += 1
        return value(self, node, parents)

    monkeypatch.setattr(yaml_values._Reader, "value", counted)
    monkeypatch.setattr(yaml_values, "MOST_VALUES", 1000)
    costs = []
    for levels in (8, 20, 150):
        visited[0] = 0
        with pytest.raises(BadFile):
            yaml_values.read_yaml(bomb(levels, width=3), "text")
        costs.append(visited[0])
    assert max(costs) <= 1001


def test_values_are_counted_while_they_are_composed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long list is refused before the rest of it is read: here, before a mistake at its end."""
    monkeypatch.setattr(yaml_values, "MOST_VALUES", 100)
    with pytest.raises(BadFile, match=r"text:1: holds more than 100 values"):
        yaml_values.read_yaml("a: [" + "1, " * 1000 + "}", "text")
    assert yaml_values.read_yaml("a: [" + "1, " * 97 + "]", "text")[1] == {"a": [1] * 97}


def test_nothing_is_written_that_would_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flat = scenario("transeth2008a/flat")
    document = yaml_values.read_yaml(write_scenario(flat, tmp_path / "flat.yaml").read_text(), "flat")[1]
    monkeypatch.setattr(files, "MOST_VALUES", yaml_values.values_in(document) - 1)
    with pytest.raises(
        PushpointError, match=r"more\.yaml: the scenario holds more than \d+ values, too many for a file"
    ):
        write_scenario(flat, tmp_path / "more.yaml")
    assert not (tmp_path / "more.yaml").exists()


def test_sizes(tmp_path: Path) -> None:
    assert complaint(tmp_path, "#" * (MOST_BYTES + 1)).startswith(
        f"course.yaml: has {MOST_BYTES + 1:,} bytes, must have at most {MOST_BYTES:,}"
    )
    with pytest.raises(PushpointError, match="characters, must have at most"):
        parse_value("1" + " " * MOST_BYTES, "key")
    assert complaint(tmp_path, f"a: {'[' * (DEEPEST + 1)}").startswith("course.yaml:1: is nested more than ")
    assert complaint(tmp_path, "a: !" + "x" * 100_000 + " 1").startswith("course.yaml:1: holds a tag of ")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1\nb: !!bool maybe\n", "course.yaml:2: holds 'maybe', which is not of type bool"),
        ("a: !!int ''\n", "course.yaml:1: holds '', which is not of type int"),
        ("a: !!float ''\n", "course.yaml:1: holds '', which is not of type float"),
        ("a: !!bool [1]\n", "course.yaml:1: holds a list, which is not of type bool"),
        ("a: !!str {b: 1}\n", "course.yaml:1: holds a mapping, which is not of type str"),
        ("a: !!map 1\n", "course.yaml:1: holds '1', which is not of type map"),
        ("a: !!timestamp [1]\n", "course.yaml:1: holds a list, which is not of type timestamp"),
        ("a: !!binary aGk=\n", "course.yaml:1: holds the tag 'tag:yaml.org,2002:binary'"),
        ("a: !!set {b, c}\n", "course.yaml:1: holds the tag 'tag:yaml.org,2002:set'"),
        ("a: 1\n!!python/name:os.system b: 1\n", "course.yaml:2: holds the tag "),
        ("a: 1\n<<: {b: 1}\n", "course.yaml:2: holds a merge key '<<', which a scenario file cannot contain"),
        ("a: " + "1" * 5000, "course.yaml:1: holds a number of 5,000 digits, must be at most 1.8e+308"),
        ("a: -0x" + "f" * 5000, "course.yaml:1: holds a number of 5,000 digits, must be at most 1.8e+308"),
        ("a: " + "1" * 309 + "9", "course.yaml:1: holds a number of 310 digits, must be at most 1.8e+308"),
        ("a: 1\nb: \x07\n", "course.yaml:2: holds the character '\\x07', which is not allowed in text"),
        ("a: 1\nb: 'x\x00'\n", "course.yaml:2: holds the character '\\x00', which is not allowed in text"),
        ('a: 1\nb: "\\0"\n', "course.yaml:2: holds the character '\\x00', which is not allowed in text"),
        ('a: 1\n"b\\ud800": 1\n', "course.yaml:2: holds the character '\\ud800', which is not allowed in text"),
        ("a:\n\tb: 1\n", "course.yaml:2: is not readable as YAML: "),
        ("a: 1\nb: é\n".encode("latin-1"), "course.yaml:2: is not a text file (UTF-8)"),
        ("a: 1\n".encode("utf-16"), "course.yaml:1: is not a text file (UTF-8)"),
        ("- 1\n", "course.yaml:1: is not a scenario, which is a mapping of keys and values"),
        ("", "course.yaml:1: is not a scenario, which is a mapping of keys and values"),
        ("x" * 2000 + ": 1\n" + "x" * 2000 + ": 2\n", "course.yaml:"),
        (f"? {'x' * 500}\n: 1\n? {'x' * 500}\n: 2\n", "course.yaml:3: key 'xxx"),
        ("a: &b [1]\nb: &b [2]\n? *b\n: 1\n", "course.yaml:2: holds a key that is not one word"),
    ],
)
def test_one_sentence_with_the_line(tmp_path: Path, text: str | bytes, sentence: str) -> None:
    assert complaint(tmp_path, text).startswith(sentence)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("text", "document"),
    [
        (b"\xef\xbb\xbfa: 1\r\nb: [2,\r\n 3]\r\n", {"a": 1, "b": [2, 3]}),
        ("a: &k 1\n&k b: *k\n", {"a": 1, "b": "b"}),
        ("a: &x [1]\nb: &x [2]\nc: *x\n", {"a": [1], "b": [2], "c": [2]}),
        ("a: 2026-11-15\nb: !!null ''\nc: 0x1f\nd: !!str 3\n", {"a": "2026-11-15", "b": None, "c": 31, "d": "3"}),
        ("a: " + "1" * 308, {"a": int("1" * 308)}),
    ],
)
def test_what_is_read(tmp_path: Path, text: str | bytes, document: dict[str, Any]) -> None:
    file = tmp_path / "course.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert SourceFile(file).document == {"name": "course"} | document


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    (tmp_path / "folder.yaml").mkdir()
    for name, what in (("pipe", "a pipe"), ("zero", "a device"), ("folder", "a folder")):
        with pytest.raises(BadFile, match=rf"{name}\.yaml: cannot be read \(it is {what}, no regular file\)"):
            SourceFile(tmp_path / f"{name}.yaml")
    with pytest.raises(BadFile, match="cannot be read"):
        SourceFile("a\0b.yaml")
    with pytest.raises(BadFile, match=r"cannot be read \(Too many levels of symbolic links\)"):
        (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
        SourceFile(tmp_path / "loop.yaml")


WAVE = "{kind: vertical-wave, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -60}"


def heights_complaint(folder: Path, name: str) -> str:
    text = f"robot: aiko\ncontroller: {WAVE}\nground:\n  heights:\n    heights: {name}\n    spacing: 0.5\nduration: 1\n"
    return complaint(folder, text)


def test_a_header_that_promises_more_than_its_file_holds(tmp_path: Path) -> None:
    np.save(tmp_path / "bumps.npy", np.zeros((2, 2)))
    whole = (tmp_path / "bumps.npy").read_bytes()
    for shape in ("(1000000, 1000000)", "(2, 3)", "(-2, -2)", "(" + "9" * 30 + ", 2)"):
        changed = whole.replace(b"(2, 2), }" + b" " * (len(shape) - 6), f"{shape}, }}".encode())
        assert len(changed) == len(whole) and changed != whole
        (tmp_path / "bumps.npy").write_bytes(changed)
        said = heights_complaint(tmp_path, "bumps.npy")
        assert said.startswith("course.yaml:5: ground.heights.heights = 'bumps.npy', must be a file of heights, but ")
        assert "it does not hold" in said


def test_heights_stay_in_their_folder(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    folder.mkdir()
    np.save(outside / "bumps.npy", np.zeros((2, 2)))
    np.save(folder / "own.npy", np.zeros((2, 2)))
    (folder / "link.npy").symlink_to(outside / "bumps.npy")
    (folder / "beside.npy").symlink_to("own.npy")
    (folder / "way").symlink_to(outside)
    for name in ("link.npy", "way/bumps.npy"):
        assert f"must be the name of a .npy or .csv file in or below the folder {folder}" in heights_complaint(
            folder, name
        )
    text = f"robot: aiko\ncontroller: {WAVE}\nground: {{heights: {{heights: beside.npy, spacing: 1}}}}\nduration: 1\n"
    (folder / "course.yaml").write_text(text)
    assert np.shape(SourceFile(folder / "course.yaml").document["ground"]["heights"]["heights"]) == (2, 2)
    os.mkfifo(folder / "pipe.csv")
    assert "it is a pipe, no regular file" in heights_complaint(folder, "pipe.csv")


def circle(corners: int) -> list[list[float]]:
    angle = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    return (np.column_stack([np.cos(angle), 5.0 + np.sin(angle)])).tolist()


def test_outlines_have_a_bounded_number_of_corners() -> None:
    """Each edge is held against all others, which takes time that grows with the square of their number."""
    with pytest.raises(InvalidModel, match=r"vertices = 1001, must be at most 1000 corners"):
        Region(vertices=circle(1001), friction=Frictionless())
    assert len(Region(vertices=circle(1000), friction=Frictionless()).vertices) == 1000
    with pytest.raises(InvalidModel, match=r"vertices = 20000, must be at most 1000 corners"):
        Polygon(vertices=circle(20_000))
    crossed = circle(1000)
    crossed[500], crossed[501] = crossed[501], crossed[500]
    with pytest.raises(InvalidModel, match="crosses itself"):
        Region(vertices=crossed, friction=Frictionless())


@pytest.mark.parametrize("rate", ["1e12", "1e-3", "1e-12", "1e-300", "5e-324"])
def test_rates_far_from_the_usual_time_step(tmp_path: Path, rate: str) -> None:
    """One sentence, or a time step of which whole numbers make the period; neither in a long time."""
    file = tmp_path / "course.yaml"
    file.write_text(f"robot: aiko-planar\ncontroller: {{kind: hybrid, rate: {rate}}}\nduration: 1\n", encoding="utf-8")
    with contextlib.suppress(PushpointError):
        dt = scenario(str(file)).settings.dt
        assert abs(1.0 / (float(rate) * dt) - round(1.0 / (float(rate) * dt))) < 1e-6


def processor_time(text: str) -> float:
    begun = time.process_time()
    with contextlib.suppress(BadFile):
        yaml_values.read_yaml(text, "text")
    return time.process_time() - begun


@pytest.mark.campaign
@pytest.mark.parametrize(
    "piece",
    ["1, ", "[1], ", "{a: 1}, ", "'x', ", '"\\n", ', "x y, ", "# x\n", "\n", "!!int 1, ", "&a 1, ", "a: b, ", "\\"],
)
def test_time_grows_with_the_length_of_a_text(piece: str) -> None:
    """Twice the text takes twice the time; four times it would be if it grew with the square."""
    short, long = ("a: [" + piece * (count // len(piece)) + "]" for count in (60_000, 240_000))
    processor_time(short)
    assert processor_time(long) < 8.0 * processor_time(short)
