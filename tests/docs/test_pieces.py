"""The table of pieces: what a row names in Python, in files, as scenario, test and page is there."""

from __future__ import annotations

import re
from functools import cache, reduce
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import pushpoint as pp
from _site.fill import filled
from docs.blocks import ROOT, text_of
from pushpoint.papers.registry import scenario_names
from pushpoint.scenarios.files import document_of

PAGE = "docs/reference/pieces.md"
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


class Row(NamedTuple):
    """A row of the table."""

    piece: str
    python: str
    keys: str
    scenario: str
    test: str
    page: str


def rows() -> list[Row]:
    lines = [line for line in text_of(PAGE).splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [Row(*each) for each in cells if each[0] != "piece"]


def targets(cell: str) -> list[Path]:
    return [((ROOT / PAGE).parent / target).resolve() for target in LINK.findall(cell)]


def named(dotted: str) -> Any:
    return reduce(getattr, dotted.removeprefix("pp.").split("."), pp)


@cache
def keys_of(scenario: str) -> set[str]:
    """All keys of a scenario as a file, and the kinds that it names."""

    def held(part: Any) -> set[str]:
        if isinstance(part, dict):
            return set(part).union(*(held(value) for value in part.values()))
        if isinstance(part, list | tuple):
            return set().union(*(held(value) for value in part))
        return {part} if isinstance(part, str) else set()

    return held(document_of(pp.scenario(scenario)))


def faults_of(row: Row) -> list[str]:
    """What a row promises and does not keep."""
    names = CODE.findall(row.python)
    found = [f"no name in Python: {row.python}"] if not names else []
    for name in names:
        try:
            named(name)
        except AttributeError:
            found.append(f"{name} does not exist")
    scenarios = CODE.findall(row.scenario)
    found += [f"no scenario {name}" for name in scenarios if name not in scenario_names()]
    pictures = ROOT / "docs" / "images" / "gallery"
    found += [
        f"no picture of {name}" for name in scenarios if not (pictures / f"{name.replace('/', '-')}.png").exists()
    ]
    if not any(fault.startswith("no scenario") for fault in found):
        there = set().union(*(keys_of(name) for name in scenarios)) if scenarios else set()
        asked = [word for key in CODE.findall(row.keys) for word in re.split(r"[.:\[\] ]+", key) if word]
        found += [f"{', '.join(scenarios)} does not use {word}" for word in asked if word not in there]
    files = [*targets(row.test), *targets(row.page)]
    found += [f"{path.name} does not exist" for path in files if not path.exists()]
    if not targets(row.test) or not targets(row.page):
        found.append("a test and a page are missing")
    read = " ".join(filled(path.read_text(encoding="utf-8")) for path in targets(row.page) if path.is_file())
    found += [f"the page does not mention {name}" for name in names if name.rpartition(".")[2] not in read]
    return found


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.piece)
def test_a_row_keeps_what_it_promises(row: Row) -> None:
    assert faults_of(row) == []


def test_faults_are_found() -> None:
    wrong = Row("x", "`pp.Nothing`", "`robot.nothing`", "`transeth2008a/flat`", "[t](nothing.py)", "[p](pieces.md)")
    assert faults_of(wrong) == [
        "pp.Nothing does not exist",
        "transeth2008a/flat does not use nothing",
        "nothing.py does not exist",
        "the page does not mention pp.Nothing",
    ]
