"""Our own scenarios: what a run can record on request, and what its measures say."""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians

from pushpoint.gaits import LateralUndulation
from pushpoint.model.catalogue import aiko, aiko_planar, liljeback2011
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic
from pushpoint.papers.liljeback2011.scenarios import STEP, paper_controller, published_course, published_start
from pushpoint.papers.ours.spatial import rolling_ground
from pushpoint.papers.transeth2008a.scenarios import among, large_pegs
from pushpoint.papers.transeth2008b.scenarios import sidewinder
from pushpoint.papers.writing import experiment, listed
from pushpoint.worlds.record import Record
from pushpoint.worlds.variables import BALANCE
from pushpoint.worlds.world import World

ROUGH = 0.3
"""Friction of pegs [-]."""
ALONG, ACROSS = 0.1, 0.7
"""Friction of ground that holds links across better than along [-]."""
ON_PEGS = Record(also=(*BALANCE, "obstacle_reaction", "obstacle_friction", "contact_count"))
IN_SPACE = Record(
    also=(*BALANCE, "potential_energy", "angular_momentum", "contact_count", "sphere_force", "joint_moment")
)


@experiment("Transeth2008a, VIII-D; the friction of the pegs is ours", paper="records", duration=6.0, record=ON_PEGS)
def energy_scenario() -> World:
    """Where the motors' work goes among rough pegs.

    Most of it goes to friction of the ground, most of the rest to that of the pegs; impacts take little.
    `pp.plots.energy` shows the balance, `pp.plots.obstacle_forces` what the pegs feel.
    """
    return among([replace(peg, friction=ROUGH) for peg in large_pegs()])


@experiment("gait of Transeth2008b, VIII-E", paper="records", duration=5.0, record=IN_SPACE)
def energy_in_space() -> World:
    """Where the motors' work goes in sidewinding.

    Links are lifted and put down: part of the work is stored and lost in impacts. The forces on contact spheres and the
    moments in joints are recorded too.
    """
    return World(aiko(), Environment(ground=rolling_ground(0.5)), sidewinder())


@experiment("ours", paper="records", duration=10.0)
def wave() -> World:
    """Undulation on ground that holds across: how much it slips.

    The summary shows the wave efficiency, forward speed over that of the body's wave, and the drag efficiency, the
    power that would drag the robot along over that of its motors.
    """
    undulation = LateralUndulation(
        amplitude=radians(35), angular_frequency=pi, phase_shift=radians(-36), soft_start=0.5
    )
    ground = Ground(friction=Elliptic(along=ALONG, across=ACROSS))
    return World(aiko_planar(), Environment(ground=ground), undulation)


@experiment("Liljeback2011, IV-C, environment 1", paper="records", duration=20.0, settings=STEP)
def jam() -> World:
    """A robot that follows its head gets stuck: stops and jams.

    The joints follow the head through a course of pegs until the body is wedged in. The summary counts the stops;
    `pp.measures.stops` tells when they were, how long, and whether obstacles held the robot: then they are jams.
    """
    start = published_start(1).start
    return World(liljeback2011(), published_course(1), paper_controller("leader-follower"), start)


SCENARIOS = listed(energy_scenario, energy_in_space, wave, jam, paper="records")
