"""What the judgement on the papers rests on: what is compared with what, and every number that the papers report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pushpoint.pages.page import measured, typeset
from pushpoint.papers.citations import PAPERS
from pushpoint.papers.reported import PRINTED, Reported, reported

Measured = Mapping[str, Mapping[str, float | None]]
"""What was measured for claims, by their ids."""


def comparison_basis() -> tuple[str, ...]:
    """What stands on the first page, in paragraphs: there is no measured data; what is compared with what instead."""
    numbers = [one for paper in PAPERS for one in reported(paper).values()]
    compared = [one for one in numbers if one.ours]
    robots, curves = sum(one.measured for one in compared), sum(one.kind != PRINTED for one in numbers)
    no_curves = (
        "No curve of a paper is drawn beside ours: we had only the papers' text, without the figures, and read off no "
        "points."
    )
    return (
        "No measured data: nothing here was compared with a recording of a physical robot. None came with the papers, "
        "and pushpoint has none of its own. “Reproduced” means that our simulation agrees with what a paper states, "
        "not that it agrees with a robot.",
        f"We compare our results with the papers' words, and with {len(compared)} results that they print as numbers. "
        f"Of these, {robots} come from their robots, alone or together with a simulation, rounded as printed. The "
        "others come from the authors' own simulations and computations. "
        + (f"Curves read off their figures, drawn beside ours: {curves}." if curves else no_curves),
        "Where a paper has only words, the bounds are our reading of them, or come from prototypes of its equations "
        "that share no code with the engine (TB1 to TB4). Another command, pushpoint verify, tests the physics itself "
        "against closed forms, conservation laws and second implementations.",
    )


@dataclass(frozen=True, kw_only=True)
class ReportedRow:
    """A number that a paper reports, in words, as tables have it."""

    what: str
    """What it is, and at what."""
    result: str
    """The number with its unit, as printed."""
    error: str
    """How far it may be off."""
    ours: str
    """What we measure beside it; empty if nothing."""
    origin: str
    """Where the authors have it from, and whether it is printed or read off."""
    where: str
    """The place in the paper."""
    note: str
    """What else must be known, and where it is drawn."""


ROW_TITLES = ("what", "the paper reports", "accuracy", "ours", "from", "where", "remarks")
"""Titles of the columns of a table of such rows."""


def reported_rows(paper: str, found: Measured) -> list[ReportedRow]:
    """What a paper reports, beside what was measured here."""
    return [_row(one, found) for one in reported(paper).values()]


def rows_by_claim(paper: str, found: Measured) -> dict[str, list[ReportedRow]]:
    """What a paper reports, by the claims that measure it."""
    rows: dict[str, list[ReportedRow]] = {}
    for one in reported(paper).values():
        for claim in dict.fromkeys(entry.partition(" ")[0] for entry in one.ours):
            rows.setdefault(claim, []).append(_row(one, found))
    return rows


def _row(one: Reported, found: Measured) -> ReportedRow:
    named = [entry.partition(" ") for entry in one.ours]
    ours = "; ".join(
        f"{claim} {measured(name, found[claim][name])}" for claim, _, name in named if name in found.get(claim, {})
    )
    drawn = ", ".join(dict.fromkeys(drawing.figure for drawing in one.drawn))
    parts = (one.note, f"drawn in {drawn}" if drawn else "", "" if one.kind == PRINTED else one.how)
    return ReportedRow(
        what=typeset(f"{one.what}; {one.conditions}" if one.conditions else one.what),
        result=typeset(one.result),
        error=typeset(one.error),
        ours=ours,
        origin=one.origin,
        where=one.where,
        note=typeset("; ".join(filter(None, parts))),
    )
