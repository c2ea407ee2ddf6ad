"""The robot and what stands around it as Foxglove draws them: each link in its own frame, all else in the world's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.interchange.logs.definitions import message
from pushpoint.scenery.camera import peg_top
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.shapes import Mesh, bore_mesh, box_mesh, prism_mesh, surface_mesh
from pushpoint.scenery.surroundings import GroundShape, rim_points

LINK, HEAD, WHEEL = (0.32, 0.42, 0.54), (0.80, 0.30, 0.14), (0.20, 0.20, 0.20)
OBSTACLE, GROUND = (0.60, 0.60, 0.62), (0.93, 0.92, 0.89)
SOLID_HEIGHT = 1.7
"""Height of a planar run's obstacles in radii of its thickest link [-]."""
MOST_HEIGHTS = 200
"""Points of a height field that are drawn along either axis [-]."""
SEGMENTS = 32
"""Sides of a round obstacle that is drawn as a prism [-]."""
WORLD = "world"
IDENTITY = (0.0, 0.0, 0.0, 1.0)
ALONG_X = (0.0, float(np.sqrt(0.5)), 0.0, float(np.sqrt(0.5)))
"""Turns the z axis into the x axis, as x, y, z, w."""


def pose(place: Any, turn: Any = IDENTITY) -> Any:
    """A geometry_msgs/Pose at a place [m], turned by a quaternion x, y, z, w."""
    point = message("geometry_msgs/Point", **dict(zip("xyz", map(float, place), strict=True)))
    quaternion = message("geometry_msgs/Quaternion", **dict(zip("xyzw", map(float, turn), strict=True)))
    return message("geometry_msgs/Pose", position=point, orientation=quaternion)


def vector(values: Any) -> Any:
    """A geometry_msgs/Vector3."""
    return message("geometry_msgs/Vector3", **dict(zip("xyz", map(float, values), strict=True)))


def scene_of(course: DrawnRun, mass_offset: np.ndarray, *, gone: Sequence[int] = ()) -> Any:
    """The whole scene as one foxglove_msgs/SceneUpdate.

    `mass_offset`: how far the centre of mass of each link is ahead of its middle [m], shape (n_links,); `gone`: numbers
    of the obstacles that are taken away.
    """
    zero = message("builtin_interfaces/Time", sec=0, nanosec=0)
    deletions = [
        message("foxglove_msgs/SceneEntityDeletion", timestamp=zero, type=0, id=f"obstacle_{number}") for number in gone
    ]
    links = [_link(course, number, float(ahead)) for number, ahead in enumerate(mass_offset)]
    still = [_entity(f"obstacle_{number}", WORLD, **parts) for number, parts in enumerate(_obstacles(course))]
    entities = [_entity("ground", WORLD, triangles=[_ground(course)]), *still, *links]
    return message("foxglove_msgs/SceneUpdate", deletions=deletions, entities=entities)


def _entity(name: str, frame: str, **parts: list[Any]) -> Any:
    zero = message("builtin_interfaces/Time", sec=0, nanosec=0)
    kinds = ("arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models")
    return message(
        "foxglove_msgs/SceneEntity",
        timestamp=zero,
        frame_id=frame,
        id=name,
        lifetime=message("builtin_interfaces/Duration", sec=0, nanosec=0),
        frame_locked=True,
        metadata=[],
        **{kind: parts.get(kind, []) for kind in kinds},
    )


def _link(course: DrawnRun, number: int, mass_offset: float) -> Any:
    """A link as two spheres and a cylinder, or as a bar, and its wheels; its frame is in its centre of mass."""
    radius, half = float(course.radius[number]), float(course.half_side[number])
    color = _color(HEAD if number == len(course.radius) - 1 else LINK)
    middle = np.array([-mass_offset, 0.0, 0.0])
    parts: dict[str, list[Any]] = {"cylinders": _wheels(course, number, middle)}
    if course.space is not None and course.space.square[number]:
        size = 2.0 * (course.space.half[number] + course.space.rounding[number])
        parts["cubes"] = [message("foxglove_msgs/CubePrimitive", pose=pose(middle), size=vector(size), color=color)]
        return _entity(f"link_{number}", f"link_{number}", **parts)
    ends = [middle + np.array([side * half, 0.0, 0.0]) for side in (-1.0, 1.0)]
    size = vector([2.0 * radius] * 3)
    parts["spheres"] = [message("foxglove_msgs/SpherePrimitive", pose=pose(e), size=size, color=color) for e in ends]
    parts["cylinders"].append(_cylinder(middle, ALONG_X, radius, 2.0 * half, color))
    return _entity(f"link_{number}", f"link_{number}", **parts)


