"""A sweep: the same experiment with one thing changed from world to world, in one batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pushpoint.engine.settings import Settings
from pushpoint.errors import InvalidModel
from pushpoint.scenarios.claim import Claim
from pushpoint.worlds.record import Record

if TYPE_CHECKING:
    import numpy as np
    import xarray

    from pushpoint.worlds.world import World


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Worlds that differ in one parameter, or in something that has a name and no number."""

    name: str
    """Short name, such as transeth2008a/speed-over-frequency."""
    title: str
    """One line that says what is changed and what is seen."""
    source: str
    """Where the experiment comes from."""
    parameter: str
    """What is changed, in words."""
    unit: str
    """Its unit."""
    values: tuple[float, ...]
    """Its values, one per world, in that unit; where there are labels, the number of each."""
    worlds: tuple[World, ...]
    """The worlds."""
    duration: float
    """Simulated time [s]."""
    settings: Settings = Settings()
    """Numerical choices."""
    record: Record = Record(rate=50.0)
    """What is kept of the runs."""
    claim: Claim
    """What the source claims about it."""
    labels: tuple[str, ...] = ()
    """What the worlds are called if no number says what is changed; the first is what the others are compared to."""
    measures: Callable[[xarray.Dataset], Mapping[str, np.ndarray]] | None = None
    """What is shown of a labelled sweep: per name, with its unit, an array of shape (n_worlds,)."""

    def __post_init__(self) -> None:
        if len(self.values) != len(self.worlds):
            raise InvalidModel("sweep.values", len(self.values), f"one per world, {len(self.worlds)}")
        if self.labels and len(self.labels) != len(self.worlds):
            raise InvalidModel("sweep.labels", len(self.labels), f"one per world, {len(self.worlds)}, or none")
        if bool(self.labels) != (self.measures is not None):
            raise InvalidModel("sweep.measures", self.measures, "given with labels, and with labels only")

    def run(self) -> xarray.Dataset:
        """Simulates all worlds in one batch; the parameter is a coordinate along `world`."""
        from pushpoint.simulation.simulate import simulate

        runs = simulate(self.worlds, duration=self.duration, settings=self.settings, record=self.record)
        return self.stamped(runs)

    def stamped(self, runs: xarray.Dataset) -> xarray.Dataset:
        """Runs of these worlds with the parameter, and the labels if there are any, as coordinates."""
        attributes = {"units": self.unit, "long_name": self.parameter}
        runs = runs.assign_coords(parameter=("world", list(self.values), attributes))
        return runs.assign_coords(label=("world", list(self.labels))) if self.labels else runs
