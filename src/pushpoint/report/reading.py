"""A run as plain arrays: one world, samples that are numbers, and what the scenario says about the robot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.simulation.schema import VARIABLES

if TYPE_CHECKING:
    import xarray

# A diverged run ends in numbers beyond this [in any unit]; they would flatten all that came before.
LARGEST_VALUE = 1e9


@dataclass(frozen=True, kw_only=True)
class Recording:
    """One world of a run."""

    name: str
    """Name of the scenario, and which world of a batch this is."""
    status: str
    """A sentence if the run did not finish, else empty."""
    document: dict[str, Any]
    """The scenario in plain words and SI numbers; empty if the run does not say."""
    time: np.ndarray
    """Sample times [s], shape (n_times,)."""
    samples: xarray.Dataset
    """The world's variables, without a `world` dimension."""

    def has(self, *names: str) -> bool:
        """Whether all these variables were recorded."""
        return all(name in self.samples for name in names)

    def require(self, names: Sequence[str], reader: str) -> None:
        """Refuses a run in which one of these variables is missing."""
        for name in names:
            if name not in self.samples:
                known = list(self.samples.data_vars)
                raise InvalidModel("run: variables", known, f"a list with {name}, which {reader} needs")

    def values(self, name: str) -> np.ndarray:
        """A variable in the order of its schema; NaN where it is not a number or beyond all reason."""
        dims = VARIABLES[name].dims
        values = np.array(self.samples[name].transpose(*dims), dtype=float)
        values[~(np.abs(values) < LARGEST_VALUE)] = np.nan
        return values

    def motors(self, field: str) -> np.ndarray:
        """A field of every motor; infinite where the scenario does not say or says that there is no limit."""
        motors = self.document.get("robot", {}).get("motors") or []
        return np.array([np.inf if motor.get(field) is None else motor[field] for motor in motors], dtype=float)

    def sum_along(self, name: str, direction: np.ndarray) -> np.ndarray:
        """Sum over the links of a vector variable, along a unit vector; shape (n_times,)."""
        return np.asarray((self.values(name) @ direction).sum(axis=1))


def read_recording(run: xarray.Dataset) -> Recording:
    """Takes a run, finished or not; of a batched run, world 0."""
    try:
        document = json.loads(run.attrs["scenario"])
        if not isinstance(document, dict):
            raise TypeError("not a mapping")
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidModel("run.attrs['scenario']", str(error), "a scenario as JSON") from error
    name = str(document.get("name") or "run")
    if "world" in run.dims:
        name += f" (world 0 of {run.sizes['world']})"
        run = run.isel(world=0)
    finished = run.attrs.get("status_code", "finished") == "finished"
    return Recording(
        name=name,
        status="" if finished else str(run.attrs.get("status") or run.attrs["status_code"]),
        document=document,
        time=np.asarray(run["time"], dtype=float),
        samples=run,
    )


def travel_direction(recording: Recording) -> np.ndarray:
    """Unit vector from start to end of the centre of mass; along x if the robot stayed where it was."""
    if recording.has("center_of_mass"):
        center = recording.values("center_of_mass")
        center = center[np.isfinite(center).all(axis=1)]
        if len(center) > 1:
            moved = center[-1] - center[0]
            links = recording.document.get("robot", {}).get("links") or []
            length = float(sum(link.get("length", 0.0) for link in links))
            if np.hypot(*moved) > max(0.01 * length, 1e-6):
                return np.asarray(moved / np.hypot(*moved))
    return np.array([1.0, 0.0])
