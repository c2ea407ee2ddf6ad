"""Random worlds from the whole space of options: wheels, both orders of cardan axes, all gaits, all terrain.

As in `random_worlds`, a seed is a world. Motors and starts are as gentle as there, so that an unconverged step or a
deep overlap is the law's fault. Left out: shape curves, robots on rails and other feedback, which do not reach the
kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import cos, pi, radians, sin
from typing import Any

import numpy as np

from pushpoint.bench.random_worlds import (
    ROBOTS,
    TERRAINS,
    TIME_STEPS,
    RandomWorld,
    spatial_place,
    start_above,
    wave_gait,
)
from pushpoint.bench.violent_worlds import COMMAND_RATE, PLANAR_ROBOTS, PLANAR_TERRAINS, clear_start
from pushpoint.engine.planar.start import Start
from pushpoint.errors import PushpointError
from pushpoint.gaits import (
    CompoundSerpenoid,
    ConicalSidewinding,
    HelicalRolling,
    LateralUndulation,
    LiftedSlithering,
    PatternGenerator,
    TurningSidewinding,
    WaveGait,
)
from pushpoint.model.environment import Environment, Ground, Peg, Polygon, Region, Wall
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic, Rectangular, Skin, Varying, Viscous
from pushpoint.model.joints import Cardan
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.model.terrain import HeightField, Pipe, Ramp
from pushpoint.model.wheels import Wheels
from pushpoint.worlds.world import World

Random = np.random.Generator
Maker = Callable[[int], RandomWorld]
NEW_TERRAINS = ("short pegs", "ramps", "pipes")
HOLLOW = "hollow polygons"


def wide_case(seed: int) -> RandomWorld:
    """The spatial world of a seed."""
    rng = np.random.default_rng((seed, 5))
    kind = int(rng.integers(len(ROBOTS)))
    robot, turned = _spatial_robot(rng, ROBOTS[kind]())
    terrain = str(rng.choice((*TERRAINS, *NEW_TERRAINS)))
    environment = _place(rng, terrain)
    controller = _fitting_controller(rng, robot)
    world = World(robot, environment, controller, start_above(rng, robot, environment))
    return RandomWorld(seed, 2 * kind + turned, float(rng.choice(TIME_STEPS)), terrain, world)


def wide_planar_case(seed: int) -> RandomWorld:
    """The planar world of a seed."""
    rng = np.random.default_rng((seed, 4))
    kind = int(rng.integers(len(PLANAR_ROBOTS)))
    robot = _planar_robot(rng, PLANAR_ROBOTS[kind]())
    terrain = str(rng.choice((*PLANAR_TERRAINS, HOLLOW)))
    environment = _planar_place(rng, terrain)
    world = World(robot, environment, _planar_controller(rng), _planar_start(rng, robot, environment))
    return RandomWorld(seed, kind, float(rng.choice(TIME_STEPS)), terrain, world)


def _wheels(rng: Random, length: float) -> tuple[Wheels, ...]:
    """No axle, one or two, from free rolling to brakes, from ice to rails, some askew."""
    return tuple(
        Wheels(
            offset=rng.uniform(-0.4, 0.4) * length,
            axle_angle=float(rng.choice((0.0, rng.uniform(-0.5, 0.5)))),
            rolling_resistance=float(rng.choice((0.0, rng.uniform(0.0, 0.3)))),
            side_limit=10 ** rng.uniform(-1.0, 2.0),
            track=float(rng.choice((0.0, 0.02))),
        )
        for _ in range(int(rng.choice((0, 1, 1, 2))))
    )


def _spatial_robot(rng: Random, robot: SpatialRobot) -> tuple[SpatialRobot, int]:
    """With wheels or without, touching itself or not, and with the other order of its cardan axes: 1 or 0."""
    turned = int(rng.integers(2)) if all(isinstance(joint, Cardan) for joint in robot.chain) else 0
    joints = tuple(
        replace(joint, first="yaw") if turned and isinstance(joint, Cardan) else joint for joint in robot.chain
    )
    links = robot.links
    if rng.random() < 0.5:
        links = tuple(replace(link, wheels=_wheels(rng, link.length)) for link in links)
    touches = bool(rng.integers(2))
    return replace(robot, links=links, joints=joints, self_contact=touches, self_friction=0.3 * touches), turned


def _planar_robot(rng: Random, robot: PlanarRobot) -> PlanarRobot:
    links = robot.links
    if rng.random() < 0.5:
        drawn = [_wheels(rng, link.length) for link in links]
        links = tuple(
            replace(link, wheels=wheels, supports=None) if wheels else link
            for link, wheels in zip(links, drawn, strict=True)
        )
    touches = bool(rng.integers(2)) and all(link.contact_force == "surface" for link in links)
    return replace(robot, links=links, self_contact=touches, self_friction=0.3 * touches)


def _law(rng: Random, *, spatial: bool) -> FrictionLaw:
    """Any law, some with coefficients that depend on the speed."""
    mu = rng.uniform(0.0, 1.0, 3)
    laws: tuple[FrictionLaw, ...] = (
        Isotropic(mu[0]),
        Elliptic(along=mu[0], across=mu[1], flow=str(rng.choice(("associated", "directional")))),  # type: ignore[arg-type]
        Skin(forward=mu[0], backward=mu[1], across=mu[2]),
        Rectangular(along=mu[0], across=mu[1]),
        Viscous(along=mu[0], across=mu[1]),
    )
    law = laws[int(rng.integers(len(laws)))]
    if rng.random() > 0.3:
        return law
    around = rng.uniform(0.5, 1.5, 4).tolist() if spatial else (1.0,)
    return Varying(law=law, stick_ratio=rng.uniform(0.8, 2.0), stribeck_speed=10 ** rng.uniform(-3, -1), around=around)


def _place(rng: Random, terrain: str) -> Environment:
    law, rough = _law(rng, spatial=True), float(rng.uniform(0.0, 1.0))
    if terrain in TERRAINS:
        return spatial_place(rng, terrain, law, _field, steepest=0.4, bounciest=0.3, roughest=1.0)
    ground = Ground(friction=law, rolling=float(rng.choice((0.0, 0.05))))
    makers: dict[str, Callable[[float, float], Any]] = {
        "short pegs": lambda x, y: Peg(
            x=x, y=y, radius=rng.uniform(0.02, 0.1), height=rng.uniform(0.02, 0.3), friction=rough
        ),
        "ramps": lambda x, y: Ramp(
            foot=(x, y),
            heading=rng.uniform(-pi, pi),
            length=rng.uniform(0.2, 1.0),
            rise=rng.uniform(0.02, 0.3),
            width=rng.uniform(0.2, 1.0),
            landing=float(rng.choice((0.0, 0.3))),
            friction=rough,
        ),
        "pipes": lambda x, y: _pipe(rng, x, y, rough),
    }
    places = rng.uniform(-1.5, 1.5, (6 if terrain == "pipes" else 15, 2))
    return Environment(ground=ground, obstacles=[makers[terrain](x, y) for x, y in places])


def _pipe(rng: Random, x: float, y: float, friction: float) -> Pipe:
    """A wide pipe that lies near the ground, level or a little tilted."""
    radius, turn, half = rng.uniform(0.1, 0.4), rng.uniform(-pi, pi), rng.uniform(0.2, 0.6)
    low, high = 0.02 + radius + rng.uniform(0.0, 0.1, 2)
    ahead = (half * cos(turn), half * sin(turn))
    return Pipe(
        start=(x - ahead[0], y - ahead[1], low),
        end=(x + ahead[0], y + ahead[1], high + 0.1),
        radius=radius,
        thickness=rng.uniform(0.005, 0.03),
        friction=friction,
    )


def _field(rng: Random) -> HeightField:
    x = np.linspace(-3.0, 3.0, 61)
    k = rng.uniform(-6.0, 6.0, (3, 2))
    phase = rng.uniform(-pi, pi, 3)
    waves = [0.03 * np.sin(a * x[:, None] + b * x[None, :] + p) for (a, b), p in zip(k, phase, strict=True)]
    return HeightField(heights=np.sum(waves, axis=0), spacing=0.1, origin=(-3.0, -3.0))


def _fitting_controller(rng: Random, robot: SpatialRobot) -> Any:
    """A controller that this robot can follow: some waves bend some robots too far."""
    while True:
        made = _spatial_controller(rng)
        try:
            if isinstance(made, WaveGait):
                made.wave(robot)
        except PushpointError:
            continue
        return made


def _spatial_controller(rng: Random) -> Any:
    """Nothing, a wave of any kind, or a pattern generator."""
    wave: dict[str, Any] = {"angular_frequency": rng.uniform(0.5, 3.0), "phase": rng.uniform(-pi, pi)}
    shift: dict[str, Any] = {"phase_shift": -radians(rng.uniform(20, 70))}
    yaw, pitch = radians(rng.uniform(10, 40)), radians(rng.uniform(5, 20))
    both: dict[str, Any] = {"yaw_amplitude": yaw, "pitch_amplitude": pitch, **wave, **shift}
    makers: tuple[Callable[[], Any], ...] = (
        lambda: None,
        lambda: wave_gait(rng),
        lambda: CompoundSerpenoid(**both, pitch_angular_frequency=2 * wave["angular_frequency"]),
        lambda: ConicalSidewinding(**both, taper=rng.uniform(-0.5, 0.5)),
        lambda: TurningSidewinding(**both, radius=float(rng.choice((-1, 1)) * rng.uniform(2.0, 6.0))),
        lambda: LiftedSlithering(amplitude=yaw, lift=pitch, soft_start=0.5, **wave, **shift),
        lambda: HelicalRolling(helix_radius=rng.uniform(0.1, 0.3), helix_rise=rng.uniform(0.02, 0.1), **wave),
        lambda: _pattern(rng, yaw, pitch),
    )
    return makers[int(rng.integers(len(makers)))]()


def _pattern(rng: Random, yaw: float, pitch: float) -> PatternGenerator:
    return PatternGenerator(
        amplitude=yaw,
        pitch_amplitude=pitch,
        angular_frequency=rng.uniform(0.5, 3.0),
        phase_shift=-radians(rng.uniform(20, 70)),
        rate=COMMAND_RATE,
    )


def _planar_place(rng: Random, terrain: str) -> Environment:
    rough, obstacles = float(rng.uniform(0.0, 1.0)), []  # type: float, list[Any]
    ground: dict[str, Any] = {"friction": _law(rng, spatial=False), "spin": float(rng.choice((0.0, 0.01)))}
    for x, y in rng.uniform(-1.5, 1.5, (8, 2)).tolist():
        if terrain == "pegs":
            obstacles.append(Peg(x=x, y=y, radius=rng.uniform(0.02, 0.1), friction=rough))
        elif terrain == "walls":
            obstacles.append(Wall(start=(x, y), end=(x + 0.5, y + rng.uniform(-0.5, 0.5)), friction=rough))
        elif terrain == "polygons":
            corners = [(x + 0.2 * cos(turn), y + 0.2 * sin(turn)) for turn in np.arange(5) * 2 * pi / 5]
            obstacles.append(Polygon(vertices=corners, friction=rough))
        elif terrain == HOLLOW:
            obstacles.append(_hollow(rng, x, y, rough))
    if terrain == "regions":
        other = _law(rng, spatial=False)
        ground["regions"] = [Region.rectangle(x=(-0.5, 0.5), y=(-0.5, 0.5), friction=other)]
    return Environment(ground=Ground(**ground), obstacles=obstacles)


def _hollow(rng: Random, x: float, y: float, friction: float) -> Polygon:
    """A star, bent inward, or a ring with a hole."""
    if rng.integers(2):
        turns = np.arange(10) * 2 * pi / 10 + rng.uniform(0, 2 * pi)
        sizes = np.where(np.arange(10) % 2, rng.uniform(0.08, 0.18), 0.25)
        return Polygon(
            vertices=[(x + r * cos(t), y + r * sin(t)) for t, r in zip(turns, sizes, strict=True)], friction=friction
        )
    big, small = ([(x + r * sx, y + r * sy) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))] for r in (0.3, 0.22))
    return Polygon(vertices=big, holes=[small], friction=friction)


def _planar_controller(rng: Random) -> Any:
    yaw, omega, chance = radians(rng.uniform(10, 60)), rng.uniform(0.5, 4.0), rng.random()
    if chance < 0.15:
        return None
    if chance < 0.35:
        return _pattern(rng, yaw, 0.0)
    return LateralUndulation(amplitude=yaw, phase_shift=-radians(rng.uniform(20, 70)), angular_frequency=omega)


def _planar_start(rng: Random, robot: PlanarRobot, environment: Environment) -> Start:
    def drawn() -> Start:
        return Start(
            joint_angles=rng.uniform(-0.3, 0.3, robot.n_joints).tolist(),
            heading=rng.uniform(-pi, pi),
            position=rng.uniform(-1.0, 1.0, 2).tolist(),
            velocity=rng.uniform(-0.5, 0.5, 2).tolist(),
        )

    return clear_start(drawn, robot, environment)
