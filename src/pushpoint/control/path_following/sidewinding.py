"""Path following of a sidewinding robot, which turns by a yaw wave that grows along its body.

A sidewinding robot travels across its body. It turns when its wave grows toward one end, which then moves faster. The
wave of a path of curvature c is

    amplitude * (1 + taper (2 s - 1)),    taper = c l / 2,    s from 0 at the tail's joint to 1 at the head's,

where l is the length of the body along its axis (TurningSidewinding). With e the line of sight minus the direction of
travel (control/travel.py),

    c = curvature of the path + gain e - drift.

Everything is per metre of the way, so the law does not depend on how fast the robot is. See
docs/theory/path-following.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Annotated, Any, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.control.path_following.around_gait import AroundGait
from pushpoint.control.path_following.guidance import Guide, GuideMemory
from pushpoint.control.path_following.line_of_sight import FILTER, Swings, triple_lag
from pushpoint.control.path_following.track import Track, lay_track
from pushpoint.control.steering import MOST_COMMANDS
from pushpoint.control.travel import CycleTravel, no_travel, within_half_a_turn
from pushpoint.engine.batching import form
from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement, Wave
from pushpoint.errors import InvalidModel
from pushpoint.gaits import Sidewinding
from pushpoint.gaits.winding import Winding
from pushpoint.mapping.rails import Path
from pushpoint.model.checks import above, check_fields, instance
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Frequency, Length
from pushpoint.model.spatial_robot import AnyRobot

CRITICAL = 4.0
"""Default gain times look-ahead distance [-]: e'' + gain e' + gain e / look_ahead = 0 is then critically damped."""


class WindingMemory(NamedTuple):
    """What the controller remembers of a world."""

    clock: np.ndarray
    """Time of the gait [s]."""
    begun: np.ndarray
    """Whether a command has been given."""
    travel: CycleTravel
    """The last cycle: positions and commanded turns."""
    guide: GuideMemory
    """The memory of the guidance."""
    taper: np.ndarray
    """How the yaw wave grows along the body [-], its rate [1/s] and acceleration [1/s^2], (3,)."""


