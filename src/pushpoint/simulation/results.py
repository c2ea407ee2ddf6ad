"""From samples to a Dataset: totals become means over the recording interval, here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from pushpoint.dynamics.kinematics import link_positions
from pushpoint.dynamics.settings import Status
from pushpoint.simulation.provenance import attributes
from pushpoint.simulation.schema import VARIABLES

if TYPE_CHECKING:
    from pushpoint.simulation.rollout import Rollout


def build_dataset(
    rollout: Rollout, samples: dict[str, np.ndarray], counts: np.ndarray, statuses: Sequence[Status]
) -> xr.Dataset:
    """The Dataset of a run; worlds that ended early are filled with NaN from there on."""
    length = int(counts.max())
    samples = {name: values[:length] if name == "load_on" else values[:, :length] for name, values in samples.items()}
    interval = rollout.every * rollout.settings.dt
    variables = _states(rollout, samples) | _means(rollout, samples, interval)
    most = max(len(world.environment.obstacles) for world in rollout.worlds)
    if rollout.record.wants("obstacle_load", most):
        variables["obstacle_load"] = _per_world(
            _mean(samples["load_on"][None], interval)[0], rollout.stepper.first_obstacle
        )
    late = np.arange(length)[None, :] >= counts[:, None]
    data = {}
    for name, schema in VARIABLES.items():
        if name in variables and rollout.record.wants(name, most):
            values = variables[name]
            if late.any():
                values = np.where(late.reshape(late.shape + (1,) * (values.ndim - 2)), np.nan, values)
            data[name] = (("world", *schema.dims), values, schema.attrs)
    dataset = xr.Dataset(data, coords=_coordinates(rollout, length, interval))
    if most:
        dataset["obstacle_count"] = (
            ("world",),
            [len(world.environment.obstacles) for world in rollout.worlds],
            {"units": "1", "long_name": "number of obstacles", "symbol": "n_O"},
        )
    dataset.attrs = attributes(rollout, statuses)
    return dataset if rollout.batched else dataset.isel(world=0, drop=True)


def _coordinates(rollout: Rollout, length: int, interval: float) -> dict[str, Any]:
    n_links = rollout.stepper.n_links
    return {
        "world": np.arange(rollout.stepper.n_worlds),
        "time": ("time", np.arange(length) * interval, {"units": "s", "long_name": "time", "symbol": "t"}),
        "link": np.arange(n_links),
        "joint": np.arange(n_links - 1),
        "link_gap": np.arange(n_links - 1),
        "axis": ["x", "y"],
        "obstacle": np.arange(max(len(world.environment.obstacles) for world in rollout.worlds)),
        "link_behind": ("joint", np.arange(n_links - 1), {"long_name": "link behind the joint"}),
        "joint_axis": ("joint", ["yaw"] * (n_links - 1), {"long_name": "what the joint turns about"}),
    }


def _states(rollout: Rollout, samples: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    center, theta = samples["center"], samples["theta"]
    positions = [link_positions(world.robot, center[w], theta[w]) for w, world in enumerate(rollout.worlds)]
    reference = np.array(samples["reference"])
    reference[:, 0] = np.nan
    for w, world in enumerate(rollout.worlds):
        if hasattr(world.controller, "references"):
            reference[w, 0] = world.controller.references(np.zeros(1), world.robot.n_joints)[0][0]
    return {
        "link_position": np.stack(positions),
        "link_angle": np.array(theta),
        "link_velocity": np.array(samples["v"]),
        "link_angular_velocity": np.array(samples["omega"]),
        "joint_angle": np.diff(theta, axis=2),
        "joint_reference": reference,
        "center_of_mass": np.array(center),
    }


def _means(rollout: Rollout, samples: dict[str, np.ndarray], interval: float) -> dict[str, np.ndarray]:
    ground, obstacle, load = (_mean(samples[name], interval) for name in ("ground", "obstacle", "load"))
    masses = np.stack([world.robot.column("mass") for world in rollout.worlds])[:, None, :, None]
    inertial = _mean(masses * samples["v"], interval)
    # A joint carries what the links in front of it need beyond what acts on them from outside.
    needed = inertial - ground - obstacle - load
    from_head = np.cumsum(needed[:, :, ::-1], axis=2)[:, :, ::-1]
    return {
        "ground_force": ground,
        "obstacle_force": obstacle,
        "contact_normal_force": _mean(samples["side"], interval),
        "joint_torque": _mean(samples["motor"], interval),
        "joint_power": _mean(samples["motor_work"], interval),
        "joint_force": from_head[:, :, 1:],
        "unconverged": _mean(samples["unconverged"], 1.0),
        **{name: _unstarted(samples[key]) for name, key in _LARGEST.items()},
    }


_LARGEST = {"solver_iterations": "iterations", "solver_residual": "residual", "penetration": "penetration"}


def _mean(totals: np.ndarray, interval: float) -> np.ndarray:
    """Change of running totals per interval; the first sample has no interval behind it and is NaN."""
    return _unstarted(np.diff(totals, axis=1, prepend=totals[:, :1]) / interval)


def _unstarted(values: np.ndarray) -> np.ndarray:
    started = np.array(values, dtype=float)
    started[:, 0] = np.nan
    return started


def _per_world(loads: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Obstacle columns of the batch as one padded block per world."""
    widths = np.diff(first)
    padded = np.full((len(widths), len(loads), int(widths.max())), np.nan)
    for w, width in enumerate(widths):
        padded[w, :, :width] = loads[:, first[w] : first[w + 1]]
    return padded
