"""Liljeback2011: its environments, the robot's starts, and the results of many trials.

The motion is chaotic after the first jam, so only counts and medians are meaningful.

Translation. Links are numbered as ours; phi_i = -joint_angle[i - 1], u_i = -joint_torque[i - 1]. The head rule (3) is
missing from the text and is a hysteresis here. The delays of (5) begin with a past that leads to the start shape.
References are limited to the joints' range. Friction and the gains of (11) are not printed: 0.3 on the ground, 0.2 at
the obstacles, 20 N m/rad and 1 N m s/rad are ours and not tuned. The listed starts overlap the obstacles by 41, 84 and
10 mm, so the robot starts in the nearest free pose. For environment 3, four positions and five diameters are printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import cos, inf, radians, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.hybrid import HeadPoint, HybridController, LeaderFollower, Mode
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.errors import UnknownName
from pushpoint.model.catalogue import liljeback2011 as paper_robot
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.papers.liljeback2011.courses import (
    FreeStart,
    free_start,
    obstacles,
    perturbed,
    printed_link_angles,
    random_course,
)
from pushpoint.papers.writing import Build, named_claims
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import xarray as xr

GROUND_FRICTION = 0.3
"""Friction of the ground [-]. It is not printed; it is ours and not tuned, like that of the obstacles."""
PEG_FRICTION = 0.2
ENVIRONMENTS = (1, 2, 3)


def p_servo(robot: PlanarRobot, speed_limit: float = inf) -> PlanarRobot:
    """The robot with its own proportional servos (IV-B) instead of (11).

    A real motor is damped by its torque-speed line; `speed_limit` [rad/s] gives that line.
    """
    motors = tuple(replace(motor, damping=0.0, speed_limit=speed_limit) for motor in robot.motors)  # type: ignore[union-attr]
    return replace(robot, motors=motors, name=f"{robot.name}-p-servo")


def peg_course(pegs: Sequence[Peg], friction: float = GROUND_FRICTION) -> Environment:
    """Pegs on level ground with isotropic friction."""
    return Environment(ground=Ground(friction=Isotropic(friction)), obstacles=list(pegs))


def published_course(environment: int, friction: float = GROUND_FRICTION) -> Environment:
    """Environment 1, 2 or 3 (IV-C)."""
    return peg_course(obstacles(environment, friction=PEG_FRICTION), friction)


SPREAD = radians(1)
"""Standard deviation by which links are turned at the start of a trial [rad]."""


@cache
def published_start(
    environment: int, seed: int | None = None, robot: PlanarRobot | None = None, head_point: HeadPoint = "centre"
) -> FreeStart:
    """The listed start (IV-C), moved to the nearest free pose; with a seed, every link is turned a little first.

    `head_point` is the point of the head link that is at the origin.
    """
    robot, angles = robot or paper_robot(), printed_link_angles(environment)
    behind = robot.links[-1].length / 2 if head_point == "front" else 0.0
    position = (-behind * cos(angles[-1]), -behind * sin(angles[-1]))
    start = Start(link_angles=angles, link=robot.n_links - 1, position=position)
    if seed is not None:
        start = perturbed(start, SPREAD, seed, robot)
    return free_start(robot, published_course(environment), start)


STEP = Settings(dt=2e-3)
"""A time step that divides the period of the paper's 20 Hz."""
SAMPLES = Record(rate=20.0)
"""One sample per command."""
PAPER = "liljeback2011"
DURATION = 100.0
"""As long as the paper's figures [s]."""
CONTROLLERS: dict[str, Callable[[], Any]] = {
    "hybrid": HybridController,
    "leader-follower": LeaderFollower,
    "continuous": ContinuousResolution,
}
TITLES = {
    "hybrid": "Environment {0}, hybrid controller: jams are resolved by touch.",
    "leader-follower": "Environment {0}, leader-following alone: soon stuck.",
    "continuous": "Environment {0}, jam resolution all the time.",
}
CLAIMS = {1: "LB4 LB5 LB6 LB7 LB8 LB9 LB10 LB11"}
"""Claims about all environments are listed with the first one and the hybrid controller; LB1 to LB3 are in `bodies`."""


def paper_controller(name: str) -> Any:
    """One of the three controllers, with the paper's parameters where it gives them."""
    if name not in CONTROLLERS:
        raise UnknownName("controller of Liljeback2011", name, CONTROLLERS)
    return CONTROLLERS[name]()


def _builder(environment: int, control: str) -> Build:
    def build() -> Scenario:
        began = published_start(environment)
        return Scenario(
            name=_name(environment, control),
            title=TITLES[control].format(environment),
            source=f"Liljeback2011, IV-C, environment {environment}; {began.note}",
            worlds=World(paper_robot(), published_course(environment), paper_controller(control), began.start),
            duration=DURATION,
            settings=STEP,
            record=SAMPLES,
            claims=named_claims(PAPER, CLAIMS.get(environment, "")) if control == "hybrid" else (),
        )

    build.__doc__ = TITLES[control].format(environment)
    return build


