"""What varies in a study: values, ranges, random numbers, seeds, and sections that change together.

A design gives every row a share from 0 to 1 for each thing that varies. It becomes a code: the number of a level for
what has levels, the value itself otherwise. Rows of codes are small arrays, so that a million of them travel cheaply.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from pushpoint.description.changes import KEY, keys_in, with_values
from pushpoint.description.complaints import Keys
from pushpoint.description.reading import SHAPES
from pushpoint.description.writing import NotDescribable, plain
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Whole, above, check_fields, store
from pushpoint.model.kinds import family_base, register
from pushpoint.model.quantities import Natural, Number

Count = Annotated[int, Whole(1, 10**9, "a whole number, 1 to 1,000,000,000")]
"""How many [-]."""


if TYPE_CHECKING:
    AnyLevel = Any
else:

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

    @cached_property
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

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections of the scenario in which something changes."""
        return (str(self.keys[0]),)

    @property
    def whole(self) -> bool:
        """Whether sections are replaced as a whole."""
        return len(self.keys) == 1

    @abstractmethod
    def value(self, code: float) -> Any:
        """The value that the scenario's document gets."""

    def section(self, _name: str, code: float, _base: Any) -> Any:
        """A section that is replaced as a whole; `_base` is that of the scenario."""
        return self.value(code)

    def applied(self, document: dict[str, Any], code: float) -> dict[str, Any]:
        """The scenario's document with this change alone."""
        return with_values(document, [(self.keys, self.value(code))])

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


def _plain_level(number: int, value: Any, listed: str = "values") -> Any:
    """A value in the types of a document."""
    try:
        return plain(value)
    except NotDescribable:
        raise InvalidModel(f"varied.{listed}[{number}]", value, "a value that a scenario file can hold") from None


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


@register("variants")
@dataclass(frozen=True, kw_only=True)
class Variants(Varied):
    """Several sections that change together, such as a course with the start that belongs to it.

    Each variant is a mapping from sections of the scenario to what replaces them:

        near, far = ({"kind": "peg", "x": x, "y": 0.5, "radius": 0.1} for x in (1.0, 2.0))
        pp.studies.Variants(
            field="course",
            variants=[{"obstacles": [near], "duration": 2.0}, {"obstacles": [far], "duration": 4.0}],
            labels=["near", "far"],
        )
    """

    field: str
    """The name of the column in the table; not a key of the scenario."""
    variants: Sequence[AnyLevel]
    """The variants."""
    labels: Sequence[str]
    """Their names in tables."""

    def __post_init__(self) -> None:
        held: Any = self.variants
        if not isinstance(held, Sequence) or not held or not all(isinstance(each, dict) and each for each in held):
            raise InvalidModel("varied.variants", held, "a list of mappings from sections to their content")
        made = tuple(_plain_level(k, each, "variants") for k, each in enumerate(held))
        store(self, variants=())  # checked above
        super().__post_init__()
        store(self, variants=made)
        if len(set(self.labels)) < len(made) or len(self.labels) != len(made):
            raise InvalidModel("varied.labels", list(self.labels), f"{len(made)} different names, one for each variant")
        if "." in self.field or "[" in self.field:
            raise InvalidModel("varied.field", self.field, "the name of a column, such as course")

    @property
    def sections(self) -> tuple[str, ...]:
        """All sections that a variant replaces."""
        return tuple(dict.fromkeys(str(name) for each in self.variants for name in each))

    @property
    def levels(self) -> int:
        """Number of variants [-]."""
        return len(self.variants)

    def value(self, code: float) -> Any:
        """The sections of a variant."""
        return self.variants[int(code)]

    def section(self, name: str, code: float, base: Any) -> Any:
        """A section of a variant; that of the scenario if the variant has none."""
        return self.variants[int(code)].get(name, base)

    def applied(self, document: dict[str, Any], code: float) -> dict[str, Any]:
        """The scenario's document with the sections of a variant."""
        return {**document, **self.variants[int(code)]}

    def told(self, code: float) -> str:
        """The label."""
        return self.labels[int(code)]


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
