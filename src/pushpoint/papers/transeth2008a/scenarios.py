"""Transeth2008a: obstacle-aided locomotion in the plane, and what its speed depends on.

Translation. The paper's link 1 is the head: link_angle[k] = theta_{n-k} - pi, joint_angle[j] = -phi_{n-1-j}. So (71) is
our LateralUndulation with phase pi, and its links 6, 2, 7, 10 are ours 5, 9, 4, 1. The obstacle radius 0.0125 m is a
misprint for 0.125 m; the initial pose is not printed (docs/proof/deviations.md).

Gray's three links (VII-B, Fig. 7). The text does not say which end leads. Gray's own account (curvature grows toward
the head, muscles pull on the inner side) and the paper's remark that obstacle 1 has the useful reaction make link 1 the
head. In our numbering joint_angle = (beta, alpha), both bends are to the left, and both torques deepen the bends. The
obstacles touch the middles of the links, inside both outer links and outside the middle one. Balance of moments about
the joints and of forces along the middle link gives a push of (front / a) sin(alpha) - (rear / b) sin(beta): forward if
alpha > beta, for equal torques and arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from math import degrees, pi, radians
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.gaits import LateralUndulation, Sampled
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.courses.channels import channel
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.papers.transeth2008a.courses import (
    CENTERS as PEG_CENTERS,
    RADIUS as PEG_RADIUS,
    clearance,
    obstacles,
    track_of,
)
from pushpoint.papers.writing import experiment, listed
from pushpoint.scenarios.scenario import Scenario, Variation
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import xarray

SOURCE = "Transeth2008a"
FRICTION = 0.2
PHASE_SHIFT, AMPLITUDE = -50.0, 40.0
MIDDLE_LINK = 5
MIDDLE_AT = (0.52, 0.16)
LINK_DIAMETER = 2 * 0.0525
SMALL_RADII = (0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02)
"""Radii of the small obstacles [m]. The paper lists an eighth, 0.03, for its seven obstacles."""
OFF_CENTRE = 0.25
CHANNEL = (-0.85, 3.6)
"""Where the channel begins and ends along the track, from the middle link's start [m]."""
CHANNEL_WIDTH = 0.14


def gait(phase_shift_deg: float = PHASE_SHIFT, amplitude_deg: float = AMPLITUDE) -> LateralUndulation:
    """The motion pattern (71) with A_h = 40 deg, omega_h = 80 deg/s."""
    return LateralUndulation(
        amplitude=radians(amplitude_deg),
        angular_frequency=radians(80),
        phase_shift=radians(phase_shift_deg),
        phase=pi,
    )


def among(
    obstacles: Sequence[Obstacle], phase_shift_deg: float = PHASE_SHIFT, amplitude_deg: float = AMPLITUDE
) -> World:
    """The robot and its motion among obstacles, with its middle link where Fig. 14 has it."""
    pattern, robot = gait(phase_shift_deg, amplitude_deg), aiko_planar()
    course = Environment(ground=Ground(friction=Isotropic(FRICTION)), obstacles=obstacles)
    start = Start(link_angles=tuple(pattern.link_angles(robot)), link=MIDDLE_LINK, position=MIDDLE_AT)
    return World(robot, course, pattern, start)


def large_pegs() -> list[Peg]:
    """The seven obstacles of VIII-D.2."""
    return list(obstacles())


@cache
def _feet() -> tuple[tuple[float, float], ...]:
    """Positions of the published obstacles along the published track: (shift in half-waves, gap to the body [m])."""
    robot = aiko_planar()
    track = track_of(robot, gait(), MIDDLE_LINK, MIDDLE_AT)
    feet = []
    for number, center in enumerate(PEG_CENTERS, start=-2):
        s = track.foot(center, track.inflection(number))
        (x, y), _ = track.at(s)
        gap = ((x - center[0]) ** 2 + (y - center[1]) ** 2) ** 0.5 - PEG_RADIUS - robot.links[0].radius
        feet.append(((s - track.inflection(number)) / track.half_wave, gap))
    return tuple(feet)


def small_pegs() -> list[Peg]:
    """Obstacles of VIII-B, each placed so that it touches the track where the large one does."""
    robot = aiko_planar()
    track = track_of(robot, gait(), MIDDLE_LINK, MIDDLE_AT)
    return [
        track.peg(number, radius, shift, radius + robot.links[0].radius + gap)
        for number, (radius, (shift, gap)) in enumerate(zip(SMALL_RADII, _feet(), strict=True), start=-2)
    ]


START_CLEARANCE = 0.0059
"""Gap between the published obstacles and the robot at its start [m]."""


