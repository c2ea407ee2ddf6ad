"""Entries of the Python reference: signature, docstring, fields or arguments with units, methods."""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
from collections.abc import Iterator
from typing import Any

from _site.markdown import argument_docs, directive, docstring, prose, table
from _site.public_names import named, written
from _site.python_types import in_words
from pushpoint.description.entries import docs_of
from pushpoint.model import quantities as declared_quantities
from pushpoint.model.checks import hints_of

LONGEST_DEFAULT = 40


def entries(*names: str) -> str:
    """The entries of some names, in their order."""
    return "\n\n".join(entry(name, thing) for each in names for name, thing in named(each))


def entry(name: str, thing: Any) -> str:
    """One entry."""
    if inspect.isclass(thing):
        kind = "py:exception" if issubclass(thing, Exception) else "py:class"
        return directive(kind, name + _class_signature(thing), _class_body(thing))
    if callable(thing):
        return directive("py:function", f"{name}{_signature(thing)}", _function_body(thing))
    return directive("py:data", name, prose(_about_data(name, thing)), f":value: {_shown(thing)}")


def _about_data(name: str, thing: Any) -> str:
    return "The version of the package." if name.endswith("__version__") else f"A {type(thing).__name__}."


def _class_signature(kind: Any) -> str:
    if issubclass(kind, enum.Enum | Exception) or inspect.isabstract(kind) or "__init__" not in dir(kind):
        return ""
    return _signature(kind)


def _signature(thing: Any, *, bound: bool = False) -> str:
    """Names and defaults; types stand in the table below."""
    try:
        given = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return "()"
    plain = [each.replace(annotation=each.empty) for each in (given[1:] if bound else given)]
    parts = [each.replace(default=_Default(each.default)) if each.default is not each.empty else each for each in plain]
    return str(inspect.Signature(parts))


class _Default:
    """A default value that prints shortly."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return _shown(self.value)


def _shown(value: Any) -> str:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        plain = value == _made(type(value))
        return f"{type(value).__name__}({'' if plain else '...'})"
    if "factory" in type(value).__name__.lower() or "<factory>" in repr(value):
        return "..."
    if isinstance(value, enum.Enum):
        return str(value)
    text = getattr(value, "__name__", None) or repr(value)
    return text if len(text) <= LONGEST_DEFAULT and "<" not in text else "..."


def _made(kind: Any) -> Any:
    try:
        return kind()
    except TypeError:
        return None


def _class_body(kind: Any) -> str:
    parts = [docstring(kind)]
    bases = [f"{{py:obj}}`{written()[base]}`" for base in kind.__bases__ if base in written()]
    if bases:
        parts.append(f"Derived from {', '.join(bases)}.")
    if issubclass(kind, enum.Enum):
        parts.append(table(("member", "value"), [(f"`{each.name}`", prose(str(each.value))) for each in kind]))
    elif dataclasses.is_dataclass(kind) or hasattr(kind, "_field_defaults"):
        parts.append(_fields(kind))
    elif not issubclass(kind, Exception):
        parts.append(_arguments(kind.__init__))
    parts += [_member(name, member, docs_of(kind)) for name, member in _members(kind)]
    return "\n\n".join(part for part in parts if part)


def _fields(kind: Any) -> str:
    """The fields of a dataclass or a named tuple as a list."""
    hints, docs, lines = _hints(kind), docs_of(kind), []
    for name, default in _defaults(kind).items():
        lines.append(_line(name, _words(hints, name), default, docs.get(name, "")))
    return "\n".join(lines)


def _defaults(kind: Any) -> dict[str, Any]:
    """Public fields with their defaults; MISSING where there is none."""
    if not dataclasses.is_dataclass(kind):
        return {name: kind._field_defaults.get(name, dataclasses.MISSING) for name in kind._fields}
    return {
        field.name: field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        for field in dataclasses.fields(kind)
        if not field.name.startswith("_")
    }


def _line(name: str, words: str, default: Any, meaning: str) -> str:
    """`name` (what it is; default): what it means."""
    shown = (
        [] if default is dataclasses.MISSING or default is inspect.Parameter.empty else [f"default `{_shown(default)}`"]
    )
    about = "; ".join([*([words] if words else []), *shown])
    return f"- **`{name}`**" + (f" ({about})" if about else "") + (f": {prose(meaning)}" if meaning else "")


def _arguments(function: Any) -> str:
    hints, docs = _hints(function), argument_docs(function)
    given = [each for each in inspect.signature(function).parameters.values() if each.name not in ("self", "cls")]
    about = [(each, _words(hints, each.name), docs.get(each.name, "")) for each in given]
    lines = [_line(each.name, words, each.default, meaning) for each, words, meaning in about if words or meaning]
    return "\n".join(lines)


def _function_body(function: Any) -> str:
    return "\n\n".join(part for part in (docstring(function), _arguments(function)) if part)


def _hints(thing: Any) -> dict[str, Any]:
    try:
        return hints_of(inspect.unwrap(thing) if not isinstance(thing, type) else thing)
    except (NameError, TypeError, AttributeError):  # names that only a type checker knows
        return {}


def _words(hints: dict[str, Any], name: str) -> str:
    links = {kind: f"{{py:obj}}`{name}`" for kind, name in written().items()}
    words = in_words(hints[name], links) if name in hints else ""
    return "" if words == "anything" else words


def _members(kind: Any) -> Iterator[tuple[str, Any]]:
    """Methods and properties, those of bases without an entry of their own included."""
    seen: set[str] = set()
    fields = {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    for owner in kind.__mro__:
        if owner is not kind and (owner in written() or not owner.__module__.startswith("pushpoint")):
            continue
        for name, member in vars(owner).items():
            if not name.startswith("_") and name not in seen | fields and _is_shown(member):
                seen.add(name)
                yield name, member


def _is_shown(member: Any) -> bool:
    return isinstance(member, property | functools.cached_property | classmethod | staticmethod) or inspect.isfunction(
        member
    )


def _member(name: str, member: Any, docs: dict[str, str]) -> str:
    if isinstance(member, property | functools.cached_property):
        written_here = inspect.isfunction(getattr(member, "fget", None) or getattr(member, "func", None))
        return directive("py:property", name, docstring(member) if written_here else prose(docs.get(name, "")))
    function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
    options = [f":{word}:" for word in ("classmethod", "staticmethod") if word == type(member).__name__]
    bound = not isinstance(member, staticmethod)
    return directive("py:method", name + _signature(function, bound=bound), _function_body(function), *options)


def quantities() -> str:
    """The types of numbers that fields and arguments declare."""
    docs = _docs_of_module(declared_quantities)
    return table(("name", "meaning"), [(f"`pp.quantities.{name}`", prose(doc)) for name, doc in docs.items()])


def _docs_of_module(module: Any) -> dict[str, str]:
    """The docstrings below the assignments of a module."""
    import ast
    from itertools import pairwise

    found = {}
    for pair in pairwise(ast.parse(inspect.getsource(module)).body):
        match pair:
            case ast.Assign(targets=[ast.Name(id=name)]), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.split())
    return found
