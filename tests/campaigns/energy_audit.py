"""Random worlds that bounce or are driven hard, each with an account of its energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import pushpoint as pp
from pushpoint.bench.random_worlds import RandomWorld, random_case
from pushpoint.errors import StartOverlap
from pushpoint.simulation.health import Health, warnings_about
from pushpoint.simulation.rollout import Rollout
from pushpoint.worlds.world import Experiment


def bouncing(seed: int) -> RandomWorld:
    """The world of a seed, thrown from up to 0.3 m above at up to 2 m/s; all that it meets gives back 0.2 to 1."""
    case = random_case(seed)
    random = np.random.default_rng((seed, 1))
    share = float(random.uniform(0.2, 1.0))
    environment = case.world.environment
    obstacles: Any = [replace(each, restitution=share) for each in environment.obstacles]  # type: ignore[type-var]
    course = pp.Environment(ground=replace(environment.ground, restitution=share), obstacles=obstacles)
    start: Any = case.world.start
    above = np.array(start.position) + np.array((0.0, 0.0, random.uniform(0.0, 0.3)))
    start = replace(start, position=above, velocity=random.uniform(-2.0, 2.0, 3))
    return replace(case, world=replace(case.world, environment=course, start=start))


def imposed(seed: int) -> RandomWorld:
    """The world of a seed, its gait prescribed, lying where it finds room in the gait's first posture."""
    case = random_case(seed)
    random = np.random.default_rng((seed, 2))
    gait: Any = replace(case.world.controller, prescribed=True)
    first: Any = case.world.start
    for _ in range(20):
        start = pp.SpatialStart(orientation=first.orientation, position=random.uniform(-1.0, 1.0, 2))
        world = replace(case.world, controller=gait, start=start)
        try:
            center = world.pose()["center"]
        except StartOverlap:
            continue
        return replace(case, world=replace(world, start=replace(start, position=(*center[:2], center[2] + 0.01))))
    raise RuntimeError("no room in twenty tries")


@dataclass(frozen=True, kw_only=True)
class Account:
    """What became of the energy of one world, from its recorded motion alone; `health` is what the kernels say."""

    case: RandomWorld
    status: pp.Status
    health: Health
    most_moving: float
    """Largest kinetic energy [J]."""
    net_gain: float
    """Largest energy above that of the start and the work of the motors [J]."""
    taken: float
    """Energy that left in the steps in which it did, in all [J]."""

    @property
    def warnings(self) -> list[str]:
        return warnings_about([self.health], [self.case.world], pp.Settings(dt=self.case.dt))


def balance(case: RandomWorld, samples: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic energy, and all energy less the work of the motors, at every sample [J]."""
    robot: Any = case.world.robot
    inertia, mass = np.array([link.inertia for link in robot.links]), robot.column("mass")
    turning = inertia * samples["omega"] ** 2
    moving = 0.5 * (
        (mass * (samples["v"] ** 2).sum(axis=-1)).sum(axis=-1) + turning.reshape(len(turning), -1).sum(axis=1)
    )
    lifted = mass.sum() * case.world.environment.ground.gravity * samples["center"][:, 2:].sum(axis=1)
    return moving, moving + lifted - samples["motor_work"].sum(axis=-1)


def audited(cases: Sequence[RandomWorld], duration: float) -> list[Account]:
    """All cases run, those that may run together, every step of them looked at."""
    groups: dict[Any, list[RandomWorld]] = {}
    for case in cases:
        groups.setdefault(case.batch, []).append(case)
    found = []
    for members in groups.values():
        dt = members[0].dt
        every_step = pp.Record(rate=1.0 / dt)
        worlds = tuple(case.world for case in members)
        rollout = Rollout(Experiment(worlds, duration, pp.Settings(dt=dt, on_failure="record"), every_step), whole=True)
        while not rollout.finished:
            rollout.advance()
        samples = rollout.stepper.samples()
        for w, (case, status, health) in enumerate(zip(members, rollout.statuses(), rollout.health(), strict=True)):
            one = {name: samples[name][w, : health.steps + 1] for name in ("v", "omega", "center", "motor_work")}
            moving, total = balance(case, one)
            change = np.diff(total)
            found.append(
                Account(
                    case=case,
                    status=status,
                    health=health,
                    most_moving=float(moving.max()),
                    net_gain=float((total - total[0]).max()),
                    taken=float(-change[change < 0.0].sum()),
                )
            )
    return found
