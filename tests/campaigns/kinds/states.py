"""States that are not the simulator's own: fields changed, swapped, cast or mutilated, restored and stepped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import pushpoint as pp
from campaigns.campaign import kind

Random = np.random.Generator

ODD_NUMBERS = (
    np.nan,
    np.inf,
    -np.inf,
    1e308,
    -1e300,
    1e160,
    1e30,
    1e9,
    -1.0,
    1e-320,
    2**31 - 1,
    2**31,
    -(2**31),
    2**63,
)
"""Put into fields; whole ones into those of whole numbers as well."""
CASTS = ("float16", "float32", "longdouble", ">f8", ">i4", "complex128", "object", "U8", "bool", "int8", "uint64", "S4")


@cache
def simulator(number: int) -> pp.Simulator:
    """One of three batches: planar among pegs, spatial with links that touch each other, planar in single precision."""
    if number == 1:
        robot: Any = pp.catalogue.liljeback2014()
        places = [pp.Environment(obstacles=[pp.Box(center=(0.4, 0.3, 0.05), size=(0.2, 0.2, 0.1))])] * 2
        return pp.Simulator([pp.World(robot, place) for place in places], settings=pp.Settings(on_failure="record"))
    settings = pp.Settings(precision="float32" if number == 2 else "float64", on_failure="record")
    pegs = [pp.Peg(x=0.1 * k, y=0.13, radius=0.05, friction=0.3) for k in range(3)]
    ground = pp.Ground(friction=pp.Elliptic(along=0.1, across=0.3))
    place = pp.Environment(ground=ground, obstacles=pegs)
    return pp.Simulator([pp.World(pp.catalogue.aiko_planar(), place)] * 3, settings=settings)


def command(chosen: pp.Simulator, random: Random) -> pp.Command:
    """Joint angles for all worlds."""
    n_joints = chosen.worlds[0].robot.n_joints
    return pp.Command(joint_angle=random.uniform(-0.5, 0.5, (len(chosen.worlds), n_joints)))


def odd_entries(random: Random, array: np.ndarray) -> Any:
    """Some entries replaced by odd numbers."""
    made = np.array(array)
    for _ in range(random.integers(1, 4)):
        odd = ODD_NUMBERS[random.integers(len(ODD_NUMBERS))]
        if made.dtype.kind in "iu":
            made = made.astype(np.int64) if np.isfinite(odd) and abs(odd) < 2**63 else made.astype(float)
        if made.size:
            with np.errstate(over="ignore"):
                made.flat[random.integers(made.size)] = odd
    return made


def scaled(random: Random, array: np.ndarray) -> Any:
    """All entries times a factor, whole numbers moved."""
    return array * 10.0 ** random.uniform(-3, 6) if array.dtype.kind == "f" else array + random.integers(-3, 300)


def cast(random: Random, array: np.ndarray) -> Any:
    """Another kind of numbers, or none."""
    with np.errstate(all="ignore"):
        return array.astype(CASTS[random.integers(len(CASTS))])


def reshaped(random: Random, array: np.ndarray) -> Any:
    """Another shape or order in memory."""
    ways: tuple[Callable[[], Any], ...] = (
        lambda: array.ravel(), lambda: array[..., None], lambda: array[:0], lambda: array[::-1],
        lambda: np.asfortranarray(array), lambda: array.tolist(), lambda: array.T, lambda: np.concatenate([array,
        array]),
        lambda: np.ma.masked_array(array, mask=random.random(array.shape) < 0.1), lambda: array.reshape(1,
        *array.shape),
    )  # fmt: skip
    return ways[random.integers(len(ways))]()


def no_array(random: Random, array: np.ndarray) -> Any:
    """Something else."""
    others = (None, "x", 0, 1.5, [], {}, object(), [[1], [1, 2]], np.array(None), pp.Peg, b"", 10**5000)
    return others[random.integers(len(others))]


WAYS = (odd_entries, odd_entries, scaled, cast, reshaped, no_array)


@kind("states", full=20_000, short=150, limit=20.0)
def trial(seed: int) -> str:
    """A state with one to three fields changed, restored and stepped."""
    random = np.random.default_rng((seed, 16))
    chosen = simulator(int(random.integers(3)))
    chosen.reset()
    for _ in range(random.integers(0, 4)):
        chosen.step(command(chosen, random))
    state = chosen.state
    names = random.choice(type(state).names(), size=random.integers(1, 4), replace=False)
    changed = {name: WAYS[random.integers(len(WAYS))](random, getattr(state, name)) for name in map(str, names)}
    chosen.restore(replace(state, **changed))
    for _ in range(5):
        measured = chosen.step(command(chosen, random))
    running = np.array([status is pp.Status.RUNNING for status in chosen.statuses])
    assert np.isfinite(measured.joint_angle[running]).all(), "a world that runs measures NaN"
    return "accepted"
