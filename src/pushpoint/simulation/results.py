"""From samples to a Dataset: totals become means over the recording interval, here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.settings import Status
from pushpoint.engine.spatial.kinematics import link_poses, turned
from pushpoint.simulation.provenance import TERRAIN, attributes
from pushpoint.worlds.record import SPATIAL_DIMS, VARIABLES

if TYPE_CHECKING:
    from pushpoint.simulation.simulate import Rollout


def build_dataset(
    rollout: Rollout, samples: dict[str, np.ndarray], counts: np.ndarray, statuses: Sequence[Status]
) -> xr.Dataset:
    """The Dataset of a run; worlds that ended early are filled with NaN from there on."""
    length = int(counts.max())
    samples = {name: values[:length] if name == "load_on" else values[:, :length] for name, values in samples.items()}
    interval = rollout.every * rollout.settings.dt
    spatial = rollout.worlds[0].spatial
    states = _spatial_states if spatial else _states
    variables = states(rollout, samples) | _means(rollout, samples, interval) | _modes(rollout, length)
    variables["joint_reference"] = _references(rollout, samples)
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
            dims = SPATIAL_DIMS.get(name, schema.dims) if spatial else schema.dims
            data[name] = (("world", *dims), values, schema.attrs)
    dataset = xr.Dataset(data, coords=_coordinates(rollout, length, interval))
    if "controller_mode" in dataset:
        dataset["controller_mode"].attrs |= _mode_names(rollout)
    if most:
        dataset["obstacle_count"] = (
            ("world",),
            [len(world.environment.obstacles) for world in rollout.worlds],
            {"units": "1", "long_name": "number of obstacles", "symbol": "n_O"},
        )
    names = _add_terrain(dataset, rollout)
    dataset.attrs = attributes(rollout, statuses, names)
    return dataset if rollout.batched else dataset.isel(world=0, drop=True)


HEIGHT = {"units": "m", "long_name": "height of the ground", "symbol": "h"}


def _add_terrain(dataset: xr.Dataset, rollout: Rollout) -> dict[int, str]:
    """Adds the height fields of a run's worlds as variables; returns their names by the id of the field."""
    grounds = [world.environment.ground.heights for world in rollout.worlds]
    fields = {id(field): field for field in grounds if field is not None}
    names = {}
    for number, (key, field) in enumerate(fields.items()):
        ending = f"_{number}" if number else ""
        axes = (f"terrain_x{ending}", f"terrain_y{ending}")
        names[key] = TERRAIN + ending
        dataset[names[key]] = (axes, field.heights, HEIGHT)
        for axis, name in enumerate(axes):
            places = field.origin[axis] + field.spacing * np.arange(field.heights.shape[axis])
            dataset[name] = ((name,), places, {"units": "m"})
    return names


def _coordinates(rollout: Rollout, length: int, interval: float) -> dict[str, Any]:
    n_links, axes = rollout.stepper.n_links, rollout.worlds[0].robot.axes
    spatial = rollout.worlds[0].spatial
    found = {
        "world": np.arange(rollout.stepper.n_worlds),
        "time": ("time", np.arange(length) * interval, {"units": "s", "long_name": "time", "symbol": "t"}),
        "link": np.arange(n_links),
        "joint": np.arange(len(axes)),
        "link_gap": np.arange(n_links - 1),
        "axis": ["x", "y", "z"] if spatial else ["x", "y"],
        "obstacle": np.arange(max(len(world.environment.obstacles) for world in rollout.worlds)),
        "link_behind": ("joint", [axis.link_behind for axis in axes], {"long_name": "link behind the joint"}),
        "joint_axis": ("joint", [axis.name for axis in axes], {"long_name": "what the joint turns about"}),
    }
    return found | ({"quaternion": ["w", "x", "y", "z"]} if spatial else {})


