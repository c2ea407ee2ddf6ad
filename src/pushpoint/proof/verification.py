"""The physics, checked: one comparison of the engine with something known, and what became of all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.model.checks import positive, store
from pushpoint.pages.page import figure_png
from pushpoint.papers.writing import first_paragraph
from pushpoint.plots.page import NORMAL, SMALL, axes_at
from pushpoint.proof.judgement import Finding, Judgement, WorkPlan
from pushpoint.scenarios.claim import RunOf
from pushpoint.scenery.palette import BLUE, GREEN, GREY, INK, PALE, PURPLE, VERMILION
from pushpoint.simulation.provenance import json_types, version_of
from pushpoint.simulation.storage import source_digest

GROUPS = {
    "closed forms": "Sticking, sliding, rolling, impacts and rest of one body or one chain, by formulas of textbooks.",
    "capstan": "A chain drawn around a fixed peg: the tension grows as the law of the capstan says.",
    "conservation": "What no inner force can change, and where the energy goes.",
    "convergence in dt": "The error falls with the time step as fast as the scheme promises.",
    "convergence in the number of links": "A chain of more and shorter links tends to the curve that it stands for.",
    "solver agreement": "Newton's method and the papers' prox iteration find the same motion.",
    "engines": "Planar, spatial, reduced and event-driven models, written separately, agree.",
    "determinism": "The same inputs give the same bits.",
}
"""Name of each group and what its checks are about, in the order of the report."""
SUBJECTS = ("friction", "impacts", "capstan", "conservation", "convergence", "orders", "agreement", "wheels")
"""Files of `checks/` in which checks stand."""
NOT_INSTALLED = "MuJoCo is not installed; pip install 'pushpoint[bench]' brings it"


class Curve(NamedTuple):
    """A line, or marked points, of a plot."""

    label: str
    """What it is, for the legend."""
    x: Sequence[float] | np.ndarray
    """Abscissas, in the unit of the plot's axis."""
    y: Sequence[float] | np.ndarray
    """Ordinates, in the unit of the plot's axis."""
    expected: bool = False
    """Whether it is what should come out, drawn as a thin line; else what did, drawn with marks."""


@dataclass(frozen=True)
class Plot:
    """A picture of a check, as numbers; the report draws it."""

    title: str
    """What it shows, in a sentence."""
    labels: Sequence[str]
    """Abscissa and ordinate with their units."""
    curves: Sequence[Curve]
    """What is drawn."""
    logarithmic: str = ""
    """The axes that are logarithmic: "x", "y" or "xy"."""


@dataclass(frozen=True)
class Measured:
    """What a check measured."""

    error: float
    """How far off, in the unit of the check; NaN counts as failed."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Numbers behind it; a name says what it is and ends in its unit."""
    plot: Plot | None = None
    """A picture, if one says more than the numbers."""

    def __post_init__(self) -> None:
        store(self, error=float(self.error), values={name: float(value) for name, value in self.values.items()})


@dataclass(frozen=True)
class MujocoCase:
    """The same case in MuJoCo."""

    measure: Callable[[Any], float]
    """Takes the module `mujoco`; returns the error as the check defines it, in the same unit."""
    note: str
    """How the case was put to MuJoCo."""

    def ask(self) -> dict[str, Any]:
        """MuJoCo's error, or that there is no MuJoCo."""
        try:
            mujoco = import_module("mujoco")
        except ImportError:
            return {"measured": None, "note": NOT_INSTALLED}
        return {"measured": json_types(float(self.measure(mujoco))), "note": self.note}


