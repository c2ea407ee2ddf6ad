"""XML files from users as trees of elements with line numbers: no entities, no DTD, bounded in size and depth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from pushpoint.errors import BadFile, one_line, shown
from pushpoint.user_files import read_bytes

MOST_BYTES = 20_000_000
MOST_ELEMENTS = 200_000
MOST_ATTRIBUTES = 200
"""Attributes of one element."""
MOST_OF_A_KIND = {"body": 10_000, "link": 10_000, "geom": 20_000, "collision": 20_000, "visual": 20_000}
"""Elements that cost time each; the longest robot of this library has half as many."""
DEEPEST = 800
"""Elements inside each other; MuJoCo itself reads 500."""
LARGEST = 1e12
"""Magnitude of a number above which it is a mistake [-]."""
SMALLEST_VECTOR = 1e-12
"""Length below which a direction or a quaternion is none [-]."""
UNFIT = "must hold no document type: entities and files outside are never read"


@dataclass(eq=False)
class Element:
    """One element."""

    tag: str
    attributes: dict[str, str]
    file: Path
    line: int
    children: list[Element] = field(default_factory=list)

    @property
    def place(self) -> str:
        """File and line, as errors and reports name them."""
        return f"{self.file}:{self.line}"

    @property
    def name(self) -> str:
        """What the file calls it, on one line; its kind if it has no name."""
        return one_line(self.attributes.get("name", "") or self.tag, 60)

    def get(self, name: str, otherwise: str = "") -> str:
        """An attribute as text."""
        return self.attributes.get(name, otherwise)

    def with_defaults(self, defaults: Mapping[str, str]) -> Element:
        """The same element with attributes that it does not give itself."""
        return Element(self.tag, {**defaults, **self.attributes}, self.file, self.line, self.children)

    def below(self) -> Iterator[Element]:
        """This element and all that are inside it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.children

    def first(self, tag: str) -> Element | None:
        """The first child with this tag."""
        return next(self.all(tag), None)

    def all(self, tag: str) -> Iterator[Element]:
        """The children with this tag."""
        return (child for child in self.children if child.tag == tag)

    def wrong(self, why: str) -> BadFile:
        """An error about this element."""
        return BadFile(self.place, f"{self.tag} '{self.name}' {why}" if self.get("name") else f"{self.tag} {why}")

    def numbers(self, name: str, least: int, most: int | None = None) -> np.ndarray | None:
        """An attribute as numbers, or None if it is not given."""
        text = self.attributes.get(name)
        if text is None:
            return None
        most = least if most is None else most
        words = text.split()
        try:
            found = np.array([float(word) for word in words[: most + 1]])
        except ValueError:
            found = np.zeros(0)
        if not least <= len(found) <= most or not (np.abs(found) <= LARGEST).all():
            count = str(least) if least == most else f"{least} to {most}"
            raise self.wrong(f"has {name} = {shown(text)}, must be {count} number{'s'[: most != 1]} up to {LARGEST:g}")
        return found

    def number(self, name: str, otherwise: float) -> float:
        """An attribute as one number."""
        found = self.numbers(name, 1)
        return otherwise if found is None else float(found[0])

    def vector(self, name: str, otherwise: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
        """An attribute as three numbers."""
        found = self.numbers(name, 3)
        return np.array(otherwise) if found is None else found

    def unit(self, name: str, otherwise: tuple[float, float, float]) -> np.ndarray:
        """An attribute as a direction, made one long."""
        return self.scaled(name, self.vector(name, otherwise))

    def scaled(self, name: str, vector: np.ndarray) -> np.ndarray:
        """A direction or quaternion made one long."""
        size = math.hypot(*vector.tolist())
        if size < SMALLEST_VECTOR:
            raise self.wrong(f"has {name} = {shown(self.get(name))}, must not be zero")
        return vector / size

    def choice(self, name: str, otherwise: bool) -> bool:
        """An attribute that is true or false."""
        text = self.get(name, "true" if otherwise else "false")
        if text not in ("true", "false"):
            raise self.wrong(f"has {name} = {shown(text)}, must be true or false")
        return text == "true"


class _Builder:
    """Makes the tree while expat reads."""

    def __init__(self, path: Path) -> None:
        self.path, self.root, self.count = path, None, 0
        self.open: list[Element] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.ExternalEntityRefHandler = self._refuse

    root: Element | None

    def _refuse(self, *_what: object) -> int:
        raise BadFile(f"{self.path}:{self.parser.CurrentLineNumber}", UNFIT)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        node = Element(tag, attributes, self.path, self.parser.CurrentLineNumber)
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise BadFile(node.place, f"has more than {MOST_ELEMENTS:,} elements")
        if len(attributes) > MOST_ATTRIBUTES:
            raise node.wrong(f"has more than {MOST_ATTRIBUTES} attributes")
        if len(self.open) >= DEEPEST:
            raise BadFile(node.place, f"has more than {DEEPEST} elements inside each other")
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)

    def _end(self, _tag: str) -> None:
        self.open.pop()


def refuse_crowds(root: Element) -> None:
    """Raises BadFile for a file with more bodies or shapes than any robot has."""
    counts = dict.fromkeys(MOST_OF_A_KIND, 0)
    for node in root.below():
        if node.tag in counts:
            counts[node.tag] += 1
            if counts[node.tag] > MOST_OF_A_KIND[node.tag]:
                raise node.wrong(f"is one of more than {MOST_OF_A_KIND[node.tag]:,}")


def read_tree(path: Path) -> Element:
    """Reads an XML file; raises BadFile with the line of what is wrong."""
    data = read_bytes(path, MOST_BYTES)
    builder = _Builder(path)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise BadFile(f"{path}:{error.lineno}", f"is no XML ({expat.ErrorString(error.code)})") from None
    except (ValueError, LookupError) as error:  # an encoding that expat or Python does not know
        raise BadFile(path, f"is no XML ({one_line(error)})") from None
    if builder.root is None:
        raise BadFile(path, "is no XML (no element found)")
    return builder.root
