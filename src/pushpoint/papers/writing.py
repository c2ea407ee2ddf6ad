"""How the rooms of the papers write experiments, claims and figures down: as functions that build, measure and draw."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pushpoint.scenarios.claim import Claim, RunOf, Verdict
from pushpoint.scenarios.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def claim(
    where: str, *, tolerance: str, recorded: str = "reproduced", reason: str = ""
) -> Callable[[Callable[[RunOf], Verdict]], Claim]:
    """Makes a `Claim` of a function that measures: its name is the id, what the paper says begins its docstring."""

    def claimed(check: Callable[[RunOf], Verdict]) -> Claim:
        return Claim(
            id=check.__name__,
            statement=first_paragraph(check),
            where=where,
            tolerance=tolerance,
            recorded=recorded,
            reason=reason,
            check=check,
        )

    return claimed


Build = Callable[[], Scenario]


def described(build: Build, paper: str = "") -> dict[str, Any]:
    """Name and title of an experiment: its builder's name in its paper, and the first line of the docstring.

    A builder whose plain name another room has ends in `_scenario`, which is no part of the experiment's name.
    """
    room = paper or build.__module__.split(".")[-2]
    return {"name": f"{room}/{_dashed(build, '_scenario')}", "title": first_paragraph(build)}


def _dashed(function: Callable[..., Any], ending: str) -> str:
    """The name of a function as users write it, without the ending that only says what the function makes."""
    return function.__name__.removesuffix(ending).replace("_", "-")


def listed(*builders: Build, paper: str = "") -> dict[str, Build]:
    """Builders by the names of their experiments."""
    return {described(build, paper)["name"]: build for build in builders}


def first_paragraph(function: Callable[..., Any]) -> str:
    """The first paragraph of a docstring, in one line."""
    return (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")


def verdict(good: bool, partly: bool = False, /, **measured: float) -> Verdict:
    """What was found: "reproduced" if good, else "approximate" if partly so; measured values end in their units."""
    word = "reproduced" if good else "approximate" if partly else "not reproduced"
    return Verdict(verdict=word, measured={name: float(value) for name, value in measured.items()})


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


Draw = Callable[[Material], "Figure"]


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
    build: Draw
    """Makes it."""

    @property
    def text(self) -> str:
        """The whole text below it."""
        return f"{self.where}. {self.caption} ({', '.join(self.claims)})"


def figures_of(paper: str) -> tuple[PaperFigure, ...]:
    """The figures of a paper in the paper's order, in which they stand in its room."""
    found = vars(import_module(f"pushpoint.papers.{paper}.figures")).values()
    return tuple(one for one in found if isinstance(one, PaperFigure))


def figure(where: str, claims: str, note: str = "") -> Callable[[Draw], PaperFigure]:
    """Makes a `PaperFigure` of a function that draws: its name is the key, its docstring the caption, with a note.

    A function whose plain name another room has ends in `_figure`, which is no part of the key.
    """

    def drawn(build: Draw) -> PaperFigure:
        caption = f"{first_paragraph(build)} {note}".rstrip()
        key = f"{build.__module__.split('.')[-2]}-{_dashed(build, '_figure')}"
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
