"""Our own scenarios of path following: lines, waypoints and curves, in the plane and in space.

The ten-link robot is that of the simulations in P. Liljeback, K. Y. Pettersen, O. Stavdahl, J. T. Gravdahl, Snake
Robots, 2013, as a public implementation of its models quotes it; we have not checked it against the book.
"""

from __future__ import annotations

from dataclasses import replace
from math import cos, radians, sin

import numpy as np

from pushpoint.control.path_following import (
    HeadingHold,
    LineOfSight,
    PathSteering,
    SidewindingLineOfSight,
    SpeedController,
)
from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import LateralUndulation, Sidewinding
from pushpoint.mapping.rails import Path
from pushpoint.model.catalogue import acm_iii_planar, aiko, aiko_planar, liljeback2014
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic, Viscous
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.sensors import Channel, Sensors
from pushpoint.papers.ours.gaits import WINDING, on_ground
from pushpoint.papers.writing import experiment, listed
from pushpoint.planning.curves.motion import AlongCurve
from pushpoint.planning.curves.segments import sidewinding as segment
from pushpoint.scenarios.scenario import Variation
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

QUOTED = "after Liljeback, Haugstuen, Pettersen, IEEE TCST 2012, and Kelasidi et al., IEEE T-RO 2017"
ASIDE, TURNED = 0.05, radians(20)
"""Where robots start beside a straight line, and how far they are turned away from it."""
VISCOUS = Viscous(along=0.5, across=3.0)
DRY = Elliptic(along=0.05, across=0.5)
RATE = Record(rate=25.0)
GAIN = 0.3
"""Gain of the ten-link robot [-], as quoted."""
CAMERA = Sensors(center_of_mass=Channel(noise=0.006, rate=25.0, delay=0.04), imu_heading=Channel(noise=radians(1)))
"""Cameras above the robot: 6 mm, the error of those of Liljeback2011, at 25 Hz, and a compass."""


def ten_links() -> PlanarRobot:
    """Ten links of 0.18 m and 1.56 kg."""
    length, mass = 0.18, 1.56
    link = PlanarLink(length=length, mass=mass, inertia=mass * length**2 / 12, radius=0.05)
    source = "Liljeback et al., Snake Robots, 2013, as quoted in a public implementation; radius 0.05 m is ours"
    return PlanarRobot.uniform(10, link, Motor(stiffness=20.0, damping=5.0), name="ten-links", source=source)


def ground(friction: FrictionLaw) -> Environment:
    """Level ground without obstacles."""
    return Environment(ground=Ground(friction=friction))


def undulation(amplitude: float, frequency: float, phase_shift: float) -> LateralUndulation:
    """Lateral undulation, all in degrees and degrees per second."""
    return LateralUndulation(
        amplitude=radians(amplitude),
        angular_frequency=radians(frequency),
        phase_shift=-radians(phase_shift),
        soft_start=1.0,
    )


TEN_GAIT = undulation(40, 120, 50)
"""As quoted with the ten-link robot."""
AIKO_GAIT = undulation(30, 120, 36)
WHEEL_GAIT = undulation(20, 90, 27)


def along_x(length: float) -> Path:
    """A straight line along the x axis."""
    return Path(np.array([(0.0, 0.0), (length, 0.0)]))


def ten_on_line(start: Start, **more: object) -> World:
    """The ten-link robot on a straight line, with the quoted gains."""
    law = LineOfSight(gait=TEN_GAIT, path=along_x(6.0), look_ahead=1.8, gain=GAIN, **more)  # type: ignore[arg-type]
    return World(ten_links(), ground(VISCOUS), law, start)


def aiko_on_line(start: Start) -> World:
    """Aiko on a straight line, on dry ground."""
    robot = aiko_planar()
    law = LineOfSight(gait=AIKO_GAIT, path=along_x(8.0), look_ahead=robot.length)
    return World(robot, ground(DRY), law, start)


def aiko_along(way: Path, look_ahead: float, gain: float, start: Start) -> World:
    """Aiko on a curve, on dry ground."""
    law = LineOfSight(gait=AIKO_GAIT, path=way, look_ahead=look_ahead, gain=gain)
    return World(aiko_planar(), ground(DRY), law, start)


@experiment(QUOTED, paper="paths", duration=30.0, record=RATE)
def straight_line() -> World:
    """A ten-link robot comes onto a straight line by line of sight.

    It starts 5 cm beside the line and turned away by 20°.
    """
    return ten_on_line(Start(position=(0.0, ASIDE), heading=TURNED))


@experiment(QUOTED, paper="paths", duration=45.0, record=RATE)
def waypoints() -> World:
    """A robot passes waypoints, seen by noisy cameras.

    It turns to the next leg 0.7 m before a corner. The cameras see it 25 times per second, 40 ms late and with an error
    of 6 mm.
    """
    corners = Path(np.array([(0.0, 0.0), (3.0, 0.0), (5.0, 2.0), (8.0, 2.0)]))
    law = LineOfSight(gait=TEN_GAIT, path=corners, look_ahead=1.26, gain=GAIN, switching_radius=0.7)
    return World(ten_links(), ground(VISCOUS), law, sensors=CAMERA)


