"""Figures of docs/theory/learned-touch.md, from kept results and the parameters of the policy.

  python benchmarks/touch/learned_figures.py      # docs/images/learned-touch-*.png

The results: docs/results/touch-training.json, learned-touch.json (held out) and learned-touch-validation.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from robustness import robustness_figure

import pushpoint as pp
from pushpoint.control.hybrid import measured_link_angles
from pushpoint.engine.batching import stack
from pushpoint.engine.signals import Measurement
from pushpoint.plots.page import SMALL, PanelRow, dress, page, place_legend, save_figure
from pushpoint.scenery.palette import BLUE, GREY, INK, ORANGE, VERMILION
from pushpoint.studies.scoreboard import CONDITIONS

ROOT = Path(__file__).resolve().parents[2]
IMAGES, RESULTS = ROOT / "docs" / "images", ROOT / "docs" / "results"
POLICY, BASELINE = "touch-v1", "continuous"
COLORS = {POLICY: ORANGE, BASELINE: BLUE}
LABELS, ROW_HEIGHT = 2.6, 0.2
PUSH = 1.0
"""Force on one link [N]: small enough that no limit plays a part."""
HALF = 0.42
"""Half the height of the pictures of the body [m]."""


def training_figure(kept: Mapping[str, Any]) -> Figure:
    """What all searches came to: courses passed over generations, and validation."""
    searches = kept["searches"]
    lines = [
        "Training",
        f"{len(searches)} searches from the same start; each generation has courses of its own, most of them hard",
    ]
    figure, panels = page(lines, [PanelRow(panels=("passed", "validation"), height=1.9, gap=0.6)])
    for one in searches:
        passed = [100.0 * np.mean(row["passed"]) for row in one["generations"]]
        shipped = one["seed"] == kept["shipped"]
        look: dict[str, Any] = {"color": ORANGE, "linewidth": 1.6, "zorder": 3} if shipped else {"color": GREY}
        panels["passed"].plot(np.arange(len(passed)), passed, **({"linewidth": 0.8} | look))
        found = one["validation"]
        low, high = (100.0 * end for end in found["success_95"])
        color = ORANGE if shipped else INK
        panels["validation"].plot((one["seed"],) * 2, (low, high), color=color, linewidth=1.4)
        panels["validation"].plot(one["seed"], 100.0 * found["success"], "o", color=color, markersize=4.0)
    panels["passed"].set_ylim(0.0, 100.0)
    panels["validation"].set_ylim(0.0, 100.0)
    dress(panels["passed"], title="mean of all candidates", x="generation", y="passed in 80 s [%]", grid="y")
    dress(panels["validation"], title="validation, 100 courses", x="training seed", y="passed [%]", grid="y")
    return figure


def rows_figure(kept: Mapping[str, Any]) -> Figure:
    """Who passes how many of the held-out courses, with touch and without."""
    splits = list(kept["splits"])
    names = [POLICY, BASELINE, *kept["without touch"][splits[0]]]
    lines = ["Courses never seen", "two sets of 100 courses; bars are 95 % intervals"]
    tall = ROW_HEIGHT * len(names) + 0.3
    figure, panels = page(lines, [PanelRow(panels=tuple(splits), height=tall, left=LABELS, gap=0.3, above=0.1)])
    for k, split in enumerate(splits):
        axes = panels[split]
        for row, name in enumerate(names):
            of = kept["splits"][split]["controllers"]
            summary = of.get(name) or next(iter(kept["without touch"][split][name]["controllers"].values()))
            low, high = (100.0 * end for end in summary["success_95"])
            color = COLORS.get(name, INK)
            axes.plot((low, high), (row, row), color=color, linewidth=1.8, solid_capstyle="butt")
            axes.plot(100.0 * summary["success"], row, "o", color=color, markersize=4.5, markeredgecolor="white")
        axes.set_yticks(range(len(names)), names if k == 0 else [""] * len(names))
        axes.set(xlim=(0.0, 100.0), ylim=(len(names) - 0.5, -0.5))
        axes.tick_params(axis="y", length=0)
        dress(axes, title=split, x="passed [%]", grid="x")
    return figure


def robustness_rows(kept: Mapping[str, Any]) -> dict[str, Sequence[Mapping[str, Any]]]:
    """The robustness table in the form of `robustness_figure`."""
    usual = kept["splits"]["validation"]["controllers"]
    found = {}
    for name in (POLICY, BASELINE):
        rows = [{"group": "as usual", "value": ""} | usual[name]]
        for condition in CONDITIONS:
            summary = kept["robustness"][condition.name]["controllers"][name]
            rows.append({"group": condition.group, "value": condition.value} | summary)
        found[name] = rows
    return found


def what_figure() -> Figure:
    """What the policy does: its wave with and without contact, and what a push on one link does to the joints."""
    policy, hand_made = pp.control.learned(POLICY), pp.control.ContinuousResolution()
    lines = ["What it learned", "the wave of the body when it touches and when it is starved; a push on one link"]
    rows = [PanelRow(panels=("touching", "starved"), height=1.8, gap=0.6), PanelRow(panels=("push",), height=1.7)]
    figure, panels = page(lines, rows)
    for label, starved in (("touching", 0.0), ("starved", 1.0)):
        axes = panels[label]
        _draw_wave(axes, hand_made.amplitude, hand_made.phase_shift, BLUE, BASELINE)
        amplitude = policy.amplitude + starved * policy.starved_amplitude
        _draw_wave(axes, amplitude, policy.phase_shift + starved * policy.starved_phase_shift, ORANGE, POLICY)
        axes.set(aspect="equal", ylim=(-HALF, HALF))
        dress(axes, title=label, x="x [m]", y="y [m]")
    place_legend(panels["starved"], columns=2)
    _draw_push(panels["push"])
    return figure


def _draw_wave(axes: Axes, amplitude: float, shift: float, color: str, label: str) -> None:
    """The body at two moments of its wave, half a period apart."""
    robot = pp.catalogue.liljeback2011()
    lags = shift * np.arange(robot.n_joints - 1, -1, -1)
    for moment, phase in enumerate((0.6, 0.6 + np.pi)):
        theta = np.concatenate(([0.0], np.cumsum(-amplitude * np.sin(phase - lags))))
        theta -= theta.mean()
        step = robot.column("length")[:, None] * np.stack((np.cos(theta), np.sin(theta)), axis=1)
        points = np.concatenate((np.zeros((1, 2)), np.cumsum(step, axis=0)))
        points -= points.mean(axis=0)
        look: dict[str, Any] = {"color": color, "linewidth": 1.6, "alpha": 1.0 if moment == 0 else 0.35}
        axes.plot(*points.T, "-", label=label if moment == 0 else None, **look)


def _draw_push(axes: Axes) -> None:
    """How the references change when an obstacle pushes link 5 of a straight robot, per newton that is felt."""
    robot = pp.catalogue.liljeback2011()
    joints = np.arange(robot.n_joints)
    for k, (label, controller) in enumerate(
        ((BASELINE, pp.control.ContinuousResolution()), (POLICY, pp.control.learned(POLICY)))
    ):
        felt = {"least_force": 0.0} if label == POLICY else {}
        bound = replace(controller, amplitude=0.0, **felt).bind(robot)
        found = []
        for force in (0.0, PUSH):
            pushed = np.zeros((1, robot.n_links))
            pushed[0, 5] = force
            told, _ = bound.command(_lying(robot, pushed), stack([bound.memory()]))
            found.append(told.joint_angle[0])
        axes.bar(joints + 0.38 * (k - 0.5), found[1] - found[0], 0.36, color=COLORS[label], label=label)
    axes.axhline(0.0, color=GREY, linewidth=0.6)
    axes.axvline(4.5, color=VERMILION, linewidth=0.8, linestyle=":")
    axes.text(4.4, axes.get_ylim()[1], f"link 5 feels {PUSH:g} N", size=SMALL, va="top", ha="right", color=VERMILION)
    axes.set_xticks(joints)
    dress(axes, title="change of the joints' references", x="joint, tail to head", y="[rad]", grid="y")
    place_legend(axes, columns=2)


def _lying(robot: Any, force: np.ndarray) -> Measurement:
    """A straight robot along the direction of travel that feels these forces."""
    zero, joints = np.zeros(1), np.zeros((1, robot.n_joints))
    found = Measurement(
        time=zero,
        joint_angle=joints,
        joint_rate=joints,
        joint_torque=joints,
        contact_normal_force=force,
        imu_angular_rate=zero,
        imu_acceleration=np.zeros((1, 2)),
        imu_heading=zero,
    )
    assert not measured_link_angles(found).any()
    return found


def main() -> None:
    drawn: dict[str, tuple[str, Callable[[Any], Figure]]] = {
        "training": ("touch-training", training_figure),
        "held-out": ("learned-touch", rows_figure),
        "robustness": ("learned-touch-validation", lambda kept: robustness_figure(robustness_rows(kept))),
    }
    figures = {"what": what_figure()}
    for name, (result, draw) in drawn.items():
        file = RESULTS / f"{result}.json"
        if file.exists():
            figures[name] = draw(json.loads(file.read_text()))
        else:
            print(f"{name}: there is no {file.name}")
    for name, figure in figures.items():
        print(save_figure(figure, IMAGES / f"learned-touch-{name}.png"))


if __name__ == "__main__":
    main()
