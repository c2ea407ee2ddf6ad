"""What may vary: parameters with ranges, and candidates within them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pushpoint.description.changes import keys_in
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import check_fields
from pushpoint.model.quantities import Number

Candidate = Mapping[str, float]
"""Values of all parameters by name."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The range of a parameter."""

    low: Number
    """Smallest value, in the unit of the parameter."""
    high: Number
    """Largest value, in the unit of the parameter."""
    scale: Literal["linear", "log"] = "linear"
    """Whether equal differences or equal ratios count alike; "log" suits frequencies and gains."""

    def __post_init__(self) -> None:
        check_fields(self, "range")
        if not self.low < self.high:
            raise InvalidModel("range.high", self.high, "above {low}", others={"low": self.low})
        if self.scale == "log" and self.low <= 0.0:
            raise InvalidModel("range.low", self.low, "> 0 on a logarithmic scale")

    def at(self, share: float) -> float:
        """The value at a share of the range, from 0 to 1."""
        share = min(1.0, max(0.0, share))
        if self.scale == "log":
            value = math.exp(math.log(self.low) + share * (math.log(self.high) - math.log(self.low)))
        else:
            value = self.low + share * (self.high - self.low)
        return min(self.high, max(self.low, value))

    def share_of(self, value: float) -> float:
        """The share of the range at which a value lies."""
        if self.scale == "log":
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def checked_space(space: Mapping[str, Any]) -> dict[str, Bounds]:
    """Ranges by the keys of a scenario, checked; a pair of numbers is a linear range."""
    if not isinstance(space, Mapping) or not space:
        raise InvalidModel("space", space, "ranges by the keys of a scenario, such as controller.amplitude_deg")
    found: dict[str, Bounds] = {}
    for name, given in space.items():
        keys_in(str(name))
        if isinstance(given, Bounds):
            found[name] = given
        elif isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2:
            try:
                found[name] = Bounds(low=given[0], high=given[1])
            except InvalidModel as error:
                raise InvalidModel(f"space: {name}", tuple(given), f"a range: {error}") from None
        else:
            raise InvalidModel(f"space: {name}", given, "a Bounds, or its two ends")
    return found


def candidate_at(space: Mapping[str, Bounds], shares: np.ndarray) -> dict[str, float]:
    """The candidate at a point of the unit cube, shape (n_parameters,)."""
    return {name: each.at(float(share)) for (name, each), share in zip(space.items(), shares, strict=True)}
