"""The figures of Transeth2008a and Transeth2008b, from our runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pushpoint.papers.registry import sweep
from pushpoint.papers.transeth2008a.sweeps import sweep_speeds
from pushpoint.plots.figures.contacts import contacts
from pushpoint.plots.figures.course import course
from pushpoint.plots.figures.joints import joints
from pushpoint.plots.figures.links import Scene, link_forces, positions, scenes as draw_scenes
from pushpoint.plots.figures.motors import motors
from pushpoint.plots.figures.sweep import sweep as speeds_over_parameter, sweep_effects
from pushpoint.proof.reproduction_figures import SIMULATION_ONLY, Material, PaperFigure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLANAR, SPATIAL = "transeth2008a", "transeth2008b"
MIDDLE = 5
"""The papers' link 6."""
COUNTED = "our link 5 is the paper's link 6: we count from the tail, from 0"


def _sweep_of(name: str) -> Callable[[Material], Figure]:
    def build(material: Material) -> Figure:
        chosen = sweep(name)
        runs, verdict = material.run_of(name), material.verdict(chosen.claim.id)
        if chosen.measures is not None:
            return sweep_effects(chosen, runs, verdict)
        return speeds_over_parameter(chosen, sweep_speeds(chosen, runs), verdict)

    return build


def _small_obstacles(material: Material) -> Figure:
    small, large = (material.run_of(f"{PLANAR}/{name}") for name in ("small-obstacles", "obstacle-aided"))
    scene = Scene(
        title="the body at the start",
        run=small,
        link=MIDDLE,
        label="small obstacles",
        beside={"large obstacles (not drawn)": large},
    )
    return draw_scenes(f"{PLANAR}/small-obstacles", f"path of link {MIDDLE}", COUNTED, [scene])


def _link_forces(material: Material) -> Figure:
    links = {8: "link 8 (the paper's link 3)", 4: "link 4 (the paper's link 7)", 1: "link 1 (the paper's link 10)"}
    run = material.run_of(f"{PLANAR}/small-obstacles")
    return link_forces(f"{PLANAR}/small-obstacles", run, links, (4.5, 5.5), "means over 10 ms")


def _phase_shifts(material: Material) -> Figure:
    scenes = [
        Scene(title=title, run=material.run_of(f"{PLANAR}/phase-shift-{shift}"), link=MIDDLE, until=5.0)
        for shift, title in (("30", "(a) phase shift −30°"), ("70", "(b) phase shift −70°"))
    ]
    facts = "body at the start, path of the middle link from 0 to 5 s"
    return draw_scenes(PLANAR, "posture and path at two phase shifts", facts, scenes, columns=2)


def _obstacle_3(material: Material) -> Figure:
    usual = material.run_of(f"{PLANAR}/obstacle-aided")
    scenes = [
        Scene(
            title=f"obstacle 3 {what}; the body after 10 s",
            run=material.run_of(f"{PLANAR}/obstacle-3-{what}"),
            times=(10.0,),
            link=MIDDLE,
            label=f"obstacle 3 {what}",
            beside={"all seven": usual},
        )
        for what in ("removed", "moved")
    ]
    return draw_scenes(PLANAR, "what if one obstacle is missing?", COUNTED, scenes)


def _one_path(name: str, title: str, material: Material) -> Figure:
    run = material.run_of(name)
    scene = Scene(title=title, run=run, times=(0.0, float(run.time[-1])), link=MIDDLE)
    return draw_scenes(name, f"path of link {MIDDLE}", COUNTED, [scene])


def _centre_line(material: Material) -> Figure:
    places = {"centre-line": "on the centre line", "off-centre": "a quarter of a half-wave off it"}
    scenes = [
        Scene(title=f"obstacles {where}; the body after 5 s", run=material.run_of(f"{PLANAR}/{name}"), times=(5.0,))
        for name, where in places.items()
    ]
    return draw_scenes(PLANAR, "where to push", "", scenes)


def _lagging(material: Material) -> Figure:
    runs = {
        "the model": material.run_of(f"{PLANAR}/obstacle-aided"),
        "with free play, saturation and delay": material.run_of(f"{PLANAR}/obstacle-aided-realistic"),
    }
    return positions(PLANAR, runs, MIDDLE, COUNTED)


