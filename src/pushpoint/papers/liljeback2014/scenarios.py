"""Liljeback2014: P. Liljeback, K. Y. Pettersen, O. Stavdahl, J. T. Gravdahl, "A 3D Motion Planning Framework for Snake
Robots", IEEE/RSJ International Conference on Intelligent Robots and Systems, 2014.

The text gives only link length, width and number of joints of its ODE model: masses, servos and friction are ours
(docs/proof/deviations.md). Its joint 1 is behind the head, ours is behind the second link; its link 9 is our link 8.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.control.steering import STRAIGHT, HeadingController, TurnSchedule
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.model.catalogue import liljeback2014
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.joints import Pitch, Yaw
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.papers.liljeback2014 import claims as checked
from pushpoint.papers.liljeback2014.claims import LA3, LINK, cycle_velocity, look_ahead_quality
from pushpoint.papers.writing import Build, described, listed
from pushpoint.planning.curves.curve import ShapeCurve
from pushpoint.planning.curves.motion import AlongCurve, OnCurve
from pushpoint.planning.curves.moving import OnMovingPoints
from pushpoint.planning.curves.moving_points import MovingPoints, TravellingWave
from pushpoint.planning.curves.segments import (
    rolling_arc,
    sidewinding,
    vertical_wave,
)
from pushpoint.scenarios.claim import Claim
from pushpoint.scenarios.scenario import Scenario, Variation
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import xarray as xr

PAPER = "liljeback2014"
FRICTION = 0.5
"""Our choice: on level ground the gaits are nearly the same with 0.3 and with 1."""
STEP = Settings(dt=1.0 / 1200.0)
"""A time step that divides the period of the paper's 30 Hz."""
SPEED = 0.5
"""|S'(s_h)| of sidewinding, IV-B [m/s]."""
FAST = 2.0
"""Speed of the vertical wave, IV-C [m/s]."""
TURNING = TurnSchedule(until=(5.0, 10.0), rates=(0.0, radians(22.5)))
"""Turning of the shape frame, IV-B: at rest for 5 s, then 22.5 deg/s for 5 s."""
TOWARD_DEG = 150.0
"""Wanted direction of travel of the closed loop [deg]; our choice."""
FOUR_POINTS = ((0.0, 0.0, 0.0), (0.25, 0.2, 0.0), (0.5, 0.0, 0.15), (0.85, 0.1, 0.0))
"""A curve like that of Fig. 4(a) [m], whose points are in the missing part of the paper."""


def floor(friction: float = FRICTION, *obstacles: Obstacle) -> Environment:
    """Level ground."""
    return Environment(ground=Ground(friction=Isotropic(friction)), obstacles=list(obstacles))


def following(
    build: Build,
    follower: ShapeCurveFollower,
    where: str,
    *,
    robot: SpatialRobot | None = None,
    environment: Environment | None = None,
    start: SpatialStart | None = None,
    duration: float = 15.0,
    claims: tuple[Claim, ...] = (),
) -> Scenario:
    """A scenario of a follower; by default the paper's robot on level ground, starting like the virtual robot."""
    robot = robot or liljeback2014()
    return Scenario(
        **described(build),
        source=f"Liljeback2014, {where}",
        worlds=World(robot, environment or floor(), follower, start or follower.start(robot)),
        duration=duration,
        settings=STEP,
        claims=claims,
    )


def six_joints() -> SpatialRobot:
    """The robot of Example 4: N = 6 joints, links of 0.1 m; otherwise like the other one."""
    link = liljeback2014().links[0]
    mass = link.mass * 0.1 / link.length
    across = mass * (0.1**2 + 0.07**2) / 12
    longer = SpatialLink(
        length=0.1,
        mass=mass,
        inertia=(mass * 0.07**2 / 6, across, across),
        radius=0.035,
        side_length=0.093,
        shape="square",
    )
    motor = liljeback2014().motors[0]
    return SpatialRobot.uniform(7, longer, (Pitch(motor), Yaw(motor)), name="six-joints", source="Liljeback2014, III-D")


def alignment_6() -> Scenario:
    """Seven weightless links along a curve: Example 4.

    The curve goes through four points.
    """
    robot = six_joints()
    curve = ShapeCurve(np.array(FOUR_POINTS))
    follower = ShapeCurveFollower(motion=OnCurve(points=curve.points.tolist()))
    high = Environment(ground=Ground(friction=Isotropic(FRICTION), gravity=0.0))
    place = follower.first_pose(robot).center + np.array([0.0, 0.0, 0.5])
    return following(
        alignment_6,
        follower,
        "III-D, Example 4, Fig. 4(b)",
        robot=robot,
        environment=high,
        start=replace(follower.start(robot), position=tuple(place.tolist())),
        duration=1.0,
        claims=(checked.LA1,),
    )


