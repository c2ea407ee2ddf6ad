"""One judgement for claims of papers and checks of the physics: items in, findings out, one store, one page.

An item is judged once: what is finished is kept in a store, so that what was stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Protocol

from pushpoint.errors import PushpointError
from pushpoint.pages.page import build_page, figure_png, write_page
from pushpoint.papers.registry import scenario
from pushpoint.papers.writing import Material, PaperFigure
from pushpoint.scenarios.claim import RunOf
from pushpoint.simulation.provenance import PACKAGES, version_of
from pushpoint.simulation.storage import source_digest
from pushpoint.studies.storing.results import KeptResults, kept_results
from pushpoint.whole_files import remove_file, write_bytes

KEPT, PAGE, RESULTS, FIGURES = "finished", "report.html", "results.json", "figures"
"""The store of what is finished, and files, in the folder."""
Picture = bytes | str
"""A PNG picture, or a sentence that says why there is none."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What was found about an item, in JSON types, which a store can keep. `finding[name]` is part of its report."""

    group: str
    """What it belongs to: a paper, or a group of checks."""
    verdict: str
    """What was found."""
    wanted: str
    """What must be found; anything else is a failure."""
    report: Mapping[str, Any]
    """All that results.json says about it, by its names there: "id", "statement", "failure", "seconds" and more."""
    plot: Mapping[str, Any] | None = None
    """Numbers of a picture of it."""

    @property
    def id(self) -> str:
        """Short name of the item."""
        return str(self.report["id"])

    @property
    def as_wanted(self) -> bool:
        """Whether the verdict is the one that it must be."""
        return self.verdict == self.wanted

    def __getitem__(self, name: str) -> Any:
        return self.report[name]


class Item(Protocol):
    """What can be judged."""

    @property
    def id(self) -> str:
        """Short name, unique among those that are judged together."""

    def judge(self, run_of: RunOf) -> Finding:
        """The finding, from runs of published experiments or from runs of its own."""


def remembered_runs() -> RunOf:
    """Runs of scenarios and sweeps by name, each simulated when first asked for."""
    return cache(lambda name: scenario(name).run())


def judge_item(item: Item, run_of: RunOf, kept: KeptResults | None = None) -> Finding:
    """What is found about an item now; a finding that is kept from the same sources is taken from there."""
    if kept is not None and item.id in kept:
        return Finding(**kept[item.id])
    begun = time.perf_counter()
    found = item.judge(run_of)
    finding = replace(found, report={**found.report, "seconds": round(time.perf_counter() - begun, 3)})
    if kept is not None:
        kept.add({item.id: asdict(finding)})
    return finding


