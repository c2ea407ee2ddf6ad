"""Path following and heading of an undulating robot, steered by the mean angle of its joints.

After Liljeback, Haugstuen, Pettersen, IEEE Trans. Control Syst. Technol. 20(1), 2012, and Kelasidi et al., IEEE Trans.
Robot. 33(3), 2017. In our signs (joint_angle = front link minus rear link, left positive)

    joint angle = gait + offset,    offset follows gain e + damping e' + curvature of the path * spacing

where e is the wanted direction minus the heading, and the heading is the mean angle of the links. The last term, ours,
is the bend of a body that follows a curve without slipping sideways; it is zero on straight lines. See
docs/theory/path-following.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, radians
from typing import Annotated, Any, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.control.path_following.around_gait import AroundGait
from pushpoint.control.path_following.guidance import Compass, Course, Guide
from pushpoint.control.path_following.speed import SpeedController, SpeedLaw
from pushpoint.control.path_following.track import Track, lay_track
from pushpoint.control.travel import within_half_a_turn
from pushpoint.engine.batching import form
from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement, Wave
from pushpoint.errors import InvalidModel
from pushpoint.gaits import WaveGait
from pushpoint.mapping.rails import Path
from pushpoint.model.checks import above, at_least, check_fields
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle, Coefficient, Duration, Frequency, Length, Width
from pushpoint.model.spatial_robot import AnyRobot

BEND = 3.0
"""Default bend of the whole body per error of the heading [-]."""
LOOK_AHEAD = 2.0
"""Default look-ahead distance, in lengths of the robot [-]: the rule of Kelasidi et al. 2016."""
FILTER = 4.0
"""Default corner of the reference filter, as a multiple of the gait's frequency [-]."""


class YawAxes(NamedTuple):
    """What steering must know about a robot."""

    axes: np.ndarray
    """1 for yaw axes, 0 for others [-], (n_joints,)."""
    behind: np.ndarray
    """Share of the links that are behind each yaw axis, 0 for other axes [-], (n_joints,)."""
    spacing: np.ndarray
    """Mean distance between yaw axes [m]."""

    def heading(self, measurement: Measurement) -> np.ndarray:
        """Mean angle of the links, from the head's IMU and the joint angles [rad], shape (n_worlds,)."""
        return np.asarray(measurement.imu_heading - np.sum(self.behind * measurement.joint_angle, axis=-1))

    def turning(self, measurement: Measurement) -> np.ndarray:
        """Rate of the heading, from the head's gyroscope and the joint rates [rad/s], shape (n_worlds,)."""
        spin = measurement.imu_angular_rate
        spin = spin[:, 2] if spin.ndim > 1 else spin
        return np.asarray(spin - np.sum(self.behind * measurement.joint_rate, axis=-1))


def yaw_of(robot: AnyRobot) -> YawAxes:
    """What steering must know about a robot; raises InvalidModel if it cannot bend sideways."""
    yaw = np.array([axis.name == "yaw" for axis in robot.axes], dtype=float)
    if not yaw.any():
        raise InvalidModel("controller: robot", "no yaw axis", "a robot that bends sideways, which steers it")
    behind = np.array([axis.link_behind + 1 for axis in robot.axes]) / robot.n_links
    return YawAxes(yaw, yaw * behind, np.array(robot.length / (yaw.sum() + 1.0)))


class SteeredMemory(NamedTuple):
    """What a steered gait remembers of a world."""

    clock: np.ndarray
    """The gait's own time [s], which runs faster or slower than that of the world if its speed is controlled."""
    begun: np.ndarray
    """Whether a command has been given."""
    direction: np.ndarray
    """The last wanted direction [rad]."""
    offset: np.ndarray
    """Mean joint angle [rad], its rate [rad/s] and acceleration [rad/s^2], (3,)."""
    guide: Any
    """The memory of the guidance."""
    speed: Any
    """The memory of the speed control; None without."""