def segments() -> Scenario:
    """A segment repeated four times, the last two turned by 45°.

    It has nine points, and a robot follows it.
    """
    motion = AlongCurve(segment=sidewinding(liljeback2014()), speed=SPEED)
    cycles = 2.0 * motion.cycle_length / SPEED
    turn = TurnSchedule(until=(cycles, cycles + 0.1), rates=(0.0, radians(45.0) / 0.1))
    follower = ShapeCurveFollower(motion=motion, steering=turn)
    return following(segments, follower, "III-E, Example 5, Fig. 4(c)", duration=2.0 * cycles, claims=(checked.LA2,))


def sidewinder(
    height: float | None = None, steering: TurnSchedule | HeadingController = STRAIGHT, phase: float = 0.0
) -> ShapeCurveFollower:
    """Sidewinding of IV-B, by default without steering."""
    segment = sidewinding(liljeback2014(), height=height)
    return ShapeCurveFollower(motion=AlongCurve(segment=segment, speed=SPEED, phase=phase), steering=steering)


def sidewinding_scenario() -> Scenario:
    """Sidewinding along a shape curve that turns left.

    The shape frame turns counter-clockwise from 5 s to 10 s.
    """
    return following(sidewinding_scenario, sidewinder(steering=TURNING), "IV-B, Figs 6, 7", claims=(checked.LA4,))


def sidewinding_closed_loop() -> Scenario:
    """Sidewinding that steers itself toward 150 degrees.

    By where it really goes, averaged over its cycles.
    """
    steering = HeadingController(direction=radians(TOWARD_DEG))
    follower = sidewinder(steering=steering)
    return following(sidewinding_closed_loop, follower, "IV-B, with the loop closed", duration=45.0)


def vertical_wave_scenario() -> Scenario:
    """A vertical wave from head to tail: the robot goes tail first."""
    motion = AlongCurve(segment=vertical_wave(liljeback2014()), speed=FAST)
    return following(
        vertical_wave_scenario, ShapeCurveFollower(motion=motion), "IV-C, Fig. 8", duration=6.0, claims=(checked.LA5,)
    )


def lateral_rolling() -> Scenario:
    """Lateral rolling: a bent body rolls about its own curve.

    Once a second.
    """
    arc = rolling_arc(liljeback2014()).curve()
    motion = OnCurve(points=arc.points.tolist(), roll_rate=-2.0 * pi)
    return following(
        lateral_rolling, ShapeCurveFollower(motion=motion), "IV-D, Fig. 9", duration=6.0, claims=(checked.LA6,)
    )


def travelling_points(speed: float) -> MovingPoints:
    """Sidewinding by moving control points, way 2 of III-E: the wave of (19) runs back through points fixed in x.

    Two cycles behind the head, as far apart as the paper's; the wave passes them as fast as the head would.
    """
    segment = sidewinding(liljeback2014())
    period = AlongCurve(segment=segment, speed=speed).cycle_length / speed
    wave = TravellingWave(length=segment.displacement[0], width=3.0 * LINK, height=LINK / 3.0, period=period)
    return MovingPoints(points=wave, head=16.0)


def moving_points() -> Scenario:
    """Sidewinding with a fixed head and moving control points.

    The head of the virtual robot stays at its place on the curve.
    """
    cycle = AlongCurve(segment=sidewinding(liljeback2014()), speed=SPEED).period
    motion = OnMovingPoints(moving=travelling_points(SPEED), period=cycle)
    return following(moving_points, ShapeCurveFollower(motion=motion), "III-E, way 2", claims=(checked.LA8,))


SCENARIOS = listed(
    alignment_6,
    segments,
    sidewinding_scenario,
    sidewinding_closed_loop,
    vertical_wave_scenario,
    lateral_rolling,
    moving_points,
)


LINKS = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""Look-ahead distances in links [-]; shorter ones make joints jump and are not allowed."""


def quality(runs: xr.Dataset) -> dict[str, np.ndarray]:
    """How fast the robots travel, and how well the virtual ones fit the curve."""
    period = sidewinder().period or 0.0
    speeds = [np.hypot(*cycle_velocity(runs.isel(world=w), period)[:2]) for w in range(len(LINKS))]
    lying = [look_ahead_quality(links) for links in LINKS]
    return {
        "speed [m/s]": np.array(speeds),
        "joints off the curve, rms [mm]": np.array([one["rms_mm"] for one in lying]),
        "largest jump of a joint [deg]": np.array([one["largest_jump_deg"] for one in lying]),
    }


def look_ahead() -> Scenario:
    """Sidewinding over the look-ahead distance.

    The robot travels while its links can follow the curve, and less beyond.
    """
    robot = liljeback2014()
    followers = [replace(sidewinder(), look_ahead=links * LINK) for links in LINKS]
    return Scenario(
        **described(look_ahead),
        source="Liljeback2014, III-D, Remark 3",
        varies=Variation(
            parameter="look-ahead distance",
            unit="links",
            values=LINKS,
            labels=tuple(f"{links:g} links" for links in LINKS),
            measures=quality,
        ),
        worlds=tuple(World(robot, floor(), follower) for follower in followers),
        duration=14.0,
        settings=STEP,
        claims=(LA3,),
        record=Record(rate=50.0),
    )


SWEEPS = listed(look_ahead)
