"""Pieces of Markdown: tables, directives, and docstrings as the package writes them."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

ARGUMENTS = "Args:"
SECTIONS = {ARGUMENTS: "Arguments", "Returns:": "Returns", "Raises:": "Raises", "Yields:": "Yields"}
ITEM = re.compile(r"^(\*{0,2}\w+): (.*)", re.DOTALL)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table without the columns that would be empty; bars in cells are escaped."""
    given = list(rows)
    used = [column for column in range(len(titles)) if any(row[column] for row in given)]
    kept = [[row[column] for column in used] for row in (titles, *given)]
    lines = [kept[0], ["---"] * len(used), *kept[1:]]
    return "\n".join(f"| {' | '.join(one_line(cell) for cell in row)} |" for row in lines)


def one_line(text: str) -> str:
    """A text that fits a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def directive(name: str, argument: str, body: str, *options: str) -> str:
    """A directive whose fence is longer than those inside."""
    longest = max((len(run) for run in re.findall(r"^`{3,}", body, re.MULTILINE)), default=2)
    fence = "`" * (longest + 1)
    return "\n".join([f"{fence}{{{name}}} {argument}", *options, "", body, fence])


def prose(text: str) -> str:
    """A sentence in Markdown: what would read as markup outside code is escaped."""
    parts = re.split(r"(``?[^`]+``?)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([<*$|])", r"\\\1", part) for part in parts)


def docstring(thing: Any) -> str:
    """A docstring in Markdown, without its arguments: paragraphs, programs that are indented or look like one."""
    blocks = _blocks(inspect.getdoc(thing) or "")
    return "\n\n".join(_block(block) for block in blocks if not block.startswith(ARGUMENTS))


def argument_docs(thing: Any) -> dict[str, str]:
    """What the docstring of a function says of its arguments."""
    blocks = [block for block in _blocks(inspect.getdoc(thing) or "") if block.startswith(ARGUMENTS)]
    found = [ITEM.match(line) for block in blocks for line in _lines(textwrap.dedent(block.partition("\n")[2]))]
    return {match[1]: match[2] for match in found if match}


def _blocks(text: str) -> list[str]:
    """Paragraphs, except that indented ones that follow each other belong together, and sections keep their items."""
    found: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        indented = block.startswith("    ")
        if found and indented and (found[-1].startswith("    ") or found[-1].split("\n")[0] in SECTIONS):
            found[-1] += "\n\n" + block
        else:
            found.append(block)
    return found


def _block(block: str) -> str:
    first, _, rest = block.partition("\n")
    if first in SECTIONS:
        return f"**{SECTIONS[first]}**\n\n" + _items(textwrap.dedent(rest))
    if block.startswith("    ") or _is_program(block):
        return f"```python\n{textwrap.dedent(block).rstrip()}\n```"
    if re.match(r"[-*] ", block):
        return block
    lead, code = _split_program(block)
    return prose(lead) + (f"\n\n{code}" if code else "")


def _split_program(block: str) -> tuple[str, str]:
    """A paragraph and the indented program that follows it without an empty line."""
    lines = block.split("\n")
    for number, line in enumerate(lines):
        if number and all(each.startswith("    ") for each in lines[number:]) and not line.startswith("     "):
            return "\n".join(lines[:number]), f"```python\n{textwrap.dedent(chr(10).join(lines[number:]))}\n```"
    return block, ""


def _is_program(block: str) -> bool:
    if "pp." not in block:
        return False
    try:
        ast.parse(block)
    except SyntaxError:
        return False
    return True


def _items(text: str) -> str:
    return "\n".join(_item(line) for line in _lines(text))


def _lines(text: str) -> list[str]:
    """`name: meaning` lines; one that goes on is indented."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(" ") and lines:
            lines[-1] += " " + line.strip()
        elif line.strip():
            lines.append(line)
    return lines


def _item(line: str) -> str:
    match = ITEM.match(line)
    return f"- `{match[1]}`: {prose(match[2])}" if match else f"- {prose(line)}"
