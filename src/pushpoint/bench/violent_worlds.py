"""Violent random worlds, planar and spatial: strong and weak motors of every kind, hard throws, friction up to 2.

As in `random_worlds`, a seed is a world. These use every option of a motor, let robots touch themselves, start them
beside height fields, and use steps from fine to far too coarse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import pi, radians
from typing import Any

import numpy as np

from pushpoint.bench.random_worlds import (
    ROBOTS,
    TERRAINS,
    RandomWorld,
    scattered_pegs,
    spatial_place,
    start_above,
    wave_gait,
)
from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.start import Start, check_clear
from pushpoint.errors import PushpointError
from pushpoint.gaits import LateralUndulation, WaveGait
from pushpoint.model import catalogue
from pushpoint.model.environment import Environment, Ground, Polygon, Region, Wall
from pushpoint.model.friction import Elliptic, FrictionLaw, Frictionless, Isotropic, Rectangular, Skin, Varying, Viscous
from pushpoint.model.joints import Cardan, Joint, Pitch, Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.model.terrain import HeightField
from pushpoint.worlds.world import World

PLANAR_ROBOTS: tuple[Callable[[], PlanarRobot], ...] = (
    catalogue.aiko_planar,
    catalogue.aiko_2008b,
    catalogue.liljeback2011,
    catalogue.liljeback2014_planar,
    catalogue.holden2014,
    catalogue.acm_iii_planar,
    catalogue.yaw_pitch_16_planar,
)
TIME_STEPS = (2.5e-4, 5e-4, 1e-3, 2e-3, 4e-3)
PLANAR_TERRAINS = ("flat", "pegs", "walls", "polygons", "regions")
MOST_DRAWN = 300
"""Starts that are drawn for a world until one is clear of everything [-]."""
COMMAND_RATE = 50.0
"""Commands per second of controllers that command torques [Hz]; every time step divides its period."""
FASTEST, WILDEST = 2.0, 10.0
"""Largest speed [m/s] and spin [rad/s] of a start, along and about each axis."""
FALL = 0.3
"""Largest height from which robots fall [m]."""


def violent_case(seed: int) -> RandomWorld:
    """The spatial world of a seed."""
    rng = np.random.default_rng((seed, 3))
    kind = int(rng.integers(len(ROBOTS)))
    robot = _spatial_robot(rng, ROBOTS[kind]())
    terrain = str(rng.choice(TERRAINS))
    law = _friction(rng, spatial=True)
    environment = spatial_place(rng, terrain, law, _field, steepest=0.6, bounciest=0.5, roughest=2.0)
    controller = _controller(rng, robot.n_joints, wave_gait)
    angles = _posture(rng, robot, controller)
    start = start_above(rng, robot, environment, angles=angles, highest=FALL, fastest=FASTEST, wildest=WILDEST)
    world = World(robot, environment, controller, start)
    return RandomWorld(seed, kind, float(rng.choice(TIME_STEPS)), terrain, world)


def violent_planar_case(seed: int) -> RandomWorld:
    """The planar world of a seed."""
    rng = np.random.default_rng((seed, 2))
    kind = int(rng.integers(len(PLANAR_ROBOTS)))
    robot = PLANAR_ROBOTS[kind]()
    robot = replace(robot, motors=_motors(rng, robot.n_joints))
    terrain = str(rng.choice(PLANAR_TERRAINS))
    environment = _planar_place(rng, terrain)
    controller = _controller(rng, robot.n_joints, _lateral)
    start = _planar_start(rng, robot, environment, _posture(rng, robot, controller))
    world = World(robot, environment, controller, start)
    return RandomWorld(seed, kind, float(rng.choice(TIME_STEPS)), terrain, world)


def _motor(rng: np.random.Generator) -> Motor:
    """From a free joint to a servo far too stiff for its links, with any of the limits."""
    given: dict[str, Any] = {"stiffness": 10 ** rng.uniform(0.0, 2.9), "damping": rng.choice((0.0, rng.uniform(0, 2)))}
    if rng.random() < 0.7:
        given["torque_limit"] = 10 ** rng.uniform(-0.5, 1.7)
        if rng.random() < 0.6:
            given["speed_limit"] = 10 ** rng.uniform(-0.5, 1.3)
    if rng.random() < 0.3:
        given["backlash"] = rng.uniform(0.0, 0.1)
    if rng.random() < 0.4:
        given |= {"lower": -rng.uniform(0.4, 2.0), "upper": rng.uniform(0.4, 2.0)}
    return Motor(**given)


def _motors(rng: np.random.Generator, count: int) -> tuple[Motor, ...]:
    """All equal, or each of its own kind."""
    one = _motor(rng)
    return (one,) * count if rng.random() < 0.5 else tuple(_motor(rng) for _ in range(count))


def _spatial_robot(rng: np.random.Generator, robot: SpatialRobot) -> SpatialRobot:
    motors = iter(_motors(rng, robot.n_joints))

    def moved(joint: Joint) -> Joint:
        if isinstance(joint, Cardan):
            return replace(joint, pitch=next(motors), yaw=next(motors))
        assert isinstance(joint, Yaw | Pitch)
        return replace(joint, motor=next(motors))

    touches = bool(rng.integers(2))
    rubs = float(rng.choice((0.0, 0.5))) if touches else 0.0
    return replace(robot, joints=tuple(map(moved, robot.chain)), self_contact=touches, self_friction=rubs)


def _friction(rng: np.random.Generator, *, spatial: bool) -> FrictionLaw:
    mu = rng.uniform(0.0, 2.0, 3)
    flow: Any = str(rng.choice(("associated", "directional")))
    laws: Sequence[FrictionLaw] = (
        Frictionless(),
        Isotropic(mu[0]),
        Elliptic(along=mu[0], across=mu[1], flow=flow),
        Skin(forward=mu[0], backward=mu[1], across=mu[2], flow=flow),
        Rectangular(along=mu[0], across=mu[1]),
        Viscous(along=mu[0], across=mu[1]),
    )
    law = laws[int(rng.integers(len(laws)))]
    if spatial and rng.random() < 0.2:
        return Varying(law=law, stick_ratio=rng.uniform(1.0, 2.0), around=rng.uniform(0.5, 1.5, 4).tolist())
    return law


def _field(rng: np.random.Generator) -> HeightField:
    """A small field whose rim lies under the robot or beside it; waves or steps."""
    shape = rng.integers(2, 40, 2)
    spacing = rng.uniform(0.01, 0.1)
    i, j = np.arange(shape[0])[:, None], np.arange(shape[1])[None, :]
    heights = np.zeros(shape)
    for _ in range(3):
        k, phase = rng.uniform(-1.0, 1.0, 2), rng.uniform(-pi, pi)
        heights += 0.4 * spacing * np.sin(k[0] * i + k[1] * j + phase)
    if rng.integers(2):
        heights = np.round(heights / 0.02) * 0.02
    origin = tuple((rng.uniform(-1.0, 1.0, 2) - 0.5 * spacing * shape).tolist())
    return HeightField(heights=heights, spacing=spacing, origin=origin)


def _planar_place(rng: np.random.Generator, terrain: str) -> Environment:
    rough, bounce = float(rng.uniform(0.0, 2.0)), float(rng.choice((0.0, 0.0, 0.5)))
    ground: dict[str, Any] = {"friction": _friction(rng, spatial=False), "spin": float(rng.choice((0.0, 0.01)))}
    obstacles: list[Any] = []
    if terrain == "pegs":
        obstacles = [replace(peg, restitution=bounce) for peg in scattered_pegs(rng, rough)]
    elif terrain == "walls":
        for x, y in rng.uniform(-1.5, 1.5, (6, 2)):
            end = (x + rng.uniform(-0.8, 0.8), y + rng.uniform(0.1, 0.8))
            obstacles.append(Wall(start=(x, y), end=end, thickness=0.04, friction=rough, restitution=bounce))
    elif terrain == "polygons":
        for x, y in rng.uniform(-1.5, 1.5, (8, 2)):
            turns = np.sort(rng.uniform(0, 2 * pi / 5, 5) + np.arange(5) * 2 * pi / 5)
            corners = [(x + 0.2 * np.cos(turn), y + 0.2 * np.sin(turn)) for turn in turns]
            obstacles.append(Polygon(vertices=corners, friction=rough, restitution=bounce))
    elif terrain == "regions":
        wide = rng.uniform(0.2, 1.0, 2)
        law = _friction(rng, spatial=False)
        ground["regions"] = [Region.rectangle(x=(-wide[0], wide[0]), y=(-wide[1], wide[1]), friction=law)]
    return Environment(ground=Ground(**ground), obstacles=obstacles)


def _lateral(rng: np.random.Generator) -> LateralUndulation:
    return LateralUndulation(
        amplitude=radians(rng.uniform(10, 60)),
        angular_frequency=rng.uniform(0.5, 6.0),
        phase=rng.uniform(-pi, pi),
        phase_shift=-radians(rng.uniform(20, 70)),
    )


def _controller(rng: np.random.Generator, n_joints: int, gait: Callable[[np.random.Generator], Any]) -> Any:
    """Mostly servos that follow a gait; sometimes torques, sometimes prescribed motion."""
    chance = rng.random()
    if chance < 0.2:
        strong = 10 ** rng.uniform(-1.0, 1.5)
        return ConstantTorque(torque=rng.uniform(-strong, strong, n_joints).tolist(), rate=COMMAND_RATE)
    made = gait(rng)
    return replace(made, prescribed=True) if chance < 0.3 else made


def _posture(rng: np.random.Generator, robot: AnyRobot, controller: Any) -> list[float]:
    """Random joint angles [rad]; for prescribed motion its own, which would otherwise begin with a jump."""
    angles = rng.uniform(-0.3, 0.3, robot.n_joints)
    imposed = isinstance(controller, WaveGait) and controller.prescribed
    return [float(angle) for angle in (controller.first_reference(robot) if imposed else angles)]


def _planar_start(
    rng: np.random.Generator, robot: PlanarRobot, environment: Environment, angles: Sequence[float]
) -> Start:
    """A random position and motion of a posture, clear of everything."""

    def drawn() -> Start:
        return Start(
            joint_angles=angles,
            heading=rng.uniform(-pi, pi),
            position=rng.uniform(-1.0, 1.0, 2).tolist(),
            velocity=rng.uniform(-FASTEST, FASTEST, 2).tolist(),
            spin=rng.uniform(-WILDEST, WILDEST),
        )

    return clear_start(drawn, robot, environment)


def clear_start(drawn: Callable[[], Start], robot: PlanarRobot, environment: Environment) -> Start:
    """The first of the starts that are drawn that is clear of everything."""
    for _ in range(MOST_DRAWN):
        start = drawn()
        pose = start.pose(robot)
        try:
            check_clear(0, robot, environment, pose["center"], pose["theta"])
        except PushpointError:
            continue
        return start
    raise RuntimeError(f"no clear start in {MOST_DRAWN} tries")
