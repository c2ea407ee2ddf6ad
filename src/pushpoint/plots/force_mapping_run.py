"""The figure of a run that was driven by force mapping: how far from its path, with which torques and pushes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pushpoint.errors import InvalidModel

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

# What is heavy is imported where it is needed: every run is asked whether it has such a figure.
CUSTOM, CLASS = "custom", "ForceMappingController"
NEEDED = ("link_angle", "center_of_mass", "joint_torque", "obstacle_load")
ON_PATH = 1e-3
"""How far from its path a robot of the published scenario may begin [m]."""


def maps_forces(run: xarray.Dataset) -> bool:
    """Whether a run knows its scenario, and that is a published one whose controller is a ForceMappingController."""
    from pushpoint.papers.registry import scenario_names

    document = _document(run)
    gait = document.get("gait", {})
    if gait.get("kind") != CUSTOM or gait.get("name") != CLASS:
        return False  # no document holds a path: it is known by the name of its scenario
    return document.get("name") in scenario_names()


def build_force_mapping_figure(run: xarray.Dataset) -> Figure:
    """Distance from the path, squared torques and hardest push over time, as `build_comparison_figure` draws them."""
    from pushpoint.papers.holden2014.comparison import tracking
    from pushpoint.papers.registry import scenario
    from pushpoint.plots.force_mapping import build_comparison_figure
    from pushpoint.scenery.reading import read_recording

    recording = read_recording(run)
    recording.require(NEEDED, "the figure of a force mapping")
    chosen: Any = scenario(_document(run)["name"])
    if recording.samples.sizes["link"] != chosen.robot.n_links:
        raise InvalidModel("run: links", recording.samples.sizes["link"], f"{chosen.robot.n_links}, as published")
    found = tracking(recording.samples, chosen.robot, chosen.controller)
    if not found.center_error[0] < ON_PATH:
        raise InvalidModel("controller", f"another {CLASS} under the name {chosen.name}", "the published one")
    return build_comparison_figure({"force mapping": found}, name=recording.name)


def _document(run: xarray.Dataset) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(run.attrs.get("document", "{}"))
    return document
