"""Joint angles against their references: all joints as maps of colours, three of them as curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pushpoint.report.drawing import (
    BLUE,
    GREEN,
    ORANGE,
    draw_lines,
    header_lines,
    panel_title,
    place_legend,
    show_time,
    stacked_axes,
)
from pushpoint.report.heat_map import BAR_ROOM, draw_heat_map
from pushpoint.report.reading import read_recording

if TYPE_CHECKING:
    import xarray

NEEDED = ("joint_angle",)


def build_joints_figure(run: xarray.Dataset) -> Figure:
    """Builds the figure; without references it shows the angles alone."""
    recording = read_recording(run)
    recording.require(NEEDED, "the figure of the joints")
    angle = np.degrees(recording.values("joint_angle"))
    referred = recording.has("joint_reference")
    error = angle - np.degrees(recording.values("joint_reference")) if referred else np.full_like(angle, np.nan)
    facts = f"{angle.shape[1]} joints, angles within {_most(angle):.3g}°"
    if np.isfinite(error).any():
        rms = float(np.sqrt(np.nanmean(error**2)))
        facts += f"; error {rms:.2g}° rms, {_most(error):.2g}° at most"
    rows = min(1.7, 0.75 + 0.04 * angle.shape[1])
    heights = {"angle": rows} | ({"error": rows} if referred else {}) | {"curves": 1.5}
    lines = header_lines(recording.name, "joint angles", facts, recording.status)
    figure, panels = stacked_axes(lines, heights, right=BAR_ROOM)
    panel_title(panels[0], "angle of every joint")
    draw_heat_map(panels[0], recording.time, angle, "joint", "angle [°]")
    if referred:
        panel_title(panels[1], "angle minus reference")
        draw_heat_map(panels[1], recording.time, error, "joint", "error [°]")
    curves = panels[-1]
    panel_title(curves, "three joints, references dashed" if referred else "three joints")
    chosen = sorted({0, angle.shape[1] // 2, angle.shape[1] - 1})
    draw_lines(curves, recording.time, {}, "angle [°]")
    for joint, color in zip(chosen, (GREEN, BLUE, ORANGE), strict=False):
        curves.plot(recording.time, angle[:, joint], color=color, linewidth=1.1, label=f"joint {joint}")
        if referred:
            curves.plot(recording.time, (angle - error)[:, joint], "--", color="black", linewidth=0.7)
    place_legend(curves, columns=3)
    show_time(curves, recording.time)
    return figure


def _most(values: np.ndarray) -> float:
    known = np.abs(values[np.isfinite(values)])
    return float(known.max(initial=0.0))
