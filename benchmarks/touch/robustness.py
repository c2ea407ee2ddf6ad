"""How success holds when robot, ground, sensors and clock are not what a controller was tuned with.

One thing is changed at a time, on the same courses. Touch sensors are changed in the measurement alone: gains, dead
links, Gaussian noise of every reading, and steps as coarse as those of cheap force-sensing resistors, which also hide
what is less than half a step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement
from pushpoint.model.catalogue import liljeback2011 as paper_robot
from pushpoint.model.checks import finite, store
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.sensors import PERFECT, PERFECT_SENSORS, Channel, Sensors
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.papers.liljeback2011.scenarios import GROUND_FRICTION
from pushpoint.plots.looks import looks_of
from pushpoint.plots.page import NORMAL, SMALL, PanelRow, dress, page, place_legend
from pushpoint.scenery.palette import INK, SKY
from pushpoint.simulation.rollout import Rollout
from pushpoint.simulation.simulate import finish
from pushpoint.studies.comparison import ControllerComparison, compare
from pushpoint.studies.places import random_place

if TYPE_CHECKING:
    import xarray

# Sizes of the figure on paper [in].
LABELS, ROW_HEIGHT, BETWEEN = 2.35, 0.17, 0.5
DEAD_LINKS = (3, 6)
"""Links without touch where two sensors are dead."""


@dataclass(frozen=True, kw_only=True)
class FeltOtherwise(Controller[Any]):
    """A controller whose touch sensors are off: every reading is multiplied by the factor of its link."""

    controller: Controller[Any]
    """The controller, which does not know."""
    factors: Sequence[float]
    """What the reading of each link is multiplied with, tail to head [-]; 0 for a dead one."""

    def __post_init__(self) -> None:
        store(self, factors=tuple(finite(f"factors[{k}]", each, "-") for k, each in enumerate(self.factors)))

    @property
    def rate(self) -> float:
        """Commands per second [Hz]."""
        return self.controller.rate

    @property
    def needs(self) -> frozenset[str]:
        """What the controller must be given besides."""
        return self.controller.needs

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> FeltOtherwise:
        """The same with a controller that knows its robot."""
        return replace(self, controller=self.controller.bind(robot, environment))

    def memory(self) -> Any:
        """The controller's own memory."""
        return self.controller.memory()

    def command(self, measurement: Measurement, memory: Any) -> tuple[Command, Any]:
        """What the controller commands on what it is shown."""
        felt = measurement.contact_normal_force * np.array(self.factors)
        return self.controller.command(replace(measurement, contact_normal_force=felt), memory)


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What is changed."""

    group: str
    """What kind of thing, for the figure."""
    value: str
    """How much, with its unit."""
    friction: float = GROUND_FRICTION
    """Of the ground [-]."""
    motor_speed: float = inf
    """Speed at which the motors have no torque left [rad/s]."""
    factors: Sequence[float] | None = None
    """What touch readings are multiplied with [-]; default: nothing."""
    touch: Channel = PERFECT
    """The way of the touch readings."""
    rate: float | None = None
    """Commands per second [Hz]; default: the controller's own."""

    @property
    def sensors(self) -> Sensors:
        """What the controller is shown."""
        return PERFECT_SENSORS if self.touch == PERFECT else Sensors(contact_normal_force=self.touch)

    @property
    def robot(self) -> PlanarRobot:
        """The robot with these motors."""
        robot = paper_robot()
        motors = [replace(motor, speed_limit=self.motor_speed) for motor in robot.motors]  # type: ignore[union-attr]
        return replace(robot, motors=tuple(motors))


USUAL = Condition(group="as tuned", value="")


def conditions(n_links: int = 10) -> list[Condition]:
    """All that are looked at, the unchanged one first."""
    dead = [0.0 if link in DEAD_LINKS else 1.0 for link in range(n_links)]
    return [
        USUAL,
        *(Condition(group="ground friction", value=f"{mu:g}", friction=mu) for mu in (0.1, 0.2, 0.4, 0.5)),
        *(Condition(group="touch gain", value=f"x {g:g}", factors=[g] * n_links) for g in (0.7, 1.3)),
        Condition(group="dead touch sensors", value="2 of 10", factors=dead),
        *(Condition(group="command rate", value=f"{rate:g} Hz", rate=rate) for rate in (10.0, 50.0, 100.0, 250.0)),
        *(Condition(group="no-load motor speed", value=f"{w:g} rad/s", motor_speed=w) for w in (4.0, 1.3)),
        *(Condition(group="touch noise", value=f"{n:g} N", touch=Channel(noise=n)) for n in (0.3, 1.0, 3.0)),
        *(Condition(group="touch steps", value=f"{q:g} N", touch=Channel(quantum=q)) for q in (1.0, 4.0, 16.0)),
        *(Condition(group="touch delay", value=f"{1e3 * d:g} ms", touch=Channel(delay=d)) for d in (0.1, 0.2)),
    ]


