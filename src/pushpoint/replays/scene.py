"""What stands still in the replay of a run: light, ground, regions, obstacles, the path and the aim."""

from __future__ import annotations

import math
from itertools import cycle
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pushpoint.model.obstacle import Solid
from pushpoint.replays.sight import Sight
from pushpoint.scenery.camera import peg_top
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.palette import FORCE_COLOR, INK, PATCH_LOOKS, PLAN_COLOR, SOLID_COLOR, rgb
from pushpoint.scenery.shapes import (
    Mesh,
    bore_mesh,
    box_mesh,
    in_polygon,
    joined_meshes,
    prism_mesh,
    rounded_hull,
    surface_mesh,
)
from pushpoint.scenery.surroundings import GroundShape, law_words, rim_points

if TYPE_CHECKING:
    import viser

Color = tuple[int, int, int]


def drawn(color: str) -> Color:
    """A colour of the palette as the viewer wants it, from 0 to 255."""
    red, green, blue = (255.0 * rgb(color)).round().astype(int).tolist()
    return red, green, blue


SOLID, ARROW, PATH, PLAN = (drawn(color) for color in (SOLID_COLOR, FORCE_COLOR, INK, PLAN_COLOR))
PATCHES = tuple(drawn(face) for face, _ in PATCH_LOOKS)


class GroundLook(NamedTuple):
    """Colours of the ground."""

    flat: Color = (246, 246, 244)
    """Flat ground."""
    hills: Color = (226, 222, 212)
    """A height field or a slope."""
    cell: Color = (222, 222, 222)
    """Thin lines of the grid."""
    section: Color = (190, 190, 190)
    """Thick ones."""
    on_hills: Color = (160, 160, 160)
    """Lines on hills."""


BY_DAY = GroundLook()
AT_NIGHT = GroundLook(
    flat=(40, 42, 46), hills=(64, 64, 66), cell=(58, 60, 64), section=(82, 84, 88), on_hills=(96, 98, 102)
)
# Height of a planar run's obstacles in radii of the thickest link: they end below the top of the body.
SOLID_HEIGHT = 1.7
# Points of a height field that are drawn along either axis, and cells of a region on it.
MOST_HEIGHTS, REGION_CELLS = 200, 60
# Least change of a coordinate that is kept [m or -]: an eighth of a millimeter, so that the file packs well.
GRAIN = 2.0**-13


def set_scene(server: viser.ViserServer, course: DrawnRun) -> None:
    """Sets up light, ground, regions, obstacles, and the path of the centre of mass."""
    length, area = course.length, _area(course)
    set_light(server, course)
    lay_ground(server, course, area)
    stand_obstacles(server, course)
    add_pipes(server, course)
    if len(course.center) > 1:
        few = np.linspace(0, len(course.center) - 1, min(len(course.center), 400)).astype(int)
        _add_line(server, "/path of the centre of mass", raised(course.center[few], 4e-3 * length), PATH, 2.0)
    add_aim(server, course, area)


def _area(course: DrawnRun) -> np.ndarray:
    """Corners of what is shown around the robot's way [m], shape (2, 2)."""
    return course.body_box[:, :2] + 1.5 * course.length * np.array([[-1.0], [1.0]])


def stand_obstacles(server: viser.ViserServer, course: DrawnRun) -> None:
    """Puts all obstacles into the scene as one thing, in the place of those before."""
    meshes = [mesh for _, mesh in obstacle_meshes(course, _area(course))]
    if meshes:
        server.scene.add_mesh_simple("/obstacles", *joined_meshes(meshes), color=SOLID, flat_shading=True)
    else:
        server.scene.remove_by_name("/obstacles")


def set_light(server: viser.ViserServer, course: DrawnRun, strength: float = 1.0) -> None:
    """Our own light instead of the viewer's, which would bleach all colours.

    strength: A replay that begins anew gets some of the viewer's light as well; a page that is served does not.
    """
    scene = server.scene
    scene.set_up_direction("+z")
    scene.configure_environment_map(None)
    scene.configure_default_lights(enabled=False)
    if course.space is None:
        scene.add_light_ambient("/light", intensity=strength * 0.8)
        scene.add_light_directional("/sun", intensity=strength * 1.8, position=(-0.3, -0.5, 1.0))
    else:
        # Lower and stronger, from the viewer's left: slopes and lifted links are told by light and shadow.
        right = Sight(course).right
        away = np.array([-right[1], right[0], 0.0])
        place = tuple((-0.6 * right - 0.3 * away + np.array([0.0, 0.0, 0.8])).tolist())
        scene.add_light_ambient("/light", intensity=strength * 0.6)
        scene.add_light_directional("/sun", intensity=strength * 2.2, position=place, cast_shadow=True)


