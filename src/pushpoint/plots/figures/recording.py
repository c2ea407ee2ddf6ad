"""A recorded path laid over a run: both paths among the obstacles, and their distance over time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.plots.page import X_LABEL_HEIGHT, PanelRow, dress, header_lines, page, place_legend, show_time
from pushpoint.plots.world import around, draw_map, fitted
from pushpoint.scenery.palette import BLUE, GREY, INK, VERMILION
from pushpoint.scenery.reading import read_recording
from pushpoint.scenery.surroundings import Scenery
from pushpoint.simulation.recordings import Comparison, run_path

KEY_HEIGHT, TALLEST, FLATTEST, ERROR_HEIGHT, GAP = 0.26, 6.0, 1.2, 1.3, 0.3
# Pairs of points of the same time that are joined, so that a lag along the path is seen too.
TIES = 30
LEAST_IN_METERS = 0.1


def recording(comparison: Comparison, run: xarray.Dataset, *, world: int = 0) -> Figure:
    """A recorded path beside that of a run; its axes are labelled "header", "paths" and "error".

    Args:
        comparison: What `compare_recording` found.
        run: The run that was compared.
        world: Which world was compared, of a batched run.
    """
    read = read_recording(run, world)
    _, simulated = run_path(run, link=comparison.link, world=world)
    seen = around(np.concatenate([simulated, comparison.recorded]))
    box, inches_per_meter, tall = fitted(seen, tallest=TALLEST, flattest=FLATTEST)
    rows = [
        PanelRow(panels=("paths",), height=tall, above=KEY_HEIGHT, below=X_LABEL_HEIGHT + GAP),
        PanelRow(panels=("error",), height=ERROR_HEIGHT),
    ]
    figure, panels = page(_lines(read.scenario, comparison), rows)
    draw_map(panels["paths"], Scenery(read.world.environment), box, inches_per_meter)
    _draw_paths(panels["paths"], comparison, simulated)
    _draw_error(panels["error"], comparison)
    return figure


def _lines(name: str, comparison: Comparison) -> list[str]:
    point = "centre of mass" if isinstance(comparison.link, str) else f"link {comparison.link}"
    error = f"error: rms {_length(comparison.rms_error)}, largest {_length(comparison.max_error)}"
    lines = header_lines(name, f"recorded path of {point}", f"{error}, at the end {_length(comparison.end_error)}")
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
    place_legend(axes, 4, handle=2.0, side="left", borderaxespad=0.2)


def _draw_error(axes: Axes, comparison: Comparison) -> None:
    unit, scale = ("m", 1.0) if comparison.max_error >= LEAST_IN_METERS else ("mm", 1e3)
    axes.plot(comparison.time, scale * comparison.error, color=VERMILION, linewidth=1.0, label="distance")
    axes.axhline(scale * comparison.rms_error, color=GREY, linewidth=0.8, linestyle="--", label="rms")
    dress(axes, x="time of the run [s]", y=f"error [{unit}]", grid="y")
    axes.set_ylim(bottom=0.0)
    show_time(axes, comparison.time)
    place_legend(axes, columns=2)
