"""Holden2014: the instant of its tables, let go, and the loop closed.

It shows one frozen instant: which torques push on which pegs. Here the instant is let go in the engine, and the force
mapping then drives the same robot along a path, again and again solved. What drives is a mapping on rails; beside it
stand the paper's own program, which does not drive, and that with a posture term, which does. Links count from the tail
in both; the paper's u_i is our -joint_torque[i - 1], its K_l is right for equal masses only, and its pegs are points
(docs/proof/deviations.md).
"""

from __future__ import annotations

import numpy as np

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.mapping.force_mapping import MappingWeights
from pushpoint.model.catalogue import holden2014 as robot_of_the_paper
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.papers.holden2014.decay import POSTURE
from pushpoint.papers.holden2014.tables import FRICTION, PEG_FRICTION, simulated_instant
from pushpoint.papers.writing import experiment, listed
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

# Listing scenarios must stay light: what runs simulations is imported where a scenario is built.

WAVE = 0.55
"""Length of the waves of the course [m]: the torques of the paper's robot suffice up to 0.6 m."""
SPEED = 0.1
"""Along the path [m/s]."""


@experiment(
    "Holden2014, VIII, Tables I-V, Fig. 3",
    "HA1 HA2 HA3 HA4 HA5 HA6 HA7 HA10",
    duration=0.01,
    settings=Settings(dt=1e-4, tolerance=1e-6),
    record=Record(rate=10_000.0),
)
def table_5() -> World:
    """Twenty links held by five pegs push toward a goal with the least torques: the instant of Table V, let go."""
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
    """The robot of the paper pushes itself along a sine through pegs: force mapping on rails, 100 times per second."""
    return _loop()


@experiment(CLOSED, "HA11", duration=6.0)
def program_as_printed() -> World:
    """The same course with the paper's own program, (53)-(56): links that it leaves free buckle and whirl."""
    return _loop(MappingWeights())


@experiment(CLOSED, "HA12", duration=10.0)
def with_posture() -> World:
    """The paper's program with a posture term for the links that it leaves free: it drives."""
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
