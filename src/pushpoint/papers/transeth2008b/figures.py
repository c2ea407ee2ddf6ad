"""The figures of Transeth2008b, from our runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.papers.figures import SIMULATION_ONLY, Material, drawn, figures, sweep_figure
from pushpoint.papers.transeth2008a.figures import COUNTED, IN_WORDS, MIDDLE, path_of_the_middle, place_over_time
from pushpoint.plots.figures.contacts import contacts
from pushpoint.plots.figures.course import course
from pushpoint.plots.figures.links import Scene, positions, scenes as draw_scenes

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

PAPER = "transeth2008b"
SIDEWINDING = f"{PAPER}/sidewinding"


def _soft_start(material: Material) -> Figure:
    early = material.run_of(SIDEWINDING).sel(time=slice(None, 2.6))
    scenes = [Scene(title=f"{time:g} s", run=early, times=(time,)) for time in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)]
    return draw_scenes(SIDEWINDING, "start-up, seen from above", "", scenes, columns=2)


def _runs(material: Material) -> dict[str, xr.Dataset]:
    return {
        "the model": material.run_of(SIDEWINDING),
        "with what the model leaves out (TB8)": material.run_of(f"{SIDEWINDING}-realistic"),
    }


def _path(material: Material) -> Figure:
    (label, model), *others = _runs(material).items()
    scene = Scene(
        title="the body at the start and after 15 s",
        run=model,
        times=(0.0, 15.0),
        link=MIDDLE,
        label=label,
        beside=dict(others),
    )
    return draw_scenes(SIDEWINDING, f"path of link {MIDDLE}", COUNTED, [scene])


FIGURES = figures(
    PAPER,
    (
        "fig-6",
        "As Fig. 6",
        "TB1",
        "Path of the middle link with orthotropic friction; simulated in the paper as well.",
        path_of_the_middle(f"{PAPER}/lateral-undulation-orthotropic", "the body at the start and after 15 s"),
    ),
    (
        "fig-7",
        "As Fig. 7",
        "TB2",
        f"Position of the middle link with isotropic friction. {SIMULATION_ONLY}",
        place_over_time(f"{PAPER}/lateral-undulation-isotropic"),
    ),
    ("speed-over-friction", "VIII-D", "TB3", IN_WORDS, sweep_figure(f"{PAPER}/speed-over-friction")),
    ("fig-8", "As Fig. 8", "TB6", "Postures during the soft start.", _soft_start),
    (
        "fig-9",
        "As Fig. 9",
        "TB4",
        f"Sidewinding at 0, 5, 10 and 15 s; pale links are lifted. {SIMULATION_ONLY}",
        drawn(course, SIDEWINDING, times=(0.0, 5.0, 10.0, 15.0)),
    ),
    (
        "fig-10",
        "As Fig. 10",
        "TB4 TB8",
        "Path of the middle link; where the paper draws the real robot, ours is a model with the errors of TB8.",
        _path,
    ),
    (
        "fig-11",
        "As Fig. 11",
        "TB4 TB8",
        "The same over time. Both curves are simulated.",
        lambda material: positions(SIDEWINDING, _runs(material), MIDDLE, COUNTED),
    ),
    (
        "contacts",
        "VIII-E",
        "TB5",
        "Which links the ground carries while the robot sidewinds; the paper has no such figure.",
        drawn(contacts, SIDEWINDING),
    ),
    (
        "effects",
        "VIII-F",
        "TB8",
        "What each source of error does to distance and heading; the paper discusses it in words.",
        sweep_figure(f"{SIDEWINDING}-errors"),
    ),
)
