"""The shape of the tree: import layers, a light `import pushpoint`, small files and functions.

Imports are read from the syntax tree, so that those inside functions and under TYPE_CHECKING count as well.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "pushpoint"

FRONT = "the front"  # pushpoint/__init__.py: hands out names of all rooms, so that only the command line may use it
LAYERS = (  # from the top; a module imports only from lower lines, names on one line never import each other
    {"cli"},
    {FRONT},
    {"studio", "envs", "proof", "bench"},
    {"studies", "interchange"},
    {"pages"},
    {"papers"},
    {"gallery"},
    {"plots", "films", "replays"},
    {"scenery", "scenarios"},
    {"simulation"},
    {"description"},
    {"worlds"},
    {"control"},
    {"planning"},
    {"mapping", "gaits"},
    {"event_driven", "contact_problems"},
    {"reduced"},
    {"engine"},
    {"model", "kernels"},
    {"whole_files", "user_files", "progress", "brief", "lazy_names"},
    {"errors"},
)
DEPTH = {name: depth for depth, line in enumerate(LAYERS) for name in line}
FREE = {"__init__.py", "__main__.py"}  # of the package itself: they import lazily from anywhere

LIGHT = {
    "model",
    "kernels",
    "engine",
    "reduced",
    "contact_problems",
    "whole_files",
    "user_files",
    "progress",
    "brief",
    "lazy_names",
    "errors",
}
LIGHT_LIBRARIES = {"numpy", "warp"} | sys.stdlib_module_names
HEAVY = {
    "scipy",
    "piqp",
    "xarray",
    "h5netcdf",
    "matplotlib",
    "pydantic",
    "ruamel",
    "typer",
    "rich",
    "mujoco",
    "viser",
    "imageio_ffmpeg",
    "gymnasium",
}

MOST_FILE_LINES = 400
MOST_FUNCTION_LINES = 60
MOST_KERNEL_LINES = 120
MOST_ARGUMENTS = 8

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(package: Path) -> list[Path]:
    return sorted(package.rglob("*.py"))


def imported_modules(file: Path, package: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of everything a file imports; `from a import b` gives a.b."""
    folder = (package.name, *file.relative_to(package).parent.parts)
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            start = folder[: len(folder) - node.level + 1] if node.level else ()
            module = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}"
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in {"import_module", "__import__"}:
                yield node.lineno, str(node.args[0].value)


def part_of(dotted: str) -> str:
    """The name in LAYERS that a dotted name such as pushpoint.model.planar_robot.Link belongs to."""
    first = dotted.split(".")[1] if "." in dotted else FRONT
    return first if first in DEPTH else FRONT


def layer_violations(package: Path) -> list[str]:
    found = []
    for file in sources(package):
        inside = file.relative_to(package)
        if str(inside) in FREE:
            continue
        own = inside.parts[0].removesuffix(".py")
        if own not in DEPTH:
            found.append(f"{inside}: '{own}' is on no line of LAYERS")
            continue
        for line, dotted in imported_modules(file, package):
            if dotted.split(".")[0] != package.name or dotted == f"{package.name}.__version__":
                continue
            other = part_of(dotted)
            if other != own and DEPTH[other] <= DEPTH[own]:
                found.append(f"{inside}:{line}: {own} must not import {dotted}")
    return found


def library_violations(package: Path) -> list[str]:
    found = []
    for file in sources(package):
        inside = file.relative_to(package)
        if inside.parts[0].removesuffix(".py") not in LIGHT:
            continue
        for line, dotted in imported_modules(file, package):
            if dotted.split(".")[0] not in LIGHT_LIBRARIES | {package.name}:
                found.append(f"{inside}:{line}: {dotted} is neither NumPy, Warp nor the standard library")
    return found


def functions(node: ast.AST) -> Iterator[Function]:
    return (child for child in ast.walk(node) if isinstance(child, Function))


