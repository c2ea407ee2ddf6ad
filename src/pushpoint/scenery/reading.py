"""A run as plain arrays: one world, samples that are numbers, and what the scenario says about the robot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.engine.settings import Status
from pushpoint.errors import InvalidModel

if TYPE_CHECKING:
    import xarray

# A diverged run ends in numbers beyond this [in any unit]; they would flatten all that came before.
LARGEST_VALUE = 1e9
# Order of the dimensions of all that is drawn.
DIMS = ("time", "link", "joint", "link_gap", "obstacle", "axis", "quaternion")


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

    @property
    def spatial(self) -> bool:
        """Whether the robot moved in space, not in the plane."""
        return bool(self.samples.sizes.get("axis") == 3)

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

    def motors(self, field: str) -> np.ndarray:
        """A field of every motor; infinite where the scenario does not say or says that there is no limit."""
        robot = self.document.get("robot", {})
        motors = robot.get("motors") or []
        for joint in robot.get("joints") or []:
            motors = [*motors, *(joint[axis] for axis in ("pitch", "yaw", "motor") if joint.get(axis))]
        return np.array([np.inf if motor.get(field) is None else motor[field] for motor in motors], dtype=float)

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
        names = np.asarray(self.samples["joint_axis"], dtype=str)
        return {name: np.flatnonzero(names == name) for name in sorted(set(names.tolist()), reverse=True)}

    def sum_along(self, name: str, direction: np.ndarray) -> np.ndarray:
        """Sum over the links of a vector variable, along a horizontal unit vector; shape (n_times,)."""
        return np.asarray((self.values(name)[..., :2] @ direction).sum(axis=1))


def read_recording(run: xarray.Dataset) -> Recording:
    """Takes a run, finished or not; of several worlds the first one."""
    try:
        document = json.loads(run.attrs["scenario"])
        if not isinstance(document, dict):
            raise TypeError("not a mapping")
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidModel("run.attrs['scenario']", str(error), "a scenario as JSON") from error
    name = str(document.get("name") or "run")
    world = None
    if "world" in run.dims or "world" in run.coords:
        count = max(run.sizes.get("world", 1), document.get("n_worlds", 1))
        run = run.isel(world=0) if "world" in run.dims else run
        # A world that was taken out of a batch keeps its number, and the attributes of the batch.
        world = int(run["world"]) if "world" in run.coords else 0
        name += f" (world {world} of {count})"
        document |= (document.get("worlds") or {}).get(str(world), {})
    return Recording(
        name=name,
        status=_failure(run, world),
        document=document,
        time=np.asarray(run["time"], dtype=float),
        samples=run,
    )


def _failure(run: xarray.Dataset, world: int | None) -> str:
    """A sentence if the run, or this world of a batch, did not finish, else empty."""
    code = str(run.attrs.get("status_code", "finished"))
    sentence = str(run.attrs.get("status") or code)
    codes = json.loads(run.attrs.get("world_status", "[]"))
    if world is not None and world < len(codes):
        # The batch's sentence is that of its first world that failed.
        code = codes[world]
        if not sentence.startswith(f"world {world} "):
            sentence = Status[code.upper()].value
    return "" if code == "finished" else sentence


def travel_direction(recording: Recording) -> np.ndarray:
    """Horizontal unit vector from start to end of the centre of mass; along x if the robot stayed where it was."""
    if recording.has("center_of_mass"):
        center = recording.values("center_of_mass")[:, :2]
        center = center[np.isfinite(center).all(axis=1)]
        if len(center) > 1:
            moved = center[-1] - center[0]
            links = recording.document.get("robot", {}).get("links") or []
            length = float(sum(link.get("length", 0.0) for link in links))
            if np.hypot(*moved) > max(0.01 * length, 1e-6):
                return np.asarray(moved / np.hypot(*moved))
    return np.array([1.0, 0.0])
