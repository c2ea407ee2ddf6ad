"""The figures of Holden2014: computed as in the paper, and from runs of the loop closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pushpoint.model.catalogue import holden2014
from pushpoint.papers.figures import Material, drawn, figures
from pushpoint.papers.holden2014.claims import course_quality
from pushpoint.papers.holden2014.tables import JOINT_TORQUE, POINTS, STATE, TORQUE_LIMIT, optimum
from pushpoint.papers.registry import scenario
from pushpoint.plots.figures.course import course
from pushpoint.plots.figures.force_mapping import tracking_comparison
from pushpoint.plots.figures.mapping_instant import mapping_instant
from pushpoint.plots.figures.path_quality import path_quality
from pushpoint.simulation.tracking import tracking

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = "holden2014"
LOOP = f"{PAPER}/closed-loop"


def _instant(_material: Material) -> Figure:
    found = optimum(paper_table=True)
    return mapping_instant(holden2014(), STATE, POINTS, found, name="Table V", printed_torque=JOINT_TORQUE)


def _quality(_material: Material) -> Figure:
    chosen = scenario(LOOP)
    pegs: Any = chosen.world.environment.obstacles
    quality = course_quality(chosen, slice(None))
    return path_quality(quality, chosen.world.controller.path, pegs, TORQUE_LIMIT, name=LOOP)


def _over_time(material: Material) -> Figure:
    chosen = scenario(LOOP)
    robot: Any = chosen.world.robot
    driven = tracking(material.run_of(LOOP), robot, chosen.world.controller)
    return tracking_comparison({"force mapping": driven}, name=LOOP)


FIGURES = figures(
    PAPER,
    (
        "fig-3",
        "As Fig. 3 and Table V",
        "HA2 HA3 HA5 HA6",
        "The instant of the tables: forces of the obstacles, and joint torques beside the printed ones. Computed, as "
        "in the paper.",
        _instant,
    ),
    (
        "quality",
        "VI-A",
        "HA8",
        "Whether the mapping is feasible along the path of our closed loop; the paper has no such figure.",
        _quality,
    ),
    (
        "course",
        "VI",
        "HA8",
        "The loop, closed: the robot pushes itself through the pegs. The paper simulates nothing that moves.",
        drawn(course, LOOP),
    ),
    (
        "loop",
        "VI",
        "HA8",
        "The same over time: errors, torques and pushes. The paper has no such figure.",
        _over_time,
    ),
)