def add_pipes(server: viser.ViserServer, course: DrawnRun) -> None:
    """Pipes, whose walls are seen from inside alone, so that the near half never hides the robot."""
    for number, pipe in enumerate(course.scenery.pipes):
        bore = bore_mesh(rim_points(pipe, pipe.inner))
        server.scene.add_mesh_simple(f"/pipes/{number}", *bore, color=SOLID, cast_shadow=False)
        for end, rim in enumerate(rim_points(pipe, pipe.radius)):
            _add_line(server, f"/pipes/{number}/rim {end}", rim, PATH, 2.0)


def add_aim(server: viser.ViserServer, course: DrawnRun, area: np.ndarray) -> None:
    """The planned path with its start and goal, and a finishing line."""
    low, thick = 6e-3 * course.length, 0.012 * course.length
    if course.aim.path is not None:
        path = raised(course.aim.path, low)
        _add_line(server, "/planned path", path, PLAN, 3.0)
        for name, place, color in (("/start", path[0], (255, 255, 255)), ("/goal", path[-1], PLAN)):
            server.scene.add_icosphere(name, thick, color, position=tuple(coarse(place).tolist()))
    if (line := course.aim.finish_line(area)) is not None:
        _add_line(server, "/finishing line", raised(np.linspace(line[0], line[1], 50), low), PLAN, 4.0)


def _add_line(server: viser.ViserServer, name: str, points: np.ndarray, color: Color, thick: float) -> None:
    """A line through points in space [m], shape (n, 3); so thick [px]."""
    pieces = coarse(np.stack([points[:-1], points[1:]], axis=1))
    server.scene.add_line_segments(name, pieces, color, thickness=thick, thickness_units="screen")


def lay_ground(server: viser.ViserServer, course: DrawnRun, area: np.ndarray, look: GroundLook = BY_DAY) -> None:
    """The ground with a grid and its regions, between lower left and upper right corners [m], shape (2, 2)."""
    scene, length, ground = server.scene, course.length, course.scenery.ground
    (low, high), cell = area, float(10.0 ** np.floor(np.log10(length)))
    if ground.flat:
        corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
        scene.add_mesh_simple("/ground", *prism_mesh(corners, -0.02 * length, 0.0), color=look.flat, flat_shading=True)
        scene.add_grid(
            "/grid",
            width=float(high[0] - low[0]),
            height=float(high[1] - low[1]),
            position=(*(low + high) / 2.0, 1e-3 * length),
            cell_size=cell / 2.0,
            section_size=cell,
            cell_color=look.cell,
            section_color=look.section,
        )
    else:
        x, y = _places(ground, area)
        # A ground that casts shadows on itself is striped.
        scene.add_mesh_simple("/ground", *_laid(ground, x, y, 0.0), color=look.hills, side="double", cast_shadow=False)
        ends = coarse(_grid_lines(ground, x, y, cell, 2e-3 * length))
        scene.add_line_segments("/grid", ends, look.on_hills, thickness=1.0, thickness_units="screen")
    for number, (region, color) in enumerate(zip(course.scenery.regions, cycle(PATCHES), strict=False)):
        name, corners = f"/regions/{number} {law_words(region.friction)}", np.array(region.vertices)
        if ground.flat:
            scene.add_mesh_simple(name, *prism_mesh(corners, 0.0, 2e-3 * length), color=color, flat_shading=True)
            continue
        sides = np.linspace(np.maximum(corners.min(axis=0), low), np.minimum(corners.max(axis=0), high), REGION_CELLS)
        vertices, faces = _laid(ground, sides[:, 0], sides[:, 1], 3e-3 * length)
        faces = faces[in_polygon(vertices[faces].mean(axis=1)[:, :2], corners)]
        if len(faces):
            scene.add_mesh_simple(name, vertices, faces, color=color, side="double", cast_shadow=False)


