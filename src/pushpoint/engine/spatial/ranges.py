"""Distances of a spatial robot's links from the ground and from obstacles, one pose at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from pushpoint.engine.compiled import launch
from pushpoint.engine.devices import start_warp
from pushpoint.engine.spatial.kinematics import forward_of, rotation_of, turned
from pushpoint.engine.spatial.packing import bars_of, core_of, field_rows, ground_normal, reach_of
from pushpoint.engine.spatial.solids import corners_of, to_solid
from pushpoint.kernels.spatial import ground_probe, structs
from pushpoint.model.environment import Environment
from pushpoint.model.obstacle import Solid
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import HeightField

ALONG = np.linspace(0.0, 1.0, 21)[:, None]
"""Points along a bar at which uneven ground is checked."""


def ground_gaps(robot: SpatialRobot, environment: Environment, places: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """Distances between links and ground [m], shape (n_links,); negative where they overlap."""
    ground = environment.ground
    if ground.heights is not None:
        return _gaps_to_heights(robot, ground.heights, places, frames)
    return flat_gaps(robot, ground_normal(ground), places, frames)


def flat_gaps(robot: SpatialRobot, up: np.ndarray, places: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """The same for flat ground with the unit normal `up`, any leading dimensions: shape (..., n_links)."""
    gaps, middles = np.empty(places.shape[:-1]), middles_of(robot, places, frames)
    for i, link in enumerate(robot.links):
        spheres = (*link.spheres, *link.wheel_spheres)
        own = turned(frames[..., i, None, :], np.array([sphere.position for sphere in spheres]))
        heights = np.matmul(middles[..., i, None, :] + own, up[..., None])[..., 0]
        gaps[..., i] = (heights - [sphere.radius for sphere in spheres]).min(axis=-1)
    return gaps


@lru_cache(maxsize=4)
def _model_of(field: HeightField) -> Any:
    """A model of the ground alone; fields are compared by identity."""
    start_warp()
    family = structs.family(wp.float64)
    record = np.zeros(1, dtype=family.FieldModel.numpy_dtype())
    numbers, heights = field_rows(field)
    for name, value in numbers.items():
        record[name] = value
    model = family.Model()
    model.fields = wp.array(record, dtype=family.FieldModel, device="cpu")
    model.heights = wp.array(heights, dtype=wp.float64, device="cpu")
    return model


def distances_to_ground(field: HeightField, points: np.ndarray) -> np.ndarray:
    """Distances of points, shape (n, 3), from the ground [m], by the kernels' own geometry; negative below it."""
    model = _model_of(field)
    found = wp.zeros(len(points), dtype=wp.float64, device="cpu")
    places = wp.array(np.ascontiguousarray(points), dtype=wp.types.vector(3, wp.float64), device="cpu")
    launch(ground_probe.kernel(wp.float64), dim=len(points), inputs=[model, places, found], device="cpu")
    return np.array(found.numpy())