@dataclass(frozen=True, kw_only=True)
class Check:
    """One comparison: what, with which expectation, how near it must come."""

    id: str
    """Short name, unique."""
    group: str
    """A key of GROUPS."""
    statement: str
    """What is compared, in a sentence."""
    expected_from: str
    """Where the expectation comes from: the closed form or law, as text."""
    error_is: str
    """What the error means, such as "largest relative error of the distance"."""
    tolerance: float
    """Largest error that passes, in `unit`; 0 asks for equal bits."""
    unit: str = "1"
    """Unit of error and tolerance; "1" for ratios."""
    reason: str
    """Why the tolerance is what it is."""
    measure: Callable[[], Measured]
    """Runs the simulations and compares."""
    peer: MujocoCase | None = None
    """The same in MuJoCo, where that makes sense."""

    def __post_init__(self) -> None:
        if self.group not in GROUPS:
            raise InvalidModel(f"check {self.id}: group", self.group, f"one of {', '.join(GROUPS)}")
        if self.tolerance != 0.0:
            positive(f"check {self.id}: tolerance", self.tolerance, self.unit)

    def passes(self, error: float) -> bool:
        """Whether an error is within the tolerance."""
        return math.isfinite(error) and error <= self.tolerance

    def judge(self, run_of: RunOf | None = None) -> Finding:
        """The error, and MuJoCo's where it is installed and makes sense; a run that fails is a failed check."""
        failure, found = "", Measured(math.nan)
        try:
            found = self.measure()
        except PushpointError as error:
            failure = str(error)
        if not failure and not math.isfinite(found.error):
            failure = "the error is not a number"
        passed = self.passes(found.error)
        report = {
            **{name: getattr(self, name) for name in ("id", "group", "statement", "expected_from", "error_is")},
            "measured": json_types(found.error),
            **{name: getattr(self, name) for name in ("tolerance", "unit", "reason")},
            "passed": passed,
            "seconds": 0.0,
            "values": json_types(found.values),
            "mujoco": None if self.peer is None else self.peer.ask(),
            "failure": failure,
        }
        plot = None if found.plot is None else json_types(asdict(found.plot))
        verdict = "passed" if passed else "failed"
        return Finding(group=self.group, verdict=verdict, wanted="passed", report=report, plot=plot)


def checks_of(group: str, **shared: Any) -> Callable[..., Callable[[Callable[[], Measured]], Check]]:
    """A decorator for functions that measure: their name is the id, the first paragraph of the docstring the statement.

    `shared` is what all checks say that it makes. What is no plain function is given an id and a statement.
    """

    def check(name: str = "", statement: str = "", **said: Any) -> Callable[[Callable[[], Measured]], Check]:
        return lambda measure: Check(
            id=name or measure.__name__.replace("_", "-"),
            group=group,
            statement=statement or first_paragraph(measure),
            measure=measure,
            **shared,
            **said,
        )

    return check


def relative(found: Any, expected: Any) -> float:
    """Largest relative deviation [-]."""
    return float(np.max(np.abs(np.asarray(found) / np.asarray(expected) - 1.0)))


def order_is(order: int) -> dict[str, Any]:
    """What checks of an order say of it: the errors of `convergence`."""
    return {"error_is": f"deviation of the order from {order}", "tolerance": 0.1}