def pegs_for(phase_shift_deg: float, shift: float | None = None, amplitude_deg: float = AMPLITUDE) -> list[Peg]:
    """Small obstacles for another wave: same shift from the inflections, same clearance at the start.

    `shift` [half-waves] places them elsewhere along the wave; 0 is on the centre line.
    """
    robot, pattern = aiko_planar(), gait(phase_shift_deg, amplitude_deg)
    track = track_of(robot, pattern, MIDDLE_LINK, MIDDLE_AT)
    if shift is None:
        shift = sum(shift for shift, _ in _feet()) / len(PEG_CENTERS)
    behind = -int((track.steepest + robot.length / 2) // track.half_wave)
    radius, gap = robot.links[0].radius, 0.0
    while True:
        pegs = [track.peg(behind + k, small, shift, small + radius + gap) for k, small in enumerate(SMALL_RADII)]
        if clearance(robot, pegs, pattern, MIDDLE_LINK, MIDDLE_AT) >= START_CLEARANCE:
            return pegs
        gap += 1e-3


@experiment(SOURCE, "TA1 TA15", duration=18.0)
def flat() -> World:
    """Lateral undulation on flat ground: slowly backward.

    Isotropic friction; VIII-D.1, Fig. 13.
    """
    return among([])


@experiment(SOURCE, "TA2 TA3", duration=10.0)
def obstacle_aided() -> World:
    """Lateral undulation among seven obstacles: fast and forward.

    Fifteen times faster than on flat ground; VIII-D.2, Fig. 14.
    """
    return among(large_pegs())


@experiment(SOURCE, "TA4 TA5", duration=10.0)
def small_obstacles() -> World:
    """Seven small obstacles at the same points: the same path.

    VIII-B, Figs 9-11.
    """
    return among(small_pegs())


@experiment(SOURCE, "TA6", duration=10.0)
def phase_shift_30() -> World:
    """Phase shift -30 deg: too few push-points to move forward.

    The wave is too long to keep three push-points; VIII-B, Fig. 12a.
    """
    return among(pegs_for(-30.0), -30.0)


@experiment(SOURCE, "TA7", duration=10.0)
def phase_shift_70() -> World:
    """Phase shift -70 deg: forward, but with more contact force.

    For the same push; VIII-B, Fig. 12b.
    """
    return among(pegs_for(-70.0), -70.0)


@experiment(SOURCE, "TA8", duration=10.0)
def obstacle_3_removed() -> World:
    """Obstacle 3 removed: the robot does not finish the course.

    It slides to the left and turns anticlockwise; VIII-B.1.
    """
    pegs = large_pegs()
    return among(pegs[:2] + pegs[3:])


@experiment(SOURCE, "TA9", duration=10.0)
def obstacle_3_moved() -> World:
    """Obstacle 3 moved by one link diameter: the robot finishes.

    It is moved to the left; VIII-B.1.
    """
    pegs = large_pegs()
    pegs[2] = replace(pegs[2], y=pegs[2].y + LINK_DIAMETER)
    return among(pegs)


@experiment(SOURCE, "TA11", duration=10.0)
def centre_line() -> World:
    """Small obstacles on the centre line, where the body is steep.

    VII-B.
    """
    return among(pegs_for(PHASE_SHIFT, 0.0))


@experiment(SOURCE, duration=10.0)
def off_centre() -> World:
    """Obstacles off the centre line: the same push, more torque.

    They are a quarter of a half-wave off; VII-B.
    """
    return among(pegs_for(PHASE_SHIFT, OFF_CENTRE))


@experiment(SOURCE, "TA16", duration=10.0)
def obstacle_aided_realistic() -> World:
    """The course with backlash, weak motors and a late start.

    2.5 deg of backlash, torques limited to 4 N m, and a start 100 ms late; VIII-E.
    """
    motor = replace(aiko_planar().motors[0], backlash=radians(2.5), torque_limit=4.0)  # type: ignore[index]
    robot = PlanarRobot(
        links=aiko_planar().links, motors=motor, name="aiko-planar-realistic", source="Transeth2008a, VIII-E"
    )
    return replace(among(large_pegs()), robot=robot, controller=Sampled(gait=gait(), rate=100.0, delay=0.1))


@experiment(SOURCE, "TA17", duration=10.0)
def winding_channel() -> World:
    """Through a winding channel by pushing on its walls.

    The channel follows the track and is 14 cm wide; I, VII-B.
    """
    track = track_of(aiko_planar(), gait(), MIDDLE_LINK, MIDDLE_AT)
    inside = (track.s > CHANNEL[0]) & (track.s < CHANNEL[1])
    line = track.points[inside][::50]
    walls = channel(line, width=CHANNEL_WIDTH, thickness=0.01, tolerance=2e-3)
    return among(list(walls))


ALPHA_DEG, BETA_DEG = 50.0, 30.0
TORQUE = 1.0
GRAY_RADIUS = 0.02


@experiment(SOURCE, "TA10", duration=0.04, settings=Settings(dt=1e-4), record=Record(rate=1000.0))
def gray_three_links(alpha_deg: float = ALPHA_DEG, beta_deg: float = BETA_DEG) -> World:
    """Gray's three links glide between three smooth obstacles.

    They glide forward if alpha > beta (VII-B, Fig. 7). The front joint is bent by alpha, the rear joint by beta; the
    mechanism is released from rest.
    """
    link = PlanarLink(length=0.122, mass=7.5 / 11, inertia=1.32e-3, radius=0.0525, side_length=2 * 0.0393)
    robot = PlanarRobot.uniform(3, link, name="gray-three-links", source="Transeth2008a, VII-B")
    theta = np.array([-radians(beta_deg), 0.0, radians(alpha_deg)])
    middles = link_positions(robot, np.zeros(2), theta)
    middles -= middles[1]
    beside = np.stack((-np.sin(theta), np.cos(theta)), axis=-1) * np.array([[1.0], [-1.0], [1.0]])
    centers = middles + (link.radius + GRAY_RADIUS) * beside
    return World(
        robot,
        Environment(obstacles=[Peg(x=float(x), y=float(y), radius=GRAY_RADIUS) for x, y in centers]),
        ConstantTorque(torque=(TORQUE, TORQUE)),
        Start(link_angles=tuple(theta), link=1, position=(0.0, 0.0)),
    )


SCENARIOS = listed(
    flat, obstacle_aided, small_obstacles, phase_shift_30, phase_shift_70, obstacle_3_removed, obstacle_3_moved,
    gray_three_links, centre_line, off_centre, obstacle_aided_realistic, winding_channel,
)  # fmt: skip

sweep = partial(experiment, f"{SOURCE}, VIII-D.2", record=Record(rate=50.0))
FREQUENCIES = (40.0, 60.0, 80.0, 120.0, 160.0, 240.0, 320.0)
FRICTIONS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8)
PHASE_SHIFTS = (-45.0, -50.0, -55.0, -60.0, -65.0, -70.0, -75.0)
PERIODS = 2.0
"""Length of the course in gait periods. After that the robots have left it."""