@experiment(QUOTED, paper="paths", duration=30.0, record=RATE)
def curve() -> World:
    """A robot follows a curve on dry ground.

    Its friction is ten times larger across the links than along them.
    """
    x = np.linspace(0.0, 8.0, 17)
    way = Path(np.stack((x, 0.6 * np.sin(2 * np.pi * x / 8.0)), axis=1))
    return aiko_along(way, look_ahead=aiko_planar().length, gain=0.6, start=Start(heading=radians(25)))


@experiment(QUOTED, paper="paths", duration=40.0, record=RATE)
def wheeled() -> World:
    """A robot on passive wheels follows a straight line.

    It has twenty links and hardly slips sideways, so it needs damping.
    """
    robot = acm_iii_planar()
    law = LineOfSight(gait=WHEEL_GAIT, path=along_x(10.0), look_ahead=robot.length, damping=0.25)
    return World(robot, Environment(), law, Start(position=(0.0, ASIDE), heading=TURNED))


@experiment(QUOTED, paper="paths", duration=40.0, record=RATE)
def across_slope() -> World:
    """A robot in space keeps its line across a slope.

    The ground rises by 5° to its left. Integral action finds the angle at which the robot must head uphill.
    """
    robot = aiko()
    law = LineOfSight(gait=AIKO_GAIT, path=along_x(8.0), look_ahead=robot.length, integral_gain=0.05)
    slope = Ground(friction=Elliptic(along=0.1, across=0.5), slope=radians(5), slope_direction=radians(90))
    return World(robot, Environment(ground=slope), law, SpatialStart(position=(0.0, ASIDE)))


@experiment(QUOTED, paper="paths", duration=40.0, record=RATE)
def heading_and_speed() -> World:
    """A robot turns to a heading of 60° and keeps 0.12 m/s.

    Its gait alone would make it faster: the frequency of the wave is lowered.
    """
    law = HeadingHold(gait=TEN_GAIT, direction=radians(60), gain=GAIN, speed=SpeedController(speed=0.12))
    return World(ten_links(), ground(VISCOUS), law)


TEN_STARTS = tuple((0.05 * (-1) ** k * (1 + k % 3), radians(turn)) for k, turn in enumerate(range(-90, 91, 20)))
"""Places beside the line [m] and headings [rad] of ten starts."""


@experiment(
    QUOTED,
    paper="paths",
    varies=Variation(parameter="start", unit="1", values=tuple(float(k) for k in range(len(TEN_STARTS)))),
    duration=45.0,
    record=replace(RATE, variables=("center_of_mass", "link_position", "link_angle")),
)
def ten_starts() -> list[World]:
    """A ten-link robot comes onto a straight line from ten starts.

    It starts up to 15 cm beside the line and turned away from it by up to 90°.
    """
    return [ten_on_line(Start(position=(0.0, aside), heading=turn)) for aside, turn in TEN_STARTS]


LEFT_OF_HEAD = radians(80)
"""Direction in which the sidewinding SEA Snake sets out, from that of its body [rad]."""


def winding_on_line(aside: float, turned: float) -> World:
    """The SEA Snake sidewinds along a straight line, set down beside it and turned away from it."""
    law = SidewindingLineOfSight(gait=Sidewinding(**WINDING), path=along_x(6.0))
    world = on_ground(law)
    straight = (0.0,) * world.robot.n_joints
    start = SpatialStart(position=(0.0, aside), heading=turned - LEFT_OF_HEAD, joint_angles=straight)
    return replace(world, start=start)


@experiment("ours; the gait is that of gaits/sidewinding", paper="paths", duration=60.0, record=RATE)
def sidewinding_scenario() -> World:
    """A sidewinding robot comes onto a straight line.

    It starts 5 cm beside the line and turned away by 20°. It turns by a yaw wave that grows toward one end.
    """
    return winding_on_line(ASIDE, TURNED)


SIDEWAYS = radians(50)
"""Direction of the line that the sidewinding robot follows [rad]; alone it sets out at 55° and turns right by 3°/s."""


@experiment(
    "ours; the gait is that of Liljeback2014, IV-B",
    paper="paths",
    duration=30.0,
    settings=Settings(dt=1 / 1200),
    record=RATE,
)
def sidewinding_line() -> World:
    """A sidewinding robot is led along a line by turning its shape frame.

    Its direction of travel over a cycle follows the line of sight. Its curve is smooth, so it turns evenly.
    """
    robot = liljeback2014()
    line = Path(np.array([(-0.45, 0.0), (-0.45 + 8.0 * cos(SIDEWAYS), 8.0 * sin(SIDEWAYS))]))
    steering = PathSteering(path=line, look_ahead=2.0, gain=1.5, fastest=radians(45))
    motion = AlongCurve(segment=segment(robot), speed=0.5, curve="smooth")
    follower = ShapeCurveFollower(motion=motion, steering=steering)
    return World(robot, Environment(ground=Ground(friction=Isotropic(0.5))), follower, follower.start(robot))


SCENARIOS = listed(
    straight_line,
    waypoints,
    curve,
    wheeled,
    across_slope,
    heading_and_speed,
    sidewinding_scenario,
    sidewinding_line,
    paper="paths",
)
