"""From samples to a Dataset. Only here do totals become means over the recording interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.settings import Status
from pushpoint.engine.sharing import Shared
from pushpoint.engine.spatial.kinematics import link_poses, turned
from pushpoint.simulation.estimate import kept_variables
from pushpoint.simulation.on_request import mean_of, means_on_request, most_spheres, states_on_request
from pushpoint.simulation.provenance import DESCRIPTION, KEY, TERRAIN, attributes, description_key
from pushpoint.simulation.sampled import FROM_POSES, FROM_STATES, MEANS, ON_OBSTACLES
from pushpoint.worlds.variables import VARIABLES, dims_of, entry_of
from pushpoint.worlds.world import World, feels_itself

if TYPE_CHECKING:
    from pushpoint.simulation.rollout import Rollout

LARGEST = {"solver_iterations": "iterations", "solver_residual": "residual", "penetration": "penetration"}


def variables_of(
    rollout: Rollout, samples: dict[str, np.ndarray], first: int, counts: np.ndarray, modes: np.ndarray | None
) -> dict[str, np.ndarray]:
    """The recorded variables of some samples, worlds first; NaN after a world has ended.

    Args:
        rollout: The run that they belong to.
        samples: As the kernels hold them; the sample before number `first` comes first, unless `first` is 0.
        first: Number of the first sample to return.
        counts: Samples of each world so far, shape (n_worlds,).
        modes: Modes of the controllers up to each sample, shape (n_samples, n_worlds); None without modes.
    """
    lead, dt = min(first, 1), rollout.settings.dt
    interval = rollout.every * dt
    most = max(len(world.environment.obstacles) for world in rollout.experiment.worlds)
    wanted = set(kept_variables(rollout.experiment.worlds, rollout.record))  # of those that this engine has
    states = _states(rollout, samples, wanted)
    found = states | _means(rollout, samples, interval) | means_on_request(rollout.worlds, samples, rollout.every, dt)
    if wanted.intersection(FROM_STATES):
        found |= states_on_request(rollout.worlds, states, rollout.record)
    if rollout.record.wants("joint_reference"):
        found["joint_reference"] = _references(rollout, samples, at_start=first == 0)
    for name, values in _on_obstacles(samples, interval).items():
        found[name] = _per_world(values, rollout.stepper.first_obstacle, rollout.most_obstacles)
    kept = {name: found[name][:, lead:] for name in VARIABLES if name in found and rollout.record.wants(name, most)}
    if modes is not None and rollout.record.wants("controller_mode"):
        kept["controller_mode"] = modes.T
    late = first + np.arange(samples["center"].shape[1] - lead)[None, :] >= counts[:, None]
    if late.any():
        for name, values in kept.items():
            kept[name] = np.where(late.reshape(late.shape + (1,) * (values.ndim - 2)), np.nan, values)
    if first == 0:
        _fill_first(kept)
    return kept


def _fill_first(kept: dict[str, np.ndarray]) -> None:
    """Gives the first sample, which has no interval before it, the means of the first interval; NaN if there is none.

    So a figure begins where the robot was, and a largest or smallest value is one that occurred.
    """
    for name, values in kept.items():
        if VARIABLES[name].mean:
            values[:, 0] = values[:, 1] if values.shape[1] > 1 else np.nan
        elif name == "joint_reference" and values.shape[1] > 1:
            values[:, 0] = np.where(np.isnan(values[:, 0]), values[:, 1], values[:, 0])


def assembled(
    rollout: Rollout, statuses: Sequence[Status], variables: dict[str, np.ndarray], first: int, length: int
) -> xr.Dataset:
    """The Dataset of samples first ... first + length - 1, with all attributes of a run."""
    spatial = rollout.worlds[0].spatial
    edited = bool(rollout.experiment.edits)
    obstacles = [len(world.environment.obstacles) for world in rollout.experiment.worlds]
    obstacles = [rollout.most_obstacles] if edited else obstacles
    data = {
        name: (("world", *dims_of(name, spatial)), values, VARIABLES[name].attrs)
        for name, values in variables.items()
        if name != "controller_mode" or rollout.mode_names
    }
    dataset = xr.Dataset(data, coords=_coordinates(rollout, first, length))
    if "controller_mode" in dataset and len(rollout.mode_names) == 1:  # names of the modes, after the CF conventions
        (modes,) = rollout.mode_names
        dataset["controller_mode"].attrs |= {"flag_values": list(range(len(modes))), "flag_meanings": " ".join(modes)}
    if max(obstacles):
        dataset["obstacle_count"] = (("world",), obstacles, entry_of("obstacle_count").attrs)
    names = add_terrain(dataset, rollout.experiment.worlds)
    dataset.attrs = attributes(rollout, statuses, names)
    if not rollout.batched:
        return dataset.isel(world=0, drop=True)
    return with_key(dataset) if rollout.described else dataset


def with_key(batch: xr.Dataset) -> xr.Dataset:
    """A batch with the key of its description along `world`, so that joining it with another by hand shows."""
    keys = np.full(batch.sizes["world"], description_key(batch.attrs[DESCRIPTION]))
    return batch.assign_coords({KEY: ("world", keys, entry_of(KEY).attrs)})


def add_terrain(dataset: xr.Dataset, worlds: Sequence[World]) -> dict[int, str]:
    """Adds the height fields of worlds as variables; returns their names by the id of the field."""
    grounds = [world.environment.ground.heights for world in worlds]
    fields = {id(field): field for field in grounds if field is not None}
    names = {}
    for number, (key, field) in enumerate(fields.items()):
        ending = f"_{number}" if number else ""
        axes = (f"terrain_x{ending}", f"terrain_y{ending}")
        names[key] = TERRAIN + ending
        dataset[names[key]] = (axes, field.heights, entry_of(TERRAIN).attrs)
        for axis, name in enumerate(axes):
            places = field.origin[axis] + field.spacing * np.arange(field.heights.shape[axis])
            dataset[name] = ((name,), places, entry_of(name).attrs)
    return names


def _coordinates(rollout: Rollout, first: int, length: int) -> dict[str, Any]:
    times = (first + np.arange(length)) * (rollout.every * rollout.settings.dt)
    n_links, axes = rollout.stepper.n_links, rollout.worlds[0].robot.axes
    spatial = rollout.worlds[0].spatial
    found = {
        "world": np.arange(rollout.stepper.n_worlds),
        "time": times,
        "link": np.arange(n_links),
        "joint": np.arange(len(axes)),
        "link_gap": np.arange(n_links - 1),
        "axis": ["x", "y", "z"] if spatial else ["x", "y"],
        "obstacle": np.arange(rollout.most_obstacles),
        "link_behind": [axis.link_behind for axis in axes],
        "joint_axis": [axis.name for axis in axes],
    }
    found |= {"quaternion": ["w", "x", "y", "z"]} if spatial else {}
    if spatial and rollout.record.wants("sphere_force"):
        found["sphere"] = np.arange(most_spheres(rollout.worlds))
    return {name: (entry_of(name).dims, values, entry_of(name).attrs) for name, values in found.items()}


def _states(rollout: Rollout, samples: dict[str, np.ndarray], wanted: set[str]) -> dict[str, np.ndarray]:
    """Positions and velocities as recorded, and what follows from them, as far as the samples hold it."""
    names = {"center": "center_of_mass", "v": "link_velocity", "angle": "joint_angle", "rate": "joint_rate"}
    if not rollout.worlds[0].spatial:
        names |= {"theta": "link_angle", "omega": "link_angular_velocity"}
    found = {name: np.array(samples[key]) for key, name in names.items() if key in samples}
    for whole, between in (("link_angle", "joint_angle"), ("link_angular_velocity", "joint_rate")):
        if whole in found:
            found[between] = np.diff(found[whole], axis=2)
    posed = {*FROM_POSES, *["link_angular_velocity"] * rollout.worlds[0].spatial}
    return found | _poses(rollout, samples) if posed & wanted else found


def _poses(rollout: Rollout, samples: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Where the links are, and in space how they are turned and turn."""
    center, n_links = samples["center"], rollout.stepper.n_links
    places = np.empty((*center.shape[:2], n_links, center.shape[-1]))
    robots: Shared[Any] = Shared([world.robot for world in rollout.worlds])
    groups = list(zip(robots.parts, robots.members(), strict=True))
    if "theta" in samples:
        for robot, rows in groups:
            places[rows] = link_positions(robot, center[rows], samples["theta"][rows])
        return {"link_position": places}
    frames = np.empty((*places.shape[:-1], 4))
    for robot, rows in groups:
        places[rows], frames[rows] = link_poses(robot, center[rows], samples["tail"][rows], samples["angle"][rows])
    turning = turned(frames, samples["omega"])
    return {"link_position": places, "link_orientation": frames, "link_angular_velocity": turning}


