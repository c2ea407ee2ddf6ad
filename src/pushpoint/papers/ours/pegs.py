"""Our own scenarios: planned paths through pegs; the course of Transeth2008a in space, stairs and rubble.

The second problem that Holden2014 leaves open is finding the path. Field, robot and ends are those of
benchmarks/pegs/paths.py: 15 links of 0.1 m, and pegs of 4 cm diameter at least 1/6.8 of the body's length apart.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pushpoint.model.courses import Disc, Rectangle
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.papers.writing import described, listed
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    from pushpoint.planning.pegs.paths import PegPlan

# Listing scenarios must stay fast: planner and force mapping are imported where the scenario is built.

FIELD_SEED = 1000
"""Seed of the field and of the planner. The planner was tuned on seeds below 100."""
LENGTH_OVER_DISTANCE = 6.8
"""Length of the body over the least distance between two pegs [-]."""
FIELD_FRICTION, PEG_FRICTION = 0.3, 0.1
START, GOAL = (0.0, 0.0), (4.0, 0.0)
"""Where the tail's rear end begins, and where the head's front end should arrive [m]."""
AREA = Rectangle(x=(-0.3, 4.3), y=(-1.2, 1.2))
SPEED = 0.1
"""Speed of the head along the path [m/s]."""
ARRIVING = 5.0
"""Time for the last centimetres, where the robot slows down [s]."""


def fifteen_links() -> PlanarRobot:
    """The robot of the planner's benchmark. It is driven by torques, so its motors' gains play no part."""
    link = PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
    motor = Motor(stiffness=20.0, damping=1.0, torque_limit=4.0)
    return PlanarRobot.uniform(15, link, motor, name="fifteen-links", source="ours, that of benchmarks/pegs/paths.py")


@cache
def field(seed: int = FIELD_SEED, length_over_distance: float = LENGTH_OVER_DISTANCE) -> Environment:
    """A field of pegs on its ground; length_over_distance: body length over the least distance between two pegs [-]."""
    from pushpoint.planning.pegs.fields import peg_field

    robot = fifteen_links()
    free = tuple(Disc(x=x, y=y, radius=robot.links[0].radius + 0.01) for x, y in (START, GOAL))
    spacing = robot.length / length_over_distance
    pegs = peg_field(spacing=spacing, area=AREA, seed=seed, friction=PEG_FRICTION, keep_out=free)
    return Environment(ground=Ground(friction=Isotropic(FIELD_FRICTION)), obstacles=pegs)


@cache
def plan() -> PegPlan:
    """The planned path; computed once, in about a second."""
    from pushpoint.planning.pegs.paths import plan_path

    return plan_path(fifteen_links(), field(), START, GOAL, seed=FIELD_SEED)


def planned_path() -> Scenario:
    """A robot pushes itself along a planned path through pegs.

    The field is random. The path is planned before the run starts.
    """
    from pushpoint.control.rails import ForceMappingController

    robot, path = fifteen_links(), plan().path
    controller = ForceMappingController(path=path, speed=SPEED)
    return Scenario(
        **described(planned_path, "pegs"),
        source="ours; the second problem that Holden2014, IX, leaves open",
        worlds=World(robot, field(), controller, controller.start(robot)),
        duration=round((path.length - robot.length) / SPEED + ARRIVING, 1),
    )


SCENARIOS = listed(planned_path, paper="pegs")
