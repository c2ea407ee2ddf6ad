"""Figures of the report, laid out like those of the papers: which there are, and what is written below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from pushpoint.papers.claims import first_paragraph
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


Build = Callable[[Material], "Figure"]


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
    build: Build
    """Makes it."""

    @property
    def text(self) -> str:
        """The whole text below it."""
        return f"{self.where}. {self.caption} ({', '.join(self.claims)})"


def figures_of(paper: str) -> tuple[PaperFigure, ...]:
    """The figures of a paper in the paper's order, in which they stand in its room."""
    found = vars(import_module(f"pushpoint.papers.{paper}.figures")).values()
    return tuple(one for one in found if isinstance(one, PaperFigure))


def figure(where: str, claims: str, note: str = "") -> Callable[[Build], PaperFigure]:
    """Makes a `PaperFigure` of a function that draws: its name is the key, its docstring the caption, with a note."""

    def drawn(build: Build) -> PaperFigure:
        caption = f"{first_paragraph(build)} {note}".rstrip()
        key = f"{build.__module__.split('.')[-2]}-{build.__name__.replace('_', '-')}"
        return PaperFigure(key=key, where=where, caption=caption, claims=tuple(claims.split()), build=build)

    return drawn


def sweep_figure(material: Material, name: str) -> Figure:
    """The figure of a sweep, with what was found about its claim."""
    from pushpoint import plots
    from pushpoint.papers.registry import scenario
    from pushpoint.papers.transeth2008a.sweeps import sweep_speeds

    chosen = scenario(name)
    runs, verdict = material.run_of(name), material.verdict(chosen.claims[0].id)
    if chosen.varies is not None and chosen.varies.measures is not None:
        return plots.sweep_effects(chosen, runs, verdict)
    return plots.sweep(chosen, sweep_speeds(chosen, runs), verdict)
