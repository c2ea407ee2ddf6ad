"""The physics, checked: what became of all checks, and a picture of each."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from pushpoint.pages.page import figure_png
from pushpoint.plots.page import NORMAL, SMALL, axes_at
from pushpoint.proof import checks
from pushpoint.proof.check import GROUPS, Plot
from pushpoint.proof.judgement import Finding, Judgement, WorkPlan
from pushpoint.scenery.palette import BLUE, GREEN, GREY, INK, PALE, PURPLE, VERMILION
from pushpoint.simulation.provenance import version_of
from pushpoint.simulation.storage import source_digest


class Verification(Judgement):
    """How the checks came out."""

    command, items, verdicts = "verify", "checks", ("passed", "failed")
    title = "The physics of pushpoint, checked"
    subtitle = (
        "Every check compares the engine with something that was known before: a closed form, a law of conservation, a "
        "second implementation. The tolerance stands beside the error, with its reason. Nothing here is compared with "
        "a number from an earlier run."
    )
    summary = ("group", "what it is about", "checks")

    @property
    def counts(self) -> dict[str, Any]:
        """How many checks there are, passed and failed, in all and by group."""
        groups = {group: {"checks": len(self.of(group)), **self.tally(group)} for group in self.groups}
        return {"checks": len(self.findings), **self.tally(), "groups": groups}

    @property
    def complaint(self) -> str:
        """A sentence that names the checks that failed; empty if none did."""
        failed = [one.id for one in self.findings if not one.as_wanted]
        return f"{len(failed)} of {len(self.findings)} checks failed: {', '.join(failed)}" if failed else ""

    @property
    def listed(self) -> list[Finding]:
        """The checks that have MuJoCo beside them."""
        return [one for one in self.findings if one["mujoco"] is not None]

    def about(self, group: str) -> dict[str, Any]:
        """What the group is about, and pictures of its checks."""
        figures = []
        for one in self.of(group):
            if one.plot is not None:
                caption = f"{one.id}: {one['statement']}"
                picture = figure_png(build_check_figure(Plot.of(one.plot)))
                figures.append({"picture": picture, "alt": caption, "caption": caption})
        title = group[:1].upper() + group[1:]
        return {"name": group, "title": title, "about": GROUPS[group], "figures": figures}


def plan_of_checks() -> WorkPlan:
    """All checks; a kept finding must come from the same MuJoCo, or from none."""
    chosen = checks.checks()
    return WorkPlan(
        judgement=Verification,
        items={group: [one for one in chosen if one.group == group] for group in GROUPS},
        source=f"{source_digest()} mujoco {version_of('mujoco')}",
    )


SIZE = (4.6, 3.0)
"""Width and height [in]."""
LOOKS = ((BLUE, "o"), (VERMILION, "s"), (GREEN, "^"), (PURPLE, "D"))


def build_check_figure(plot: Plot) -> Figure:
    """The numbers of a check as a figure."""
    figure = Figure(figsize=SIZE, facecolor="white")
    axes = axes_at(figure, "check", (0.72, 0.32, SIZE[0] - 0.86, SIZE[1] - 0.84))
    several = sum(curve.expected for curve in plot.curves) > 1
    looks = iter(LOOKS * len(plot.curves))
    for curve in plot.curves:
        x, y = np.array(curve.x), np.array(curve.y)
        if curve.expected:
            # Where several lines are expected each is in the colour of the marks that belong to it, which follow.
            color, mark = next(looks) if several else (INK, "")
            axes.plot(x, y, "-", color=color, linewidth=0.9, label=curve.label, zorder=1.5)
        else:
            if not several:
                color, mark = next(looks)
            axes.plot(x, y, mark, color=color, markersize=4.5, markerfacecolor="white", label=curve.label, zorder=2.0)
    axes.set_xscale("log" if plot.log_x else "linear")
    axes.set_yscale("log" if plot.log_y else "linear")
    if plot.log_x:
        marks = sorted({value for curve in plot.curves if not curve.expected for value in curve.x})
        axes.set_xticks(marks, [f"{value:g}" for value in marks])
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(plot.y_label)
    axes.set_title(plot.title, loc="left", fontsize=NORMAL, color=INK, pad=4)
    axes.grid(color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.legend(fontsize=SMALL, frameon=False, labelcolor=INK)
    for spine in ("top", "right"):
        axes.spines[spine].set_visible(False)
    axes.tick_params(which="both", color=GREY, labelsize=SMALL)
    return figure
