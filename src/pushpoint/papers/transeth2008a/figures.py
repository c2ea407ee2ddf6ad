"""The figures of Transeth2008a, from our runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint import plots
from pushpoint.papers.writing import SIMULATION_ONLY, Material, figure, sweep_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = "transeth2008a"
COURSE, SMALL = f"{PAPER}/obstacle-aided", f"{PAPER}/small-obstacles"
MIDDLE = 5
"""The paper's link 6."""
COUNTED = "our link 5 is the paper's link 6: we count from the tail, from 0"


def path_of_the_middle(material: Material, name: str, title: str) -> Figure:
    """The path of the middle link, with the body at the start and at the end."""
    run = material.run_of(name)
    scene = plots.Scene(title=title, run=run, times=(0.0, float(run.time[-1])), link=MIDDLE)
    return plots.scenes(name, f"path of link {MIDDLE}", COUNTED, [scene])


@figure("As Fig. 7", "TA10")
def fig_7(material: Material) -> Figure:
    """Three links pressed against three smooth obstacles, 40 ms after release, with the forces on them."""
    return plots.course(material.run_of(f"{PAPER}/gray-three-links"), times=(0.04,))


@figure("VII-B", "TA11")
def vii_b(material: Material) -> Figure:
    """Obstacles near and far from the centre line of the wave."""
    places = {"centre-line": "on the centre line", "off-centre": "a quarter of a half-wave off it"}
    scenes = [
        plots.Scene(
            title=f"obstacles {where}; the body after 5 s", run=material.run_of(f"{PAPER}/{name}"), times=(5.0,)
        )
        for name, where in places.items()
    ]
    return plots.scenes(PAPER, "where to push", "", scenes)


@figure("As Fig. 9", "TA4")
def fig_9(material: Material) -> Figure:
    """Path of the middle link among small obstacles, and among the large ones of Fig. 14."""
    scene = plots.Scene(
        title="the body at the start",
        run=material.run_of(SMALL),
        link=MIDDLE,
        label="small obstacles",
        beside={"large obstacles (not drawn)": material.run_of(COURSE)},
    )
    return plots.scenes(SMALL, f"path of link {MIDDLE}", COUNTED, [scene])


@figure("As Fig. 10", "TA5")
def fig_10(material: Material) -> Figure:
    """The robot at 5.2 s with the contact forces on it, means over 10 ms in which contacts come and go; ours is
    mirrored at that moment (D14)."""
    return plots.course(material.run_of(SMALL), times=(5.2,))


@figure("As Fig. 11", "TA5")
def fig_11(material: Material) -> Figure:
    """Contact forces on three links around 5.2 s, those that our obstacles touch; the paper has links 2, 7, 10."""
    links = {8: "link 8 (the paper's link 3)", 4: "link 4 (the paper's link 7)", 1: "link 1 (the paper's link 10)"}
    return plots.link_forces(SMALL, material.run_of(SMALL), links, (4.5, 5.5), "means over 10 ms")


@figure("As Fig. 12", "TA6 TA7")
def fig_12(material: Material) -> Figure:
    """Postures at the start and paths of 5 s."""
    scenes = [
        plots.Scene(title=title, run=material.run_of(f"{PAPER}/phase-shift-{shift}"), link=MIDDLE, until=5.0)
        for shift, title in (("30", "(a) phase shift −30°"), ("70", "(b) phase shift −70°"))
    ]
    facts = "body at the start, path of the middle link from 0 to 5 s"
    return plots.scenes(PAPER, "posture and path at two phase shifts", facts, scenes, columns=2)


@figure("VIII-B.1", "TA8 TA9")
def viii_b_1(material: Material) -> Figure:
    """The course without obstacle 3, and with it moved."""
    scenes = [
        plots.Scene(
            title=f"obstacle 3 {what}; the body after 10 s",
            run=material.run_of(f"{PAPER}/obstacle-3-{what}"),
            times=(10.0,),
            link=MIDDLE,
            label=f"obstacle 3 {what}",
            beside={"all seven": material.run_of(COURSE)},
        )
        for what in ("removed", "moved")
    ]
    return plots.scenes(PAPER, "what if one obstacle is missing?", COUNTED, scenes)


@figure("As Fig. 13", "TA1", SIMULATION_ONLY)
def fig_13(material: Material) -> Figure:
    """Position of the middle link on flat ground, over 18 s in place of 10."""
    name = f"{PAPER}/flat"
    return plots.positions(name, {"simulated": material.run_of(name)}, MIDDLE, COUNTED)


@figure("As Fig. 14", "TA2 TA3", SIMULATION_ONLY)
def fig_14(material: Material) -> Figure:
    """Path of the middle link among seven obstacles."""
    return path_of_the_middle(material, COURSE, "the body at the start and after 10 s")


@figure("As Fig. 15", "TA2", SIMULATION_ONLY)
def fig_15(material: Material) -> Figure:
    """The same course in four moments, with contact forces."""
    return plots.course(material.run_of(COURSE))


@figure("VIII-D.2", "TA2 TA3")
def contacts_figure(material: Material) -> Figure:
    """Contact forces on all links of that run, and their sum forward; the paper has no such figure."""
    return plots.contacts(material.run_of(COURSE))


@figure("VIII-D.2", "TA2")
def joints_figure(material: Material) -> Figure:
    """Joint angles of that run; the paper has no such figure."""
    return plots.joints(material.run_of(COURSE))


@figure("VIII-D.2", "TA2")
def motors_figure(material: Material) -> Figure:
    """Joint torques of that run and what they ask of motors; the paper has no such figure."""
    return plots.motors(material.run_of(COURSE))


@figure("VIII-D.2", "TA12")
def speed_over_frequency(material: Material) -> Figure:
    """What the paper says in words, as a sweep."""
    return sweep_figure(material, f"{PAPER}/speed-over-frequency")


@figure("VIII-D.2", "TA13")
def speed_over_friction(material: Material) -> Figure:
    """What the paper says in words, as a sweep."""
    return sweep_figure(material, f"{PAPER}/speed-over-friction")


@figure("VIII-D.2", "TA14")
def speed_over_phase_shift(material: Material) -> Figure:
    """What the paper says in words, as a sweep."""
    return sweep_figure(material, f"{PAPER}/speed-over-phase-shift")


@figure("VIII-E", "TA16")
def viii_e(material: Material) -> Figure:
    """Position of the middle link with and without what the paper blames for the real robot's lag. Both simulated."""
    names = {"the model": COURSE, "with free play, saturation and delay": f"{COURSE}-realistic"}
    runs = {label: material.run_of(name) for label, name in names.items()}
    return plots.positions(PAPER, runs, MIDDLE, COUNTED)


@figure("I, VII-B", "TA17")
def channel_figure(material: Material) -> Figure:
    """A winding channel; the paper has no such figure."""
    return plots.course(material.run_of(f"{PAPER}/winding-channel"))
