"""Objects that text cannot hold, such as controllers written in Python without a name: only their names are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pushpoint.description.reading import CUSTOM
from pushpoint.description.writing import NotDescribable, plain
from pushpoint.engine.controller import Controller
from pushpoint.errors import PushpointError
from pushpoint.model.kinds import name_of


@dataclass(frozen=True)
class Unread:
    """Stands for an object that is not registered or holds a function: text cannot hold it, only its name is kept."""

    name: str
    """Its name in Python."""

    def __call__(self, *asked: Any, **more: Any) -> Any:
        """Raises an error, whatever the arguments."""
        why = "is not registered or holds a Python function"
        raise PushpointError(f"{self.name} {why}: the run cannot be repeated from its description")


class UnreadController(Unread, Controller[None]):
    """A controller of which a run keeps only the name. It gives no commands, and the start may depend on it."""

    command = first_reference = Unread.__call__


def unread_controller(section: Any) -> UnreadController | None:
    """The placeholder for the controller of a section that only names it."""
    return UnreadController(str(section.get("name", ""))) if is_custom(section) else None


def named(value: Any) -> dict[str, Any]:
    """The section of a goal or a controller; only its name if a file cannot hold it."""
    try:
        if name_of(type(value)) is not None:
            return dict(plain(value))
    except NotDescribable:
        pass
    name = value.name if isinstance(value, Unread) else getattr(value, "__qualname__", type(value).__qualname__)
    return {"kind": CUSTOM, "name": name}


def is_custom(section: Any) -> bool:
    """Whether the section of a controller only names it."""
    return isinstance(section, dict) and section.get("kind") == CUSTOM
