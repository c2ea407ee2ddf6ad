"""The ground and the obstacles in the scene. Obstacles are picked by a click and moved by dragging them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.model.environment import Environment
from pushpoint.model.obstacle import Obstacle
from pushpoint.replays.scene import (
    AT_NIGHT,
    BY_DAY,
    SOLID,
    add_aim,
    add_pipes,
    drawn,
    lay_ground,
    obstacle_meshes,
    set_light,
)
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.palette import PURPLE
from pushpoint.scenery.shapes import joined_meshes
from pushpoint.studio.stage.shifting import shifted

if TYPE_CHECKING:
    import viser

ROOM, EDGE = 10.0, 3.0
"""Ground is laid so many body lengths around the robot, and anew when it comes so near to the edge."""
LIGHT = 1.6
"""Strength of the light."""
PICKED = drawn(PURPLE)


class SceneCourse:
    """What stands still, until somebody moves it."""

    def __init__(
        self,
        server: viser.ViserServer,
        pick: Callable[[int], None],
        drag: Callable[[int, Obstacle, np.ndarray], None],
    ) -> None:
        """Begins with nothing.

        Args:
            server: Where it is shown.
            pick: What to do if an obstacle is clicked, given its number.
            drag: What to do if one is dragged, given its number, what it was when the drag began, and how far it
                was moved since [m].
        """
        self._server, self._pick, self._drag = server, pick, drag
        self._area = np.zeros((2, 2))
        self._environment: Environment | None = None
        self._handles: dict[int, Any] = {}
        self._built: dict[int, Obstacle] = {}  # what the meshes were made for
        self._picked: int | None = None
        self.dark = False

    def clear(self) -> None:
        """Forgets what was in the scene, which is empty now."""
        self._area, self._environment, self._picked = np.zeros((2, 2)), None, None
        self._handles.clear()
        self._built.clear()

    def show(self, course: DrawnRun, picked: int | None) -> None:
        """Shows what stands around; only what has changed is sent."""
        environment = course.scenery.environment
        first = self._environment is None
        if first:
            set_light(self._server, course, LIGHT)
        if first or self._environment.ground is not environment.ground or self._is_near_edge(course):  # type: ignore[union-attr]
            self._lay(course)
        if first or environment is not self._environment or picked != self._picked:
            self._stand(course, picked)
        self._environment, self._picked = environment, picked

    def relay(self, dark: bool) -> None:
        """Lays the ground anew in other colours at the next look."""
        self.dark, self._area = dark, np.zeros((2, 2))

    def _is_near_edge(self, course: DrawnRun) -> bool:
        box, room = course.body_box[:, :2], EDGE * course.length
        return bool(np.any(box[0] - room < self._area[0]) or np.any(box[1] + room > self._area[1]))

    def _lay(self, course: DrawnRun) -> None:
        box, room = course.body_box[:, :2], ROOM * course.length
        corners = np.concatenate([box, course.near_obstacles])
        self._area = np.stack([corners.min(axis=0) - room, corners.max(axis=0) + room])
        for name in ("/ground", "/grid", "/regions"):
            self._server.scene.remove_by_name(name)
        lay_ground(self._server, course, self._area, AT_NIGHT if self.dark else BY_DAY)
        add_aim(self._server, course, self._area)

    def _stand(self, course: DrawnRun, picked: int | None) -> None:
        obstacles = course.scenery.environment.obstacles
        places = {number: self._shift(number, each) for number, each in enumerate(obstacles)}
        anew = [number for number, shift in places.items() if shift is None]
        for number in [*self._handles]:
            if number in anew or number >= len(obstacles):
                self._handles.pop(number).remove()
                self._built.pop(number, None)
        if anew:
            self._build(course, anew)
        for number, shift in places.items():
            if shift is not None and number in self._handles:
                self._handles[number].position = (*shift, 0.0)
        for number, handle in self._handles.items():
            color = PICKED if number == picked else SOLID
            if tuple(handle.color) != color:
                handle.color = color
        if any(solid.inner for each in obstacles for solid in each.solids):
            add_pipes(self._server, course)

    def _shift(self, number: int, obstacle: Obstacle) -> tuple[float, float] | None:
        """How far the mesh of an obstacle must be moved [m]; None if it is of another shape."""
        built = self._built.get(number)
        if built is None or type(built) is not type(obstacle):
            return None
        if built == obstacle:
            return (0.0, 0.0)
        x, y = (float(b - a) for a, b in zip(anchor(built), anchor(obstacle), strict=True))
        moved = shifted(built, x, y)
        return (x, y) if np.allclose(all_numbers(moved), all_numbers(obstacle), atol=1e-9) else None

    def _build(self, course: DrawnRun, chosen: list[int]) -> None:
        meshes: dict[int, list[Any]] = {}
        everywhere = np.array([[-np.inf, -np.inf], [np.inf, np.inf]])
        wanted = set(chosen)
        for number, mesh in obstacle_meshes(course, everywhere):
            if number in wanted:
                meshes.setdefault(number, []).append(mesh)
        for number, parts in meshes.items():
            handle = self._server.scene.add_mesh_simple(
                f"/obstacles/{number}", *joined_meshes(parts), color=SOLID, flat_shading=True
            )
            self._handles[number] = handle
            self._built[number] = course.scenery.environment.obstacles[number]
            self._listen(number, handle)

    def _listen(self, number: int, handle: Any) -> None:
        begun: dict[str, Any] = {}

        async def picked(_event: Any) -> None:
            self._pick(number)

        # Asynchronous, so that they come in their order.
        async def dragged(event: Any) -> None:
            if event.phase == "start" or not begun:
                begun["obstacle"] = self._environment.obstacles[number] if self._environment else None
                begun["place"] = event.start_position
            step = on_level(event, begun["place"])
            if begun["obstacle"] is not None and step is not None:
                self._drag(number, begun["obstacle"], step)
            if event.phase == "end":
                begun.clear()

        handle.on_click(picked)
        handle.on_drag("left")(dragged)


def on_level(event: Any, place: Any = None) -> np.ndarray | None:
    """How far something was dragged at the height where it was taken [m], shape (2,); None toward the sky.

    The end of a drag lies in a plane before the camera, so the look through it is followed down to the height.

    Args:
        event: What the viewer does.
        place: Where it was taken when the drag began [m]; default: where that point is now, as it may have moved.
    """
    start = np.asarray(event.start_position if place is None else place, dtype=float)
    eye = np.asarray(event.client.camera.position, dtype=float)
    look = np.asarray(event.end_position, dtype=float) - eye
    if abs(look[2]) < 1e-6 * np.linalg.norm(look):
        return None
    share = (start[2] - eye[2]) / look[2]
    return (eye + share * look - start)[:2] if share > 0.0 else None


def all_numbers(obstacle: Obstacle) -> np.ndarray:
    """All numbers of an obstacle in a row, to compare two of a kind."""
    found: list[float] = []

    def gather(value: Any) -> None:
        if isinstance(value, bool | int | float):
            found.append(float(value))
        elif isinstance(value, tuple | list):
            for each in value:
                gather(each)

    for name in type(obstacle).__dataclass_fields__:
        gather(getattr(obstacle, name))
    return np.array(found)


def anchor(obstacle: Obstacle) -> np.ndarray:
    """Where an obstacle is, seen from above [m], shape (2,)."""
    parts = [hull.outlines[0] for hull in obstacle.hulls] or [np.array([s.center[:2]]) for s in obstacle.solids]
    return np.asarray(np.concatenate(parts).mean(axis=0))
