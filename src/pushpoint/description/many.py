"""Many documents that share most of their sections: each section is read once, and worlds share the objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pushpoint.description.experiments import experiment_from
from pushpoint.description.reading import Made, Reader
from pushpoint.worlds.world import Experiment

MOST_KNOWN = 20_000
"""Objects that are remembered [-]; then all are forgotten, so that a study of many different worlds stays small."""


class ManyExperiments:
    """Reads experiments from documents. Sections that are the same object in several documents are read once."""

    def __init__(self, *, thorough: bool) -> None:
        """`thorough` tells whether each world is tried out as a whole, or that is left to the simulation."""
        self._thorough = thorough
        self._known: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    def read(self, document: dict[str, Any], custom: Any = None) -> Experiment:
        """The experiment of a document; `custom` is the controller that the kind "custom" stands for."""
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        return experiment_from(_SharingReader(document, self._known, self._thorough), custom)


class _SharingReader(Reader):
    def __init__(self, document: dict[str, Any], known: dict[tuple[Any, ...], tuple[Any, Any]], thorough: bool) -> None:
        super().__init__(document)
        self._shared, self.thorough = known, thorough

    def once(self, sections: tuple[str, ...], make: Callable[[], Made]) -> Made:
        parts = [self.document.get(name) for name in sections]
        key = (sections, *map(id, parts))
        if key not in self._shared:
            self._shared[key] = (parts, make())  # with the parts, so that their ids stay theirs
        found: Made = self._shared[key][1]
        return found
