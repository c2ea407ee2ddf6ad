"""The figures of Liljeback2011, from our runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.papers.figures import NO_ROBOT, Build, Material, drawn, figures
from pushpoint.papers.liljeback2011.claims import STARTS, published
from pushpoint.plots.figures.course import course
from pushpoint.plots.figures.modes import modes, stays

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = "liljeback2011"


def _trials(environment: int, count: int = STARTS) -> Build:
    def build(_material: Material) -> Figure:
        run = published(environment, count).run
        return modes(run, name=f"{PAPER}/environment-{environment}")

    return build


def _motion(environment: int) -> Build:
    return drawn(course, f"{PAPER}/environment-{environment}")


FIGURES = figures(
    PAPER,
    ("fig-6", "As Fig. 6", "LB1 LB4 LB5 LB7", f"Trials in environment 1. {NO_ROBOT}", _trials(1)),
    ("fig-7", "As Fig. 7", "LB1", f"The motion in environment 1. {NO_ROBOT}", _motion(1)),
    ("fig-8", "As Fig. 8", "LB2 LB4 LB5 LB7", f"Trials in environment 2. {NO_ROBOT}", _trials(2)),
    ("fig-9", "As Fig. 9", "LB2", f"The motion in environment 2. {NO_ROBOT}", _motion(2)),
    ("fig-10", "As Fig. 10", "LB3", f"Trials in environment 3, which ours does not pass. {NO_ROBOT}", _trials(3, 5)),
    ("fig-11", "As Fig. 11", "LB3", f"The motion in environment 3. {NO_ROBOT}", _motion(3)),
    (
        "fig-12",
        "As Fig. 12",
        "LB6",
        f"The body before and after jams are resolved in environment 1. {NO_ROBOT}",
        drawn(stays, f"{PAPER}/environment-1"),
    ),
)
