"""Controllers that tests use: a command that never changes, motors that allow no bend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement


@dataclass(frozen=True)
class Always(Controller[None]):
    """Gives the same command at every turn."""

    order: Command
    """The command, arrays without or with a leading world axis."""
    rate: float = 10.0
    """Commands per second [Hz]."""

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        """The command."""
        return self.order, memory


def straight(link_load: np.ndarray | None = None) -> Always:
    """Motors that keep the robot straight whatever happens, and loads (x, y [N], moment [N m]) on its links."""
    return Always(Command(prescribed=True, link_load=link_load))
