"""The keys of scenario files, from the schema that `pushpoint schema` prints: a table per section and kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from _site.markdown import prose, table
from pushpoint.description.schema import document_schema

UNIT = re.compile(r"\[((?:deg|rad|m|s|kg|N|Hz|1|-)[^\]]*)\]")
VAST, TINY = 1e8, 1e-8
"""Bounds beyond these say only what numbers can be computed with."""
TITLES = ("key", "meaning", "type", "unit", "default", "allowed")
PLAIN = {"number": "number", "integer": "whole number", "string": "text", "boolean": "true or false", "null": "null"}


def sections() -> str:
    """The keys of a file, then under each of them the sections that it may hold, each at its first place."""
    schema = document_schema()
    shown: set[str] = set()
    parts = [_table(schema, schema["$defs"])]
    for key, value in schema["properties"].items():
        inside = list(_objects(value, schema["$defs"], shown))
        if inside:
            parts.append(f"## {key}")
            parts += [_section(name, part, schema["$defs"]) for name, part in inside]
    return "\n\n".join(parts)


def _objects(node: Any, parts: dict[str, Any], shown: set[str]) -> Iterator[tuple[str, Any]]:
    """All sections below a node that were not shown before, with their names."""
    if isinstance(node, list):
        for each in node:
            yield from _objects(each, parts, shown)
    elif isinstance(node, dict):
        name = _name(node)
        if "$ref" in node:
            node = parts[name]
        if node.get("type") == "object" and name:
            if name in shown:
                return
            shown.add(name)
            yield name, node
        for word, inner in node.items():
            if word not in ("discriminator", "default"):
                yield from _objects(inner, parts, shown)


def _name(node: Any) -> str:
    """What a section is called: the name of its part, or its title where it stands alone."""
    if "$ref" in node:
        return str(node["$ref"]).rpartition("/")[2]
    return str(node.get("title", "")) if node.get("type") == "object" else ""


def _label(name: str) -> str:
    return "keys-" + re.sub(r"\W+", "-", name).lower()


def _kind(part: Any) -> tuple[str, str]:
    """The key that tells a kind and its word, such as law and isotropic; empty for sections of one kind."""
    found = [(word, part["properties"].get(word, {})) for word in ("kind", "law")]
    return next(((word, value["const"]) for word, value in found if "const" in value), ("", ""))


def _section(name: str, part: Any, parts: dict[str, Any]) -> str:
    word, kind = _kind(part)
    title = f"{word}: {kind}" if kind else part.get("title", name)
    about = prose(part.get("description", ""))
    return "\n\n".join(each for each in (f"({_label(name)})=\n### {title}", about, _table(part, parts)) if each)


def _table(part: Any, parts: dict[str, Any]) -> str:
    rows = []
    for key, value in part["properties"].items():
        if "const" in value:
            continue
        meaning = str(value.get("description", ""))
        unit = UNIT.search(meaning)
        default = "required" if key in part["required"] else _default(value)
        rows.append(
            (f"`{key}`", prose(meaning), _type(value, parts), unit[1] if unit else "", default, _allowed(value))
        )
    return table(TITLES, rows) if rows else "No keys of its own."


def _default(value: Any) -> str:
    if "default" not in value:
        return ""
    default = value["default"]
    if default is None or default == "":
        return "none"
    return str(default).lower() if isinstance(default, bool) else f"`{default}`"


def _type(value: Any, parts: dict[str, Any]) -> str:
    if _name(value):
        return f"[{_shown(value, parts)}](#{_label(_name(value))})"
    for word in ("anyOf", "oneOf"):
        if word in value:
            return " or ".join(dict.fromkeys(_type(each, parts) for each in value[word]))
    if "enum" in value:
        return ", ".join(f"`{each}`" for each in value["enum"])
    if value.get("type") == "array":
        return "list" + (f" of {inner}" if (inner := _type(value.get("items", {}), parts)) else "")
    return PLAIN.get(value.get("type", ""), "")


def _shown(value: Any, parts: dict[str, Any]) -> str:
    part = parts[_name(value)] if "$ref" in value else value
    return _kind(part)[1] or str(part.get("title", _name(value)))


def _allowed(value: Any) -> str:
    """Bounds of a number, or of the length of a list."""
    choices = [each for each in value.get("anyOf", [value]) if each.get("type") != "null"]
    value = choices[0] if len(choices) == 1 else {}
    low, high = (bound if bound is None or abs(bound) < VAST else None for bound in (_low(value), value.get("maximum")))
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    if low is not None:
        return "> 0" if 0 < low <= TINY or "exclusiveMinimum" in value else f"≥ {low:g}"
    least, most = value.get("minItems"), value.get("maxItems")
    if least is None and most is None:
        return "" if high is None else f"≤ {high:g}"
    return f"{least} of them" if least == most else f"at least {least} of them"


def _low(value: Any) -> Any:
    return value.get("minimum", value.get("exclusiveMinimum"))
