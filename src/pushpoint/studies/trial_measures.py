"""What each trial of a comparison came to, measured from the recorded truth and alike for all controllers.

A trial has passed once its head has come 0.7 m forward, half of the robot's length. All figures count until then, or
until the end of the time if it never passes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.control.hybrid import Mode
from pushpoint.papers.liljeback2011.trials import PASSED

if TYPE_CHECKING:
    import xarray

VARIABLES = (
    "link_position",
    "center_of_mass",
    "contact_normal_force",
    "joint_torque",
    "joint_power",
    "controller_mode",
)
"""What must be recorded."""
RATE = 20.0
"""Samples per second [Hz]."""
STOP_TIME, STOP_WAY = 10.0, 0.01
"""A stop: so long [s] without the head coming so much further [m] than it had been."""
LAST_SHARE = 0.2
"""Share of the time at the end in which the cause of a failure is looked for [-]."""
SLOW_WAY = 0.05
"""A trial whose head came further than this in that time was not stuck but late [m]."""
TORQUE_BAND = 0.2
"""Torques below this have no sign: a twentieth of the robot's largest [N m]."""
CAUSES = ("passed", "late", "jammed", "starved", "ended early", "blocked")
"""How a trial can end."""


@dataclass(frozen=True)
class Measures:
    """Of many trials, each an array of shape (n_trials,)."""

    passed: np.ndarray
    """Whether the head came far enough."""
    progress: np.ndarray
    """Farthest the head came along x [m]."""
    advance: np.ndarray
    """How far the centre of mass came along x at last [m]; negative backward."""
    time_to_pass: np.ndarray
    """When it had come far enough [s]; NaN if never."""
    speed: np.ndarray
    """Mean forward speed of the head until it passed or the time was over [m/s]."""
    stops: np.ndarray
    """How often the robot stood: 10 s in which the head came less than 1 cm further than before [-]."""
    resolutions: np.ndarray
    """How often a supervisor resolved a jam [-]; NaN for controllers without one."""
    energy_per_metre: np.ndarray
    """Work of the motors while they drive, nothing taken back, per way of the head [J/m]; NaN if it failed."""
    torque_reversals: np.ndarray
    """Changes of sign of a motor's torque per second, mean of all motors [1/s]."""
    touched: np.ndarray
    """Links touched at a time, mean [-]."""
    cause: np.ndarray
    """One of CAUSES."""

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary of plain numbers per trial."""
        names = [field.name for field in fields(self)]
        columns = [getattr(self, name).tolist() for name in names]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def measures_of(run: xarray.Dataset) -> Measures:
    """The measures of all worlds of a run recorded at RATE."""
    time = run.time.values
    head = run.link_position.sel(axis="x").isel(link=-1).values
    alive = ~np.isnan(head)
    way = np.nan_to_num(head - head[:, :1], nan=-np.inf)
    farthest = np.maximum.accumulate(way, axis=1)
    passed = farthest[:, -1] > PASSED
    last = np.where(passed, np.argmax(farthest > PASSED, axis=1), alive.sum(axis=1) - 1)
    counted = np.arange(len(time)) <= last[:, None]
    spent = np.maximum(time[last], time[1] - time[0])
    center = run.center_of_mass.sel(axis="x").values
    reached = np.take_along_axis(way, last[:, None], axis=1)[:, 0]
    work = _sum_over(np.clip(run.joint_power.values, 0.0, None).sum(axis=2), counted) / RATE
    touching = (np.abs(run.contact_normal_force.values) > 0.0).sum(axis=2)
    causes = np.where(passed, "passed", _causes(farthest, touching, alive))
    return Measures(
        passed=passed,
        progress=farthest[:, -1],
        advance=np.take_along_axis(center, last[:, None], axis=1)[:, 0] - center[:, 0],
        time_to_pass=np.where(passed, time[last], np.nan),
        speed=reached / spent,
        stops=_stops(farthest, counted),
        resolutions=_resolutions(run, counted),
        energy_per_metre=np.where(passed, work / np.where(passed, reached, 1.0), np.nan),
        torque_reversals=_reversals(run.joint_torque.values, counted) / spent,
        touched=_sum_over(touching, counted) / counted.sum(axis=1),
        cause=causes,
    )


def _sum_over(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    return np.asarray(np.where(counted, np.nan_to_num(values), 0.0).sum(axis=1))


def _stops(farthest: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Spells of standing: how often it begins."""
    back = round(STOP_TIME * RATE)
    if farthest.shape[1] <= back:
        return np.zeros(len(farthest), dtype=int)
    standing = (farthest[:, back:] - farthest[:, :-back] < STOP_WAY) & counted[:, back:]
    return np.asarray((np.diff(standing.astype(int), axis=1, prepend=0) > 0).sum(axis=1))


def _resolutions(run: xarray.Dataset, counted: np.ndarray) -> np.ndarray:
    if "controller_mode" not in run:
        return np.full(len(counted), np.nan)
    mode = run.controller_mode.values
    begun = np.diff(((mode == Mode.RESOLVING) & counted).astype(int), axis=1, prepend=0) > 0
    return np.where(np.isnan(mode).all(axis=1), np.nan, begun.sum(axis=1))


def _reversals(torque: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Changes of sign while counted, mean over the joints; a small torque has the sign of the last large one."""
    sign = np.where(np.abs(torque) > TORQUE_BAND, np.sign(torque), 0.0)
    places = np.where(sign != 0.0, np.arange(sign.shape[1])[:, None], 0)
    kept = np.take_along_axis(sign, np.maximum.accumulate(places, axis=1), axis=1)
    changed = (kept[:, 1:] * kept[:, :-1] < 0.0) & counted[:, 1:, None]
    return np.asarray(changed.sum(axis=1).mean(axis=1))


def _causes(farthest: np.ndarray, touching: np.ndarray, alive: np.ndarray) -> np.ndarray:
    """Why trials failed: starved if at most one link is touched most of the time before the end, and so on."""
    first = round((1.0 - LAST_SHARE) * (farthest.shape[1] - 1))
    starved = (touching[:, first:] <= 1).mean(axis=1) > 0.5
    late = farthest[:, -1] - farthest[:, first] > SLOW_WAY
    stuck = np.where(late, "late", np.where(starved, "starved", "jammed"))
    return np.where(alive[:, -1], stuck, "ended early")
