"""Links and headings of the documents, as a forge and the site read them; notebooks are documents too."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from _site.fill import filled
from docs.blocks import ROOT, pages

ATTRIBUTE = re.compile(r"""<(?:a|img|source|video)\b[^>]*?\b(?:href|src)=["']([^"']+)["']""")
LABEL = re.compile(r"^\(([\w-]+)\)=$", re.MULTILINE)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Link(NamedTuple):
    """A link of a document."""

    page: str
    """The document, from the root of the repository."""
    target: str
    """What is written: a path or an address, with an anchor if there is one."""


def documents() -> list[str]:
    """All Markdown pages and notebooks."""
    notebooks = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.ipynb"))]
    return [*pages(), *notebooks]


@cache
def markdown_of(document: str) -> str:
    """The Markdown of a page with its generated parts, or of all such cells of a notebook."""
    text = (ROOT / document).read_text(encoding="utf-8")
    if not document.endswith(".ipynb"):
        return filled(text)
    return "\n\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")


@cache
def tokens_of(document: str) -> tuple[Token, ...]:
    """The document, parsed, with the parts of its lines."""
    found: list[Token] = []
    for token in MarkdownIt().enable("table").parse(markdown_of(document)):
        found += [token, *(token.children or ())]
    return tuple(found)


def links_of(document: str) -> list[Link]:
    """Links and images of a document."""
    found: list[str] = []
    for token in tokens_of(document):
        if token.type in ("link_open", "image"):
            found.append(str(token.attrGet("href") or token.attrGet("src")))
        elif token.type in ("html_inline", "html_block"):
            found += ATTRIBUTE.findall(token.content)
    return [Link(document, target) for target in found]


@cache
def anchors_of(document: str) -> frozenset[str]:
    """Anchors of the headings, made as forges make them, and labels."""
    tokens, found = tokens_of(document), []
    for token, after in pairwise(tokens):
        if token.type == "heading_open":
            text = "".join(child.content for child in after.children or () if child.type in ("text", "code_inline"))
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            found.append(slug if slug not in found else f"{slug}-{found.count(slug)}")
    return frozenset(found + LABEL.findall(markdown_of(document)))


def pages_below(document: str) -> set[str]:
    """Documents that a page leads to, by its links and the trees of contents on it."""
    folder = (ROOT / document).parent
    targets = [folder / link.target.partition("#")[0] for link in links_of(document) if "://" not in link.target]
    for tree in TOCTREE.findall(markdown_of(document)):
        names = [line.strip() for line in tree.splitlines() if line.strip() and not line.startswith(":")]
        targets += [path for name in names for end in (".md", ".ipynb") for path in folder.glob(name + end)]
    known = set(documents())
    return {name for path in targets if (name := relative(path)) in known}


def relative(path: Path) -> str:
    """A path from the root of the repository; empty outside it."""
    whole = path.resolve()
    return whole.relative_to(ROOT).as_posix() if whole.is_relative_to(ROOT) else ""
