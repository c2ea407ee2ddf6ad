"""A run as arrays and objects: one world of it, samples that are numbers, and the model that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.engine.settings import Settings, Status
from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.simulation.provenance import experiment_of, statuses_of
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import xarray

# A diverged run ends in numbers beyond this [in any unit]; they would flatten all that came before.
LARGEST_VALUE = 1e9
# Order of the dimensions of all that is drawn.
DIMS = ("time", "link", "joint", "link_gap", "obstacle", "axis", "quaternion")


def world(run: xarray.Dataset, number: int = 0) -> World:
    """The model that a run, or one world of a batch, was made from; here alone it is known where that is kept."""
    return _chosen(run, experiment_of(run).worlds, number)


def _chosen(run: xarray.Dataset, worlds: tuple[World, ...], number: int) -> World:
    """The world of a number; one that was taken out of a batch is the only one."""
    if "world" not in run.dims:
        return worlds[0]
    if number >= len(worlds):  # runs that were put together by hand
        raise InvalidModel("world", number, f"one of the {len(worlds)} that the run describes")
    return worlds[number]


def driving_controller(run: xarray.Dataset) -> Any:
    """What drove a run; None if it does not say."""
    try:
        return world(run).controller
    except PushpointError:
        return None


@dataclass(frozen=True, kw_only=True)
class Recording:
    """One world of a run."""

    name: str
    """Name of the scenario, and which world of a batch this is."""
    scenario: str
    """Name of the scenario alone."""
    status: str
    """A sentence if the run did not finish, else empty."""
    world: World
    """What was simulated."""
    settings: Settings
    """Numerical choices."""
    time: np.ndarray
    """Sample times [s], shape (n_times,)."""
    samples: xarray.Dataset
    """The world's variables, without a `world` dimension."""

    @property
    def spatial(self) -> bool:
        """Whether the robot moved in space, not in the plane."""
        return self.world.spatial

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
        """A variable, time first and axes last; NaN where it is not a number or beyond all reason."""
        found = self.samples[name]
        values = np.array(found.transpose(*(dim for dim in DIMS if dim in found.dims)), dtype=float)
        values[~(np.abs(values) < LARGEST_VALUE)] = np.nan
        return values

    def joint_rate(self) -> np.ndarray | None:
        """Joint rates [rad/s], shape (n_times, n_joints), if they were recorded or follow from what was."""
        if self.has("joint_rate"):
            return self.values("joint_rate")
        if self.has("link_angular_velocity") and not self.spatial:
            return np.diff(self.values("link_angular_velocity"), axis=1)
        return None

    def joint_groups(self) -> dict[str, np.ndarray]:
        """The joints that turn about the same kind of axis, by its name; those of a planar run have none."""
        if not self.samples.sizes.get("joint"):
            raise InvalidModel("run: joints", 0, "at least 1")
        if not self.spatial:
            return {"": np.arange(self.samples.sizes["joint"])}
        names = np.array([axis.name for axis in self.world.robot.axes])
        return {name: np.flatnonzero(names == name) for name in sorted(set(names.tolist()), reverse=True)}

    def sum_along(self, name: str, direction: np.ndarray) -> np.ndarray:
        """Sum over the links of a vector variable, along a horizontal unit vector; shape (n_times,)."""
        return np.asarray((self.values(name)[..., :2] @ direction).sum(axis=1))

    def travel(self) -> np.ndarray:
        """Horizontal unit vector from start to end of the centre of mass; along x if the robot stayed, shape (2,)."""
        if self.has("center_of_mass"):
            center = self.values("center_of_mass")[:, :2]
            center = center[np.isfinite(center).all(axis=1)]
            moved = center[-1] - center[0] if len(center) > 1 else np.zeros(2)
            if np.hypot(*moved) > max(0.01 * self.world.robot.length, 1e-6):
                return np.asarray(moved / np.hypot(*moved))
        return np.array([1.0, 0.0])


def read_recording(run: xarray.Dataset, number: int = 0) -> Recording:
    """Takes one world of a run, finished or not.

    Args:
        run: A run as `simulate` returns it, or one world taken out of a batch.
        number: Which world, counted from 0, if there are several.
    """
    origin = experiment_of(run)
    scenario = name = origin.name or "run"
    count = run.sizes.get("world", 1)
    if not 0 <= number < count:
        raise InvalidModel("world", number, f"0 to {count - 1}")
    batched = "world" in run.dims or "world" in run.coords
    model = _chosen(run, origin.worlds, number)
    if batched:
        codes = statuses_of(run)
        run = run.isel(world=number) if "world" in run.dims else run
        # A world that was taken out of a batch keeps its number, and the attributes of the batch.
        number = int(run["world"]) if "world" in run.coords else number
        name += f" (world {number} of {max(count, len(codes))})"
    return Recording(
        name=name,
        scenario=scenario,
        status=_failure(run, number if batched else None),
        world=model,
        settings=origin.settings,
        time=np.asarray(run["time"], dtype=float),
        samples=run,
    )


def _failure(run: xarray.Dataset, number: int | None) -> str:
    """A sentence if the run, or this world of a batch, did not finish, else empty."""
    code = str(run.attrs.get("status_code", "finished"))
    sentence = str(run.attrs.get("status") or code)
    codes = statuses_of(run)
    if number is not None and number < len(codes):
        # The batch's sentence is that of its first world that failed.
        code = codes[number]
        if not sentence.startswith(f"world {number} "):
            sentence = Status[code.upper()].value
    return "" if code == "finished" else sentence
