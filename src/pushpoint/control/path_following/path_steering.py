"""Steering along a path for robots that move along shape curves: their direction of travel follows the line of sight.

A sidewinding robot travels across its body, and swings within a cycle. What is led onto the path is therefore its mean
position over a cycle, moved on by half of the displacement in it, since the mean is half a cycle old; and what is
turned toward the line of sight is the displacement over a cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.control.path_following.guidance import Guide, GuideMemory
from pushpoint.control.path_following.track import lay_track
from pushpoint.control.steering import HeadingController, HeadingMemory, Steering
from pushpoint.mapping.rails import Path
from pushpoint.model.checks import above, at_least, check_fields
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Factor, Length


class PathMemory(NamedTuple):
    """What a PathSteering remembers of a world."""

    heading: HeadingMemory
    """The memory of the heading control."""
    guide: GuideMemory
    """The memory of the guidance."""


@register("path")
@dataclass(frozen=True, kw_only=True)
class PathSteering(Steering[PathMemory]):
    """Turns the shape frame so that the robot travels along a path: line-of-sight guidance of a HeadingController.

        psi' = gain e - drift / response,    e = line of sight - direction of travel

    For example:

        line = pp.mapping.Path([(0.0, 0.0), (0.0, 4.0)])
        steering = pp.control.PathSteering(path=line, look_ahead=1.0)
    """

    __repr__ = brief

    path: Path
    """The path: two points for a straight line, more for a smooth curve through them."""
    look_ahead: Length
    """Look-ahead distance [m]."""
    integral_gain: Annotated[float, at_least(0, "m/s")] = 0.0
    """Integral gain against drift, sigma [m/s]; 0 for none."""
    switching_radius: Length | None = None
    """Makes the points of the path waypoints with straight legs between them.

    The next leg is followed from this distance before its start [m]; default: a smooth curve.
    """
    gain: Annotated[float, above(0, "1/s")] = 0.6
    """Turning rate per error of the direction of travel [1/s]."""
    response: Factor = 0.3
    """How far the robot turns per turn of its frame [-]."""
    delay: Annotated[float, at_least(0, "-")] = 0.6
    """How late it does so, in cycles [-]."""
    drift_time: Annotated[float, above(0, "s")] = 3.0
    """Time constant with which the drift is found [s]."""
    fastest: Annotated[float, above(0, "rad/s")] = np.deg2rad(22.5)
    """Largest turning rate [rad/s]."""

    needs = frozenset({"pose"})

    def __post_init__(self) -> None:
        check_fields(self, "steering")

    def begin(self, ticks: int) -> PathMemory:
        """No position is known yet."""
        return PathMemory(self._heading.begin(ticks), self.guide.memory())

    def continued(self, memory: PathMemory, of: Steering[Any]) -> PathMemory:
        """The memory of another path steering, and its place if that is on the same path."""
        if not isinstance(of, PathSteering):
            return memory
        return memory._replace(guide=self.guide.continued(memory.guide, of.guide))

    def turn(self, t: np.ndarray, dt: float, measurement: Any, memory: PathMemory) -> tuple[np.ndarray, PathMemory]:
        """The angle, turned toward the line of sight; unchanged during the first cycle."""
        position = measurement.center_of_mass[:, :2]
        here = memory.heading.travel.moved(position, memory.heading.angle).here
        course, guide = self.guide.course(here, dt, memory.guide)
        psi, heading = self._heading.toward(course.direction, dt, position, memory.heading)
        return psi, PathMemory(heading, guide)

    @cached_property
    def guide(self) -> Guide:
        """The guidance along the path."""
        track = lay_track(self.path, self.look_ahead, self.switching_radius)
        return Guide(track, np.array(self.look_ahead), np.array(self.integral_gain))

    @cached_property
    def _heading(self) -> HeadingController:
        return HeadingController(
            direction=0.0,
            gain=self.gain,
            response=self.response,
            delay=self.delay,
            drift_time=self.drift_time,
            fastest=self.fastest,
        )
