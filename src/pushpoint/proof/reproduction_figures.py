"""Figures of the reproduction report, laid out like those of the papers: which there are, and what is written below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pushpoint.scenarios.claim import RunOf, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIMULATION_ONLY = "Ours is simulated; the paper's shows the real robot as well, which cannot be reproduced."
NO_ROBOT = "Ours is simulated; the paper's shows experiments with the real robot, which cannot be reproduced."


@dataclass(frozen=True, kw_only=True)
class Material:
    """What figures are made from."""

    run_of: RunOf
    """Gives the run of a scenario, or the runs of a sweep, by name."""
    verdicts: Mapping[str, str]
    """What was found about the claims of the paper, by their ids."""

    def verdict(self, claim: str) -> Verdict:
        """What was found about a claim."""
        return Verdict(verdict=self.verdicts[claim])


@dataclass(frozen=True, kw_only=True)
class PaperFigure:
    """One figure of the report."""

    key: str
    """Short name and name of its file, such as transeth2008a-fig-13."""
    where: str
    """What it is in the paper: a figure's number, or the section whose words it shows."""
    caption: str
    """What it shows, and what the paper's shows beside it."""
    claims: tuple[str, ...]
    """Claims that it illustrates."""
    build: Callable[[Material], Figure]
    """Makes it."""

    @property
    def text(self) -> str:
        """The whole text below it."""
        return f"{self.where}. {self.caption} ({', '.join(self.claims)})"


def figures_of(paper: str) -> tuple[PaperFigure, ...]:
    """The figures of a paper in the paper's order."""
    from pushpoint.papers.liljeback2014 import figures as reproduction_liljeback
    from pushpoint.papers.transeth2008a import figures as reproduction_transeth

    by_paper = reproduction_transeth.FIGURES | reproduction_liljeback.FIGURES
    return by_paper.get(paper, ())