def _states(rollout: Rollout, samples: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    center, theta = samples["center"], samples["theta"]
    robots: list[Any] = [world.robot for world in rollout.worlds]
    positions = [link_positions(robot, center[w], theta[w]) for w, robot in enumerate(robots)]
    return {
        "link_position": np.stack(positions),
        "link_angle": np.array(theta),
        "link_velocity": np.array(samples["v"]),
        "link_angular_velocity": np.array(samples["omega"]),
        "joint_angle": np.diff(theta, axis=2),
        "joint_rate": np.diff(samples["omega"], axis=2),
        "center_of_mass": np.array(center),
    }


def _spatial_states(rollout: Rollout, samples: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    center, tail, angle = samples["center"], samples["tail"], samples["angle"]
    robots: list[Any] = [world.robot for world in rollout.worlds]
    poses = [link_poses(robot, center[w], tail[w], angle[w]) for w, robot in enumerate(robots)]
    frames = np.stack([frame for _, frame in poses])
    return {
        "link_position": np.stack([place for place, _ in poses]),
        "link_orientation": frames,
        "link_velocity": np.array(samples["v"]),
        "link_angular_velocity": turned(frames, samples["omega"]),
        "joint_angle": np.array(angle),
        "joint_rate": np.array(samples["rate"]),
        "center_of_mass": np.array(center),
    }


def _references(rollout: Rollout, samples: dict[str, np.ndarray]) -> np.ndarray:
    """References as recorded, and at time zero as the controllers have them, where that is known."""
    reference = np.array(samples["reference"])
    reference[:, 0] = np.nan
    for w, world in enumerate(rollout.worlds):
        first = None if world.controller is None else world.controller.first_reference(world.robot)
        if first is not None:
            reference[w, 0] = first
    return reference


def _means(rollout: Rollout, samples: dict[str, np.ndarray], interval: float) -> dict[str, np.ndarray]:
    ground, obstacle, load = (_mean(samples[name], interval) for name in ("ground", "obstacle", "load"))
    masses = np.stack([world.robot.column("mass") for world in rollout.worlds])[:, None, :, None]
    inertial = _mean(masses * samples["v"], interval)
    if rollout.worlds[0].spatial:
        gravity = np.array([world.environment.ground.gravity for world in rollout.worlds])
        inertial[..., 2] += (masses * gravity[:, None, None, None])[..., 0]
    # A joint carries what the links in front of it need beyond what acts on them from outside.
    own = {"self_force": _mean(samples["own"], interval)} if "own" in samples else {}
    needed = inertial - ground - obstacle - load - own.get("self_force", 0.0)
    from_head = np.cumsum(needed[:, :, ::-1], axis=2)[:, :, ::-1]
    return {
        "ground_force": ground,
        "obstacle_force": obstacle,
        **own,
        "contact_normal_force": _mean(samples["side"], interval),
        "joint_torque": _mean(samples["motor"], interval),
        "joint_power": _mean(samples["motor_work"], interval),
        "joint_force": from_head[:, :, 1:],
        "unconverged": _mean(samples["unconverged"], 1.0),
        **{name: _unstarted(samples[key]) for name, key in _LARGEST.items()},
    }


def _modes(rollout: Rollout, length: int) -> dict[str, np.ndarray]:
    """The mode that acted until each sample, like the references; at time zero the first one."""
    if rollout.modes is None or not len(rollout.modes[0]):
        return {}
    told, period = rollout.modes
    behind = np.maximum(np.arange(length) * rollout.every - 1, 0) // period
    return {"controller_mode": told[np.minimum(behind, len(told) - 1)].T}


def _mode_names(rollout: Rollout) -> dict[str, Any]:
    """What the numbers mean, in the words of the CF conventions; nothing if controllers of a batch differ in it."""
    if len(rollout.mode_names) != 1:
        return {}
    (modes,) = rollout.mode_names
    return {"flag_values": list(range(len(modes))), "flag_meanings": " ".join(modes)}


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