def _soft_start(material: Material) -> Figure:
    run = material.run_of(f"{SPATIAL}/sidewinding")
    early = run.sel(time=slice(None, 2.6))
    scenes = [Scene(title=f"{time:g} s", run=early, times=(time,)) for time in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)]
    return draw_scenes(f"{SPATIAL}/sidewinding", "start-up, seen from above", "", scenes, columns=2)


def _sidewinding(material: Material, *, over_time: bool) -> Figure:
    model, realistic = (material.run_of(f"{SPATIAL}/{name}") for name in ("sidewinding", "sidewinding-realistic"))
    others = {"with what the model leaves out (TB8)": realistic}
    if over_time:
        return positions(f"{SPATIAL}/sidewinding", {"the model": model, **others}, MIDDLE, COUNTED)
    scene = Scene(
        title="the body at the start and after 15 s",
        run=model,
        times=(0.0, 15.0),
        link=MIDDLE,
        label="the model",
        beside=others,
    )
    return draw_scenes(f"{SPATIAL}/sidewinding", f"path of link {MIDDLE}", COUNTED, [scene])


def _figure(key: str, where: str, caption: str, claims: str, build: Callable[[Material], Figure]) -> PaperFigure:
    return PaperFigure(key=key, where=where, caption=caption, claims=tuple(claims.split()), build=build)


