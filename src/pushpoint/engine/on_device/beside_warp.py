"""Memory and streams that Warp shares with the library of the arrays."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import warp as wp


def view_of(array: Any, space: Any) -> Any:
    """An array of Warp or NumPy as one of a library that shares its memory."""
    is_warp = isinstance(array, wp.array)
    if space is np:
        return array.numpy() if is_warp else array
    with space.inference_mode(False):  # what is made in this mode of torch can only be written to in this mode
        return wp.to_torch(array) if is_warp else space.asarray(array)


@contextlib.contextmanager
def in_order_with(space: Any, device: str) -> Iterator[None]:
    """Warp works on the stream of the library, so that each sees what the other has done without waiting for it.

    Errors of the GPU are not looked for after every launch, which would mean waiting: the library finds them later.
    """
    if device == "cpu":
        yield
        return
    checks = wp.config.verify_cuda
    wp.config.verify_cuda = False
    try:
        with wp.ScopedStream(wp.stream_from_torch(device), sync_enter=True, sync_exit=True):
            yield
    finally:
        wp.config.verify_cuda = checks
