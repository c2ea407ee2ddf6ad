"""Holden2014: the instant of its tables, released, and the closed loop.

The paper shows one frozen instant: which torques push on which pegs. Here the instant is released in the engine, and
then the force mapping drives the same robot along a path, solved again at every command. The mapping on rails drives
it. The paper's own program does not; with a posture term it does. Links count from the tail in both. The paper's u_i is
our -joint_torque[i - 1], its K_l is right for equal masses only, and its pegs are points (docs/proof/deviations.md).
"""

from __future__ import annotations

import numpy as np

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.mapping.limits import MappingWeights
from pushpoint.model.catalogue import holden2014 as robot_of_the_paper
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.papers.holden2014.decay import POSTURE
from pushpoint.papers.holden2014.tables import FRICTION, PEG_FRICTION, simulated_instant
from pushpoint.papers.writing import experiment, listed
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

# Listing scenarios must stay fast: what runs simulations is imported where a scenario is built.

WAVE = 0.55
"""Wavelength of the course [m]. The torques of the paper's robot are enough up to 0.6 m."""
SPEED = 0.1
"""Speed along the path [m/s]."""


@experiment(
    "Holden2014, VIII, Tables I-V, Fig. 3",
    "HA1 HA2 HA3 HA4 HA5 HA6 HA7 HA10",
    duration=0.01,
    settings=Settings(dt=1e-4, tolerance=1e-6),
    record=Record(rate=10_000.0),
)
def table_5() -> World:
    """The instant of Table V, released: twenty links, five pegs.

    The robot pushes toward a goal with the least torques.
    """
    pegs, state, optimum = simulated_instant()
    start = Start(
        link_angles=state.link_angle.tolist(),
        velocity=state.velocity.tolist(),
        spin=float(state.link_rate[0]),
        joint_rates=np.diff(state.link_rate).tolist(),
    )
    course = Environment(ground=Ground(friction=Isotropic(FRICTION)), obstacles=pegs)
    return World(robot_of_the_paper(), course, ConstantTorque(torque=optimum.joint_torque.tolist()), start)


CLOSED = "Holden2014, VI and VII, with the loop closed; course and gains are ours"


@experiment(CLOSED, "HA8 HA9", duration=20.0)
def closed_loop() -> World:
    """Force mapping on rails along a sine through pegs.

    The robot of the paper, commanded 100 times per second.
    """
    return _loop()


@experiment(CLOSED, "HA11", duration=6.0)
def program_as_printed() -> World:
    """The paper's program along the sine: the body buckles.

    Links that (53)-(56) leave free buckle and whirl.
    """
    return _loop(MappingWeights())


@experiment(CLOSED, "HA12", duration=10.0)
def with_posture() -> World:
    """The paper's program with a posture term: it drives the robot.

    The term holds the links that the program leaves free.
    """
    return _loop(MappingWeights(posture=POSTURE))


def _loop(program: MappingWeights | None = None) -> World:
    from pushpoint.control.rails import ForceMappingController
    from pushpoint.papers.holden2014.courses import flank_pegs, sine_path

    robot = robot_of_the_paper()
    controller = ForceMappingController(path=sine_path(WAVE), speed=SPEED, program=program)
    pegs = flank_pegs(float(robot.column("radius").max()), wave=WAVE, friction=PEG_FRICTION)
    course = Environment(ground=Ground(friction=Isotropic(FRICTION)), obstacles=pegs)
    return World(robot, course, controller, controller.start(robot))


SCENARIOS = listed(table_5, closed_loop, program_as_printed, with_posture)