def _name(environment: int, control: str) -> str:
    """The hybrid controller is the paper's, so its scenario has the plain name."""
    return f"{PAPER}/environment-{environment}" + ("" if control == "hybrid" else f"-{control}")


SCENARIOS = {_name(place, control): _builder(place, control) for place in ENVIRONMENTS for control in CONTROLLERS}


def trials(
    environment: int | None,
    control: Any,
    count: int,
    friction: float = GROUND_FRICTION,
    robot: PlanarRobot | None = None,
) -> list[World]:
    """Worlds of one environment, or of the first without its obstacles. They share the controller.

    They differ by about a degree per link at the start.
    """
    place = published_course(environment, friction) if environment else peg_course((), friction)
    starts = [published_start(environment or 1, seed, robot).start for seed in range(count)]
    return [World(robot or paper_robot(), place, control, start) for start in starts]


def random_trials(seeds: Sequence[int], control: Any) -> list[World]:
    """Worlds of random courses, one per seed. They share the controller."""
    courses = [random_course(paper_robot(), seed, friction=PEG_FRICTION) for seed in seeds]
    return [World(paper_robot(), peg_course(made.pegs), control, made.start) for made in courses]


PASSED = 0.7
"""How far the head must get to have passed a course [m]: half of the robot's length."""


@dataclass(frozen=True)
class Outcome:
    """The result of a batch of trials."""

    run: xr.Dataset
    """The run, one world per trial."""

    @property
    def head(self) -> np.ndarray:
        """How far the head link has moved along x [m], shape (n_trials, n_times)."""
        return _way(self.run.link_position.sel(axis="x").isel(link=-1).values)

    @property
    def center(self) -> np.ndarray:
        """How far the centre of mass has moved along x [m], same shape."""
        return _way(self.run.center_of_mass.sel(axis="x").values)

    @property
    def passed(self) -> np.ndarray:
        """Which trials passed the course at some time, shape (n_trials,)."""
        return np.asarray((self.head > PASSED).any(axis=1))

    @property
    def time_to_pass(self) -> np.ndarray:
        """When each trial had passed [s]; NaN for those that never did."""
        first = np.argmax(self.head > PASSED, axis=1)
        return np.where(self.passed, self.run.time.values[first], np.nan)

    @property
    def resolutions(self) -> np.ndarray:
        """How often each trial resolved a jam [-], shape (n_trials,)."""
        return np.asarray(np.diff(self._resolving.astype(int), axis=1, prepend=0).clip(0).sum(axis=1))

    @property
    def _resolving(self) -> np.ndarray:
        return np.asarray(self.run.controller_mode.values == Mode.RESOLVING)

    def speed(self, begin: float, end: float) -> np.ndarray:
        """Mean speed of the head along x between two times [m/s], shape (n_trials,)."""
        ends = np.searchsorted(self.run.time.values, (begin, end))
        return np.asarray((self.head[:, ends[1]] - self.head[:, ends[0]]) / (end - begin))

    def turns(self) -> tuple[np.ndarray, np.ndarray]:
        """Force [N] at the start of a resolution, and link angles before and after [rad], of every touched link.

        Shapes (n,) and (n, 2). The mode of a sample is the one that acted up to then, so the controller's decision was
        based on the forces and angles of the sample before.
        """
        force, angle = self.run.contact_normal_force.values, self.run.link_angle.values
        felt, turned = [], []
        for w, resolving in enumerate(self._resolving):
            edges = np.diff(resolving.astype(int), prepend=0, append=0)
            for first, last in zip(np.flatnonzero(edges > 0), np.flatnonzero(edges < 0), strict=True):
                touched = np.abs(force[w, first - 1]) > 0.0
                felt.append(force[w, first - 1, touched])
                turned.append(angle[w, (first - 1, last - 1)][:, touched].T)
        return np.concatenate([np.empty(0), *felt]), np.concatenate([np.empty((0, 2)), *turned])


def _way(x: np.ndarray) -> np.ndarray:
    """Distance from the start [m], shape (n_trials, n_times); a trial that ended early stays where it was."""
    last = np.maximum.accumulate(np.where(np.isnan(x), 0, np.arange(x.shape[1])), axis=1)
    return np.asarray(np.take_along_axis(x, last, axis=1) - x[:, :1])


def outcome_of(worlds: Sequence[World], duration: float, settings: Settings = STEP) -> Outcome:
    """Runs trials together. A world that ends early stays in the batch with its last position."""
    from pushpoint.simulation.simulate import simulate

    kept = replace(settings, on_failure="record")
    return Outcome(simulate(worlds, duration=duration, settings=kept, record=SAMPLES))


@cache
def outcome(environment: int | None, control: Any, count: int, duration: float, **others: Any) -> Outcome:
    """The result of `trials`, also with its friction and robot; cached."""
    return outcome_of(trials(environment, control, count, **others), duration)