def own_lines(function: Function) -> int:
    """Lines of a function without the functions and classes (Warp structs) that it defines inside."""
    lines = set(range(function.lineno, (function.end_lineno or function.lineno) + 1))
    for inner in ast.walk(function):
        if isinstance(inner, Function | ast.ClassDef) and inner is not function:
            lines -= set(range(inner.lineno, (inner.end_lineno or inner.lineno) + 1))
    return len(lines)


def argument_count(function: Function) -> int:
    names = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return len([a for a in names if a.arg not in {"self", "cls"}])


def size_violations(package: Path) -> list[str]:
    found = []
    for file in sources(package):
        inside, text = file.relative_to(package), file.read_text(encoding="utf-8")
        is_kernel = inside.parts[0] == "kernels"
        most_lines = MOST_KERNEL_LINES if is_kernel else MOST_FUNCTION_LINES
        if len(text.splitlines()) > MOST_FILE_LINES:
            found.append(f"{inside}: {len(text.splitlines())} lines, at most {MOST_FILE_LINES}")
        for function in functions(ast.parse(text)):
            where = f"{inside}:{function.lineno}: {function.name}"
            if own_lines(function) > most_lines:
                found.append(f"{where} has {own_lines(function)} lines, at most {most_lines}")
            if not is_kernel and argument_count(function) > MOST_ARGUMENTS:
                found.append(f"{where} has {argument_count(function)} arguments, at most {MOST_ARGUMENTS}")
    return found


def test_modules_import_only_from_lower_layers() -> None:
    assert layer_violations(PACKAGE) == []


def test_lower_layers_need_numpy_and_warp_alone() -> None:
    assert library_violations(PACKAGE) == []


def test_files_and_functions_stay_small() -> None:
    assert size_violations(PACKAGE) == []


def loaded_by(statement: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after a statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps([name.split('.')[0] for name in sys.modules]))"
    path = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_pushpoint_is_light() -> None:
    assert loaded_by("import pushpoint") & (HEAVY | {"numpy", "warp"}) == set()


def test_a_robot_and_a_course_load_nothing_heavy() -> None:
    assert loaded_by("import pushpoint as pp; pp.Environment, pp.catalogue.aiko_planar()") & HEAVY == set()
    listed = "from pushpoint.papers.registry import scenario, scenario_titles; scenario_titles()"
    assert loaded_by(f"{listed}; scenario('transeth2008b/sidewinding')") & HEAVY == set()


def test_every_public_name_resolves() -> None:
    import pushpoint

    assert [name for name in pushpoint.__all__ if not hasattr(pushpoint, name)] == []
    assert dir(pushpoint) == pushpoint.__all__
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        _ = pushpoint.simulat  # type: ignore[attr-defined]


def test_type_checkers_see_the_names_that_are_handed_out() -> None:
    import pushpoint

    seen = {dotted.removeprefix("pushpoint.") for _, dotted in imported_modules(PACKAGE / "__init__.py", PACKAGE)}
    names = {f"{module}.{name}" for name, module in pushpoint._HOME.items()}
    front = {dotted for dotted in seen if not dotted.startswith(("typing", "importlib", "__future__"))}
    assert front == names | set(pushpoint._MODULES.values())


@pytest.mark.parametrize("package", ["control", "planning", "plots"])
def test_packages_that_load_lazily_hand_out_what_type_checkers_see(package: str) -> None:
    module, folder = import_module(f"pushpoint.{package}"), PACKAGE / package
    seen = {dotted.rpartition(".")[2] for _, dotted in imported_modules(folder / "__init__.py", PACKAGE)}
    assert set(module.__all__) == seen - {"annotations", "TYPE_CHECKING", "lazy_names"}
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert {path.stem for path in folder.iterdir()} & set(module.__all__) == set()  # modules would take their place
    with pytest.raises(AttributeError, match=f"module 'pushpoint.{package}' has no attribute 'nothing'"):
        _ = module.nothing


