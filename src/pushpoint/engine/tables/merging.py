"""Obstacles as rows: those of pegs, made from columns, and those of the others, in the order of the obstacles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pushpoint.engine.sharing import runs
from pushpoint.model.environment import Environment, Pegs

Columns = Mapping[str, np.ndarray]
"""Columns of a table by name, all of the same length."""


class Pieces:
    """The parts of the obstacles of environments: pegs, one part each, and then the parts of the others."""

    def __init__(self, environments: Sequence[Environment], others: Sequence[tuple[int, int]]) -> None:
        """`others` names the environment and the obstacle of each part of those that are not pegs."""
        pegs = [environment.pegs for environment in environments]
        alone = len(pegs) == 1  # a field of very many pegs need not be copied
        self.pegs = pegs[0] if alone else Pegs(*(np.concatenate(columns) for columns in zip(*pegs, strict=True)))
        """The pegs of all environments."""
        of_pegs = np.repeat(np.arange(len(pegs)), [len(each.number) for each in pegs])
        environment, number = np.array(others, dtype=int).reshape(-1, 2).T
        self.environment = np.concatenate((of_pegs, environment))
        """The environment of each part."""
        self.number = np.concatenate((self.pegs.number, number))
        """The obstacle of each part, within its environment."""
        self._order = np.lexsort((self.number, self.environment)) if others else np.arange(len(self.number))

    def joined(self, of_pegs: Columns, of_others: Columns, counts: np.ndarray) -> dict[str, np.ndarray]:
        """Columns in the order of the obstacles, from one row per peg and `counts` rows of each part of the others."""
        if not len(counts):
            return dict(of_pegs)
        counts = self.counts(counts)
        rows = runs((np.cumsum(counts) - counts)[self._order], counts[self._order])
        return {name: np.concatenate((of_pegs[name], of_others[name]))[rows] for name in of_pegs}

    def counts(self, of_others: np.ndarray) -> np.ndarray:
        """Rows of all parts: one for a peg."""
        return np.concatenate((np.ones(len(self.pegs.number), dtype=int), of_others))

    def starts(self, of_others: np.ndarray) -> np.ndarray:
        """The first row of each part within its environment, where joined rows begin; parts as before joining."""
        counts = self.counts(of_others)
        ordered = counts[self._order]
        begin = np.empty(len(counts), dtype=int)
        begin[self._order] = np.cumsum(ordered) - ordered
        of_environment = np.bincount(self.environment, weights=counts).astype(int)
        return begin - (np.cumsum(of_environment) - of_environment)[self.environment]

    def per_environment(self, of_others: np.ndarray, n_environments: int) -> np.ndarray:
        """Rows of each environment."""
        found = np.bincount(self.environment, weights=self.counts(of_others), minlength=n_environments)
        return found.astype(int)
