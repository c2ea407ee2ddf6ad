"""Where to try next: CMA-ES for one goal, NSGA-II for several, a search by sections for a single parameter.

Each proposes points of the unit cube and is told their scores. With the same seed and the same scores it proposes the
same points, so a search is resumed by telling a fresh proposer what was found before.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pushpoint.errors import MissingExtra

FIRST_SPREAD = 0.25
"""Standard deviation of the first candidates of CMA-ES about the middle, as a share of each range [-]."""
NARROW = 1e-6
"""A section this narrow is not searched further, as a share of the range [-]."""


class Proposer(Protocol):
    """Proposes points and learns from their scores."""

    @property
    def finished(self) -> bool:
        """Whether it has nothing more to learn."""
        ...

    def ask(self) -> list[np.ndarray]:
        """The next points of the unit cube, shape (n_parameters,) each."""
        ...

    def tell(self, points: Sequence[np.ndarray], scores: Sequence[Sequence[float]]) -> None:
        """Takes the scores of the points that were asked for, one list per point; smaller is better."""
        ...


class Evolution:
    """CMA-ES, by the library cmaes: candidates about a mean whose spread follows the scores."""

    def __init__(self, parameters: int, candidates: int, seed: int) -> None:
        try:
            from cmaes import CMA
        except ImportError:
            raise MissingExtra("optimising", "studies") from None
        bounds, middle = np.array([[0.0, 1.0]] * parameters), np.full(parameters, 0.5)
        self._cma = CMA(mean=middle, sigma=FIRST_SPREAD, bounds=bounds, population_size=candidates, seed=seed)

    @property
    def finished(self) -> bool:
        """Whether the candidates no longer differ."""
        return bool(self._cma.should_stop())

    def ask(self) -> list[np.ndarray]:
        """One generation."""
        return [self._cma.ask() for _ in range(self._cma.population_size)]

    def tell(self, points: Sequence[np.ndarray], scores: Sequence[Sequence[float]]) -> None:
        """The scores of one generation."""
        self._cma.tell([(point, score[0]) for point, score in zip(points, scores, strict=True)])


class Sections:
    """For one parameter: evenly spaced points over the range, then over the neighbourhood of the best, and so on.

    CMA-ES needs two parameters at least. It finds the best of a score with one valley that is wider than the spacing.
    """

    def __init__(self, candidates: int) -> None:
        self._count = max(candidates, 4)
        self._low, self._high = 0.0, 1.0

    @property
    def finished(self) -> bool:
        """Whether the section is narrow."""
        return self._high - self._low < NARROW

    def ask(self) -> list[np.ndarray]:
        """Points over the section, its ends included."""
        return [np.array([share]) for share in np.linspace(self._low, self._high, self._count)]

    def tell(self, points: Sequence[np.ndarray], scores: Sequence[Sequence[float]]) -> None:
        """Goes on between the neighbours of the best."""
        best = int(np.argmin([score[0] for score in scores]))
        self._low = float(points[max(best - 1, 0)][0])
        self._high = float(points[min(best + 1, len(points) - 1)][0])


class Front:
    """NSGA-II, by the library Optuna, for several goals. Optuna keeps its own journal beside the trials, if asked.

    The journal is for Optuna's tools. It is written anew when a search is resumed: what counts are the trials.
    """

    def __init__(self, names: Sequence[str], goals: int, candidates: int, seed: int, journal: Path | None) -> None:
        try:
            import optuna
        except ImportError:
            raise MissingExtra("optimising for several goals", "studies") from None
        self._optuna, self._count = optuna, candidates
        self._space = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in names}
        self._asked: list[Any] = []
        with _quiet(optuna):
            sampler = optuna.samplers.NSGAIISampler(population_size=candidates, seed=seed)
            self._study = optuna.create_study(
                directions=["minimize"] * goals, sampler=sampler, storage=_journal(optuna, journal), study_name="search"
            )

    finished = False

    def ask(self) -> list[np.ndarray]:
        """One generation."""
        with _quiet(self._optuna):
            self._asked = [self._study.ask(self._space) for _ in range(self._count)]
        return [np.array([trial.params[name] for name in self._space]) for trial in self._asked]

    def tell(self, points: Sequence[np.ndarray], scores: Sequence[Sequence[float]]) -> None:
        """The scores of one generation."""
        with _quiet(self._optuna):
            for trial, score in zip(self._asked, scores, strict=True):
                self._study.tell(trial, list(score))


def _journal(optuna: Any, path: Path | None) -> Any:
    """Optuna's journal in a fresh file; None keeps its trials in memory."""
    if path is None:
        return None
    for each in (path, path.with_name(path.name + ".lock")):  # a lock stays behind when a search is killed
        each.unlink(missing_ok=True)
    return optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(path)))


@contextlib.contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    """Optuna reports every trial and calls parts of itself experimental; neither helps here."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        optuna.logging.set_verbosity(before)


def proposer_for(names: Sequence[str], goals: int, candidates: int, seed: int, journal: Path | None) -> Proposer:
    """The proposer that suits the question."""
    if goals > 1:
        return Front(names, goals, candidates, seed, journal)
    return Sections(candidates) if len(names) == 1 else Evolution(len(names), candidates, seed)
