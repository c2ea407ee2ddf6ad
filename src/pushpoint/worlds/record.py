"""What a run writes down: how often, and which variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel, UnknownName
from pushpoint.model.checks import check_fields, store
from pushpoint.model.quantities import Frequency
from pushpoint.worlds.variables import MOST_LOADED_OBSTACLES, VARIABLES


@dataclass(frozen=True, kw_only=True)
class Record:
    """How often, and which variables."""

    __repr__ = brief

    rate: Frequency = 100.0
    """Samples per second [Hz]; the nearest whole number of time steps is taken, and a warning says so if it differs."""
    variables: Sequence[str] | None = None
    """Names of Dataset variables to keep; default: all."""

    def __post_init__(self) -> None:
        check_fields(self, "record")
        if self.variables is not None:
            if isinstance(self.variables, str):
                raise InvalidModel("record.variables", self.variables, "a list of names")
            for name in self.variables:
                if name not in VARIABLES:
                    raise UnknownName("variable", str(name), VARIABLES)
            store(self, variables=tuple(self.variables))

    def steps(self, dt: float) -> int:
        """Time steps from sample to sample [-]."""
        return max(1, round(1.0 / (self.rate * dt)))

    def wants(self, name: str, n_obstacles: int = 0) -> bool:
        """Whether a variable is kept in a run with this many obstacles."""
        if self.variables is None:
            return name != "obstacle_load" or n_obstacles <= MOST_LOADED_OBSTACLES
        return name in self.variables