@register("sidewinding-line-of-sight")
@dataclass(frozen=True, kw_only=True)
class SidewindingLineOfSight(AroundGait[WindingMemory]):
    """Sidewinding along a path: a straight line, waypoints or a curve.

    The robot turns by a yaw wave that grows toward one end of its body. Its mean position over a cycle is led onto the
    path. During the first cycle its direction is not known yet, and it is not steered.

        gait = pp.gaits.Sidewinding(
            yaw_amplitude=0.87, pitch_amplitude=0.14, angular_frequency=2.1, phase_shift=-0.52, soft_start=1.0
        )
        line = pp.mapping.Path([(0.0, 0.0), (0.0, 5.0)])
        world = pp.World(
            pp.catalogue.yaw_pitch_16(),
            pp.Environment(),
            pp.control.SidewindingLineOfSight(gait=gait, path=line),
        )
    """

    __repr__ = brief

    gait: Winding
    """The straight wave, a Sidewinding, whose yaw amplitude is made to grow along the body."""
    path: Path
    """The path: two points for a straight line, more for a smooth curve through them."""
    look_ahead: Length | None = None
    """Look-ahead distance [m]; default: the robot's length."""
    switching_radius: Length | None = None
    """Makes the points of the path waypoints with straight legs between them.

    The next leg is followed from this distance before its start [m]; default: a smooth curve.
    """
    gain: Annotated[float, above(0, "1/m")] | None = None
    """Curvature per error of the direction of travel [1/m]; default: 4 / look_ahead, no overshoot without delay."""
    drift_distance: Length | None = None
    """Way over which the robot's own turning is found [m]; default: the look-ahead distance."""
    largest_curvature: Annotated[float, above(0, "1/m")] | None = None
    """Largest curvature of the robot's own path [1/m]; default: 1 / length, or less if the wave does not allow it."""
    filter_frequency: Annotated[float, above(0, "rad/s")] | None = None
    """Corner frequency of the filter of the taper [rad/s]; default: four times that of the gait."""
    rate: Frequency = 50.0
    """Commands per second [Hz]."""

    needs = frozenset({"pose"})

    def __post_init__(self) -> None:
        check_fields(self, "controller")
        instance("controller.gait", self.gait, Sidewinding, "a Sidewinding, which is straight")
        if not self.gait.side:
            raise InvalidModel("controller.gait", self.gait, "one that winds to a side: no amplitude or frequency of 0")
        if not 1.0 <= self.gait.period * self.rate < MOST_COMMANDS:
            allowed = f"such that a cycle takes 1 to {MOST_COMMANDS:,} commands"
            raise InvalidModel("controller.rate", self.rate, allowed, unit="Hz")

    @property
    def period(self) -> float:
        """Duration of one cycle [s]."""
        return self.gait.period

    def distance_ahead(self, robot: AnyRobot) -> float:
        """The look-ahead distance for a robot [m]."""
        return float(robot.length if self.look_ahead is None else self.look_ahead)

    def track(self, robot: AnyRobot) -> Track:
        """The path as a robot finds its place on it."""
        return lay_track(self.path, self.distance_ahead(robot), self.switching_radius)

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundWinding:
        """Returns the controller bound to one robot."""
        ahead, wave, cone = self.distance_ahead(robot), self.gait.wave(robot), self.gait.cone(robot)
        widest = 1.0 / cone.least_radius if cone.least_radius else inf
        largest = min(1.0 / robot.length, widest) if self.largest_curvature is None else self.largest_curvature
        if largest > widest:
            allowed = "at most {=most} {unit} for this wave and this robot"
            raise InvalidModel("controller.largest_curvature", largest, allowed, unit="1/m", others={"most": widest})
        behind = np.array([axis.link_behind for axis in robot.axes])
        yaw = np.array([axis.name == "yaw" for axis in robot.axes])
        corner = self.filter_frequency or FILTER * abs(self.gait.angular_frequency)
        return BoundWinding(
            wave=Swings(**{name: np.asarray(getattr(wave, name)) for name in Swings._fields}),
            growth=np.where(yaw, 2.0 * behind / max(robot.n_links - 2, 1) - 1.0, 0.0),
            guide=Guide(self.track(robot), np.array(ahead), np.array(0.0)),
            gain=float(CRITICAL / ahead if self.gain is None else self.gain),
            drift_distance=float(self.drift_distance or ahead),
            largest_curvature=float(largest),
            taper_per_curvature=float(self.gait.side * cone.along / 2.0),
            smoothing=triple_lag(corner, 1.0 / self.rate),
            ticks=round(self.gait.period * self.rate),
            rate=self.rate,
            prescribed=self.gait.prescribed,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundWinding(Controller[WindingMemory]):
    """The controller of one robot, or of several together."""

    batches = True
    needs = frozenset({"pose"})

    wave: Swings
    """The straight gait."""
    growth: np.ndarray
    """How the amplitude of each axis changes with the taper [-], (n_joints,)."""
    guide: Guide
    """The guidance."""
    gain: float
    """Curvature per error of the direction [1/m]."""
    drift_distance: float
    """Way over which the drift is found [m]."""
    largest_curvature: float
    """Largest curvature [1/m]."""
    taper_per_curvature: float
    """Taper of a curvature [m]; negative for a gait that winds to its right."""
    smoothing: np.ndarray
    """One step of the filter, (3, 3)."""
    ticks: int
    """Commands per cycle [-]."""
    rate: float
    prescribed: bool

    def memory(self) -> WindingMemory:
        """The gait at time zero, nothing known."""
        guide = self.guide.memory()
        return WindingMemory(np.array(0.0), np.array(False), no_travel(self.ticks), guide, np.zeros(3))

    def adopt(self, memory: Any, of: Controller[Any]) -> WindingMemory:
        """Continues the wave of another one with the same kind of memory, and its place if that is on the same path."""
        fresh = self.memory()
        if not isinstance(of, BoundWinding) or form(memory) != form(fresh):
            return fresh
        return memory._replace(guide=self.guide.continued(memory.guide, of.guide))

    def command(self, measurement: Measurement, memory: WindingMemory) -> tuple[Command, WindingMemory]:
        """The gait with a yaw wave that turns the robot toward its course."""
        dt = 1.0 / self.rate
        assert measurement.center_of_mass is not None  # it needs the pose
        step = np.hypot(*memory.travel.stride.T) / self.ticks
        turned = memory.travel.turned[:, -1] + step * memory.taper[:, 0] / self.taper_per_curvature
        travel = memory.travel.moved(measurement.center_of_mass[:, :2], turned)
        course, guide = self.guide.course(travel.here, dt, memory.guide)
        drift = travel.drift(self.drift_distance)
        error = within_half_a_turn(course.direction - travel.direction(drift, step))
        curvature = course.curvature + self.gain * error - drift
        curvature = np.where(travel.whole, np.clip(curvature, -self.largest_curvature, self.largest_curvature), 0.0)
        clock = memory.clock + np.where(memory.begun, dt, 0.0)
        wanted = self.taper_per_curvature * curvature
        aim = np.stack((wanted, 0.0 * wanted, 0.0 * wanted), axis=-1)
        taper = aim + np.matvec(self.smoothing, memory.taper - aim)
        straight, larger = Wave(**self.wave._asdict()), 1.0 + taper[:, :1] * self.growth
        swing, _ = replace(straight, offset=0.0 * straight.offset).at(clock)
        angle, rate = replace(straight, sine=larger * straight.sine, cosine=larger * straight.cosine).at(clock)
        command = Command(
            joint_angle=angle,
            joint_rate=rate + taper[:, 1:2] * self.growth * swing,
            prescribed=self.prescribed,
        )
        travel = travel.drifted(step * drift)
        return command, WindingMemory(clock, np.ones_like(memory.begun), travel, guide, taper)
