"""One comparison of the engine with something known, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import positive, store

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


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What a check measured."""

    error: float
    """How far off, in the unit of the check; NaN counts as failed."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Numbers behind it; a name says what it is and ends in its unit."""
    plot: Plot | None = None
    """A picture, if one says more than the numbers."""

    def __post_init__(self) -> None:
        plain = {name: float(value) for name, value in self.values.items()}
        store(self, error=float(self.error), values=plain)


@dataclass(frozen=True, kw_only=True)
class Peer:
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
    measure: Callable[[], Finding]
    """Runs the simulations and compares."""
    peer: Peer | None = None
    """The same in MuJoCo, where that makes sense."""

    def __post_init__(self) -> None:
        if self.group not in GROUPS:
            raise InvalidModel(f"check {self.id}: group", self.group, f"one of {', '.join(GROUPS)}")
        if self.tolerance != 0.0:
            positive(f"check {self.id}: tolerance", self.tolerance, self.unit)

    def passes(self, error: float) -> bool:
        """Whether an error is within the tolerance."""
        return math.isfinite(error) and error <= self.tolerance


@dataclass(frozen=True, kw_only=True)
class PeerResult:
    """What MuJoCo gave."""

    measured: float | None
    """Its error, as the check defines it; None where it could not be measured."""
    note: str
    """How the case was put to it, or why there is no number."""


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """What came of a check; made of plain numbers and texts, so that it can be kept as JSON."""

    id: str
    """Short name of the check."""
    group: str
    """A key of GROUPS."""
    statement: str
    """What is compared."""
    expected_from: str
    """Where the expectation comes from."""
    error_is: str
    """What the error means."""
    measured: float | None
    """The error, in `unit`; None if there is none."""
    tolerance: float
    """Largest error that passes, in `unit`."""
    unit: str
    """Unit of error and tolerance."""
    reason: str
    """Why the tolerance is what it is."""
    passed: bool
    """Whether the error is within the tolerance."""
    seconds: float
    """Time that it took, MuJoCo included [s]."""
    values: Mapping[str, float | None]
    """Numbers behind the error."""
    mujoco: PeerResult | None
    """The same in MuJoCo; None where that makes no sense."""
    failure: str
    """Why there is no error, in a sentence; empty if there is one."""
    plot: Plot | None
    """A picture, as numbers."""

    def as_plain(self) -> dict[str, Any]:
        """As JSON types."""
        plain: dict[str, Any] = asdict(self)
        return plain

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> CheckResult:
        """The inverse of as_plain."""
        kept = dict(plain)
        peer, plot = kept.pop("mujoco"), kept.pop("plot")
        if plot is not None:
            plot = Plot(**{**plot, "curves": tuple(Curve(**curve) for curve in plot["curves"])})
        return CheckResult(**kept, mujoco=None if peer is None else PeerResult(**peer), plot=plot)


def curve(label: str, x: Any, y: Any, *, expected: bool = False) -> Curve:
    """A curve of arrays."""
    numbers = (tuple(float(value) for value in np.ravel(values)) for values in (x, y))
    along, up = numbers
    return Curve(label=label, x=along, y=up, expected=expected)
