"""The ground and the obstacles of a world as geoms."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

import numpy as np

from pushpoint.engine.spatial.packing import ground_normal
from pushpoint.interchange.robots.mjcf.bodies import mjcf_numbers
from pushpoint.model.environment import Environment
from pushpoint.model.obstacle import Hull, Obstacle, Solid
from pushpoint.model.terrain import HeightField
from pushpoint.scenery.triangles import triangles_of

GROUND = "ground"
TALL = 2.0
"""Height to which endless columns reach, and depth to which columns reach down [m]."""
STAVES = 32
"""Flat pieces of a pipe's wall [-]."""
BASE = 0.1
"""Thickness of the ground below the lowest point of a height field [m]."""
FIXED = {"contype": "2", "conaffinity": "1", "priority": "1"}
"""Obstacles touch the robot, and their friction counts for both."""


def place_ground(model: ET.Element, world: ET.Element, environment: Environment) -> None:
    """The ground, which touches nothing by itself: contact pairs say what it touches."""
    ground = environment.ground
    geom = ET.SubElement(world, "geom", name=GROUND, contype="0", conaffinity="0")
    if ground.heights is None:
        geom.set("type", "plane")
        geom.set("size", "0 0 1")
        if ground.slope:
            geom.set("zaxis", mjcf_numbers(*ground_normal(ground)))
        return
    field = ground.heights
    low, high = float(field.heights.min()), float(field.heights.max())
    columns, rows = field.heights.shape
    half = (columns - 1) * field.spacing / 2, (rows - 1) * field.spacing / 2
    asset = ET.SubElement(_part(model, "asset"), "hfield", name=GROUND, nrow=str(rows), ncol=str(columns))
    asset.set("size", mjcf_numbers(*half, max(high - low, 1e-9), BASE))
    # MuJoCo reads rows of y, the one with the largest y first.
    asset.set("elevation", mjcf_numbers(*(field.heights - low).T[::-1].ravel()))
    geom.set("type", "hfield")
    geom.set("hfield", GROUND)
    geom.set("pos", mjcf_numbers(field.origin[0] + half[0], field.origin[1] + half[1], low))


def bilinear_error(field: HeightField) -> float:
    """Largest distance between the bilinear surface and one of two triangles per square [m]."""
    h = field.heights
    return float(np.abs(h[1:, 1:] + h[:-1, :-1] - h[1:, :-1] - h[:-1, 1:]).max()) / 4


def _part(model: ET.Element, tag: str) -> ET.Element:
    found = model.find(tag)
    return ET.SubElement(model, tag) if found is None else found


def place_obstacles(
    model: ET.Element, world: ET.Element, environment: Environment, *, spatial: bool, top: float
) -> None:
    """The obstacles; in the plane they stand upright as high as `top` [m]."""
    for k, obstacle in enumerate(environment.obstacles):
        looks = _looks(obstacle)
        if spatial:
            for i, solid in enumerate(obstacle.solids):
                _add_solid(model, world, solid, f"obstacle{k}_{i}", looks)
        else:
            for i, hull in enumerate(obstacle.hulls):
                _add_hull(model, world, hull, f"obstacle{k}_{i}", looks, top)


def _looks(obstacle: Obstacle) -> dict[str, str]:
    mu = obstacle.friction
    return FIXED | {"condim": "3" if mu else "1", "friction": mjcf_numbers(mu, 0, 0)}


def _geom(world: ET.Element, name: str, looks: dict[str, str], kind: str, size: Sequence[float]) -> ET.Element:
    geom = ET.SubElement(world, "geom", looks, name=name, type=kind)
    if size:
        geom.set("size", mjcf_numbers(*size))
    return geom


def _add_solid(model: ET.Element, world: ET.Element, solid: Solid, name: str, looks: dict[str, str]) -> None:
    axes = mjcf_numbers(*solid.rotation[:, 0], *solid.rotation[:, 1])
    if solid.inner:
        _add_tube(world, solid, name, looks)
    elif solid.radius:
        top = solid.center[2] + (TALL if solid.endless else solid.half[2])
        bottom = min(0.0, top) - TALL
        geom = _geom(world, name, looks, "cylinder", (solid.radius, (top - bottom) / 2))
        geom.set("pos", mjcf_numbers(*solid.center[:2], (top + bottom) / 2))
    elif solid.wedge:
        a, b, c = solid.half
        corners = [(x, y, -c) for x in (-a, a) for y in (-b, b)] + [(a, y, c) for y in (-b, b)]
        _add_hull_mesh(model, world, np.array(corners), name, looks)
        world[-1].set("pos", mjcf_numbers(*solid.center))
        world[-1].set("xyaxes", axes)
    else:
        geom = _geom(world, name, looks, "box", solid.half)
        geom.set("pos", mjcf_numbers(*solid.center))
        geom.set("xyaxes", axes)


def _add_tube(world: ET.Element, solid: Solid, name: str, looks: dict[str, str]) -> None:
    """A ring of staves, their inner faces as far from the axis as the wall on average."""
    half, outer = solid.half[2], solid.radius
    middle, thick = (solid.inner + outer) / 2, (outer - solid.inner) / 2
    for i, turn in enumerate(2 * np.pi * np.arange(STAVES) / STAVES):
        out = solid.rotation @ np.array([np.cos(turn), np.sin(turn), 0.0])
        side = solid.rotation @ np.array([-np.sin(turn), np.cos(turn), 0.0])
        geom = _geom(world, f"{name}_{i}", looks, "box", (thick, outer * np.tan(np.pi / STAVES), half))
        geom.set("pos", mjcf_numbers(*(np.array(solid.center) + middle * out)))
        geom.set("xyaxes", mjcf_numbers(*out, *side))


def stave_error(solid: Solid) -> float:
    """How far the flat pieces of a pipe's wall are from the round one [m]."""
    return float(solid.inner * (1 / np.cos(np.pi / STAVES) - 1))


def _add_hull_mesh(model: ET.Element, world: ET.Element, corners: np.ndarray, name: str, looks: dict[str, str]) -> None:
    """A convex body around its corners."""
    ET.SubElement(_part(model, "asset"), "mesh", name=name, vertex=mjcf_numbers(*corners.ravel()))
    _geom(world, name, looks, "mesh", ()).set("mesh", name)


def _add_hull(model: ET.Element, world: ET.Element, hull: Hull, name: str, looks: dict[str, str], top: float) -> None:
    """A shape of the plane, as an upright column with its outline."""
    points = np.array(hull.points, dtype=float)
    middle = top / 2
    if len(points) > 2:
        corners = np.vstack(hull.outlines)
        for i, triangle in enumerate(triangles_of(hull.outlines)):
            prism = [(*corners[k], z) for k in triangle for z in (0.0, top)]
            _add_hull_mesh(model, world, np.array(prism), f"{name}_{i}", looks)
        return
    for i, (x, y) in enumerate(points):
        geom = _geom(world, f"{name}_{i}", looks, "cylinder", (hull.radius, middle))
        geom.set("pos", mjcf_numbers(x, y, middle))
    if len(points) == 2:
        way = points[1] - points[0]
        long = float(np.linalg.norm(way))
        geom = _geom(world, f"{name}_side", looks, "box", (long / 2, hull.radius, middle))
        geom.set("pos", mjcf_numbers(*points.mean(axis=0), middle))
        geom.set("xyaxes", mjcf_numbers(*(way / long), 0, -way[1] / long, way[0] / long, 0))
