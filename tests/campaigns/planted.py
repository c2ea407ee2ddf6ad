"""Trials with planted faults, to see that campaigns find them."""

from __future__ import annotations

import os
import signal
import time

from campaigns.campaign import Kind
from pushpoint.errors import InvalidModel


def trial(seed: int) -> str:
    """Accepted, unless the seed is one of those that are not."""
    if seed == 1:
        raise InvalidModel("mass", -1.0, "> 0 [kg]")
    if seed == 2:
        raise InvalidModel("mass", -1.0, f"unlike {object()}")
    if seed == 3:
        raise KeyError("x")
    assert seed != 4, "four is wrong"
    if seed == 5:
        os.kill(os.getpid(), signal.SIGSEGV)
    if seed == 6:
        time.sleep(3600.0)
    return "accepted"


PLANTED = Kind("planted faults", trial, full=10, short=5, limit=2.0)
