"""Liljeback2011, II: the hybrid controller on the event-driven model, beside the engine from the same start."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.control.hybrid import HybridController, Mode
from pushpoint.event_driven import Accuracy, Feedback, HybridModel, Trajectory, hybrid_model, integrate
from pushpoint.event_driven.rows import gaps, snapshot
from pushpoint.model.catalogue import liljeback2011 as paper_robot
from pushpoint.papers.liljeback2011.scenarios import published_course, published_start
from pushpoint.papers.writing import claim, verdict
from pushpoint.scenarios.claim import Verdict

if TYPE_CHECKING:
    import xarray

COURSE = 20.0
"""How long the claim is judged [s]: the first jams are resolved."""
SMOOTHING = 1e-3
"""Speed below which the ground's friction fades [m/s]; see D79."""
ACCURACY = Accuracy(relative=1e-5, absolute=1e-7)
"""Tighter accuracy changes positions after 1 s by less than 1e-8 m."""
ROUNDING = 1e-6
"""How far obstacles and end stops may be entered [m], or [rad]: some hundred clearances."""
ALIKE = 0.1
"""How far distance and forces may be from the engine's, relative [-]: after the first jam, small differences grow."""
TOGETHER = 5e-3
"""How far links may be from where the engine has them until the first jam is found [m]: they creep while they stick."""


def event_driven_model(environment: int, smoothing: float = SMOOTHING) -> HybridModel:
    """Robot, obstacles and hybrid controller of an environment; 0 for friction that does not fade."""
    robot, place = paper_robot(), published_course(environment)
    drive = Feedback(robot=robot, controller=HybridController(), environment=place)
    return hybrid_model(robot, place, drive, smoothing=smoothing)


@cache
def on_events(environment: int, duration: float, smoothing: float = SMOOTHING) -> Trajectory:
    """The course from its start, with one sample per command; cached."""
    model = event_driven_model(environment, smoothing)
    times = np.arange(round(duration * model.drive.rate) + 1) / model.drive.rate  # type: ignore[attr-defined]
    return integrate(model, published_start(environment).start, duration=duration, times=times, accuracy=ACCURACY)


def kept_within(model: HybridModel, run: Trajectory) -> dict[str, float]:
    """How deep obstacles and end stops were entered, and the largest torque over the limit's."""
    states = np.concatenate((run.link_angle, run.center, run.link_rate, run.velocity), axis=1)
    least = min(float(gaps(model, snapshot(model, state))[0].min()) for state in states)
    joint = np.diff(run.link_angle)
    beyond = max(float((joint - model.stops[1]).max()), float((model.stops[0] - joint).max()))
    return {
        "deepest_mm": 1e3 * max(-least, 0.0),
        "beyond_stops_deg": np.degrees(max(beyond, 0.0)),
        "torque_over_limit_ratio": float((np.abs(run.joint_torque) / model.torque_limit).max()),
    }


def told_apart(run: Trajectory, engine: xarray.Dataset) -> dict[str, float]:
    """What the event-driven model and the engine did in the same time, at one sample per command.

    A mode and a force of the engine's sample are those of the command before it.
    """
    count = len(run.time)
    modes = run.controller_mode, engine.controller_mode.values[1:count]
    jams = [np.flatnonzero(np.diff((mode == Mode.RESOLVING).astype(int), prepend=0) > 0) for mode in modes]
    firsts = [int(each[0]) if len(each) else count - 1 for each in jams]
    position = engine.link_position.values[:count]
    forces = run.contact_force, engine.contact_normal_force.values[1:count]
    touched = {event.peg for event in run.events if event.name == "impact"}
    loaded = set(np.flatnonzero((engine.obstacle_load.values[1:count] > 0.0).any(axis=0)).tolist())
    found = {
        "way_m": [float(place[-1, -1, 0] - place[0, -1, 0]) for place in (run.link_position, position)],
        "jams": [float(len(each)) for each in jams],
        "first_jam_s": [float(run.time[first]) for first in firsts],
        "mean_contact_force_N": [float(np.abs(force).sum(axis=1).mean()) for force in forces],
    }
    apart = np.linalg.norm(run.link_position - position, axis=-1).max(axis=1)
    pairs = {name: pair[0] for name, pair in found.items()} | {
        f"engine_{name}": pair[1] for name, pair in found.items()
    }
    return pairs | {
        "other_obstacles_touched": len(touched ^ loaded),
        "apart_until_first_jam_mm": 1e3 * float(apart[: min(firsts) + 1].max()),
        "apart_at_the_end_mm": 1e3 * float(apart[-1]),
    }


@claim(
    "II, (2), IV-A",
    tolerance="environment 1 for 20 s: obstacles and end stops are entered by less than 1e-6 m and rad, torques stay "
    "within 4 N m, and at least 2 jams are resolved; links within 5 mm of where the engine has them until the first "
    "jam, which is found within 0.1 s of the engine's; then at most one jam more or less, the same obstacles touched, "
    "the head's distance and the mean contact force within 10 %",
)
def LB11(environment_1: xarray.Dataset) -> Verdict:
    """Robot, obstacles and hybrid controller are one hybrid system, within the robot's limits of torque and angle: it
    flows between impacts and detachments, moves forward and resolves its jams"""
    run = on_events(1, COURSE)
    limits, found = kept_within(event_driven_model(1), run), told_apart(run, environment_1)
    within = (
        limits["deepest_mm"] < 1e3 * ROUNDING
        and limits["beyond_stops_deg"] < np.degrees(ROUNDING)
        and limits["torque_over_limit_ratio"] < 1.0 + ROUNDING
    )
    works = within and found["jams"] >= 2
    off = {name: abs(found[name] - found[f"engine_{name}"]) for name in ("jams", "first_jam_s")}
    shares = [found[name] / found[f"engine_{name}"] for name in ("way_m", "mean_contact_force_N")]
    alike = (
        found["apart_until_first_jam_mm"] < 1e3 * TOGETHER
        and off["first_jam_s"] < 0.1
        and off["jams"] <= 1
        and not found["other_obstacles_touched"]
        and all(abs(share - 1.0) < ALIKE for share in shares)
    )
    return verdict(works and alike, works, **limits, **found, events=len(run.events))
