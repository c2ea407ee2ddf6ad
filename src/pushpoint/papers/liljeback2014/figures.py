"""The figures of Liljeback2014, Holden2014 and Liljeback2011, from our runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.papers.registry import scenario, sweep
from pushpoint.plots.figures.course import course
from pushpoint.plots.figures.modes import modes, stays
from pushpoint.plots.figures.shape import shape
from pushpoint.plots.figures.shape_curve import concatenation
from pushpoint.plots.figures.sweep import sweep_effects
from pushpoint.proof.reproduction_figures import NO_ROBOT, Material, PaperFigure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHAPES, MAPPING, JAMS = "liljeback2014", "holden2014", "liljeback2011"


def _figure(key: str, where: str, caption: str, claims: str, build: Callable[[Material], Figure]) -> PaperFigure:
    return PaperFigure(key=key, where=where, caption=caption, claims=tuple(claims.split()), build=build)


def _curves(_material: Material) -> Figure:
    aligned = scenario(f"{SHAPES}/alignment-6")
    follower: Any = aligned.controller
    segment = scenario(f"{SHAPES}/segments").controller.motion.segment
    c = np.sqrt(0.5)
    turned = np.array([[c, -c, 0.0], [c, c, 0.0], [0.0, 0.0, 1.0]])
    frames = [np.eye(3), np.eye(3), turned, turned]
    pose = follower.first_pose(aligned.robot)
    return concatenation(follower.motion.curve, pose, segment, frames, title="Examples 4 and 5")


def _look_ahead(material: Material) -> Figure:
    chosen = sweep(f"{SHAPES}/look-ahead")
    return sweep_effects(chosen, material.run_of(chosen.name), material.verdict(chosen.claim.id))


def _shape_of(name: str) -> Callable[[Material], Figure]:
    full = f"{SHAPES}/{name}"
    return lambda material: shape(material.run_of(full), follower=scenario(full).controller)


def _instant(_material: Material) -> Figure:
    from pushpoint.model.catalogue import holden2014
    from pushpoint.papers.holden2014.tables import JOINT_TORQUE, POINTS, STATE, optimum
    from pushpoint.plots.figures.mapping_instant import mapping_instant

    found = optimum(paper_table=True)
    return mapping_instant(holden2014(), STATE, POINTS, found, name="Table V", printed_torque=JOINT_TORQUE)


def _quality(_material: Material) -> Figure:
    from pushpoint.papers.holden2014.claims import course_quality
    from pushpoint.papers.holden2014.tables import TORQUE_LIMIT
    from pushpoint.plots.figures.quality_along_path import quality_along_path

    chosen = scenario(f"{MAPPING}/closed-loop")
    pegs: Any = chosen.environment.obstacles
    quality = course_quality(chosen, slice(None))
    return quality_along_path(quality, chosen.controller.path, pegs, TORQUE_LIMIT, name=chosen.name)


def _loop(material: Material) -> Figure:
    from pushpoint.plots.figures.force_mapping import tracking_comparison
    from pushpoint.simulation.tracking import tracking

    chosen = scenario(f"{MAPPING}/closed-loop")
    robot: Any = chosen.robot
    driven = tracking(material.run_of(chosen.name), robot, chosen.controller)
    return tracking_comparison({"force mapping": driven}, name=chosen.name)


def _trials(environment: int, count: int | None = None) -> Callable[[Material], Figure]:
    def build(_material: Material) -> Figure:
        from pushpoint.papers.liljeback2011.claims import STARTS, published

        run = published(environment, count or STARTS).run
        return modes(run, name=f"{JAMS}/environment-{environment}")

    return build


def _motion(environment: int) -> Callable[[Material], Figure]:
    return lambda material: course(material.run_of(f"{JAMS}/environment-{environment}"))


_SHAPE_FIGURES = (
    _figure(
        f"{SHAPES}-fig-4",
        "As Fig. 4",
        "A curve through four points, six joints aligned along it, and a segment repeated four times, the last two "
        "turned by 45°. The points of the paper's curve are not printed.",
        "LA1 LA2",
        _curves,
    ),
    _figure(
        f"{SHAPES}-look-ahead",
        "Remark 3",
        "Sidewinding over the look-ahead distance, with dynamics; the paper says it in words.",
        "LA3",
        _look_ahead,
    ),
    _figure(
        f"{SHAPES}-fig-6",
        "As Figs 6 and 7",
        "Sidewinding: segment, shape curve, path of the middle link, and the simulated robot; the paper's is simulated "
        "with ODE.",
        "LA4",
        _shape_of("sidewinding"),
    ),
    _figure(
        f"{SHAPES}-fig-8", "As Fig. 8", "Vertical waves; the paper's is simulated.", "LA5", _shape_of("vertical-wave")
    ),
    _figure(
        f"{SHAPES}-fig-9",
        "As Fig. 9",
        "Lateral rolling; the paper's is simulated.",
        "LA6",
        _shape_of("lateral-rolling"),
    ),
    _figure(
        f"{SHAPES}-fig-10", "As Fig. 10", "Down a staircase; the paper's is simulated.", "LA7", _shape_of("stairs")
    ),
    _figure(
        f"{SHAPES}-iii-e",
        "III-E",
        "Way 2: the points move, the robot stays where it is on the curve; the paper has no such figure.",
        "LA8",
        _shape_of("moving-points"),
    ),
)
_MAPPING_FIGURES = (
    _figure(
        f"{MAPPING}-fig-3",
        "As Fig. 3 and Table V",
        "The instant of the tables: forces of the obstacles, and joint torques beside the printed ones. Computed, as "
        "in the paper.",
        "HA2 HA3 HA5 HA6",
        _instant,
    ),
    _figure(
        f"{MAPPING}-quality",
        "VI-A",
        "Whether the mapping is feasible along the path of our closed loop; the paper has no such figure.",
        "HA8",
        _quality,
    ),
    _figure(
        f"{MAPPING}-course",
        "VI",
        "The loop, closed: the robot pushes itself through the pegs. The paper simulates nothing that moves.",
        "HA8",
        lambda m: course(m.run_of(f"{MAPPING}/closed-loop")),
    ),
    _figure(
        f"{MAPPING}-loop",
        "VI",
        "The same over time: errors, torques and pushes. The paper has no such figure.",
        "HA8",
        _loop,
    ),
)
_JAM_FIGURES = (
    _figure(f"{JAMS}-fig-6", "As Fig. 6", f"Trials in environment 1. {NO_ROBOT}", "LB1 LB4 LB5 LB7", _trials(1)),
    _figure(f"{JAMS}-fig-7", "As Fig. 7", f"The motion in environment 1. {NO_ROBOT}", "LB1", _motion(1)),
    _figure(f"{JAMS}-fig-8", "As Fig. 8", f"Trials in environment 2. {NO_ROBOT}", "LB2 LB4 LB5 LB7", _trials(2)),
    _figure(f"{JAMS}-fig-9", "As Fig. 9", f"The motion in environment 2. {NO_ROBOT}", "LB2", _motion(2)),
    _figure(
        f"{JAMS}-fig-10",
        "As Fig. 10",
        f"Trials in environment 3, which ours does not pass. {NO_ROBOT}",
        "LB3",
        _trials(3, 5),
    ),
    _figure(f"{JAMS}-fig-11", "As Fig. 11", f"The motion in environment 3. {NO_ROBOT}", "LB3", _motion(3)),
    _figure(
        f"{JAMS}-fig-12",
        "As Fig. 12",
        f"The body before and after jams are resolved in environment 1. {NO_ROBOT}",
        "LB6",
        lambda m: stays(m.run_of(f"{JAMS}/environment-1")),
    ),
)
FIGURES = {SHAPES: _SHAPE_FIGURES, MAPPING: _MAPPING_FIGURES, JAMS: _JAM_FIGURES}
