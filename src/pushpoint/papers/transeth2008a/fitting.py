"""Transeth2008a, VIII-B: the wave must fit the obstacles. Sweeps over amplitude, spacing and frequency.

No start is printed for a wave among obstacles that were not placed for it: the body starts in the nearest pose that is
clear of them. Its motors then have 10 N m, several times what a fitting wave needs; without a limit, a body that does
not fit would shoot out of its start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import radians
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Peg
from pushpoint.papers.liljeback2011.courses import free_start
from pushpoint.papers.transeth2008a.scenarios import (
    AMPLITUDE,
    MIDDLE_AT,
    PHASE_SHIFT,
    SOURCE,
    among,
    large_pegs,
    pegs_for,
)
from pushpoint.papers.writing import claim, experiment, listed, verdict
from pushpoint.scenarios.claim import Verdict
from pushpoint.scenarios.scenario import Variation
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import xarray

TORQUE_LIMIT = 10.0
TWO_PERIODS = 9.0
AMPLITUDES = (20.0, 25.0, 30.0, 35.0, 45.0, 50.0, 55.0)
"""Amplitudes besides the paper's [deg]."""
STRETCHES = (0.8, 0.9, 1.0, 1.1, 1.2)
"""Distances between obstacles along the course, relative to those of the course for -50 deg [-]."""
SPACING = 0.356
"""Distance between obstacles of that course [m]."""
SHIFTS = (-35.0, -40.0, -45.0, -50.0, -55.0, -60.0, -65.0)
TOUCH_FREQUENCIES = (40.0, 80.0, 160.0, 320.0)
MOVES = 0.05
"""Speed from which a robot counts as moving forward [m/s]; the same as in TA7."""


Measures = Callable[["xarray.Dataset"], "Mapping[str, np.ndarray]"]


def fitted_wave(pegs: Sequence[Peg], phase_shift_deg: float = PHASE_SHIFT, amplitude_deg: float = AMPLITUDE) -> World:
    """The robot among obstacles for another wave, in the nearest pose that is clear of them."""
    world, robot = among(pegs, phase_shift_deg, amplitude_deg), aiko_planar()
    weak = replace(robot, motors=replace(robot.motors[0], torque_limit=TORQUE_LIMIT))  # type: ignore[index]
    return replace(world, robot=weak, start=free_start(robot, world.environment, world.start).start)  # type: ignore[arg-type]


def wave_effects(runs: xarray.Dataset) -> dict[str, np.ndarray]:
    """Speed and contact forces of every world over the whole run, which is two gait periods; shape (n_worlds,)."""
    x = runs.center_of_mass.sel(axis="x")
    speed = (x.isel(time=-1) - x.isel(time=0)) / float(runs.time[-1])
    obstacle_force = runs.obstacle_force.isel(time=slice(1, None))  # the first sample repeats the second
    force = np.sqrt((obstacle_force**2).sum("axis")).sum("link").mean("time")
    push = obstacle_force.sel(axis="x").sum("link").mean("time")
    return {"speed [cm/s]": 100.0 * speed.values, "push per contact force [%]": 100.0 * (push / force).values}


sweep = partial(experiment, f"{SOURCE}, VIII-B", duration=TWO_PERIODS, record=Record(rate=50.0))


def labelled(parameter: str, labels: Sequence[str], measures: Measures = wave_effects) -> Variation:
    """What differs between labelled worlds."""
    return Variation.labelled(parameter, labels, measures)


@sweep(
    "TA18",
    varies=labelled(
        "amplitude",
        (
            f"{AMPLITUDE:g}°",
            *(f"{each:g}°, obstacles for it" for each in AMPLITUDES),
            *(f"{each:g}°, obstacles for {AMPLITUDE:g}°" for each in AMPLITUDES),
        ),
    ),
)
def force_over_amplitude() -> list[World]:
    """Amplitudes of the wave: what a push costs.

    Among obstacles placed for each amplitude, and among those for 40°.
    """
    course = pegs_for(PHASE_SHIFT)
    own = [pegs_for(PHASE_SHIFT, amplitude_deg=amplitude) for amplitude in AMPLITUDES]
    placed = [fitted_wave(pegs, amplitude_deg=amplitude) for pegs, amplitude in zip(own, AMPLITUDES, strict=True)]
    return [fitted_wave(course), *placed, *(fitted_wave(course, amplitude_deg=amplitude) for amplitude in AMPLITUDES)]


@sweep(
    "TA20",
    varies=labelled(
        "spacing and phase shift",
        tuple(f"{stretch * SPACING:.2f} m, {shift:g}°" for stretch, shift in product(STRETCHES, SHIFTS)),
    ),
)
def speed_over_spacing() -> list[World]:
    """Obstacles farther apart need a larger phase shift.

    Phase shifts among obstacles at several distances.
    """
    course = pegs_for(PHASE_SHIFT)
    stretched = [[replace(peg, x=MIDDLE_AT[0] + f * (peg.x - MIDDLE_AT[0])) for peg in course] for f in STRETCHES]
    return [fitted_wave(pegs, shift) for pegs, shift in product(stretched, SHIFTS)]


