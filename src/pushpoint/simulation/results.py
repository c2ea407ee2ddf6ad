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

LARGEST = {"solver_iterations": "iterations", "solver_residual": "residual", "penetration": "penetration"}
HEIGHT = {"units": "m", "long_name": "height of the ground", "symbol": "h"}
COUNT = {"units": "1", "long_name": "number of obstacles", "symbol": "n_O"}


def build_dataset(
    rollout: Rollout, samples: dict[str, np.ndarray], counts: np.ndarray, statuses: Sequence[Status]
) -> xr.Dataset:
    """The Dataset of a run; worlds that ended early are filled with NaN from there on."""
    length, obstacles = int(counts.max()), [len(world.environment.obstacles) for world in rollout.worlds]
    samples = {name: values[:length] if name == "load_on" else values[:, :length] for name, values in samples.items()}
    interval = rollout.every * rollout.settings.dt
    spatial = rollout.worlds[0].spatial
    variables = _states(rollout, samples) | _means(rollout, samples, interval) | _modes(rollout, length)
    variables["joint_reference"] = _references(rollout, samples)
    if rollout.record.wants("obstacle_load", max(obstacles)):
        loads = _mean(samples["load_on"][None], interval)[0]
        variables["obstacle_load"] = _per_world(loads, rollout.stepper.first_obstacle)
    late = np.arange(length)[None, :] >= counts[:, None]
    data = {}
    for name, schema in VARIABLES.items():
        if name in variables and rollout.record.wants(name, max(obstacles)):
            values = variables[name]
            if late.any():
                values = np.where(late.reshape(late.shape + (1,) * (values.ndim - 2)), np.nan, values)
            dims = SPATIAL_DIMS.get(name, schema.dims) if spatial else schema.dims
            data[name] = (("world", *dims), values, schema.attrs)
    dataset = xr.Dataset(data, coords=_coordinates(rollout, length, interval))
    if "controller_mode" in dataset and len(rollout.mode_names) == 1:  # what the numbers mean, as CF conventions say it
        (modes,) = rollout.mode_names
        dataset["controller_mode"].attrs |= {"flag_values": list(range(len(modes))), "flag_meanings": " ".join(modes)}
    if max(obstacles):
        dataset["obstacle_count"] = (("world",), obstacles, COUNT)
    names = _add_terrain(dataset, rollout)
    dataset.attrs = attributes(rollout, statuses, names)
    return dataset if rollout.batched else dataset.isel(world=0, drop=True)


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
    """Places and velocities as recorded, and what follows from them."""
    center, omega = samples["center"], samples["omega"]
    robots: list[Any] = [world.robot for world in rollout.worlds]
    recorded = {"link_velocity": np.array(samples["v"]), "center_of_mass": np.array(center)}
    if "theta" in samples:
        theta = samples["theta"]
        return recorded | {
            "link_position": np.stack([link_positions(robot, center[w], theta[w]) for w, robot in enumerate(robots)]),
            "link_angle": np.array(theta),
            "link_angular_velocity": np.array(omega),
            "joint_angle": np.diff(theta, axis=2),
            "joint_rate": np.diff(omega, axis=2),
        }
    tail, angle = samples["tail"], samples["angle"]
    poses = [link_poses(robot, center[w], tail[w], angle[w]) for w, robot in enumerate(robots)]
    places, frames = (np.stack(parts) for parts in zip(*poses, strict=True))
    return recorded | {
        "link_position": places,
        "link_orientation": frames,
        "link_angular_velocity": turned(frames, omega),
        "joint_angle": np.array(angle),
        "joint_rate": np.array(samples["rate"]),
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
        **{name: _unstarted(samples[key]) for name, key in LARGEST.items()},
    }


def _modes(rollout: Rollout, length: int) -> dict[str, np.ndarray]:
    """The mode that acted until each sample, like the references; at time zero the first one."""
    if rollout.modes is None or not len(rollout.modes[0]):
        return {}
    told, period = rollout.modes
    behind = np.maximum(np.arange(length) * rollout.every - 1, 0) // period
    return {"controller_mode": told[np.minimum(behind, len(told) - 1)].T}


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
