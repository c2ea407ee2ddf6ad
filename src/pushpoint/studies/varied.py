"""What varies in a study: values, ranges, random numbers, seeds, and courses made from seeds.

A design gives every row a share from 0 to 1 for each thing that varies. It becomes a code: the number of a level for
what has levels, the value itself otherwise. Rows of codes are small arrays, so that a million of them travel cheaply.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from pushpoint.description.changes import KEY, keys_in
from pushpoint.description.complaints import Keys
from pushpoint.description.reading import SHAPES
from pushpoint.description.writing import NotDescribable, plain
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import Many, What, Whole, above, check_fields, real, store
from pushpoint.model.courses import Posture, Rectangle, random_pegs
from pushpoint.model.kinds import family_base, name_of, register
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.quantities import Coefficient, Extent, Natural, Number, Point, Share
from pushpoint.worlds.world import World

Level = Annotated[Any, What("a value as in a scenario file")]
"""A value as a scenario file holds it: a number, text, a list or a section."""
Count = Annotated[int, Whole(1, 10**9, "a whole number, 1 to 1,000,000,000")]
"""How many [-]."""
OBSTACLES = "obstacles"


class AnyLevel:
    """Stands for values of all kinds in the declared types, so that files may hold them."""


SHAPES[AnyLevel] = lambda reader, keys: reader.at(keys)


@family_base
@dataclass(frozen=True, kw_only=True)
class Varied(ABC):
    """Base class of what varies between the worlds of a study."""

    field: str
    """The key of the scenario that varies, as in its file: controller.amplitude_deg, obstacles[2].x, robot."""

    def __post_init__(self) -> None:
        check_fields(self, "varied")
        if not KEY.fullmatch(self.field):
            raise InvalidModel("varied.field", self.field, "a key as in a scenario file: controller.amplitude_deg")

    @property
    def keys(self) -> Keys:
        """The place of the field in the document of the scenario."""
        return keys_in(self.field)

    @property
    def levels(self) -> int | None:
        """Number of values that it can take [-]; None if there is no end of them."""
        return None

    @property
    def in_grid(self) -> int | None:
        """Number of values that it takes in a grid [-]; None if it cannot be in one."""
        return self.levels

    def codes(self, shares: np.ndarray) -> np.ndarray:
        """The codes of shares from 0 to 1, same shape."""
        assert self.levels is not None
        return np.minimum((shares * self.levels).astype(int), self.levels - 1).astype(float)

    def grid_codes(self, numbers: np.ndarray) -> np.ndarray:
        """The codes of the values of a grid by their numbers, same shape."""
        return numbers.astype(float)

    @abstractmethod
    def value(self, code: float) -> Any:
        """The value that the scenario's document gets."""

    def told(self, code: float) -> Any:
        """The number or text that stands for it in a table."""
        return self.value(code)


@register("values")
@dataclass(frozen=True, kw_only=True)
class Values(Varied):
    """Given values, one after another.

    Values are written as in a scenario file: numbers, text, or whole sections such as controllers.

        pp.studies.Values(field="ground.friction.coefficient", values=[0.1, 0.2, 0.4])
    """

    values: Sequence[AnyLevel]
    """The values."""
    labels: Sequence[str] = ()
    """Names of the values in tables; default: the values, or the kinds and names of sections."""

    def __post_init__(self) -> None:
        held: Any = self.values
        if isinstance(held, str | bytes | dict) or not isinstance(held, Sequence | np.ndarray | range) or not len(held):
            raise InvalidModel("varied.values", held, "a list of at least one value")
        made = tuple(_plain_level(k, each) for k, each in enumerate(held))
        if len({repr(each) for each in made}) < len(made):
            raise InvalidModel("varied.values", held, "a list in which each value is given once")
        store(self, values=())  # checked above: a value may be of any kind
        super().__post_init__()
        store(self, values=made, labels=self.labels or _labels(made))
        if len(self.labels) != len(made) or len(set(self.labels)) < len(made):
            raise InvalidModel("varied.labels", list(self.labels), f"{len(made)} different names, one for each value")

    @property
    def levels(self) -> int:
        """Number of values [-]."""
        return len(self.values)

    def value(self, code: float) -> Any:
        """The value with this number."""
        return self.values[int(code)]

    def told(self, code: float) -> Any:
        """The value, or its label if it is not a number."""
        held: Any = self.values[int(code)]
        return held if isinstance(held, int | float) and not isinstance(held, bool) else self.labels[int(code)]