def _references(rollout: Rollout, samples: dict[str, np.ndarray], *, at_start: bool) -> np.ndarray:
    """References as recorded, and at time zero as the controllers give them, where known."""
    reference = np.array(samples["reference"])
    reference[[world.controller is None for world in rollout.worlds]] = np.nan  # a passive robot has no references
    if not at_start:
        return reference
    reference[:, 0] = np.nan
    known: dict[tuple[int, int], np.ndarray | None] = {}
    for w, world in enumerate(rollout.experiment.worlds):
        key = (id(world.controller), id(world.robot))
        if key not in known:
            known[key] = None if world.controller is None else world.controller.first_reference(world.robot)
        if known[key] is not None:
            reference[w, 0] = known[key]
    return reference


def _means(rollout: Rollout, samples: dict[str, np.ndarray], interval: float) -> dict[str, np.ndarray]:
    """Means over the recording interval, of those that the record wants."""
    wants = rollout.record.wants
    found = {name: mean_of(samples[key], interval) for name, key in MEANS.items() if wants(name)}
    if wants("unconverged"):
        found["unconverged"] = mean_of(samples["unconverged"], 1.0)
    if wants("joint_force"):
        found["joint_force"] = _joint_forces(rollout, samples, interval)
    if feels_itself(rollout.worlds) and wants("self_force"):
        found["self_force"] = mean_of(samples["own"], interval)
    return found | {name: np.array(samples[key], dtype=float) for name, key in LARGEST.items() if wants(name)}


