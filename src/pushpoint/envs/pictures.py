"""Pictures of worlds that are being stepped, drawn as the frames of a film."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.spatial.kinematics import link_poses, rotation_of
from pushpoint.engine.state import SpatialState, State
from pushpoint.films.film import Pixels
from pushpoint.films.frames import Frames
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.scenery.aims import Aim
from pushpoint.scenery.drawn_run import DrawnRun, space_of
from pushpoint.scenery.surroundings import Scenery
from pushpoint.scenery.wheels import drawn_wheels
from pushpoint.worlds.world import World

REACH = 3.0
"""The ground is drawn this many body lengths around the start [-]; a robot that leaves it is out of the picture."""
FAR = 1e6
"""When the two postures are that span the ground [s]: not near the present, which the camera follows."""


class Pictures:
    """Draws the present of all worlds; the ground is drawn once per world."""

    @checked_arguments
    def __init__(self, width: Pixels) -> None:
        self._width = width - width % 2
        self._drawn: dict[int, Present] = {}

    def draw(self, worlds: Sequence[World], state: State | SpatialState) -> tuple[np.ndarray, ...]:
        """One picture per world, red, green and blue, shape (height, width, 3)."""
        found = []
        for k, world in enumerate(worlds):
            if k not in self._drawn or self._drawn[k].world is not world:
                self._drawn[k] = Present(world, self._width, *links_of(world.robot, state, k))
            found.append(self._drawn[k].picture(*links_of(world.robot, state, k)))
        return tuple(found)


def links_of(robot: AnyRobot, state: Any, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Middles of the links [m], and their angles [rad] or quaternions."""
    if isinstance(robot, SpatialRobot):
        middle, turned = link_poses(robot, state.center[number], state.tail[number], state.angle[number])
        along = rotation_of(turned)[..., 0]
    else:
        turned = state.theta[number]
        middle = link_positions(robot, state.center[number], turned)
        along = np.stack((np.cos(turned), np.sin(turned)), axis=-1)
    return middle - robot.column("mass_offset")[:, None] * along, turned


class Present:
    """Draws one world as it is now: a run of one moment, and of two far away that span the ground around it."""

    def __init__(self, world: World, width: int, middle: np.ndarray, turned: np.ndarray) -> None:
        self.world = world
        robot, span = world.robot, np.zeros(middle.shape[1])
        span[:2] = REACH * world.robot.length
        self._middle = np.stack((middle, middle - span, middle + span))
        self._turned = np.stack([turned] * 3)
        self._space = None if not isinstance(robot, SpatialRobot) else space_of(robot, self._turned)
        self._along = np.empty_like(self._middle)
        self._pose(middle, turned)
        self._along[1:] = self._along[0]
        course = DrawnRun(
            name="",
            title="",
            status="",
            remarks=(),
            radius=robot.column("radius"),
            half_side=robot.column("side_length") / 2.0,
            scenery=Scenery(world.environment),
            time=np.array([0.0, FAR, 2.0 * FAR]),
            middle=self._middle,
            along=self._along,
            center=np.repeat(middle.mean(axis=0)[None], 3, axis=0),  # a path that goes nowhere
            force=np.zeros_like(self._middle),
            travel=np.array([1.0, 0.0]),
            aim=Aim(),
            wheels=drawn_wheels(robot),
            space=self._space,
        )
        self._frames = Frames(course, width=width, key=False)

    def picture(self, middle: np.ndarray, turned: np.ndarray) -> np.ndarray:
        """The picture of a posture."""
        if np.isfinite(middle).all() and np.isfinite(turned).all():  # a world that failed is shown as it last was
            self._pose(middle, turned)
        (frame,) = (np.array(each[..., :3]) for each in self._frames.draw([0]))
        return np.ascontiguousarray(frame)

    def _pose(self, middle: np.ndarray, turned: np.ndarray) -> None:
        self._middle[0], self._turned[0] = middle, turned
        if self._space is None:
            self._along[0] = np.stack((np.cos(turned), np.sin(turned)), axis=-1)
        else:
            self._space.quaternion[0], self._space.turn[0] = turned, rotation_of(turned)
            self._along[0] = self._space.turn[0, ..., 0]
