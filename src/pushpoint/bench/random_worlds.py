"""Random worlds that no scenario was built for, and how the engine handles them; `violent_worlds` has harder ones.

Every world has a seed of its own. Robot, time step, terrain, friction, gait, pose and spin follow from it alone, so a
failing world can be examined by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import pi, radians
from typing import Any

import numpy as np

from pushpoint.bench.cores import on_all_cores
from pushpoint.bench.surface_speeds import fastest_planar_point, fastest_point
from pushpoint.engine.controller import Gait
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.spatial.placing import nearest_obstacle
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import PushpointError
from pushpoint.gaits import LateralUndulation, Rolling, Sidewinding, SinusLifting, VerticalWave
from pushpoint.model.catalogue import aiko, liljeback2014, yaw_pitch_16
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic, Skin
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.model.terrain import Box, HeightField, Stairs
from pushpoint.simulation.rollout import Rollout
from pushpoint.studies.storing.results import KeptResults
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import Experiment, World

ROBOTS: tuple[Callable[[], SpatialRobot], ...] = (aiko, lambda: aiko(0.022), liljeback2014, yaw_pitch_16)
TIME_STEPS = (2.5e-4, 1e-3, 2e-3)
TERRAINS = ("flat", "slope", "stairs", "boxes", "heights", "pegs")
DROP = 0.05
"""Largest height from which robots fall [m]."""


@dataclass(frozen=True)
class RandomWorld:
    """A world and the parameters that its seed gave."""

    seed: int
    """Everything else follows from it."""
    robot: int
    """Which of its kind's robots."""
    dt: float
    """Time step [s]."""
    terrain: str
    """One of its kind's terrains."""
    world: World
    """Robot, environment, gait and start."""

    @property
    def batch(self) -> tuple[int, float, bool]:
        """What worlds in one batch share: robot, time step, and whether their controllers are called."""
        return self.robot, self.dt, not isinstance(self.world.controller, Gait)


def random_case(seed: int) -> RandomWorld:
    """The world of a seed."""
    rng = np.random.default_rng(seed)
    kind = int(rng.integers(len(ROBOTS)))
    robot = ROBOTS[kind]()
    terrain = str(rng.choice(TERRAINS))
    environment = _environment(rng, terrain)
    world = World(robot, environment, wave_gait(rng), start_above(rng, robot, environment))
    return RandomWorld(seed, kind, float(rng.choice(TIME_STEPS)), terrain, world)


def _environment(rng: np.random.Generator, terrain: str) -> Environment:
    mu = rng.uniform(0.0, 1.0, 3)
    laws = (
        Isotropic(mu[0]),
        Elliptic(along=mu[0], across=mu[1]),
        Skin(forward=mu[0], backward=mu[1], across=mu[2]),
        Elliptic(along=mu[0], across=mu[1], flow="directional"),
    )
    law = laws[int(rng.integers(len(laws)))]
    return spatial_place(rng, terrain, law, _field, steepest=0.4, bounciest=0.3, roughest=1.0)


def spatial_place(
    rng: np.random.Generator,
    terrain: str,
    friction: FrictionLaw,
    field: Callable[[np.random.Generator], HeightField],
    *,
    steepest: float,
    bounciest: float,
    roughest: float,
) -> Environment:
    """One of TERRAINS with a friction law on the ground; `field` makes the heights, if needed.

    `steepest` is the largest slope [rad], `bounciest` the restitution of the ground if it has any [-], `roughest` the
    largest friction coefficient of obstacles [-].
    """
    ground: dict[str, Any] = {
        "friction": friction,
        "rolling": float(rng.choice((0.0, 0.05))),
        "spin": float(rng.choice((0.0, 0.01))),
        "restitution": float(rng.choice((0.0, 0.0, bounciest))),
    }
    rough = float(rng.uniform(0.0, roughest))
    obstacles: list[Any] = []
    if terrain == "slope":
        ground |= {"slope": rng.uniform(-steepest, steepest), "slope_direction": rng.uniform(-pi, pi)}
    elif terrain == "stairs":
        rise, run = rng.uniform(0.05, 0.2), rng.uniform(0.15, 0.4)
        obstacles = [Stairs(foot=(-0.3, 0.0), steps=5, rise=rise, run=run, friction=rough)]
    elif terrain == "boxes":
        obstacles = [_box(rng, rough) for _ in range(40)]
    elif terrain == "heights":
        ground["heights"] = field(rng)
    elif terrain == "pegs":
        obstacles = scattered_pegs(rng, rough)
    return Environment(ground=Ground(**ground), obstacles=obstacles)