@dataclass(frozen=True, kw_only=True)
class Judgement(ABC):
    """Findings and what they come to."""

    findings: Sequence[Finding]
    """What was found, by group."""
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    """Pictures of papers' figures by their keys."""
    source: str = ""
    """What it was found with."""
    done_before: int = 0
    """How many of the findings were kept from an earlier time [-]."""

    command: ClassVar[str]
    """The command that judges so."""
    items: ClassVar[str]
    """What is judged, as results.json calls it; also the template of its rows."""
    verdicts: ClassVar[tuple[str, ...]]
    """What can be found, the best first."""
    title: ClassVar[str]
    """Title of the page."""
    subtitle: ClassVar[str]
    """What the page is about."""
    summary: ClassVar[tuple[str, ...]]
    """Columns that stand before the verdicts in the first table."""

    @property
    def basis(self) -> tuple[str, ...]:
        """What it rests on, in paragraphs; the first of them stands out."""
        return ()

    @property
    @abstractmethod
    def counts(self) -> dict[str, Any]:
        """How many items got which verdict, in all and by group."""

    @property
    @abstractmethod
    def complaint(self) -> str:
        """A sentence about what is not as it must be; empty if all is."""

    @property
    @abstractmethod
    def listed(self) -> list[Finding]:
        """Findings that the page lists before all others."""

    @abstractmethod
    def about(self, group: str) -> dict[str, Any]:
        """What the page says about a group: about, figures, and what else the template of its rows needs."""

    @property
    def groups(self) -> list[str]:
        """Groups in their order."""
        return list(dict.fromkeys(one.group for one in self.findings))

    def of(self, group: str | None) -> list[Finding]:
        """The findings of a group, or all."""
        return [one for one in self.findings if group in (None, one.group)]

    def tally(self, group: str | None = None) -> dict[str, int]:
        """How many findings there are by verdict, in all or in a group."""
        number = Counter(one.verdict for one in self.of(group))
        return {verdict: number[verdict] for verdict in self.verdicts}

    @property
    def document(self) -> dict[str, Any]:
        """All findings as one JSON document."""
        return {self.items: [dict(one.report) for one in self.findings], "counts": self.counts}

    def page(self) -> str:
        """The report as one HTML page."""
        groups = []
        for name in self.groups:
            shown = {"name": name, "title": name[:1].upper() + name[1:], "anchor": name.replace(" ", "-")}
            groups.append(shown | {"findings": self.of(name), "tally": self.tally(name)} | self.about(name))
        origin = {
            "Made by": f"pushpoint {self.command}",
            "versions": ", ".join(f"{name} {version_of(name)}" for name in PACKAGES),
            "sources": self.source,
            "checks took": f"{sum(one['seconds'] for one in self.findings):.0f} s",
            "on": time.strftime("%Y-%m-%d"),
        }
        said = {
            name: getattr(self, name)
            for name in ("items", "title", "subtitle", "basis", "complaint", "verdicts", "listed")
        }
        columns = (*self.summary, *self.verdicts)
        return build_page(
            "judgement.html", **said, summary=columns, groups=groups, tally=self.tally(), origin=origin
        )  # fmt: skip

    def write(self, folder: Path) -> dict[str, str]:
        """Writes report.html and results.json; returns the files by what they are."""
        text = json.dumps(self.document, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
        page = self.page()
        # An earlier page leaves before the new results come, so that the two are never of different work.
        results = write_bytes(folder / RESULTS, text.encode(), before=lambda: remove_file(folder / PAGE))
        return {"report": str(write_page(page, folder / PAGE)), "results": str(results)}


@dataclass(frozen=True, kw_only=True)
class WorkPlan:
    """What is to be judged and drawn."""

    judgement: type[Judgement]
    """What becomes of it."""
    items: Mapping[str, Sequence[Item]]
    """Items by group."""
    figures: Mapping[str, Sequence[PaperFigure]] = field(default_factory=dict)
    """Figures by paper."""
    source: str = field(default_factory=source_digest)
    """What kept findings must come from."""

    @property
    def steps(self) -> int:
        """How many things there are to judge and to draw."""
        return sum(map(len, self.items.values())) + sum(map(len, self.figures.values()))


def work_through(plan: WorkPlan, folder: Path, begin: Callable[[str], None] = lambda name: None) -> Judgement:
    """Judges and draws what the folder does not have from the same sources.

    Args:
        plan: What to do.
        folder: Where finished findings and figures are kept.
        begin: Called with a name before each item and each figure.
    """
    findings: list[Finding] = []
    pictures: dict[str, Picture] = {}
    with kept_results(folder / KEPT, plan.source) as kept:
        done_before = sum(item.id in kept for items in plan.items.values() for item in items)
        for group, items in plan.items.items():
            runs = remembered_runs()  # of one group, so that memory is given back before the next
            for item in items:
                begin(item.id)
                findings.append(judge_item(item, runs, kept))
            verdicts = {one.id: one.verdict for one in findings if one.group == group}
            for figure in plan.figures.get(group, ()):
                begin(figure.key)
                pictures[figure.key] = _picture(figure, Material(run_of=runs, verdicts=verdicts), folder, kept)
    return plan.judgement(findings=findings, pictures=pictures, source=plan.source, done_before=done_before)


def _picture(figure: PaperFigure, material: Material, folder: Path, kept: KeptResults) -> Picture:
    """A finished picture is taken if it is the file that was written."""
    file, key = folder / FIGURES / f"{figure.key}.png", f"figure {figure.key}"
    if key in kept and file.is_file():
        content = file.read_bytes()
        if hashlib.sha256(content).hexdigest() == kept[key]:
            return content
    try:
        drawn = figure_png(figure.build(material))
    except PushpointError as error:
        return str(error)
    write_bytes(file, drawn)
    kept.add({key: hashlib.sha256(drawn).hexdigest()})
    return drawn
