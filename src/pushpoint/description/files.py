"""Scenario files: YAML read into plain values, with the line of every one of them.

Only mappings, lists and scalars are read; other tags are refused, so nothing in a file can be executed.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from pushpoint.description.complaints import Keys
from pushpoint.description.height_files import with_heights
from pushpoint.errors import BadFile, InvalidModel

PREFIX = "tag:yaml.org,2002:"
TAGS = {PREFIX + name for name in ("map", "seq", "null", "bool", "int", "float", "str")}
# YAML reads 2026-11-15 as a date; in a scenario it can only be meant as text.
DATE = PREFIX + "timestamp"


class SourceFile:
    """A scenario file: its document, with the data of files that it names, and the line of every place in it."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._root, document = _read(_text_of(self.path), str(self.path))
        if not isinstance(document, dict):
            raise BadFile(self.path, "is not a scenario, which is a mapping of keys and values")
        # A file without a name is called by its own.
        named = {"name": self.path.stem} | document
        self.document: dict[str, Any] = with_heights(named, self.path.parent, self.where)

    def where(self, keys: Keys) -> str:
        """File and line of a place; of what is around it, if it is not there."""
        node, line = self._root, 0
        for key in keys:
            found = _child(node, key)
            if found is None:
                break
            line, node = found
        return f"{self.path}:{line + 1}"


def parse_value(text: str, field: str) -> Any:
    """A value written as YAML on one line, such as 0.3, [1, 2] or {law: isotropic, coefficient: 0.2}."""
    try:
        return _read(text, field)[1]
    except BadFile as error:
        raise InvalidModel(field, text, f"a value written as YAML, but it {error.reason}") from None


def text_of(document: dict[str, Any]) -> str:
    """A document as YAML: sections as blocks, what fits on a line within them as a flow."""
    yaml = YAML()
    yaml.width = 120
    yaml.default_flow_style = None
    yaml.representer.ignore_aliases = lambda data: True
    stream = io.StringIO()
    yaml.dump({key: value for key, value in document.items() if value not in ("", {}, [])}, stream)
    return stream.getvalue()


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadFile(path, "no such file") from None
    except UnicodeDecodeError:
        raise BadFile(path, "is not a text file (UTF-8)") from None
    except OSError as error:
        raise BadFile(path, f"cannot be read ({error.strerror})") from None


def _read(text: str, origin: str) -> tuple[Node | None, Any]:
    """The tree of a YAML text and its plain value."""
    yaml = YAML(typ="safe", pure=True)
    try:
        root: Node | None = yaml.compose(text)
        return root, None if root is None else _Reader(origin).value(root, ())
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = origin if mark is None else f"{origin}:{mark.line + 1}"
        raise BadFile(place, f"is not readable as YAML: {_one_line(error.problem or error.context)}") from None
    except YAMLError as error:
        raise BadFile(origin, f"is not readable as YAML: {_one_line(str(error))}") from None
    except RecursionError:
        raise BadFile(origin, "is not readable as YAML: nested too deeply") from None


def _one_line(text: str | None) -> str:
    return " ".join((text or "syntax error").split())


class _Reader:
    """Turns nodes into plain values; refuses tags, repeated keys and values that contain themselves."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._scalars = YAML(typ="safe", pure=True).constructor

    def value(self, node: Node, parents: tuple[Node, ...]) -> Any:
        """The plain value of a node that stands inside its parents."""
        if node in parents:
            raise BadFile(self._place(node), "holds a value that contains itself")
        tag = str(node.tag)
        if tag == DATE:
            return str(node.value)
        if tag not in TAGS:
            raise BadFile(self._place(node), f"holds the tag '{tag}', which a scenario cannot")
        if isinstance(node, MappingNode):
            return self._mapping(node, (*parents, node))
        if isinstance(node, SequenceNode):
            return [self.value(item, (*parents, node)) for item in node.value]
        try:
            return self._scalars.construct_object(node)
        except ValueError:
            raise BadFile(self._place(node), f"holds '{node.value}', which is no {tag.removeprefix(PREFIX)}") from None

    def _mapping(self, node: MappingNode, parents: tuple[Node, ...]) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                raise BadFile(self._place(key), "holds a key that is not one word")
            if key.value in mapping:
                raise BadFile(self._place(key), f"key '{key.value}' is given twice")
            mapping[key.value] = self.value(value, parents)
        return mapping

    def _place(self, node: Node) -> str:
        return f"{self._origin}:{node.start_mark.line + 1}"


def _child(node: Node | None, key: str | int) -> tuple[int, Node] | None:
    """Line and node of a key's value or of a list's item."""
    if isinstance(node, MappingNode):
        for name, value in node.value:
            if name.value == key:
                return name.start_mark.line, value
    elif isinstance(node, SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key].start_mark.line, node.value[key]
    return None
