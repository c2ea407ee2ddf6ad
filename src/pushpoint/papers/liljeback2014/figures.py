"""The figures of Liljeback2014, from our runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint import plots
from pushpoint.papers.liljeback2014.claims import FRAMES
from pushpoint.papers.registry import scenario
from pushpoint.papers.writing import Material, figure, sweep_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = "liljeback2014"


@figure("As Fig. 4", "LA1 LA2")
def fig_4(material: Material) -> Figure:
    """A curve through four points, six joints aligned along it, and a segment repeated four times, the last two
    turned by 45°. The points of the paper's curve are not printed."""
    aligned = scenario(f"{PAPER}/alignment-6").world
    segment = scenario(f"{PAPER}/segments").world.controller.motion.segment
    curve, pose = aligned.controller.motion.curve, aligned.controller.first_pose(aligned.robot)
    return plots.concatenation(curve, pose, segment, list(FRAMES), title="Examples 4 and 5")


@figure("Remark 3", "LA3")
def look_ahead(material: Material) -> Figure:
    """Sidewinding over the look-ahead distance, with dynamics; the paper says it in words."""
    return sweep_figure(material, f"{PAPER}/look-ahead")


@figure("As Figs 6 and 7", "LA4")
def fig_6(material: Material) -> Figure:
    """Sidewinding: segment, shape curve, path of the middle link, and the simulated robot; the paper's is simulated
    with ODE."""
    return plots.shape(material.run_of(f"{PAPER}/sidewinding"))


@figure("As Fig. 8", "LA5")
def fig_8(material: Material) -> Figure:
    """Vertical waves; the paper's is simulated."""
    return plots.shape(material.run_of(f"{PAPER}/vertical-wave"))


@figure("As Fig. 9", "LA6")
def fig_9(material: Material) -> Figure:
    """Lateral rolling; the paper's is simulated."""
    return plots.shape(material.run_of(f"{PAPER}/lateral-rolling"))


@figure("As Fig. 10", "LA7")
def fig_10(material: Material) -> Figure:
    """Down a staircase; the paper's is simulated."""
    return plots.shape(material.run_of(f"{PAPER}/stairs"))


@figure("III-E", "LA8")
def iii_e(material: Material) -> Figure:
    """Way 2: the points move, the robot stays where it is on the curve; the paper has no such figure."""
    name = f"{PAPER}/moving-points"  # a function of time moves them, which no run can hold
    return plots.shape(material.run_of(name), follower=scenario(name).world.controller)
