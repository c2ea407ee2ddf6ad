"""Arrays of NumPy and of torch in one source: functions that call only what both have under the same name.

Such a function takes the namespace from its argument and so works where the array is, on a CPU or on a GPU. Tensors are
made by the user's torch; this package does not load it unless it is asked to.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel, PushpointError

LIBRARIES = ("torch", "numpy")
"""The libraries whose arrays a simulation on a device can take and give."""


class NoLibrary(PushpointError):
    """A library whose arrays were asked for is not installed."""

    def __init__(self, name: str) -> None:
        super().__init__(f"arrays of {name} were asked for, and {name} is not installed: pip install {name}")


def library(name: str, device: str) -> Any:
    """The namespace of a library by its name; raises InvalidModel for one that has no arrays on this device."""
    if name not in LIBRARIES:
        raise InvalidModel("arrays", name, f"one of {', '.join(map(repr, LIBRARIES))}")
    if name == "numpy" and device != "cpu":
        raise InvalidModel("arrays", name, f"'torch' on the device {device}: NumPy has arrays on a CPU alone")
    try:
        found = importlib.import_module(name)
    except ModuleNotFoundError:
        raise NoLibrary(name) from None
    if device != "cpu" and not found.cuda.is_available():
        allowed = f"a torch that can use {device}: the one that is installed, {found.__version__}, sees no GPU"
        raise InvalidModel("arrays", name, allowed)
    return found


def namespace_of(values: Any) -> Any:
    """The namespace of an array: torch for a tensor, numpy for anything else."""
    is_tensor = type(values).__module__.partition(".")[0] == "torch"
    return sys.modules["torch"] if is_tensor else np


def floats(values: Any) -> Any:
    """Numbers in double precision, or a tensor as it is."""
    return np.asarray(values, dtype=float) if namespace_of(values) is np else values


class Constant:
    """Numbers that never change, as an array of the kind, the precision and the place of another one."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)
        """The numbers in NumPy."""
        self._held: dict[Any, Any] = {}

    def like(self, array: Any) -> Any:
        """The numbers as in `array`; whole numbers and truth values keep their type."""
        if isinstance(array, np.ndarray):
            return self.values
        key = array.dtype, array.device
        if key not in self._held:
            space = namespace_of(array)
            real = {"dtype": array.dtype} if self.values.dtype.kind == "f" else {}
            self._held[key] = space.asarray(self.values, device=array.device, **real)
        return self._held[key]
