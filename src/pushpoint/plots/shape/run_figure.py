"""The figure of a run whose robot followed a shape curve: its curve and virtual robot beside what was simulated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.errors import InvalidModel

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from pushpoint.scenarios.scenario import Scenario

# What is heavy is imported where it is needed: every run is asked whether it has such a figure.
KIND, CUSTOM, CLASS = "shape-curve", "custom", "ShapeCurveFollower"
STANDING: tuple[str, ...] = ("points", "segment", "shots")
"""Panels for a virtual robot at rest."""
MOVING: tuple[str, ...] = ("segment", "curve", "path", "shots")
PARTS_OF: dict[str, tuple[str, ...]] = {"liljeback2014/segments": ("points", "curve", "path", "shots")}
"""Panels for a scenario that shows something else: how a curve is put together."""
SAME = 1e-6
"""How far references of the same follower may be apart [rad]."""


def follows_a_curve(run: xarray.Dataset) -> bool:
    """Whether a run knows its scenario, and the controller of that is a ShapeCurveFollower."""
    document = _document(run)
    gait = document.get("gait", {})
    if gait.get("kind") != CUSTOM:
        return bool(gait.get("kind") == KIND)
    # A follower that no document can hold is known by the name of its scenario.
    from pushpoint.papers.registry import scenario_names

    return gait.get("name") == CLASS and document.get("name") in scenario_names()


def build_shape_figure(run: xarray.Dataset) -> Figure:
    """Builds the figure of such a run, with the panels of `motion_figure` that fit it."""
    from pushpoint.plots.shape.figure import motion_figure

    chosen = scenario_behind(run)
    follower: Any = chosen.controller
    robot: Any = chosen.robot
    last = float(run.time[-1])
    times: list[float] | None = None
    parts = PARTS_OF.get(chosen.name, MOVING)
    if follower.period is None:
        parts, times = STANDING, [last]
    elif np.ptp(run.link_position.sel(axis="y").values) < robot.links[0].radius:
        parts = tuple(part for part in parts if part != "path")  # from above it would be a straight line
    return motion_figure(follower, robot, duration=last, times=times, run=run, parts=parts, title=chosen.name)


def scenario_behind(run: xarray.Dataset) -> Scenario:
    """The scenario of a run, from its document; a follower of moving points from the published one of that name."""
    from pushpoint.description.from_document import scenario_of
    from pushpoint.papers.registry import scenario

    document = _document(run)
    if document["gait"]["kind"] != CUSTOM:
        return scenario_of(document)
    chosen = scenario_of(document, custom=scenario(document["name"]).controller)
    follower: Any = chosen.controller
    sent, _rates = follower.references(run.time.values, chosen.robot)
    # Samples at which a command arrives may hold the one before; those of another follower differ nearly always.
    if np.median(np.abs(run.joint_reference.values - sent).max(axis=1)) > SAME:
        raise InvalidModel("controller", f"another {CLASS} under the name {chosen.name}", "the published one")
    return chosen


def _document(run: xarray.Dataset) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(run.attrs.get("document", "{}"))
    return document
