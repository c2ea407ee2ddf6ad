"""Holden2014: C. Holden, Ø. Stavdahl, J. T. Gravdahl, "Optimal Dynamic Force Mapping for Obstacle-Aided Locomotion in
2D Snake Robots", IEEE/RSJ International Conference on Intelligent Robots and Systems, 2014.

It shows one frozen instant: which torques push on which pegs. Here the instant is let go in the engine, and the force
mapping then drives the same robot along a path, again and again solved. What drives is a mapping on rails; beside it
stand the paper's own program, which does not drive, and that with a posture term, which does. Links count from the tail
in both; the paper's u_i is our -joint_torque[i - 1], its K_l is right for equal masses only, and its pegs are points
(docs/deviations.md).
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
from pushpoint.papers.holden2014 import claims as checked
from pushpoint.papers.holden2014.decay import POSTURE
from pushpoint.papers.holden2014.tables import FRICTION, PEG_FRICTION, simulated_instant
from pushpoint.papers.writing import Build, described, listed
from pushpoint.scenarios.claim import Claim
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

# Listing scenarios must stay light: what runs simulations is imported where a scenario is built.

WAVE = 0.55
"""Length of the waves of the course [m]: the torques of the paper's robot suffice up to 0.6 m."""
SPEED = 0.1
"""Along the path [m/s]."""


def table_5() -> Scenario:
    """Twenty links held by five pegs push toward a goal with the least torques: the instant of Table V, let go."""
    pegs, state, optimum = simulated_instant()
    start = Start(
        link_angles=state.link_angle.tolist(),
        velocity=state.velocity.tolist(),
        spin=float(state.link_rate[0]),
        joint_rates=np.diff(state.link_rate).tolist(),
    )
    step = 1e-4
    return Scenario(
        **described(table_5),
        source="Holden2014, VIII, Tables I-V, Fig. 3",
        worlds=World(
            robot_of_the_paper(),
            Environment(ground=Ground(friction=Isotropic(FRICTION)), obstacles=pegs),
            ConstantTorque(torque=optimum.joint_torque.tolist()),
            start,
        ),
        duration=0.01,
        settings=Settings(dt=step, tolerance=1e-6),
        record=Record(rate=1.0 / step),
        claims=checked.OF_THE_INSTANT,
    )


def closed_loop() -> Scenario:
    """The robot of the paper pushes itself along a sine through pegs: force mapping on rails, 100 times per second."""
    return _loop(closed_loop, 20.0, checked.OF_THE_LOOP)


def program_as_printed() -> Scenario:
    """The same course with the paper's own program, (53)-(56): links that it leaves free buckle and whirl."""
    return _loop(program_as_printed, 6.0, checked.OF_THE_PROGRAM, program=MappingWeights())


def with_posture() -> Scenario:
    """The paper's program with a posture term for the links that it leaves free: it drives."""
    return _loop(with_posture, 10.0, checked.OF_THE_POSTURE, program=MappingWeights(posture=POSTURE))


def _loop(build: Build, duration: float, claims: tuple[Claim, ...], program: MappingWeights | None = None) -> Scenario:
    from pushpoint.control.rails import ForceMappingController
    from pushpoint.papers.holden2014.courses import flank_pegs, sine_path

    robot = robot_of_the_paper()
    controller = ForceMappingController(path=sine_path(WAVE), speed=SPEED, program=program)
    pegs = flank_pegs(float(robot.column("radius").max()), wave=WAVE, friction=PEG_FRICTION)
    return Scenario(
        **described(build),
        source="Holden2014, VI and VII, with the loop closed; course and gains are ours",
        worlds=World(
            robot,
            Environment(ground=Ground(friction=Isotropic(FRICTION)), obstacles=pegs),
            controller,
            controller.start(robot),
        ),
        duration=duration,
        claims=claims,
    )


SCENARIOS = listed(table_5, closed_loop, program_as_printed, with_posture)
