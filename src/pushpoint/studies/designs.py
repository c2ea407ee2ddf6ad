"""Designs: which rows a study has. Rows are made in blocks, in order, so that a million of them need no memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Annotated

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Whole, check_fields
from pushpoint.model.kinds import family_base, register
from pushpoint.model.quantities import Natural
from pushpoint.studies.varied import Count, Range, Varied

BLOCK = 4096
"""Rows that are made at once [-]; part of what a seed of a random design means."""
MOST_SOBOL = 2**30
"""Rows of the longest Sobol sequence [-]."""


@family_base
@dataclass(frozen=True, kw_only=True)
class Design(ABC):
    """Base class of designs: how the worlds of a study are spread over what varies."""

    def __post_init__(self) -> None:
        check_fields(self, "design")

    @abstractmethod
    def rows(self, varies: Sequence[Varied]) -> int:
        """Returns the number of rows [-]; raises InvalidModel for what does not fit the design."""

    @abstractmethod
    def blocks(self, varies: Sequence[Varied]) -> Iterator[np.ndarray]:
        """Yields the codes of all rows in blocks, in order, each of shape (n_rows, n_varied)."""


@register("grid")
@dataclass(frozen=True, kw_only=True)
class GridDesign(Design):
    """Every combination of all values; the last thing that varies changes fastest."""

    def rows(self, varies: Sequence[Varied]) -> int:
        """The product of the numbers of values."""
        for k, each in enumerate(varies):
            if each.in_grid is None:
                wanted = "given in a grid" if isinstance(each, Range) else "values or a range, in a grid"
                raise InvalidModel(f"varies[{k}].count" if isinstance(each, Range) else f"varies[{k}]", None, wanted)
        return prod(each.in_grid or 0 for each in varies)

    def blocks(self, varies: Sequence[Varied]) -> Iterator[np.ndarray]:
        """Blocks of the grid."""
        count, shape = self.rows(varies), [each.in_grid or 0 for each in varies]
        for first in range(0, count, BLOCK):
            numbers = np.unravel_index(np.arange(first, min(first + BLOCK, count)), shape)
            columns = [each.grid_codes(number) for each, number in zip(varies, numbers, strict=True)]
            yield np.stack(columns, axis=1)


@dataclass(frozen=True, kw_only=True)
class SpreadDesign(Design):
    """Base class of designs of a given number of rows, spread by shares from 0 to 1."""

    count: Count
    """Number of worlds [-]."""
    seed: Natural = 0
    """Seed of the random numbers. The same seed gives the same rows."""

    def rows(self, varies: Sequence[Varied]) -> int:
        """The number of rows asked for."""
        for k, each in enumerate(varies):
            if isinstance(each, Range) and each.count is not None:
                raise InvalidModel(f"varies[{k}].count", each.count, "left out unless the design is a grid")
        return self.count

    def blocks(self, varies: Sequence[Varied]) -> Iterator[np.ndarray]:
        """Blocks of rows."""
        for shares in self.shares(len(varies)):
            yield np.stack([each.codes(shares[:, k]) for k, each in enumerate(varies)], axis=1)

    @abstractmethod
    def shares(self, dimensions: int) -> Iterator[np.ndarray]:
        """Yields shares from 0 to 1 in blocks, each of shape (n_rows, dimensions)."""


@register("random")
@dataclass(frozen=True, kw_only=True)
class RandomDesign(SpreadDesign):
    """Independent random rows. With a larger count, the first rows stay the same."""

    def shares(self, dimensions: int) -> Iterator[np.ndarray]:
        """Blocks that each follow from the seed and their number."""
        for number, first in enumerate(range(0, self.count, BLOCK)):
            # Each thing that varies has random numbers of its own: one more leaves the others as they are.
            columns = [np.random.default_rng((self.seed, k, number)).random(BLOCK) for k in range(dimensions)]
            yield np.stack(columns, axis=1)[: self.count - first]


@register("sobol")
@dataclass(frozen=True, kw_only=True)
class SobolDesign(SpreadDesign):
    """A scrambled Sobol sequence (scipy.stats.qmc). With a larger count, the first rows stay the same.

    A power of two as the count keeps its balance.
    """

    count: Annotated[int, Whole(1, MOST_SOBOL, f"a whole number, 1 to {MOST_SOBOL:,}")]
    """Number of worlds [-]."""

    def shares(self, dimensions: int) -> Iterator[np.ndarray]:
        """Blocks of the sequence."""
        import warnings

        from scipy.stats import qmc

        engine = qmc.Sobol(dimensions, scramble=True, rng=np.random.default_rng(self.seed))
        for first in range(0, self.count, BLOCK):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about counts that are no powers of two; the docstring says so
                yield np.asarray(engine.random(min(BLOCK, self.count - first)))


@register("latin-hypercube")
@dataclass(frozen=True, kw_only=True)
class LatinHypercubeDesign(SpreadDesign):
    """A Latin hypercube (scipy.stats.qmc): every value has its own share of each range. Another count is another one.

    It holds all rows in memory, 8 bytes for each number.
    """

    def shares(self, dimensions: int) -> Iterator[np.ndarray]:
        """The hypercube in blocks."""
        from scipy.stats import qmc

        shares = qmc.LatinHypercube(dimensions, rng=np.random.default_rng(self.seed)).random(self.count)
        for first in range(0, self.count, BLOCK):
            yield shares[first : first + BLOCK]
