"""How the papers' experiments, claims and figures are written: as functions that build, measure and draw."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec

from pushpoint import plots
from pushpoint.errors import UnknownName
from pushpoint.papers.reported import Reported, draw_reported, reported
from pushpoint.scenarios.claim import Claim, RunOf, Verdict
from pushpoint.scenarios.scenario import Scenario

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from pushpoint.worlds.world import World

Build = Callable[[], Scenario]
Given = ParamSpec("Given")


def first_paragraph(function: Callable[..., Any]) -> str:
    """The first paragraph of a docstring, on one line."""
    return (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")


def described(build: Callable[..., Any], paper: str = "") -> dict[str, Any]:
    """Name and title of an experiment: its builder's name in its paper, and the first paragraph of the docstring.

    If another name in the module is in the way, the builder's name ends in `_scenario`, which is not part of the
    experiment's name.
    """
    room = paper or build.__module__.split(".")[-2]
    plain = build.__name__.removesuffix("_scenario").replace("_", "-")
    return {"name": f"{room}/{plain}", "title": first_paragraph(build)}


def listed(*builders: Build, paper: str = "") -> dict[str, Build]:
    """Builders by the names of their experiments."""
    return {described(build, paper)["name"]: build for build in builders}


def named_claims(paper: str, ids: str) -> tuple[Claim, ...]:
    """Claims of a paper by their ids. Its module `claims` is loaded here, because it uses scenarios."""
    return tuple(getattr(import_module(f"pushpoint.papers.{paper}.claims"), each) for each in ids.split())


def experiment(
    source: str, claims: str = "", *, paper: str = "", **run: Any
) -> Callable[[Callable[Given, World | Sequence[World]]], Callable[Given, Scenario]]:
    """Turns a function that builds a world, or those of a sweep, into one that builds a `Scenario`.

    The function's name and docstring describe the scenario. `claims` are ids from the paper's `claims`; `run` holds the
    other fields of the scenario.
    """

    def published(worlds: Callable[Given, World | Sequence[World]]) -> Callable[Given, Scenario]:
        @wraps(worlds)
        def build(*args: Given.args, **options: Given.kwargs) -> Scenario:
            stated = named_claims(worlds.__module__.split(".")[-2], claims)
            about = described(worlds, paper)
            return Scenario(worlds=worlds(*args, **options), source=source, claims=stated, **about, **run)

        return build

    return published


def claim(
    where: str, *, tolerance: str, recorded: str = "reproduced", reason: str = ""
) -> Callable[[Callable[..., Verdict]], Claim]:
    """Turns a function that measures into a `Claim`. Its name is the id; its docstring begins with what the paper says.

    Its parameters are named after the experiments whose runs it measures.
    """
    words = {"where": where, "tolerance": tolerance, "recorded": recorded, "reason": reason}

    def claimed(measure: Callable[..., Verdict]) -> Claim:
        room = measure.__module__.split(".")[-2]
        names = [f"{room}/{name.replace('_', '-')}" for name in inspect.signature(measure).parameters]

        def check(run_of: RunOf) -> Verdict:
            return measure(*map(run_of, names))

        return Claim(id=measure.__name__, statement=first_paragraph(measure), check=check, **words)

    return claimed


def verdict(good: bool, partly: bool = False, /, **measured: float) -> Verdict:
    """The verdict: "reproduced" if good, else "approximate" if partly. Names of measured values end with their unit."""
    word = "reproduced" if good else "approximate" if partly else "not reproduced"
    return Verdict(verdict=word, measured={name: float(value) for name, value in measured.items()})


@dataclass(frozen=True, kw_only=True)
class Material:
    """What figures are made from."""

    run_of: RunOf
    """Returns the run of a scenario, or the runs of a sweep, by name."""
    verdicts: Mapping[str, str]
    """The verdicts on the paper's claims, by their ids."""

    def runs(self, names: Mapping[str, str]) -> dict[str, xarray.Dataset]:
        """The runs of some scenarios, by their labels."""
        return {label: self.run_of(name) for label, name in names.items()}


