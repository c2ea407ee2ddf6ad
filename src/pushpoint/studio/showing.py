"""`pp.show`: a run as a page that plays, or as a figure; a live simulation as the studio; all inside a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import xarray

from pushpoint import plots
from pushpoint.errors import InvalidModel, UnknownName
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.replays.replay import Shown, build_replay
from pushpoint.scenery.drawn_run import read_run
from pushpoint.simulation.live.live import Live
from pushpoint.studio.door import Port

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pushpoint.studio.studio import Studio

FIGURES = (
    "contacts",
    "course",
    "energy",
    "force_mapping",
    "health",
    "joints",
    "modes",
    "motors",
    "obstacle_forces",
    "path_following",
    "paths",
    "shape",
)
"""Figures of `plots` that need nothing but a run."""


@checked_arguments
def show(
    thing: xarray.Dataset | Live, figure: str | None = None, *, world: Natural = 0, port: Port = 0
) -> Shown | Figure | Studio:
    """Shows a run or a live simulation inside a notebook, if it is the last line of a cell.

        pp.show(run)            # a page that plays it in 3D
        pp.show(run, "course")  # the figure pp.plots.course(run)
        pp.show(pp.Live(world)) # the studio, in which it is watched and changed while it runs

    Elsewhere it only returns what it would show; that of a live simulation is served until its `close`, at its
    `address`, and owns the simulation from then on. It needs the extra `studio`, except for figures.

    Args:
        thing: A run as `simulate` returns it, finished or not, or a live simulation.
        figure: Name of a figure in `plots`, such as "course"; default: a page.
        world: Which world of a batched run.
        port: Port of this machine for a live simulation; default: any free one.
    """
    if isinstance(thing, Live):
        if figure is not None:
            raise InvalidModel("figure", figure, "left out for a live simulation: pp.show(live.dataset(), figure)")
        from pushpoint.studio.studio import Studio

        return Studio(thing, name="live", port=port)
    if figure is None:
        return Shown(build_replay(read_run(thing, world)))
    if figure not in FIGURES:
        raise UnknownName("figure", figure, FIGURES)
    draw: Any = getattr(plots, figure)
    found: Figure = draw(thing, world=world)
    return found
