"""Distances of points from a height field, by the kernels' own geometry."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from pushpoint.engine.device import start_warp
from pushpoint.kernels.spatial import ground_probe, structs
from pushpoint.model.terrain import HeightField


@lru_cache(maxsize=4)
def _model_of(field: HeightField) -> Any:
    """A model of the ground alone; fields are compared by identity."""
    start_warp()
    family = structs.family(wp.float64)
    record = np.zeros(1, dtype=family.FieldModel.numpy_dtype())
    columns, rows = field.heights.shape
    for name, value in {"columns": columns, "rows": rows, "origin": field.origin, "spacing": field.spacing}.items():
        record[name] = value
    model = family.Model()
    model.fields = wp.array(record, dtype=family.FieldModel, device="cpu")
    model.heights = wp.array(field.heights.ravel(), dtype=wp.float64, device="cpu")
    return model


def distances_to_ground(field: HeightField, points: np.ndarray) -> np.ndarray:
    """How far points, shape (n, 3), are from the ground [m]; negative below it."""
    model = _model_of(field)
    found = wp.zeros(len(points), dtype=wp.float64, device="cpu")
    places = wp.array(np.ascontiguousarray(points), dtype=wp.types.vector(3, wp.float64), device="cpu")
    wp.launch(ground_probe.kernel(wp.float64), dim=len(points), inputs=[model, places, found], device="cpu")
    return np.array(found.numpy())
