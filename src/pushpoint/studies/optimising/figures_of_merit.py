"""Numbers by which candidates are judged, for all worlds of a batch at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr

from pushpoint.simulation import measures
from pushpoint.simulation.provenance import experiment_of

Judge = Callable[[xr.Dataset, "int | None"], np.ndarray]
"""A figure of merit of every world, shape (n_worlds,), over the last so many periods; None: over all whole ones."""


@dataclass(frozen=True)
class FigureOfMerit:
    """One number about a world."""

    unit: str
    """Its unit; "-" without one."""
    meaning: str
    """What it is, in a few words."""
    needs: tuple[str, ...]
    """Variables that it is computed from."""
    judge: Judge
    """Computes it."""


def _velocity(run: xr.Dataset, periods: int | None) -> np.ndarray:
    return measures.mean_velocity(run, periods=periods).transpose("world", "axis").values[:, :2]


def _speed(run: xr.Dataset, periods: int | None) -> np.ndarray:
    return np.asarray(np.hypot(*_velocity(run, periods).T))


def _power(run: xr.Dataset, periods: int | None) -> np.ndarray:
    return measures.mean_power(run, positive=True, periods=periods).values


def _cost(run: xr.Dataset, periods: int | None) -> np.ndarray:
    weights = [world.robot.mass * world.environment.ground.gravity for world in experiment_of(run).worlds]
    speed = _speed(run, periods) * np.array(weights)
    return np.asarray(_power(run, periods) / np.where(speed > 0.0, speed, np.nan))


def _largest(name: str) -> Judge:
    return lambda run, periods: np.abs(run[name].transpose("world", ...).values).max(axis=(1, 2))


_CENTER, _POWER = ("center_of_mass",), ("joint_power",)
FIGURES: dict[str, FigureOfMerit] = {
    "speed": FigureOfMerit("m/s", "size of the mean velocity, seen from above", _CENTER, _speed),
    "forward_speed": FigureOfMerit("m/s", "mean velocity along x", _CENTER, lambda run, n: _velocity(run, n)[:, 0]),
    "power": FigureOfMerit("W", "mean positive power of all motors", _POWER, _power),
    "net_power": FigureOfMerit(
        "W", "mean power of all motors", _POWER, lambda run, n: measures.mean_power(run, periods=n).values
    ),
    "cost_of_transport": FigureOfMerit("-", "positive power per weight and speed", _CENTER + _POWER, _cost),
    "peak_torque": FigureOfMerit("N m", "largest of a motor", ("joint_torque",), _largest("joint_torque")),
    "peak_angle": FigureOfMerit("rad", "largest of a joint", ("joint_angle",), _largest("joint_angle")),
    "peak_rate": FigureOfMerit("rad/s", "largest of a joint", ("joint_rate",), _largest("joint_rate")),
}
"""The figures of merit by name."""
