"""The hybrid automaton in time: flow to the next event, jump, and flow again.

The flow is integrated by the method of Dormand and Prince, order 5(4), with a dense output of order 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
from scipy.integrate import RK45, DenseOutput

from pushpoint.brief import brief
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.planar.start import Start
from pushpoint.errors import InvalidModel, SimulationFailed, StartBeyondStop, StartOverlap
from pushpoint.event_driven.feedback import Feedback, Felt
from pushpoint.event_driven.flow import AT_REST, Flow, Guards, flow, guards, lowest
from pushpoint.event_driven.flow_step import FINEST, FlowStep
from pushpoint.event_driven.jumps import NONE, Event, jump, only_single, settle, strike
from pushpoint.event_driven.model import ContactMode, HybridModel, Touching, all_sliding
from pushpoint.event_driven.rows import contact_rows, gaps, place_of, snapshot, stop_gaps
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import Axes, array
from pushpoint.model.checks import above, check_fields, real
from pushpoint.model.quantities import Factor

TOUCHING = 1e-8
"""Gap at which a pair counts as touching at the start, and overlap that still counts as touching [m]."""
LONGEST = 1e4
"""Longest duration that is sampled 100 times a second by default [s]."""
MOST_AT_ONCE = 200
"""Jumps without any flow in between after which the automaton is stuck."""


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """Accuracy of the integrator."""

    relative: Factor = 1e-9
    """Error of a step, relative to the size of the component [-]."""
    absolute: Factor = 1e-10
    """Absolute error of a step, for components near zero [its unit]."""
    first_step: Annotated[float, above(0, "s")] = 1e-4
    """First step after an event [s]; the error determines the next ones."""
    longest_step: Annotated[float, above(0, "s")] = 5e-3
    """Longest step [s]; contacts are checked at least four times in that time."""

    def __post_init__(self) -> None:
        check_fields(self, "accuracy")


@dataclass(frozen=True, kw_only=True, eq=False)
class Trajectory:
    """The result of the automaton."""

    __repr__ = brief

    time: np.ndarray
    """Times of the samples [s], shape (n_times,)."""
    center: np.ndarray
    """Centre of mass [m], shape (n_times, 2)."""
    link_angle: np.ndarray
    """Link angles [rad], shape (n_times, n_links)."""
    velocity: np.ndarray
    """Velocity of the centre of mass [m/s], shape (n_times, 2)."""
    link_rate: np.ndarray
    """Angular velocities of the links [rad/s], shape (n_times, n_links)."""
    link_position: np.ndarray
    """Centres of mass of the links [m], shape (n_times, n_links, 2)."""
    kinetic_energy: np.ndarray
    """Kinetic energy [J], shape (n_times,)."""
    events: tuple[Event, ...]
    """Every jump, in order."""
    mode: ContactMode
    """The mode at the end."""
    controller_mode: np.ndarray
    """The mode of a feedback controller at each of its commands [-]; empty without one."""
    contact_force: np.ndarray
    """Mean contact forces on links toward their left between its commands [N], shape (n_periods, n_links)."""
    joint_torque: np.ndarray
    """Mean torques of the motors between its commands [N m], shape (n_periods, n_joints)."""

    def times_of(self, name: str) -> np.ndarray:
        """When events of this name happened [s]."""
        return np.array([event.time for event in self.events if event.name == name])


@checked_arguments
def integrate(
    model: HybridModel,
    start: Start,
    *,
    duration: Annotated[float, above(0, "s")],
    times: Any = None,
    accuracy: Accuracy = Accuracy(),  # noqa: B008  (frozen)
) -> Trajectory:
    """Runs the automaton and samples it at given times [s]; default: 100 per second, and the end."""
    wanted = _sample_times(times, duration)
    pose, n = start.pose(model.source), model.n_links
    velocity = model.robot.mass @ pose["v"] / model.robot.total_mass
    state = np.concatenate((pose["theta"], pose["center"], pose["omega"], velocity))
    if isinstance(model.drive, Feedback):
        course, samples = _controlled(model, model.drive, state, wanted, accuracy)
    else:
        course = _Course(*first_mode(model, state))
        samples = [state] * int(wanted[0] <= 0.0)
        samples += _run(model, course, wanted[len(samples) :], float(wanted[-1]), accuracy)
    found = np.array(samples)
    angle, center, q_dot = found[:, :n], found[:, n : n + 2], found[:, n + 2 :]
    masses = [snapshot(model, sample).terms.mass_matrix for sample in found]
    return Trajectory(
        time=wanted,
        center=center,
        link_angle=angle,
        velocity=q_dot[:, n:],
        link_rate=q_dot[:, :n],
        link_position=link_positions(model.source, center, angle),
        kinetic_energy=np.array([v @ M @ v / 2 for v, M in zip(q_dot, masses, strict=True)]),
        events=tuple(course.events),
        mode=course.mode,
        controller_mode=np.array(course.controller_modes, dtype=int),
        contact_force=np.array([felt.side for felt in course.felt]).reshape(-1, n),
        joint_torque=np.array([felt.torque for felt in course.felt]).reshape(-1, n - 1),
    )


@dataclass(eq=False)
class _Course:
    """Where the automaton is, and what happened on its way."""

    state: np.ndarray
    mode: ContactMode
    time: float = 0.0
    events: list[Event] = field(default_factory=list)
    controller_modes: list[int] = field(default_factory=list)
    felt: list[Felt] = field(default_factory=list)


def _controlled(
    model: HybridModel, drive: Feedback, state: np.ndarray, wanted: np.ndarray, accuracy: Accuracy
) -> tuple[_Course, list[np.ndarray]]:
    """The course under a feedback controller, and the states at the wanted times."""
    held, memory, modes = drive.begin(model, state)
    course = _Course(*first_mode(held, state))
    course.controller_modes += modes
    samples: list[np.ndarray] = [state] * int(wanted[0] <= 0.0)
    count = 0
    while course.time < wanted[-1]:
        count += 1
        end = min(count / drive.rate, float(wanted[-1]))
        felt, begin = Felt.none(model), course.time
        due = wanted[len(samples) : np.searchsorted(wanted, end, side="right")]
        before = course.state
        samples += _run(held, course, due, end, accuracy, felt)
        course.felt.append(felt.mean(end - begin))
        if end < wanted[-1]:
            held, memory, modes = drive.command(model, course.time, (before, course.state), course.felt[-1], memory)
            course.controller_modes += modes
            course.state, course.mode = settle(held, course.time, course.state, course.mode)
    return course, samples


def first_mode(model: HybridModel, state: np.ndarray) -> tuple[np.ndarray, ContactMode]:
    """State and mode at time zero: approaching contacts have their impact first, resting ones are closed."""
    at, mode = snapshot(model, state), all_sliding(model)
    link, peg = NONE, NONE
    near = mode.contacts
    if model.n_pegs:
        gap, along = gaps(model, at)
        if gap.min() < -TOUCHING:
            deepest = np.unravel_index(np.argmin(gap), gap.shape)
            raise StartOverlap(0, int(deepest[0]), int(deepest[1]), float(-gap[deepest]))
        link, peg = np.nonzero(gap < TOUCHING)
        near = Touching(link=link, peg=peg, place=place_of(model, link, along[link, peg]), slip=0 * link)
    beyond = stop_gaps(model, at)
    if beyond.size and beyond.min() < -TOUCHING:
        joint = int(np.argmin(beyond.min(axis=0)))
        raise StartBeyondStop(
            0, joint, float(np.diff(at.angle)[joint]), (float(model.stops[0, joint]), float(model.stops[1, joint]))
        )
    stopped = np.where(beyond[1] < TOUCHING, 1, np.where(beyond[0] < TOUCHING, -1, 0))
    touch, closing = contact_rows(model, at, near), stopped * np.diff(at.rate)
    if (touch.gamma_N < -AT_REST).any() or (closing > AT_REST).any():
        state, mode, _ = strike(model, 0.0, state, mode, link, peg, stopped)
    else:
        stays = touch.gamma_N < AT_REST
        mode = only_single(replace(mode, contacts=near.only(stays)), touch.gap[stays])
        mode = replace(mode, stopped=np.where(closing > -AT_REST, stopped, 0))
    return settle(model, 0.0, state, mode)


def _run(
    model: HybridModel, course: _Course, wanted: np.ndarray, end: float, accuracy: Accuracy, felt: Felt | None = None
) -> list[np.ndarray]:
    """Goes on to an end in time [s]; returns the states at the wanted times. `felt` gathers what the robot feels."""
    at_once, solver, slope = 0, None, _Slope(model, course.mode)
    samples: list[np.ndarray] = []
    while True:
        if solver is None:
            slope = _Slope(model, course.mode)
            slope(course.time, course.state)
            crossed = guards(model, slope.seen, course.mode)
            if lowest(crossed) < 0.0:
                at_once += 1
                _leap(model, course, crossed, felt, at_once)
                continue
        if course.time >= end:
            return samples
        if solver is None:
            solver = integrator(slope, course.time, course.state, end, accuracy)
        before = slope.seen
        path = advance(solver)
        step = FlowStep(model=model, mode=course.mode, path=path, known={path.t_old: before, path.t: slope.seen})
        found = step.first_crossing(accuracy.longest_step)
        course.time, course.state = (path.t, solver.y) if found is None else (found, path(found))
        if felt is not None:
            felt.over(step, course.time)
        samples += [path(due) for due in wanted[len(samples) : np.searchsorted(wanted, course.time, side="right")]]
        at_once = at_once if course.time - path.t_old < 10 * FINEST else 0
        solver = solver if found is None else None


def _leap(model: HybridModel, course: _Course, crossed: Guards, felt: Felt | None, at_once: int) -> None:
    """Jumps; `at_once` counts the jumps without any flow in between."""
    if at_once > MOST_AT_ONCE:
        last = course.events[-1]
        raise SimulationFailed(
            f"the event-driven model is stuck at t = {course.time:.9g} s: "
            f"{last.name} of link {last.link} repeats at once, over and over"
        )
    course.state, course.mode, happened, struck = jump(model, course.time, course.state, course.mode, crossed)
    course.events += happened
    if felt is not None:
        felt.side += struck


@dataclass(eq=False)
class _Slope:
    """The flow in a mode, for the integrator, and the last that it saw: each step ends with the flow at its end."""

    model: HybridModel
    mode: ContactMode
    seen: Flow = field(init=False)

    def __call__(self, time: float, state: np.ndarray) -> np.ndarray:
        self.seen = flow(self.model, time, state, self.mode)
        return np.concatenate((state[self.model.n_coordinates :], self.seen.acceleration))


def integrator(
    slope: Callable[[float, np.ndarray], np.ndarray], time: float, state: np.ndarray, end: float, accuracy: Accuracy
) -> RK45:
    """Integrates a flow from a state to an end in time [s]."""
    first = min(accuracy.first_step, accuracy.longest_step, end - time)
    return RK45(slope, time, state, end, accuracy.longest_step, accuracy.relative, accuracy.absolute, first_step=first)


def advance(solver: RK45) -> DenseOutput:
    """One step of an integrator; returns the states as a function of time within the step."""
    solver.step()
    if solver.status == "failed":
        raise SimulationFailed(
            f"the event-driven model cannot continue at t = {solver.t:.9g} s: it would need too short a step"
        )
    return solver.dense_output()


def _sample_times(times: Sequence[float] | np.ndarray | None, duration: float) -> np.ndarray:
    if times is None:
        if duration > LONGEST:
            raise InvalidModel("duration", duration, f"at most {LONGEST:g} unless times are given [s]")
        whole = np.arange(0.0, duration * (1 - 1e-12), 0.01)
        return np.append(whole, duration)
    wanted = array("times", times, real("s"), Axes("n"))
    if not len(wanted) or (np.diff(wanted) <= 0.0).any() or wanted[0] < 0.0 or wanted[-1] > duration:
        raise InvalidModel("times", times, f"ascending, from 0 to {duration:g} [s]")
    return wanted
