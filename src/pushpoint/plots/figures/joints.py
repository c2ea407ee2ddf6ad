"""Joint angles against their references: all joints as maps of colours, three of them as curves.

Yaw and pitch joints of a spatial robot have panels of their own.
"""

from __future__ import annotations

import numpy as np
import xarray
from matplotlib.figure import Figure

from pushpoint.plots.heat_map import BAR_ROOM, draw_heat_map
from pushpoint.plots.page import draw_lines, header_lines, place_legend, time_page
from pushpoint.scenery.palette import BLUE, GREEN, ORANGE
from pushpoint.scenery.reading import read_recording

NEEDED = ("joint_angle",)
DIRECTIONS = {"yaw": " (left positive)", "pitch": " (down positive)"}


def joints(run: xarray.Dataset, *, world: int = 0) -> Figure:
    """Angles of all joints, and how far they are from their references where those were recorded.

    Its axes are labelled "header", "angle", "error" and "curves"; in space with what joints turn about: "yaw angle".
    """
    recording = read_recording(run, world, needs=NEEDED, reader="the figure of the joints")
    time, angle = recording.time, np.degrees(recording.values("joint_angle"))
    reference = np.degrees(recording.values("joint_reference")) if recording.has("joint_reference") else None
    facts = f"{angle.shape[1]} joints, angles within {_most(angle):.3g}°"
    if reference is not None and np.isfinite(angle - reference).any():
        rms = float(np.sqrt(np.nanmean((angle - reference) ** 2)))
        facts += f"; error {rms:.2g}° rms, {_most(angle - reference):.2g}° at most"
    groups = recording.joint_groups()
    heights: dict[str, float] = {}
    for name, numbers in groups.items():
        rows = min(1.7, 0.75 + 0.04 * len(numbers))
        parts = {"angle": rows} | ({} if reference is None else {"error": rows}) | {"curves": 1.5}
        heights |= {f"{name} {part}".strip(): height for part, height in parts.items()}
    lines = header_lines(recording.name, "joint angles", facts, recording.status)
    figure, panels = time_page(lines, time, heights, right=BAR_ROOM)
    left = iter(panels)
    for name, numbers in groups.items():
        joint, some = f"{name} joint".strip(), angle[:, numbers]
        title = f"angle of every {joint}{DIRECTIONS.get(name, '')}"
        draw_heat_map(next(left), time, some, "joint", "angle [°]", title=title, numbers=numbers)
        title = f"three {joint}s"
        if reference is not None:
            error, above = some - reference[:, numbers], f"{name} angle minus reference".strip()
            draw_heat_map(next(left), time, error, "joint", "error [°]", title=above, numbers=numbers)
            title += ", references dashed"
        curves = next(left)
        draw_lines(curves, time, {}, "angle [°]", title=title)
        for row, color in zip(sorted({0, len(numbers) // 2, len(numbers) - 1}), (GREEN, BLUE, ORANGE), strict=False):
            curves.plot(time, some[:, row], color=color, linewidth=1.1, label=f"joint {numbers[row]}")
            if reference is not None:
                curves.plot(time, reference[:, numbers[row]], "--", color="black", linewidth=0.7)
        place_legend(curves, columns=3)
    return figure


def _most(values: np.ndarray) -> float:
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
