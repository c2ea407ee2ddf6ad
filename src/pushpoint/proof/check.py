"""One comparison of the engine with something known, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.model.checks import positive, store
from pushpoint.papers.writing import first_paragraph
from pushpoint.proof.judgement import Finding
from pushpoint.scenarios.claim import RunOf
from pushpoint.simulation.provenance import json_types

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
NOT_INSTALLED = "MuJoCo is not installed; pip install 'pushpoint[bench]' brings it"


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A line, or marked points, of a plot."""

    label: str
    """What it is, for the legend."""
    x: Sequence[float]
    """Abscissas, in the unit of the plot's axis."""
    y: Sequence[float]
    """Ordinates, in the unit of the plot's axis."""
    expected: bool = False
    """Whether it is what should come out, drawn as a thin line; else what did, drawn with marks."""


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A picture of a check, as numbers; the report draws it."""

    title: str
    """What it shows, in a sentence."""
    x_label: str
    """Abscissa with its unit."""
    y_label: str
    """Ordinate with its unit."""
    curves: Sequence[Curve]
    """What is drawn."""
    log_x: bool = False
    """Whether the abscissa is logarithmic."""
    log_y: bool = False
    """Whether the ordinate is logarithmic."""

    @staticmethod
    def of(kept: Mapping[str, Any]) -> Plot:
        """The inverse of `asdict`."""
        return Plot(**{**kept, "curves": tuple(Curve(**curve) for curve in kept["curves"])})


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
class MujocoCase:
    """The same case in MuJoCo."""

    measure: Callable[[Any], float]
    """Takes the module `mujoco`; returns the error as the check defines it, in the same unit."""
    note: str
    """How the case was put to MuJoCo."""


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
    unit: str
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
        failure, found = "", Measured(error=math.nan)
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
            "mujoco": None if self.peer is None else _ask(self.peer),
            "failure": failure,
        }
        return Finding(
            group=self.group,
            verdict="passed" if passed else "failed",
            wanted="passed",
            report=report,
            plot=None if found.plot is None else asdict(found.plot),
        )


def _ask(peer: MujocoCase) -> dict[str, Any]:
    try:
        mujoco = import_module("mujoco")
    except ImportError:
        return {"measured": None, "note": NOT_INSTALLED}
    return {"measured": json_types(float(peer.measure(mujoco))), "note": peer.note}


def checks_of(group: str) -> Callable[..., Callable[[Callable[[], Measured]], Check]]:
    """A decorator for functions that measure: the first paragraph of the docstring is what the `Check` states."""

    def check(name: str, *, unit: str = "1", **said: Any) -> Callable[[Callable[[], Measured]], Check]:
        return lambda measure: Check(
            id=name, group=group, statement=first_paragraph(measure), unit=unit, measure=measure, **said
        )

    return check


def curve(label: str, x: Any, y: Any, *, expected: bool = False) -> Curve:
    """A curve of arrays."""
    along, up = (tuple(float(value) for value in np.ravel(values)) for values in (x, y))
    return Curve(label=label, x=along, y=up, expected=expected)
