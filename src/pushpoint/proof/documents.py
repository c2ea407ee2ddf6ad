"""Parts of the documents that are never written by hand: tables of what the commands found, and the deviations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from pushpoint.errors import BadFile
from pushpoint.pages.page import measured, sentence
from pushpoint.papers.citations import PAPERS
from pushpoint.papers.deviations import deviations_page
from pushpoint.proof.basis import ROW_TITLES, comparison_basis, reported_rows
from pushpoint.scenarios.claim import VERDICTS
from pushpoint.user_files import parse_json, read_text
from pushpoint.whole_files import write_bytes

RESULTS = ("reproduce", "verify", "campaign")
"""What is kept as JSON in docs/results: findings of these commands, and of `make campaign`."""
BLOCKS = {
    "README.md": "front table",
    "docs/proof/reproduction.md": "claims table",
    "docs/proof/reported-numbers.md": "reported numbers",
    "docs/proof/deviations.md": "deviations",
    "docs/proof/reliability.md": "campaigns",
}
"""The documents with a written block, and what its markers call it."""
Results = Mapping[str, Mapping[str, Any]]


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """The kept results by command; a command that has none yet is left out."""
    found = {}
    for command in RESULTS:
        file = folder / f"{command}.json"
        if file.is_file():
            try:
                found[command] = parse_json(read_text(file))
            except ValueError as error:
                raise BadFile(file, f"is not JSON ({error})") from None
    return found


def block_of(document: str, results: Results) -> str:
    """What belongs between the markers of a document."""
    if document == "docs/proof/deviations.md":
        return deviations_page()
    if document == "docs/proof/reported-numbers.md":
        return reported_tables(results)
    if document == "docs/proof/reliability.md":
        return campaign_table(results)
    if document == "README.md":
        return front_table(results)
    reproduced = {"reproduce": results["reproduce"]} if "reproduce" in results else {}
    return f"{front_table(reproduced)}\n\n{claims_table(results)}"


def front_table(results: Results) -> str:
    """Counts of claims by paper, and of checks by group."""
    tables = {"reproduce": _papers, "verify": _checks}
    return "\n\n".join(table(results[command]) for command, table in tables.items() if command in results)


def _papers(document: Mapping[str, Any]) -> str:
    rows = []
    for paper in document["counts"]["papers"]:
        claims = [one for one in document["claims"] if one["paper"] == paper]
        found = [[one["id"] for one in claims if one["verdict"] == verdict] for verdict in VERDICTS]
        rows.append([paper[:1].upper() + paper[1:], str(len(claims)), str(len(found[0])), *map(_named, found[1:])])
    rows.append(["all", *(str(document["counts"][name]) for name in ("claims", *VERDICTS))])
    return _markdown(("`pushpoint reproduce`", "claims", *VERDICTS), rows)


def _named(names: Sequence[str]) -> str:
    """How many there are, and which."""
    return f"{len(names)}: {', '.join(names)}" if names else "0"


def _checks(document: Mapping[str, Any]) -> str:
    checks, rows = document["checks"], []
    for group in (*dict.fromkeys(one["group"] for one in checks), "all"):
        members = [one for one in checks if group in ("all", one["group"])]
        failed = [one["id"] for one in members if not one["passed"]]
        missing = str(len(failed)) if group == "all" else _named(failed)
        rows.append([group, str(len(members)), str(len(members) - len(failed)), missing, _largest(members)])
    columns = ("`pushpoint verify`", "checks", "passed", "not passed", "largest error over its tolerance")
    return _markdown(columns, rows)


def _largest(checks: Sequence[Mapping[str, Any]]) -> str:
    """The largest error over its tolerance; where nothing may differ, whether nothing does."""
    known = [check for check in checks if check["measured"] is not None]
    shares = [check["measured"] / check["tolerance"] for check in known if check["tolerance"]]
    if shares:
        return f"{max(shares):.2g}"
    return "equal" if known and not any(check["measured"] for check in known) else ""


def claims_table(results: Results) -> str:
    """Every claim: where, what, measured, demanded, verdict."""
    rows = []
    for one in results.get("reproduce", {}).get("claims", ()):
        found = "; ".join(measured(name, value) for name, value in one["measured"].items())
        said, demanded = sentence(one["statement"]), sentence(one["tolerance"])
        rows.append([one["id"], one["where"], said, found, demanded, one["verdict"]])
    return _markdown(("claim", "where", "the paper says", "measured here", "demanded", "verdict"), rows)


def campaign_table(results: Results) -> str:
    """Every kind of campaign: trials, how they ended, the slowest, defects; below, what is noted, and their seeds."""
    rows, left = [], []
    for one in results.get("campaign", {}).get("kinds", ()):
        ends = ", ".join(f"{word} {count:,}" for word, count in one["outcomes"].items())
        slowest = f"{one['slowest_s']:.3g} of {one['limit_s']:g}"
        rows.append([one["kind"], f"{one['trials']:,}", ends, slowest, str(len(one["defects"]))])
        left += [f"- {one['kind']}: {one['note']}"] if "note" in one else []
        left += [f"- {one['kind']} {seed}: {sentence(' '.join(said.split()))}" for seed, said in one["defects"].items()]
    columns = ("kind", "trials", "how they ended", "slowest [s], of what is allowed", "defects")
    return "\n\n".join([_markdown(columns, rows), *(["\n".join(left)] if left else [])])


def reported_tables(results: Results) -> str:
    """What the judgement rests on, and every number that a paper reports, beside ours."""
    found = {one["id"]: one["measured"] for one in results.get("reproduce", {}).get("claims", ())}
    parts = [*comparison_basis()]
    for paper in PAPERS:
        rows = [astuple(row) for row in reported_rows(paper, found)]
        parts += [f"## {paper[:1].upper() + paper[1:]}", _markdown(ROW_TITLES, rows)]
    return "\n\n".join(parts)


def _markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in (columns, *rows)]
    return "\n".join([lines[0], f"|{'---|' * len(columns)}", *lines[1:]])


def with_block(text: str, name: str, block: str, path: str | Path = "") -> str:
    """A document with the block between its markers."""
    begin, end = f"<!-- {name}: written by benchmarks/front_table.py -->", f"<!-- end of {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise BadFile(path, f"must have the lines '{begin}' and '{end}' once each, in this order")
    before, rest = text.split(begin)
    return f"{before}{begin}\n\n{block}\n\n{end}{rest.split(end)[1]}"


def rewrite(root: Path) -> list[Path]:
    """Writes the blocks of all documents from docs/results and from the rooms of the papers; returns the documents."""
    results = read_results(root / "docs" / "results")
    written = []
    for document, name in BLOCKS.items():
        path = root / document
        text = with_block(path.read_text(encoding="utf-8"), name, block_of(document, results), path)
        written.append(write_bytes(path, text.encode()))
    return written
