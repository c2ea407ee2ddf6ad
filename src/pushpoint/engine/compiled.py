"""Launches kernels, compiled or from Warp's cache; a damaged or read-only cache is no problem."""

from __future__ import annotations

import atexit
import contextlib
import json
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import warp as wp

from pushpoint.errors import PushpointError
from pushpoint.kernels.rollouts import CPU_FLAGS, GPU_FLAGS

DAMAGED = re.compile(r"^Failed to (load \w+ module|find forward kernel)")
"""What Warp says about a damaged compiled file."""
UNREADABLE = (json.JSONDecodeError, UnicodeDecodeError, IsADirectoryError, FileNotFoundError)
"""What reading its metadata raises, or its folder if another process has just removed it."""
FOLDER = r"_[0-9a-f]{7,}"
"""How the name of a module's folder continues; folders in which other processes compile have longer names."""


class NoKernels(PushpointError):
    """The kernels can neither be loaded nor compiled."""

    def __init__(self, error: Exception) -> None:
        reason = " ".join(str(error).split())[:200]
        super().__init__(f"kernels cannot be compiled in {wp.config.kernel_cache_dir} ({reason}); set WARP_CACHE_PATH")


_working: set[tuple[Any, str]] = set()
"""Kernels and devices on which they have been launched."""


def launch(kernel: Any, **how: Any) -> Any:
    """wp.launch, but a kernel whose cached file is damaged is compiled again, in another folder if necessary."""
    if (kernel, how["device"]) in _working:
        return wp.launch(kernel, **how)
    cures: list[Callable[[Exception, str], None]] = [_remove_compiled, use_folder_of_its_own]
    while True:
        try:
            launched = wp.launch(kernel, **how)
            break
        except Exception as error:
            damaged = isinstance(error, UNREADABLE) or DAMAGED.match(str(error))
            if not (damaged or isinstance(error, OSError)):
                raise
            cures = cures if damaged else cures[-1:]
            if not cures:
                raise NoKernels(error) from None
            kernel.module.unload()
            cures.pop(0)(error, kernel.module.name)
    _working.add((kernel, how["device"]))
    return launched


def target_of(device: str) -> dict[str, str]:
    """What kernels are compiled for: processors with the same key give the same results, to the last bit."""
    if device.startswith("cuda"):
        card = wp.get_device(device)
        return {"device": str(card.name), "target": f"{wp.config.version}-sm_{card.arch}", "flags": GPU_FLAGS}
    return {"device": "cpu", "target": wp.get_cpu_kernel_cache_key(cpu_compiler_flags=CPU_FLAGS), "flags": CPU_FLAGS}


def _remove_compiled(_error: Exception, module: str) -> None:
    folders = re.compile(re.escape(f"wp_{module}") + FOLDER)
    with contextlib.suppress(OSError):  # then the folder is unusable, and the next launch notices
        for folder in Path(wp.config.kernel_cache_dir).iterdir():
            if folders.fullmatch(folder.name):
                shutil.rmtree(folder, ignore_errors=True)


def use_folder_of_its_own(error: Exception, _module: str = "") -> None:
    """Compiles kernels for this process alone and warns why. The folder is private, because it holds code."""
    refusing = wp.config.kernel_cache_dir
    try:
        folder = tempfile.mkdtemp(prefix="pushpoint-kernels-")
    except OSError as none:
        raise NoKernels(none) from None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    wp.config.kernel_cache_dir = folder
    reason = getattr(error, "strerror", None) or error
    warnings.warn(
        f"kernels are compiled for this process alone, which takes up to half a minute: the cache {refusing} cannot be "
        f"used ({reason}); set WARP_CACHE_PATH to another folder",
        RuntimeWarning,
        stacklevel=2,
    )
