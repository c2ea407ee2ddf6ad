"""Random spatial worlds: what no scenario was built for.

Every world has a seed of its own: robot, time step, terrain, friction, gait, pose and spin follow from it alone, so
that one that fails can be looked at by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi, radians
from typing import Any

import numpy as np

from pushpoint.engine.spatial.start import SpatialStart, nearest
from pushpoint.errors import PushpointError
from pushpoint.gaits import LateralUndulation, Rolling, Sidewinding, SinusLifting, VerticalWave
from pushpoint.model.catalogue import aiko, liljeback2014, yaw_pitch_16
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic, Skin
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.model.terrain import Box, HeightField, Stairs
from pushpoint.worlds.world import World

ROBOTS: tuple[Callable[[], SpatialRobot], ...] = (aiko, lambda: aiko(0.022), liljeback2014, yaw_pitch_16)
TIME_STEPS = (2.5e-4, 1e-3, 2e-3)
TERRAINS = ("flat", "slope", "stairs", "boxes", "heights", "pegs")
DROP = 0.05
"""Height above what lies below from which robots fall, at most [m]."""


@dataclass(frozen=True)
class RandomWorld:
    """A world and what its seed made of it."""

    seed: int
    """All else follows from it."""
    robot: int
    """Which of ROBOTS."""
    dt: float
    """Time step [s]."""
    terrain: str
    """One of TERRAINS."""
    world: World
    """Robot, environment, gait and start."""


def random_case(seed: int) -> RandomWorld:
    """The world of a seed."""
    rng = np.random.default_rng(seed)
    kind = int(rng.integers(len(ROBOTS)))
    robot = ROBOTS[kind]()
    terrain = str(rng.choice(TERRAINS))
    environment = _environment(rng, terrain)
    world = World(robot, environment, _gait(rng), _start(rng, robot, environment))
    return RandomWorld(seed, kind, float(rng.choice(TIME_STEPS)), terrain, world)


def _friction(rng: np.random.Generator) -> FrictionLaw:
    mu = rng.uniform(0.0, 1.0, 3)
    laws = (
        Isotropic(mu[0]),
        Elliptic(along=mu[0], across=mu[1]),
        Skin(forward=mu[0], backward=mu[1], across=mu[2]),
        Elliptic(along=mu[0], across=mu[1], flow="directional"),
    )
    return laws[int(rng.integers(len(laws)))]


def _environment(rng: np.random.Generator, terrain: str) -> Environment:
    ground: dict[str, Any] = {
        "friction": _friction(rng),
        "rolling": float(rng.choice((0.0, 0.05))),
        "spin": float(rng.choice((0.0, 0.01))),
        "restitution": float(rng.choice((0.0, 0.0, 0.3))),
    }
    rough = float(rng.uniform(0.0, 1.0))
    obstacles: list[Peg | Box | Stairs] = []
    if terrain == "slope":
        ground |= {"slope": rng.uniform(-0.4, 0.4), "slope_direction": rng.uniform(-pi, pi)}
    elif terrain == "stairs":
        rise, run = rng.uniform(0.05, 0.2), rng.uniform(0.15, 0.4)
        obstacles = [Stairs(foot=(-0.3, 0.0), steps=5, rise=rise, run=run, friction=rough)]
    elif terrain == "boxes":
        obstacles = [_box(rng, rough) for _ in range(40)]
    elif terrain == "heights":
        ground["heights"] = _field(rng)
    elif terrain == "pegs":
        places = rng.uniform(-1.5, 1.5, (25, 2))
        obstacles = [Peg(x=x, y=y, radius=rng.uniform(0.02, 0.1), friction=rough) for x, y in places]
    return Environment(ground=Ground(**ground), obstacles=obstacles)


def _box(rng: np.random.Generator, friction: float) -> Box:
    x, y = rng.uniform(-1.5, 1.5, 2)
    size = rng.uniform(0.05, 0.4, 3).tolist()
    pitch, roll = rng.uniform(-0.5, 0.5, 2) * rng.integers(2)
    return Box(
        center=(x, y, 0.2 * size[2]), size=size, yaw=rng.uniform(-pi, pi), pitch=pitch, roll=roll, friction=friction
    )


def _field(rng: np.random.Generator) -> HeightField:
    """Waves of several lengths, or steps: every cell a level of its own."""
    x = np.linspace(-3.0, 3.0, 121)
    heights = np.zeros((121, 121))
    for _ in range(4):
        k, phase = rng.uniform(-8.0, 8.0, 2), rng.uniform(-pi, pi)
        heights += 0.03 * np.sin(k[0] * x[:, None] + k[1] * x[None, :] + phase)
    if rng.integers(2):
        heights = np.round(heights / 0.03) * 0.03
    return HeightField(heights=heights, spacing=0.05, origin=(-3.0, -3.0))


def _gait(rng: np.random.Generator) -> Any:
    wave: dict[str, Any] = {"angular_frequency": rng.uniform(0.5, 3.0), "phase": rng.uniform(-pi, pi)}
    shift: dict[str, Any] = {"phase_shift": -radians(rng.uniform(20, 70))}
    yaw, pitch = radians(rng.uniform(10, 40)), radians(rng.uniform(5, 20))
    gaits = (
        lambda: LateralUndulation(amplitude=yaw, **wave, **shift),
        lambda: Sidewinding(yaw_amplitude=yaw, pitch_amplitude=pitch, **wave, **shift),
        lambda: VerticalWave(amplitude=pitch, **wave, **shift),
        lambda: Rolling(amplitude=pitch, **wave),
        lambda: SinusLifting(yaw_amplitude=yaw, pitch_amplitude=pitch / 2, **wave, **shift),
    )
    return gaits[int(rng.integers(len(gaits)))]()


def _start(rng: np.random.Generator, robot: SpatialRobot, environment: Environment) -> SpatialStart:
    """A random orientation and spin, a little above what lies below, clear of everything."""
    angles = rng.uniform(-0.3, 0.3, robot.n_joints).tolist()
    for _ in range(100):
        orientation = rng.normal(size=4).tolist()
        spin = rng.uniform(-3.0, 3.0, 3).tolist()
        place = rng.uniform(-1.0, 1.0, 2).tolist()
        try:
            lying = SpatialStart(joint_angles=angles, orientation=orientation, position=place)
            pose = lying.pose(robot, environment)
            center = pose["center"] + np.array([0.0, 0.0, rng.uniform(0.0, DROP)])
            if nearest(robot, environment, center, pose["tail"], pose["angle"])[0] > 0.0:
                return SpatialStart(
                    joint_angles=angles, orientation=orientation, position=center, angular_velocity=spin
                )
        except PushpointError:
            continue
    raise RuntimeError("no clear start in a hundred tries")
