"""PegField: through a field of pegs by touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Annotated, Any

import numpy as np

from pushpoint.control.neural.acting import ActionKind, WaveRanges
from pushpoint.engine.signals import Measurement
from pushpoint.envs.goal_task import GoalTask
from pushpoint.envs.randomised import Drawn
from pushpoint.envs.snake_task import Episode, HeadPlace
from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.checks import Whole, members, store, whole
from pushpoint.model.environment import Environment
from pushpoint.model.friction import Isotropic
from pushpoint.model.quantities import Coefficient, Length
from pushpoint.papers.liljeback2011.courses import AREA, DENSITY
from pushpoint.papers.liljeback2011.scenarios import GROUND_FRICTION, PASSED
from pushpoint.studies.places import Place, random_place
from pushpoint.studies.splits import Split, seeds_of
from pushpoint.worlds.world import World

A_SEED = Whole(0, 2**32 - 1)


@dataclass(frozen=True, kw_only=True)
class PegField(GoalTask):
    """`pushpoint/PegField-v0`: get on through a field of pegs that only touch tells of.

    A planar robot of ten links with touch sensors lies among pegs, in contact with none. Ground friction is the same in
    all directions, so that a wave alone does not move it: it has to push against pegs. The courses are the library's
    random ones. Those to train on have the seeds 0 to 999, those to choose by 3000 to 3099. The held-out ones, 1000 to
    1099 and 2000 to 2099, are for a finished policy.

    **Actions**: `Box(-1, 1)`. "bends" (default): 0 frequency of a travelling wave, 0 to 0.2 Hz; then a bend per joint,
    of its range of 45 deg to either side, that is added to the wave. "wave": 0 amplitude 0.3 to 0.8 rad, 1 frequency,
    2 phase shift 0.4 to 0.9 rad, 3 bend -0.3 to 0.3 rad. "joints": one reference per joint. "torque": one torque per
    joint, of 4 N m.

    **Observations**: `Box`, single precision, SI. 0 and 1: direction of the goal, ahead of the head and to its left
    [-]; joint angles [rad], joint rates [rad/s] and motor torques [N m], nine each, from tail to head; touch, the
    obstacles' force toward each link's left [N], ten; angular rate [rad/s] and acceleration [m/s^2] of the IMU on the
    head, one and two; the last joint references [rad], nine (not with torques); sine and cosine of the wave's phase
    (with "wave" and "bends"). There is neither a position nor anything of the course. `env.unwrapped.rows` lists them.

    **Rewards**: `progress`, 10 per metre that the head is further toward the goal than ever before; `goal`, 5 on
    reaching it; `energy`, minus `energy_weight` per joule. `info["reward_terms"]` has all three, `info["way"]` the
    furthest way [m], `info["passed"]` whether the goal is reached; after a reset `info["course"]` is the course's seed.

    **Ends**: terminated when the head is 0.7 m, half its length, further along x, or when the simulation fails
    (`info["failed"]`). Truncated after 15 s without progress, and after 1200 steps, 60 s.

    **Version history**: v0, the first.
    """

    robot: str = "liljeback2011"
    """Name of a planar robot in the catalogue."""
    action: ActionKind = "bends"
    """What the numbers of an action are: "joints", "wave", "bends" or "torque"."""
    energy_weight: float = 0.002
    """What a joule of mechanical work costs [1/J]."""
    way: Length = PASSED
    """Distance to the goal [m]."""
    friction: Coefficient = GROUND_FRICTION
    """Coefficient of friction of the ground [-]."""
    courses: Split | Sequence[Annotated[int, A_SEED]] = "train"
    """Which courses: the name of a set, "train" or "validation" ("held-out" and "second-held-out" at the end), or a
    list of seeds. Every episode takes one of them at random."""

    most_obstacles = round(DENSITY * AREA.size)
    waves = WaveRanges(amplitude=(0.3, 0.8), frequency=(0.0, 0.2), phase_shift=(0.4, 0.9), bend=(-0.3, 0.3))
    sensed = (
        "joint_angle",
        "joint_rate",
        "joint_torque",
        "contact_normal_force",
        "imu_angular_rate",
        "imu_acceleration",
    )

    def __post_init__(self) -> None:
        courses = self.courses
        if isinstance(courses, str):
            seeds_of(courses)
        else:
            given = members("env.courses", courses, object, "the seed of a course, or the name of a set")
            if not given:
                raise InvalidModel("env.courses", courses, "one course or more")
            store(self, courses=tuple(whole(f"env.courses[{k}]", seed, A_SEED) for k, seed in enumerate(given)))
        super().__post_init__()

    def episode(self, random: np.random.Generator) -> Episode:
        """One of the courses, and its start."""
        drawn, told = self.drawn(random)
        return self._on_course(self._seeds[int(random.integers(len(self._seeds)))], drawn, told, random)

    def pool(self, random: np.random.Generator, count: int) -> list[Episode]:
        """Every course as often as any other, at least once."""
        seeds = [seed for seed in self._seeds for _ in range(max(1, count // len(self._seeds)))]
        return [self._on_course(seed, *self.drawn(random), random) for seed in seeds]

    @property
    def _seeds(self) -> Sequence[int]:
        return seeds_of(self.courses) if isinstance(self.courses, str) else self.courses

    def _on_course(self, seed: int, drawn: Drawn, told: dict[str, Any], random: np.random.Generator) -> Episode:
        seed = int(seed)
        course = _course(self.robot, seed)
        environment = _with_friction(course, drawn.friction * self.friction, drawn.obstacle_friction)
        world = World(drawn.robot(self.usual_robot), environment, None, course.starts[0], self.sensing(random))
        return Episode(world, 0.0, 1.0, {"course": seed} | told)

    @cached_property
    def _head(self) -> HeadPlace:
        return HeadPlace(self.usual_robot)

    def place(self, measurement: Measurement) -> np.ndarray:
        """Where the head is."""
        return self._head.place(measurement)


@lru_cache(maxsize=4096)
def _course(robot: str, seed: int) -> Place:
    """The course of a seed for a robot of the catalogue; making one takes as long as many steps."""
    return random_place(seed, robot=ROBOTS[robot]())  # type: ignore[arg-type]


def _with_friction(course: Place, ground: float, obstacles: float) -> Environment:
    """The environment of a course with another friction; the same object if that is its own."""
    environment = course.environment
    law = Isotropic(ground)
    if environment.ground.friction == law and obstacles == 1.0:
        return environment
    pegs = [replace(peg, friction=obstacles * peg.friction) for peg in environment.obstacles]
    return Environment(ground=replace(environment.ground, friction=law), obstacles=pegs)
