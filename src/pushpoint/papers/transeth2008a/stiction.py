"""Transeth2008a, V-B.2: set-valued friction compared with a smoothed law and with two sign functions."""

from __future__ import annotations

from math import pi, tan
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.control.pushed_aside import FRICTION, GRAVITY, SHARE, PushedAside
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import FrictionLaw, Frictionless, Isotropic, Rectangular
from pushpoint.papers.transeth2008a.scenarios import SOURCE
from pushpoint.papers.writing import claim, experiment, listed, verdict
from pushpoint.scenarios.claim import Verdict
from pushpoint.scenarios.scenario import Variation
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import xarray

SMOOTHINGS = (0.01, 0.003)
"""Speeds at which the smoothed law has reached half of its limit [m/s]."""
SECONDS = 2.0


def creep_effects(runs: xarray.Dataset) -> dict[str, np.ndarray]:
    """How far the robots were pushed, and their speed at the end; shape (n_worlds,)."""
    y = runs.center_of_mass.sel(axis="y")
    last = y.sel(time=slice(SECONDS / 2, None))
    speed = (last.isel(time=-1) - last.isel(time=0)) / float(last.time[-1] - last.time[0])
    return {"way [mm]": 1e3 * (y.isel(time=-1) - y.isel(time=0)).values, "speed at the end [mm/s]": 1e3 * speed.values}


@experiment(
    f"{SOURCE}, V-B.2",
    "TA21",
    varies=Variation.labelled(
        "law of friction",
        ("set-valued", *(f"smoothed, {1e3 * each:g} mm/s" for each in SMOOTHINGS)),
        creep_effects,
    ),
    duration=SECONDS,
    settings=Settings(tolerance=1e-9),  # or the first step may slip by 1e-8 m
    record=Record(rate=50.0),
)
def creep() -> list[World]:
    """Half the friction limit: the robot sticks, or creeps.

    A straight robot is pushed sideways. It stays in place with the set-valued law and creeps forever with a smooth one.
    """
    robot = aiko_planar()
    still = Environment(ground=Ground(friction=Isotropic(FRICTION)))
    smooth = Environment(ground=Ground(friction=Frictionless()))
    return [World(robot, still, PushedAside()), *(World(robot, smooth, PushedAside(smoothing=e)) for e in SMOOTHINGS)]


SWEEPS = listed(creep)


@claim(
    "V-B.2",
    tolerance="in 2 s the set-valued law lets the robot move by less than 1e-12 m; the smoothed one lets it creep "
    "within 1 % of smoothing x tan(pi/4), for each of two smoothings",
)
def TA21(creep: xarray.Dataset) -> Verdict:
    """a smoothed friction law cannot describe stiction: what sticks with the set-valued law always slides with the
    smoothed one"""
    way, speed = creep_effects(creep).values()
    expected = 1e3 * np.array(SMOOTHINGS) * tan(pi / 2 * SHARE)
    good = abs(way[0]) < 1e-9 and bool((np.abs(speed[1:] / expected - 1.0) < 0.01).all())
    slid = {f"way_smoothed_{1e3 * e:g}_mm": each for e, each in zip(SMOOTHINGS, way[1:], strict=True)}
    speeds = {f"speed_smoothed_{1e3 * e:g}_mm_per_s": each for e, each in zip(SMOOTHINGS, speed[1:], strict=True)}
    return verdict(good, way_set_valued_mm=way[0], **slid, **speeds)


def _pushed_sideways(friction: FrictionLaw, direction: np.ndarray, size: float) -> tuple[float, float]:
    """Speed [m/s] of a straight robot after 1 s of a push of `size` weights, and its angle to the push [rad]."""
    from pushpoint.simulation.stepping.simulator import Simulator

    robot = aiko_planar()
    world = World(robot, Environment(ground=Ground(friction=friction)))
    simulator = Simulator([world])
    load = np.zeros((1, robot.n_links, 3))
    load[0, :, :2] = size * GRAVITY * robot.column("mass")[:, None] * direction
    for _ in range(100):
        simulator.step(Command(link_load=load))
    velocity = simulator.state.v[0].mean(axis=0)
    cross = direction[0] * velocity[1] - direction[1] * velocity[0]
    return float(np.hypot(*velocity)), float(np.arctan2(cross, velocity @ direction))


@claim(
    "V-B.2",
    tolerance="below 1e-12 m/s under half the limit of friction; the disc lets the robot slide within 1e-9 rad of the "
    "push, two signs more than 0.01 rad off it",
)
def TA15() -> Verdict:
    """two sign functions are another law, anisotropic even for equal coefficients"""
    direction = np.array([np.cos(0.5), np.sin(0.5)])
    stuck, _ = _pushed_sideways(Isotropic(FRICTION), direction, 0.5 * FRICTION)
    _, disc_angle = _pushed_sideways(Isotropic(FRICTION), direction, 2 * FRICTION)
    _, signs_angle = _pushed_sideways(Rectangular(along=FRICTION, across=FRICTION), direction, 2 * FRICTION)
    return verdict(
        stuck < 1e-12 and abs(disc_angle) < 1e-9 and abs(signs_angle) > 0.01,
        stick_speed_m_per_s=stuck,
        disc_angle_deg=np.degrees(disc_angle),
        two_signs_angle_deg=np.degrees(signs_angle),
    )
