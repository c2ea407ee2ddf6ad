"""Figures of a study: a measure over each thing that varies."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from pushpoint.model.arguments import checked_arguments
from pushpoint.studies.measuring import measures_named
from pushpoint.studies.study import Study

MOST_PANELS = 12
"""Things that vary of which a figure shows the effect [-]."""
COLOR, FAILED = "#0072b2", "#d55e00"


@checked_arguments
def study_figure(study: Study, table: xr.Dataset, measure: str) -> Figure:
    """A measure of all worlds of a study over each thing that varies; the line joins the medians of its values.

    Args:
        study: The study.
        table: Its table.
        measure: The name of one of its measures.
    """
    (found,) = measures_named([measure])
    shown = study.varies[:MOST_PANELS]
    figure = Figure(figsize=(3.4 * min(len(shown), 4), 2.8 * -(-len(shown) // 4)), layout="constrained")
    panels = figure.subplots(-(-len(shown) // 4), min(len(shown), 4), squeeze=False).flatten().tolist()
    values = table[measure].values
    for panel, varied in zip(panels, shown, strict=False):
        _draw(panel, table[varied.field].values, values)
        panel.set_xlabel(varied.field, fontsize=8)
    for panel in panels[len(shown) :]:
        panel.set_visible(False)
    unit = "" if found.unit in ("1", "-") else f" [{found.unit}]"
    panels[0].set_ylabel(f"{measure.replace('_', ' ')}{unit}")
    missing = int(np.isnan(values).sum())
    left_out = f"; {missing} without a value are left out" if missing else ""
    figure.suptitle(f"{study.name}: {len(values)} worlds{left_out}", fontsize=9)
    return figure


def _draw(panel: Any, places: np.ndarray, values: np.ndarray) -> None:
    names = None
    if places.dtype.kind not in "fi":
        names, places = np.unique(places, return_inverse=True)
    known = np.isfinite(values)
    panel.plot(places[known], values[known], ".", markersize=3, alpha=0.4, color=COLOR)
    levels = np.unique(places[known])
    if 1 < len(levels) <= 50:
        panel.plot(levels, [np.median(values[known & (places == each)]) for each in levels], color=FAILED)
    if names is not None:
        panel.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=7)
