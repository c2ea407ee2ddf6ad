"""What the speed of obstacle-aided locomotion depends on: Transeth2008a VIII-D.2, as sweeps with their claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import degrees, radians
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Ground
from pushpoint.model.friction import Isotropic
from pushpoint.papers.transeth2008a.scenarios import obstacle_aided, phase_shifted
from pushpoint.papers.writing import claim, described, listed, verdict
from pushpoint.scenarios.claim import RunOf, Verdict
from pushpoint.scenarios.scenario import Scenario, Variation
from pushpoint.worlds.record import Record

if TYPE_CHECKING:
    import xarray

FREQUENCIES = (40.0, 60.0, 80.0, 120.0, 160.0, 240.0, 320.0)
FRICTIONS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8)
PHASE_SHIFTS = (-45.0, -50.0, -55.0, -60.0, -65.0, -70.0, -75.0)
PERIODS = 2.0
"""The course is that many periods long; farther on the robots have left it."""


def speeds(runs: xarray.Dataset, frequency_deg: Sequence[float]) -> np.ndarray:
    """Forward speed of each world over its first two gait periods [m/s]."""
    found = []
    for w, frequency in enumerate(frequency_deg):
        x = runs.center_of_mass.isel(world=w).sel(axis="x")
        end = PERIODS * 360.0 / frequency
        found.append(float(x.interp(time=end) - x[0]) / end)
    return np.array(found)


def sweep_speeds(sweep: Scenario, runs: xarray.Dataset) -> np.ndarray:
    """Forward speed of each world of a sweep over its first two gait periods [m/s], shape (n_worlds,)."""
    return speeds(runs, [degrees(world.controller.angular_frequency) for world in sweep.experiment.worlds])


def speed_over_frequency() -> Scenario:
    """Speed over the angular frequency of the wave: proportional, as long as the motors follow."""
    course = obstacle_aided().world
    worlds = [
        replace(course, controller=replace(course.controller, angular_frequency=radians(frequency)))
        for frequency in FREQUENCIES
    ]
    return Scenario(
        **described(speed_over_frequency),
        source="Transeth2008a, VIII-D.2",
        varies=Variation(parameter="angular frequency of the wave", unit="deg/s", values=FREQUENCIES),
        worlds=tuple(worlds),
        duration=PERIODS * 360.0 / min(FREQUENCIES),
        claims=(TA12,),
        record=Record(rate=50.0),
    )


def speed_over_friction() -> Scenario:
    """Speed over the friction of the ground: hardly any effect, the obstacles do the work."""
    course = obstacle_aided()
    worlds = []
    for friction in FRICTIONS:
        ground = Ground(friction=Isotropic(friction))
        worlds.append(replace(course.world, environment=replace(course.world.environment, ground=ground)))
    return Scenario(
        **described(speed_over_friction),
        source="Transeth2008a, VIII-D.2",
        varies=Variation(parameter="friction coefficient of the ground", unit="1", values=FRICTIONS),
        worlds=tuple(worlds),
        duration=course.duration,
        claims=(TA13,),
        record=Record(rate=50.0),
    )


def speed_over_phase_shift() -> Scenario:
    """Speed over the phase shift between joints, obstacles placed for each: shorter waves are slower."""
    return Scenario(
        **described(speed_over_phase_shift),
        source="Transeth2008a, VIII-D.2",
        varies=Variation(parameter="phase shift between joints", unit="deg", values=PHASE_SHIFTS),
        worlds=tuple(phase_shifted(shift).world for shift in PHASE_SHIFTS),
        duration=10.0,
        claims=(TA14,),
        record=Record(rate=50.0),
    )


def _fastest_with_weak_motors() -> float:
    """Speed at the highest frequency if the motors cannot turn half as fast as the wave asks [m/s]."""
    from pushpoint.simulation.simulate import simulate

    sweep = speed_over_frequency()
    world = sweep.experiment.worlds[-1]
    asked = world.controller.amplitude * world.controller.angular_frequency
    motor = replace(aiko_planar().motors[0], torque_limit=4.0, speed_limit=asked / 2)  # type: ignore[index]
    robot = replace(aiko_planar(), motors=motor)
    run = simulate(
        [replace(world, robot=robot)], duration=(PERIODS + 0.1) * 360.0 / FREQUENCIES[-1], record=sweep.record
    )
    return float(speeds(run, FREQUENCIES[-1:])[0])


@claim(
    "VIII-D.2",
    tolerance="the ways per cycle differ by less than a factor of 1.1; motors that turn half as fast as the wave asks "
    "give less than 0.9 of the speed",
)
def TA12(run_of: RunOf) -> Verdict:
    """the speed follows the angular frequency of the wave, limited by the motors only"""
    found = speeds(run_of("transeth2008a/speed-over-frequency"), FREQUENCIES)
    per_cycle = found * 360.0 / np.array(FREQUENCIES)
    spread = float(per_cycle.max() / per_cycle.min())
    weak = _fastest_with_weak_motors()
    return verdict(
        spread < 1.1 and weak < 0.9 * found[-1],
        slowest_cm_per_s=float(found[0]) * 100,
        fastest_cm_per_s=float(found[-1]) * 100,
        way_per_cycle_spread=spread,
        fastest_with_weak_motors_cm_per_s=weak * 100,
    )


@claim("VIII-D.2", tolerance="the fastest is less than 1.05 times as fast as the slowest")
def TA13(run_of: RunOf) -> Verdict:
    """with obstacles the speed hardly depends on the friction of the ground"""
    found = speeds(run_of("transeth2008a/speed-over-friction"), [80.0] * len(FRICTIONS))
    slowest, fastest = float(found.min()), float(found.max())
    return verdict(fastest / slowest < 1.05, slowest_cm_per_s=slowest * 100, fastest_cm_per_s=fastest * 100)


@claim("VIII-D.2", tolerance="the fastest is more than 1.1 times as fast as the slowest")
def TA14(run_of: RunOf) -> Verdict:
    """the speed depends on the phase shift between joints"""
    found = speeds(run_of("transeth2008a/speed-over-phase-shift"), [80.0] * len(PHASE_SHIFTS))
    return verdict(
        found.max() / found.min() > 1.1,
        at_first_cm_per_s=float(found[0]) * 100,
        at_last_cm_per_s=float(found[-1]) * 100,
    )


SWEEPS = listed(speed_over_frequency, speed_over_friction, speed_over_phase_shift)
