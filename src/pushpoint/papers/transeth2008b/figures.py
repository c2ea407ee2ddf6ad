"""The figures of Transeth2008b, from our runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint import plots
from pushpoint.papers.transeth2008a.figures import COUNTED, MIDDLE, path_of_the_middle
from pushpoint.papers.writing import SIMULATION_ONLY, Material, figure, sweep_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = "transeth2008b"
SIDEWINDING = f"{PAPER}/sidewinding"
LEFT_OUT = "with what the model leaves out (TB8)"


@figure("As Fig. 6", "TB1")
def fig_6(material: Material) -> Figure:
    """Path of the middle link with orthotropic friction; simulated in the paper as well."""
    name = f"{PAPER}/lateral-undulation-orthotropic"
    return path_of_the_middle(material, name, "the body at the start and after 15 s")


@figure("As Fig. 7", "TB2", SIMULATION_ONLY)
def fig_7(material: Material) -> Figure:
    """Position of the middle link with isotropic friction."""
    name = f"{PAPER}/lateral-undulation-isotropic"
    return plots.positions(name, {"simulated": material.run_of(name)}, MIDDLE, COUNTED)


@figure("VIII-D", "TB3")
def speed_over_friction(material: Material) -> Figure:
    """What the paper says in words, as a sweep."""
    return sweep_figure(material, f"{PAPER}/speed-over-friction")


@figure("As Fig. 8", "TB6")
def fig_8(material: Material) -> Figure:
    """Postures during the soft start."""
    early = material.run_of(SIDEWINDING).sel(time=slice(None, 2.6))
    scenes = [plots.Scene(title=f"{time:g} s", run=early, times=(time,)) for time in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)]
    return plots.scenes(SIDEWINDING, "start-up, seen from above", "", scenes, columns=2)


@figure("As Fig. 9", "TB4", SIMULATION_ONLY)
def fig_9(material: Material) -> Figure:
    """Sidewinding at 0, 5, 10 and 15 s; pale links are lifted."""
    return plots.course(material.run_of(SIDEWINDING), times=(0.0, 5.0, 10.0, 15.0))


@figure("As Fig. 10", "TB4 TB8")
def fig_10(material: Material) -> Figure:
    """Path of the middle link; where the paper draws the real robot, ours is a model with the errors of TB8."""
    scene = plots.Scene(
        title="the body at the start and after 15 s",
        run=material.run_of(SIDEWINDING),
        times=(0.0, 15.0),
        link=MIDDLE,
        label="the model",
        beside={LEFT_OUT: material.run_of(f"{SIDEWINDING}-realistic")},
    )
    return plots.scenes(SIDEWINDING, f"path of link {MIDDLE}", COUNTED, [scene])


@figure("As Fig. 11", "TB4 TB8")
def fig_11(material: Material) -> Figure:
    """The same over time. Both curves are simulated."""
    runs = {"the model": material.run_of(SIDEWINDING), LEFT_OUT: material.run_of(f"{SIDEWINDING}-realistic")}
    return plots.positions(SIDEWINDING, runs, MIDDLE, COUNTED)


@figure("VIII-E", "TB5")
def contacts_figure(material: Material) -> Figure:
    """Which links the ground carries while the robot sidewinds; the paper has no such figure."""
    return plots.contacts(material.run_of(SIDEWINDING))


@figure("VIII-F", "TB8")
def effects_figure(material: Material) -> Figure:
    """What each source of error does to distance and heading; the paper discusses it in words."""
    return sweep_figure(material, f"{SIDEWINDING}-errors")
