"""Spelling and English of the documents, the docstrings and the examples.

codespell finds misspelt words (exceptions: [tool.codespell] in pyproject.toml), proselint finds worn and muddled
English, and `prose.toml` beside this file lists the phrases that we do not write, with what to say instead.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pytest
from proselint.checks import __register__
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

ROOT = Path(__file__).parents[2]
RULES = tomllib.loads((Path(__file__).parent / "prose.toml").read_text(encoding="utf-8"))
OFF = RULES["checks_off"]
GAP = re.compile(r"\s+(?:#\s*)?")  # a phrase may run over the end of a line, also in comments
BANNED = {re.compile(pattern): say for pattern, say in RULES["banned"].items()}
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(set((ROOT / "docs").rglob("*.md")) - {ROOT / "docs/proof/deviations.md"}),  # made of those in src
    *sorted((ROOT / "src").rglob("*.md")),
]
PROGRAMS = sorted(path for room in ("src", "examples", "benchmarks") for path in (ROOT / room).rglob("*.py"))


def words_of(page: str) -> str:
    """A page without code, formulas and addresses; what is left keeps its line."""
    other = r"(?s)```.*?```|\$\$.*?\$\$|\$[^$]*?\$|`[^`]*`|\]\([^)]*\)|<!--.*?-->"
    return re.sub(other, lambda found: "x" + "\n" * found.group().count("\n"), page)


def banned_in(text: str) -> list[str]:
    """'line: phrase; say this instead' for each banned phrase."""
    flat = GAP.sub(" ", text.lower())
    found = [(hit, say) for pattern, say in BANNED.items() for hit in pattern.finditer(flat)]
    words = [0, *(gap.end() for gap in GAP.finditer(text))] if found else []
    lines = [text.count("\n", 0, words[flat.count(" ", 0, hit.start())]) + 1 for hit, _ in found]
    return [f"{line}: {hit.group()!r}; say: {say}" for line, (hit, say) in zip(lines, found, strict=True)]


def found_in(paths: Iterable[Path], words: Callable[[str], str] = str) -> list[str]:
    """'file:line: phrase; say this instead' for each banned phrase in the words of files."""
    return [f"{path.relative_to(ROOT)}:{one}" for path in paths for one in banned_in(words(path.read_text("utf-8")))]


class Complaint(NamedTuple):
    """What proselint finds."""

    check: str
    where: str
    said: str

    def is_among(self, checks: Iterable[str]) -> bool:
        return any(self.check.startswith(name) for name in checks)


def complaints(path: Path, text: str) -> list[Complaint]:
    """All that proselint finds in a text that keeps the lines of a file."""
    found = ((one.check_result, one.pos[0] - 1) for one in LintFile(str(path), text).lint())
    return [Complaint(one.check_path, f"{path.relative_to(ROOT)}:{line}", one.message) for one, line in found]


def told_in(path: Path) -> str:
    """The docstrings of a program, also those of fields, and comments that have their own lines, on these lines."""
    text = path.read_text("utf-8")
    lines = [line.strip()[2:] if line.strip().startswith("# ") else "" for line in text.split("\n")]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for k, line in enumerate(node.value.value.split("\n"), start=node.lineno - 1):
                lines[k] = line.strip()
    return "\n".join(lines)


def misspelt(*paths: Path) -> str:
    """What codespell says of files or folders."""
    command = [sys.executable, "-m", "codespell_lib", *map(str, paths)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


@pytest.fixture(scope="module", autouse=True)
def proselints_checks() -> None:
    CheckRegistry().register_many(__register__)


def test_no_word_is_misspelt() -> None:
    rooms = [ROOT / name for name in ("src", "examples", "benchmarks", "docs")]
    assert misspelt(*PAGES[:3], *rooms) == ""


def test_pages_read_well() -> None:
    found = [one for page in PAGES for one in complaints(page, words_of(page.read_text("utf-8")))]
    assert [one for one in found if not one.is_among(OFF)] == []


@pytest.mark.docs
def test_docstrings_and_comments_read_well() -> None:
    found = [one for path in PROGRAMS for one in complaints(path, words_of(told_in(path)))]
    assert [one for one in found if not one.is_among([*OFF, *RULES["checks_off_in_programs"]])] == []


def test_no_page_has_a_banned_phrase() -> None:
    assert found_in(PAGES, words_of) == []


def test_no_program_has_a_banned_phrase() -> None:
    assert found_in(PROGRAMS) == []


def test_the_linters_find_what_is_wrong(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "The adress is unsolved,\nand one\n# can wait for ever.\n\n`unsolved` and $unsolved$\n", encoding="utf-8"
    )
    text = words_of(page.read_text(encoding="utf-8"))
    assert misspelt(page).count("==>") == 1
    assert [one.split(";")[0] for one in banned_in(text)] == ["1: 'unsolved'", "1: ' and one can'"]
    assert "archaism" in LintFile("page", text).lint()[0].check_result.check_path
