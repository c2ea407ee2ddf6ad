"""A run as arrays and objects: one world of it, samples that are numbers, and the model that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray

from pushpoint.engine.settings import Settings, Status
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.simulation.health import health_of, warnings_about
from pushpoint.simulation.provenance import experiment_of, require, statuses_of
from pushpoint.worlds.edits import Edit
from pushpoint.worlds.goals import Until
from pushpoint.worlds.world import World

# A diverged run ends in numbers beyond this [in any unit]; they would flatten all that came before.
LARGEST_VALUE = 1e9
# Order of the dimensions of all that is drawn.
DIMS = ("time", "link", "joint", "link_gap", "obstacle", "sphere", "axis", "quaternion")


@dataclass(frozen=True, kw_only=True)
class Recording:
    """One world of a run."""

    name: str
    """Name of the scenario, and which world of a batch this is."""
    scenario: str
    """Name of the scenario alone."""
    title: str
    """One line that says what happens; empty if nobody wrote one."""
    status: str
    """A sentence if the run did not finish, else empty."""
    warnings: tuple[str, ...]
    """Where its health is beyond a limit: one sentence each."""
    world: World
    """What was simulated."""
    settings: Settings
    """Numerical choices."""
    until: Until | None
    """What would have ended the run early."""
    edits: tuple[Edit, ...]
    """What was changed on the way."""
    time: np.ndarray
    """Sample times [s], shape (n_times,)."""
    samples: xarray.Dataset
    """The world's variables, without a `world` dimension."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """All warnings of the run, one sentence each."""
        return ((f"Not finished: {self.status}",) if self.status else ()) + self.warnings

    @property
    def spatial(self) -> bool:
        """Whether the robot moved in space, not in the plane."""
        return self.world.spatial

    def has(self, name: str) -> bool:
        """Whether a variable was recorded."""
        return name in self.samples

    def require(self, names: Sequence[str], reader: str) -> None:
        """Refuses a run in which one of these variables is missing."""
        require(self.samples, reader or "this", *names)

    def values(self, name: str) -> np.ndarray:
        """A variable, time first and axes last; NaN where it is not a number or beyond all reason."""
        found = self.samples[name]
        values = np.array(found.transpose(*(dim for dim in DIMS if dim in found.dims)), dtype=float)
        values[~(np.abs(values) < LARGEST_VALUE)] = np.nan
        return values

    def joint_groups(self) -> dict[str, np.ndarray]:
        """The joints that turn about the same kind of axis, by its name; those of a planar run have none."""
        if not self.samples.sizes.get("joint"):
            raise InvalidModel("run: joints", 0, "at least 1")
        if not self.spatial:
            return {"": np.arange(self.samples.sizes["joint"])}
        names = np.array([axis.name for axis in self.world.robot.axes])
        return {name: np.flatnonzero(names == name) for name in sorted(set(names.tolist()), reverse=True)}

    def travel(self) -> np.ndarray:
        """Horizontal unit vector from start to end of the centre of mass; along x if the robot stayed, shape (2,)."""
        if self.has("center_of_mass"):
            center = self.values("center_of_mass")[:, :2]
            center = center[np.isfinite(center).all(axis=1)]
            moved = center[-1] - center[0] if len(center) > 1 else np.zeros(2)
            if np.hypot(*moved) > max(0.01 * self.world.robot.length, 1e-6):
                return np.asarray(moved / np.hypot(*moved))
        return np.array([1.0, 0.0])


@checked_arguments
def read_recording(
    run: xarray.Dataset, number: Natural = 0, *, needs: Sequence[str] = (), reader: str = ""
) -> Recording:
    """Takes one world of a run, finished or not, by its number from 0; without what its reader needs it is refused.

    A run is as `simulate` returns it, or one world taken out of a batch.
    """
    origin = experiment_of(run)
    scenario = name = origin.name or "run"
    count = run.sizes.get("world", 1)
    if not 0 <= number < count:
        raise InvalidModel("world", number, f"0 to {count - 1}")
    model, code = origin.worlds[0], str(run.attrs.get("status_code", "finished"))
    sentence = str(run.attrs.get("status") or code)
    health = health_of(run)
    health = health[number : number + 1] if "world" in run.dims else health
    if "world" in run.dims:
        if number >= len(origin.worlds):  # runs that were put together by hand
            raise InvalidModel("world", number, f"one of the {len(origin.worlds)} that the run describes")
        model = origin.worlds[number]
    if "world" in run.dims or "world" in run.coords:
        codes = statuses_of(run)
        run = run.isel(world=number) if "world" in run.dims else run
        # A world that was taken out of a batch keeps its number, and the attributes of the batch.
        number = int(run["world"]) if "world" in run.coords else number
        name += f" (world {number} of {max(count, len(codes))})"
        if number < len(codes):
            code = codes[number]
            if not sentence.startswith(f"world {number} "):  # the batch's is that of its first world that failed
                sentence = Status[code.upper()].value
    found = Recording(
        name=name,
        scenario=scenario,
        title=origin.title,
        status="" if code == "finished" else sentence,
        warnings=tuple(warnings_about(health, [model], origin.settings)) if len(health) == 1 else (),
        world=model,
        settings=origin.settings,
        until=origin.until,
        edits=origin.edits,
        time=np.asarray(run["time"], dtype=float),
        samples=run,
    )
    found.require(needs, reader)
    return found
