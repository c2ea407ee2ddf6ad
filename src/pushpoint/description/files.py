"""Scenario files: their documents, with the data of files that they name, and the line of every place."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from pushpoint.description.complaints import Keys, Where, placed, refused
from pushpoint.description.shapes import HEIGHTS, rows_of, with_rows
from pushpoint.description.yaml_values import MOST_BYTES, read_yaml
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.user_files import is_inside, npy_of, read_bytes, read_text


class SourceFile:
    """A scenario file: its document, with the data of files that it names, and the line of every place."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._root, document = read_yaml(read_text(self.path, MOST_BYTES), str(self.path))
        if not isinstance(document, dict):
            raise BadFile(self.where(()), "is not a scenario, which is a mapping of keys and values")
        # A scenario without a name gets that of its file.
        self.document = with_heights({"name": self.path.stem} | document, self.path.parent, self.where)

    def where(self, keys: Keys) -> str:
        """File and line of a place, or of its surroundings if it is not there."""
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
        return read_yaml(text, field)[1]
    except BadFile as error:
        raise InvalidModel(field, text, f"a value written as YAML, but it {error.reason}") from None


def text_of(document: dict[str, Any]) -> str:
    """A document as YAML: sections as blocks, short ones within them on one line."""
    yaml = YAML()
    yaml.width = 120
    yaml.default_flow_style = None
    yaml.representer.ignore_aliases = lambda data: True
    stream = io.StringIO()
    yaml.dump({key: value for key, value in document.items() if value not in ("", {}, [])}, stream)
    return stream.getvalue()


def _children(node: Node | None) -> dict[Any, tuple[int, Node]]:
    """Lines and nodes of a mapping's values by key, or of a list's items by position."""
    if isinstance(node, MappingNode):
        return {name.value: (name.start_mark.line, value) for name, value in node.value}
    items = node.value if isinstance(node, SequenceNode) else ()
    return {k: (item.start_mark.line, item) for k, item in enumerate(items)}


NPY, CSV = ".npy", ".csv"


def with_heights(document: dict[str, Any], folder: Path, where: Where | None = None) -> dict[str, Any]:
    """The document with the rows of its height file in place of the file's name; the file lies in or below a folder."""
    name = rows_of(document)
    if not isinstance(name, str):
        return document
    inside, allowed = Path(name), f"the name of a {NPY} or {CSV} file in or below the folder {folder}"
    named = inside.suffix.lower() in (NPY, CSV) and not inside.is_absolute() and ".." not in inside.parts
    if named and is_inside(folder, folder / inside):
        try:
            return with_rows(document, _heights(folder / inside))
        except BadFile as error:
            reason = f"there is none in {folder}" if error.reason == "no such file" else f"it {error.reason}"
        except (ValueError, EOFError, MemoryError) as error:
            reason = f"it does not hold an array of numbers ({' '.join(str(error).split())[:100]})"
        except _NotRows as error:
            reason = str(error)
        allowed = f"a file of heights, but {reason}"
    raise placed(refused(HEIGHTS, name, allowed), HEIGHTS, where)


class _NotRows(Exception):
    """A file that does not hold rows of numbers."""


def _heights(path: Path) -> np.ndarray:
    """The array of an .npy file, or comma-separated numbers; lines that begin with # are ignored."""
    if path.suffix.lower() == NPY:
        data = read_bytes(path)
        if data.startswith(b"PK"):
            raise _NotRows(f"it holds several arrays, which a {NPY} file does not")
        heights = npy_of(data)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a table without rows
            heights = np.loadtxt(io.StringIO(read_text(path)), delimiter=",", ndmin=2)
    if heights.dtype.kind not in "fiu":
        raise _NotRows(f"it holds values of the type {heights.dtype}")
    if heights.ndim != 2:
        raise _NotRows(f"it holds an array of shape {heights.shape}, not rows of numbers")
    return heights.astype(float)
