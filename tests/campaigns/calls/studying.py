"""Calls of studies: searches and fits."""

from __future__ import annotations

import numpy as np

import pushpoint as pp
from campaigns.calls import things
from campaigns.calls.table import CALLS, Call, Made, made

LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = pp.PlanarRobot.uniform(3, LINK, pp.Motor(stiffness=20.0, damping=0.5))
GAIT = pp.gaits.LateralUndulation(amplitude=0.4, angular_frequency=30.0, phase_shift=-0.9)
SCENARIO = pp.Scenario(
    name="tiny", worlds=pp.World(ROBOT, pp.Environment(), GAIT), duration=0.3, settings=pp.Settings(dt=5e-3)
)
SPACE = {"controller.amplitude_deg": (5.0, 60.0), "controller.phase_shift_deg": (-90.0, -20.0)}
TIMES = np.linspace(0.0, 0.3, 12)
ANGLES = 0.4 * np.sin(30.0 * TIMES)


@made
def objective() -> pp.studies.Objective:
    return pp.studies.Objective(scenario=SCENARIO, goals={"peak_angle": "maximise"}, periods=1)


@made
def recorded() -> pp.studies.Recorded:
    return pp.studies.Recorded(time=TIMES, channels={"joint_angle[0]": ANGLES})


@made
def optimum() -> pp.studies.Optimum:
    return pp.studies.optimise(SPACE, objective.make(), evaluations=4, candidates=4)


@made
def fitted() -> pp.studies.Fitted:
    return pp.studies.fit(recorded.make(), SCENARIO, {"robot.motor.stiffness": (5.0, 50.0)})


def _fields(thing: Made, *names: str) -> dict[str, Made]:
    return {name: Made(lambda name=name: getattr(thing.make(), name)) for name in names}  # type: ignore[misc]


TRIAL = Made(lambda: optimum.make().trials[0])
CALLS |= {
    "concat": Call(pp.concat, Made(lambda: [things.run.make()])),
    "measures.mean_power": Call(pp.measures.mean_power, things.run, positive=True, periods=None),
    "measures.positive_work": Call(pp.measures.positive_work, things.run),
    "measures.positive_cost_of_transport": Call(pp.measures.positive_cost_of_transport, things.run),
    "studies.Bounds": Call(pp.studies.Bounds, low=1.0, high=2.0, scale="log"),
    "studies.Objective": Call(
        pp.studies.Objective, scenario=SCENARIO, goals={"speed": "maximise"}, most={"power": 9.0}, least={"speed": 0.0},
        conditions=[{"ground.gravity": 9.0}], over="mean", periods=1, rate=50.0,
    ),
    "studies.optimise": Call(pp.studies.optimise, SPACE, objective, evaluations=4, candidates=4, seed=1),
    "studies.Trial": Call(
        pp.studies.Trial,
        **_fields(TRIAL, "number", "parameters", "figures", "values", "violation", "scores", "status"),
    ),
    "studies.Optimum": Call(pp.studies.Optimum, **_fields(optimum, "space", "objective", "seed", "trials")),
    "studies.Recorded": Call(pp.studies.Recorded, time=TIMES, channels={"joint_angle[0]": ANGLES}),
    "studies.fit": Call(pp.studies.fit, recorded, SCENARIO, {"robot.motor.stiffness": (5.0, 50.0)}, seed=1),
    "studies.Parameter": Call(pp.studies.Parameter, value=1.0, low=0.5, high=2.0, known=True),
    "studies.Fitted": Call(
        pp.studies.Fitted,
        **_fields(fitted, "base", "parameters", "not_told_apart", "correlation", "noise", "residual"),
    ),
}  # fmt: skip
