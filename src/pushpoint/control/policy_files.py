"""Trained policies: those that come with pushpoint by name, your own from files. Each is a controller like any other.

A policy is one file: JSON for a few numbers, .npz for the weights of a network. It says its `format` and its `kind`,
and the kind decides what reads the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pushpoint.brief import brief
from pushpoint.control.neural.policy import KIND as NEURAL, policy_of
from pushpoint.control.touch_policy import TouchPolicy
from pushpoint.engine.controller import Controller
from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import BadFile, PushpointError, UnknownName, names_in_short, shown
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import check_fields, store
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Line
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.user_files import parse_json, read_bytes, read_npz

FORMAT = 1
"""The format of policy files that this version reads and writes."""
FOLDER = Path(__file__).with_name("policies")
"""Where the policies are that come with pushpoint."""
MOST_BYTES = 50_000_000
"""Largest policy file."""
Held = Mapping[str, Any]
"""What a policy file holds, by name."""


def policy_names() -> tuple[str, ...]:
    """The names of the policies that come with pushpoint."""
    return tuple(sorted(file.stem for file in FOLDER.iterdir() if file.suffix in SUFFIXES))


@checked_arguments
def learned(policy: str | Path) -> Controller[Any]:
    """A trained policy as a controller.

        controller = pp.control.learned("touch-v1")

    Args:
        policy: The name of a policy that comes with pushpoint, or a policy file of your own.

    Raises:
        UnknownName: There is no policy of this name.
        BadFile: The file is not a policy that this version reads.
    """
    return policy_in(policy_file(policy))


def policy_file(policy: str | Path) -> Path:
    """The file of a policy: one that comes with pushpoint, or a file of your own."""
    name = str(policy)
    if name in policy_names():
        return next(file for file in FOLDER.iterdir() if file.stem == name and file.suffix in SUFFIXES)
    if Path(name).suffix in SUFFIXES:
        return Path(name)
    raise UnknownName("policy", name, policy_names())


def policy_in(file: Path) -> Controller[Any]:
    """The policy that a file holds."""
    held = SUFFIXES[file.suffix](file)
    for name in ("format", "kind"):
        if name not in held:
            raise BadFile(file, f"is not a policy: it has no '{name}'")
    if not isinstance(held["format"], int) or held["format"] != FORMAT:
        raise BadFile(file, f"is a policy of format {shown(held['format'])}; this version reads format {FORMAT}")
    kind = held["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadFile(file, f"is a policy of the unknown kind {shown(kind)}; known are {names_in_short(sorted(KINDS))}")
    try:
        return KINDS[kind](held)
    except PushpointError as error:
        raise BadFile(file, str(error)) from None


def _touch_policy(held: Held) -> TouchPolicy:
    parameters, known = held.get("parameters"), [each.name for each in fields(TouchPolicy)]
    if not isinstance(parameters, dict):
        raise PushpointError("is not a policy: its 'parameters' must be numbers by name")
    for name in parameters:
        if name not in known:
            raise UnknownName("parameter of a touch policy", str(name), known)
    return TouchPolicy(**parameters)


KINDS: dict[str, Callable[[Held], Controller[Any]]] = {"touch-policy": _touch_policy, NEURAL: policy_of}
"""What makes a policy of each kind."""


def _from_json(file: Path) -> Held:
    try:
        held = parse_json(read_bytes(file, MOST_BYTES))
    except ValueError as error:
        raise BadFile(file, f"is not a policy: no JSON ({error})") from None
    if not isinstance(held, dict):
        raise BadFile(file, "is not a policy: it must hold one JSON object")
    return held


def _from_npz(file: Path) -> Held:
    """Arrays by name; one value alone, such as the kind, is that value."""
    return {name: each.item() if each.ndim == 0 else each for name, each in read_npz(file, MOST_BYTES).items()}


SUFFIXES: dict[str, Callable[[Path], Held]] = {".json": _from_json, ".npz": _from_npz}
"""What reads a policy file."""


@register("learned")
@dataclass(frozen=True, kw_only=True)
class Learned(Controller[Any]):
    """A trained policy by its name, as scenario files have it; see `learned`.

    For example:

        pp.control.Learned(policy="touch-v1")
    """

    __repr__ = brief

    policy: Line
    """The name of a policy that comes with pushpoint, or a policy file."""
    checksum: Line | None = None
    """SHA-256 of the policy file; default: that of the file as it is. A run and a study keep it."""

    if not TYPE_CHECKING:
        rate, needs, modes, period, prescribed = (
            property(attrgetter(f"controller.{name}"), doc=f"The {name} of the policy.")
            for name in ("rate", "needs", "modes", "period", "prescribed")
        )

    def __post_init__(self) -> None:
        check_fields(self, "controller")
        store(self, checksum=self._found())

    def _found(self) -> str:
        """The checksum of the file as it is now; raises BadFile if another one is known."""
        file = policy_file(self.policy)
        found = hashlib.sha256(read_bytes(file, MOST_BYTES)).hexdigest()
        if self.checksum not in (None, found):
            raise BadFile(file, f"is another policy: its checksum is {found[:12]}..., must be {self.checksum}")
        return found

    @cached_property
    def controller(self) -> Controller[Any]:
        """The policy."""
        read = learned(self.policy)
        self._found()  # it may have been trained further since this was made
        return read

    def start(self, robot: AnyRobot, environment: Environment | None = None) -> Start | SpatialStart | None:
        """The start that the policy asks for."""
        return self.controller.start(robot, environment)

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> Controller[Any]:
        """Binds the policy."""
        return self.controller.bind(robot, environment)

    def memory(self) -> Any:
        """The policy's memory."""
        return self.controller.memory()

    def command(self, measurement: Measurement, memory: Any) -> tuple[Command, Any]:
        """The policy's command."""
        return self.controller.command(measurement, memory)