def touch_impulses(runs: xarray.Dataset) -> list[np.ndarray]:
    """Impulses of all touches in the first two periods of each world [N s]: contacts open one sample before."""
    interval = float(runs.time[1] - runs.time[0])
    found = []
    for w, frequency in enumerate(TOUCH_FREQUENCIES):
        part = runs.isel(world=w).sel(time=slice(interval / 2, 2 * 360.0 / frequency))
        force = np.abs(part.contact_normal_force.values)
        found.append(interval * force[1:][(force[1:] > 0.0) & (force[:-1] <= 0.0)])
    return found


def touch_effects(runs: xarray.Dataset) -> dict[str, np.ndarray]:
    """How hard the robot of each world touches obstacles; shape (n_worlds,)."""
    hits = touch_impulses(runs)
    return {
        "ten hardest touches, mean [mN s]": np.array([1e3 * np.sort(each)[-10:].mean() for each in hits]),
        "hardest touch [mN s]": np.array([1e3 * each.max() for each in hits]),
    }


@experiment(
    f"{SOURCE}, VIII-B",
    "TA19",
    varies=labelled(
        "angular frequency of the wave", tuple(f"{each:g} deg/s" for each in TOUCH_FREQUENCIES), touch_effects
    ),
    duration=2 * 360.0 / min(TOUCH_FREQUENCIES),
    record=Record(rate=1000.0, variables=("contact_normal_force",)),
)
def touches_over_frequency() -> list[World]:
    """Touches over frequency: twice as fast, twice as hard.

    Over the angular frequency of the wave.
    """
    course = among(large_pegs())
    waves = [replace(course.controller, angular_frequency=radians(frequency)) for frequency in TOUCH_FREQUENCIES]
    return [replace(course, controller=wave) for wave in waves]


SWEEPS = listed(force_over_amplitude, touches_over_frequency, speed_over_spacing)


@claim(
    "VIII-B",
    tolerance="reproduced: the contact force per push falls with every step of 5 deg from 20 to 40 deg, among "
    "obstacles placed for each amplitude as well as among those for 40 deg, by more than a tenth from 25 to 40 deg; "
    "and among those for 40 deg a wave of 55 deg has less than half the speed; approximate: among obstacles placed for "
    "each",
)
def TA18(force_over_amplitude: xarray.Dataset) -> Verdict:
    """with a lower amplitude the same push needs more contact force; the amplitude should be as high as possible, up to
    some extent: as far as the obstacles allow"""
    speed, share = wave_effects(force_over_amplitude).values()
    effort = 100.0 / share
    low, count = AMPLITUDES.index(45.0), len(AMPLITUDES)
    placed, given = (np.append(effort[first : first + low], effort[0]) for first in (1, 1 + count))
    falls = [bool((np.diff(each) < 0.0).all() and each[1] > 1.1 * each[-1]) for each in (placed, given)]
    return verdict(
        all(falls) and bool(speed[-1] < speed[0] / 2),
        falls[0],
        force_per_push_at_40_deg=effort[0],
        at_25_deg_obstacles_for_it=placed[1],
        at_25_deg_obstacles_for_40=given[1],
        at_50_deg_obstacles_for_40=effort[-2],
        speed_at_40_deg_cm_per_s=speed[0],
        speed_at_25_deg_obstacles_for_40_cm_per_s=speed[1 + count + 1],
        speed_at_55_deg_obstacles_for_40_cm_per_s=speed[-1],
    )


@claim(
    "VIII-B",
    tolerance="the mean impulse of the ten hardest touches grows with every doubling of the frequency, and with a "
    "power of it above 0.5; two gait periods each, contacts that were open a millisecond before",
)
def TA19(touches_over_frequency: xarray.Dataset) -> Verdict:
    """the faster the wave, the harder the impacts between robot and obstacles"""
    hard = touch_effects(touches_over_frequency)["ten hardest touches, mean [mN s]"]
    power = float(np.polyfit(np.log(TOUCH_FREQUENCIES), np.log(hard), 1)[0])
    found = {f"at_{each:g}_deg_per_s_mN_s": size for each, size in zip(TOUCH_FREQUENCIES, hard, strict=True)}
    return verdict(bool((np.diff(hard) > 0.0).all()) and power > 0.5, **found, power=power)


@claim(
    "VIII-B",
    tolerance="reproduced: both the least |delta| that moves the robot (faster than 5 cm/s) and the one of least "
    "contact force per push among those never fall as the spacing grows, and are larger with the largest spacing that "
    "can be passed than with the smallest; approximate: the first of the two",
)
def TA20(speed_over_spacing: xarray.Dataset) -> Verdict:
    """obstacles that are far from each other need a larger phase shift for the robot to reach three of them"""
    speed, share = (each.reshape(len(STRETCHES), -1) for each in wave_effects(speed_over_spacing).values())
    shifts, moves = np.abs(SHIFTS), speed > 100.0 * MOVES
    passed = moves.any(axis=1)
    least = np.array([shifts[row].min() for row in moves[passed]])
    best = shifts[np.where(moves, share, -np.inf).argmax(axis=1)][passed]
    grows = [bool((np.diff(each) >= 0.0).all() and each[-1] > each[0]) for each in (least, best)]
    found: dict[str, float] = {}
    for stretch, low, easy in zip(np.array(STRETCHES)[passed], least, best, strict=True):
        found |= {f"least_at_{stretch * SPACING:.2f}_m_deg": low, f"best_at_{stretch * SPACING:.2f}_m_deg": easy}
    return verdict(all(grows), grows[0], **found, spacings_that_no_shift_passes=int((~passed).sum()))