@dataclass(frozen=True, kw_only=True)
class SteeredGait(AroundGait[SteeredMemory]):
    """Base class of gaits that are steered by a common offset of the yaw joints.

    They measure the joint angles, the heading of the head (the IMU must be there, as it is by default) and the position
    of the centre of mass. The offset goes through a filter of third order with one triple pole, so that neither
    references nor their rates and accelerations jump.
    """

    gait: WaveGait
    """The wave that drives the robot forward, such as a LateralUndulation."""
    gain: Coefficient | None = None
    """Offset per error of the heading, k_theta [-]; default: such that an error of 1 rad bends the body by 3 rad."""
    damping: Duration = 0.0
    """Offset per rate of that error [s]; 0 for the published law. It helps long robots that do not slip sideways."""
    largest_offset: Width = radians(15)
    """Largest offset of a joint before the filter [rad]."""
    filter_frequency: Annotated[float, above(0, "rad/s")] | None = None
    """Corner frequency of the filter [rad/s]; default: four times that of the gait."""
    speed: SpeedController | None = None
    """What keeps the average speed; default: the gait keeps its frequency."""
    rate: Frequency = 50.0
    """Commands per second [Hz]."""

    needs = frozenset({"pose"})

    def __post_init__(self) -> None:
        check_fields(self, "controller")
        if self.speed is not None and not self.gait.angular_frequency:
            raise InvalidModel("gait.angular_frequency", 0.0, "not zero if the speed is controlled", unit="rad/s")

    @property
    def period(self) -> float | None:
        """Duration of one cycle at the gait's own frequency [s]; None if it does not move."""
        return None if self.gait.period == inf else self.gait.period

    def _bound(self, robot: AnyRobot, guide: Guide | Compass) -> BoundSteering:
        """The controller of one robot with its guidance."""
        wave, yaw = self.gait.wave(robot), yaw_of(robot)
        corner = self.filter_frequency or FILTER * abs(self.gait.angular_frequency) or 1.0
        return BoundSteering(
            wave=Swings(**{name: np.asarray(getattr(wave, name)) for name in Swings._fields}),
            yaw=yaw,
            guide=guide,
            gain=float(BEND / yaw.axes.sum() if self.gain is None else self.gain),
            damping=float(self.damping),
            largest_offset=float(self.largest_offset),
            smoothing=triple_lag(corner, 1.0 / self.rate),
            speed=None if self.speed is None else self.speed.bound(self.gait.period),
            frequency=abs(self.gait.angular_frequency),
            rate=self.rate,
            prescribed=self.gait.prescribed,
        )


@register("heading-hold")
@dataclass(frozen=True, kw_only=True)
class HeadingHold(SteeredGait):
    """Undulation in a wanted direction of the compass.

    For example:

        gait = pp.gaits.LateralUndulation(amplitude=0.7, angular_frequency=2.0, phase_shift=-0.7)
        controller = pp.control.HeadingHold(gait=gait, direction=0.5)
    """

    __repr__ = brief

    direction: Angle = 0.0
    """Wanted heading, counter-clockwise from the x axis [rad]."""

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundSteering:
        """Returns the controller bound to one robot."""
        return self._bound(robot, Compass(np.array(float(self.direction))))


@register("line-of-sight")
@dataclass(frozen=True, kw_only=True)
class LineOfSight(SteeredGait):
    """Undulation along a path: a straight line, waypoints or a curve.

    The centre of mass is led onto the path. Beyond its last point the path is straight; a goal ends the run there.

        gait = pp.gaits.LateralUndulation(amplitude=0.7, angular_frequency=2.0, phase_shift=-0.7)
        line = pp.mapping.Path([(0.0, 0.0), (5.0, 0.0)])
        world = pp.World(
            pp.catalogue.aiko_planar(),
            pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=0.5))),
            pp.control.LineOfSight(gait=gait, path=line),
            start=pp.Start(position=(0.0, 0.05), heading=0.35),
        )
    """

    __repr__ = brief

    path: Path
    """The path: two points for a straight line, more for a smooth curve through them."""
    look_ahead: Length | None = None
    """Look-ahead distance [m]; default: twice the robot's length."""
    integral_gain: Annotated[float, at_least(0, "m/s")] = 0.0
    """Integral gain against drift, sigma [m/s]; 0 for none."""
    switching_radius: Length | None = None
    """Makes the points of the path waypoints with straight legs between them.

    The next leg is followed from this distance before its start [m]; default: a smooth curve.
    """

    def distance_ahead(self, robot: AnyRobot) -> float:
        """The look-ahead distance for a robot [m]."""
        return float(LOOK_AHEAD * robot.length if self.look_ahead is None else self.look_ahead)

    def track(self, robot: AnyRobot) -> Track:
        """The path as a robot finds its place on it."""
        return lay_track(self.path, self.distance_ahead(robot), self.switching_radius)

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundSteering:
        """Returns the controller bound to one robot."""
        ahead, integral_gain = np.array(self.distance_ahead(robot)), np.array(float(self.integral_gain))
        return self._bound(robot, Guide(self.track(robot), ahead, integral_gain))