def speeds(runs: xarray.Dataset, frequency_deg: Sequence[float]) -> np.ndarray:
    """Forward speed of each world over its first two gait periods [m/s]."""
    found = []
    for w, frequency in enumerate(frequency_deg):
        x = runs.center_of_mass.isel(world=w).sel(axis="x")
        end = PERIODS * 360.0 / frequency
        found.append(float(x.interp(time=end) - x[0]) / end)
    return np.array(found)


def sweep_speeds(sweep: Scenario, runs: xarray.Dataset) -> np.ndarray:
    """Forward speed of each world of a sweep over its first two gait periods [m/s], shape (n_worlds,)."""
    return speeds(runs, [degrees(world.controller.angular_frequency) for world in sweep.experiment.worlds])


@sweep(
    "TA12",
    varies=Variation(parameter="angular frequency of the wave", unit="deg/s", values=FREQUENCIES),
    duration=PERIODS * 360.0 / min(FREQUENCIES),
)
def speed_over_frequency() -> list[World]:
    """Speed over the wave's angular frequency: proportional.

    As long as the motors can follow.
    """
    course = among(large_pegs())
    waves = [replace(course.controller, angular_frequency=radians(frequency)) for frequency in FREQUENCIES]
    return [replace(course, controller=wave) for wave in waves]


@sweep("TA13", varies=Variation(parameter="friction of the ground", unit="1", values=FRICTIONS), duration=10.0)
def speed_over_friction() -> list[World]:
    """Speed over ground friction: almost no effect.

    The obstacles do the work.
    """
    course = among(large_pegs())
    grounds = [Ground(friction=Isotropic(friction)) for friction in FRICTIONS]
    return [replace(course, environment=replace(course.environment, ground=ground)) for ground in grounds]


@sweep("TA14", varies=Variation(parameter="phase shift between joints", unit="deg", values=PHASE_SHIFTS), duration=10.0)
def speed_over_phase_shift() -> list[World]:
    """Speed over the phase shift: shorter waves are slower.

    The obstacles are placed for each wave.
    """
    return [among(pegs_for(shift), shift) for shift in PHASE_SHIFTS]


SWEEPS = listed(speed_over_frequency, speed_over_friction, speed_over_phase_shift)
