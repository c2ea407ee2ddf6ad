"""Violent worlds whose motors have speed limits: nothing flies apart, no torque exceeds its limit, given up or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from oracles.pivot import pivot
from pushpoint.bench.random_worlds import RandomWorld
from pushpoint.bench.violent_worlds import violent_case, violent_planar_case
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.signals import Command
from pushpoint.model.motor import Motor
from pushpoint.simulation.rollout import Rollout
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import Experiment

# Worlds that flew apart while the torque-speed line was followed without bound, the fastest links at 1e3 to 1e90 rad/s.
PLANAR = (0, 3, 25, 30, 62, 69, 87)
SPATIAL = (4, 7, 11, 15, 17, 20, 21)  # not 9, whose links come to turn by 0.9 rad per step


def run_of(case: RandomWorld, settings: Settings, duration: float) -> Rollout:
    experiment = Experiment((case.world,), duration, settings, Record(rate=1.0 / case.dt))
    rollout = Rollout(experiment, whole=True)
    while not rollout.finished:
        rollout.advance()
    return rollout


def torque_over_limit(case: RandomWorld, rollout: Rollout) -> float:
    """The largest torque of a step over the motor's limit [-]; prescribed motion has no limit."""
    done = int(rollout.stepper.state().step[0])
    impulse = np.diff(rollout.stepper.samples()["motor"][0, : done + 1], axis=0)
    # A motor with a torque-speed line has up to twice its torque at standstill to brake with.
    slows = np.isfinite(case.world.robot.motor_column("speed_limit"))
    limit = case.world.robot.motor_column("torque_limit") * np.where(slows, 2.0, 1.0)
    return float((np.abs(impulse) / (case.dt * limit)).max())


@pytest.mark.parametrize(
    ("make", "seed"), [*((violent_planar_case, s) for s in PLANAR), *((violent_case, s) for s in SPATIAL)]
)
def test_worlds_that_once_flew_apart(make: Callable[[int], RandomWorld], seed: int) -> None:
    case = make(seed)
    assert np.isfinite(case.world.robot.motor_column("speed_limit")).any()
    rollout = run_of(case, Settings(dt=case.dt, on_failure="record"), 0.5)
    assert rollout.statuses() == [Status.FINISHED]
    # The tolerance leaves a torque as far above its limit as gravity would drive a joint in a thousandth of a step.
    assert torque_over_limit(case, rollout) < 1.0 + 1e-2
    unconverged = int(rollout.stepper.totals("unconverged")[0])
    assert unconverged <= 0.02 * rollout.steps


@pytest.mark.parametrize(("make", "seeds"), [(violent_planar_case, PLANAR), (violent_case, SPATIAL)])
def test_given_up_steps_stay_within_the_torque_limit(make: Callable[[int], RandomWorld], seeds: Sequence[int]) -> None:
    # Two iterations are far too few: many a step is given up.
    given_up = 0
    for seed in seeds:
        case = make(seed)
        rollout = run_of(case, Settings(dt=case.dt, max_iterations=2, solver="prox", on_failure="record"), 0.1)
        given_up += int(rollout.stepper.totals("unconverged")[0])
        assert np.isfinite(rollout.stepper.state().center).all()
        assert torque_over_limit(case, rollout) < 1.0 + 1e-2
    assert given_up > 100


@pytest.mark.parametrize("damping", [0.0, 2.0])
@pytest.mark.parametrize("speed_limit", [0.3, 3.0, 30.0])
@pytest.mark.parametrize("torque_limit", [0.3, 37.3])
def test_one_joint_settles_whatever_its_line(torque_limit: float, speed_limit: float, damping: float) -> None:
    # A light joint, a servo far too stiff for it, and a line steeper than either.
    motor = Motor(stiffness=800.0, damping=damping, torque_limit=torque_limit, speed_limit=speed_limit, backlash=0.02)
    for dt in (2.5e-4, 4e-3):
        stepper = pivot(motor, rate=3.0 * speed_limit, dt=dt)
        stepper.use_command(Command(joint_angle=np.array([[0.5]])), 1_000_000)
        stepper.advance(round(2.0 / dt))
        assert stepper.totals("unconverged")[0] == 0
        assert stepper.statuses() == [Status.RUNNING]
