"""What five papers claim, judged again: the claims that stand with the scenarios, collected and evaluated.

Nothing is judged here. A claim brings its check; this module gives it runs, each simulated once, and keeps what
was found.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from pushpoint.errors import SimulationFailed, UnknownName
from pushpoint.papers.registry import scenario, scenario_names, sweep, sweep_names
from pushpoint.scenarios.claim import VERDICTS, Claim

if TYPE_CHECKING:
    import xarray

    from pushpoint.simulation.result_log import ResultLog

PAPERS: Mapping[str, str] = {
    "transeth2008a": "A. A. Transeth, R. I. Leine, C. Glocker, K. Y. Pettersen, P. Liljebäck: Snake Robot Obstacle "
    "Aided Locomotion: Modeling, Simulations, and Experiments, IEEE Transactions on Robotics 24 (1), 2008",
    "transeth2008b": "A. A. Transeth, R. I. Leine, C. Glocker, K. Y. Pettersen: 3D Snake Robot Motion: Non-smooth "
    "Modeling, Simulations, and Experiments, IEEE Transactions on Robotics 24 (2), 2008",
    "liljeback2014": "P. Liljebäck, K. Y. Pettersen, Ø. Stavdahl, J. T. Gravdahl: A 3D Motion Planning Framework for "
    "Snake Robots, IEEE/RSJ International Conference on Intelligent Robots and Systems, 2014",
    "holden2014": "C. Holden, Ø. Stavdahl, J. T. Gravdahl: Optimal Dynamic Force Mapping for Obstacle-Aided Locomotion "
    "in 2D Snake Robots, IEEE/RSJ International Conference on Intelligent Robots and Systems, 2014",
    "liljeback2011": "P. Liljebäck, K. Y. Pettersen, Ø. Stavdahl, J. T. Gravdahl: Experimental Investigation of "
    "Obstacle-Aided Locomotion With a Snake Robot, IEEE Transactions on Robotics 27 (4), 2011",
}
"""The papers by the name that their scenarios have, in the order of the report."""


@dataclass(frozen=True, kw_only=True)
class PlacedClaim:
    """A claim and where it stands."""

    claim: Claim
    """The claim."""
    paper: str
    """Name of its paper, a key of PAPERS."""
    scenario: str
    """Name of the scenario or sweep with which it stands."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """How a claim fared; all in JSON types."""

    id: str
    """Short name, such as TA1."""
    paper: str
    """Name of the paper."""
    where: str
    """Where the paper says so."""
    statement: str
    """What it says, in our words."""
    measured: Mapping[str, float | None]
    """What the verdict rests on, by names that end in their units; None where there is no number."""
    tolerance: str
    """What the check demands."""
    verdict: str
    """What was found now."""
    recorded_verdict: str
    """What is on record."""
    reason: str
    """Why the verdict on record is not simply "reproduced"."""
    scenario: str
    """Name of the scenario or sweep with which the claim stands."""
    failure: str
    """Why the claim could not be measured; empty if it could."""
    seconds: float
    """Time that the check took, with the runs that nobody had asked for before [s]."""

    @property
    def as_recorded(self) -> bool:
        """Whether the verdict found is the one on record."""
        return self.verdict == self.recorded_verdict

    def document(self) -> dict[str, Any]:
        """The finding as JSON has it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def chosen_papers(names: Sequence[str]) -> tuple[str, ...]:
    """The papers of these names, or all, in the order of the report."""
    for name in names:
        if name not in PAPERS:
            raise UnknownName("paper", name, PAPERS)
    return tuple(paper for paper in PAPERS if not names or paper in names)


def claims_of(paper: str) -> tuple[PlacedClaim, ...]:
    """The claims of a paper by their numbers."""
    found = []
    for name in scenario_names():
        if name.startswith(f"{paper}/"):
            found += [PlacedClaim(claim=claim, paper=paper, scenario=name) for claim in scenario(name).claims]
    for name in sweep_names():
        if name.startswith(f"{paper}/"):
            found.append(PlacedClaim(claim=sweep(name).claim, paper=paper, scenario=name))
    return tuple(sorted(found, key=lambda placed: int(placed.claim.id[2:])))


class Runs:
    """Runs of scenarios and sweeps by name, each simulated when first asked for."""

    def __init__(self, begin: Callable[[str], None] | None = None) -> None:
        """`begin` is called with the name of every run before it is simulated."""
        self._kept: dict[str, xarray.Dataset] = {}
        self._begin = begin
        self.seconds: dict[str, float] = {}
        """What each run took [s]."""

    def __call__(self, name: str) -> xarray.Dataset:
        """The run of a scenario, or the runs of a sweep."""
        if name not in self._kept:
            if self._begin is not None:
                self._begin(name)
            begun = time.perf_counter()
            self._kept[name] = sweep(name).run() if name in sweep_names() else scenario(name).run()
            self.seconds[name] = time.perf_counter() - begun
        return self._kept[name]


def judge(placed: PlacedClaim, runs: Runs, log: ResultLog | None = None) -> Finding:
    """The claim's verdict now; one that the log has from the same sources is taken from there."""
    from pushpoint.simulation.provenance import plain

    claim, key = placed.claim, f"claim {placed.claim.id}"
    if log is not None and key in log:
        return Finding(**log.get(key))
    begun = time.perf_counter()
    failure, measured = "", {}
    try:
        found = claim.evaluate(runs)
        verdict, measured = found.verdict, {name: float(value) for name, value in found.measured.items()}
    except SimulationFailed as error:  # what does not run to its end does not reproduce anything
        verdict, failure = "not reproduced", str(error)
    finding = Finding(
        id=claim.id,
        paper=placed.paper,
        where=claim.where,
        statement=claim.statement,
        measured=plain(measured),
        tolerance=claim.tolerance,
        verdict=verdict,
        recorded_verdict=claim.recorded,
        reason=claim.reason,
        scenario=placed.scenario,
        failure=failure,
        seconds=round(time.perf_counter() - begun, 3),
    )
    if log is not None:
        log.add(key, finding.document())
    return finding


def counts(findings: Iterable[Finding]) -> dict[str, Any]:
    """How many claims got which verdict, in all and by paper, and how many not the one on record."""
    found = list(findings)
    papers = dict.fromkeys(finding.paper for finding in found)
    return {
        "claims": len(found),
        **_by_verdict(found),
        "not_as_recorded": sum(not finding.as_recorded for finding in found),
        "papers": {paper: _by_verdict([one for one in found if one.paper == paper]) for paper in papers},
    }


def _by_verdict(findings: Sequence[Finding]) -> dict[str, int]:
    number = Counter(finding.verdict for finding in findings)
    return {verdict: number[verdict] for verdict in VERDICTS}


def document_of(findings: Iterable[Finding]) -> dict[str, Any]:
    """All findings as one JSON document."""
    found = list(findings)
    return {"claims": [finding.document() for finding in found], "counts": counts(found)}


def complaint(findings: Iterable[Finding]) -> str:
    """A sentence about the claims whose verdict is not the one on record; empty if there is none."""
    wrong = [
        f"{one.id} is {one.verdict}, recorded as {one.recorded_verdict}" + (f" ({one.failure})" if one.failure else "")
        for one in findings
        if not one.as_recorded
    ]
    return f"verdicts differ from the recorded ones: {'; '.join(wrong)}" if wrong else ""
