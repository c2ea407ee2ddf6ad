"""Changes to a document by keys and values, as given with --set on the command line."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pushpoint.description.complaints import Keys, path_of
from pushpoint.description.entries import entries_of
from pushpoint.description.files import parse_value, with_heights
from pushpoint.description.reading import Reader
from pushpoint.description.shapes import is_spatial, listed_section, uniform_section
from pushpoint.errors import PushpointError, shown
from pushpoint.model.joints import Joint
from pushpoint.model.kinds import kinds_of
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import AnyRobot

KEY = re.compile(r"[A-Za-z_]\w*(\.\w+|\[\d+\])*", re.ASCII)


def apply_sets(document: dict[str, Any], sets: Iterable[str]) -> dict[str, Any]:
    """A document with changes such as controller.amplitude_deg=30, obstacles[2].x=1.1 or obstacles.2.x=1.1.

    Values are written as YAML; a file of heights is looked up in the current folder. Whether the result is valid is
    checked when it is read as a scenario.
    """
    values: list[tuple[Keys, Any]] = []
    for each in sets:
        name, equals, text = each.partition("=")
        if not (equals and KEY.fullmatch(name.strip()) and text.strip()):
            allowed = "key=value such as controller.amplitude_deg=30, or null for no value"
            raise PushpointError(f"--set {shown(each)}, must be {allowed}")
        keys = keys_in(name)
        values.append((keys, parse_value(text.strip(), path_of(keys))))
    return with_heights(with_values(document, values), Path())


def keys_in(name: str) -> Keys:
    """The place that a name such as obstacles[2].x or obstacles.2.x stands for."""
    if not KEY.fullmatch(name.strip()):
        raise PushpointError(f"{shown(name)} is not a key of a scenario, such as controller.amplitude_deg")
    return tuple(int(part) if part.isdigit() else part for part in re.findall(r"\w+", name))


def with_values(document: dict[str, Any], values: Iterable[tuple[Keys, Any]]) -> dict[str, Any]:
    """A document with other values at some places; `robot.link` and `robot.motor` mean all of them.

    A change inside a robot writes it out as far as necessary.
    """
    changed = copy.deepcopy(document)
    for keys, value in values:
        _write_out_robot(changed, keys)
        for place in _places(changed, keys):
            _put(changed, place, copy.deepcopy(value))
    return changed


def with_places(document: dict[str, Any], keys: Keys) -> tuple[dict[str, Any], list[Keys]]:
    """A copy of a document, with its robot written out as far as a change there needs, and the places of the change."""
    changed = copy.deepcopy(document)
    _write_out_robot(changed, keys)
    return changed, _places(changed, keys)


def _write_out_robot(document: dict[str, Any], keys: Keys) -> None:
    """Writes out the robot as far as a change inside it needs: with one link for all, or with all links."""
    robot = document.get("robot")
    if keys[0] != "robot" or len(keys) == 1 or not isinstance(robot, str | dict):
        return
    each = keys[1] in ("links", "motors") or _is_numbered_joint(keys)
    listed = "joints" if keys[1] == "joints" else "links"
    if isinstance(robot, str) or (each and not isinstance(robot.get(listed), list)):
        made = Reader({"robot": robot}).read(AnyRobot, ("robot",))
        written = None if each else uniform_section(made)
        # It is no longer the robot from its source.
        document["robot"] = (written or listed_section(made)) | {"name": f"{made.name}-changed", "source": ""}
    elif is_spatial(robot) and keys[1] in ("joints", "motor"):
        robot.setdefault("joints", {"kind": "cardan"})


def _is_numbered_joint(keys: Keys) -> bool:
    return keys[1] == "joints" and len(keys) > 2 and isinstance(keys[2], int)


def _places(document: dict[str, Any], keys: Keys) -> list[Keys]:
    """Where a change applies: `robot.link` and `robot.motor` mean all, as does `robot.joints` without a number."""
    robot = document.get("robot")
    if keys[0] != "robot" or len(keys) == 1 or not isinstance(robot, dict):
        return [keys]
    inside = keys[2:]
    if keys[1] == "motor" and is_spatial(robot):
        joints = _all(robot, "joints").items()
        return [(*place, motor, *inside) for place, joint in joints for motor in _motors(joint)] or [keys]
    if keys[1] in ("link", "motor") and "links" in robot:
        return [(*place, *inside) for place in _all(robot, f"{keys[1]}s")]
    if keys[1] == "joints" and inside and not _is_numbered_joint(keys):
        return [(*place, *inside) for place in _all(robot, "joints")]
    return [keys]


def _motors(joint: Any) -> list[str]:
    """Keys of the motors of a joint."""
    kind = kinds_of(Joint).get(str(joint.get("kind"))) if isinstance(joint, dict) else None
    return [] if kind is None else [name for name, entry in entries_of(kind).items() if entry.hint is Motor]


def _all(robot: dict[str, Any], listed: str) -> dict[Keys, Any]:
    """Every entry of a list of the robot by its place, or the one section that stands for all."""
    held = robot.get(listed)
    if isinstance(held, list):
        return {("robot", listed, k): each for k, each in enumerate(held)}
    return {("robot", listed): held}


def _put(document: dict[str, Any], keys: Keys, value: Any) -> None:
    """Writes a value at its place, creating sections on the way if necessary."""
    part: Any = document
    for depth, key in enumerate(keys):
        place = path_of(keys[:depth])
        if isinstance(part, list):
            if not (isinstance(key, int) and key < len(part)):
                raise PushpointError(f"{path_of(keys)} cannot be set: {place} has {len(part)} entries, counted from 0")
        elif not isinstance(part, dict):
            raise PushpointError(f"{path_of(keys)} cannot be set: {place} = {shown(part)} has no parts")
        elif isinstance(key, int):
            raise PushpointError(f"{path_of(keys)} cannot be set: {place} has keys, not numbers")
        elif part.get(key) is None:
            part[key] = {}
        if depth == len(keys) - 1:
            part[key] = value
        part = part[key]
