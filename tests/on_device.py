"""What tests of batches that stay on their device share: libraries of arrays, and the order in memory of a GPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from pushpoint.engine.changing import ChangingStepper

WITHOUT = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed: see make test-torch")
LIBRARIES = ("numpy", pytest.param("torch", marks=WITHOUT))
"""The libraries that arrays can be of."""


def giver(library: str) -> Callable[[np.ndarray], Any]:
    """What makes an array of the library of one of NumPy."""
    if library == "numpy":
        return np.asarray
    import torch

    return torch.from_numpy  # type: ignore[no-any-return]


def in_planes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lays the arrays of the kernels out on the CPU as on a GPU."""
    monkeypatch.setattr("pushpoint.simulation.rollout.ChangingStepper", partial(ChangingStepper, planes=True))
