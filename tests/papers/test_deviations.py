"""Deviations are written once, in the rooms of the papers; what is read from there is strict and complete."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from pushpoint.errors import BadFile
from pushpoint.papers import PAPERS
from pushpoint.papers.deviations import KINDS, deviations, deviations_page, deviations_text, read_deviations
from pushpoint.proof.reproduction import claims_of

ROOT = Path(__file__).parents[2]
ENTRY = """# Paper

## What is printed wrong

### D7
> **erratum** (TA1, TA12): The radius is 0.125 m,
> printed as 0.0125 m.

Evidence.

### D9
> **left open**: Nothing is said about it.
"""


def test_each_heading_of_the_document_has_its_sentence() -> None:
    headings = re.findall(
        r"^#### (D\d+)$", (ROOT / "docs/proof/deviations.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [one.number for one in deviations()] == sorted(headings, key=lambda number: int(number[1:]))


def test_they_bear_on_claims_that_exist() -> None:
    ids = {paper: {one.id for one in claims_of(paper)} for paper in PAPERS}
    for one in deviations():
        assert one.sentence.endswith(".") and set(one.claims) <= ids[one.paper], one.number


def test_every_number_is_taken_once_and_every_kind_is_used() -> None:
    numbers = [one.number for one in deviations()]
    assert len(set(numbers)) == len(numbers) and {one.kind for one in deviations()} == set(KINDS)


def test_an_entry_has_number_kind_claims_and_sentence() -> None:
    first, second = read_deviations("holden2014", ENTRY)
    assert (first.number, first.kind, first.claims) == ("D7", "erratum", ("TA1", "TA12"))
    assert first.sentence == "The radius is 0.125 m, printed as 0.0125 m." and first.paper == "holden2014"
    assert (second.number, second.kind, second.claims) == ("D9", "left open", ())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("### D7", "### 7", "line 5: '7' must be a number such as D1 that is not taken"),
        ("### D9", "### D7", "line 11: 'D7' must be a number such as D1 that is not taken"),
        ("erratum", "misprint", r"must follow D7; kinds are erratum, left open"),
        ("> **erratum**", "**erratum**", "must follow D7"),
        ("(TA1, TA12)", "(TA1 TA12)", "must follow D7"),
        ("Nothing is said about it.", "Nothing is said about it", "must follow D9"),
        ("\n> **left open**", "\n\n> **left open**", "must follow D9"),
    ],
)
def test_what_cannot_be_read_is_named(old: str, new: str, said: str) -> None:
    with pytest.raises(BadFile, match=rf"^papers/holden2014/deviations\.md, line \d+: .*{said}|{said}"):
        read_deviations("holden2014", ENTRY.replace(old, new))


def test_the_page_lists_what_it_holds() -> None:
    page = deviations_page()
    assert "- [Holden2014](#holden2014): D49–D54, D65–D69\n" in page
    assert "  - [Beyond the paper on locomotion by touch](#beyond-the-paper-on-locomotion-by-touch): D60\n" in page
    anchors = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", page, re.M)
    }
    assert set(re.findall(r"\]\(#([\w-]+)\)", page)) <= anchors
    for paper in PAPERS:
        assert without_levels(deviations_text(paper)).strip() in without_levels(page)


def test_the_page_has_one_title_and_keeps_the_comments_of_programs() -> None:
    page = (ROOT / "docs/proof/deviations.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert programs == [
        code
        for paper in PAPERS
        for code in re.findall(r"^```python\n(.*?)^```$", deviations_text(paper), re.DOTALL | re.MULTILINE)
    ]
    told = re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"^# .*$", told, re.MULTILINE) == ["# Deviations"]


def without_levels(text: str) -> str:
    """A text without the signs of its headings: on the page they are one level lower than in the files."""
    return re.sub(r"^#+ ", "", text, flags=re.MULTILINE)


def test_links_into_the_page_lead_to_its_headings() -> None:
    headings = re.findall(r"^#+ (.*)$", (ROOT / "docs/proof/deviations.md").read_text(encoding="utf-8"), re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}
    linked = [
        anchor
        for document in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
        for anchor in re.findall(r"deviations\.md#([\w-]+)\)", document.read_text(encoding="utf-8"))
    ]
    assert len(linked) > 15 and set(linked) <= anchors


def test_programs_import_what_there_is() -> None:
    """The programs take minutes, so that they are run by hand; that their imports are there is seen at once."""
    programs = [
        code for paper in PAPERS for code in re.findall(r"```python\n(.*?)```", deviations_text(paper), re.DOTALL)
    ]
    imports = [node for code in programs for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    assert len(programs) > 30 and len(imports) > 30
    wanted = [(node.module or "", alias.name) for node in imports for alias in node.names]
    for module, name in wanted:
        if module.startswith("pushpoint") and not hasattr(import_module(module), name):
            import_module(f"{module}.{name}")