def _plain_level(number: int, value: Any) -> Any:
    """A value in the types of a document."""
    try:
        return plain(value)
    except NotDescribable:
        raise InvalidModel(f"varied.values[{number}]", value, "a value that a scenario file can hold") from None


def _labels(values: tuple[Any, ...]) -> tuple[str, ...]:
    """Names of values: texts as they are, sections by their kind or name; numbered if they would repeat."""
    said = [
        str(each.get("name") or each.get("kind") or each.get("law") or "section")
        if isinstance(each, dict)
        else "list"
        if isinstance(each, list)
        else str(each)
        for each in values
    ]
    return tuple(text if said.count(text) == 1 else f"{text}-{k}" for k, text in enumerate(said))


@register("range")
@dataclass(frozen=True, kw_only=True)
class Range(Varied):
    """Numbers from a lowest to a highest, evenly spread.

    For example:

        pp.studies.Range(field="controller.amplitude_deg", low=10.0, high=60.0, count=6)
    """

    low: Number
    """The lowest number, in the unit of the field."""
    high: Number
    """The highest number."""
    count: Annotated[int, Whole(2, 10**9, "a whole number >= 2")] | None = None
    """How many numbers a grid takes, both ends included [-]; given in a grid, and in a grid only."""
    logarithmic: bool = False
    """Whether equal ratios, rather than equal differences, get equal shares."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low < self.high:
            raise InvalidModel("varied.high", self.high, f"above low = {self.low:g}")
        if self.logarithmic and self.low <= 0.0:
            raise InvalidModel("varied.low", self.low, "> 0 in a logarithmic range")

    @property
    def in_grid(self) -> int | None:
        """Number of values in a grid [-]."""
        return self.count

    def codes(self, shares: np.ndarray) -> np.ndarray:
        """The numbers themselves."""
        if self.logarithmic:
            return np.clip(self.low * (self.high / self.low) ** shares, self.low, self.high)
        return np.clip(self.low + (self.high - self.low) * shares, self.low, self.high)

    def grid_codes(self, numbers: np.ndarray) -> np.ndarray:
        """The numbers themselves, both ends exact."""
        assert self.count is not None
        return np.where(numbers == self.count - 1, self.high, self.codes(numbers / (self.count - 1)))

    def value(self, code: float) -> float:
        """The number."""
        return float(code)


@register("normal")
@dataclass(frozen=True, kw_only=True)
class Normal(Varied):
    """Random numbers of a normal distribution, cut off at `most` standard deviations; not for grids."""

    mean: Number
    """The mean, in the unit of the field."""
    deviation: Annotated[float, above(0, "-")]
    """The standard deviation, in the unit of the field."""
    most: Annotated[float, above(0, "-")] = 4.0
    """Farthest from the mean, in standard deviations [-]."""

    def codes(self, shares: np.ndarray) -> np.ndarray:
        """The numbers themselves."""
        from scipy.special import ndtr, ndtri

        edge = ndtr(-self.most)
        return np.asarray(self.mean + self.deviation * ndtri(edge + (1.0 - 2.0 * edge) * shares))

    def value(self, code: float) -> float:
        """The number."""
        return float(code)


@register("seeds")
@dataclass(frozen=True, kw_only=True)
class Seeds(Varied):
    """Whole numbers one after another, such as the seeds of sensors' noise."""

    count: Count
    """How many [-]."""
    first: Natural = 0
    """The first seed."""

    @property
    def levels(self) -> int:
        """Number of seeds [-]."""
        return self.count

    def value(self, code: float) -> int:
        """The seed."""
        return self.first + int(code)


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
        return {"course": name_of(type(self)), "parameters": plain_fields(parameters), "seed": self.told(code)}

    def told(self, code: float) -> int:
        """The seed."""
        return self.first_seed + int(code)

    @abstractmethod
    def obstacles(self, seed: int, world: World) -> Sequence[Obstacle]:
        """Returns the obstacles of a seed for a world that has none yet: its robot, controller and start are known."""


def plain_fields(values: dict[str, Any]) -> dict[str, Any]:
    """Fields in the types of a document."""
    return {name: plain(held) for name, held in values.items()}


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