Draw = Callable[[Material], "Figure"]
SceneOf = Callable[[Material], "plots.Scene"]
Figures = Sequence[tuple[str, str, str, str, Draw]]
"""Figures as listed in a paper's module: key, where, claims, caption and drawing function; see PaperFigure."""
SIMULATION_ONLY = "Ours is simulated; the paper's shows the real robot as well, which cannot be reproduced."
NO_ROBOT = "Ours is simulated; the paper's shows experiments with the real robot, which cannot be reproduced."


@dataclass(frozen=True, kw_only=True)
class PaperFigure:
    """One figure of the report."""

    key: str
    """Short name and file name, such as transeth2008a-fig-13."""
    where: str
    """Its place in the paper: a figure's number, or the section whose words it shows."""
    claims: tuple[str, ...]
    """Claims that it illustrates."""
    caption: str
    """What it shows, and what the paper's figure shows."""
    build: Draw
    """Draws it."""


def figures_of(paper: str) -> tuple[PaperFigure, ...]:
    """The figures of a paper, in the paper's order."""
    rows: Figures = import_module(f"pushpoint.papers.{paper}.claims").FIGURES
    drawn: dict[str, list[Reported]] = {row[0]: [] for row in rows}
    for one in reported(paper).values():
        for name in dict.fromkeys(drawing.figure for drawing in one.drawn):
            if name not in drawn:
                raise UnknownName(f"figure of {paper} for what {one.key} reports", name, drawn)
            drawn[name].append(one)
    return tuple(
        PaperFigure(
            key=f"{paper}-{key}",
            where=where,
            claims=tuple(claims.split()),
            caption=" ".join((caption, *map(_beside_ours, drawn[key]))),
            build=_with_reported(paper, key, build),
        )
        for key, where, claims, caption, build in rows
    )


def _beside_ours(one: Reported) -> str:
    """What a caption says about reported numbers in a figure."""
    return f"In purple, {one.kind} in the paper: {one.what} ({one.where}; {one.origin})."


def _with_reported(paper: str, key: str, build: Draw) -> Draw:
    """Draws a figure with the numbers that the paper reports for it."""

    def draw(material: Material) -> Figure:
        figure = build(material)
        draw_reported(paper, key, figure)
        return figure

    return draw


def shown(plot: str, name: str, **options: Any) -> Draw:
    """Draws the run of a scenario with a function of `pushpoint.plots`, loaded when it draws."""
    return lambda material: getattr(plots, plot)(material.run_of(name), **options)


def positions_shown(heading: str, link: int, facts: str, names: Mapping[str, str]) -> Draw:
    """Draws the position of a link over time in the runs of some scenarios, by their labels."""
    return lambda material: plots.positions(heading, material.runs(names), link, facts)


def scene(title: str, name: str, beside: Mapping[str, str] = MappingProxyType({}), **options: Any) -> SceneOf:
    """A picture of the run of a scenario, for `scenes_shown`; `beside` are other scenarios by their labels."""
    return lambda given: plots.Scene(title=title, run=given.run_of(name), beside=given.runs(beside), **options)


def scenes_shown(heading: str, subject: str, facts: str, *scenes: SceneOf, columns: int = 1) -> Draw:
    """Draws pictures to one scale; see `plots.scenes`."""
    return lambda given: plots.scenes(heading, subject, facts, [each(given) for each in scenes], columns=columns)


def sweep_shown(name: str) -> Draw:
    """Draws a sweep, with the verdict on its claim."""

    def draw(material: Material) -> Figure:
        from pushpoint.papers.registry import scenario
        from pushpoint.papers.transeth2008a.scenarios import sweep_speeds

        chosen = scenario(name)
        runs, found = material.run_of(name), Verdict(verdict=material.verdicts[chosen.claims[0].id])
        if chosen.varies is not None and chosen.varies.measures is not None:
            return plots.sweep_effects(chosen, runs, found)
        return plots.sweep(chosen, sweep_speeds(chosen, runs), found)

    return draw
