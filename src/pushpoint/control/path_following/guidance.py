"""Line-of-sight guidance: in which direction a robot should travel to come onto a path and stay on it.

    direction = path direction - atan((e + sigma I) / look_ahead)
    I' = look_ahead e / ((e + sigma I)^2 + look_ahead^2)

e is the cross-track error, positive on the left. sigma = 0 is the law of Liljeback et al. 2012, sigma > 0 the integral
one of Borhaug et al. 2008 that Kelasidi et al. 2017 use: a constant drift is compensated, and I grows slowly while the
robot is far away. docs/theory/path-following.md has the sources.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.control.path_following.track import NOWHERE, OnTrack, Track


class Course(NamedTuple):
    """Where robots should go; each of shape (n_worlds,)."""

    direction: np.ndarray
    """Wanted direction of travel [rad]."""
    curvature: np.ndarray
    """Curvature of the path [1/m], which the robot should have as well."""


class GuideMemory(NamedTuple):
    """What guidance remembers of a world."""

    place: OnTrack
    """Where the robot was on its path."""
    integral: np.ndarray
    """The integral I [s]."""


class Guide(NamedTuple):
    """Line-of-sight guidance along a path."""

    track: Track
    """The path."""
    look_ahead: np.ndarray
    """Look-ahead distance [m]."""
    integral_gain: np.ndarray
    """Integral gain sigma [m/s]."""

    def memory(self) -> GuideMemory:
        """The memory of one world before the first look."""
        return GuideMemory(NOWHERE, np.array(0.0))

    def continued(self, memory: GuideMemory, of: Guide) -> GuideMemory:
        """The memory of another guidance if both have the same table of a path; in another one its place is unknown."""
        same = self.track.legs == of.track.legs and np.array_equal(self.track.points, of.track.points)
        return memory if same else self.memory()

    def course(self, position: np.ndarray, dt: float, memory: GuideMemory) -> tuple[Course, GuideMemory]:
        """Where robots at positions [m], shape (n_worlds, 2), should go; dt [s] has passed since the last time."""
        place = self.track.find(position, memory.place)
        shifted = place.aside + self.integral_gain * memory.integral
        growth = self.look_ahead * place.aside / (shifted**2 + self.look_ahead**2)
        begun = memory.place.piece >= 0
        integral = memory.integral + np.where(begun, dt * growth, 0.0)
        direction = place.angle - np.arctan2(place.aside + self.integral_gain * integral, self.look_ahead)
        return Course(direction, place.curvature), GuideMemory(place, integral)


class Compass(NamedTuple):
    """Guidance in a constant direction, wherever the robot is."""

    direction: np.ndarray
    """Wanted direction of travel [rad]."""

    def memory(self) -> None:
        """No memory."""

    def continued(self, memory: None, of: Compass) -> None:
        """No memory."""

    def course(self, position: np.ndarray, dt: float, memory: None) -> tuple[Course, None]:
        """Always the same direction."""
        ahead = np.zeros(len(position))
        return Course(ahead + self.direction, ahead), None
