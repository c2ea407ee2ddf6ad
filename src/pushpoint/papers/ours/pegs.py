"""Scenarios of our own in the plane: through fields of pegs along paths that were planned for pushing.

The second problem that Holden2014 leaves open is finding the path. Field, robot and ends are those of
benchmarks/peg_paths.py: 15 links of 0.1 m, pegs of 4 cm diameter, no two nearer than the body's length over 6.8.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.keep_out import Disc, Rectangle
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.papers.transeth2008b.scenarios import titled
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    from pushpoint.planning.pegs.plan import PegPlan

# Listing scenarios must stay light: planner and force mapping are imported where the scenario is built.

FIELD_SEED = 1000
"""Of the field and of the planner; the planner was tuned on seeds below 100."""
LENGTH_OVER_DISTANCE = 6.8
"""Length of the body over the least distance between two pegs [-]."""
FRICTION, PEG_FRICTION = 0.3, 0.1
START, GOAL = (0.0, 0.0), (4.0, 0.0)
"""Where the tail's rear end begins, and where the head's front end is to come [m]."""
AREA = Rectangle(x=(-0.3, 4.3), y=(-1.2, 1.2))
SPEED = 0.1
"""Of the head along the path [m/s]."""
ARRIVING = 5.0
"""Time for the last centimetres, where the robot slows down [s]."""


def fifteen_links() -> PlanarRobot:
    """The robot of the planner's benchmark; it is driven by torques, so that its motors' gains have no part in it."""
    link = PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
    motor = Motor(stiffness=20.0, damping=1.0, torque_limit=4.0)
    return PlanarRobot.uniform(15, link, motor, name="fifteen-links", source="ours, that of benchmarks/peg_paths.py")


@cache
def field(seed: int = FIELD_SEED, length_over_distance: float = LENGTH_OVER_DISTANCE) -> Environment:
    """A field of pegs on its ground; length_over_distance: body's length over the least distance of two pegs [-]."""
    from pushpoint.planning.pegs.fields import peg_field

    robot = fifteen_links()
    free = tuple(Disc(x=x, y=y, radius=robot.links[0].radius + 0.01) for x, y in (START, GOAL))
    spacing = robot.length / length_over_distance
    pegs = peg_field(spacing=spacing, area=AREA, seed=seed, friction=PEG_FRICTION, keep_out=free)
    return Environment(ground=Ground(friction=Isotropic(FRICTION)), obstacles=pegs)


@cache
def plan() -> PegPlan:
    """The planned path; about a second of work, done once."""
    from pushpoint.planning.pegs.paths import plan_path

    return plan_path(fifteen_links(), field(), START, GOAL, seed=FIELD_SEED)


def planned_path() -> Scenario:
    """A robot finds its way through a random field of pegs beforehand, then pushes itself along it to the goal."""
    from pushpoint.control.force_mapping_controller import ForceMappingController

    robot, path = fifteen_links(), plan().path
    controller = ForceMappingController(path=path, speed=SPEED)
    return Scenario(
        name="pegs/planned-path",
        title=titled(planned_path),
        source="ours; the second problem that Holden2014, IX, leaves open",
        worlds=World(robot, field(), controller, controller.start(robot)),
        duration=round((path.length - robot.length) / SPEED + ARRIVING, 1),
    )


SCENARIOS: dict[str, Callable[[], Scenario]] = {"pegs/planned-path": planned_path}
