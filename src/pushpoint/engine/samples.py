"""The kernels' samples: a buffer that is filled by steps and emptied from the front."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import warp as wp

from pushpoint.engine.records import Records, size_of

_WORKS = ("starts", "rates", "works")
ON_REQUEST: dict[str, tuple[str, ...]] = {
    "load_on": (),
    "push_on": ("reactions",),
    "rub_on": ("reactions",),
    "ground_rub": _WORKS,
    "obstacle_rub": _WORKS,
    "own_rub": _WORKS,
    "normal_loss": _WORKS,
    "stop_loss": _WORKS,
    "load_gain": _WORKS,
    "touched": ("touches",),
    "on_sphere": ("supported",),
    "moment": ("starts", "moments"),
}
"""Arrays of the kernels' samples that a run has only on request, each with the tallies that it is taken from."""
USUAL = (
    *("tail", "theta", "v", "omega", "angle", "rate"),
    *("reference", "ground", "obstacle", "side", "load", "own", "motor", "motor_work"),
)
"""Arrays that are there unless only others are wanted. The centre of mass and the solver's health always are."""
PER_OBSTACLE = ("load_on", "push_on", "rub_on")
"""Arrays of samples with one column per obstacle of the whole batch, samples first."""
PER_JOINT = ("reference", "angle", "rate", "motor", "motor_work")
NUMBERS = ("every", "first", "with_obstacles")
"""Fields of the kernels' samples that are not arrays."""


def tallies_of(wanted: Collection[str]) -> set[str]:
    """The tallies that samples on request are taken from; without any, the usual kernel will do."""
    return {tally for name in wanted for tally in ON_REQUEST.get(name, ())}


def is_taken(name: str, wanted: Collection[str]) -> bool:
    """Whether an array of samples is filled."""
    return name in wanted or name not in (*ON_REQUEST, *USUAL)


def sample_shapes(
    records: Records, count: int, wanted: Collection[str], n_obstacles: int, n_spheres: int
) -> dict[str, tuple[int, ...]]:
    """Shapes of the arrays that hold `count` samples, without the components of vectors; empty if not wanted."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, variable in records.family.Samples.vars.items():
        if name in NUMBERS:
            continue
        last = records.n_joints if name in PER_JOINT else records.n_links * (n_spheres if name == "on_sphere" else 1)
        shapes[name] = (count, n_obstacles) if name in PER_OBSTACLE else (records.n_worlds, count, last)
        shapes[name] = shapes[name][: variable.type.ndim]
        if not is_taken(name, wanted):
            shapes[name] = (shapes[name][0], *[0] * (variable.type.ndim - 1))
    return shapes


def sample_bytes(records: Records, wanted: Collection[str], n_obstacles: int, n_spheres: int) -> int:
    """Memory of one sample of all worlds [bytes]."""
    variables = records.family.Samples.vars
    shapes = sample_shapes(records, 1, wanted, n_obstacles, n_spheres)
    return sum(size_of(variables[name].type.dtype) * int(np.prod(shape)) for name, shape in shapes.items())


def make_samples(
    records: Records, count: int, every: int, wanted: Collection[str], n_obstacles: int, n_spheres: int
) -> Any:
    """Space for `count` samples, one per `every` steps, of those that are wanted."""
    struct = records.family.Samples()
    arrays = {
        name: wp.zeros(shape, dtype=struct._cls.vars[name].type.dtype, device=records.device)
        for name, shape in sample_shapes(records, count, wanted, n_obstacles, n_spheres).items()
    }
    loads = int("load_on" in wanted and n_obstacles > 0)
    return records.fill(struct, every=every, first=0, with_obstacles=loads, **arrays)


def arrays_of(samples: Any) -> dict[str, Any]:
    """The kernels' arrays of samples by name."""
    return {name: getattr(samples, name) for name in samples._cls.vars if name not in NUMBERS}


def put_first(records: Records, samples: Any, values: Mapping[str, np.ndarray]) -> None:
    """Writes the first sample: what is known before the first step."""
    for name, value in values.items():
        array = getattr(samples, name)
        if array.size == 0:
            continue
        host = array.numpy()
        host[:, 0] = value
        if records.on_gpu:
            array.assign(host)


def _rows(name: str, host: np.ndarray) -> np.ndarray:
    """An array with samples first."""
    return host if name in PER_OBSTACLE else host.swapaxes(0, 1)


def drop_samples(records: Records, samples: Any, count: int) -> None:
    """Drops the first `count` samples; the others move to the front and leave space at the end."""
    for name, array in arrays_of(samples).items():
        host = array.numpy()
        if host.size == 0:
            continue
        rows = _rows(name, host)
        rows[: len(rows) - count] = rows[count:].copy()
        if records.on_gpu:
            array.assign(host)
    samples.first += count


def first_rows(samples: Any) -> dict[str, Any]:
    """The oldest sample that is held, as it is in memory, and its number."""
    rows = {name: np.array(_rows(name, array.numpy())[:1]) for name, array in arrays_of(samples).items()}
    return {"first": samples.first, "rows": rows}


def put_first_rows(records: Records, samples: Any, kept: Mapping[str, Any]) -> None:
    """Writes the oldest sample that is held, and its number."""
    samples.first = kept["first"]
    for name, row in kept["rows"].items():
        array = getattr(samples, name)
        if array.size:
            host = array.numpy()
            _rows(name, host)[:1][tuple(slice(length) for length in row.shape)] = row
            if records.on_gpu:
                array.assign(host)


def renumber(samples: Any, wanted: Collection[str], load_before: np.ndarray) -> None:
    """Gives the samples of loads the columns of other obstacles; those of new ones are zero."""
    for name in PER_OBSTACLE:
        if name in wanted:
            array = getattr(samples, name)
            made = columns(array.numpy(), load_before, 1)
            setattr(samples, name, wp.array(made, dtype=array.dtype, device=array.device))
    samples.with_obstacles = int("load_on" in wanted and len(load_before) > 0)


def columns(values: np.ndarray, before: np.ndarray, axis: int) -> np.ndarray:
    """Values taken along an axis from their places before, zero where there was none."""
    made = np.zeros((*values.shape[:axis], len(before), *values.shape[axis + 1 :]), dtype=values.dtype)
    there = np.flatnonzero(before >= 0)
    if there.size:
        made[(slice(None),) * axis + (there,)] = values.take(before[there], axis=axis)
    return made