def test_no_file_names_a_package_index() -> None:
    # Where packages come from is the business of the machine, not of the project.
    address = re.compile(r"pypi[./-]|pythonhosted[.]|(index|find)[-_](url|links)", re.IGNORECASE)
    tops = [ROOT / name for name in ("README.md", "Makefile", "pyproject.toml", "requirements.txt")]
    below = [file for name in ("src", "tests", "docs") for file in (ROOT / name).rglob("*") if file.is_file()]
    texts = {".py", ".md", ".rst", ".txt", ".toml", ".yaml", ".yml", ".json", ".cfg", ".ini", ".typed", ""}
    named = [
        str(file.relative_to(ROOT))
        for file in [*tops, *below]
        if file.suffix in texts and file.exists() and address.search(file.read_text(encoding="utf-8"))
    ]
    assert named == []


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small package with two sound files, to which the tests below add an unsound one."""
    for name, text in {
        "__init__.py": "from pushpoint.cli import main",
        "errors.py": "import math",
        "model/robot.py": "import numpy as np\nfrom ..errors import InvalidModel\nfrom . import friction",
        "model/__init__.py": "",
        "gaits/__init__.py": "",
        "cli/main.py": "from .. import simulation\nimport pushpoint as pp\nfrom pushpoint import Robot, __version__",
    }.items():
        write(tmp_path / "pushpoint" / name, text)
    return tmp_path / "pushpoint"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_checks_accept_a_sound_tree(tree: Path) -> None:
    assert layer_violations(tree) + library_violations(tree) + size_violations(tree) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("model/peg.py", "from pushpoint.engine.settings import Settings"),  # upward
        ("model/peg.py", "from pushpoint.kernels import laws"),  # sideways
        ("gaits/__init__.py", "from ..mapping import qp"),  # sideways, relative, in a package's own file
        ("errors.py", "import pushpoint.model.planar_robot as robot"),
        ("engine/state.py", "def late():\n    from ..worlds.record import Record"),
        ("engine/state.py", "from .. import gaits"),
        ("simulation/deep/er.py", "from ...scenarios import registry"),
        ("papers/registry.py", "import pushpoint"),  # through the front
        ("simulation/simulate.py", "from pushpoint import Scenario"),
        ("plots/course.py", "from pushpoint.films import animation"),
        ("control/servo.py", "if TYPE_CHECKING:\n    from pushpoint.simulation import worlds"),
        ("control/servo.py", "import importlib\nimportlib.import_module('pushpoint.cli')"),
        ("misc/things.py", ""),  # on no line
    ],
)
def test_layer_check_can_fail(tree: Path, file: str, text: str) -> None:
    write(tree / file, text)
    violations = layer_violations(tree)
    assert len(violations) == 1 and violations[0].startswith(file)


@pytest.mark.parametrize("file", ["model/peg.py", "kernels/laws.py", "engine/state.py", "errors.py"])
def test_library_check_can_fail(tree: Path, file: str) -> None:
    write(tree / file, "def late():\n    from scipy import optimize")
    assert len(library_violations(tree)) == 1


def test_size_check_can_fail(tree: Path) -> None:
    write(tree / "cli/long_file.py", "\n" * (MOST_FILE_LINES + 1))
    write(tree / "cli/long_function.py", "def f():\n" + "    pass\n" * MOST_FUNCTION_LINES)
    write(tree / "cli/eight.py", "def f(self, a, b, c, d, *, e, g, h, i): pass")
    write(tree / "cli/nine.py", "def f(a, b, c, d, e, *, g, h, i, j): pass")
    kernel = "    def kernel(a, b, c, d, e, f, g, h, i):\n" + "        pass\n" * (MOST_KERNEL_LINES - 1)
    write(tree / "kernels/fine.py", f"def factory():\n{kernel}    return kernel")
    write(tree / "kernels/long.py", "def f():\n" + "    pass\n" * MOST_KERNEL_LINES)
    assert [violation.split(":")[0] for violation in size_violations(tree)] == [
        "cli/long_file.py",
        "cli/long_function.py",
        "cli/nine.py",
        "kernels/long.py",
    ]
