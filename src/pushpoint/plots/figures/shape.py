"""The figure of a run whose robot followed a shape curve: its curve and virtual robot beside what was simulated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.errors import InvalidModel
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.plots.figures.shape_curve import USUAL, motion
from pushpoint.scenery.reading import driving_controller, read_recording

if TYPE_CHECKING:
    import xarray

STANDING = ("points", "segment", "shots")
"""Panels for a virtual robot at rest."""


def follows_a_curve(run: xarray.Dataset) -> bool:
    """Whether the robot of a run followed a shape curve."""
    return isinstance(driving_controller(run), ShapeCurveFollower)


def shape(
    run: xarray.Dataset,
    *,
    parts: Sequence[str] | None = None,
    follower: ShapeCurveFollower | None = None,
    world: int = 0,
) -> Figure:
    """Shape curve and virtual robot of a run beside the simulated one, with the panels of `motion` that fit it.

    Args:
        run: A run whose controller is a ShapeCurveFollower.
        parts: Which panels, as in `motion`; default: those that fit.
        follower: The controller, where the run cannot hold it: one that moves control points by a function.
        world: Which world of a batched run.
    """
    read = read_recording(run, world)
    robot, controller = read.world.robot, follower or read.world.controller
    if not isinstance(controller, ShapeCurveFollower) or not isinstance(robot, SpatialRobot):
        raise InvalidModel("run: controller", type(controller).__name__, ShapeCurveFollower.__name__)
    last, times = float(read.time[-1]), None
    if controller.period is None:
        parts, times = parts or STANDING, [last]
    elif parts is None:
        # From above, a path in a vertical plane would be a straight line.
        level = np.ptp(read.values("link_position")[..., 1]) < robot.links[0].radius
        parts = [part for part in USUAL if not (level and part == "path")]
    return motion(controller, robot, duration=last, times=times, run=read.samples, parts=parts, title=read.scenario)
