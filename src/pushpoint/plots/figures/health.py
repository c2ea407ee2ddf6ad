"""Whether the solver can be trusted: iterations, residual, unsolved steps and overlap with obstacles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pushpoint.errors import InvalidModel
from pushpoint.plots.page import NORMAL, SMALL, dress, header_lines, show_time, time_page
from pushpoint.scenery.palette import BLUE, GREY, VERMILION
from pushpoint.scenery.reading import Recording, read_recording
from pushpoint.simulation.health import tolerance_of

if TYPE_CHECKING:
    import xarray

SHOWN = {
    "solver_iterations": "most iterations in a step since the last sample",
    "solver_residual": "largest violation of a force law",
    "unconverged": "unsolved steps since the last sample",
    "penetration": "deepest overlap of a link with an obstacle",
}


def health(run: xarray.Dataset, *, world: int = 0) -> Figure:
    """Iterations, residual, unsolved steps and overlap, as far as they were recorded.

    Its axes are labelled "header" and by the names of the variables.
    """
    recording = read_recording(run, world)
    shown = [name for name in SHOWN if recording.has(name)]
    if not shown:
        known = list(recording.samples.data_vars)
        raise InvalidModel("run: variables", known, f"a list with one of {', '.join(SHOWN)}")
    lines = header_lines(recording.name, "solver health", _facts(recording, shown), recording.status)
    figure, panels = time_page(lines, dict.fromkeys(shown, 0.95))
    touched = "the ground or an obstacle" if recording.spatial else "an obstacle"
    for name, axes in zip(shown, panels, strict=True):
        dress(axes, title=SHOWN[name].replace("an obstacle", touched), grid="y")
        _DRAW[name](axes, recording, recording.values(name))
    show_time(panels[-1], recording.time)
    return figure


def _facts(recording: Recording, shown: list[str]) -> str:
    largest = {name: float(np.nanmax(recording.values(name), initial=0.0)) for name in shown}
    facts = []
    if "unconverged" in shown:
        facts.append(f"{np.nansum(recording.values('unconverged')):.0f} unsolved steps")
    if "solver_iterations" in shown:
        facts.append(f"at most {largest['solver_iterations']:.0f} iterations")
    if "solver_residual" in shown:
        facts.append(f"residual up to {largest['solver_residual']:.2g} m/s")
    if "penetration" in shown:
        facts.append(f"overlap up to {1e3 * largest['penetration']:.2g} mm")
    return "; ".join(facts)


def _draw_iterations(axes: Axes, recording: Recording, values: np.ndarray) -> None:
    axes.plot(recording.time, values, ".", color=BLUE, markersize=2.0)
    axes.set(ylabel="iterations", ylim=(0.0, 1.15 * max(1.0, float(np.nanmax(values, initial=0.0)))))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))


def _draw_residual(axes: Axes, recording: Recording, values: np.ndarray) -> None:
    seen = values > 0.0
    axes.set_yscale("log")
    axes.plot(recording.time[seen], values[seen], ".", color=BLUE, markersize=2.0)
    settings = recording.settings
    if settings is not None:
        tolerance = tolerance_of(recording.world, settings)
        axes.axhline(tolerance, color=VERMILION, linewidth=0.9, linestyle="--")
        axes.annotate("tolerance", (1.0, tolerance), xycoords=axes.get_yaxis_transform(), size=SMALL, color=VERMILION,
                      ha="right", va="bottom")  # fmt: skip
    if not seen.any():
        axes.set_ylim(1e-9, 1.0)
    axes.minorticks_off()
    axes.margins(y=0.15)
    axes.set_ylabel("residual [m/s]")


def _draw_unconverged(axes: Axes, recording: Recording, values: np.ndarray) -> None:
    known = np.nan_to_num(values)
    if not known.any():
        axes.text(0.5, 0.5, "none", transform=axes.transAxes, size=NORMAL, color=GREY, ha="center", va="center")
    axes.vlines(recording.time[known > 0.0], 0.0, known[known > 0.0], color=VERMILION, linewidth=1.0)
    axes.set(ylabel="steps", ylim=(0.0, 1.15 * max(1.0, float(known.max(initial=0.0)))))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=3, integer=True))


def _draw_penetration(axes: Axes, recording: Recording, values: np.ndarray) -> None:
    largest = float(np.nanmax(values, initial=0.0))
    unit, factor = ("mm", 1e3) if largest >= 1e-4 or largest == 0.0 else ("µm", 1e6)
    axes.plot(recording.time, factor * values, color=BLUE, linewidth=0.9)
    axes.set(ylabel=f"overlap [{unit}]", ylim=(0.0, 1.15 * factor * largest if largest else 1.0))


_DRAW = {
    "solver_iterations": _draw_iterations,
    "solver_residual": _draw_residual,
    "unconverged": _draw_unconverged,
    "penetration": _draw_penetration,
}
