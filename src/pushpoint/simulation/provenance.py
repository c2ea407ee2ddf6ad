"""What a result says about its origin."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.description.runs import run_text, statuses_text
from pushpoint.engine.settings import Status
from pushpoint.simulation.reading import DESCRIPTION

if TYPE_CHECKING:
    from pushpoint.simulation.rollout import Rollout

PACKAGES = ("pushpoint", "warp-lang", "numpy", "xarray")


def plain(value: Any) -> Any:
    """The same in JSON types; what has none is named by its type, and what is not finite becomes null."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(part) for part in value]
    if isinstance(value, (bool, str, int)) or value is None:
        return value
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return getattr(value, "__qualname__", type(value).__qualname__)


def attributes(rollout: Rollout, statuses: Sequence[Status], names: Mapping[int, str]) -> dict[str, Any]:
    """Attributes of a run's Dataset: texts, because NetCDF knows neither None nor nesting.

    `names` are those of the variables that hold height fields, by the id of the field.
    """
    worst = next((status for status in statuses if status.failed), statuses[0])
    sentence = rollout.failure() or worst.value
    return {
        DESCRIPTION: run_text(rollout.experiment, names),
        "status": sentence,
        "status_code": worst.name.lower(),
        "world_status": statuses_text([status.name.lower() for status in statuses]),
        "versions": json.dumps({name: version_of(name) for name in PACKAGES} | {"python": platform.python_version()}),
    }


def version_of(package: str) -> str:
    """Version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
