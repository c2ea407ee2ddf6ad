"""A sweep: the same experiment with one number changed from world to world, in one batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pushpoint.dynamics.settings import Settings
from pushpoint.errors import InvalidModel
from pushpoint.scenarios.claim import Claim
from pushpoint.simulation.record import Record

if TYPE_CHECKING:
    import xarray

    from pushpoint.simulation.worlds import World


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Worlds that differ in one parameter."""

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
    """Its values, one per world, in that unit."""
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

    def __post_init__(self) -> None:
        if len(self.values) != len(self.worlds):
            raise InvalidModel("sweep.values", len(self.values), f"one per world, {len(self.worlds)}")

    def run(self) -> xarray.Dataset:
        """Simulates all worlds in one batch; the parameter is a coordinate along `world`."""
        from pushpoint.simulation.simulate import simulate

        runs = simulate(worlds=self.worlds, duration=self.duration, settings=self.settings, record=self.record)
        attributes = {"units": self.unit, "long_name": self.parameter}
        return runs.assign_coords(parameter=("world", list(self.values), attributes))
