"""Warp started, its devices looked for, and what it says when one fails turned into sentences."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache

import warp as wp

from pushpoint.engine.compiled import use_folder_of_its_own
from pushpoint.errors import DeviceFailed, InvalidModel, PushpointError


@cache
def start_warp() -> None:
    """Initialises Warp once; its native code remarks that there is no CUDA driver, which is kept off the screen."""
    wp.config.log_level = wp.LOG_WARNING
    # Tiles are not used here, and their storage is a pointer that launches from several threads would share.
    wp.config.enable_tiles_in_stack_memory = False
    # Asked after each launch: a GPU that failed would otherwise hand out zeros. Who launches reads at once in any case.
    wp.config.verify_cuda = True
    with _quiet_errors():
        try:
            wp.init()
        except OSError as error:  # the folder of compiled kernels cannot be made
            use_folder_of_its_own(error)
            wp.init()


@contextlib.contextmanager
def _quiet_errors() -> Iterator[None]:
    """Keeps native code from printing to standard error, if there is one."""
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
    """Refuses a device that this machine does not have; of a GPU it says why there is none."""
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
    if driver < (toolkit[0], 0):  # within a major version drivers and toolkits go together
        return f"the CUDA driver {driver[0]}.{driver[1]} is too old: it must be {toolkit[0]}.0 or newer"
    return "the CUDA driver sees no GPU"


@contextlib.contextmanager
def guarded(device: str, advice: Callable[[], str] = str) -> Iterator[None]:
    """Turns what fails on a device into a sentence; `advice` is put behind that of a lack of memory."""
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
