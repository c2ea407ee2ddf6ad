"""The course of the closed loop: a sine through pegs behind its flanks, and robots to drive along it.

Holden2014 shows one frozen instant, a robot in the shape of a sine held by five pegs. This is the same sine, continued
over several body lengths.

Shape propagation is the usual way through pegs: servos follow the joint angles of the body on its path. Both
controllers were tuned by one rule on this course with the robot of fifteen links: of the gains tried, those with the
least squared torque that keep the speed within 5 % and the links within 0.05 rad of the path, at 100 Hz. For the servos
we tried 5 to 200 N m/rad with a damping of 5 to 50 ms of each; the motors of fifteen_links have (80, 4). For the
mapping we tried (400, 40), (200, 40), (200, 30), (150, 40), (100, 40), (100, 20) and (30, 20). If pegs are not where
they are expected, softer servos push less hard than stiff ones, but stray more.

A touch of rigid bodies is an impulse, not a force (docs/proof/deviations.md, D65), so the two are kept apart. A contact
is lasting in a step if it also carried load in the step before; otherwise it is closing. A touch anywhere shakes the
whole chain, so lasting contacts get a part of the impulse. Steps in which none closes are therefore examined
separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, pi, radians, sin, tan
from typing import Any

import numpy as np

from pushpoint.control.rails import RailGains
from pushpoint.engine.settings import Settings
from pushpoint.mapping.rails import Path
from pushpoint.model.checks import members
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.simulation.tracking import Tracking, tracking
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

STEEPEST_DEG = 43.0
"""Angle between the sine and its axis where they cross [deg]."""
WAVE = 0.7
"""Length of one wave along the axis, for the robot of fifteen links [m]."""
WAVES = 7
"""Number of waves of the course."""
PEG_RADIUS = 0.02
CLEARANCE = 0.5e-3
"""Gap between the pegs and a body on the sine [m]. Links are chords of it and may come slightly nearer."""
POINTS_PER_WAVE = 60


def fifteen_links() -> PlanarRobot:
    """A light robot of fifteen equal links, 1.5 m long."""
    mass, length = 0.3, 0.1
    link = PlanarLink(length=length, mass=mass, inertia=mass * length**2 / 12, radius=0.03)
    motor = Motor(stiffness=80.0, damping=4.0, torque_limit=4.0)
    return PlanarRobot.uniform(
        15, link, motor, name="fifteen-links", source="ours; the gains of the motors are tuned for shape propagation"
    )


def sine_path(wave: float = WAVE, steepest: float = radians(STEEPEST_DEG)) -> Path:
    """A sine along the x axis from the origin, whose flanks have a given steepness [rad]."""
    x = np.linspace(0.0, WAVES * wave, WAVES * POINTS_PER_WAVE + 1)
    return Path(np.column_stack((x, tan(steepest) * wave / (2 * pi) * np.sin(2 * pi * x / wave))))


def flank_pegs(
    radius: float,
    *,
    wave: float = WAVE,
    steepest: float = radians(STEEPEST_DEG),
    clearance: float = CLEARANCE,
    friction: float = 0.0,
) -> tuple[Peg, ...]:
    """Pegs beside the steepest points of the sine, where they push a body of a given radius [m] forward.

    Where the body climbs to the left, the peg is on its left; where it climbs to the right, on its right.
    """
    away = radius + PEG_RADIUS + clearance
    ahead, aside = -away * sin(steepest), away * cos(steepest)
    return tuple(
        Peg(x=k * wave / 2 + ahead, y=(-1.0) ** k * aside, radius=PEG_RADIUS, friction=friction)
        for k in range(2 * WAVES + 1)
    )


GROUND_FRICTION = 0.2
"""Ground friction of the course for the robot of fifteen links [-]."""
TUNED_MAPPING = RailGains(stiffness=100.0, damping=20.0)
"""Gains of the mapping, tuned by the same rule."""


def rail_course(robot: PlanarRobot, *, ground: float = GROUND_FRICTION, **pegs: float) -> Environment:
    """The sine course for a robot; further arguments are those of flank_pegs."""
    radius = float(robot.column("radius").max())
    return Environment(ground=Ground(friction=Isotropic(ground)), obstacles=flank_pegs(radius, **pegs))


def disturbed(environment: Environment, path: Path, amplitude: float, seed: int, clear: float) -> Environment:
    """The pegs shifted away from the path or toward it by up to an amplitude [m]; up to x = `clear` [m] only away.

    The robot starts before `clear`, so it is not hit at its start.
    """
    rng = np.random.default_rng(seed)
    points = path.at(np.linspace(0.0, path.length, 2000))[0]
    pegs = []
    for peg in members("environment.obstacles", environment.obstacles, Peg, "a Peg"):
        place = np.array((peg.x, peg.y))
        away = place - points[np.argmin(np.linalg.norm(points - place, axis=1))]
        shift = rng.uniform(0.0 if peg.x < clear else -amplitude, amplitude)
        x, y = (place + shift * away / np.linalg.norm(away)).tolist()
        pegs.append(replace(peg, x=x, y=y))
    return replace(environment, obstacles=tuple(pegs))


def drive_side_by_side(
    robots: Sequence[PlanarRobot],
    controllers: Sequence[Any],
    environment: Environment | Sequence[Environment],
    duration: float = 20.0,
) -> list[Tracking]:
    """Runs several robots in one batch, in one environment or each in its own.

    The controllers have the same kind and rate, and know where their robots start, as path controllers do.
    """
    places = [environment] * len(robots) if isinstance(environment, Environment) else environment
    drivers = list(zip(robots, controllers, strict=True))
    worlds = [World(robot, place, way, way.start(robot)) for (robot, way), place in zip(drivers, places, strict=True)]
    # Peaks of rigid contact forces grow as the time step shrinks, so means over 10 ms are compared.
    record = Record(rate=100.0, variables=("link_angle", "center_of_mass", "joint_torque", "obstacle_load"))
    run = simulate(worlds, duration=duration, settings=Settings(on_failure="record"), record=record)
    return [tracking(run.isel(world=w), *driver) for w, driver in enumerate(drivers)]


@dataclass(frozen=True, kw_only=True)
class Pushes:
    """Normal forces and impulses between pegs and links of one run."""

    force: np.ndarray
    """Normal impulse of each link's contact, divided by the time step [N], shape (n_steps, n_links)."""
    peg_force: np.ndarray
    """The same for each peg, which may touch two links at a joint [N], shape (n_steps, n_pegs)."""
    dt: float
    """Time step [s]."""

    @property
    def closing(self) -> np.ndarray:
        """Contacts that carry load but did not in the step before, shape (n_steps, n_links)."""
        loaded = self.force > 0.0
        loaded[1:] &= self.force[:-1] <= 0.0
        loaded[0] = False  # a mean of the first step
        return loaded

    @property
    def lasting_force(self) -> float:
        """Largest force of a lasting contact [N]."""
        return float(np.where(self.closing, 0.0, self.force).max())

    @property
    def quiet_force(self) -> float:
        """Largest force on a peg in steps in which no contact closes anywhere [N]."""
        return float(self.peg_force[~self.closing.any(axis=1)].max(initial=0.0))

    @property
    def touch_impulses(self) -> np.ndarray:
        """Impulses of all touches [N s], shape (n_touches,)."""
        return self.force[self.closing] * self.dt


def pushes(world: World, duration: float, dt: float = 1e-3) -> Pushes:
    """Runs a world and records its pushes. No link may touch two pegs at once, as one force per link is recorded."""
    settings = Settings(dt=dt, on_failure="record")
    record = Record(rate=1.0 / dt, variables=("contact_normal_force", "obstacle_load"))
    run = simulate([world], duration=duration, settings=settings, record=record).isel(world=0, time=slice(1, None))
    return Pushes(force=np.abs(run.contact_normal_force.values), peg_force=run.obstacle_load.values, dt=dt)
