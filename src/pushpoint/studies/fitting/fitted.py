"""What a fit found: parameters with their intervals, what the recording cannot tell apart, and what it leaves over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import xarray as xr

from pushpoint.brief import brief
from pushpoint.scenarios.scenario import Scenario
from pushpoint.studies.fitting.prediction import DELAY
from pushpoint.studies.variants import varied_worlds

CORRELATED = 0.3
"""Correlation between neighbouring residuals from which they are not noise [-]."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a fit."""

    value: float
    """The value that fits best, in the unit of the parameter."""
    low: float
    """Lower end of the 95 % interval, not below the range, in the unit of the parameter."""
    high: float
    """Upper end of the 95 % interval, not above the range, in the unit of the parameter."""
    known: bool
    """Whether the recording tells more about it than its range did."""


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """What `fit` found."""

    __repr__ = brief

    base: Scenario
    """The scenario whose parameters were fitted."""
    parameters: Mapping[str, Parameter]
    """The parameters by name."""
    not_told_apart: Sequence[Sequence[str]]
    """Groups of parameters that the recording cannot tell apart; a group of one is one that it does not show."""
    correlation: np.ndarray
    """Correlation of the parameters' errors [-], shape (n_parameters, n_parameters)."""
    noise: Mapping[str, float]
    """Standard deviation of what is left, by variable, in its unit."""
    residual: xr.DataArray
    """Recording minus prediction over time, dims (channel, time), in the unit of each channel; NaN in gaps."""

    @property
    def scenario(self) -> Scenario:
        """The scenario with the fitted parameters; a delay belongs to the recording and not to it."""
        values = {name: each.value for name, each in self.parameters.items() if name != DELAY}
        (world,) = varied_worlds(self.base, [values])
        title = f"{self.base.title or self.base.name}, fitted to a recording"
        kept = {"worlds": world, "title": title, "claims": (), "origin": None}
        return Scenario(**{**{name: getattr(self.base, name) for name in self.base.__dataclass_fields__}, **kept})

    @property
    def explained(self) -> bool:
        """Whether what is left looks like noise: neighbouring residuals are not alike."""
        return self.likeness < CORRELATED

    @property
    def likeness(self) -> float:
        """Largest correlation between neighbouring residuals of a channel [-]; near 0 for noise."""
        found = []
        for row in self.residual.values:
            pairs = np.isfinite(row[1:]) & np.isfinite(row[:-1])
            a, b = row[:-1][pairs], row[1:][pairs]
            size = float(np.sqrt((a @ a) * (b @ b)))
            found.append(float(a @ b) / size if size > 0.0 else 0.0)
        return max(found)

    def sentences(self) -> list[str]:
        """What a reader should know: parameters, what is not told apart, whether the intervals can be trusted."""
        said = []
        for name, each in self.parameters.items():
            words = "" if each.known else "; the recording tells no more than the range"
            said.append(f"{name} = {each.value:.4g}, 95 % within {each.low:.4g} to {each.high:.4g}{words}")
        for group in self.not_told_apart:
            if len(group) == 1:
                said.append(f"the recording does not show {group[0]}")
            else:
                said.append(
                    f"the recording cannot tell {' and '.join(group)} apart: only a combination of them is known"
                )
        if not self.explained:
            said.append(
                f"what is left is not noise (neighbouring residuals correlate by {self.likeness:.2f}): the scenario "
                "lacks something, and the intervals are too narrow"
            )
        return said

    def document(self) -> dict[str, object]:
        """Everything except the residuals in JSON types."""
        return {
            "parameters": {name: asdict(each) for name, each in self.parameters.items()},
            "not_told_apart": [list(group) for group in self.not_told_apart],
            "correlation": self.correlation.tolist(),
            "noise": dict(self.noise),
            "likeness_of_neighbours": self.likeness,
            "sentences": self.sentences(),
        }
