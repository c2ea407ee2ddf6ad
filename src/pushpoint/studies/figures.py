"""Figures of a study: a measure over each thing that varies."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.plots.looks import LOOKS
from pushpoint.plots.page import SMALL, PanelRow, dress, page, place_legend
from pushpoint.scenery.palette import INK
from pushpoint.studies.measuring import measures_named
from pushpoint.studies.study import Study

MOST_PANELS, IN_A_ROW = 12, 2
"""Things that vary of which a figure shows the effect, and how many beside each other [-]."""
MOST_LEVELS = 50
"""Values of a thing up to which their medians are joined [-]."""
HEIGHT = 2.0
"""Of a panel on paper [in]."""


@checked_arguments
def study_figure(study: Study, table: xr.Dataset, measure: str) -> Figure:
    """A measure of all worlds of a study over each thing that varies; the line joins the medians of its values.

    Args:
        study: The study.
        table: Its table.
        measure: The name of one of its measures.
    """
    (found,) = measures_named([measure])
    fields = [varied.field for varied in study.varies[:MOST_PANELS]]
    if lacking := [name for name in (measure, *fields) if name not in table]:
        raise InvalidModel("table", f"one without {lacking[0]}", "the table of this study")
    wide = min(IN_A_ROW, len(fields))
    rows = [
        PanelRow(panels=fields[k : k + IN_A_ROW], height=HEIGHT, above=0.2, gap=0.55, columns=wide)
        for k in range(0, len(fields), IN_A_ROW)
    ]
    values = table[measure].values
    missing = int(np.isnan(values).sum())
    left_out = f"; {missing} without a value are left out" if missing else ""
    figure, panels = page([study.title or study.name, f"{len(values)} worlds{left_out}"], rows)
    unit = "" if found.unit in ("1", "-") else f" [{found.unit}]"
    for k, field in enumerate(fields):
        _draw(panels[field], table[field].values, values)
        dress(panels[field], x=field, y="" if k % IN_A_ROW else f"{measure.replace('_', ' ')}{unit}", grid="both")
    place_legend(panels[fields[wide - 1]], columns=2)
    return figure


def _draw(panel: Axes, places: np.ndarray, values: np.ndarray) -> None:
    names = None
    if places.dtype.kind not in "fi":
        names, places = np.unique(places, return_inverse=True)
    known = np.isfinite(values)
    panel.plot(places[known], values[known], ".", markersize=3.5, alpha=0.5, color=LOOKS[0][0], label="a world")
    levels = np.unique(places[known])
    if 1 < len(levels) <= MOST_LEVELS:
        medians = [np.median(values[known & (places == each)]) for each in levels]
        panel.plot(levels, medians, color=INK, linewidth=1.0, label="median")
    if names is not None:
        panel.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=SMALL)