def scattered_pegs(rng: np.random.Generator, friction: float) -> list[Peg]:
    """Pegs of several sizes around the origin."""
    places = rng.uniform(-1.5, 1.5, (25, 2))
    return [Peg(x=x, y=y, radius=rng.uniform(0.02, 0.1), friction=friction) for x, y in places]


def _box(rng: np.random.Generator, friction: float) -> Box:
    """A box that reaches into the ground, rotated at random."""
    x, y = rng.uniform(-1.5, 1.5, 2)
    size = rng.uniform(0.05, 0.4, 3).tolist()
    pitch, roll = rng.uniform(-0.5, 0.5, 2) * rng.integers(2)
    return Box(
        center=(x, y, 0.2 * size[2]), size=size, yaw=rng.uniform(-pi, pi), pitch=pitch, roll=roll, friction=friction
    )


def _field(rng: np.random.Generator) -> HeightField:
    """Waves of several lengths, or steps, where every cell has its own level."""
    x = np.linspace(-3.0, 3.0, 121)
    heights = np.zeros((121, 121))
    for _ in range(4):
        k, phase = rng.uniform(-8.0, 8.0, 2), rng.uniform(-pi, pi)
        heights += 0.03 * np.sin(k[0] * x[:, None] + k[1] * x[None, :] + phase)
    if rng.integers(2):
        heights = np.round(heights / 0.03) * 0.03
    return HeightField(heights=heights, spacing=0.05, origin=(-3.0, -3.0))


def wave_gait(rng: np.random.Generator) -> Any:
    """One of the gaits in space."""
    wave: dict[str, Any] = {"angular_frequency": rng.uniform(0.5, 3.0), "phase": rng.uniform(-pi, pi)}
    shift: dict[str, Any] = {"phase_shift": -radians(rng.uniform(20, 70))}
    yaw, pitch = radians(rng.uniform(10, 40)), radians(rng.uniform(5, 20))
    gaits = (
        lambda: LateralUndulation(amplitude=yaw, **wave, **shift),
        lambda: Sidewinding(yaw_amplitude=-yaw, pitch_amplitude=pitch, pitch_lead=pi / 2, **wave, **shift),
        lambda: VerticalWave(amplitude=pitch, **wave, **shift),
        lambda: Rolling(amplitude=pitch, **wave),
        lambda: SinusLifting(yaw_amplitude=yaw, pitch_amplitude=pitch / 2, **wave, **shift),
    )
    return gaits[int(rng.integers(len(gaits)))]()


