"""Joint angles against their references: all joints as maps of colours, three of them as curves.

Yaw and pitch joints of a spatial robot have panels of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.plots.heat_map import BAR_ROOM, draw_heat_map
from pushpoint.plots.page import draw_lines, header_lines, place_legend, show_time, time_page
from pushpoint.scenery.palette import BLUE, GREEN, ORANGE
from pushpoint.scenery.reading import read_recording

if TYPE_CHECKING:
    import xarray

NEEDED = ("joint_angle",)
DIRECTIONS = {"yaw": " (left positive)", "pitch": " (down positive)"}


def joints(run: xarray.Dataset, *, world: int = 0) -> Figure:
    """Angles of all joints, and how far they are from their references where those were recorded.

    Its axes are labelled "header", "angle", "error" and "curves"; in space with what joints turn about: "yaw angle".
    """
    recording = read_recording(run, world)
    recording.require(NEEDED, "the figure of the joints")
    angle = np.degrees(recording.values("joint_angle"))
    reference = None
    facts = f"{angle.shape[1]} joints, angles within {_most(angle):.3g}°"
    if recording.has("joint_reference"):
        reference = np.degrees(recording.values("joint_reference"))
        if np.isfinite(angle - reference).any():
            rms = float(np.sqrt(np.nanmean((angle - reference) ** 2)))
            facts += f"; error {rms:.2g}° rms, {_most(angle - reference):.2g}° at most"
    groups = recording.joint_groups()
    heights: dict[str, float] = {}
    for name, numbers in groups.items():
        rows = min(1.7, 0.75 + 0.04 * len(numbers))
        parts = {"angle": rows} | ({} if reference is None else {"error": rows}) | {"curves": 1.5}
        heights |= {f"{name} {part}".strip(): height for part, height in parts.items()}
    lines = header_lines(recording.name, "joint angles", facts, recording.status)
    figure, panels = time_page(lines, heights, right=BAR_ROOM)
    each = len(panels) // len(groups)
    for k, (name, numbers) in enumerate(groups.items()):
        some = None if reference is None else reference[:, numbers]
        _draw_group(panels[k * each : (k + 1) * each], recording.time, (name, numbers), angle[:, numbers], some)
    show_time(panels[-1], recording.time)
    return figure


def _draw_group(
    panels: list[Axes], time: np.ndarray, group: tuple[str, np.ndarray], angle: np.ndarray, reference: np.ndarray | None
) -> None:
    """Joints of one kind, by its name and their numbers: their angles, the errors, and three of them as curves."""
    name, numbers = group
    joint, direction = f"{name} joint".strip(), DIRECTIONS.get(name, "")
    title = f"angle of every {joint}{direction}"
    draw_heat_map(panels[0], time, angle, "joint", "angle [°]", title=title, numbers=numbers)
    if reference is not None:
        title = f"{name} angle minus reference".strip()
        draw_heat_map(panels[1], time, angle - reference, "joint", "error [°]", title=title, numbers=numbers)
    curves = panels[-1]
    draw_lines(curves, time, {}, "angle [°]", title=f"three {joint}s" + ", references dashed" * (reference is not None))
    chosen = sorted({0, angle.shape[1] // 2, angle.shape[1] - 1})
    for row, color in zip(chosen, (GREEN, BLUE, ORANGE), strict=False):
        curves.plot(time, angle[:, row], color=color, linewidth=1.1, label=f"joint {numbers[row]}")
        if reference is not None:
            curves.plot(time, reference[:, row], "--", color="black", linewidth=0.7)
    place_legend(curves, columns=3)


def _most(values: np.ndarray) -> float:
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
