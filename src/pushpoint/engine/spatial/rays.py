"""Rays in space: how far it is to the ground or to the first solid. NumPy, any number of rays at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.engine.spatial.kinematics import link_poses, rotation_of
from pushpoint.engine.spatial.packing import ground_normal
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.obstacle import Solid
from pushpoint.model.sensors import RangeSensor
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.model.terrain import HeightField

Stretch = tuple[np.ndarray, np.ndarray]
"""From where to where rays are inside of something, as distances along them [m]; empty if the second is less."""


def spatial_rays(
    robot: SpatialRobot, rays: Sequence[RangeSensor], center: np.ndarray, tail: np.ndarray, angle: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Starts [m] and unit vectors of rays, from the robots' poses, shape (n_worlds, n_rays, 3) each."""
    links = [robot.n_links - 1 if ray.link is None else ray.link for ray in rays]
    masses, frames = link_poses(robot, center, tail, angle)
    turn = rotation_of(frames[:, links])
    place, look = (np.array(part) for part in zip(*((ray.position, ray.direction) for ray in rays), strict=True))
    place[:, 0] -= robot.column("mass_offset")[links]
    return masses[:, links] + np.einsum("wrij,rj->wri", turn, place), np.einsum("wrij,rj->wri", turn, look)


def distances_in_space(starts: np.ndarray, looks: np.ndarray, environment: Environment, reach: float) -> np.ndarray:
    """How far it is from each start along its unit vector to an obstacle or the ground [m], shape (n,).

    It is infinite if there is none within reach, and zero inside a solid and below the ground.
    """
    found = _to_ground(starts, looks, environment.ground, reach)
    for obstacle in environment.obstacles:
        for solid in obstacle.solids:
            found = np.minimum(found, _to_solid(starts, looks, solid))
    return found


def _to_ground(starts: np.ndarray, looks: np.ndarray, ground: Ground, reach: float) -> np.ndarray:
    if ground.heights is not None:
        return _to_heights(starts, looks, ground.heights, reach)
    up = ground_normal(ground)
    above, falls = starts @ up, -(looks @ up)
    way = np.divide(above, falls, out=np.full_like(above, np.inf), where=falls > 0.0)
    return np.where(above <= 0.0, 0.0, way)


def _to_solid(starts: np.ndarray, looks: np.ndarray, solid: Solid) -> np.ndarray:
    """Distances along rays to a solid [m], shape (n,)."""
    o, d = (starts - np.array(solid.center)) @ solid.rotation, looks @ solid.rotation
    half = np.array(solid.half)
    enter, leave = _between(o[:, 2], d[:, 2], -half[2] - solid.below, half[2])
    if solid.radius:
        parts = [_in_cylinder(o, d, solid.radius)]
    else:
        parts = [_between(o[:, a], d[:, a], -half[a], half[a]) for a in (0, 1)]
        if solid.wedge:
            rise = half[2] / half[0]
            parts.append(_between(o[:, 2] - rise * o[:, 0], d[:, 2] - rise * d[:, 0], -np.inf, 0.0))
    for first, last in parts:
        enter, leave = np.maximum(enter, first), np.minimum(leave, last)
    begin = np.maximum(enter, 0.0)
    if solid.inner:
        # A ray that begins in the bore, or enters it at an end, meets the wall where it leaves the bore.
        first, last = _in_cylinder(o, d, solid.inner)
        begin = np.where((first < begin) & (begin < last), last, begin)
    return np.where(begin <= leave, begin, np.inf)


def _between(o: np.ndarray, d: np.ndarray, low: float, high: float) -> Stretch:
    """Where o + t d lies between two bounds."""
    safe = np.where(d != 0.0, d, 1.0)
    one, other = (low - o) / safe, (high - o) / safe
    within = (low <= o) & (o <= high)
    still = np.where(within, -np.inf, np.inf)
    return np.where(d != 0.0, np.minimum(one, other), still), np.where(d != 0.0, np.maximum(one, other), -still)


def _in_cylinder(o: np.ndarray, d: np.ndarray, radius: float) -> Stretch:
    """Where rays are within a radius of the z axis."""
    square, ahead = (d[:, :2] ** 2).sum(axis=1), (o[:, :2] * d[:, :2]).sum(axis=1)
    apart = (o[:, :2] ** 2).sum(axis=1) - radius**2
    root = ahead**2 - square * apart
    inside = np.where(apart <= 0.0, -np.inf, np.inf)
    moves = square > 0.0
    safe, width = np.where(moves, square, 1.0), np.sqrt(np.maximum(root, 0.0))
    first, last = np.where(moves, (-ahead - width) / safe, inside), np.where(moves, (-ahead + width) / safe, -inside)
    missed = moves & (root < 0.0)
    return np.where(missed, np.inf, first), np.where(missed, -np.inf, last)


def _to_heights(starts: np.ndarray, looks: np.ndarray, field: HeightField, reach: float) -> np.ndarray:
    """Distances along rays to uneven ground [m]: between the lines of its grid the gap is a parabola along a ray."""
    marks = [np.zeros((len(starts), 1)), np.full((len(starts), 1), reach)]
    for axis in (0, 1):
        lines = field.origin[axis] + field.spacing * np.arange(field.heights.shape[axis])
        speed = np.where(looks[:, axis] != 0.0, looks[:, axis], np.inf)
        marks.append(np.clip((lines - starts[:, axis, None]) / speed[:, None], 0.0, reach))
    along = np.sort(np.concatenate(marks, axis=1), axis=1)
    begin, length = along[:, :-1], np.diff(along, axis=1)

    def gap(share: float) -> np.ndarray:
        points = starts[:, None] + (begin + share * length)[..., None] * looks[:, None]
        return points[..., 2] - _height(field, points[..., 0], points[..., 1])

    first, middle, last = gap(0.0), gap(0.5), gap(1.0)
    root = _first_root(2.0 * (first - 2.0 * middle + last), 4.0 * middle - 3.0 * first - last, first)
    met = root <= 1.0
    return np.where(met, begin + np.where(met, root, 0.0) * length, np.inf).min(axis=1)


def _height(field: HeightField, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Height of the ground at places [m]: bilinear, and level beyond the rim."""
    columns, rows = field.heights.shape
    s = np.clip((x - field.origin[0]) / field.spacing, 0.0, columns - 1.0)
    t = np.clip((y - field.origin[1]) / field.spacing, 0.0, rows - 1.0)
    i, j = np.minimum(s.astype(int), columns - 2), np.minimum(t.astype(int), rows - 2)
    s, t, h = s - i, t - j, field.heights
    rear, front = (1 - t) * h[i, j] + t * h[i, j + 1], (1 - t) * h[i + 1, j] + t * h[i + 1, j + 1]
    return np.asarray((1 - s) * rear + s * front)


def _first_root(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The first place from 0 on where a x^2 + b x + c is not positive; infinite if it stays positive."""
    square = b * b - 4.0 * a * c
    q = -0.5 * (b + np.copysign(np.sqrt(np.maximum(square, 0.0)), b))
    roots = [np.divide(top, low, out=np.full_like(c, np.inf), where=low != 0.0) for top, low in ((q, a), (c, q))]
    ahead = [np.where((root >= 0.0) & (square >= 0.0), root, np.inf) for root in roots]
    return np.where(c <= 0.0, 0.0, np.minimum(*ahead))
