"""Starting Warp without its banner."""

from __future__ import annotations

import os
import sys
from functools import cache

import warp as wp

from pushpoint.errors import InvalidModel


@cache
def start_warp() -> None:
    """Initialises Warp once; its native code remarks that there is no CUDA driver, which is kept off the screen."""
    wp.config.log_level = wp.LOG_WARNING
    # Tiles are not used here, and their storage is a pointer that launches from several threads would share.
    wp.config.enable_tiles_in_stack_memory = False
    sys.stderr.flush()
    kept = os.dup(2)
    quiet = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(quiet, 2)
        wp.init()
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(quiet)


def check_device(name: str) -> None:
    """Refuses a device that this machine does not have."""
    start_warp()
    known = [device.alias for device in wp.get_devices()]
    if name not in known:
        raise InvalidModel("settings.device", name, "one of " + ", ".join(known))
