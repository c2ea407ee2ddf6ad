"""The picture of a fit: what is left over time."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pushpoint.plots.looks import LOOKS
from pushpoint.plots.page import dress, place_legend, time_page
from pushpoint.studies.fitting.fitted import Fitted
from pushpoint.worlds.recorded import channel_of
from pushpoint.worlds.variables import entry_of

HEIGHT = 1.7
"""Height of a panel on paper [in]."""
MOST_NAMED = 6
"""Channels of a panel up to which they are named [-]."""


def residual_figure(found: Fitted) -> Figure:
    """Recording minus prediction of every channel over time, a panel per variable.

    Noise is the same from beginning to end; a pattern in time is something that the scenario lacks.
    """
    lines = [f"{found.base.name}: what a fit leaves of a recording"]
    lines += [sentence for sentence in found.sentences() if not sentence.startswith("what is left")][:4]
    names = [str(name) for name in found.residual.channel.values]
    variables = list(dict.fromkeys(channel_of(name).variable for name in names))
    time = found.residual.time.values
    figure, panels = time_page(lines, time, dict.fromkeys(variables, HEIGHT))
    for axes, variable in zip(panels, variables, strict=True):
        own = [name for name in names if channel_of(name).variable == variable]
        for k, name in enumerate(own):
            color, dashes = LOOKS[k % len(LOOKS)]
            left = found.residual.sel(channel=name).values
            known = np.isfinite(left)
            label = name.removeprefix(variable).lstrip(".")
            axes.plot(time[known], left[known], dashes, color=color, linewidth=0.7, label=label)
        entry = entry_of(variable)
        dress(axes, title=entry.long_name, y=f"left [{entry.units}]", grid="y")
        if len(own) <= MOST_NAMED:
            place_legend(axes, columns=len(own))
    return figure
