"""The physics, checked: what became of all checks."""

from __future__ import annotations

from typing import Any

from pushpoint.pages.page import figure_png
from pushpoint.proof import checks
from pushpoint.proof.check import GROUPS, Plot
from pushpoint.proof.check_figure import build_check_figure
from pushpoint.proof.judgement import Finding, Judgement, WorkPlan
from pushpoint.simulation.provenance import version_of
from pushpoint.simulation.result_log import source_digest


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
