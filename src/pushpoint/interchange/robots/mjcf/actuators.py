"""Actuators of joints: which servo each of them makes of its joint."""

from __future__ import annotations

import math

import numpy as np

from pushpoint.interchange.robots.drafts import DraftDrive, DraftJoint, DraftRobot
from pushpoint.interchange.robots.mjcf.settings import MAIN, FileSettings
from pushpoint.interchange.robots.trees import Element

KINDS = ("motor", "position", "velocity", "general")


def add_actuators(draft: DraftRobot, root: Element, settings: FileSettings) -> None:
    """Gives the joints of a draft the motors that drive them."""
    joints = {joint.node.get("name"): joint for body in draft.bodies for joint in body.joints if joint.node.get("name")}
    driven: set[str] = set()
    for actuators in root.all("actuator"):
        for given in actuators.children:
            tag = given.tag if given.tag in KINDS else "general"
            node = settings.filled(given, MAIN, tag)
            target = node.get("joint") or node.get("jointinparent")
            if given.tag not in KINDS or not target:
                how = f"{given.tag} is not one of a joint"
                draft.remark("lost", f"actuator '{given.name}'", how, place=given.place)
                continue
            if target not in joints:
                raise given.wrong(f"drives the joint {target[:60]!r}, which no body has")
            joint = joints[target]
            if joint.kind == "hinge":
                if target in driven:
                    raise given.wrong(f"drives the joint '{target}', which another actuator drives")
                driven.add(target)
                _drive(draft, joint, node)


def _drive(draft: DraftRobot, joint: DraftJoint, node: Element) -> None:
    gears = node.numbers("gear", 1, 6)
    gear = 1.0 if gears is None else float(gears[0])
    if gear == 0.0:
        raise node.wrong("has gear = 0")
    kp, kv = _gains(draft, node)
    own = joint.drive
    limits = [own.torque_limit, *(abs(gear) * limit for limit in _force_limits(draft, node, kp, kv))]
    joint.drive = DraftDrive(
        stiffness=own.stiffness + kp * gear * gear,
        damping=own.damping + kv * gear * gear,
        torque_limit=min(limits),
        speed_limit=own.speed_limit,
    )


def _gains(draft: DraftRobot, node: Element) -> tuple[float, float]:
    """Stiffness and damping of an actuator, without its gear."""
    for name in ("timeconst", "dampratio", "dyntype"):
        if node.get(name) not in ("", "none", "0"):
            draft.remark("lost", f"{name} of actuator '{node.name}'", "not read", place=node.place)
    if node.tag == "position":
        return _gain(node, "kp", 1.0), _gain(node, "kv", 0.0)
    if node.tag == "velocity":
        return 0.0, _gain(node, "kv", 1.0)
    if node.tag == "general" and node.get("biastype") == "affine":
        found = node.numbers("biasprm", 1, 10)
        bias = np.zeros(3) if found is None else np.concatenate((found, np.zeros(3)))
        return max(0.0, -float(bias[1])), max(0.0, -float(bias[2]))
    return 0.0, 0.0


def _gain(node: Element, name: str, otherwise: float) -> float:
    found = node.number(name, otherwise)
    if found < 0.0:
        raise node.wrong(f"has {name} = {found:g}, must be >= 0")
    return found


def _force_limits(draft: DraftRobot, node: Element, kp: float, kv: float) -> list[float]:
    """Largest forces of an actuator, without its gear."""
    found = []
    strength = node.numbers("gainprm", 1, 10) if node.tag == "general" else None
    gain = abs(float(strength[0])) if strength is not None else 1.0
    ranges = [("forcerange", 1.0)] if kp or kv else [("forcerange", 1.0), ("ctrlrange", gain)]
    for name, scale in ranges:
        span = node.numbers(name, 2)
        if span is None or node.get(name.replace("range", "limited"), "auto") == "false":
            continue
        if abs(span[0] + span[1]) > 1e-9 * abs(span).max():
            how = "one limit in both directions, the smaller one that is not zero"
            draft.remark("approximated", f"{name} of '{node.name}'", how, place=node.place)
        low, high = sorted(abs(span).tolist())
        found.append(scale * (low or high) or math.inf)
    return found
