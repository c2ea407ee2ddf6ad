"""Links as bodies inside bodies: the chain with its hinges, as MuJoCo turns them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable

from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot


def mjcf_numbers(*values: float) -> str:
    """Numbers as MJCF writes them, without loss."""
    return " ".join(repr(float(value)) for value in values)


def joint_names(robot: AnyRobot) -> list[str]:
    """A name for every axis, from tail to head: joint0_yaw and so on."""
    return [f"joint{a}_{axis.name}" for a, axis in enumerate(robot.axes)]


def add_chain(
    world: ET.Element, robot: AnyRobot, *, root: int = 0, dress: Callable[[ET.Element, int], None]
) -> dict[int, ET.Element]:
    """Adds the links as a tree with two branches, from a link to the head and from it to the tail.

    `dress` names each hinge, given with the number of its axis, and adds what else it has. Returns the bodies by link;
    the root, which has no joint yet, comes first.
    """
    length = robot.column("length")
    gaps = [joint.axis_distance for joint in robot.chain] if isinstance(robot, SpatialRobot) else None
    outward = [*((k, 1) for k in range(root + 1, robot.n_links)), *((k, -1) for k in range(root - 1, -1, -1))]
    bodies = {root: ET.SubElement(world, "body", name=f"body{root}")}
    by_link: dict[int, list[int]] = {}
    for a, axis in enumerate(robot.axes):
        by_link.setdefault(axis.link_behind, []).append(a)
    for k, side in outward:  # side: 1 toward the head, -1 toward the tail
        behind = min(k, k - side)
        gap = gaps[behind] if gaps else 0.0
        offset = side * ((length[k - side] + length[k]) / 2 + gap)
        bodies[k] = ET.SubElement(bodies[k - side], "body", name=f"body{k}", pos=mjcf_numbers(offset, 0, 0))
        # MuJoCo turns a body about its hinges in their order, each axis carried along by those before. Seen from the
        # head the order is reversed and the body turns the other way: R_rear = R_front Rz(-yaw) Ry(-pitch).
        for place, a in enumerate(by_link.get(behind, [])[::side]):
            # The first of two hinges is the farther one from the body; the gap is 0 where there is only one.
            away = length[k] / 2 + (gap if place == 0 else 0.0)
            hinge = ET.SubElement(bodies[k], "joint", type="hinge", pos=mjcf_numbers(-side * away, 0, 0))
            hinge.set("axis", mjcf_numbers(*(side * part for part in robot.axes[a].direction)))
            dress(hinge, a)
    return bodies
