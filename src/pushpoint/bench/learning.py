"""How fast worlds are stepped from outside, as training does: beside an environment of Gymnasium that uses MuJoCo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pushpoint.bench.timing import alternate, timed
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.errors import MissingExtra
from pushpoint.model.catalogue import aiko_planar, liljeback2011
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic
from pushpoint.papers.liljeback2011.courses import random_course
from pushpoint.simulation.stepping.on_device import DeviceSimulator
from pushpoint.simulation.stepping.simulator import Simulator
from pushpoint.studies.places import random_place
from pushpoint.worlds.world import World

PEER = "Swimmer-v5"
"""Gymnasium's snake: three links that swim, without contacts."""
WORLDS = 256
"""Worlds of a batch [-]."""
RATES = {"20_hz": (20.0, 5e-3), "100_hz": (100.0, 1e-3)}
"""Commands per simulated second [Hz], and the time step [s]."""
COURSES = 32
"""Random courses that are swapped in [-]."""
AMPLITUDE, SHIFT, FREQUENCY = 0.5, 0.7, 2.0
"""The wave that is commanded: its amplitude [rad], shift from joint to joint [rad] and angular frequency [rad/s]."""


def run_bench(*, quick: bool = False) -> dict[str, Any]:
    """Steps of one world and of many, beside the peer; worlds swapped in; random courses made."""
    repeats, steps = (3, 100) if quick else (9, 400)
    few = max(1, steps // 20)  # of many worlds
    rivals: list[Callable[[], object]] = [_peer(steps)]
    for rate in RATES.values():
        rivals += [_stepping(1, rate, steps), _stepping(WORLDS, rate, few)]
    theirs, *ours = alternate(repeats, *map(timed, rivals))
    found: dict[str, Any] = {"repeats": repeats, "links": aiko_planar().n_links}
    found |= {"worlds": WORLDS, "peer": PEER, "peer_steps_per_s": steps / theirs}
    for (name, (_, dt)), one, many in zip(RATES.items(), ours[::2], ours[1::2], strict=True):
        per_second = WORLDS * few / many
        found[name] = {
            "dt_s": dt,
            "one_world_ms_per_step": one / steps * 1e3,
            "one_world_steps_per_s": steps / one,
            "many_worlds_steps_per_s": per_second,
            "one_world_over_peer": theirs / one,
            "many_worlds_over_peer": per_second * theirs / steps,
        }
    return found | _swaps(repeats)


def _stepping(worlds: int, rate_and_dt: tuple[float, float], steps: int) -> Callable[[], None]:
    """So many commands of a wave for copies of a robot on flat ground; it goes on from call to call."""
    (rate, dt), robot = rate_and_dt, aiko_planar()
    place = Environment(ground=Ground(friction=Elliptic(along=0.1, across=0.5)))
    simulator = Simulator([World(robot, place)] * worlds, rate=rate, settings=Settings(dt=dt))
    simulator.reset()
    phase, turn = np.arange(worlds)[:, None] - SHIFT * np.arange(robot.n_joints), 0

    def work() -> None:
        nonlocal turn
        for _ in range(steps):
            turn += 1
            simulator.step(Command(joint_angle=AMPLITUDE * np.sin(FREQUENCY * turn / rate + phase)))

    return work


def _peer(steps: int) -> Callable[[], None]:
    """So many steps of the peer with random actions, as its users step it."""
    try:
        import gymnasium
    except ImportError:
        raise MissingExtra("a benchmark beside Gymnasium", "learn") from None
    try:
        env = gymnasium.make(PEER)
    except gymnasium.error.DependencyNotInstalled:
        raise MissingExtra("a benchmark beside MuJoCo", "bench") from None
    env.reset(seed=0)
    shape: Any = env.action_space.shape
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (steps, *shape))

    def work() -> None:
        for action in actions:
            *_, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return work


def _swaps(repeats: int) -> dict[str, Any]:
    """What it takes to put random courses into worlds, one or all of them at a time, and to make such courses."""
    robot = liljeback2011()
    places = [random_place(seed, robot=robot) for seed in range(COURSES)]
    worlds = [World(robot, place.environment, None, place.starts[0]) for place in places]
    most = max(len(world.environment.obstacles) for world in worlds)
    simulator = Simulator(
        [worlds[k % COURSES] for k in range(WORLDS)], rate=20.0, settings=Settings(dt=5e-3), most_obstacles=most
    )
    first, every = np.arange(WORLDS) < COURSES, np.arange(WORLDS)

    def one_by_one() -> None:
        for k, world in enumerate(worlds):
            simulator.reset(every == k, [world])

    pooled = DeviceSimulator(worlds, slots=WORLDS, rate=20.0, settings=Settings(dt=5e-3), arrays="numpy")
    pooled.reset()

    def from_pool() -> None:
        for k in range(COURSES):
            pooled.reset(every == k, every % COURSES)

    single, pool, together, made = alternate(
        repeats,
        timed(one_by_one),
        timed(from_pool),
        timed(lambda: simulator.reset(first, worlds[1:] + worlds[:1])),
        timed(lambda: [random_course(robot, seed, friction=0.2) for seed in range(COURSES)]),
    )
    return {
        "courses": COURSES,
        "swap_ms_one_at_a_time": single / COURSES * 1e3,
        "swap_ms_from_a_pool": pool / COURSES * 1e3,
        "swap_ms_together": together / COURSES * 1e3,
        "ms_per_random_course": made / COURSES * 1e3,
    }
