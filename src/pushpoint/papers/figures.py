"""Figures of the report, laid out like those of the papers: which there are, and what is written below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    """The figures of a paper in the paper's order."""
    found: tuple[PaperFigure, ...] = import_module(f"pushpoint.papers.{paper}.figures").FIGURES
    return found


def figures(paper: str, *rows: tuple[str, str, str, str, Build]) -> tuple[PaperFigure, ...]:
    """The figures of a paper from rows: key within the paper, where, claims, caption, what makes it."""
    return tuple(
        PaperFigure(key=f"{paper}-{key}", where=where, claims=tuple(claims.split()), caption=caption, build=build)
        for key, where, claims, caption, build in rows
    )


def drawn(draw: Callable[..., Figure], name: str, **options: Any) -> Build:
    """Draws one run, of the scenario of this name."""
    return lambda material: draw(material.run_of(name), **options)


def sweep_figure(name: str) -> Build:
    """Makes the figure of a sweep, with what was found about its claim."""

    def build(material: Material) -> Figure:
        from pushpoint.papers.registry import scenario
        from pushpoint.papers.transeth2008a.sweeps import sweep_speeds
        from pushpoint.plots.figures.sweep import effects, sweep

        chosen = scenario(name)
        runs, verdict = material.run_of(name), material.verdict(chosen.claims[0].id)
        if chosen.varies is not None and chosen.varies.measures is not None:
            return effects(chosen, runs, verdict)
        return sweep(chosen, sweep_speeds(chosen, runs), verdict)

    return build
