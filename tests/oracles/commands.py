"""Controllers that tests use: a command that never changes, motors that allow no bend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.engine.signals import Command, Measurement
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot


@dataclass(frozen=True)
class Always:
    """Gives the same command at every turn."""

    order: Command
    """The command, arrays without or with a leading world axis."""
    rate: float = 10.0
    """Commands per second [Hz]."""

    def init(self, robot: PlanarRobot, environment: Environment) -> None:
        """Needs no memory."""

    def command(self, t: np.ndarray, measurement: Measurement, memory: Any) -> tuple[Command, Any]:
        """The command."""
        return self.order, memory


def straight(link_load: np.ndarray | None = None) -> Always:
    """Motors that keep the robot straight whatever happens, and loads (x, y [N], moment [N m]) on its links."""
    return Always(Command(prescribed=True, link_load=link_load))