def start_above(
    rng: np.random.Generator,
    robot: SpatialRobot,
    environment: Environment,
    *,
    angles: Sequence[float] | None = None,
    highest: float = DROP,
    wildest: float = 3.0,
    fastest: float = 0.0,
) -> SpatialStart:
    """A random orientation and motion, up to `highest` [m] above what lies below, clear of everything.

    `angles` holds the joint angles [rad], by default random up to 0.3; `wildest` is the largest spin about each axis
    [rad/s], `fastest` the largest speed along each [m/s].
    """
    angles = rng.uniform(-0.3, 0.3, robot.n_joints).tolist() if angles is None else angles
    for _ in range(100):
        orientation = rng.normal(size=4).tolist()
        spin = rng.uniform(-wildest, wildest, 3).tolist()
        place = rng.uniform(-1.0, 1.0, 2).tolist()
        try:
            lying = SpatialStart(joint_angles=angles, orientation=orientation, position=place)
            pose = lying.pose(robot, environment)
            center = pose["center"] + np.array([0.0, 0.0, rng.uniform(0.0, highest)])
            if nearest_obstacle(robot, environment, center, pose["tail"], pose["angle"])[0] > 0.0:
                thrown = rng.uniform(-fastest, fastest, 3).tolist() if fastest else (0.0, 0.0, 0.0)
                turned_as = {"joint_angles": angles, "orientation": orientation}
                return SpatialStart(**turned_as, position=center, angular_velocity=spin, velocity=thrown)
        except PushpointError:
            continue
    raise RuntimeError("no clear start in a hundred tries")


DURATION = 2.0
"""Simulated time of every world [s]."""
ALLOWED_OVERLAP = 1e-3
"""Allowed overlap beyond the distance that the fastest point moves in one step [m]."""
ALLOWED_UNCONVERGED = 0.002
"""Share of all steps that may be unconverged [-]."""
SAMPLES_AT_ONCE = 160_000
"""Most samples of one batch, all worlds together [-]: one or two gigabytes."""
MOST_AT_ONCE = 40
"""Most worlds in one batch [-]."""
WORTH_HELP = 100
"""Fewer worlds than this are made without other processes, which take a second to start [-]."""


@dataclass(frozen=True, kw_only=True)
class WorldOutcome:
    """The outcome of one world."""

    seed: int
    """Its seed."""
    terrain: str
    """The terrain that it ran on."""
    robot: str
    """Name of the robot."""
    gait: str
    """Kind of the controller."""
    dt: float
    """Time step [s]."""
    status: str
    """"finished", or why it ended early."""
    steps: int
    """Steps done [-]."""
    finite: bool
    """Whether all recorded values are finite."""
    unconverged: int
    """Unconverged steps [-]."""
    penetration: float
    """Deepest overlap of a link with ground or obstacle [m]."""
    allowed: float
    """Distance that the fastest point of a link moves in one step, plus ALLOWED_OVERLAP [m]."""

    @property
    def too_deep(self) -> bool:
        """Whether the overlap is larger than allowed."""
        return not self.penetration <= self.allowed

    @property
    def failed(self) -> bool:
        """Whether the world ended early, recorded values that are not finite, or went too deep."""
        return self.status != "finished" or not self.finite or self.too_deep


def run_cases(cases: Sequence[RandomWorld], duration: float = DURATION) -> list[WorldOutcome]:
    """Runs cases that share a batch, planar or spatial, together."""
    dt = cases[0].dt
    every_step = Record(rate=1.0 / dt)  # the fastest motion lasts only a few
    worlds = tuple(case.world for case in cases)
    rollout = Rollout(Experiment(worlds, duration, Settings(dt=dt, on_failure="record"), every_step), whole=True)
    while not rollout.finished:
        rollout.advance()
    samples = rollout.stepper.samples()
    ends = zip(rollout.statuses(), rollout.stepper.state().step.tolist(), strict=True)
    outcomes = []
    for w, (case, (status, steps)) in enumerate(zip(cases, ends, strict=True)):
        one = {name: values[w, : steps + 1] for name, values in samples.items() if name != "load_on"}
        state = ("center", "tail", "angle", "v", "omega") if case.world.spatial else ("center", "theta", "v", "omega")
        fastest = fastest_point if case.world.spatial else fastest_planar_point
        outcomes.append(
            WorldOutcome(
                seed=case.seed,
                terrain=case.terrain,
                robot=case.world.robot.name,
                gait=type(case.world.controller).__name__,
                dt=dt,
                status="finished" if status is Status.FINISHED else status.name.lower(),
                steps=steps,
                finite=all(np.isfinite(one[name]).all() for name in state),
                unconverged=int(one["unconverged"][-1]),
                penetration=float(one["penetration"].max()),
                allowed=fastest(case.world.robot, one) * dt + ALLOWED_OVERLAP,
            )
        )
    return outcomes


