"""Heights of the ground from files that scenario files name. They are read as numbers; nothing in them is executed."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from pushpoint.description.complaints import Keys, Where, placed, refused
from pushpoint.errors import PushpointError

PLACE: Keys = ("ground", "heights", "heights")
NPY, CSV = ".npy", ".csv"


def with_heights(document: dict[str, Any], folder: Path, where: Where | None = None) -> dict[str, Any]:
    """The document with the rows of its height file, which lies in or below a folder, in place of the file's name."""
    ground = document.get("ground")
    field = ground.get("heights") if isinstance(ground, dict) else None
    name = field.get("heights") if isinstance(field, dict) else None
    if not isinstance(name, str):
        return document
    try:
        rows = _rows(name, folder)
    except PushpointError as error:
        raise placed(error, PLACE, where) from None
    return document | {"ground": {**(ground or {}), "heights": {**(field or {}), "heights": rows}}}


def _rows(name: str, folder: Path) -> list[list[float]]:
    inside = Path(name)
    if inside.suffix.lower() not in (NPY, CSV) or inside.is_absolute() or ".." in inside.parts:
        raise refused(PLACE, name, f"the name of a {NPY} or {CSV} file in or below the folder {folder}")
    try:
        heights = _numpy_array(folder / inside) if inside.suffix.lower() == NPY else _table(folder / inside)
        reason = _shortcoming(heights)
    except FileNotFoundError:
        reason = f"there is none in {folder}"
    except OSError as error:
        reason = f"it cannot be read ({error.strerror})"
    except (ValueError, EOFError, MemoryError) as error:
        reason = f"it does not hold an array of numbers ({' '.join(str(error).split())[:100]})"
    if reason:
        raise refused(PLACE, name, f"a file of heights, but {reason}")
    rows: list[list[float]] = heights.astype(float).tolist()
    return rows


def _numpy_array(path: Path) -> Any:
    with path.open("rb") as file:
        return np.load(file, allow_pickle=False)


def _table(path: Path) -> np.ndarray:
    """Numbers between commas; lines that begin with # are left out."""
    text = path.read_text(encoding="utf-8-sig")
    return np.loadtxt(io.StringIO(text), delimiter=",", ndmin=2) if text.strip() else np.zeros((0, 0))


def _shortcoming(heights: Any) -> str:
    if not isinstance(heights, np.ndarray):
        return f"it holds several arrays, which a {NPY} file does not"
    if heights.dtype.kind not in "fiu":
        return f"it holds values of the type {heights.dtype}"
    if heights.ndim != 2:
        return f"it holds an array of shape {heights.shape}, not rows of numbers"
    return ""
