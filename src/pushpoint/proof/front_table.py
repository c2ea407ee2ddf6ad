"""Tables of the documents, written from what `pushpoint reproduce` and `pushpoint verify` found, never by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pushpoint.errors import BadFile
from pushpoint.proof.reproduction_page import measured_text, sentence
from pushpoint.scenarios.claim import VERDICTS
from pushpoint.simulation.storage import write_atomically

RESULTS = ("reproduce", "verify")
"""The commands whose JSON is kept in docs/results."""
BLOCKS = {"README.md": "front table", "docs/reproduction.md": "claims table"}
"""The documents with a written block, and what its markers call it."""


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """The kept results by command; a command that has none yet is left out."""
    found = {}
    for command in RESULTS:
        file = folder / f"{command}.json"
        if file.is_file():
            try:
                found[command] = json.loads(file.read_text(encoding="utf-8"))
            except ValueError as error:
                raise BadFile(file, f"is not JSON ({error})") from None
    return found


def block_of(document: str, results: Mapping[str, Mapping[str, Any]]) -> str:
    """What belongs between the markers of a document."""
    if document == "README.md":
        return front_table(results)
    reproduced = {"reproduce": results["reproduce"]} if "reproduce" in results else {}
    return f"{front_table(reproduced)}\n\n{claims_table(results)}"


def front_table(results: Mapping[str, Mapping[str, Any]]) -> str:
    """Counts of claims by paper, and of checks by group."""
    parts = []
    if "reproduce" in results:
        parts.append(_papers(results["reproduce"]))
    if "verify" in results:
        parts.append(_checks(results["verify"]))
    return "\n\n".join(parts)


def _papers(document: Mapping[str, Any]) -> str:
    rows = [["`pushpoint reproduce`", "claims", *VERDICTS]]
    for paper, number in document["counts"]["papers"].items():
        cells = [_counted(document, paper, verdict, number[verdict]) for verdict in VERDICTS]
        rows.append([paper[:1].upper() + paper[1:], str(sum(number.values())), *cells])
    total = document["counts"]
    rows.append(["all", str(total["claims"]), *(str(total[verdict]) for verdict in VERDICTS)])
    return _markdown(rows)


def _counted(document: Mapping[str, Any], paper: str, verdict: str, number: int) -> str:
    """The number, and which claims they are where something is missing."""
    if verdict == "reproduced" or not number:
        return str(number)
    names = [one["id"] for one in document["claims"] if one["paper"] == paper and one["verdict"] == verdict]
    return f"{number}: {', '.join(names)}"


def _checks(document: Mapping[str, Any]) -> str:
    rows = [["`pushpoint verify`", "checks", "passed", "not passed", "largest error over its tolerance"]]
    checks = document["checks"]
    for group in dict.fromkeys(check["group"] for check in checks):
        rows.append([group, *_passed([check for check in checks if check["group"] == group], name=True)])
    rows.append(["all", *_passed(checks, name=False)])
    return _markdown(rows)


def _passed(checks: list[Mapping[str, Any]], *, name: bool) -> list[str]:
    failed = [check["id"] for check in checks if not check["passed"]]
    listed = f"{len(failed)}: {', '.join(failed)}" if name and failed else str(len(failed))
    return [str(len(checks)), str(len(checks) - len(failed)), listed, _largest(checks)]


def _largest(checks: list[Mapping[str, Any]]) -> str:
    """The largest error over its tolerance; where nothing may differ, whether nothing does."""
    known = [check for check in checks if check["measured"] is not None]
    shares = [check["measured"] / check["tolerance"] for check in known if check["tolerance"]]
    if shares:
        return f"{max(shares):.2g}"
    return "equal" if known and not any(check["measured"] for check in known) else ""


def claims_table(results: Mapping[str, Mapping[str, Any]]) -> str:
    """Every claim: where, what, measured, demanded, verdict."""
    rows = [["claim", "where", "the paper says", "measured here", "demanded", "verdict"]]
    for one in results.get("reproduce", {}).get("claims", ()):
        measured = "; ".join(measured_text(name, value) for name, value in one["measured"].items())
        rows.append(
            [one["id"], one["where"], sentence(one["statement"]), measured, sentence(one["tolerance"]), one["verdict"]]
        )
    return _markdown(rows)


def _markdown(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([lines[0], f"|{'---|' * len(rows[0])}", *lines[1:]])


def markers(name: str) -> tuple[str, str]:
    """The lines before and after a written block."""
    return f"<!-- {name}: written by benchmarks/front_table.py -->", f"<!-- end of {name} -->"


def with_block(text: str, name: str, block: str, path: str | Path = "") -> str:
    """A document with the block between its markers."""
    begin, end = markers(name)
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise BadFile(path, f"must have the lines '{begin}' and '{end}' once each, in this order")
    before, rest = text.split(begin)
    return f"{before}{begin}\n\n{block}\n\n{end}{rest.split(end)[1]}"


def rewrite(root: Path) -> list[Path]:
    """Writes the blocks of all documents from docs/results; returns the documents."""
    results = read_results(root / "docs" / "results")
    written = []
    for document, name in BLOCKS.items():
        path = root / document
        text = with_block(path.read_text(encoding="utf-8"), name, block_of(document, results), path)
        written.append(write_atomically(path, lambda place, text=text: _write(place, text)))  # type: ignore[misc]
    return written


def _write(place: Path, text: str) -> None:
    place.write_text(text, encoding="utf-8")
