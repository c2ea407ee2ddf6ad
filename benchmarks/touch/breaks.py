"""Where the learned and the hand-made controller break: a picture of one trial each, and films.

  python benchmarks/touch/breaks.py              # docs/images/learned-touch-breaks.png
  python benchmarks/touch/breaks.py --films      # and out/breaks/CONDITION-CONTROLLER.gif, below 400 kB each

A controller breaks under a condition if what it passes lies clearly below its usual share, in the kept result
docs/results/learned-touch-validation.json. Shown is the first validation course that it usually passes and not there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import pushpoint as pp
from pushpoint.papers.liljeback2011.scenarios import PASSED, STEP
from pushpoint.plots.page import SMALL, PanelRow, dress, page, save_figure
from pushpoint.proof.learned_touch import BASELINE, POLICY, breaks
from pushpoint.scenery.palette import BLUE, GREY, INK, ORANGE
from pushpoint.studies.places import Place
from pushpoint.studies.scoreboard import CONDITIONS, Condition

ROOT = Path(__file__).resolve().parents[2]
RESULT, PICTURE = ROOT / "docs" / "results" / "learned-touch-validation.json", "learned-touch-breaks"
FILMS = Path("out/breaks")
COLORS = {POLICY: ORANGE, BASELINE: BLUE}
TRIED, DURATION = 12, 100.0
SHOWN, PER_ROW = 6, 3
"""Postures in a panel [-]; panels in a row [-]."""


class Broken(NamedTuple):
    """A trial that shows a break."""

    condition: Condition
    """What was changed."""
    who: str
    """The controller."""
    place: Place
    """The course."""
    world: pp.World
    """The trial."""
    body: np.ndarray
    """Links over time [m], shape (n_samples, n_links, 2)."""


def controller(who: str) -> Any:
    """The controller of a name."""
    return pp.control.learned(who) if who == POLICY else pp.control.ContinuousResolution()


def broken() -> Iterator[Broken]:
    """One trial of every break."""
    kept = json.loads(RESULT.read_text())
    usual = kept["splits"]["validation"]
    for condition in CONDITIONS:
        for who in (POLICY, BASELINE):
            if breaks(who, kept["robustness"][condition.name], usual):
                found = first_failure(condition, who, usual["passed"][who][:TRIED])
                if found:
                    yield found


def first_failure(condition: Condition, who: str, seeds: list[int]) -> Broken | None:
    """The first of these courses that is not passed under a condition."""
    places = condition.places(seeds)
    worlds = [pp.World(p.robot, p.environment, controller(who), p.starts[0], condition.sensors) for p in places]
    record = pp.Record(rate=4.0, variables=("link_position",))
    run = pp.simulate(worlds, DURATION, settings=replace(STEP, on_failure="record"), record=record)
    body = run.link_position.values
    way = np.nanmax(body[:, :, -1, 0] - body[:, :1, -1, 0], axis=1)
    failed = np.flatnonzero(way <= PASSED)
    if not len(failed):
        return None
    k = int(failed[0])
    return Broken(condition, who, places[k], worlds[k], body[k])


def panel(axes: Axes, one: Broken) -> None:
    """The course, the body at a few moments, and the way of the head."""
    for peg in one.place.environment.obstacles:
        axes.add_patch(plt.Circle((peg.x, peg.y), peg.radius, color=GREY, alpha=0.4, linewidth=0.0))
    moments = np.linspace(0, len(one.body) - 1, SHOWN).astype(int)
    for k, moment in enumerate(moments):
        shade = 0.25 + 0.75 * k / (SHOWN - 1)
        axes.plot(*one.body[moment].T, color=COLORS[one.who], alpha=shade, linewidth=1.4)
    axes.plot(*one.body[:, -1].T, color=INK, linewidth=0.4)
    axes.axvline(one.body[0, -1, 0] + PASSED, color=INK, linewidth=0.6, linestyle=":")
    axes.set(xlim=(-1.5, 1.0), ylim=(-0.9, 0.9), aspect="equal", xticks=[], yticks=[])
    said = f"{one.who}, course {one.place.name.removeprefix('random-')}"
    axes.text(0.03, 0.03, said, transform=axes.transAxes, size=SMALL, color=COLORS[one.who])
    dress(axes, title=one.condition.name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--films", action="store_true", help="make a film of each as well")
    given = parser.parse_args()
    found = list(broken())
    names = [f"{k}" for k in range(PER_ROW * -(-len(found) // PER_ROW))]
    rows = [PanelRow(panels=tuple(names[k : k + PER_ROW]), height=1.45, gap=0.1) for k in range(0, len(names), PER_ROW)]
    lines = ["Where they break", "postures of 100 s, the later the darker; thin: the head; dotted: a pass"]
    figure, panels = page(lines, rows)
    for name, one in zip(names, found, strict=False):
        panel(panels[name], one)
    for name in names[len(found) :]:
        panels[name].set_axis_off()
    print(save_figure(figure, ROOT / "docs" / "images" / f"{PICTURE}.png"))
    for one in found if given.films else ():
        FILMS.mkdir(parents=True, exist_ok=True)
        file = FILMS / f"{one.condition.name}-{one.who}.gif".replace(" ", "-").replace("^", "").replace(",", "")
        run = pp.simulate(one.world, DURATION, settings=STEP, record=pp.Record(rate=4.0))
        print(pp.film(run, file, width=400, speed=25.0), f"{file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
