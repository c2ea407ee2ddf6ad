"""The figures of Liljeback2014, from our runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.papers.figures import Material, drawn, figures, sweep_figure
from pushpoint.papers.liljeback2014.claims import FRAMES
from pushpoint.papers.registry import scenario
from pushpoint.plots.figures.shape import shape
from pushpoint.plots.figures.shape_curve import concatenation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = "liljeback2014"


def _curves(_material: Material) -> Figure:
    aligned = scenario(f"{PAPER}/alignment-6")
    follower = aligned.world.controller
    segment = scenario(f"{PAPER}/segments").world.controller.motion.segment
    pose = follower.first_pose(aligned.world.robot)
    return concatenation(follower.motion.drawn, pose, segment, list(FRAMES), title="Examples 4 and 5")


FIGURES = figures(
    PAPER,
    (
        "fig-4",
        "As Fig. 4",
        "LA1 LA2",
        "A curve through four points, six joints aligned along it, and a segment repeated four times, the last two "
        "turned by 45°. The points of the paper's curve are not printed.",
        _curves,
    ),
    (
        "look-ahead",
        "Remark 3",
        "LA3",
        "Sidewinding over the look-ahead distance, with dynamics; the paper says it in words.",
        sweep_figure(f"{PAPER}/look-ahead"),
    ),
    (
        "fig-6",
        "As Figs 6 and 7",
        "LA4",
        "Sidewinding: segment, shape curve, path of the middle link, and the simulated robot; the paper's is simulated "
        "with ODE.",
        drawn(shape, f"{PAPER}/sidewinding"),
    ),
    *(
        (
            f"fig-{number}",
            f"As Fig. {number}",
            claim,
            f"{what}; the paper's is simulated.",
            drawn(shape, f"{PAPER}/{name}"),
        )
        for number, claim, what, name in (
            (8, "LA5", "Vertical waves", "vertical-wave"),
            (9, "LA6", "Lateral rolling", "lateral-rolling"),
            (10, "LA7", "Down a staircase", "stairs"),
        )
    ),
    (
        "iii-e",
        "III-E",
        "LA8",
        "Way 2: the points move, the robot stays where it is on the curve; the paper has no such figure.",
        drawn(shape, f"{PAPER}/moving-points"),
    ),
)
