"""Orders of convergence in dt, measured by halving it: free flight, rolling, sidewinding."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import pi
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import Rolling, Sidewinding
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.papers.registry import scenario
from pushpoint.proof.checks.bodies import Steady, stepped
from pushpoint.proof.verification import Curve, Measured, Plot, checks_of, order_of
from pushpoint.worlds.world import World

check = checks_of("convergence in dt")

STEPS = (2e-3, 1e-3, 5e-4, 2.5e-4)
WAVE = {
    "yaw_amplitude": -0.3,
    "pitch_amplitude": 0.2,
    "angular_frequency": 5.0,
    "phase_shift": -0.9,
    "pitch_lead": pi / 2,
}
FLIGHTS = ("prescribed", "servos", "limp")
PERIOD = 6.0
"""Of the rolling gait [s]."""


@cache
def _fly(kind: str, dt: float) -> xr.Dataset:
    """Aiko turns and bends in weightless flight, its joints prescribed, driven by servos, or limp."""
    robot = aiko()
    gait = Sidewinding(**WAVE, prescribed=kind == "prescribed")
    angle, rate = gait.references(np.zeros(1), robot)
    start = SpatialStart(
        joint_angles=angle[0], joint_rates=rate[0], position=(0.0, 0.0, 5.0), angular_velocity=(0.8, -0.5, 1.1)
    )
    limp = Steady(Command(joint_torque=np.zeros(robot.n_joints)))
    world = World(robot, Environment(ground=Ground(gravity=0.0)), limp if kind == "limp" else gait, start)
    return stepped(world, 0.5, dt=dt, tolerance=1e-8, rate=1 / dt)


def _turn(one: Any, other: Any) -> float:
    """The largest angle between orientations of links [rad]."""
    cosine = np.abs(np.einsum("...q,...q->...", np.asarray(one), np.asarray(other)))
    return float(2.0 * np.arccos(np.minimum(cosine, 1.0)).max())


def _spin(run: xr.Dataset) -> np.ndarray:
    """Angular momentum about the centre of mass at the first and the last sample [kg m^2/s], shape (2, 3)."""
    robot, ends = aiko(), run.isel(time=[0, -1])
    arm = ends.link_position.values - ends.center_of_mass.values[:, None]
    carried = np.cross(arm, ends.link_velocity.values * robot.column("mass")[:, None])
    w, q = ends.link_angular_velocity.values, ends.link_orientation.values
    own = _rotated(robot.column("inertia") * _rotated(w, q * [1, -1, -1, -1]), q)
    return np.asarray((carried + own).sum(axis=1))


def _rotated(vector: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    """Vectors turned by quaternions (w, x, y, z)."""
    w, axis = quaternion[..., :1], quaternion[..., 1:]
    across = 2.0 * np.cross(axis, vector)
    return np.asarray(vector + w * across + np.cross(axis, across))


@check(
    expected_from="error ∝ dt²: between halved steps, and Σ r × m v + Θ ω = const",
    error_is="largest lack of an order of place, orientation and angular momentum below 2",
    tolerance=0.2,
    reason="servos of 800 N m/rad swing at 700 rad/s, which 1 ms does not resolve; they do not swing far",
)
def dt_free_flight() -> Measured:
    """A robot in weightless flight converges in second order, its joints prescribed, driven by servos, or limp."""
    values, curves, worst = {}, [], 0.0
    for kind in FLIGHTS:
        runs = [_fly(kind, dt) for dt in STEPS]
        ends = [run.isel(time=-1) for run in runs]
        spins = [_spin(run) for run in runs[:-1]]
        errors = {
            "place": [float(np.abs(a.link_position - b.link_position).max()) for a, b in pairwise(ends)],
            "orientation": [_turn(a.link_orientation, b.link_orientation) for a, b in pairwise(ends)],
            "angular_momentum": [float(np.abs(np.diff(s, axis=0)).max() / np.linalg.norm(s[0])) for s in spins],
        }
        for name, found in errors.items():
            order = order_of(STEPS[:-1], found)
            values[f"order_of_{name}_{kind}_1"] = order
            worst = max(worst, 2.0 - order)
        values[f"place_{kind}_at_1_ms_m"] = errors["place"][1]
        curves.append(Curve(kind, STEPS[:-1], errors["place"]))
    line = Curve("second order", STEPS[:-1], 1e-6 * (np.array(STEPS[:-1]) / 1e-3) ** 2, expected=True)
    labels = ("time step [s]", "change of places when it is halved [m]")
    plot = Plot("Free flight", labels, (line, *curves), logarithmic="xy")
    return Measured(error=worst, values=values, plot=plot)


@check(
    expected_from="0: the arc rolls straight ahead by its symmetry",
    error_is="largest turn of the chord from tail to head in one period",
    tolerance=5e-4,
    unit="rad",
    reason="velocities that fit the joints of the midpoint turn it by 2.3e-3 rad per ms of the step",
)
def rolling_straight() -> Measured:
    """A robot that rolls sideways as a flat arc does not turn, at steps of 4, 2 and 1 ms."""
    robot = aiko()
    gait = Rolling(amplitude=0.15, angular_frequency=2 * pi / PERIOD, prescribed=True)
    angle, rate = gait.references(np.zeros(1), robot)
    speed = gait.angular_frequency * robot.links[0].radius
    start = SpatialStart(
        joint_angles=angle[0], joint_rates=rate[0], velocity=(0.0, speed, 0.0),
        angular_velocity=(-gait.angular_frequency, 0.0, 0.0),
    )  # fmt: skip
    world = World(robot, Environment(ground=Ground(friction=Isotropic(0.4))), gait, start)
    turns = {}
    for dt in (4e-3, 2e-3, 1e-3):
        run = stepped(world, 2 * PERIOD, dt=dt, rate=1 / PERIOD)
        chord = run.link_position.values[1:, -1, :2] - run.link_position.values[1:, 0, :2]
        heading = np.unwrap(np.arctan2(chord[:, 1], chord[:, 0]))
        turns[f"turn_at_{1e3 * dt:g}_ms_rad"] = float(heading[1] - heading[0])
    return Measured(error=max(abs(turn) for turn in turns.values()), values=turns)


@check(
    expected_from="error ∝ dt: friction by the end of a step, contacts found at its midpoint",
    error_is="lack of the order below 1",
    tolerance=0.8,
    reason="which of the redundant contacts carry, and when they come and go within a step, scatters by millimetres",
)
def dt_sidewinding() -> Measured:
    """Sidewinding converges with the step, slowly: its position in the first 2.5 s, against that at 62.5 µs."""
    world, steps = scenario("transeth2008b/sidewinding").world, (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4)

    def path(dt: float) -> np.ndarray:
        run = stepped(world, 2.5, dt=dt, rate=10.0)
        return np.asarray(run.center_of_mass.values[:, :2])

    finest = path(6.25e-5)
    errors = [float(np.linalg.norm(path(dt) - finest, axis=1).mean()) for dt in steps]
    order = order_of(steps, errors)
    values = {"order_1": order, **{f"error_at_{1e3 * dt:g}_ms_m": e for dt, e in zip(steps, errors, strict=True)}}
    return Measured(error=max(1.0 - order, 0.0), values=values)
