"""Live simulations that tests share, and a controller that remembers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import pushpoint as pp

COURSE = pp.scenario("transeth2008a/obstacle-aided")
GAIT: Any = COURSE.world.controller


def live_of(scenario: pp.Scenario = COURSE) -> pp.Live:
    return pp.Live(scenario.world, settings=scenario.settings, record=scenario.record, name=scenario.name)


def run_of(scenario: pp.Scenario, steps: int, edits: Any = ()) -> Any:
    settings = replace(scenario.settings, on_failure="record")
    lasts = steps * settings.dt
    whole = pp.Scenario(
        name=scenario.name, worlds=scenario.world, duration=lasts, settings=settings, record=scenario.record,
        edits=edits,
    )  # fmt: skip
    return whole.run()


ROBOT = pp.PlanarRobot.uniform(
    4,
    pp.PlanarLink(length=0.12, mass=0.5, inertia=1e-3, radius=0.04),
    pp.Motor(stiffness=60.0, damping=1.0),
)
PLACE = pp.Environment(
    ground=pp.Ground(friction=pp.Isotropic(0.2)),
    obstacles=[pp.Peg(x=-0.1, y=0.25, radius=0.05), pp.Wall(start=(0.4, -0.3), end=(0.4, 0.3))],
)
WAVE = pp.gaits.LateralUndulation(amplitude=0.6, angular_frequency=4.0, phase_shift=-0.8)
SMALL = pp.World(ROBOT, PLACE, WAVE)
SECOND = 1000
"""Time steps of a second."""


class Leaning(pp.Controller[np.ndarray]):
    """Leans to one side and remembers how often it was asked."""

    rate = 40.0
    modes = ("even", "odd")

    def memory(self) -> np.ndarray:
        return np.zeros(())

    def mode_of(self, memory: np.ndarray) -> np.ndarray:
        return memory % 2

    def command(self, measurement: pp.Measurement, memory: np.ndarray) -> tuple[pp.Command, np.ndarray]:
        leaning = 0.2 + 0.01 * memory[:, None] + 0.1 * measurement.joint_angle
        return pp.Command(joint_angle=leaning), memory + 1
