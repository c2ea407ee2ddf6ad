"""Four live plots, each of which shows what one chooses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pushpoint.scenery.palette import BLUE, GREEN, ORANGE, SKY, VERMILION
from pushpoint.simulation.live.look import Look
from pushpoint.studio.runner import Runner

if TYPE_CHECKING:
    import viser

COLORS = (BLUE, ORANGE, GREEN, VERMILION, SKY)
MOST_POINTS = 150
"""Points of a curve; there are more looks [-]."""
HEIGHT = 120
ASIDE = "tail", "middle", "head"


class Quantity(NamedTuple):
    """What a plot can show."""

    unit: str
    """Its unit."""
    curves: tuple[str, ...]
    """Names of its curves."""
    values: Callable[[Look], Sequence[float]]
    """A value per curve."""


def _three(values: np.ndarray) -> list[float]:
    """At the tail, in the middle and at the head."""
    return [float(values[k]) for k in (0, len(values) // 2, -1)] if len(values) else [0.0] * 3


def _sizes(forces: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.nan_to_num(forces), axis=-1)


QUANTITIES: dict[str, Quantity] = {
    "speed": Quantity("m/s", ("speed",), lambda look: [look.speed]),
    "joint angles": Quantity("deg", ASIDE, lambda look: np.degrees(_three(look.joint_angle)).tolist()),
    "joint torques": Quantity(
        "N m",
        (*ASIDE, "largest"),
        lambda look: [*_three(look.joint_torque), float(np.abs(np.nan_to_num(look.joint_torque)).max(initial=0.0))],
    ),
    "contact forces": Quantity(
        "N",
        ("sum", "largest"),
        lambda look: [float(_sizes(look.obstacle_force).sum()), float(_sizes(look.obstacle_force).max(initial=0.0))],
    ),
    "propulsion": Quantity("N", ("along the body",), lambda look: [float(np.nan_to_num(look.propulsion).sum())]),
    "power": Quantity("W", ("motors",), lambda look: [float(np.nan_to_num(look.joint_power).sum())]),
    "solver iterations": Quantity("-", ("most per step",), lambda look: [float(look.solver_iterations)]),
    "penetration": Quantity("mm", ("deepest",), lambda look: [1e3 * float(np.nan_to_num(look.penetration))]),
}
"""Everything that can be plotted, by name."""
FIRST = ("speed", "joint angles", "joint torques", "contact forces")


class LivePlot:
    """One plot with the choice of what it shows."""

    def __init__(self, server: viser.ViserServer, name: str, label: str) -> None:
        self._server = server
        self._folder = server.gui.add_folder(None)
        with self._folder:
            self._choice = server.gui.add_dropdown(label, tuple(QUANTITIES), initial_value=name)
        self._name = ""
        self._known: dict[int, tuple[Look, list[float]]] = {}  # by identity: most have been shown before
        self._chart: Any = None

    @property
    def name(self) -> str:
        """What it is to show."""
        return str(self._choice.value)

    def show(self, looks: Sequence[Look]) -> None:
        """Shows these looks."""
        name = self.name
        if name != self._name:
            self._known.clear()
        known, values = self._known, QUANTITIES[name].values
        self._known = {id(look): known.get(id(look)) or (look, list(values(look))) for look in looks}
        times = np.array([look.time for look in looks])
        rows = np.array([row for _, row in self._known.values()], dtype=float).T
        data = (times, *np.nan_to_num(rows))
        if name != self._name:
            self._build(name, data)
        self._chart.data = data

    def _build(self, name: str, data: tuple[np.ndarray, ...]) -> None:
        if self._chart is not None:
            self._chart.remove()
        quantity = QUANTITIES[name]
        series: Any = (
            {"label": "s"},
            *({"label": curve, "stroke": COLORS[k], "width": 2} for k, curve in enumerate(quantity.curves)),
        )
        with self._folder:
            self._chart = self._server.gui.add_uplot(
                data, series, title=f"{name} [{quantity.unit}]", height=HEIGHT, scales={"x": {"time": False}},
                legend={"show": len(quantity.curves) > 1},
            )  # fmt: skip
        self._name = name


class Plots:
    """All four."""

    def __init__(self, server: viser.ViserServer, runner: Runner) -> None:
        self._runner = runner
        self._stamp: tuple[Any, ...] = ()
        self._plots = [LivePlot(server, name, f"plot {number}") for number, name in enumerate(FIRST, start=1)]

    def show(self) -> None:
        """Shows the latest seconds, in few points."""
        looks = list(self._runner.history)
        stamp = (len(looks), looks[-1].time if looks else 0.0, *(plot.name for plot in self._plots))
        if len(looks) > 3 and stamp != self._stamp:
            self._stamp = stamp
            every = 2 ** max(0, math.ceil(math.log2(len(looks) / MOST_POINTS)))
            few = [
                look for number, look in enumerate(looks, start=self._runner.count - len(looks)) if not number % every
            ]
            for plot in self._plots:
                plot.show(few)
