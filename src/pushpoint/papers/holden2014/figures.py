"""The figures of Holden2014: computed as in the paper, and from runs of the loop closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pushpoint import plots
from pushpoint.mapping.force_mapping import MappingWeights
from pushpoint.model.catalogue import holden2014
from pushpoint.papers.holden2014.claims import course_quality, course_stability
from pushpoint.papers.holden2014.decay import POSTURE
from pushpoint.papers.holden2014.tables import JOINT_TORQUE, POINTS, STATE, TORQUE_LIMIT, optimum
from pushpoint.papers.registry import scenario
from pushpoint.papers.writing import Material, figure
from pushpoint.simulation.tracking import tracking

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pushpoint.model.environment import Peg

LOOP = "holden2014/closed-loop"


@figure("As Fig. 3 and Table V", "HA2 HA3 HA5 HA6")
def fig_3(material: Material) -> Figure:
    """The instant of the tables: forces of the obstacles, and joint torques beside the printed ones. Computed, as in
    the paper."""
    found = optimum(paper_table=True)
    return plots.mapping_instant(holden2014(), STATE, POINTS, found, name="Table V", printed_torque=JOINT_TORQUE)


@figure("VI-A", "HA8")
def quality(material: Material) -> Figure:
    """Whether the mapping is feasible along the path of our closed loop; the paper has no such figure."""
    chosen = scenario(LOOP)
    path, pegs = chosen.world.controller.path, cast("list[Peg]", chosen.world.environment.obstacles)
    return plots.quality_along_path(course_quality(chosen, slice(None)), path, pegs, TORQUE_LIMIT, name=LOOP)


@figure("VI", "HA8")
def course_figure(material: Material) -> Figure:
    """The loop, closed: the robot pushes itself through the pegs. The paper simulates nothing that moves."""
    return plots.course(material.run_of(LOOP))


@figure("VI", "HA8")
def loop(material: Material) -> Figure:
    """The same over time: errors, torques and pushes. The paper has no such figure."""
    driven = tracking(material.run_of(LOOP), holden2014(), scenario(LOOP).world.controller)
    return plots.tracking_comparison({"force mapping": driven}, name=LOOP)


@figure("ours, on VII", "HA9 HA11 HA12")
def growth(material: Material) -> Figure:
    """Whether links that the program leaves free stay on the path: not by the paper's law, but with a posture. There is
    no such figure in the paper."""
    chosen = scenario(LOOP)
    laws = {"the paper's law": MappingWeights(), "with posture": MappingWeights(posture=POSTURE)}
    return plots.growth_along_path({name: course_stability(chosen, law) for name, law in laws.items()}, name=LOOP)
