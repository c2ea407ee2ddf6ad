"""Draws the figures of the documents that `pushpoint.plots` makes, from runs that it makes anew.

    python benchmarks/document_figures.py                    # all of them, into docs/images; about two minutes
    python benchmarks/document_figures.py shape-stairs       # some of them

Figures of studies are drawn by the studies: hybrid_readings.py, touch/study.py and posture_stability.py.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import pushpoint as pp
from pushpoint.control import ForceMappingController, ShapePropagation
from pushpoint.papers.holden2014 import courses
from pushpoint.papers.liljeback2014.claims import cycle_directions
from pushpoint.papers.liljeback2014.scenarios import STEP, TOWARD_DEG, floor, sidewinder
from pushpoint.papers.ours import paths, pegs
from pushpoint.papers.registry import scenario
from pushpoint.papers.writing import figures_of
from pushpoint.plots.page import PanelRow, dress, header_lines, page, place_legend, save_figure
from pushpoint.plots.world import time_colors
from pushpoint.proof.checks import wheels
from pushpoint.scenery.palette import BLUE, FORCE_COLOR, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION, paler
from pushpoint.whole_files import write_atomically

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
HOUSE = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, FORCE_COLOR, INK, "#ffffff")
WIDTH, COLORS = 1080, 96
"""Of a picture in the documents [px], and how many colours it has [-]."""
DISTURBED_SEED = 2
TORQUE_LIMIT = 4.0
"""Of the robot that plans its path [N m]."""
NEVER = 1e6
"""A time in which no drift is found [s]."""
WHEEL_RESISTANCE, WHEEL_TIME = 0.02, 8.0
"""Against rolling [-], and how long robots on wheels are watched [s]."""


def _shape(name: str, **options: Any) -> Callable[[], Figure]:
    return lambda: pp.plots.shape(scenario(f"liljeback2014/{name}").run(), **options)


def _printed(paper: str, key: str) -> Callable[[], Figure]:
    """A figure of the report that needs no run."""
    return lambda: next(one for one in figures_of(paper) if one.key == f"{paper}-{key}").build(cast("Any", None))


def _quality() -> Figure:
    plan = pegs.plan()
    return pp.plots.quality_along_path(plan.quality, plan.path, plan.pegs, TORQUE_LIMIT, name="pegs/planned-path")


def _side_by_side() -> Figure:
    robot, path, head = courses.fifteen_links(), courses.sine_path(), 1.6
    ideal = courses.rail_course(robot)
    place = courses.disturbed(ideal, path, 0.015, DISTURBED_SEED, clear=1.5)
    mapping = ForceMappingController(path=path, head=head, gains=courses.TUNED_MAPPING, pegs=ideal.obstacles)
    ways = {"mapping": mapping, "servos": ShapePropagation(path=path, head=head)}
    runs = {name: courses.drive_side_by_side([robot], [way], [place])[0] for name, way in ways.items()}
    return pp.plots.tracking_comparison(runs, name="disturbed course")


def _wheeled_speeds(limits: Sequence[float], law: Callable[[float], pp.FrictionLaw] | None) -> list[float]:
    """Forward speed over four periods of the ACM III at each limit [m/s]: on its wheels, or on ground with a law."""
    robot = pp.catalogue.acm_iii_planar()
    gait = pp.scenario("wheels/acm-iii").world.controller
    worlds = []
    for limit in limits:
        wheels = () if law else (pp.Wheels(rolling_resistance=WHEEL_RESISTANCE, side_limit=limit),)
        ground = pp.Ground(friction=law(limit) if law else pp.Frictionless())
        links = tuple(replace(link, wheels=wheels) for link in robot.links)
        worlds.append(pp.World(replace(robot, links=links), pp.Environment(ground=ground), gait))
    run = pp.simulate(worlds, WHEEL_TIME)
    way = run.center_of_mass.values
    return list(np.linalg.norm(way[:, -1] - way[:, 0], axis=-1) / WHEEL_TIME)


def _side_limit() -> Figure:
    limits = np.geomspace(0.02, 2.0, 15)
    lines = header_lines("wheels/acm-iii", "forward speed over the side limit", f"mean of {WHEEL_TIME:g} s from rest")
    figure, panels = page(lines, [PanelRow(panels=("speed",), height=2.8, above=0.12)])
    axes = panels["speed"]
    ways = {
        "wheels": (None, {"color": BLUE, "marker": "o"}),
        "rectangular friction": (
            lambda mu: pp.Rectangular(along=WHEEL_RESISTANCE, across=mu),
            {"color": ORANGE, "linestyle": "--"},
        ),
        "elliptic friction": (
            lambda mu: pp.Elliptic(along=min(WHEEL_RESISTANCE, mu), across=mu),
            {"color": GREEN, "linestyle": ":"},
        ),
    }
    for label, (law, look) in ways.items():
        axes.plot(limits, _wheeled_speeds(limits, law), label=label, markersize=4.0, **look)
    axes.set_xscale("log")
    dress(axes, x="largest side force per normal force [-]", y="speed [m/s]", grid="both")
    place_legend(axes, columns=3)
    return figure


def _phase_shift() -> Figure:
    joint, shifts = 0.3, np.linspace(0.13, 0.6, 16)
    lines = header_lines(
        "robots on wheels", "forward speed over the phase shift", f"joint amplitude {joint:g} rad, 2 rad/s"
    )
    figure, panels = page(lines, [PanelRow(panels=("speed",), height=2.8, above=0.12)])
    axes = panels["speed"]
    finely = np.linspace(shifts[0], shifts[-1], 200)
    curve = [wheels.track_speed(wheels.BODY / 40, joint, float(shift)) for shift in finely]
    axes.plot(finely, curve, color=INK, linewidth=1.0, label="serpenoid track without side slip")
    found = [wheels.serpenoid_speed(40, joint, float(shift)) for shift in shifts]
    axes.plot(shifts, found, "o", color=BLUE, markersize=4.0, label="40 links on wheels")
    axes.axvline(joint / wheels.WINDING, color=GREEN, linestyle="--", linewidth=1.0, label="links swing by 72 deg")
    dress(axes, x="phase shift between joints [rad]", y="speed [m/s]", grid="both")
    axes.set_ylim(bottom=0.0)
    place_legend(axes, columns=3)
    return figure


def _steered() -> Figure:
    """Directions of travel of five phases each: points joined in two ways, and a drift that is not found."""
    ways = {
        "pchip": ("pchip", {}),
        "smooth": ("smooth", {}),
        "smooth, drift not found": ("smooth", {"drift_time": NEVER}),
    }
    told = f"closed loop toward {TOWARD_DEG:g} deg, from five phases"
    lines = header_lines("liljeback2014/sidewinding", "direction of travel per cycle", told)
    figure, panels = page(lines, [PanelRow(panels=tuple(ways), height=2.2, above=0.2)])
    robot = pp.catalogue.liljeback2014()
    for name, (curve, law) in ways.items():
        steering = pp.control.HeadingController(direction=np.radians(TOWARD_DEG), **law)
        plain = [sidewinder(phase=k / 5, steering=steering) for k in range(5)]
        followers = [replace(each, motion=replace(each.motion, curve=curve)) for each in plain]
        runs = pp.simulate([pp.World(robot, floor(), each) for each in followers], 45.0, settings=STEP)
        for w, each in enumerate(followers):
            found = np.degrees(np.unwrap(cycle_directions(runs.isel(world=w), each.period)))
            panels[name].plot(1 + np.arange(len(found)), found, color=BLUE, linewidth=1.0)
        panels[name].axhline(TOWARD_DEG, color=INK, linestyle="--", linewidth=0.8)
        panels[name].set_ylim(30.0, 180.0)
        panels[name].tick_params(labelleft=name == "pchip")
        dress(panels[name], x="cycle", y="direction [deg]" if name == "pchip" else None, title=name, grid="both")
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    "obstacle-aided": lambda: pp.plots.course(scenario("transeth2008a/obstacle-aided").run()),
    "shape-curves": _printed("liljeback2014", "fig-4"),
    "shape-sidewinding": _shape("sidewinding"),
    "shape-rolling": _shape("lateral-rolling", parts=("segment", "shots")),
    "shape-stairs": _shape("stairs"),
    "shape-pipe": _shape("pipe", parts=("path", "shots")),
    "force-mapping-instant": _printed("holden2014", "fig-3"),
    "path-quality": _quality,
    "force-mapping-comparison": _side_by_side,
    "wheels-side-limit": _side_limit,
    "wheels-phase-shift": _phase_shift,
    "path-ten-starts": lambda: pp.plots.path_following(paths.ten_starts().run()),
    "path-curve": lambda: pp.plots.path_following(scenario("paths/curve").run()),
    "path-sidewinding": lambda: pp.plots.path_following(scenario("paths/sidewinding").run()),
    "shape-steering": _steered,
}
"""What draws each of them, by the name of its file."""


def write(name: str, folder: Path) -> Path:
    """Draws one figure into a folder, in few colours."""
    return packed(save_figure(FIGURES[name](), folder / f"{name}.png"))


def packed(source: Path, width: int = WIDTH, colors: int = COLORS) -> Path:
    """Makes a picture smaller: so wide, with so many colours; those that mean something stay as they are."""
    image = Image.open(source).convert("RGB")
    small = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
    found = (small.quantize(colors).getpalette() or [])[: 3 * colors]
    kept = [paler(color, share) for color in (*HOUSE, *time_colors(6)) for share in (0.0, 0.3, 0.5, 0.75)]
    palette = Image.new("P", (1, 1))
    palette.putpalette([*found, *(round(255 * part) for color in kept for part in color)])
    drawn = small.quantize(palette=palette, dither=Image.Dither.NONE)
    return write_atomically(source, lambda place: drawn.save(place, format="PNG", optimize=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(FIGURES)}; default: all")
    parser.add_argument("--images", type=Path, default=IMAGES, help="where they are written")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in FIGURES]:
        parser.error(f"unknown: {', '.join(unknown)}")
    for name in given.names or FIGURES:
        target = write(name, given.images)
        print(f"{target.name}, {target.stat().st_size / 1e3:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
