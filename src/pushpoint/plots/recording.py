"""A recorded path laid over a run: both paths among the obstacles, and their distance over time."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.errors import InvalidModel
from pushpoint.plots.drawing import (
    BLUE,
    GREY,
    INK,
    LEFT,
    PALE,
    PANEL_GAP,
    RIGHT,
    SMALL,
    VERMILION,
    WIDTH,
    X_LABEL_HEIGHT,
    axes_at,
    draw_header,
    header_height,
    header_lines,
    place_legend,
    save_figure,
    show_time,
)
from pushpoint.plots.world_drawing import draw_scenery
from pushpoint.scenery.surroundings import Scenery, read_scenery
from pushpoint.simulation.recordings.comparing import Comparison, run_path

if TYPE_CHECKING:
    import xarray

KEY_HEIGHT, TALLEST, FLATTEST, ERROR_HEIGHT = 0.26, 6.0, 1.2, 1.3
# Pairs of points of the same time that are joined, so that a lag along the path is seen too.
TIES = 30
LEAST_IN_METERS = 0.1


def draw_recording(
    comparison: Comparison, run: xarray.Dataset, path: str | os.PathLike[str], *, world: int = 0
) -> Path:
    """Writes the figure of a comparison as a PNG file, whole or not at all.

    Args:
        comparison: What `compare_recording` found.
        run: The run that was compared.
        path: The file to write, ending in .png.
        world: Which world was compared, of a batched run.

    Returns:
        The path written.
    """
    return save_figure(build_recording_figure(comparison, run, world=world), path)


def build_recording_figure(comparison: Comparison, run: xarray.Dataset, *, world: int = 0) -> Figure:
    """Builds the figure that `draw_recording` writes; its axes are labelled "header", "paths" and "error"."""
    name, scenery = _scene(run)
    _, simulated = run_path(run, link=comparison.link, world=world)
    box, inches_per_meter = _page(np.concatenate([simulated, comparison.recorded]))
    wide, tall = float(WIDTH - LEFT - RIGHT), float((box[1, 1] - box[0, 1]) * inches_per_meter)
    lines = _lines(name, comparison)
    top = header_height(lines) + KEY_HEIGHT
    below = top + tall + X_LABEL_HEIGHT + PANEL_GAP
    figure = Figure(figsize=(WIDTH, below + ERROR_HEIGHT + X_LABEL_HEIGHT), facecolor="white")
    draw_header(figure, lines)
    axes = axes_at(figure, "paths", (LEFT, top, wide, tall))
    axes.set(xlim=box[:, 0], ylim=box[:, 1], aspect="equal", ylabel="y [m]")
    axes.set_xlabel("x [m]", labelpad=1.5)
    draw_scenery(axes, scenery, box, inches_per_meter)
    _draw_paths(axes, comparison, simulated)
    _draw_error(axes_at(figure, "error", (LEFT, below, wide, ERROR_HEIGHT)), comparison)
    return figure


def _scene(run: xarray.Dataset) -> tuple[str, Scenery]:
    try:
        document = json.loads(run.attrs["scenario"])
        return str(document.get("name") or "run"), read_scenery(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidModel("run.attrs['scenario']", str(error), "a scenario with obstacles") from error


def _page(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Corners of what is shown [m], shape (2, 2), as wide as the page and neither too flat nor too tall; its scale."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = (high - low) + 0.12 * max(float((high - low).max()), 1e-3)
    wide = WIDTH - LEFT - RIGHT
    scale = float(min(wide / size[0], TALLEST / size[1]))
    half = np.array([wide, max(float(size[1]) * scale, FLATTEST)]) / (2.0 * scale)
    return np.stack([(low + high) / 2.0 - half, (low + high) / 2.0 + half]), scale


def _lines(name: str, comparison: Comparison) -> list[str]:
    point = "centre of mass" if isinstance(comparison.link, str) else f"link {comparison.link}"
    error = f"error: rms {_length(comparison.rms_error)}, largest {_length(comparison.max_error)}"
    lines = header_lines(name, f"recorded path of {point}", f"{error}, at the end {_length(comparison.end_error)}", "")
    x, y = comparison.translation
    turned = f"turned by {math.degrees(comparison.rotation):.2f} deg, moved by ({x:.4g}, {y:.4g}) m"
    lines.append(f"recording: times shifted by {comparison.time_offset:.3f} s, {turned}")
    if not comparison.time_is_sure:
        low, high = comparison.time_offset_range
        lines.append(f"! The path leaves the time offset open: others between {low:.3f} and {high:.3f} s fit as well.")
    return lines


def _length(value: float) -> str:
    return f"{value:.3g} m" if value >= LEAST_IN_METERS else f"{1e3 * value:.3g} mm"


def _draw_paths(axes: Axes, comparison: Comparison, simulated: np.ndarray) -> None:
    ties = np.unique(np.linspace(0, len(comparison.time) - 1, TIES).round().astype(int))
    for k in ties:
        pair = np.stack([comparison.simulated[k], comparison.recorded[k]])
        axes.plot(*pair.T, color=INK, linewidth=0.5, zorder=3.0, label="same time" if k == ties[0] else None)
    axes.plot(*simulated.T, color=BLUE, linewidth=1.4, label="simulated", zorder=3.1)
    x, y = comparison.recorded.T
    look: dict[str, Any] = {"s": 7, "color": VERMILION, "edgecolors": "white", "linewidths": 0.2}
    axes.scatter(x, y, label="recorded, aligned", zorder=3.2, **look)
    axes.scatter(x[:1], y[:1], s=34, facecolors="none", edgecolors=INK, label="first sample", zorder=3.3)
    axes.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, fontsize=SMALL, frameon=False, handlelength=2.0,
        borderaxespad=0.2, borderpad=0.0,
    )  # fmt: skip


def _draw_error(axes: Axes, comparison: Comparison) -> None:
    unit, scale = ("m", 1.0) if comparison.max_error >= LEAST_IN_METERS else ("mm", 1e3)
    axes.plot(comparison.time, scale * comparison.error, color=VERMILION, linewidth=1.0, label="distance")
    axes.axhline(scale * comparison.rms_error, color=GREY, linewidth=0.8, linestyle="--", label="rms")
    axes.set_ylabel(f"error [{unit}]")
    axes.set_xlabel("time of the run [s]", labelpad=1.5)
    axes.set_ylim(bottom=0.0)
    axes.grid(axis="y", color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    show_time(axes, comparison.time)
    place_legend(axes, columns=2)