def _joint_forces(rollout: Rollout, samples: dict[str, np.ndarray], interval: float) -> np.ndarray:
    """A joint transmits the force that the links in front of it need in addition to the external forces on them."""
    robots: Shared[Any] = Shared([world.robot for world in rollout.worlds])
    masses = robots.stack(lambda robot: robot.column("mass"))[:, None, :, None]
    inertial = mean_of(masses * samples["v"], interval)
    if rollout.worlds[0].spatial:
        gravity = np.array([world.environment.ground.gravity for world in rollout.worlds])
        inertial[..., 2] += (masses * gravity[:, None, None, None])[..., 0]
    needed = inertial
    for name in ("ground", "obstacle", "load", *["own"] * feels_itself(rollout.worlds)):
        needed = needed - mean_of(samples[name], interval)
    return np.asarray(np.cumsum(needed[:, :, ::-1], axis=2)[:, :, ::-1][:, :, 1:])


def _on_obstacles(samples: dict[str, np.ndarray], interval: float) -> dict[str, np.ndarray]:
    """Means per obstacle of the batch, of those that the samples hold."""
    return {name: mean_of(samples[key][None], interval)[0] for name, key in ON_OBSTACLES.items() if key in samples}


def _per_world(loads: np.ndarray, first: np.ndarray, most: int) -> np.ndarray:
    """Obstacle columns of the batch as one block per world, padded to the most obstacles."""
    widths = np.diff(first)
    padded = np.full((len(widths), len(loads), most, *loads.shape[2:]), np.nan)
    for w, width in enumerate(widths):
        padded[w, :, :width] = loads[:, first[w] : first[w + 1]]
    return padded
