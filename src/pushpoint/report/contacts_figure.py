"""Contact forces: on every link over time, and what they sum to along the direction of travel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pushpoint.report.drawing import draw_lines, header_lines, panel_title, show_time, stacked_axes
from pushpoint.report.heat_map import BAR_ROOM, draw_heat_map
from pushpoint.report.reading import read_recording, travel_direction

if TYPE_CHECKING:
    import xarray

NEEDED = ("contact_normal_force", "obstacle_force")


def build_contacts_figure(run: xarray.Dataset) -> Figure:
    """Builds the figure; the ground's friction is drawn beside the obstacles' push where it was recorded."""
    recording = read_recording(run)
    recording.require(NEEDED, "the figure of the contacts")
    side, force = recording.values("contact_normal_force"), recording.values("obstacle_force")
    size = np.hypot(force[..., 0], force[..., 1])
    peak = float(np.nanmax(size, initial=0.0))
    forward = travel_direction(recording)
    push = recording.sum_along("obstacle_force", forward)
    known = np.isfinite(push)
    mean = float(push[known].mean()) if known.any() else 0.0
    turned = round(math.degrees(math.atan2(forward[1], forward[0]))) + 0
    facts = f"largest force on a link {peak:.3g} N; obstacles push forward with {mean:.3g} N on average"
    if peak == 0.0:
        facts = "no link touched an obstacle"
    lines = header_lines(recording.name, "contact forces", facts, recording.status)
    rows = min(2.6, 1.0 + 0.06 * side.shape[1])
    figure, (upper, lower) = stacked_axes(lines, {"side": rows, "forward": 1.4}, right=BAR_ROOM)
    panel_title(upper, "obstacle force on every link, to its left (+) or right (−)")
    draw_heat_map(upper, recording.time, side, "link", "force [N]")
    words = f"{turned:.0f}".replace("-", "−")
    panel_title(lower, f"sum along the direction of travel ({words}° from x)")
    curves = {"obstacles": push}
    if recording.has("ground_force"):
        curves["ground friction"] = recording.sum_along("ground_force", forward)
    draw_lines(lower, recording.time, curves, "force [N]")
    show_time(lower, recording.time)
    return figure
