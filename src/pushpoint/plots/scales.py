"""What stands along axes: labels from a run's own attributes, and limits that a spike does not set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from pushpoint.plots.page import SMALL
from pushpoint.scenery.palette import INK
from pushpoint.scenery.reading import Recording

# Axes end where this share of the values lies inside [%], unless the rest reaches less than so many times farther.
SHOWN_SHARE, MILD_PEAK = 99.5, 2.0
ROOM = 0.12
"""Above and below curves, over what they span [-]."""
MOST_LETTERS = 24
"""Of a name on an axis [-]."""
UNITS = {"rad": "°", "rad s-1": "rad/s", "m s-1": "m/s", "1": ""}
"""How figures write units; angles are drawn in degrees."""


def axis_label(attributes: Mapping[str, Any], default: str, *, unit: str = "") -> str:
    """What a variable is and its unit, as on an axis: its `long_name` up to the first comma, and `units`.

    A name that is too long for an axis, as files of older runs have it, gives way to that of the variable.

    Args:
        attributes: Of the variable.
        default: Its name, for a run without attributes.
        unit: The unit drawn, where it is another one.
    """
    words = str(attributes.get("long_name") or "").partition(",")[0].strip()
    if not 0 < len(words) <= MOST_LETTERS:
        words = default.replace("_", " ")
    if words[1:2].islower():
        words = words[0].lower() + words[1:]
    units = str(attributes.get("units", ""))
    shown = unit or UNITS.get(units, units)
    return f"{words} [{shown}]" if shown else words


def label_of(recording: Recording, name: str, *, unit: str = "") -> str:
    """The same of a recorded variable."""
    return axis_label(recording.samples[name].attrs, name, unit=unit)


def limit_spikes(axes: Axes, curves: Iterable[np.ndarray], unit: str) -> str:
    """Sets the upright axis by all values but short spikes, and writes into its corner where those end.

    Returns what it writes; nothing if no spike is cut.
    """
    values = np.concatenate([np.asarray(curve, dtype=float).ravel() for curve in curves] or [np.zeros(0)])
    values = values[np.isfinite(values)]
    if not len(values):
        return ""
    most = (float(values.min()), float(values.max()))
    seen = values[values != 0.0] if values.any() else values  # what touches rarely is zero most of the time
    usual = np.percentile(seen, (100.0 - SHOWN_SHARE, SHOWN_SHARE))
    usual = np.array([min(usual[0], 0.0), max(usual[1], 0.0)])
    span = float(usual[1] - usual[0])
    if span <= 0.0 or max(usual[0] - most[0], most[1] - usual[1]) < (MILD_PEAK - 1.0) * span:
        return ""
    ends = np.clip(most, usual[0] - ROOM * span, usual[1] + ROOM * span)
    axes.set_ylim(ends[0] - 0.02 * span, ends[1] + 0.02 * span)
    beyond = [f"{peak:.3g}".replace("-", "−") for peak, end in zip(most, ends, strict=True) if peak != end]
    words = f"peaks to {' and '.join(beyond)} {unit} are cut".replace("  ", " ")
    back = {"facecolor": "white", "alpha": 0.8, "linewidth": 0.0, "pad": 1.0}
    look: dict[str, Any] = {"size": SMALL, "color": INK, "ha": "right", "va": "bottom", "bbox": back, "gid": "cut"}
    axes.text(0.995, 0.03, words, transform=axes.transAxes, zorder=4.0, **look)
    return words
