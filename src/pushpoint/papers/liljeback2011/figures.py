"""The figures of Liljeback2011, from our runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint import plots
from pushpoint.papers.liljeback2011.claims import STARTS, published
from pushpoint.papers.writing import NO_ROBOT, Material, figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "liljeback2011/environment-"


def _trials(environment: int, count: int = STARTS) -> Figure:
    return plots.modes(published(environment, count).run, name=f"{PLACE}{environment}")


@figure("As Fig. 6", "LB1 LB4 LB5 LB7", NO_ROBOT)
def fig_6(material: Material) -> Figure:
    """Trials in environment 1."""
    return _trials(1)


@figure("As Fig. 7", "LB1", NO_ROBOT)
def fig_7(material: Material) -> Figure:
    """The motion in environment 1."""
    return plots.course(material.run_of(f"{PLACE}1"))


@figure("As Fig. 8", "LB2 LB4 LB5 LB7", NO_ROBOT)
def fig_8(material: Material) -> Figure:
    """Trials in environment 2."""
    return _trials(2)


@figure("As Fig. 9", "LB2", NO_ROBOT)
def fig_9(material: Material) -> Figure:
    """The motion in environment 2."""
    return plots.course(material.run_of(f"{PLACE}2"))


@figure("As Fig. 10", "LB3", NO_ROBOT)
def fig_10(material: Material) -> Figure:
    """Trials in environment 3, which ours does not pass."""
    return _trials(3, 5)


@figure("As Fig. 11", "LB3", NO_ROBOT)
def fig_11(material: Material) -> Figure:
    """The motion in environment 3."""
    return plots.course(material.run_of(f"{PLACE}3"))


@figure("As Fig. 12", "LB6", NO_ROBOT)
def fig_12(material: Material) -> Figure:
    """The body before and after jams are resolved in environment 1."""
    return plots.stays(material.run_of(f"{PLACE}1"))
