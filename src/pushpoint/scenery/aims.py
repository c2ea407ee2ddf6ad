"""What a run was to do, as far as it can be drawn: a path laid out beforehand, its start and goal, a finishing line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.control.loaded import Loaded
from pushpoint.control.path_following.followed import followed_track
from pushpoint.control.rails import OnRails
from pushpoint.scenery.reading import Recording
from pushpoint.worlds.goals import Beyond, Until
from pushpoint.worlds.world import World

# Points along a drawn path, which is smooth between its own.
POINTS = 400


@dataclass(frozen=True, kw_only=True)
class Aim:
    """Seen from above; a run that was only given a gait has none of it."""

    path: np.ndarray | None = None
    """Points of the planned path, from start to goal [m], shape (n, 2)."""
    path_name: str = "planned path of the head"
    """What a legend calls the path."""
    finish: tuple[float, float] | None = None
    """A line that ends the run: its distance from the origin [m], and the direction across it [rad]."""

    def finish_line(self, box: np.ndarray) -> np.ndarray | None:
        """Where the line crosses a box [m], shape (2, 2) both, from edge to edge; None without a line in it."""
        if self.finish is None:
            return None
        distance, direction = self.finish
        across = np.array([np.cos(direction), np.sin(direction)])
        along, place = np.array([-across[1], across[0]]), distance * across
        steps = np.where(np.abs(along) < 1e-9, 1e-9, along)
        # Where it meets the edges left and right, and those below and above.
        meets = np.sort((box - place) / steps, axis=0)
        first, last = meets[0].max(), meets[1].min()
        return np.stack([place + first * along, place + last * along]) if last > first else None


def aim_of(recording: Recording) -> Aim:
    """What a recorded world was to do."""
    return aim_in(recording.world, recording.until)


def aim_in(world: World, until: Until | None = None) -> Aim:
    """What a world is to do."""
    controller = world.controller
    finish = (until.distance, until.direction) if isinstance(until, Beyond) else None
    if isinstance(controller, Loaded):
        controller = controller.controller
    if isinstance(controller, OnRails):
        return Aim(path=controller.path.at(np.linspace(0.0, controller.path.length, POINTS))[0], finish=finish)
    track = followed_track(controller, world.robot)
    if track is None:
        return Aim(finish=finish)
    return Aim(path=track.points, path_name="path to follow", finish=finish)
