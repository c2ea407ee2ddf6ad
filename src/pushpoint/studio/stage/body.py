"""The robot in the scene, the forces on it, the way it went, and how its controller wants it to be.

A link is picked by a click and pushed by dragging it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.replays.moving import ARROW_HEIGHT, MovingParts, link_mesh
from pushpoint.replays.scene import (
    ARROW,
    PLAN,
    Color,
    add_arrows,
    arrow_thickness,
    as_light,
    coarse,
    drawn,
    raised,
)
from pushpoint.scenery.drawn_look import LiveStage
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.palette import PURPLE, SKY
from pushpoint.simulation.live.look import Look
from pushpoint.studio.stage.course import on_level
from pushpoint.studio.stage.trail import Trail

if TYPE_CHECKING:
    import viser

FORCES: dict[str, Color] = {"contact": ARROW, "friction": drawn(SKY), "propulsion": PLAN, "push": drawn(PURPLE)}
"""Kinds of force arrows and their colours."""
SHOWN_FIRST = ("contact", "push")
EXTRAS = ("path", "wanted posture")
STRONG_PUSH = 1.0
"""A link that is dragged by a body length is pushed by the robot's weight times this [-]."""
WANTED = (120, 120, 120)
TRAIL: Color = (125, 125, 130)
"""Colour of the path, on a light page and on a dark one."""


class SceneRobot:
    """What moves, with arrows and lines that can be shown or hidden."""

    def __init__(
        self,
        server: viser.ViserServer,
        pick: Callable[[int], None],
        push: Callable[[int, np.ndarray, bool], None],
    ) -> None:
        """Begins with nothing.

        Args:
            server: Where it is shown.
            pick: What to do if a link is clicked, given its number.
            push: What to do if one is dragged, given its number, the force [N], and whether this was the end.
        """
        self._server, self._pick, self._push = server, pick, push
        self.visible = {*SHOWN_FIRST, "path"}
        self._moving: MovingParts | None = None
        self._arrows: dict[str, Any] = {}
        self._trail, self._path = Trail(), np.zeros((0, 3))
        self._lines: Any = None
        self._wanted: Any = None

    def begin(self, stage: LiveStage, look: Look) -> None:
        """Puts a robot into an empty scene."""
        course = stage.drawn(look)
        self._trail, self._path, self._lines, self._wanted = Trail(), np.zeros((0, 3)), None, None
        self._moving = MovingParts(self._server, course, stage.force_scale)
        self._arrows = {"contact": self._moving.arrows}
        for kind, color in FORCES.items():
            if kind != "contact":
                self._arrows[kind] = add_arrows(self._server, f"/forces/{kind}", np.zeros((0, 2, 3)), course, color)
        weight = stage.world.robot.mass * stage.world.environment.ground.gravity or 1.0
        for links, handle in zip(self._moving.links, self._moving.bodies, strict=True):
            self._listen(links, handle, STRONG_PUSH * weight / course.length)

    def show(self, stage: LiveStage, course: DrawnRun, look: Look, picked: int | None, reached: float) -> None:
        """Moves all to a look; the simulation has reached a time [s]."""
        moving = self._moving
        if moving is None:
            return
        moving.picked = picked
        moving.pose(0, course)
        for kind, handle in self._arrows.items():
            visible = kind in self.visible
            if handle.visible != visible:
                handle.visible = visible
            if visible and kind != "contact":
                handle.points = self._ends(kind, stage, course, look)
        self._show_path(course, look.time, reached)
        self._show_wanted(stage, look)

    def _ends(self, kind: str, stage: LiveStage, course: DrawnRun, look: Look) -> np.ndarray:
        """Feet and tips of arrows of a kind [m], shape (n, 2, 3)."""
        scale = stage.force_scale
        if kind == "friction":
            force = look.ground_force.copy()
            force[:, 2:] = 0.0  # what carries the weight would hide what moves it
        elif kind == "push":
            force = look.pushes
        else:
            force = np.zeros_like(look.obstacle_force)
            force[:, :2] = look.propulsion[:, None] * look.heading
        force = np.nan_to_num(force)
        chosen = np.linalg.norm(force, axis=-1) > scale.smallest
        feet = course.middle[0, chosen]
        ends = np.stack([feet, feet + scale.meters_per_newton * force[chosen]], axis=1)
        return coarse(raised(ends, ARROW_HEIGHT * float(course.radius.max()) + 1.2 * arrow_thickness(course)))

    def _show_path(self, course: DrawnRun, time: float, reached: float) -> None:
        """The way of the centre of mass up to the time that is looked at."""
        here = raised(course.center[0], 4e-3 * course.length)
        self._trail.note(time, here, 0.02 * course.length, reached)
        points = self._trail.until(time)
        if len(points) > 1 and (self._lines is None or not np.array_equal(points, self._path)):
            pieces = coarse(np.stack([points[:-1], points[1:]], axis=1))
            if self._lines is None:
                self._lines = self._server.scene.add_line_segments(
                    "/path", pieces, TRAIL, thickness=2.0, thickness_units="screen"
                )
            else:
                self._lines.points = pieces
            self._path = points
        visible = "path" in self.visible and len(points) > 1
        if self._lines is not None and self._lines.visible != visible:
            self._lines.visible = visible

    def _show_wanted(self, stage: LiveStage, look: Look) -> None:
        """The body as the controller wants it, thin and pale."""
        poses = stage.reference(look) if "wanted posture" in self.visible else None
        if poses is None:
            if self._wanted is not None:
                self._wanted.visible = False
            return
        place, turn = (coarse(each) for each in poses)
        if self._wanted is None:
            vertices, faces = link_mesh(stage.drawn(look), 0)
            thin = vertices * np.array([1.0, 0.5, 0.5], dtype=np.float32)
            self._wanted = self._server.scene.add_batched_meshes_simple(
                "/wanted posture", thin, faces, turn, place, batched_colors=as_light(WANTED), opacity=0.45, lod="off",
                cast_shadow=False,
            )  # fmt: skip
        self._wanted.visible = True
        self._wanted.batched_positions, self._wanted.batched_wxyzs = place, turn

    def _listen(self, links: np.ndarray, handle: Any, newtons_per_meter: float) -> None:
        async def picked(event: Any) -> None:
            self._pick(int(links[event.instance_index or 0]))

        async def dragged(event: Any) -> None:
            step = on_level(event)
            if step is not None:
                ended = event.phase == "end"
                self._push(int(links[event.instance_index or 0]), newtons_per_meter * step, ended)

        handle.on_click(picked)
        handle.on_drag("left")(dragged)
