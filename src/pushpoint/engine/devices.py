"""Starts Warp, looks for devices, and turns their failures into sentences."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache

import warp as wp

from pushpoint.engine.compiled import use_folder_of_its_own
from pushpoint.errors import DeviceFailed, InvalidModel, PushpointError

THREADS = "PUSHPOINT_THREADS"
"""The environment variable that limits the threads of a process [-]."""


def usable_cores() -> int:
    """Number of threads that a batch on the CPU may use: the cores of this process, or as many as THREADS says."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    given = os.environ.get(THREADS, "")
    return min(cores, max(1, int(given))) if given.isdecimal() else cores


@cache
def start_warp() -> None:
    """Initialises Warp once, without its message about a missing CUDA driver."""
    wp.config.log_level = wp.LOG_WARNING
    # Tiles are not used here, and threads that launch kernels would share the pointer to their storage.
    wp.config.enable_tiles_in_stack_memory = False
    # Errors are checked after each launch: a failed GPU would otherwise return zeros. Results are read at once anyway.
    wp.config.verify_cuda = True
    with _quiet_errors():
        try:
            wp.init()
        except OSError as error:  # the folder for compiled kernels cannot be created
            use_folder_of_its_own(error)
            wp.init()


@contextlib.contextmanager
def _quiet_errors() -> Iterator[None]:
    """Keeps native code from printing to standard error, if it is open."""
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # closed: nobody reads it
        yield
        return
    quiet = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(quiet, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(quiet)


def check_device(name: str) -> None:
    """Raises InvalidModel for a device that this machine does not have; for a GPU it says why there is none."""
    start_warp()
    known = [device.alias for device in wp.get_devices()]
    if name not in known:
        why = f", since {why_no_gpu()}" if str(name).startswith("cuda") and len(known) == 1 else ""
        raise InvalidModel("settings.device", name, "one of " + ", ".join(known) + why)


def why_no_gpu() -> str:
    """Why a machine without a CUDA device has none, in words."""
    start_warp()
    driver, toolkit = wp.get_cuda_driver_version(), wp.get_cuda_toolkit_version()
    if toolkit is None:
        return "this Warp was built without CUDA"
    if driver is None:
        return "there is no CUDA driver"
    if driver < (toolkit[0], 0):  # within a major version, drivers and toolkits are compatible
        return f"the CUDA driver {driver[0]}.{driver[1]} is too old: it must be {toolkit[0]}.0 or newer"
    return "the CUDA driver sees no GPU"


@contextlib.contextmanager
def guarded(device: str, advice: Callable[[], str] = str) -> Iterator[None]:
    """Turns failures on a device into DeviceFailed; `advice` is added when memory runs out."""
    try:
        yield
    except PushpointError:
        raise
    except MemoryError as error:
        raise DeviceFailed(device, _with("has no memory left", advice())) from error
    except Exception as error:  # Warp raises RuntimeError and plain Exception
        said = " ".join(str(error).split())
        if "Failed to allocate" in said:
            raise DeviceFailed(device, _with("has no memory left", advice())) from error
        if device == "cpu" or type(error) not in (RuntimeError, Exception):
            raise
        raise DeviceFailed(device, f"failed ({said[:150]})") from error


def _with(reason: str, advice: str) -> str:
    return f"{reason}: {advice}" if advice else reason