def _places(ground: GroundShape, area: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points along x and y whose heights are drawn: those of the height field, or a share of them if they are many."""
    if ground.field is None:
        return area[:, 0], area[:, 1]
    sides = []
    for low, high, start in zip(*area, ground.field.origin, strict=True):
        step = ground.field.spacing * math.ceil((high - low) / ground.field.spacing / (MOST_HEIGHTS - 3))
        first, last = math.floor((low - start) / step), math.ceil((high - start) / step)
        sides.append(start + step * np.arange(first, last + 1))
    return sides[0], sides[1]


def _laid(ground: GroundShape, x: np.ndarray, y: np.ndarray, above: float) -> Mesh:
    level = ground.height(np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1))
    vertices, faces = surface_mesh(x, y, level + above)
    return coarse(vertices), faces


def _grid_lines(ground: GroundShape, x: np.ndarray, y: np.ndarray, cell: float, above: float) -> np.ndarray:
    """Lines of whole cells on the ground as pieces [m], shape (n, 2, 3)."""
    pieces = [np.zeros((0, 2, 3))]
    for axis, (across, along) in enumerate(((x, y), (y, x))):
        for place in cell * np.arange(math.ceil(across[0] / cell), math.floor(across[-1] / cell) + 1):
            line = np.insert(along[:, None], axis, place, axis=1)
            points = np.column_stack([line, ground.height(line) + above])
            pieces.append(np.stack([points[:-1], points[1:]], axis=1))
    return np.concatenate(pieces)


def obstacle_meshes(course: DrawnRun, area: np.ndarray) -> list[tuple[int, Mesh]]:
    """Obstacles with their numbers: in the plane those that reach into the area, drawn up; in space boxes and posts."""
    if course.space is None:
        seen = course.scenery.inside(area)
        segments = 48 if len(seen) < 100 else 16
        top = SOLID_HEIGHT * float(course.radius.max())
        return [(solid.number, prism_mesh(solid.outline(segments), 0.0, top, solid.holes)) for solid in seen]
    each = enumerate(course.scenery.environment.obstacles)
    solids = [(number, solid) for number, obstacle in each for solid in obstacle.solids if not solid.inner]
    return [(number, _solid_mesh(course, solid)) for number, solid in solids]


def _solid_mesh(course: DrawnRun, solid: Solid) -> Mesh:
    """A box or wedge as it is, or a post on the ground."""
    if not solid.radius:
        return box_mesh(np.array(solid.center), np.array(solid.half), solid.rotation, wedge=solid.wedge)
    outline = rounded_hull(np.array([solid.center[:2]]), solid.radius, 32)
    bottom = float(course.scenery.ground.height(outline).min()) - 0.1 * solid.radius
    return prism_mesh(outline, bottom, peg_top(course, solid))


def add_arrows(
    server: viser.ViserServer, name: str, ends: np.ndarray, course: DrawnRun, color: Color = ARROW
) -> viser.ArrowsHandle:
    """Arrows between feet and tips [m], shape (n, 2, 3)."""
    thick = arrow_thickness(course)
    light = as_light(color)
    return server.scene.add_arrows(
        name, ends, light, shaft_radius=thick, head_radius=2.4 * thick, head_length=5.0 * thick
    )


def as_light(colors: np.ndarray | Color) -> np.ndarray:
    """Colours from 0 to 255 as the viewer wants those of batches: it takes them for amounts of light."""
    share = np.asarray(colors) / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.asarray((255.0 * linear).round().astype(np.uint8))


def arrow_thickness(course: DrawnRun) -> float:
    """Radius of an arrow's shaft [m]."""
    return max(0.17 * float(course.radius.max()), 0.005 * course.length)


def raised(points: np.ndarray, level: float | np.ndarray) -> np.ndarray:
    """Places in space [m], shape (..., 3): those of a planar run at a height, of shape (...), others as they are."""
    if points.shape[-1] == 3:
        return points
    return np.concatenate([points, np.broadcast_to(level, points.shape[:-1])[..., None]], axis=-1)


def coarse(values: np.ndarray) -> np.ndarray:
    """Values without the digits that nobody sees."""
    return (np.round(values / GRAIN) * GRAIN).astype(np.float32)
