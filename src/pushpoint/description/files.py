"""Scenario files: YAML read into plain values, with the line of every one of them.

Only mappings, lists and scalars are read; other tags are refused, so nothing in a file can be executed.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from pushpoint.description.complaints import Keys, Where, placed, refused
from pushpoint.errors import BadFile, InvalidModel, PushpointError

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


PLACE: Keys = ("ground", "heights", "heights")
NPY, CSV = ".npy", ".csv"


def with_heights(document: dict[str, Any], folder: Path, where: Where | None = None) -> dict[str, Any]:
    """The document with the rows of its height file, which lies in or below a folder, in place of the file's name."""
    ground = document.get("ground")
    field = ground.get("heights") if isinstance(ground, dict) else None
    name = field.get("heights") if isinstance(field, dict) else None
    if not isinstance(name, str):
        return document
    try:
        rows = _rows(name, folder)
    except PushpointError as error:
        raise placed(error, PLACE, where) from None
    return document | {"ground": {**(ground or {}), "heights": {**(field or {}), "heights": rows}}}


def _rows(name: str, folder: Path) -> list[list[float]]:
    inside = Path(name)
    if inside.suffix.lower() not in (NPY, CSV) or inside.is_absolute() or ".." in inside.parts:
        raise refused(PLACE, name, f"the name of a {NPY} or {CSV} file in or below the folder {folder}")
    try:
        heights = _numpy_array(folder / inside) if inside.suffix.lower() == NPY else _table(folder / inside)
        reason = _shortcoming(heights)
    except FileNotFoundError:
        reason = f"there is none in {folder}"
    except OSError as error:
        reason = f"it cannot be read ({error.strerror})"
    except (ValueError, EOFError, MemoryError) as error:
        reason = f"it does not hold an array of numbers ({' '.join(str(error).split())[:100]})"
    if reason:
        raise refused(PLACE, name, f"a file of heights, but {reason}")
    rows: list[list[float]] = heights.astype(float).tolist()
    return rows


def _numpy_array(path: Path) -> Any:
    with path.open("rb") as file:
        return np.load(file, allow_pickle=False)


def _table(path: Path) -> np.ndarray:
    """Numbers between commas; lines that begin with # are left out."""
    text = path.read_text(encoding="utf-8-sig")
    return np.loadtxt(io.StringIO(text), delimiter=",", ndmin=2) if text.strip() else np.zeros((0, 0))


def _shortcoming(heights: Any) -> str:
    if not isinstance(heights, np.ndarray):
        return f"it holds several arrays, which a {NPY} file does not"
    if heights.dtype.kind not in "fiu":
        return f"it holds values of the type {heights.dtype}"
    if heights.ndim != 2:
        return f"it holds an array of shape {heights.shape}, not rows of numbers"
    return ""
