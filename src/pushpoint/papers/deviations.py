"""Every difference from the papers, read from the one place where it is written: papers/<name>/deviations.md.

An entry is a heading with a number, a quoted summary and the evidence:

    ### D1
    > **erratum** (TA2): The obstacle radius is 0.125 m, printed as 0.0125 m.

    The paper's own obstacles are cut from pipe ...

The parenthesis names the claims that it affects; it may be left out. Links are relative to docs/, whose page is made
from these files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise

from pushpoint.errors import BadFile
from pushpoint.papers.citations import PAPERS

KINDS = ("erratum", "left open", "computed differently", "how it is measured", "outcome", "beyond the paper")
ENTRY = re.compile(r"^### (.*)\n?((?:> .*\n?)*)", re.MULTILINE)
SUMMARY = re.compile(rf"\*\*({'|'.join(KINDS)})\*\*(?: \(([A-Z]+\d+(?:, [A-Z]+\d+)*)\))?: (.+\.)")


@dataclass(frozen=True, kw_only=True)
class Deviation:
    """One difference from a paper, or something that the paper misprints or leaves open."""

    number: str
    """Its heading, such as D1."""
    paper: str
    """The paper it is about, such as transeth2008a."""
    kind: str
    """One of KINDS."""
    sentence: str
    """What differs and why."""
    claims: tuple[str, ...] = ()
    """Claims that it affects, such as TA1; empty if it affects all of them or none in particular."""


def deviations() -> tuple[Deviation, ...]:
    """All deviations, by number."""
    found = [one for paper in PAPERS for one in read_deviations(paper, deviations_text(paper))]
    return tuple(sorted(found, key=lambda one: int(one.number[1:])))


def deviations_text(paper: str) -> str:
    """The text of a paper's deviations.md."""
    return (files("pushpoint.papers") / paper / "deviations.md").read_text(encoding="utf-8")


def read_deviations(paper: str, text: str) -> tuple[Deviation, ...]:
    """The entries of a text, in order."""
    found: dict[str, Deviation] = {}
    for entry in ENTRY.finditer(text):
        number, quoted = entry.groups()
        summary = SUMMARY.fullmatch(" ".join(line.removeprefix("> ").strip() for line in quoted.splitlines()))
        where = f"papers/{paper}/deviations.md, line {1 + text[: entry.start()].count(chr(10))}"
        if not re.fullmatch(r"D[1-9]\d*", number) or number in found:
            raise BadFile(where, f"'{number}' must be a number such as D1 that is not taken")
        if summary is None:
            raise BadFile(where, f"'> **KIND** (CLAIMS): Sentence.' must follow {number}; kinds are {', '.join(KINDS)}")
        kind, claims, sentence = summary.groups()
        named = tuple(claims.split(", ")) if claims else ()
        found[number] = Deviation(number=number, paper=paper, kind=kind, sentence=sentence, claims=named)
    return tuple(found.values())


def deviations_page() -> str:
    """Contents and texts of all papers, as docs/proof/deviations.md has them, below the title of that page."""
    texts = [deviations_text(paper).strip() for paper in PAPERS]
    contents = "\n".join(line for text in texts for line in _contents(text))
    return "\n\n".join(("<!-- run all: slow -->", contents, *map(_one_level_down, texts)))


def _one_level_down(text: str) -> str:
    """A text whose headings are one level lower; comments in its programs, which look like headings, stay."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else re.sub(r"^#", "##", part, flags=re.MULTILINE) for part in parts)


def _contents(text: str) -> list[str]:
    """The paper and its sections as a list of links, with the numbers of their entries."""
    entries: list[tuple[str, str, list[int]]] = []
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for level, title in re.findall(r"^(#{1,3}) (.*)$", plain, flags=re.MULTILINE):
        if level != "###":
            entries.append((level, title, []))
            continue
        for _, _, numbers in (entries[0], entries[-1]):
            numbers.append(int(title.removeprefix("D")))
    listed = []
    for level, title, numbers in entries:
        anchor = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        said = f": {_ranges(numbers)}" if numbers else ""
        listed.append(f"{'  ' if level == '##' else ''}- [{title}](#{anchor}){said}")
    return listed


def _ranges(numbers: Sequence[int]) -> str:
    """Writes 1, 2, 3 and 7 as D1–D3, D7."""
    breaks = [0, *(k + 1 for k, (a, b) in enumerate(pairwise(numbers)) if b != a + 1), len(numbers)]
    parts = [numbers[begin:end] for begin, end in pairwise(breaks)]
    return ", ".join(f"D{part[0]}–D{part[-1]}" if len(part) > 1 else f"D{part[0]}" for part in parts)