def robustness(
    build: Callable[..., Any],
    seeds: Sequence[int],
    duration: float,
    *,
    chosen: Sequence[Condition] | None = None,
    drive: Callable[[Rollout], xarray.Dataset] = finish,
    told: Callable[[Mapping[str, Any]], None] = lambda row: None,
) -> list[dict[str, Any]]:
    """One row per condition: what was changed, and the summary of a comparison of this one controller.

    `build` makes the controller and takes its rate; `told` hears of every row as it comes.
    """
    rows = []
    for condition in conditions() if chosen is None else chosen:
        controller = build() if condition.rate is None else build(rate=condition.rate)
        if condition.factors is not None:
            controller = FeltOtherwise(controller=controller, factors=condition.factors)
        robot = condition.robot
        places = [random_place(seed, robot=robot, friction=condition.friction) for seed in seeds]
        asked = ControllerComparison(
            controllers={"it": controller}, places=places, duration=duration, sensors=condition.sensors
        )
        rows.append({"group": condition.group, "value": condition.value} | compare(asked, drive).summary("it"))
        told(rows[-1])
    return rows


def robustness_figure(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> Figure:
    """Success in every condition, of rows by controller, the first of each unchanged; axes "header", "success"."""
    rows = next(iter(results.values()))
    lines = ["What success depends on", f"{rows[0]['trials']} random courses per row; bars are 95 % intervals; "
             "band: as tuned"]  # fmt: skip
    groups = [(name, list(members)) for name, members in groupby(rows, key=lambda row: row["group"])]
    tall = ROW_HEIGHT * (len(rows) + BETWEEN * (len(groups) + 1))
    figure, panels = page(lines, [PanelRow(panels=("success",), height=tall, left=LABELS)])
    axes = panels["success"]
    places, looks = _places(axes, groups), looks_of(list(results))
    for k, (label, each) in enumerate(results.items()):
        low, high = (100.0 * end for end in each[0]["success_95"])
        if k == 0:
            axes.axvspan(low, high, color=SKY, alpha=0.25, linewidth=0.0)
        _draw_rows(
            axes, [place + 0.12 * (2 * k - len(results) + 1) for place in places], each, looks[label].color, label
        )
    axes.set(xlim=(0.0, 100.0), ylim=(max(places) + BETWEEN + 0.4, -BETWEEN - 0.4))
    dress(axes, x="passed [%]", grid="x")
    if len(results) > 1:
        place_legend(axes, columns=2)
    return figure


def _places(axes: Axes, groups: Sequence[tuple[str, Sequence[Mapping[str, Any]]]]) -> list[float]:
    """Heights of the rows, with a gap between groups; writes the names beside them."""
    places: list[float] = []
    here = 0.0
    look: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "center"}
    for name, members in groups:
        axes.text(-0.19, here, name, size=NORMAL, **look)
        for member in members:
            axes.text(-0.02, here, member["value"], size=SMALL, **look)
            places.append(here)
            here += 1.0
        here += BETWEEN
    axes.set_yticks([])
    return places


def _draw_rows(axes: Axes, places: Sequence[float], rows: Sequence[Mapping[str, Any]], color: str, label: str) -> None:
    look: dict[str, Any] = {"color": color, "markersize": 4.5, "markeredgecolor": "white"}
    for k, (place, row) in enumerate(zip(places, rows, strict=True)):
        low, high = (100.0 * end for end in row["success_95"])
        axes.plot((low, high), (place, place), color=color, linewidth=1.6, solid_capstyle="butt")
        axes.plot(100.0 * row["success"], place, "o", label=label if k == 0 else None, **look)
    axes.tick_params(colors=INK)