def surface_gaps(
    robot: SpatialRobot, field: HeightField, places: np.ndarray, frames: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Points at which links and ground are near each other [m], shape (n, 3), and the distances there, shape (n,).

    They lie along the axes or edges of the links; under the faces of square links they are points of the field's grid.
    """
    middles = middles_of(robot, places, frames)
    bars = _bars(robot, middles, frames)
    points = [np.concatenate([(start + ALONG[..., None] * (end - start)).reshape(-1, 3) for start, end, _ in bars])]
    gaps = [distances_to_ground(field, points[0]) - np.concatenate([np.tile(part, len(ALONG)) for *_, part in bars])]
    for i, link in enumerate(robot.links):
        if link.shape == "square":
            points.append(_grid_around(field, middles[i], reach_of(link)))
            gaps.append(_to_link(link, middles[i], frames[i], points[-1]))
    return np.concatenate(points), np.concatenate(gaps)


def _gaps_to_heights(robot: SpatialRobot, field: HeightField, places: np.ndarray, frames: np.ndarray) -> np.ndarray:
    middles = middles_of(robot, places, frames)
    bars = _bars(robot, middles, frames)
    points = [(starts + ALONG[..., None] * (ends - starts)).reshape(-1, 3) for starts, ends, _ in bars]
    counts = np.cumsum([len(part) for part in points])
    distances = np.split(distances_to_ground(field, np.concatenate(points)), counts[:-1])
    shaped = zip(distances, bars, strict=True)
    gaps = [(part.reshape(len(ALONG), -1) - radii).min() for part, (_, _, radii) in shaped]
    for i, link in enumerate(robot.links):
        if link.shape == "square":
            peaks = _grid_around(field, middles[i], reach_of(link))
            gaps[i] = min(gaps[i], _to_link(link, middles[i], frames[i], peaks).min(initial=np.inf))
    return np.array(gaps)


def _grid_around(field: HeightField, middle: np.ndarray, reach: float) -> np.ndarray:
    """Points of a height field's grid, continued beyond its rim, within reach of a point, shape (n, 3)."""
    here = [(middle[a] - field.origin[a]) / field.spacing for a in (0, 1)]
    wide = reach / field.spacing
    numbers = [np.arange(np.ceil(place - wide), np.floor(place + wide) + 1) for place in here]
    held = [np.clip(numbers[a], 0, field.heights.shape[a] - 1).astype(int) for a in (0, 1)]
    x, y = np.meshgrid(*(field.origin[a] + field.spacing * numbers[a] for a in (0, 1)), indexing="ij")
    return np.stack((x, y, field.heights[np.ix_(*held)]), axis=-1).reshape(-1, 3)


def _to_link(link: SpatialLink, middle: np.ndarray, frame: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Distances of points from the surface of a link [m], shape (n,); negative inside."""
    beyond = np.abs((points - middle) @ rotation_of(frame)) - core_of(link)
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=-1)
    inside = np.minimum(beyond.max(axis=-1, initial=-np.inf), 0.0)
    return np.asarray(outside + inside - link.spheres[0].radius)


def nearest_solid(
    robot: SpatialRobot, solids: Sequence[Solid], places: np.ndarray, frames: np.ndarray
) -> tuple[float, int, int]:
    """The smallest distance between a link and a solid [m], that link and that solid; (inf, 0, 0) without any.

    It is negative where surfaces overlap. Once the centre line of a link's edge or axis enters a box, the overlap is
    its radius, however deep.
    """
    if not solids:
        return np.inf, 0, 0
    middles = middles_of(robot, places, frames)
    bars = _bars(robot, middles, frames)
    reach = reaches_of(robot)
    at_least = np.stack([to_solid(middles, middles, part) - reach for part in solids], axis=1)
    found = (np.inf, 0, 0)
    for flat in np.argsort(at_least, axis=None):
        i, k = (int(number) for number in np.unravel_index(flat, at_least.shape))
        if at_least[i, k] >= found[0]:
            break
        starts, ends, radii = bars[i]
        gap = float((to_solid(starts, ends, solids[k]) - radii).min())
        if not solids[k].endless:
            gap = min(gap, float(_to_link(robot.links[i], middles[i], frames[i], corners_of(solids[k])).min()))
        if gap < found[0]:
            found = (gap, i, k)
    return found


def reaches_of(robot: SpatialRobot) -> np.ndarray:
    """Radii of the spheres around the middles of links that contain them [m], shape (n_links,)."""
    return np.array([reach_of(link) for link in robot.links])


def middles_of(robot: SpatialRobot, places: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """The middle points of links, from their centres of mass [m], shape (..., n_links, 3)."""
    return places - robot.column("mass_offset")[:, None] * forward_of(frames)


def _bars(
    robot: SpatialRobot, middles: np.ndarray, frames: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Starts and ends and radii of the straight edges of each link's surface in the world (see bars_in)."""
    return [bars_in(link, middles[i], frames[i]) for i, link in enumerate(robot.links)]


def bars_in(link: SpatialLink, middle: np.ndarray, frame: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts and ends, shape (..., n, 3), and radii, shape (n,), of the straight edges of a link in the world [m].

    A wheel counts as an edge without length.
    """
    wheels = [(np.array(wheel.position), np.array(wheel.position), wheel.radius) for wheel in link.wheel_spheres]
    starts, ends, radii = (np.array(parts) for parts in zip(*bars_of(link), *wheels, strict=True))
    middle, frame = middle[..., None, :], frame[..., None, :]
    return middle + turned(frame, starts), middle + turned(frame, ends), radii
