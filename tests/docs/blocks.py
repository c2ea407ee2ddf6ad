"""The fenced blocks of the documents, each with the mark above it that says how it is tried.

<!-- run: slow -->                            only in make test-docs
<!-- run: kept docs/results/logs/NAME.txt --> not run: the kept log holds its lines and what they printed
<!-- run: no: REASON -->                      cannot be run at all
<!-- run all: slow -->                        the same for every block of the page that follows
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
MARK = re.compile(r"^\s*<!-- run: (slow|kept \S+|no: .+?) -->\s*$")
PAGE_MARK = re.compile(r"^<!-- run all: (slow|kept \S+|no: .+?) -->\s*$")


@dataclass(frozen=True, kw_only=True)
class Block:
    """One fenced block."""

    page: str
    """Path of the document from the root of the repository."""
    line: int
    """Line of its opening fence, counted from 1."""
    language: str
    """The word after the fence; empty if there is none."""
    text: str
    """What is between the fences."""
    mark: str
    """What the comment above says: empty, slow, kept PATH, or no: REASON."""
    follows: bool
    """Whether only an empty line is between it and the block before it."""

    @property
    def place(self) -> str:
        """Page and line, for messages."""
        return f"{self.page}:{self.line}"

    @property
    def runs(self) -> bool:
        """Whether it is run at all, now or in make test-docs."""
        return self.mark in ("", "slow")


def pages() -> list[str]:
    """All Markdown documents of the repository that readers see."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path.relative_to(ROOT).as_posix() for path in found]


def text_of(page: str) -> str:
    """The source of a document."""
    return (ROOT / page).read_text(encoding="utf-8")


@cache
def blocks_of(page: str) -> tuple[Block, ...]:
    """All fenced blocks of a document in order; Sphinx's directives, such as {toctree}, are none."""
    return blocks_in(page, text_of(page))


def blocks_in(page: str, text: str) -> tuple[Block, ...]:
    """The fenced blocks of a text."""
    lines = text.splitlines()
    found: list[Block] = []
    end: int | None = None
    for token in MarkdownIt().parse(text):
        if token.type != "fence" or token.map is None or token.info.startswith("{"):
            continue
        start = token.map[0]
        above = MARK.match(lines[start - 1]) if start else None
        whole = next((match for line in lines[:start] if (match := PAGE_MARK.match(line))), None)
        mark = above or whole
        found.append(
            Block(
                page=page,
                line=start + 1,
                language=token.info.split()[0] if token.info.split() else "",
                text=token.content,
                mark=mark[1] if mark else "",
                follows=end is not None and not any(line.strip() for line in lines[end:start]),
            )
        )
        end = token.map[1]
    return tuple(found)
