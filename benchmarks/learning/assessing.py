"""What networks are worth: PegField by courses and by drift on bare ground, Sidewind by the error of the velocity.

Sidewind's hand-tuned gait is the wave with constant numbers, the best of many for each velocity: `table` tries many,
and `looked_up` takes those that came closest to what is asked for. It cannot react.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import pi
from typing import Any, NamedTuple

import numpy as np

import pushpoint as pp
from pushpoint.control.neural.observing import Asked
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.envs import Sidewind, Turn
from pushpoint.envs.sidewind import ROLLING
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.sensors import PERFECT_SENSORS
from pushpoint.studies.comparison import ControllerComparison, compare
from pushpoint.studies.places import random_place
from pushpoint.studies.scoreboard import MOST_DRIFT, NOISY, drift

SPEEDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
"""Speeds that are asked for [m/s]."""
DIRECTIONS_DEG = (45.0, 60.0, 75.0, 90.0, 105.0, 120.0, 135.0)
"""Directions that are asked for, from where the body points at the start [deg]."""
PHASES = 4
"""Phases of the wave at the start that are tried [-]."""
STEPS, FIRST = 400, 100
"""Steps of a trial of 20 s, and the first that counts, after 5 s."""
HAND_MADE = {"amplitude": np.radians(50), "phase_shift": np.radians(30), "pitch_amplitude": np.radians(8)}
"""The library's sidewinding gait, gaits/sidewinding, as numbers of the wave."""

METRES_PER_CYCLE = 0.35
"""How far that gait gets in a cycle [m]."""


class Trial(NamedTuple):
    """One trial of Sidewind."""

    speed: float
    """Speed that is asked for [m/s]."""
    direction: float
    """Direction that is asked for, from where the body points at the start [rad]."""
    phase: float
    """Phase of the wave at the start [rad]."""


def pegs(controllers: Mapping[str, Any], seeds: Sequence[int], duration: float = 100.0) -> dict[str, Any]:
    """Courses that each controller passes, and the test of every pair."""
    places = [random_place(seed) for seed in seeds]
    compared = compare(ControllerComparison(controllers=controllers, places=places, duration=duration))
    summaries = {name: compared.summary(name) for name in controllers}
    courses = {
        name: [int(str(row["place"]).removeprefix("random-")) for row in rows if row["passed"]]
        for name, rows in compared.trials.items()
    }
    return {"controllers": summaries, "pairs": compared.pairs(), "passed_seeds": courses}


def drifts(controller: Any) -> dict[str, Any]:
    """How far a robot gets on bare ground [m], with exact sensors and noisy ones, and whether the rule is kept."""
    found = {"exact": drift(controller, PERFECT_SENSORS), "noisy": drift(controller, NOISY)}
    farthest = {name: each["farthest_m"] for name, each in found.items()}
    return {"kept": max(farthest.values()) <= MOST_DRIFT} | farthest


def grid(shift: float = 0.0) -> list[Trial]:
    """All trials: speed by speed, direction by direction, phase by phase; `shift` is a share of the phases' spacing."""
    phases = [2.0 * pi * (k + shift) / PHASES for k in range(PHASES)]
    return [Trial(s, float(np.radians(d)), phase) for s in SPEEDS for d in DIRECTIONS_DEG for phase in phases]


def sidewind(
    act: Callable[[np.ndarray], np.ndarray], trials: Sequence[Trial], friction: float | None = None
) -> dict[str, np.ndarray]:
    """Mean velocity of each trial from 5 s to 20 s [m/s], shape (n_trials, 2), and the mean error that the task sees.

    Args:
        act: Actions for observations, all worlds at once.
        trials: What is asked for.
        friction: Of the ground [-]; default: the task's.
    """
    task = Sidewind() if friction is None else Sidewind(friction=friction)
    simulator = pp.Simulator([_world(task, trial.phase) for trial in trials], rate=task.rate, settings=task.settings)
    asked = Asked(np.array([trial.direction for trial in trials]), np.array([trial.speed for trial in trials]))
    measured = simulator.reset()
    acted, memory = task.actions.begin(measured), task.begin(task.place(measured))
    places, errors = [], []
    for _ in range(STEPS):
        action = np.clip(act(task.observing.see(measured, acted, asked)), -1.0, 1.0)
        command, acted = task.actions.command(action, acted)
        measured = simulator.step(command)
        places.append(task.place(measured))
        outcome, memory = task.judge(Turn(places[-1], np.zeros(len(trials)), asked), memory)
        errors.append(outcome.told["velocity_error"])
    velocity = (places[-1] - places[FIRST]) * task.rate / (STEPS - 1 - FIRST)
    return {"velocity": velocity, "error": np.mean(errors[FIRST:], axis=0)}


def _world(task: Sidewind, phase: float) -> pp.World:
    """A world of the task, with a phase that is chosen."""
    ground = Ground(friction=Isotropic(task.friction), rolling=ROLLING)
    start = SpatialStart(joint_angles=task.actions.posture(phase).tolist())
    return pp.World(task.usual_robot, Environment(ground=ground), None, start)


def numbers(**quantities: np.ndarray | float) -> np.ndarray:
    """The action of a wave with these quantities, shape (n, 6); the others are halfway."""
    names = ("amplitude", "frequency", "phase_shift", "bend", "pitch_amplitude", "pitch_lead")
    found = []
    for name in names:
        low, high = getattr(Sidewind.waves, name)
        found.append((np.asarray(quantities.get(name, (low + high) / 2)) - (low + high) / 2) / ((high - low) / 2))
    return np.stack(np.broadcast_arrays(*found), axis=-1)


def table(count: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Many straight waves of constant numbers that wind to the left, and the velocity that each came to."""
    actions = np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 6))
    actions[:, 3] = 0.0  # straight
    actions[:, 5] = -0.5 + 0.25 * actions[:, 5]  # to the left: the pitch wave is 45 to 135 deg behind the yaw wave
    found = sidewind(lambda seen: actions, [Trial(0.1, pi / 2, 2.0 * pi * k / count) for k in range(count)])
    return {"actions": actions, "velocity": found["velocity"]}


def velocities(trials: Sequence[Trial]) -> np.ndarray:
    """The velocities that are asked for [m/s], shape (n_trials, 2)."""
    return np.array([(t.speed * np.cos(t.direction), t.speed * np.sin(t.direction)) for t in trials])


def looked_up(waves: Mapping[str, np.ndarray], trials: Sequence[Trial], nearest: int = 4) -> np.ndarray:
    """For each trial the numbers of the waves that came nearest to what it asks for, shape (nearest, n_trials, 6)."""
    away = np.linalg.norm(waves["velocity"][None] - velocities(trials)[:, None], axis=2)
    order = np.argsort(np.nan_to_num(away, nan=np.inf), axis=1)[:, :nearest]
    return np.asarray(waves["actions"][order].transpose(1, 0, 2))