_PLANAR_FIGURES = (
    _figure(
        f"{PLANAR}-fig-7",
        "As Fig. 7",
        "Three links pressed against three smooth obstacles, 40 ms after release, with the forces on them.",
        "TA10",
        lambda m: course(m.run_of(f"{PLANAR}/gray-three-links"), times=(0.04,)),
    ),
    _figure(
        f"{PLANAR}-vii-b", "VII-B", "Obstacles near and far from the centre line of the wave.", "TA11", _centre_line
    ),
    _figure(
        f"{PLANAR}-fig-9",
        "As Fig. 9",
        "Path of the middle link among small obstacles, and among the large ones of Fig. 14.",
        "TA4",
        _small_obstacles,
    ),
    _figure(
        f"{PLANAR}-fig-10",
        "As Fig. 10",
        "The robot at 5.2 s with the contact forces on it, means over 10 ms in which contacts come and go; ours is "
        "mirrored at that moment (D14).",
        "TA5",
        lambda m: course(m.run_of(f"{PLANAR}/small-obstacles"), times=(5.2,)),
    ),
    _figure(
        f"{PLANAR}-fig-11",
        "As Fig. 11",
        "Contact forces on three links around 5.2 s, those that our obstacles touch; the paper has links 2, 7, 10.",
        "TA5",
        _link_forces,
    ),
    _figure(f"{PLANAR}-fig-12", "As Fig. 12", "Postures at the start and paths of 5 s.", "TA6 TA7", _phase_shifts),
    _figure(
        f"{PLANAR}-viii-b-1", "VIII-B.1", "The course without obstacle 3, and with it moved.", "TA8 TA9", _obstacle_3
    ),
    _figure(
        f"{PLANAR}-fig-13",
        "As Fig. 13",
        f"Position of the middle link on flat ground, over 18 s in place of 10. {SIMULATION_ONLY}",
        "TA1",
        lambda m: positions(f"{PLANAR}/flat", {"simulated": m.run_of(f"{PLANAR}/flat")}, MIDDLE, COUNTED),
    ),
    _figure(
        f"{PLANAR}-fig-14",
        "As Fig. 14",
        f"Path of the middle link among seven obstacles. {SIMULATION_ONLY}",
        "TA2 TA3",
        lambda m: _one_path(f"{PLANAR}/obstacle-aided", "the body at the start and after 10 s", m),
    ),
    _figure(
        f"{PLANAR}-fig-15",
        "As Fig. 15",
        f"The same course in four moments, with contact forces. {SIMULATION_ONLY}",
        "TA2",
        lambda m: course(m.run_of(f"{PLANAR}/obstacle-aided")),
    ),
    _figure(
        f"{PLANAR}-contacts",
        "VIII-D.2",
        "Contact forces on all links of that run, and their sum forward; the paper has no such figure.",
        "TA2 TA3",
        lambda m: contacts(m.run_of(f"{PLANAR}/obstacle-aided")),
    ),
    _figure(
        f"{PLANAR}-joints",
        "VIII-D.2",
        "Joint angles of that run; the paper has no such figure.",
        "TA2",
        lambda m: joints(m.run_of(f"{PLANAR}/obstacle-aided")),
    ),
    _figure(
        f"{PLANAR}-motors",
        "VIII-D.2",
        "Joint torques of that run and what they ask of motors; the paper has no such figure.",
        "TA2",
        lambda m: motors(m.run_of(f"{PLANAR}/obstacle-aided")),
    ),
    *(
        _figure(
            f"{PLANAR}-{name}",
            "VIII-D.2",
            "What the paper says in words, as a sweep.",
            claim,
            _sweep_of(f"{PLANAR}/{name}"),
        )
        for name, claim in (
            ("speed-over-frequency", "TA12"),
            ("speed-over-friction", "TA13"),
            ("speed-over-phase-shift", "TA14"),
        )
    ),
    _figure(
        f"{PLANAR}-viii-e",
        "VIII-E",
        "Position of the middle link with and without what the paper blames for the real robot's lag. Both simulated.",
        "TA16",
        _lagging,
    ),
    _figure(
        f"{PLANAR}-channel",
        "I, VII-B",
        "A winding channel; the paper has no such figure.",
        "TA17",
        lambda m: course(m.run_of(f"{PLANAR}/winding-channel")),
    ),
)
_SPATIAL_FIGURES = (
    _figure(
        f"{SPATIAL}-fig-6",
        "As Fig. 6",
        "Path of the middle link with orthotropic friction; simulated in the paper as well.",
        "TB1",
        lambda m: _one_path(f"{SPATIAL}/lateral-undulation-orthotropic", "the body at the start and after 15 s", m),
    ),
    _figure(
        f"{SPATIAL}-fig-7",
        "As Fig. 7",
        f"Position of the middle link with isotropic friction. {SIMULATION_ONLY}",
        "TB2",
        lambda m: positions(
            f"{SPATIAL}/lateral-undulation-isotropic",
            {"simulated": m.run_of(f"{SPATIAL}/lateral-undulation-isotropic")},
            MIDDLE,
            COUNTED,
        ),
    ),
    _figure(
        f"{SPATIAL}-speed-over-friction",
        "VIII-D",
        "What the paper says in words, as a sweep.",
        "TB3",
        _sweep_of(f"{SPATIAL}/speed-over-friction"),
    ),
    _figure(f"{SPATIAL}-fig-8", "As Fig. 8", "Postures during the soft start.", "TB6", _soft_start),
    _figure(
        f"{SPATIAL}-fig-9",
        "As Fig. 9",
        f"Sidewinding at 0, 5, 10 and 15 s; pale links are lifted. {SIMULATION_ONLY}",
        "TB4",
        lambda m: course(m.run_of(f"{SPATIAL}/sidewinding"), times=(0.0, 5.0, 10.0, 15.0)),
    ),
    _figure(
        f"{SPATIAL}-fig-10",
        "As Fig. 10",
        "Path of the middle link; where the paper draws the real robot, ours is a model with the errors of TB8.",
        "TB4 TB8",
        lambda m: _sidewinding(m, over_time=False),
    ),
    _figure(
        f"{SPATIAL}-fig-11",
        "As Fig. 11",
        "The same over time. Both curves are simulated.",
        "TB4 TB8",
        lambda m: _sidewinding(m, over_time=True),
    ),
    _figure(
        f"{SPATIAL}-contacts",
        "VIII-E",
        "Which links the ground carries while the robot sidewinds; the paper has no such figure.",
        "TB5",
        lambda m: contacts(m.run_of(f"{SPATIAL}/sidewinding")),
    ),
    _figure(
        f"{SPATIAL}-effects",
        "VIII-F",
        "What each source of error does to distance and heading; the paper discusses it in words.",
        "TB8",
        _sweep_of(f"{SPATIAL}/sidewinding-errors"),
    ),
)
FIGURES = {PLANAR: _PLANAR_FIGURES, SPATIAL: _SPATIAL_FIGURES}
