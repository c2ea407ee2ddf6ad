"""Joint angles against their references: all joints as maps of colours, three of them as curves.

Yaw and pitch joints of a spatial robot have panels of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.plots.drawing import (
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
from pushpoint.plots.heat_map import BAR_ROOM, draw_heat_map
from pushpoint.scenery.reading import read_recording

if TYPE_CHECKING:
    import xarray

NEEDED = ("joint_angle",)
DIRECTIONS = {"yaw": " (left positive)", "pitch": " (down positive)"}


@dataclass(frozen=True, kw_only=True)
class Group:
    """Joints of one kind."""

    name: str
    """What they turn about; empty if there is but one kind."""
    joints: np.ndarray
    """Their numbers in the run, shape (n,)."""
    angle: np.ndarray
    """Angles [°], shape (n_times, n)."""
    error: np.ndarray
    """Angles minus references [°], shape (n_times, n)."""


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
    groups = recording.joint_groups()
    heights: dict[str, float] = {}
    for name, joints in groups.items():
        rows = min(1.7, 0.75 + 0.04 * len(joints))
        parts = {"angle": rows} | ({"error": rows} if referred else {}) | {"curves": 1.5}
        heights |= {f"{name} {part}".strip(): height for part, height in parts.items()}
    lines = header_lines(recording.name, "joint angles", facts, recording.status)
    figure, panels = stacked_axes(lines, heights, right=BAR_ROOM)
    each = len(panels) // len(groups)
    for k, (name, joints) in enumerate(groups.items()):
        group = Group(name=name, joints=joints, angle=angle[:, joints], error=error[:, joints])
        _draw_group(panels[k * each : (k + 1) * each], recording.time, group)
    show_time(panels[-1], recording.time)
    return figure


def _draw_group(panels: list[Axes], time: np.ndarray, group: Group) -> None:
    """Joints of one kind: their angles, the errors if there is a panel for them, and three of them as curves."""
    name, angle, error = group.name, group.angle, group.error
    joint, direction = f"{name} joint".strip(), DIRECTIONS.get(name, "")
    referred = len(panels) > 2
    panel_title(panels[0], f"angle of every {joint}{direction}")
    draw_heat_map(panels[0], time, angle, "joint", "angle [°]", numbers=group.joints)
    if referred:
        panel_title(panels[1], f"{name} angle minus reference".strip())
        draw_heat_map(panels[1], time, error, "joint", "error [°]", numbers=group.joints)
    curves = panels[-1]
    panel_title(curves, f"three {joint}s, references dashed" if referred else f"three {joint}s")
    chosen = sorted({0, angle.shape[1] // 2, angle.shape[1] - 1})
    draw_lines(curves, time, {}, "angle [°]")
    for row, color in zip(chosen, (GREEN, BLUE, ORANGE), strict=False):
        curves.plot(time, angle[:, row], color=color, linewidth=1.1, label=f"joint {group.joints[row]}")
        if referred:
            curves.plot(time, (angle - error)[:, row], "--", color="black", linewidth=0.7)
    place_legend(curves, columns=3)


def _most(values: np.ndarray) -> float:
    known = np.abs(values[np.isfinite(values)])
    return float(known.max(initial=0.0))
