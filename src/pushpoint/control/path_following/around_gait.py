"""What controllers that steer a gait take from it."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from pushpoint.engine.controller import Bindable
from pushpoint.gaits import WaveGait
from pushpoint.model.spatial_robot import AnyRobot

Memory = TypeVar("Memory")


class AroundGait(Bindable[Memory]):
    """Base class of controllers around a gait: they begin as the gait does, and drive the joints as it does."""

    gait: WaveGait
    """The gait."""

    @property
    def prescribed(self) -> bool:
        """Whether the joints follow the references exactly."""
        return self.gait.prescribed

    def first_reference(self, robot: AnyRobot) -> np.ndarray:
        """Joint angles of the gait at time zero [rad], shape (n_joints,)."""
        return self.gait.first_reference(robot)

    def link_angles(self, robot: AnyRobot) -> np.ndarray:
        """Link angles of the gait at time zero, about heading zero [rad], shape (n_links,)."""
        return self.gait.link_angles(robot)
