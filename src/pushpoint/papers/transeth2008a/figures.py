"""The figures of Transeth2008a, from our runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.papers.figures import SIMULATION_ONLY, Build, Material, drawn, figures, sweep_figure
from pushpoint.plots.figures.contacts import contacts
from pushpoint.plots.figures.course import course
from pushpoint.plots.figures.joints import joints
from pushpoint.plots.figures.links import Scene, link_forces, positions, scenes as draw_scenes
from pushpoint.plots.figures.motors import motors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = "transeth2008a"
MIDDLE = 5
"""The paper's link 6."""
COUNTED = "our link 5 is the paper's link 6: we count from the tail, from 0"
COURSE = f"{PAPER}/obstacle-aided"
IN_WORDS = "What the paper says in words, as a sweep."


def _small_obstacles(material: Material) -> Figure:
    small, large = (material.run_of(f"{PAPER}/{name}") for name in ("small-obstacles", "obstacle-aided"))
    scene = Scene(
        title="the body at the start",
        run=small,
        link=MIDDLE,
        label="small obstacles",
        beside={"large obstacles (not drawn)": large},
    )
    return draw_scenes(f"{PAPER}/small-obstacles", f"path of link {MIDDLE}", COUNTED, [scene])


def _link_forces(material: Material) -> Figure:
    links = {8: "link 8 (the paper's link 3)", 4: "link 4 (the paper's link 7)", 1: "link 1 (the paper's link 10)"}
    run = material.run_of(f"{PAPER}/small-obstacles")
    return link_forces(f"{PAPER}/small-obstacles", run, links, (4.5, 5.5), "means over 10 ms")


def _phase_shifts(material: Material) -> Figure:
    scenes = [
        Scene(title=title, run=material.run_of(f"{PAPER}/phase-shift-{shift}"), link=MIDDLE, until=5.0)
        for shift, title in (("30", "(a) phase shift −30°"), ("70", "(b) phase shift −70°"))
    ]
    facts = "body at the start, path of the middle link from 0 to 5 s"
    return draw_scenes(PAPER, "posture and path at two phase shifts", facts, scenes, columns=2)


def _obstacle_3(material: Material) -> Figure:
    usual = material.run_of(COURSE)
    scenes = [
        Scene(
            title=f"obstacle 3 {what}; the body after 10 s",
            run=material.run_of(f"{PAPER}/obstacle-3-{what}"),
            times=(10.0,),
            link=MIDDLE,
            label=f"obstacle 3 {what}",
            beside={"all seven": usual},
        )
        for what in ("removed", "moved")
    ]
    return draw_scenes(PAPER, "what if one obstacle is missing?", COUNTED, scenes)


def path_of_the_middle(name: str, title: str) -> Build:
    """Makes the figure of one path, with the body at the start and at the end."""

    def build(material: Material) -> Figure:
        run = material.run_of(name)
        scene = Scene(title=title, run=run, times=(0.0, float(run.time[-1])), link=MIDDLE)
        return draw_scenes(name, f"path of link {MIDDLE}", COUNTED, [scene])

    return build


def place_over_time(name: str) -> Build:
    """Makes the figure of the middle link's position in one run."""
    return lambda material: positions(name, {"simulated": material.run_of(name)}, MIDDLE, COUNTED)


def _centre_line(material: Material) -> Figure:
    places = {"centre-line": "on the centre line", "off-centre": "a quarter of a half-wave off it"}
    scenes = [
        Scene(title=f"obstacles {where}; the body after 5 s", run=material.run_of(f"{PAPER}/{name}"), times=(5.0,))
        for name, where in places.items()
    ]
    return draw_scenes(PAPER, "where to push", "", scenes)


def _lagging(material: Material) -> Figure:
    runs = {
        "the model": material.run_of(COURSE),
        "with free play, saturation and delay": material.run_of(f"{COURSE}-realistic"),
    }
    return positions(PAPER, runs, MIDDLE, COUNTED)


FIGURES = figures(
    PAPER,
    (
        "fig-7",
        "As Fig. 7",
        "TA10",
        "Three links pressed against three smooth obstacles, 40 ms after release, with the forces on them.",
        drawn(course, f"{PAPER}/gray-three-links", times=(0.04,)),
    ),
    ("vii-b", "VII-B", "TA11", "Obstacles near and far from the centre line of the wave.", _centre_line),
    (
        "fig-9",
        "As Fig. 9",
        "TA4",
        "Path of the middle link among small obstacles, and among the large ones of Fig. 14.",
        _small_obstacles,
    ),
    (
        "fig-10",
        "As Fig. 10",
        "TA5",
        "The robot at 5.2 s with the contact forces on it, means over 10 ms in which contacts come and go; ours is "
        "mirrored at that moment (D14).",
        drawn(course, f"{PAPER}/small-obstacles", times=(5.2,)),
    ),
    (
        "fig-11",
        "As Fig. 11",
        "TA5",
        "Contact forces on three links around 5.2 s, those that our obstacles touch; the paper has links 2, 7, 10.",
        _link_forces,
    ),
    ("fig-12", "As Fig. 12", "TA6 TA7", "Postures at the start and paths of 5 s.", _phase_shifts),
    ("viii-b-1", "VIII-B.1", "TA8 TA9", "The course without obstacle 3, and with it moved.", _obstacle_3),
    (
        "fig-13",
        "As Fig. 13",
        "TA1",
        f"Position of the middle link on flat ground, over 18 s in place of 10. {SIMULATION_ONLY}",
        place_over_time(f"{PAPER}/flat"),
    ),
    (
        "fig-14",
        "As Fig. 14",
        "TA2 TA3",
        f"Path of the middle link among seven obstacles. {SIMULATION_ONLY}",
        path_of_the_middle(COURSE, "the body at the start and after 10 s"),
    ),
    (
        "fig-15",
        "As Fig. 15",
        "TA2",
        f"The same course in four moments, with contact forces. {SIMULATION_ONLY}",
        drawn(course, COURSE),
    ),
    (
        "contacts",
        "VIII-D.2",
        "TA2 TA3",
        "Contact forces on all links of that run, and their sum forward; the paper has no such figure.",
        drawn(contacts, COURSE),
    ),
    (
        "joints",
        "VIII-D.2",
        "TA2",
        "Joint angles of that run; the paper has no such figure.",
        drawn(joints, COURSE),
    ),
    (
        "motors",
        "VIII-D.2",
        "TA2",
        "Joint torques of that run and what they ask of motors; the paper has no such figure.",
        drawn(motors, COURSE),
    ),
    ("speed-over-frequency", "VIII-D.2", "TA12", IN_WORDS, sweep_figure(f"{PAPER}/speed-over-frequency")),
    ("speed-over-friction", "VIII-D.2", "TA13", IN_WORDS, sweep_figure(f"{PAPER}/speed-over-friction")),
    ("speed-over-phase-shift", "VIII-D.2", "TA14", IN_WORDS, sweep_figure(f"{PAPER}/speed-over-phase-shift")),
    (
        "viii-e",
        "VIII-E",
        "TA16",
        "Position of the middle link with and without what the paper blames for the real robot's lag. Both simulated.",
        _lagging,
    ),
    (
        "channel",
        "I, VII-B",
        "TA17",
        "A winding channel; the paper has no such figure.",
        drawn(course, f"{PAPER}/winding-channel"),
    ),
)
