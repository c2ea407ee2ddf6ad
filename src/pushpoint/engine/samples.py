"""The kernels' samples: a buffer that is filled by steps and emptied from the front."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pushpoint.engine.records import Records, size_of

PER_JOINT = ("reference", "angle", "rate", "motor", "motor_work")
NUMBERS = ("every", "first", "with_obstacles")
"""Fields of the kernels' samples that are not arrays."""


def sample_shapes(records: Records, count: int, n_obstacles: int) -> dict[str, tuple[int, ...]]:
    """Shapes of the arrays that hold `count` samples, without the components of vectors."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, variable in records.family.Samples.vars.items():
        if name not in NUMBERS:
            last = records.n_joints if name in PER_JOINT else records.n_links
            whole = (records.n_worlds, count, last)[: variable.type.ndim]
            shapes[name] = (count, n_obstacles) if name == "load_on" else whole
    return shapes


def sample_bytes(records: Records, n_obstacles: int) -> int:
    """Memory of one sample of all worlds [bytes]."""
    variables = records.family.Samples.vars
    shapes = sample_shapes(records, 1, n_obstacles)
    return sum(size_of(variables[name].type.dtype) * int(np.prod(shape)) for name, shape in shapes.items())


def make_samples(records: Records, count: int, every: int, n_obstacles: int) -> Any:
    """Space for `count` samples, one per `every` steps; with loads on obstacles only if n_obstacles > 0."""
    struct = records.family.Samples()
    arrays = {
        name: np.zeros((*shape, *getattr(struct._cls.vars[name].type.dtype, "_shape_", ())))
        for name, shape in sample_shapes(records, count, n_obstacles).items()
    }
    return records.fill(struct, every=every, first=0, with_obstacles=int(n_obstacles > 0), **arrays)


def arrays_of(samples: Any) -> dict[str, Any]:
    """The kernels' arrays of samples by name."""
    return {name: getattr(samples, name) for name in samples._cls.vars if name not in NUMBERS}


def put_first(records: Records, samples: Any, values: Mapping[str, np.ndarray]) -> None:
    """Writes the first sample: what is known before the first step."""
    for name, value in values.items():
        array = getattr(samples, name)
        host = array.numpy()
        host[:, 0] = value
        if records.on_gpu:
            array.assign(host)


def drop_samples(records: Records, samples: Any, count: int) -> None:
    """Drops the first `count` samples; the others move to the front and leave space at the end."""
    for name, array in arrays_of(samples).items():
        host = array.numpy()
        rows = host if name == "load_on" else host.swapaxes(0, 1)
        rows[: len(rows) - count] = rows[count:].copy()
        if records.on_gpu:
            array.assign(host)
    samples.first += count
