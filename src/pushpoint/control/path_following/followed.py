"""Which path a controller follows, and where a robot is on it: for measures and pictures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pushpoint.control.loaded import Loaded
from pushpoint.control.path_following.line_of_sight import LineOfSight
from pushpoint.control.path_following.path_steering import PathSteering
from pushpoint.control.path_following.sidewinding import SidewindingLineOfSight
from pushpoint.control.path_following.track import NOWHERE, Track
from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.model.spatial_robot import AnyRobot


def followed_track(controller: Any, robot: AnyRobot) -> Track | None:
    """The path that a controller leads a robot along; None if it follows none."""
    while isinstance(controller, Loaded):
        controller = controller.controller
    if isinstance(controller, ShapeCurveFollower):
        return controller.steering.guide.track if isinstance(controller.steering, PathSteering) else None
    return controller.track(robot) if isinstance(controller, LineOfSight | SidewindingLineOfSight) else None


class PathTrace(NamedTuple):
    """A motion beside a path; each of shape (n_times,)."""

    arc: np.ndarray
    """Arc length along the path [m]."""
    aside: np.ndarray
    """Cross-track error [m], positive on the left."""
    angle: np.ndarray
    """Direction of the path [rad]."""


def trace_along(track: Track, positions: np.ndarray) -> PathTrace:
    """Positions [m], shape (n_times, 2), beside a path, found one after the other as a controller finds them."""
    place = type(NOWHERE)(*(np.asarray(part)[None] for part in NOWHERE))
    found = []
    for position in positions:
        place = track.find(position[None], place)
        found.append((place.arc[0], place.aside[0], place.angle[0]))
    return PathTrace(*np.array(found).T)
