"""Checks whether a Dataset read from a file is a run: valid texts, and variables with known dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import xarray as xr

from pushpoint.description.experiments import FORMAT
from pushpoint.description.runs import description_of, read_statuses
from pushpoint.engine.settings import Status
from pushpoint.errors import PushpointError
from pushpoint.simulation.health import read_health
from pushpoint.simulation.provenance import DESCRIPTION, TERRAIN
from pushpoint.worlds.variables import VARIABLES, dims_of

EXPANSION = 1100
"""How many times larger than its file a run can be: the compression ratio of zeros [-]."""
SLACK = 1_000_000
"""Bytes that are always allowed."""


def fault_of_size(stored: xr.Dataset, file_size: int) -> str:
    """What is wrong with the sizes of a run that is not yet in memory; empty if nothing is."""
    if stored.nbytes > EXPANSION * file_size + SLACK:
        return f"promises {stored.nbytes:.3g} bytes of data, which a file of {file_size:,} bytes cannot hold"
    return ""


def fault_of_run(run: xr.Dataset) -> str:
    """Why a Dataset is not a pushpoint run; empty if it is one."""
    if DESCRIPTION not in run.attrs:
        return f"is not a pushpoint result: it has no '{DESCRIPTION}' attribute"
    try:
        found = description_of(run.attrs[DESCRIPTION])
        if found.get("format") != FORMAT:
            return f"has the format {found.get('format')}, must be {FORMAT}: another version of pushpoint wrote it"
        for name, check in _TEXTS.items():
            if name in run.attrs:
                check(run.attrs[name])
    except PushpointError as error:
        return f"is not a result: {error}"
    faults = (_fault_of_variable(str(name), run[name]) for name in run.variables)
    return next(filter(None, faults), "") or _fault_of_counts(run) or _fault_of_labels(run)


def _text(value: Any) -> None:
    if not isinstance(value, str):
        raise PushpointError("an attribute that should be text is not")


def _code(value: Any) -> None:
    if value not in {status.name.lower() for status in Status}:
        raise PushpointError(f"it has the status {str(value)[:60]!r}")


_TEXTS: dict[str, Callable[[Any], object]] = {
    "status": _text,
    "status_code": _code,
    "warnings": _text,
    "world_status": lambda value: list(map(_code, read_statuses(value))),
    "world_health": read_health,
}
"""Attributes of a run, and their checks."""


def _fault_of_variable(name: str, variable: xr.DataArray) -> str:
    """Why a variable is not what a run has under its name; unknown variables are ignored."""
    if name in VARIABLES:
        allowed = [set(dims_of(name, spatial)) for spatial in (False, True)]
    elif name == "time" or name.startswith(TERRAIN):
        allowed = [set(map(str, variable.dims))] if variable.ndim == (1 if name == "time" else 2) else [set()]
    else:
        return _fault_of_axis(variable) if name == "axis" else ""
    dims = [str(dim) for dim in variable.dims if dim != "world"]
    if variable.dtype.kind not in "fiu":
        return f"is not a result: its variable {name} holds values of the type {variable.dtype}"
    if set(dims) not in allowed or any(variable.sizes[dim] == 0 for dim in dims if dim not in MAY_BE_NONE):
        sizes = ", ".join(f"{dim} {variable.sizes[dim]}" for dim in dims) or "none"
        return f"is not a complete result: its variable {name} has the dimensions {sizes} ({ELSEWHERE})"
    return ""


MAY_BE_NONE = ("obstacle", "joint", "link_gap")
"""Dimensions that may be empty."""
ELSEWHERE = "xarray.open_dataset reads parts of results"


def _fault_of_counts(run: xr.Dataset) -> str:
    """Why the numbers of links and joints do not fit together."""
    gaps = run.sizes.get("link", 1) - 1
    if "link" in run.sizes and (run.sizes.get("link_gap", gaps) != gaps or run.sizes.get("joint", gaps) < gaps):
        counts = ", ".join(f"{name} {run.sizes[name]}" for name in ("link", "link_gap", "joint") if name in run.sizes)
        return f"is not a complete result: it has the dimensions {counts} ({ELSEWHERE})"
    return ""


def _fault_of_labels(run: xr.Dataset) -> str:
    """Why samples or axes cannot be told apart."""
    for name in ("time", "axis"):
        if name in run.sizes and name not in run.indexes:
            return f"is not a complete result: its dimension {name} has no values of its own ({ELSEWHERE})"
    if run.sizes.get("quaternion", 4) != 4:
        return f"is not a complete result: its quaternions have {run.sizes['quaternion']} numbers ({ELSEWHERE})"
    return ""


def _fault_of_axis(axis: xr.DataArray) -> str:
    names = [str(name) for name in axis.values.ravel().tolist()]
    known = names in (["x", "y"], ["x", "y", "z"])
    return "" if known else f"is not a complete result: its axes are {', '.join(names)[:60]}"