def triple_lag(corner: float, dt: float) -> np.ndarray:
    """One step of dt [s] of x''' + 3 w x'' + 3 w^2 x' + w^3 x = 0, exactly, for (x, x', x''), shape (3, 3)."""
    w = corner
    # x = (a + b t + c t^2) exp(-w t), with a = x, b = x' + w x, c = (x'' + 2 w x' + w^2 x) / 2
    start = np.array([[1.0, 0.0, 0.0], [w, 1.0, 0.0], [w * w / 2, w, 0.5]])
    value = np.array([1.0, dt, dt * dt])
    slope, bend = np.array([0.0, 1.0, 2.0 * dt]), np.array([0.0, 0.0, 2.0])
    end = np.stack((value, slope - w * value, bend - 2.0 * w * slope + w * w * value))
    return np.asarray(np.exp(-w * dt) * end @ start)


class Swings(NamedTuple):
    """The arrays of a Wave, with a leading world axis where worlds differ."""

    offset: np.ndarray
    sine: np.ndarray
    cosine: np.ndarray
    angular_frequency: np.ndarray
    soft_start: np.ndarray
    from_time: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundSteering(Controller[SteeredMemory]):
    """A steered gait of one robot, or of several together."""

    batches = True
    needs = frozenset({"pose"})

    wave: Swings
    """The gait."""
    yaw: YawAxes
    """The robot."""
    guide: Guide | Compass
    """The guidance."""
    gain: float
    """Offset per error of the heading [-]."""
    damping: float
    """Offset per rate of that error [s]."""
    largest_offset: float
    """Largest offset [rad]."""
    smoothing: np.ndarray
    """One step of the filter, (3, 3)."""
    speed: SpeedLaw | None
    """The speed control; None without."""
    frequency: float
    """The gait's angular frequency [rad/s]."""
    rate: float
    prescribed: bool

    def memory(self) -> SteeredMemory:
        """The gait at time zero, without an offset."""
        speed = None if self.speed is None else self.speed.memory()
        return SteeredMemory(np.array(0.0), np.array(False), np.array(0.0), np.zeros(3), self.guide.memory(), speed)

    def adopt(self, memory: Any, of: Controller[Any]) -> SteeredMemory:
        """Continues the wave of another steered gait, and its place if that is on the same path."""
        fresh = self.memory()
        if not isinstance(of, BoundSteering):
            return fresh
        if form(memory) == form(fresh):
            known: Any = of.guide  # of the same kind, as their memories are
            return memory._replace(guide=self.guide.continued(memory.guide, known))
        return fresh._replace(clock=memory.clock, begun=memory.begun, offset=memory.offset)

    def command(self, measurement: Measurement, memory: SteeredMemory) -> tuple[Command, SteeredMemory]:
        """The gait at its own time, with the offset that turns the robot toward its course."""
        dt = 1.0 / self.rate
        assert measurement.center_of_mass is not None  # it needs the pose
        course, guide = self.guide.course(measurement.center_of_mass[:, :2], dt, memory.guide)
        pace, speed = self._pace(measurement, course, dt, memory)
        clock = memory.clock + np.where(memory.begun, dt * pace, 0.0)
        offset = self._offset(measurement, course, memory)
        angle, rate = Wave(**self.wave._asdict()).at(clock)
        steered = offset[:, :, None] * self.yaw.axes
        command = Command(
            joint_angle=angle + steered[:, 0],
            joint_rate=pace[:, None] * rate + steered[:, 1],
            prescribed=self.prescribed,
        )
        return command, SteeredMemory(clock, np.ones_like(memory.begun), course.direction, offset, guide, speed)

    def _offset(self, measurement: Measurement, course: Course, memory: SteeredMemory) -> np.ndarray:
        """The next offset with its derivatives, shape (n_worlds, 3)."""
        error = within_half_a_turn(course.direction - self.yaw.heading(measurement))
        turned = within_half_a_turn(course.direction - memory.direction) * self.rate
        rate = np.where(memory.begun, turned, 0.0) - self.yaw.turning(measurement)
        wanted = self.gain * error + self.damping * rate + course.curvature * self.yaw.spacing
        wanted = np.clip(wanted, -self.largest_offset, self.largest_offset)
        aim = np.stack((wanted, 0.0 * wanted, 0.0 * wanted), axis=-1)
        moved = aim + np.matvec(self.smoothing, memory.offset - aim)
        return np.where(memory.begun[:, None], moved, memory.offset)

    def _pace(
        self, measurement: Measurement, course: Course, dt: float, memory: SteeredMemory
    ) -> tuple[np.ndarray, Any]:
        """The frequency as a multiple of the gait's own, shape (n_worlds,), and the memory of the speed control."""
        if self.speed is None:
            return np.ones(len(measurement.time)), None
        assert measurement.center_of_mass is not None
        seen = np.column_stack((measurement.center_of_mass[:, :2], measurement.time))
        return self.speed.pace(memory.clock * self.frequency, seen, course.direction, dt, memory.speed)
