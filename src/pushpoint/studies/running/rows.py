"""Rows of a study: the documents of their worlds, and a key for each by its content.

A document is the base scenario's with a few values changed. Sections without a change are the same object in all
documents, and so are those of equal levels: they are hashed once, and read once where worlds are made.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.description.changes import with_places
from pushpoint.description.complaints import Keys
from pushpoint.studies.random_courses import Courses
from pushpoint.studies.storing.folder import KEY_LETTERS, key_of
from pushpoint.studies.varied import Varied

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
        self._prepared: dict[tuple[str, tuple[float, ...]], tuple[Any, list[list[Keys]]]] = {}
        self._known: dict[tuple[str, tuple[float, ...]], tuple[Any, bytes]] = {}
        names = sorted({*plan.document, *self._sections} - set(ABOUT))
        fixed = [plan.maker.encode(), json.dumps(plan.measures).encode(), plan.keep.encode()]
        self._beginning = _digest(b"\0".join(fixed))
        self._digests = {name: _digest_of(name, plan.document.get(name)) for name in names}

    def keys(self, codes: np.ndarray) -> np.ndarray:
        """The keys of rows, shape (n_rows,)."""
        digests = self._digests
        found = []
        for row in codes.tolist():
            own = {name: self._section(name, row)[1] for name in self._sections}
            content = b"".join([self._beginning, *(own.get(name, same) for name, same in digests.items())])
            found.append(key_of(content))
        return np.array(found, dtype=KEY)

    def documents(self, codes: np.ndarray) -> Iterator[tuple[dict[str, Any], tuple[Courses, int] | None]]:
        """The documents of rows. With each, the course and the seed that its obstacles are made from, if any."""
        for row in codes.tolist():
            document = {**self._plan.document, **{name: self._section(name, row)[0] for name in self._sections}}
            yield document, self._course(row)

    def _course(self, row: Sequence[float]) -> tuple[Courses, int] | None:
        for each, code in zip(self._plan.varies, row, strict=True):
            if isinstance(each, Courses):
                return each, each.told(code)
        return None

    def _section(self, name: str, row: Sequence[float]) -> tuple[Any, bytes]:
        """A section of a row and its digest."""
        chosen = self._sections[name]
        levels = tuple(row[k] for k in chosen)
        lasting = all(self._plan.varies[k].levels for k in chosen)
        if lasting and (name, levels) in self._known:
            return self._known[name, levels]
        varies = [self._plan.varies[k] for k in chosen]
        section = self._made(name, varies, levels)
        made = (section, _digest_of(name, section))
        if lasting:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._known[name, levels] = made
        return made

    def _made(self, name: str, varies: Sequence[Varied], codes: tuple[float, ...]) -> Any:
        """A section with its values; the places inside it are found once for each whole section."""
        whole = tuple(code for each, code in zip(varies, codes, strict=True) if each.whole)
        if (name, whole) not in self._prepared:
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
