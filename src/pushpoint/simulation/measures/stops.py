"""When a robot stands still, and whether obstacles hold it there."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
import xarray as xr

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import above
from pushpoint.simulation.measures.periods import periods_of
from pushpoint.simulation.measures.whole_batches import number_of_each, values_of, worlds_of
from pushpoint.simulation.provenance import require

SLOW = 0.01
"""Body lengths per second below which a robot stands still [1/s]."""
WINDOW = 1.0
"""Time over which its speed is taken where there is no period [s]."""
HELD = 0.5
"""Share of a stop in which obstacles must push for it to be a jam [-]."""


@checked_arguments
def stops(
    run: xr.Dataset,
    *,
    speed: Annotated[float, above(0, "m/s")] | None = None,
    window: Annotated[float, above(0, "s")] | None = None,
) -> xr.Dataset:
    """When the robot stood still: `count`, and the `start`, `duration` and `jammed` of each stop. Batched or not.

    It stands still in a window at whose end its centre of mass is less than speed x window away from where it was at
    its beginning; windows that overlap are one stop. A stop is a jam if obstacles pushed on a link in at least half of
    its samples; NaN if obstacle_force was not recorded. Stops that last to the end of the run count. In a batch, NaN
    follows the last stop of a world. This is a definition of our own, with the thresholds that you choose.

    Args:
        run: A run.
        speed: Below it the robot stands still [m/s]; default: a hundredth of its length per second.
        window: Over which the speed is taken [s]; default: a period of the gait or of the joints, or 1 s without one.
    """
    require(run, "stops", "center_of_mass")
    held = _held(run)
    slow, span = _thresholds(run, speed, window)
    centers = values_of(run, "center_of_mass", "time", "axis")
    found = [_stops_of(run.time.values, *each) for each in zip(centers, held, slow, span, strict=True)]
    most = max(len(each) for each in found)
    rows = np.full((len(found), most, 3), np.nan)
    for row, each in zip(rows, found, strict=True):
        row[: len(each)] = np.reshape(each, (-1, 3))
    dims = ("world", "stop")
    texts = {
        "start": ("s", "Start of the stop"),
        "duration": ("s", "Duration of the stop"),
        "jammed": ("1", "Held by obstacles"),
    }
    data = {
        name: (dims, rows[:, :, k], {"units": unit, "long_name": words})
        for k, (name, (unit, words)) in enumerate(texts.items())
    }
    counts = ("world", [len(each) for each in found], {"units": "1", "long_name": "Number of stops"})
    listed = xr.Dataset({"count": counts, **data})
    return listed if "world" in run.dims else listed.isel(world=0)


def _thresholds(run: xr.Dataset, speed: float | None, window: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Speeds [m/s] and times [s] of each world below and over which a robot stands still, shapes (n_worlds,)."""
    worlds = worlds_of(run)
    slow = number_of_each(
        worlds, lambda world: SLOW * float(world.robot.column("length").sum()) if speed is None else speed
    )
    if window is not None:
        return slow, np.full(len(worlds), window)
    period = periods_of(run)
    return slow, np.where(np.isnan(period), WINDOW, period)


def _held(run: xr.Dataset) -> np.ndarray:
    """1 where obstacles pushed on a link, else 0; NaN if it is not known. Shape (n_worlds, n_samples)."""
    if "obstacle_force" not in run:
        return np.full((run.sizes.get("world", 1), run.sizes["time"]), np.nan)
    force = values_of(run, "obstacle_force", "time", "link", "axis")
    return np.asarray(((np.nan_to_num(force) ** 2).sum(axis=(2, 3)) > 0.0).astype(float))


def _stops_of(
    time: np.ndarray, center: np.ndarray, held: np.ndarray, slow: float, span: float
) -> list[tuple[float, float, float]]:
    """Start [s], duration [s] and whether it is a jam, of every stop of a single world."""
    center = center[np.isfinite(center).all(axis=1)]
    time = time[: len(center)]
    if len(time) < 2:
        return []
    back = max(1, round(span / float(time[1] - time[0])))
    if len(time) <= back:
        return []
    moved = np.linalg.norm(center[back:] - center[:-back], axis=1)
    still = moved < slow * (time[back] - time[0])
    # Samples within a window that is still; windows overlap, so one stop may hold several stretches of them.
    within = np.zeros(len(time), dtype=bool)
    for first in np.flatnonzero(still):
        within[first : first + back + 1] = True
    edges = np.diff(within.astype(int), prepend=0, append=0)
    ends = zip(np.flatnonzero(edges > 0), np.flatnonzero(edges < 0) - 1, strict=True)
    return [(float(time[a]), float(time[b] - time[a]), _jammed(held[a + 1 : b + 1])) for a, b in ends]


def _jammed(held: np.ndarray) -> float:
    """1 if obstacles held the robot in these samples, else 0; NaN if it is not known."""
    return math.nan if np.isnan(held).any() else float(held.mean() >= HELD)
