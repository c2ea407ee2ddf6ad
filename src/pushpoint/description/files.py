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
from pushpoint.description.shapes import HEIGHTS, rows_of, with_rows
from pushpoint.errors import BadFile, InvalidModel

PREFIX = "tag:yaml.org,2002:"
TAGS = {PREFIX + name for name in ("map", "seq", "null", "bool", "int", "float", "str")}
# YAML reads 2026-11-15 as a date; in a scenario it can only be meant as text.
DATE = PREFIX + "timestamp"


class SourceFile:
    """A scenario file: its document, with the data of files that it names, and the line of every place in it."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise BadFile(self.path, "no such file") from None
        except UnicodeDecodeError:
            raise BadFile(self.path, "is not a text file (UTF-8)") from None
        except OSError as error:
            raise BadFile(self.path, f"cannot be read ({error.strerror})") from None
        self._root, document = _read(text, str(self.path))
        if not isinstance(document, dict):
            raise BadFile(self.path, "is not a scenario, which is a mapping of keys and values")
        # A file without a name is called by its own.
        self.document = with_heights({"name": self.path.stem} | document, self.path.parent, self.where)

    def where(self, keys: Keys) -> str:
        """File and line of a place; of what is around it, if it is not there."""
        node, line = self._root, 0
        for key in keys:
            found = _children(node).get(key)
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


def _read(text: str, origin: str) -> tuple[Node | None, Any]:
    """The tree of a YAML text and its plain value."""
    yaml = YAML(typ="safe", pure=True)
    try:
        root: Node | None = yaml.compose(text)
        return root, None if root is None else _Reader(origin).value(root, ())
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        origin = origin if mark is None else f"{origin}:{mark.line + 1}"
        reason = error.problem or error.context or "syntax error"
    except YAMLError as error:
        reason = str(error)
    except RecursionError:
        reason = "nested too deeply"
    raise BadFile(origin, f"is not readable as YAML: {' '.join(reason.split())}")


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


def _children(node: Node | None) -> dict[Any, tuple[int, Node]]:
    """Lines and nodes of a mapping's values by their keys, or of a list's items by their places."""
    if isinstance(node, MappingNode):
        return {name.value: (name.start_mark.line, value) for name, value in node.value}
    items = node.value if isinstance(node, SequenceNode) else ()
    return {k: (item.start_mark.line, item) for k, item in enumerate(items)}


NPY, CSV = ".npy", ".csv"


def with_heights(document: dict[str, Any], folder: Path, where: Where | None = None) -> dict[str, Any]:
    """The document with the rows of its height file, which lies in or below a folder, in place of the file's name."""
    name = rows_of(document)
    if not isinstance(name, str):
        return document
    inside, allowed = Path(name), f"the name of a {NPY} or {CSV} file in or below the folder {folder}"
    if inside.suffix.lower() in (NPY, CSV) and not inside.is_absolute() and ".." not in inside.parts:
        try:
            return with_rows(document, _heights(folder / inside).astype(float).tolist())
        except FileNotFoundError:
            reason = f"there is none in {folder}"
        except OSError as error:
            reason = f"it cannot be read ({error.strerror})"
        except (ValueError, EOFError, MemoryError) as error:
            reason = f"it does not hold an array of numbers ({' '.join(str(error).split())[:100]})"
        except _NotRows as error:
            reason = str(error)
        allowed = f"a file of heights, but {reason}"
    raise placed(refused(HEIGHTS, name, allowed), HEIGHTS, where)


class _NotRows(Exception):
    """A file that holds something else than rows of numbers."""


def _heights(path: Path) -> np.ndarray:
    """The array of an .npy file, or numbers between commas, where lines that begin with # are left out."""
    if path.suffix.lower() == NPY:
        with path.open("rb") as file:
            heights: Any = np.load(file, allow_pickle=False)
    else:
        text = path.read_text(encoding="utf-8-sig")
        heights = np.loadtxt(io.StringIO(text), delimiter=",", ndmin=2) if text.strip() else np.zeros((0, 0))
    if not isinstance(heights, np.ndarray):
        raise _NotRows(f"it holds several arrays, which a {NPY} file does not")
    if heights.dtype.kind not in "fiu":
        raise _NotRows(f"it holds values of the type {heights.dtype}")
    if heights.ndim != 2:
        raise _NotRows(f"it holds an array of shape {heights.shape}, not rows of numbers")
    return heights
