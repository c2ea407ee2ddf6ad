"""Changes to a document by keys and values, as the command line's --set gives them."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from typing import Any

from pushpoint.errors import PushpointError
from pushpoint.scenarios.complaints import Keys, path_of
from pushpoint.scenarios.from_document import robot_of
from pushpoint.scenarios.to_document import listed_document, uniform_document
from pushpoint.scenarios.yaml_file import parse_value

KEY = re.compile(r"[A-Za-z_]\w*(\.\w+|\[\d+\])*", re.ASCII)


def apply_sets(document: dict[str, Any], sets: Iterable[str]) -> dict[str, Any]:
    """A valid document with changes such as gait.amplitude_deg=30, obstacles[2].x=1.1 or obstacles.2.x=1.1.

    Values are written as YAML. Whether the result is valid shows when it is read as a scenario.
    """
    changed = copy.deepcopy(document)
    for each in sets:
        name, equals, text = each.partition("=")
        if not (equals and KEY.fullmatch(name.strip())):
            raise PushpointError(f"--set {each!r}, must be key=value such as gait.amplitude_deg=30")
        keys: Keys = tuple(int(part) if part.isdigit() else part for part in re.findall(r"\w+", name))
        value = parse_value(text.strip(), path_of(keys))
        _write_out_robot(changed, keys)
        for place in _places(changed, keys):
            _put(changed, place, copy.deepcopy(value))
    return changed


def _write_out_robot(document: dict[str, Any], keys: Keys) -> None:
    """Writes the robot out as far as a change inside it needs: as one link and motor, or as all of them."""
    robot = document.get("robot")
    if keys[0] != "robot" or len(keys) == 1 or not isinstance(robot, str | dict):
        return
    each = keys[1] in ("links", "motors")
    if isinstance(robot, str) or (each and "links" not in robot):
        made = robot_of(robot)
        written = None if each else uniform_document(made)
        # It is no longer the robot of its source.
        document["robot"] = (written or listed_document(made)) | {"name": f"{made.name}-changed", "source": ""}


def _places(document: dict[str, Any], keys: Keys) -> list[Keys]:
    """Where a change goes: `robot.motor` and `robot.link` are all of them, also in a robot that lists them."""
    robot = document.get("robot")
    if keys[:1] != ("robot",) or keys[1:2] not in (("link",), ("motor",)):
        return [keys]
    if not isinstance(robot, dict) or "links" not in robot:
        return [keys]
    listed = f"{keys[1]}s"
    if isinstance(robot.get(listed), list):
        return [("robot", listed, k, *keys[2:]) for k in range(len(robot[listed]))]
    return [("robot", listed, *keys[2:])]


def _put(document: dict[str, Any], keys: Keys, value: Any) -> None:
    """Writes a value at its place; sections on the way are made where there are none."""
    part: Any = document
    for depth, key in enumerate(keys):
        place = path_of(keys[:depth])
        if isinstance(part, list):
            if not (isinstance(key, int) and key < len(part)):
                raise PushpointError(f"{path_of(keys)} cannot be set: {place} has {len(part)} entries, counted from 0")
        elif not isinstance(part, dict):
            raise PushpointError(f"{path_of(keys)} cannot be set: {place} = {part!r} has no parts")
        elif isinstance(key, int):
            raise PushpointError(f"{path_of(keys)} cannot be set: {place} has keys, not numbers")
        elif part.get(key) is None:
            part[key] = {}
        if depth == len(keys) - 1:
            part[key] = value
        part = part[key]
