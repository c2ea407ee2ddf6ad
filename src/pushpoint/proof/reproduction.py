"""What five papers claim, judged again: the claims that stand with their scenarios, collected and evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pushpoint.errors import PushpointError, UnknownName
from pushpoint.papers.citations import PAPERS
from pushpoint.papers.deviations import deviations
from pushpoint.papers.registry import scenario, scenario_names, sweep_names
from pushpoint.papers.writing import figures_of
from pushpoint.proof.basis import ROW_TITLES, comparison_basis, reported_rows, rows_by_claim
from pushpoint.proof.judgement import Finding, Judgement, WorkPlan
from pushpoint.scenarios.claim import VERDICTS, Claim, RunOf, Verdict
from pushpoint.simulation.provenance import json_types


@dataclass(frozen=True, kw_only=True)
class PlacedClaim:
    """A claim and where it stands."""

    claim: Claim
    """The claim."""
    paper: str
    """Name of its paper, a key of PAPERS."""
    scenario: str
    """Name of the scenario or sweep with which it stands."""

    @property
    def id(self) -> str:
        """Short name, such as TA1."""
        return self.claim.id

    def judge(self, run_of: RunOf) -> Finding:
        """The verdict now; what does not run to its end does not reproduce anything."""
        claim, failure = self.claim, ""
        try:
            found = claim.evaluate(run_of)
        except PushpointError as error:
            found, failure = Verdict(verdict="not reproduced"), str(error)
        report = {
            "id": claim.id,
            "paper": self.paper,
            "where": claim.where,
            "statement": claim.statement,
            "measured": json_types({name: float(value) for name, value in found.measured.items()}),
            "tolerance": claim.tolerance,
            "verdict": found.verdict,
            "recorded_verdict": claim.recorded,
            "reason": claim.reason,
            "scenario": self.scenario,
            "failure": failure,
            "seconds": 0.0,
        }
        return Finding(group=self.paper, verdict=found.verdict, wanted=claim.recorded, report=report)


class Reproduction(Judgement):
    """How the claims of papers fared."""

    command, items, verdicts = "reproduce", "claims", VERDICTS
    title = "What five papers claim, and what pushpoint finds"
    subtitle = (
        "Every claim of five papers, judged again by pushpoint. A verdict is “reproduced” if all is met that the check "
        "demands, and “approximate” if part of it is. Each verdict must be the one on record. All figures are "
        "simulations."
    )
    summary = ("paper", "claims")

    @property
    def basis(self) -> tuple[str, ...]:
        """That there is no measured data, and what is compared with what."""
        return comparison_basis()

    @property
    def counts(self) -> dict[str, Any]:
        """How many claims got which verdict, in all and by paper, and how many not the one on record."""
        return {
            "claims": len(self.findings),
            **self.tally(),
            "not_as_recorded": sum(not one.as_wanted for one in self.findings),
            "papers": {paper: self.tally(paper) for paper in self.groups},
        }

    @property
    def complaint(self) -> str:
        """A sentence about the claims whose verdict is not the one on record; empty if there is none."""
        wrong = [
            f"{one.id} is {one.verdict}, recorded as {one.wanted}" + (f" ({one['failure']})" if one["failure"] else "")
            for one in self.findings
            if not one.as_wanted
        ]
        return f"verdicts differ from the recorded ones: {'; '.join(wrong)}" if wrong else ""

    @property
    def listed(self) -> list[Finding]:
        """The claims that are not simply reproduced."""
        return [one for one in self.findings if one.verdict != "reproduced" or not one.as_wanted]

    def about(self, group: str) -> dict[str, Any]:
        """Citation, deviations, reported numbers and figures of a paper."""
        figures = [
            {
                "key": figure.key,
                "picture": self.pictures[figure.key],
                "where": figure.where,
                "shows": figure.caption,
                "alt": f"{figure.where}: {figure.caption}",
                "caption": f"{figure.where}. {figure.caption}",
                "claims": figure.claims,
            }
            for figure in figures_of(group)
            if figure.key in self.pictures
        ]
        differing = [one for one in deviations() if one.paper == group]
        name = group[:1].upper() + group[1:]
        found = {one.id: one["measured"] for one in self.findings}
        numbers = {
            "reported": reported_rows(group, found),
            "reported_titles": ROW_TITLES,
            "paper_numbers": rows_by_claim(group, found),
        }
        return {"name": name, "about": PAPERS[group], "deviations": differing, "figures": figures} | numbers


def chosen_papers(names: Sequence[str]) -> tuple[str, ...]:
    """The papers of these names, or all, in the order of the report."""
    for name in names:
        if name not in PAPERS:
            raise UnknownName("paper", name, PAPERS)
    return tuple(paper for paper in PAPERS if not names or paper in names)


def claims_of(paper: str) -> tuple[PlacedClaim, ...]:
    """The claims of a paper by their numbers."""
    names = [name for name in (*scenario_names(), *sweep_names()) if name.startswith(f"{paper}/")]
    placed = [PlacedClaim(claim=one, paper=paper, scenario=name) for name in names for one in scenario(name).claims]
    return tuple(sorted(placed, key=lambda one: int(one.id[2:])))


def plan_of(papers: Sequence[str]) -> WorkPlan:
    """All claims and figures of some papers."""
    return WorkPlan(
        judgement=Reproduction,
        items={paper: claims_of(paper) for paper in papers},
        figures={paper: figures_of(paper) for paper in papers},
    )
