"""Reads YAML text into plain values, with line numbers; limited in bytes, values, depth and aliases.

Only mappings, lists and scalars are read. Other tags are errors, so nothing in a file can be executed. Every value is
counted when it is parsed and again when aliases are expanded, so that neither long lists nor aliases of aliases cost
more than MOST_VALUES.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from pushpoint.errors import BadFile, shown

MOST_BYTES = 2_000_000
MOST_VALUES = 100_000
"""Most values and keys of a text, with aliases expanded: some seconds of reading. Long tables belong in other files."""
DEEPEST = 40
"""Deepest nesting; the deepest scenario of the package has nine levels."""
LONGEST_TAG = 1000
MOST_DIGITS = 309
"""Most digits of a whole number: those of the largest float."""

PREFIX = "tag:yaml.org,2002:"
SCALARS = {PREFIX + name for name in ("null", "bool", "int", "float", "str")}
# YAML reads 2026-11-15 as a date; in a scenario it can only be text.
DATE = PREFIX + "timestamp"
MERGE = PREFIX + "merge"
FITTING = {
    ScalarNode: SCALARS | {DATE},
    MappingNode: {PREFIX + "map"},
    SequenceNode: {PREFIX + "seq"},
}
"""Which tags a node may have."""
TAGS = set().union(*FITTING.values())
NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Characters that are not allowed in text."""
# Reading a tag takes time that grows with the square of its length.
LONG_TAG = re.compile(rf"![\w\-;/?:@&=+$,.!~*'()\[\]%#]{{{LONGEST_TAG}}}")


class _BoundedComposer(Composer):
    """Composes nodes until there are too many of them, or one is too deep."""

    def __init__(self, loader: Any = None) -> None:
        super().__init__(loader=loader)
        self.warn_double_anchors = False
        self._count = self._depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self._count += 1
        self._depth += 1
        if self._count > MOST_VALUES or self._depth > DEEPEST:
            line = self.parser.peek_event().start_mark.line + 1
            raise _Beyond(line, _too_many() if self._count > MOST_VALUES else _too_deep())
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


class _Beyond(Exception):
    """A text that exceeds a limit, at a line."""


def _too_many() -> str:
    return f"holds more than {MOST_VALUES:,} values, with aliases expanded; long tables belong in .npy or .csv files"


def _too_deep() -> str:
    return f"is nested more than {DEEPEST} deep"


def read_yaml(text: str, origin: str) -> tuple[Node | None, Any]:
    """The tree of a YAML text and its plain value; raises BadFile with the line if it is not YAML."""
    if len(text) > MOST_BYTES:
        raise BadFile(origin, f"has {len(text):,} characters, must have at most {MOST_BYTES:,}")
    not_allowed, long_tag = "the character {!r}, which is not allowed in text", f"a tag of {LONGEST_TAG:,}"
    for wrong, said in ((NO_TEXT, not_allowed), (LONG_TAG, long_tag)):
        if found := wrong.search(text):
            more = "" if wrong is NO_TEXT else " or more characters"
            raise BadFile(_place(origin, text, found.start()), f"holds {said.format(found[0])}{more}")
    yaml: Any = YAML(typ="safe", pure=True)
    yaml.Composer = _BoundedComposer
    try:
        root: Node | None = yaml.compose(text)
        return root, None if root is None else _Reader(origin).value(root, ())
    except _Beyond as beyond:
        line, reason = beyond.args
        raise BadFile(f"{origin}:{line}", reason) from None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        origin = origin if mark is None else f"{origin}:{mark.line + 1}"
        reason = error.problem or error.context or "syntax error"
    except ReaderError as error:
        origin, reason = _place(origin, text, error.position), f"{chr(error.character)!r} is not allowed in YAML"
    except (YAMLError, RecursionError, ValueError, LookupError, AssertionError, TypeError, AttributeError) as error:
        reason = str(error) or type(error).__name__  # the parser met something unexpected
    raise BadFile(origin, f"is not readable as YAML: {' '.join(reason.split())}")


def values_in(document: Any) -> int:
    """How many values and keys a document holds."""
    if isinstance(document, dict):
        return 1 + sum(1 + values_in(part) for part in document.values())
    return 1 + sum(map(values_in, document)) if isinstance(document, list) else 1


def _place(origin: str, text: str, position: int) -> str:
    return f"{origin}:{text.count(chr(10), 0, position) + 1}"


class _Reader:
    """Turns nodes into plain values; raises BadFile for tags, repeated keys and values that contain themselves."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._scalars = YAML(typ="safe", pure=True).constructor
        self._count = 0

    def value(self, node: Node, parents: tuple[Node, ...]) -> Any:
        """The plain value of a node inside its parents."""
        self._count += 1
        if node in parents:
            raise self._bad(node, "holds a value that contains itself")
        if self._count > MOST_VALUES or len(parents) > DEEPEST:
            raise self._bad(node, _too_many() if self._count > MOST_VALUES else _too_deep())
        self._check_tag(node)
        if isinstance(node, MappingNode):
            return self._mapping(node, (*parents, node))
        if isinstance(node, SequenceNode):
            return [self.value(item, (*parents, node)) for item in node.value]
        return self._scalar(node)

    def _check_tag(self, node: Node) -> None:
        tag = str(node.tag)
        if tag not in TAGS:
            raise self._bad(node, f"holds the tag {shown(tag)}, which a scenario file cannot contain")
        if tag not in FITTING[type(node)]:
            raise self._bad(node, f"holds {_in_words(node)}, which is not of type {tag.removeprefix(PREFIX)}")

    def _scalar(self, node: Node) -> Any:
        tag, text = str(node.tag), str(node.value)
        if found := NO_TEXT.search(text):
            raise self._bad(node, f"holds the character {found[0]!r}, which is not allowed in text")
        if tag == DATE:
            return text
        if tag == PREFIX + "int" and len(text) > MOST_DIGITS + 3:  # with a sign and 0x
            raise self._bad(node, _too_large(text))
        try:
            value = self._scalars.construct_object(node)
        except (ValueError, LookupError, ArithmeticError):
            raise self._bad(node, f"holds {shown(text)}, which is not of type {tag.removeprefix(PREFIX)}") from None
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            raise self._bad(node, _too_large(text))
        return value

    def _mapping(self, node: MappingNode, parents: tuple[Node, ...]) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                raise self._bad(key, "holds a key that is not one word")
            if str(key.tag) == MERGE:
                raise self._bad(key, "holds a merge key '<<', which a scenario file cannot contain")
            self._check_tag(key)
            if found := NO_TEXT.search(key.value):
                raise self._bad(key, f"holds the character {found[0]!r}, which is not allowed in text")
            if key.value in mapping:
                raise self._bad(key, f"key {shown(key.value)} is given twice")
            mapping[key.value] = self.value(value, parents)
        return mapping

    def _bad(self, node: Node, reason: str) -> BadFile:
        return BadFile(f"{self._origin}:{node.start_mark.line + 1}", reason)


def _in_words(node: Node) -> str:
    if isinstance(node, ScalarNode):
        return shown(node.value)
    return "a mapping" if isinstance(node, MappingNode) else "a list"


def _too_large(text: str) -> str:
    digits = len(text.removeprefix("-").removeprefix("+").removeprefix("0x"))
    return f"holds a number of {digits:,} digits, must be at most {sys.float_info.max:.2g}"
