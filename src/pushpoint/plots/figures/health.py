"""Whether the solver can be trusted: iterations, residual, unconverged steps and overlap with obstacles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.plots.looks import LIMIT_COLOR
from pushpoint.plots.page import NORMAL, SMALL, dress, header_lines, time_page
from pushpoint.plots.scales import label_of, limit_spikes
from pushpoint.scenery.palette import BLUE, INK, VERMILION
from pushpoint.scenery.reading import Recording, read_recording
from pushpoint.simulation.health import tolerance_of

FACTS: dict[str, Callable[[np.ndarray], str]] = {
    "unconverged": lambda steps: _steps(round(float(np.nansum(steps)))),
    "solver_iterations": lambda count: f"at most {_most(count):.0f} iterations",
    "solver_residual": lambda residual: f"residual up to {_most(residual):.2g} m/s",
    "penetration": lambda overlap: f"overlap up to {1e3 * _most(overlap):.2g} mm",
}


@checked_arguments
def health(run: xarray.Dataset, *, world: Natural = 0) -> Figure:
    """Iterations, residual, unconverged steps and overlap, as far as they were recorded.

    Its axes are labelled "header" and by the names of the variables.
    """
    recording = read_recording(run, world)
    shown = {name: recording.values(name) for name in SHOWN if recording.has(name)}
    if not shown:
        known = list(recording.samples.data_vars)
        raise InvalidModel("run: variables", known, f"a list with one of {', '.join(SHOWN)}")
    facts = "; ".join(words(shown[name]) for name, words in FACTS.items() if name in shown)
    lines = header_lines(recording.name, "solver health", facts, recording.remarks, title=recording.title)
    figure, panels = time_page(lines, recording.time, dict.fromkeys(shown, 0.95))
    touched = "the ground or an obstacle" if recording.spatial else "an obstacle"
    for (name, values), axes in zip(shown.items(), panels, strict=True):
        title, draw = SHOWN[name]
        dress(axes, title=title.replace("an obstacle", touched), grid="y")
        draw(axes, recording, values)
    return figure


def _steps(count: int) -> str:
    return f"{count} unconverged step" + ("" if count == 1 else "s")


def _most(values: np.ndarray) -> float:
    return float(np.nanmax(values, initial=0.0))


def _draw_iterations(axes: Axes, recording: Recording, values: np.ndarray) -> None:
    axes.plot(recording.time, values, ".", color=BLUE, markersize=2.0)
    dress(axes, y=label_of(recording, "solver_iterations"))
    axes.set_ylim(0.0, 1.15 * max(1.0, _most(values)))
    if limit_spikes(axes, (values,), ""):
        axes.set_ylim(bottom=0.0)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))


def _draw_residual(axes: Axes, recording: Recording, values: np.ndarray) -> None:
    seen = values > 0.0
    axes.set_yscale("log")
    axes.plot(recording.time[seen], values[seen], ".", color=BLUE, markersize=2.0)
    tolerance = tolerance_of(recording.world, recording.settings)
    axes.axhline(tolerance, color=LIMIT_COLOR, linewidth=0.9, linestyle="--")
    back = {"facecolor": "white", "alpha": 0.8, "linewidth": 0.0, "pad": 0.5}
    look: dict[str, Any] = {"size": SMALL, "color": LIMIT_COLOR, "ha": "right", "va": "bottom", "bbox": back}
    axes.annotate("tolerance", (1.0, tolerance), xycoords=axes.get_yaxis_transform(), **look)
    if not seen.any():
        axes.set_ylim(1e-9, 1.0)
    axes.minorticks_off()
    axes.margins(y=0.15)
    dress(axes, y=label_of(recording, "solver_residual"))


def _draw_unconverged(axes: Axes, recording: Recording, values: np.ndarray) -> None:
    known = np.nan_to_num(values)
    if not known.any():
        axes.text(0.5, 0.5, "none", transform=axes.transAxes, size=NORMAL, color=INK, ha="center", va="center")
    axes.vlines(recording.time[known > 0.0], 0.0, known[known > 0.0], color=VERMILION, linewidth=1.0)
    axes.set(ylabel="steps [-]", ylim=(0.0, 1.15 * max(1.0, _most(known))))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=3, integer=True))


def _draw_penetration(axes: Axes, recording: Recording, values: np.ndarray) -> None:
    largest = _most(values)
    unit, factor = ("mm", 1e3) if largest >= 1e-4 or largest == 0.0 else ("µm", 1e6)
    axes.plot(recording.time, factor * values, color=BLUE, linewidth=0.9)
    dress(axes, y=label_of(recording, "penetration", unit=unit))
    axes.set_ylim(0.0, 1.15 * factor * largest if largest else 1.0)


SHOWN = {
    "solver_iterations": ("most iterations in a step since the last sample", _draw_iterations),
    "solver_residual": ("largest violation of a force law", _draw_residual),
    "unconverged": ("unconverged steps since the last sample", _draw_unconverged),
    "penetration": ("deepest overlap of a link with an obstacle", _draw_penetration),
}
"""What there is to see, and how it is drawn."""