def order_of(steps: Sequence[float] | np.ndarray, errors: Sequence[float]) -> float:
    """The power of the steps with which errors fall [-]: the slope of a line through their logarithms."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def convergence(
    steps: Sequence[float] | np.ndarray,
    errors: Sequence[float],
    y_label: str,
    values: Mapping[str, float],
    *,
    x: Sequence[float] | None = None,
    x_label: str = "time step [s]",
    order: int = 1,
) -> Measured:
    """How far from an order errors fall with the steps, drawn over the steps or over `x`."""
    h, along = np.asarray(steps), np.asarray(steps if x is None else x, dtype=float)
    found = order_of(h, errors)
    line = errors[-1] * (h / h[-1]) ** order
    curves = (
        Curve(f"{('first', 'second')[order - 1]} order", along, line, expected=True),
        Curve("pushpoint", along, errors),
    )
    plot = Plot(f"Order {found:.2f}", (x_label, y_label), curves, logarithmic="xy")
    return Measured(abs(found - order), {"order_1": found, **values}, plot)


def all_checks() -> tuple[Check, ...]:
    """Every check that stands in a file of SUBJECTS, by group."""
    modules = (import_module(f"pushpoint.proof.checks.{subject}") for subject in SUBJECTS)
    found = [one for module in modules for one in vars(module).values() if isinstance(one, Check)]
    return tuple(sorted(found, key=lambda check: list(GROUPS).index(check.group)))


def plan_of_checks() -> WorkPlan:
    """All checks; a kept finding must come from the same MuJoCo, or from none."""
    chosen = all_checks()
    return WorkPlan(
        judgement=Verification,
        items={group: [one for one in chosen if one.group == group] for group in GROUPS},
        source=f"{source_digest()} mujoco {version_of('mujoco')}",
    )


class Verification(Judgement):
    """How the checks came out."""

    command, items, verdicts = "verify", "checks", ("passed", "failed")
    title = "The physics of pushpoint, checked"
    subtitle = (
        "Every check compares the engine with something that was known before: a closed form, a law of conservation, a "
        "second implementation. The tolerance stands beside the error, with its reason. Nothing here is compared with "
        "a number from an earlier run, and nothing with a recording of a physical robot: there is none."
    )
    summary = ("group", "what it is about", "checks")

    @property
    def counts(self) -> dict[str, Any]:
        """How many checks there are, passed and failed, in all and by group."""
        groups = {group: {"checks": len(self.of(group)), **self.tally(group)} for group in self.groups}
        return {"checks": len(self.findings), **self.tally(), "groups": groups}

    @property
    def complaint(self) -> str:
        """A sentence that names the checks that failed; empty if none did."""
        failed = [one.id for one in self.findings if not one.as_wanted]
        return f"{len(failed)} of {len(self.findings)} checks failed: {', '.join(failed)}" if failed else ""

    @property
    def listed(self) -> list[Finding]:
        """The checks that have MuJoCo beside them."""
        return [one for one in self.findings if one["mujoco"] is not None]

    def about(self, group: str) -> dict[str, Any]:
        """What the group is about, and pictures of its checks."""
        figures = []
        for one in self.of(group):
            if one.plot is not None:
                plot = Plot(**one.plot)
                told = f"{plot.title}: {plot.labels[1]} over {plot.labels[0]}, found and expected"
                picture = figure_png(build_check_figure(plot))
                figures.append({"key": "", "check": one.id, "picture": picture, "alt": told, "caption": f"{told}."})
        return {"about": GROUPS[group], "figures": figures}


SIZE = (4.6, 3.0)
"""Width and height [in]."""
LOOKS = ((BLUE, "o"), (VERMILION, "s"), (GREEN, "^"), (PURPLE, "D"))


def build_check_figure(plot: Plot) -> Figure:
    """The numbers of a check as a figure."""
    figure = Figure(figsize=SIZE, facecolor="white")
    axes = axes_at(figure, "check", (0.72, 0.32, SIZE[0] - 0.86, SIZE[1] - 0.84))
    curves = [Curve(*one) for one in plot.curves]
    several = sum(curve.expected for curve in curves) > 1
    looks = iter(LOOKS * len(curves))
    for label, x, y, expected in curves:
        if expected:
            # Where several lines are expected each is in the colour of the marks that belong to it, which follow.
            color, mark = next(looks) if several else (INK, "")
            axes.plot(x, y, "-", color=color, linewidth=0.9, label=label, zorder=1.5)
        else:
            if not several:
                color, mark = next(looks)
            axes.plot(x, y, mark, color=color, markersize=4.5, markerfacecolor="white", label=label, zorder=2.0)
    scales = {f"{axis}scale": "log" if axis in plot.logarithmic else "linear" for axis in "xy"}
    axes.set(xlabel=plot.labels[0], ylabel=plot.labels[1], **scales)
    if "x" in plot.logarithmic:
        marks = sorted({value for curve in curves if not curve.expected for value in curve.x})
        axes.set_xticks(marks, [f"{value:g}" for value in marks])
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_title(plot.title, loc="left", fontsize=NORMAL, color=INK, pad=4)
    axes.grid(color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.legend(fontsize=SMALL, frameon=False, labelcolor=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(which="both", color=GREY, labelsize=SMALL)
    return figure
