"""Runs along a path, driven by force mapping or otherwise: how far from it, with which torques and pushes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pushpoint.control.force_mapping_controller import ForceMappingController
from pushpoint.errors import InvalidModel
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.plots.page import draw_lines, place_legend, show_time, time_page
from pushpoint.scenery.palette import BLUE, GREEN, INK, VERMILION
from pushpoint.scenery.reading import driving_controller, read_recording
from pushpoint.simulation.tracking import Tracking, tracking

if TYPE_CHECKING:
    import xarray

NEEDED = ("link_angle", "center_of_mass", "joint_torque", "obstacle_load")
PANEL_HEIGHT = 1.25
"""Height of a panel [in]."""
COMPARED = {
    "distance of the centre of mass from its place on the path": "distance [mm]",
    "sum of the squared torques, means of 1 s": "[(N m)²]",
    "hardest push on a peg, means over a sample": "force [N]",
}
"""Panels of a comparison: title and label."""
LOOKS = ((BLUE, "-"), (VERMILION, "-"), (INK, ":"), (GREEN, "-."))


def maps_forces(run: xarray.Dataset) -> bool:
    """Whether a run was driven by force mapping along a path."""
    return isinstance(driving_controller(run), ForceMappingController)


def force_mapping(run: xarray.Dataset, *, world: int = 0) -> Figure:
    """Distance from the path, squared torques and hardest push over time of a run driven by force mapping.

    Its axes are labelled as those of `tracking_comparison`.

    Args:
        run: A run whose controller is a ForceMappingController.
        world: Which world of a batched run.
    """
    read = read_recording(run, world)
    read.require(NEEDED, "the figure of a force mapping")
    robot, controller = read.world.robot, read.world.controller
    if not isinstance(controller, ForceMappingController) or not isinstance(robot, PlanarRobot):
        raise InvalidModel("run: controller", type(controller).__name__, ForceMappingController.__name__)
    found = tracking(read.samples, robot, controller)
    return tracking_comparison({"force mapping": found}, name=read.name)


def tracking_comparison(runs: Mapping[str, Tracking], *, name: str = "force mapping") -> Figure:
    """Runs on one course beside each other, up to four, by their names: distance from the path, torques, peg forces.

    The panels are labelled "error", "torque" and "force".
    """
    if not 1 <= len(runs) <= len(LOOKS):
        raise InvalidModel("runs", len(runs), f"from 1 to {len(LOOKS)}")
    lines = [
        f"{name}: {' and '.join(runs)}",
        *(
            f"{label}: {run.advance:.2f} m in {run.time[-1]:.3g} s, mean sum of squared torques "
            f"{run.squared_torque:.3g} (N m)², hardest push {run.peg_force[1:].max():.3g} N"
            for label, run in runs.items()
        ),
    ]
    figure, panels = time_page(lines, dict.fromkeys(("error", "torque", "force"), PANEL_HEIGHT))
    for axes, (title, unit) in zip(panels, COMPARED.items(), strict=True):
        draw_lines(axes, np.zeros(0), {}, unit, title=title)
    for (label, run), (color, dash) in zip(runs.items(), LOOKS, strict=False):
        squared = np.square(run.joint_torque).sum(axis=1)
        shown = (1e3 * run.center_error, _second_means(squared, run.time), run.peg_force.max(axis=1))
        for axes, values in zip(panels, shown, strict=True):
            axes.plot(run.time, values, dash, color=color, linewidth=1.0, label=label)
    for axes in panels:
        axes.set_ylim(bottom=0.0)
        place_legend(axes, columns=len(runs))
    show_time(panels[-1], max((run.time for run in runs.values()), key=len))
    return figure


def _second_means(values: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Means over the last second, less at the start, without the first sample, which has no interval before it."""
    step = float(time[1] - time[0]) if len(time) > 1 else 1.0
    width = max(1, round(1.0 / step))
    total = np.concatenate(([0.0], np.cumsum(values[1:])))
    last = np.arange(1, len(total))
    first = np.maximum(last - width, 0)
    return np.concatenate(([np.nan], (total[last] - total[first]) / (last - first)))
