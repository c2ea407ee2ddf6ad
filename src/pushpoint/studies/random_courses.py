"""Random courses of a study: obstacles made from a seed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pushpoint.description.writing import plain
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import Many, above, real
from pushpoint.model.courses import Posture, Rectangle, random_pegs
from pushpoint.model.kinds import name_of, register
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.quantities import Coefficient, Extent, Natural, Point, Share
from pushpoint.studies.varied import Count, Varied
from pushpoint.worlds.world import World

OBSTACLES = "obstacles"


@dataclass(frozen=True, kw_only=True)
class Courses(Varied):
    """Base class of random courses: obstacles made from a seed.

    Derive a frozen dataclass with your own fields, register it, and study files know it:

        @pp.register("two-pegs")
        @dataclass(frozen=True, kw_only=True)
        class TwoPegs(pp.studies.Courses):
            def obstacles(self, seed, world):
                y = np.random.default_rng(seed).uniform(0.2, 0.4)
                return (pp.Peg(x=0.5, y=y, radius=0.05), pp.Peg(x=0.5, y=-y, radius=0.05))
    """

    field: str = OBSTACLES
    """What varies: the obstacles of the scenario."""
    count: Count
    """Number of courses [-]."""
    first_seed: Natural = 0
    """Seed of the first course; the others follow."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.field != OBSTACLES:
            raise InvalidModel("varied.field", self.field, f"{OBSTACLES}, or left out")

    @property
    def levels(self) -> int:
        """Number of courses [-]."""
        return self.count

    def value(self, code: float) -> dict[str, Any]:
        """The course as text: its kind, its parameters and its seed."""
        parameters = {name: held for name, held in vars(self).items() if name not in ("count", "first_seed", "field")}
        return {
            "course": name_of(type(self)),
            "parameters": {name: plain(held) for name, held in parameters.items()},
            "seed": self.told(code),
        }

    def told(self, code: float) -> int:
        """The seed."""
        return self.first_seed + int(code)

    @abstractmethod
    def obstacles(self, seed: int, world: World) -> Sequence[Obstacle]:
        """Returns the obstacles of a seed for a world that has none yet: its robot, controller and start are known."""


@register("peg-fields")
@dataclass(frozen=True, kw_only=True)
class PegFields(Courses):
    """Pegs scattered at random over a rectangle, clear of the robot at its start; see `pp.courses.random_pegs`.

    For example:

        pp.studies.PegFields(count=100, density=5.0, radius=(0.03, 0.08), x=(-0.8, 2.2), y=(-0.6, 0.6), gap=0.01)
    """

    density: Annotated[float, above(0, "1/m^2")]
    """Pegs per area [1/m^2]."""
    radius: Annotated[Sequence[float], above(0, "m"), Many(2, "two numbers, smallest and largest")]
    """Smallest and largest radius [m]."""
    x: Point
    """Smallest and largest x of the centres [m]."""
    y: Annotated[Sequence[float], real("m"), Many(2, "two numbers")]
    """Smallest and largest y of the centres [m]."""
    clearance: Extent = 0.0
    """Least distance between the surfaces of two pegs [m]."""
    gap: Extent = 0.0
    """Least distance between pegs and the robot at its start [m]."""
    friction: Coefficient = 0.0
    """Coulomb coefficient between peg and link [-]."""
    restitution: Share = 0.0
    """Newton's coefficient of restitution [-]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        Rectangle(x=self.x, y=self.y)

    @checked_arguments
    def obstacles(self, seed: Natural, world: World) -> Sequence[Obstacle]:
        """The pegs."""
        if not isinstance(world.robot, PlanarRobot):
            raise InvalidModel("robot", type(world.robot).__name__, "a PlanarRobot, in a field of pegs")
        pose = world.pose()
        body = Posture(robot=world.robot, link_angles=pose["theta"], position=pose["center"], gap=self.gap)
        return random_pegs(
            density=self.density,
            radius=self.radius,
            area=Rectangle(x=self.x, y=self.y),
            seed=seed,
            clearance=self.clearance,
            keep_out=body,
            friction=self.friction,
            restitution=self.restitution,
        )
