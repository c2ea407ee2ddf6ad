"""Rows of a study: the documents of their worlds, and a key for each by its content.

A document is the base scenario's with a few values changed. Sections without a change are the same object in all
documents, and so are those of equal levels: they are hashed once, and read once where worlds are made.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from pushpoint.description.changes import with_places
from pushpoint.description.complaints import Keys
from pushpoint.studies.random_courses import Courses
from pushpoint.studies.storing.folder import KEY_LETTERS, key_of
from pushpoint.studies.varied import Varied

Made = TypeVar("Made")
Levels = tuple[str, tuple[float, ...]]
"""A section, and the codes of what varies in it."""
KEY = np.dtype(f"S{KEY_LETTERS}")
"""How keys are stored."""
ABOUT = ("format", "name", "title", "source")
"""What a document says that decides nothing."""
MOST_KNOWN = 20_000
"""Sections that are remembered [-]."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a worker has to know of a study."""

    document: Mapping[str, Any]
    """The base scenario, as in its file."""
    varies: tuple[Varied, ...]
    """What varies."""
    measures: tuple[str, ...]
    """Names of the measures."""
    keep: str
    """Which runs are kept whole: "none", "failed" or "all"."""
    modules: tuple[str, ...]
    """Modules that register kinds and measures."""
    maker: str
    """What makes the results: version and sources of the package, and processor family."""


class StudyRows:
    """Documents and keys of the rows of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        order = sorted(range(len(plan.varies)), key=lambda k: not plan.varies[k].whole)  # whole sections come first
        self._sections: dict[str, list[int]] = defaultdict(list)
        for k in order:
            for name in plan.varies[k].sections:
                self._sections[name].append(k)
        self._prepared: dict[Levels, tuple[Any, list[list[Keys]]]] = {}
        self._lasting = {name: all(plan.varies[k].levels for k in own) for name, own in self._sections.items()}
        self._known: dict[Levels, Any] = {}
        self._known_digests: dict[Levels, bytes] = {}
        names = sorted({*plan.document, *self._sections} - set(ABOUT))
        fixed = [plan.maker.encode(), json.dumps(plan.measures).encode(), plan.keep.encode()]
        self._beginning = _digest(b"\0".join(fixed))
        self._digests = {name: _digest_of(name, plan.document.get(name)) for name in names}

    def keys(self, codes: np.ndarray) -> np.ndarray:
        """The keys of rows, shape (n_rows,)."""
        digests = self._digests
        found = []
        for row in codes.tolist():
            own = {name: self._digest_of_section(name, row) for name in self._sections}
            content = b"".join([self._beginning, *(own.get(name, same) for name, same in digests.items())])
            found.append(key_of(content))
        return np.array(found, dtype=KEY)

    def documents(self, codes: np.ndarray) -> Iterator[tuple[dict[str, Any], tuple[Courses, int] | None]]:
        """The documents of rows. With each, the course and the seed that its obstacles are made from, if any."""
        for row in codes.tolist():
            document = {**self._plan.document, **{name: self._section(name, row) for name in self._sections}}
            yield document, self._course(row)

    def _course(self, row: Sequence[float]) -> tuple[Courses, int] | None:
        for each, code in zip(self._plan.varies, row, strict=True):
            if isinstance(each, Courses):
                return each, each.told(code)
        return None

    def _section(self, name: str, row: Sequence[float]) -> Any:
        """A section of a row; rows of equal levels have the same object."""
        return self._found(self._known, name, row, lambda: self._made(name, row))

    def _digest_of_section(self, name: str, row: Sequence[float]) -> bytes:
        """The digest of a section of a row."""
        return self._found(self._known_digests, name, row, lambda: _digest_of(name, self._section(name, row)))

    def _found(self, known: dict[Levels, Made], name: str, row: Sequence[float], make: Callable[[], Made]) -> Made:
        """What is made of a section of a row, remembered if what varies there has levels."""
        if not self._lasting[name]:
            return make()
        levels = name, tuple(row[k] for k in self._sections[name])
        if levels not in known:
            if len(known) > MOST_KNOWN:
                known.clear()
            known[levels] = make()
        return known[levels]

    def _made(self, name: str, row: Sequence[float]) -> Any:
        """A section with its values; the places inside it are found once for each whole section."""
        chosen = self._sections[name]
        varies, codes = [self._plan.varies[k] for k in chosen], [row[k] for k in chosen]
        whole = tuple(code for each, code in zip(varies, codes, strict=True) if each.whole)
        if (name, whole) not in self._prepared:
            if len(self._prepared) > MOST_KNOWN:
                self._prepared.clear()
            document = dict(self._plan.document)
            if whole:
                document[name] = varies[0].section(name, whole[0], document.get(name))
            places = []
            part = {name: document[name]} if name in document else {}
            for each in varies[len(whole) :]:
                part, found = with_places(part, each.keys)
                places.append(found)
            self._prepared[name, whole] = (part.get(name), places)
        section, places = self._prepared[name, whole]
        for each, code, where in zip(varies[len(whole) :], codes[len(whole) :], places, strict=True):
            value = each.value(code)
            for keys in where:
                section = with_part(section, keys[1:], value)
        return section


def with_part(section: Any, keys: Keys, value: Any) -> Any:
    """A copy of a section with another value at a place. Parts beside the way there are shared with the original."""
    if not keys:
        return value
    first, rest = keys[0], keys[1:]
    if isinstance(section, list) and isinstance(first, int):
        return [with_part(each, rest, value) if k == first else each for k, each in enumerate(section)]
    inside = section if isinstance(section, dict) else {}
    return {**inside, first: with_part(inside.get(first), rest, value)}


def _digest_of(name: str, section: Any) -> bytes:
    """The digest of a section; an empty one and none are the same."""
    text = json.dumps(section, sort_keys=True, check_circular=False, default=_listed) if section else ""
    return _digest(f"{name}\0{text}".encode())


def _listed(value: Any) -> Any:
    """Arrays as lists: rows of a height field."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} in a document")


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()