def _cylinder(middle: Any, turn: Any, radius: float, height: float, color: Any) -> Any:
    return message(
        "foxglove_msgs/CylinderPrimitive",
        pose=pose(middle, turn),
        size=vector((2.0 * radius, 2.0 * radius, height)),
        bottom_scale=1.0,
        top_scale=1.0,
        color=color,
    )


def _wheels(course: DrawnRun, number: int, middle: np.ndarray) -> list[Any]:
    wheels, color = course.wheels, _color(WHEEL)
    return [
        _cylinder(middle + wheels.place[k], _onto(wheels.axle[k]), float(wheels.radius[k]), wheels.radius[k] / 2, color)
        for k in np.flatnonzero(wheels.link == number)
    ]


def _onto(axis: np.ndarray) -> np.ndarray:
    """The shortest turn of the z axis onto a unit vector, as x, y, z, w."""
    if axis[2] < -1.0 + 1e-9:
        return np.array([1.0, 0.0, 0.0, 0.0])
    half = np.array([-axis[1], axis[0], 0.0, 1.0 + axis[2]])
    return np.asarray(half / np.linalg.norm(half))


def _color(rgb: tuple[float, float, float]) -> Any:
    return message("foxglove_msgs/Color", r=rgb[0], g=rgb[1], b=rgb[2], a=1.0)


def _triangles(mesh: Mesh, rgb: tuple[float, float, float]) -> Any:
    vertices, faces = mesh
    points = [message("geometry_msgs/Point", x=x, y=y, z=z) for x, y, z in np.asarray(vertices, dtype=float).tolist()]
    return message(
        "foxglove_msgs/TriangleListPrimitive",
        pose=pose((0.0, 0.0, 0.0)),
        points=points,
        color=_color(rgb),
        colors=[],
        indices=np.asarray(faces, dtype=np.uint32).ravel(),
    )


def _obstacles(course: DrawnRun) -> list[dict[str, list[Any]]]:
    """What each obstacle is made of: upright posts as cylinders, all else as triangles."""
    if course.space is None:
        top = SOLID_HEIGHT * float(course.radius.max())
        found: list[dict[str, list[Any]]] = [{} for _ in course.scenery.environment.obstacles]
        for solid in course.scenery.solids:
            parts = found[solid.number]
            if len(solid.corners) == 1:
                post = _cylinder((*solid.center, top / 2.0), IDENTITY, solid.radius, top, _color(OBSTACLE))
                parts.setdefault("cylinders", []).append(post)
            else:
                mesh = prism_mesh(solid.outline(SEGMENTS), 0.0, top, solid.holes)
                parts.setdefault("triangles", []).append(_triangles(mesh, OBSTACLE))
        return found
    return [_in_space(course, obstacle.solids) for obstacle in course.scenery.environment.obstacles]


def _in_space(course: DrawnRun, solids: Any) -> dict[str, list[Any]]:
    parts: dict[str, list[Any]] = {"cylinders": [], "triangles": []}
    for solid in solids:
        if not solid.radius:
            mesh = box_mesh(np.array(solid.center), np.array(solid.half), solid.rotation, wedge=solid.wedge)
            parts["triangles"].append(_triangles(mesh, OBSTACLE))
        elif solid.inner:
            parts["triangles"].append(_triangles(bore_mesh(rim_points(solid, solid.inner)), OBSTACLE))
        else:
            place = np.array(solid.center[:2])
            foot, top = float(course.scenery.ground.height(place)), peg_top(course, solid)
            middle = (*place, (foot + top) / 2.0)
            parts["cylinders"].append(_cylinder(middle, IDENTITY, solid.radius, top - foot, _color(OBSTACLE)))
    return parts


def _ground(course: DrawnRun) -> Any:
    """The ground, as far as a body length beside all that the robot sweeps."""
    box = course.body_box[:, :2] + course.length * np.array([[-1.0], [1.0]])
    ground: GroundShape = course.scenery.ground
    sides = []
    for axis, (low, high) in enumerate(box.T):
        if ground.field is None:
            sides.append(np.array([low, high]))
            continue
        step, start = ground.field.spacing, ground.field.origin[axis]
        step *= max(1, int(np.ceil((high - low) / step / MOST_HEIGHTS)))
        sides.append(start + step * np.arange(np.floor((low - start) / step), np.ceil((high - start) / step) + 1))
    level = ground.height(np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1))
    return _triangles(surface_mesh(sides[0], sides[1], level), GROUND)
