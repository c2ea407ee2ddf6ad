"""Work through the claims of papers: judge, draw, and put it into one folder; what is finished is not done again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pushpoint.errors import PushpointError
from pushpoint.pages.page import figure_png, write_page
from pushpoint.proof.claims import Finding, PlacedClaim, Runs, claims_of, document_of, judge
from pushpoint.proof.reproduction_figures import Material, PaperFigure, figures_of
from pushpoint.proof.reproduction_page import build_reproduction_page
from pushpoint.simulation.result_log import ResultLog
from pushpoint.simulation.storage import write_atomically

LOG, PAGE, RESULTS, FIGURES = "finished.jsonl", "report.html", "results.json", "figures"
"""Files of the folder."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be done."""

    claims: dict[str, tuple[PlacedClaim, ...]]
    """Claims by paper."""
    figures: dict[str, tuple[PaperFigure, ...]]
    """Figures by paper."""

    @property
    def steps(self) -> int:
        """How many things there are to judge and to draw."""
        return sum(map(len, self.claims.values())) + sum(map(len, self.figures.values()))


def plan_of(papers: Sequence[str]) -> Plan:
    """All claims and figures of some papers."""
    return Plan(
        claims={paper: claims_of(paper) for paper in papers}, figures={paper: figures_of(paper) for paper in papers}
    )


def reproduce(
    plan: Plan, folder: str | os.PathLike[str], begin: Callable[[str], None] | None = None
) -> tuple[tuple[Finding, ...], dict[str, str]]:
    """Judges and draws what is not finished yet, and writes report.html and results.json.

    Args:
        plan: What to do.
        folder: Where the results go, and where finished ones from the same sources are looked for.
        begin: Called with a name before each claim and each figure.

    Returns:
        What was found, and the files by what they are.
    """
    folder = Path(folder)
    log = ResultLog(folder / LOG)
    findings: list[Finding] = []
    pictures: dict[str, bytes | str] = {}
    say = begin or (lambda _name: None)
    for paper, claims in plan.claims.items():
        runs = Runs()  # of one paper, so that memory is given back before the next
        for placed in claims:
            say(placed.claim.id)
            findings.append(judge(placed, runs, log))
        found = {finding.id: finding.verdict for finding in findings if finding.paper == paper}
        for figure in plan.figures[paper]:
            say(figure.key)
            pictures[figure.key] = _picture(figure, Material(run_of=runs, verdicts=found), folder, log)
    page = build_reproduction_page(findings, pictures, log.source)
    files = {"report": str(write_page(page, folder / PAGE)), "results": str(folder / RESULTS)}
    _write_json(folder / RESULTS, document_of(findings))
    return tuple(findings), files


def _picture(figure: PaperFigure, material: Material, folder: Path, log: ResultLog) -> bytes | str:
    """The picture as PNG, or why there is none; a finished one is taken if it is the file that was written."""
    file, key = folder / FIGURES / f"{figure.key}.png", f"figure {figure.key}"
    if key in log and file.is_file():
        kept = file.read_bytes()
        if _digest(kept) == log.get(key):
            return kept
    try:
        drawn = figure_png(figure.build(material))
    except PushpointError as error:
        return str(error)
    write_atomically(file, lambda place: _write_bytes(place, drawn))
    log.add(key, _digest(drawn))
    return drawn


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write_bytes(place: Path, content: bytes) -> None:
    place.write_bytes(content)


def _write_json(path: Path, document: dict[str, Any]) -> None:
    text = json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    write_atomically(path, lambda place: _write_bytes(place, text.encode()))
