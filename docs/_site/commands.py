"""The command line from its own declarations: every command with its help, arguments, options and defaults."""

from __future__ import annotations

import re
import typing
from typing import Any

import typer

from _site.markdown import prose, table
from pushpoint.cli.main import app


def command_line() -> str:
    """A section per command; a group's commands follow it."""
    root = typer.main.get_command(app)
    options = _options(root)
    start = f"Before the command:\n\n{options}" if options else ""
    return "\n\n".join([start, *_sections(root, "pushpoint")])


def _sections(group: Any, path: str) -> list[str]:
    found = []
    for name, command in group.commands.items():
        words = f"{path} {name}"
        inner = getattr(command, "commands", None)
        usage = f"```text\n{words} {' '.join(_usage(command))}\n```"
        parts = [
            f"## {words.removeprefix('pushpoint ')}",
            usage,
            _help(command),
            _arguments(command),
            _options(command),
        ]
        found.append("\n\n".join(part for part in parts if part))
        if inner:
            found += _sections(command, words)
    return found


def _usage(command: Any) -> list[str]:
    pieces = []
    for each in command.params:
        if each.param_type_name == "argument":
            name = _metavar(each).removesuffix("...").rstrip() + ("..." if each.nargs == -1 else "")
            pieces.append(name if each.required else f"[{name}]")
    return [*pieces, *(["COMMAND"] if getattr(command, "commands", None) else []), "[OPTIONS]"]


def _help(command: Any) -> str:
    paragraphs = re.split(r"\n\s*\n", command.help or "")
    return "\n\n".join(prose(" ".join(each.replace("\b", "").split())) for each in paragraphs)


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper()).strip("[]").replace("]", "")


def _arguments(command: Any) -> str:
    rows = [
        (f"`{_metavar(each)}`", prose(getattr(each, "help", "") or ""), _default(each))
        for each in command.params
        if each.param_type_name == "argument"
    ]
    return table(("argument", "meaning", "default"), rows) if rows else ""


def _options(command: Any) -> str:
    rows = [
        (f"`{_spelling(each)}`", prose(getattr(each, "help", "") or ""), _default(each))
        for each in command.params
        if each.param_type_name == "option" and not each.hidden
    ]
    return table(("option", "meaning", "default"), rows) if rows else ""


def _spelling(option: Any) -> str:
    both = "/".join(option.secondary_opts)
    words = ", ".join(option.opts) + (f" / {both}" if both else "")
    return words if option.is_flag else f"{words} {option.metavar or _kind(option)}"


def _kind(option: Any) -> str:
    """What an option takes: a word for its type, or the words that it allows."""
    annotation = option.type_descriptor.annotation
    if choices := typing.get_args(annotation):
        return "|".join(str(each) for each in choices)
    return str(getattr(annotation, "__name__", "value")).replace("str", "text").upper()


def _default(parameter: Any) -> str:
    value = parameter.default
    if parameter.required:
        return "required"
    if value is None or callable(value) or value in ((), [], "", False) or "Sentinel" in type(value).__name__:
        return ""
    return f"`{value}`"
