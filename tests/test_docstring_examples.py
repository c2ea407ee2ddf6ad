"""Examples in docstrings run: they become the reference of the documentation site."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp

PACKAGE = Path(pp.__file__).parent
DRAWING = ("films", "plots", "replays")  # take long; tests/films, tests/plots and tests/replays try what they offer
GAIT = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
STUDY = """\
base: transeth2008a/flat
set: {duration: 0.02}
varies: [{kind: values, field: controller.amplitude_deg, values: [20, 30]}]
measures: [distance]
"""
WORLD = pp.World(pp.catalogue.aiko_planar(), pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3))), GAIT)


def examples(file: Path) -> Iterator[tuple[int, str]]:
    """Indented blocks of a file's docstrings that use `pp`, with their lines."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                body = textwrap.dedent(" " * node.col_offset + text)
                for block in re.findall(r"(?:^    .*\n?|^[ ]*\n(?=    ))+", body, re.MULTILINE):
                    if "pp." in block:
                        yield node.lineno, textwrap.dedent(block)


FOUND = [
    pytest.param(code, id=f"{file.relative_to(PACKAGE)}:{line}")
    for file in sorted(PACKAGE.rglob("*.py"))
    if file.relative_to(PACKAGE).parts[0] not in DRAWING
    for line, code in examples(file)
]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What examples may use without making it: a world, its gait, a run, and files of it."""
    run = pp.simulate(WORLD, 1.0)
    folder = tmp_path_factory.mktemp("examples")
    pp.save(run, folder / "run.nc")
    path = run.link_position.sel(axis=["x", "y"]).isel(link=10).values
    np.savetxt(folder / "recorded.csv", np.column_stack((run.time, path)), delimiter=",", header="t,x,y", comments="")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    pp.studies.read_study(folder / "study.yaml").run(folder / "out" / "study")
    for name in ("snake.urdf", "snake.xml"):
        pp.export(pp.catalogue.aiko(), folder / name)
    return folder, {"pp": pp, "np": np, "dataclass": dataclass, "gait": GAIT, "world": WORLD, "run": run}


def test_there_are_examples() -> None:
    assert len(FOUND) > 30


@pytest.mark.parametrize("code", FOUND)
def test_runs(code: str, given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, names = given
    monkeypatch.chdir(folder)
    exec(compile(code, "docstring", "exec"), dict(names))
