"""One family of errors; each member carries the data needed to investigate it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class PushpointError(Exception):
    """Base of everything pushpoint raises on purpose; its text is one sentence for the user."""


class InvalidModel(PushpointError):
    """A robot, environment, gait or setting holds a value that is not allowed."""

    def __init__(self, field: str, value: Any, allowed: str) -> None:
        super().__init__(f"{field} = {value!r}, must be {allowed}")
        self.field = field
        self.value = value
        self.allowed = allowed


class UnknownName(PushpointError):
    """A name that is not in a known collection; the sentence lists the nearest known names."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = sorted(known)
        near = difflib.get_close_matches(name, self.known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}" if near else f"known are {', '.join(self.known)}"
        super().__init__(f"unknown {kind} '{name}'; {hint}")


class StartOverlap(PushpointError):
    """The robot overlaps an obstacle, or the ground (obstacle None), before the first step."""

    def __init__(self, world: int, link: int, obstacle: int | None, depth: float) -> None:
        what = "the ground" if obstacle is None else f"obstacle {obstacle}"
        super().__init__(f"start: link {link} overlaps {what} by {depth * 1e3:.3g} mm (world {world}), must be clear")
        self.world = world
        self.link = link
        self.obstacle = obstacle
        self.depth = depth


class SimulationFailed(PushpointError):
    """A world ended before its time; carries the run up to that step."""

    def __init__(self, sentence: str, run: Any = None) -> None:
        super().__init__(sentence)
        self.run = run


class BadFile(PushpointError):
    """A file that cannot be read or written as what it claims to be."""

    def __init__(self, path: Any, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class MissingExtra(PushpointError):
    """Something needs a library that is not installed; the sentence says which extra brings it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': pip install 'pushpoint[{extra}]'")
        self.what = what
        self.extra = extra
