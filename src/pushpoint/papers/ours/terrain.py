"""Our own scenarios on terrain in space: inside pipes, over pegs that end, up a ramp."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np

from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import VerticalWave
from pushpoint.model.catalogue import aiko, yaw_pitch_16
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.terrain import Pipe, Ramp
from pushpoint.papers.ours.spatial import RUBBLE_FRICTION, rolling_ground
from pushpoint.papers.transeth2008b.scenarios import sidewinder
from pushpoint.papers.writing import experiment, listed
from pushpoint.worlds.world import World

FRICTION = 0.6
BORE = 0.07
"""Inner radius of the pipes [m]: nearly three times that of the links."""
UPHILL = radians(30.0)
PEGS, PEG_SEED = 60, 0


def crawling(amplitude_deg: float) -> VerticalWave:
    """One wave per second from tail to head; the body is 1.3 waves long."""
    return VerticalWave(
        amplitude=radians(amplitude_deg), angular_frequency=radians(360.0), phase_shift=radians(30.0), soft_start=0.5
    )


def in_pipe(slope: float, amplitude_deg: float, bore: float = BORE) -> World:
    """The SEA snake on the bottom of a straight pipe that rises by an angle [rad]."""
    robot = yaw_pitch_16()
    away = bore - robot.links[0].radius
    low = np.array([0.0, 0.0, 0.2])
    ahead, up = np.array([cos(slope), 0.0, sin(slope)]), np.array([-sin(slope), 0.0, cos(slope)])
    start, end, middle = low, low + 2.0 * ahead, low + 0.65 * ahead - away * up
    pipe = Pipe(start=_rounded(start), end=_rounded(end), radius=bore, friction=FRICTION)
    x, y, z = middle + 1e-4 * up  # it drops by a tenth of a millimetre
    lying = SpatialStart(
        joint_angles=(0.0,) * robot.n_joints,
        orientation=(cos(slope / 2), 0.0, -sin(slope / 2), 0.0),
        position=(float(x), float(y), float(z)),
    )
    return World(robot, Environment(obstacles=[pipe]), crawling(amplitude_deg), lying)


def _rounded(point: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (round(float(part), 6) for part in point)
    return x, y, z


@experiment("gait of Transeth2008b, (71); the pipe is our own", paper="terrain", duration=8.0)
def pipe() -> World:
    """Crawling through a level pipe by a vertical wave that braces against top and bottom."""
    return in_pipe(0.0, 60.0)


@experiment("gait of Transeth2008b, (71); the pipe is our own", paper="terrain", duration=8.0)
def pipe_uphill() -> World:
    """Crawling up a pipe that rises by 30 degrees.

    The tangent of the slope, 0.58, is just below the coefficient of friction, 0.6: lying still, the robot would hold.
    """
    return in_pipe(UPHILL, 60.0)


@experiment("gait of Transeth2008b, (71); the pipe is our own", paper="terrain", duration=8.0)
def pipe_upright() -> World:
    """Climbing an upright pipe by bracing against opposite sides."""
    return in_pipe(radians(90.0), 60.0, 0.055)


def short_pegs(seed: int) -> list[Peg]:
    """Pegs scattered at random over 2 m by 2 m beside the robot.

    They are 1 to 5 cm high and 2 to 6 cm in radius, in whole millimetres, as in a file.
    """
    random = np.random.default_rng(seed)

    def length(low: float, high: float) -> float:
        return round(random.uniform(low, high), 3)

    return [
        Peg(
            x=length(-1.0, 1.0),
            y=length(0.25, 2.25),
            radius=length(0.02, 0.06),
            height=length(0.01, 0.05),
            friction=RUBBLE_FRICTION,
        )
        for _ in range(PEGS)
    ]


@experiment("gait of Transeth2008b, VIII-E; the pegs are our own", paper="terrain", duration=20.0)
def pegs(seed: int = PEG_SEED) -> World:
    """Sidewinding over short pegs: sixty at random, up to 5 cm high."""
    robot = aiko()
    place = Environment(ground=rolling_ground(RUBBLE_FRICTION), obstacles=short_pegs(seed))
    start = SpatialStart(joint_angles=(0.0,) * robot.n_joints, position=(0.0, 0.0, robot.links[0].radius))
    return World(robot, place, sidewinder(), start)


@experiment("gait of Transeth2008b, (71); the ramp is our own", paper="terrain", duration=20.0)
def ramp_scenario(rise: float = 0.3) -> World:
    """Up a ramp of 14 degrees and onto its landing by a vertical wave."""
    robot = yaw_pitch_16()
    slope = Ramp(foot=(0.65, 0.0), length=1.2, rise=rise, width=0.8, landing=1.2, friction=FRICTION)
    place = Environment(ground=Ground(friction=Isotropic(FRICTION)), obstacles=[slope])
    start = SpatialStart(joint_angles=(0.0,) * robot.n_joints, position=(0.0, 0.0))
    return World(robot, place, crawling(30.0), start)


SCENARIOS = listed(pipe, pipe_uphill, pipe_upright, pegs, ramp_scenario, paper="terrain")
