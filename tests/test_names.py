"""Names: one name, one thing. Rooms are the folders of the package; what is not public begins with an underscore."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import pushpoint

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "pushpoint"

MOST_FILES = 20

MIRRORED = {
    "turned": {"engine", "kernels"},  # a vector turned by a quaternion, for arrays and inside kernels
    "kernel": {"engine", "kernels"},  # an engine loads its kernels when it is asked for one
    "detailed_kernel": {"engine", "kernels"},
    "load": {"contact_problems", "simulation"},  # public both: pp.load reads runs, pp.contact_problems.load problems
}
"""Names that stand in two rooms on purpose: one thing on both sides of a wall, or what users read behind its room."""


def sources(package: Path) -> Iterator[tuple[str, Path, str]]:
    """Room, place in the package and text of every file in a room."""
    for file in sorted(package.rglob("*.py")):
        inside = file.relative_to(package)
        if len(inside.parts) > 1:
            yield inside.parts[0], inside, file.read_text(encoding="utf-8")


def is_verb(room: str, file: Path, name: str) -> bool:
    """Whether this is the function of a command: cli/compare.py has `compare`, named like what it calls."""
    return room == "cli" and name == file.stem


def shared_names(package: Path) -> list[str]:
    """Public classes and functions that more than one room defines."""
    rooms: dict[str, dict[str, Path]] = defaultdict(dict)
    for room, file, text in sources(package):
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
                if not is_verb(room, file, node.name):
                    rooms[node.name].setdefault(room, file)
    return [
        f"{name}: {', '.join(map(str, found.values()))}"
        for name, found in sorted(rooms.items())
        if len(found) > 1 and set(found) != MIRRORED.get(name)
    ]


def rooms_named_like_functions(package: Path) -> list[str]:
    """Rooms that would hide a public function of `pushpoint`, or be hidden by it."""
    rooms = {file.parent.name for file in package.glob("*/__init__.py")}
    return sorted(name for name in rooms & set(pushpoint.__all__) if not is_module(getattr(pushpoint, name)))


def is_module(value: object) -> bool:
    return type(value).__name__ == "module"


def calls(package: Path) -> Iterator[tuple[str, str, str, ast.expr]]:
    """Room, place, function and first argument of every call that has one."""
    for room, file, text in sources(package):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and node.args:
                yield room, f"{file}:{node.lineno}", ast.unparse(node.func), node.args[0]


def questions_to_controllers(package: Path) -> list[str]:
    """Where it is asked of a controller whether it has something."""
    return [
        f"{place}: {called}({ast.unparse(argument)}, ...)"
        for _, place, called, argument in calls(package)
        if called in {"hasattr", "getattr"} and re.search(r"\bcontrollers?\b(\[.*\])?$", ast.unparse(argument))
    ]


def parsed_attributes(package: Path) -> list[str]:
    """Where JSON is read from the attributes of a run, outside the room that writes it there."""
    return [
        f"{place}: {called}({ast.unparse(argument)})"
        for room, place, called, argument in calls(package)
        if room != "description" and called.endswith("loads") and re.search(r"\.attrs\b", ast.unparse(argument))
    ]


def full_folders(*tops: Path) -> list[str]:
    folders = [folder for top in tops for folder in (top, *top.rglob("*")) if folder.is_dir()]
    counts = {folder: sum(file.is_file() for file in folder.iterdir()) for folder in folders}
    return [f"{folder.name}: {count}" for folder, count in counts.items() if count > MOST_FILES]


def test_no_name_is_defined_by_two_rooms() -> None:
    assert shared_names(PACKAGE) == []


def test_names_excepted_are_there() -> None:
    defined = defaultdict(set)
    for room, _, text in sources(PACKAGE):
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                defined[node.name].add(room)
    assert {name: defined[name] for name in MIRRORED} == MIRRORED


def test_no_room_has_the_name_of_a_public_function() -> None:
    assert rooms_named_like_functions(PACKAGE) == []


def test_controllers_are_not_asked_what_they_have() -> None:
    assert questions_to_controllers(PACKAGE) == []


def test_attributes_of_runs_are_read_by_the_description_alone() -> None:
    assert parsed_attributes(PACKAGE) == []


def test_no_folder_is_full() -> None:
    assert full_folders(PACKAGE, ROOT / "tests") == []


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small package in which everything has a name of its own."""
    for name, text in {
        "__init__.py": "class Peg: ...",
        "model/__init__.py": "",
        "model/peg.py": "class Peg: ...\ndef _helper(): ...",
        "engine/__init__.py": "",
        "engine/frames.py": "def turned(): ...\ndef _helper(): ...",
        "kernels/frames.py": "def turned(): ...",
        "studies/compare.py": "def compare(): ...",
        "cli/compare.py": "def compare(controller): return controller.rate",
        "description/reading.py": "import json\ndef read(run): return json.loads(run.attrs['description'])",
    }.items():
        write(tmp_path / "pushpoint" / name, text)
    return tmp_path / "pushpoint"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_checks_accept_a_sound_tree(tree: Path) -> None:
    assert shared_names(tree) + rooms_named_like_functions(tree) + full_folders(tree) == []
    assert questions_to_controllers(tree) + parsed_attributes(tree) == []


def test_checks_can_fail(tree: Path) -> None:
    write(tree / "plots/deep/peg.py", "class Peg: ...\ndef turned(): ...")
    write(tree / "cli/run.py", "def compare(): ...")  # not the verb of its file
    write(tree / "simulate/__init__.py", "")
    asked = "hasattr(controller, 'a')\ngetattr(self.world.controller, 'a', 1)\ngetattr(controllers[0], 'a')\n"
    write(tree / "cli/ask.py", asked + "getattr(robot, 'a')\ngetattr(controller.robot, 'a')")
    write(
        tree / "plots/read.py", "x = json.loads(run.attrs['a'])\ny = loads(str(run.attrs['a']))\nz = json.loads(text)"
    )
    for k in range(MOST_FILES + 1):
        write(tree / f"full/file_{k}.py", "")
    assert [line.split(":")[0] for line in shared_names(tree)] == ["Peg", "compare", "turned"]
    assert rooms_named_like_functions(tree) == ["simulate"]
    assert [line.split(": ")[0] for line in questions_to_controllers(tree)] == [f"cli/ask.py:{k}" for k in (1, 2, 3)]
    assert [line.split(": ")[0] for line in parsed_attributes(tree)] == ["plots/read.py:1", "plots/read.py:2"]
    assert full_folders(tree) == [f"full: {MOST_FILES + 1}"]