Maker = Callable[[int], RandomWorld]


def random_cases(seeds: Sequence[int], make: Maker = random_case) -> Iterator[RandomWorld]:
    """The worlds that `make` builds from some seeds, in order; many of them are built on all cores."""
    yield from (map if len(seeds) < WORTH_HELP else on_all_cores)(make, seeds)


def outcomes_in(kept: KeptResults, seeds: Sequence[int], make: Maker = random_case) -> list[WorldOutcome]:
    """The outcomes that a store holds of the worlds that `make` builds from some seeds."""
    return [WorldOutcome(**kept[name]) for seed in seeds if (name := _name(seed, make)) in kept]


def _name(seed: int, make: Maker) -> str:
    return f"{make.__name__} {seed}"


def report(
    first_seed: int,
    count: int,
    *,
    make: Maker = random_case,
    kept: KeptResults | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[str, Any]:
    """Runs the worlds that `make` builds from `count` seeds and sums up; `progress` is called with the number done.

    A world whose outcome is `kept` from the same sources is not run again.
    """
    groups: dict[tuple[int, float, bool], list[RandomWorld]] = {}
    seeds = range(first_seed, first_seed + count)
    outcomes = [] if kept is None else outcomes_in(kept, seeds, make)
    if outcomes:
        progress(len(outcomes))

    def run(members: list[RandomWorld]) -> None:
        found = run_cases(members)
        outcomes.extend(found)
        if kept is not None:
            kept.add({_name(outcome.seed, make): asdict(outcome) for outcome in found})
        members.clear()
        progress(len(outcomes))

    missing = sorted(set(seeds) - {outcome.seed for outcome in outcomes})
    for case in random_cases(missing, make):
        members = groups.setdefault(case.batch, [])
        members.append(case)
        if len(members) == max(1, min(MOST_AT_ONCE, int(SAMPLES_AT_ONCE * case.dt / DURATION))):
            run(members)
    for members in filter(None, groups.values()):
        run(members)
    return summed_up(first_seed, outcomes)


def summed_up(first_seed: int, outcomes: Sequence[WorldOutcome]) -> dict[str, Any]:
    """The numbers of many worlds; `passed` says whether they keep the limits, `failures` which worlds do not."""
    steps = sum(outcome.steps for outcome in outcomes)
    share = sum(outcome.unconverged for outcome in outcomes) / steps
    counts = {
        "not_finite": sum(not outcome.finite for outcome in outcomes),
        "too_deep": sum(outcome.too_deep for outcome in outcomes),
        "ended_early": sum(outcome.status != "finished" for outcome in outcomes),
    }
    uncertain = sorted((o for o in outcomes if o.unconverged), key=lambda o: (-o.unconverged / o.steps, o.seed))
    return {
        "first_seed": first_seed,
        "worlds": len(outcomes),
        "steps": steps,
        **counts,
        "deepest_m": max(outcome.penetration for outcome in outcomes),
        "deepest_over_allowed": max(outcome.penetration / outcome.allowed for outcome in outcomes),
        "unconverged_share": share,
        "worlds_with_unconverged_steps": len(uncertain),
        "worlds_above_allowed_share": sum(o.unconverged > ALLOWED_UNCONVERGED * o.steps for o in uncertain),
        "passed": not counts["not_finite"] and not counts["too_deep"] and share < ALLOWED_UNCONVERGED,
        "unconverged": [{"seed": o.seed, "steps": o.unconverged, "of": o.steps} for o in uncertain],
        "failures": [asdict(o) for o in sorted(outcomes, key=lambda o: o.seed) if o.failed],
    }
