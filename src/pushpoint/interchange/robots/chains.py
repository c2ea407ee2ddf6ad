"""Puts the bodies of a draft in order from tail to head: one chain of rigid links, one or two axes between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from pushpoint.interchange.robots.drafts import DraftBody, DraftJoint, DraftRobot
from pushpoint.interchange.robots.shapes import Mass, Shape, together
from pushpoint.interchange.robots.trees import Element

NEGLIGIBLE = 0.05
"""Part of a link's mean mass below which a body without a shape counts as part of a joint [-]."""
STRAIGHT = 0.5
"""Cosine of the angle to the root's x axis from which on the chain lies along that axis [-]."""
NEAR = 0.98
"""Cosine of the angle to an axis of the root up to which the chain is taken to lie along that axis [-]."""
End = Literal["root", "tip"]


@dataclass(eq=False)
class DraftLink:
    """Bodies that are fixed to each other: a link."""

    node: Element
    mass: Mass
    shapes: list[Shape] = field(default_factory=list)


@dataclass(eq=False)
class DraftAxis:
    """An axis between two links, seen from tail to head."""

    joint: DraftJoint
    sign: int
    """1 if its angle counts as in the file, -1 if the front link is the one that carries the rear one."""


@dataclass(eq=False)
class Bond:
    """What is between two neighbouring links: one or two axes, the one on the rear link first."""

    turns: list[DraftAxis]


@dataclass(eq=False)
class DraftChain:
    """Links from tail to head and what is between them."""

    groups: list[DraftLink]
    bonds: list[Bond]
    forward: np.ndarray
    """Unit vector from tail to head."""
    root: int
    """Number of the link that is the file's root."""


def ordered(draft: DraftRobot, head: End | None) -> DraftChain:
    """The chain of a draft; raises BadFile with name and line of what makes it something else."""
    bodies = draft.bodies
    base = _base(draft)
    number, groups = _groups(draft, base)
    edges: list[tuple[int, int, list[DraftJoint]]] = []  # carrying group, carried group, joints
    for k, body in enumerate(bodies):
        if body.joints and number[k] != number[base] and body.parent is not None:
            _check_joints(body)
            edges.append((number[body.parent], number[k], list(body.joints)))
    path = _path(groups, edges, draft)
    chain = _walked(groups, edges, path, number[base])
    _merge_light(draft, chain)
    return _headed(draft, chain, head, bodies[base].axes)


def _base(draft: DraftRobot) -> int:
    """The first body with mass or shape: what is above it, and how it moves, makes the base free. Says how it moved."""
    bodies, base = draft.bodies, 0
    moved = list(bodies[0].joints)
    below: list[list[int]] = [[] for _ in bodies]
    for k, body in enumerate(bodies):
        if body.parent is not None:
            below[body.parent].append(k)
    while not bodies[base].mass.mass and not bodies[base].shapes and len(below[base]) == 1:
        base = below[base][0]
        moved += bodies[base].joints
    kinds = [joint.kind for joint in moved]
    held = (
        base > 0 and bodies[0].node.get("name") == "world"
    )  # what such a link of a URDF carries is fixed to the world
    if "free" in kinds or (draft.kind == "URDF" and not kinds and not held):
        draft.remark("exact", "free base", "the robot is held nowhere")
    elif kinds:
        words = f"{kinds.count('slide')} slides and {len(kinds) - kinds.count('slide')} turning joints at the root"
        draft.remark("approximated", "free base", f"{words} are a free base, which may also move otherwise")
    else:
        draft.remark("lost", "fixed base", "the file holds its root, here the robot is free")
    return base


def _groups(draft: DraftRobot, base: int) -> tuple[list[int], list[DraftLink]]:
    """Number of the group of each body, and the groups: a body without joints belongs to the one that carries it."""
    number: list[int] = []
    parts: list[list[DraftBody]] = []
    above = set()
    at: int | None = base
    while at is not None:
        above.add(at)
        at = draft.bodies[at].parent
    for k, body in enumerate(draft.bodies):
        if k in above:
            number.append(0)
        elif body.parent is not None and not body.joints:
            number.append(number[body.parent])
        else:
            number.append(len(parts))
        while len(parts) <= number[k]:
            parts.append([])
        parts[number[k]].append(body)
    fixed = len(draft.bodies) - len(above) - len(parts) + 1
    if fixed:
        draft.remark("exact", f"{fixed} bodies that are fixed to others", "made one with these")
    return number, [
        DraftLink(
            next((body.node for body in each if body.mass.mass), each[-1].node),
            together([body.mass for body in each]),
            [shape for body in each for shape in body.shapes],
        )
        for each in parts
    ]


def _check_joints(body: DraftBody) -> None:
    for joint in body.joints:
        if joint.kind != "hinge":
            raise joint.node.wrong(f"is a {joint.kind} joint away from the root, must be a hinge")
    if len(body.joints) > 2:
        raise body.joints[2].node.wrong("is a third axis between two links, must be two at most")


def _path(groups: list[DraftLink], edges: list[tuple[int, int, list[DraftJoint]]], draft: DraftRobot) -> list[int]:
    """The edges in order from one end of the chain to the other."""
    at: list[list[int]] = [[] for _ in groups]
    for e, (above, below, _) in enumerate(edges):
        at[above].append(e)
        at[below].append(e)
        for group in (above, below):
            if len(at[group]) > 2:
                branch = groups[below].node
                raise branch.wrong(f"is a third neighbour of '{groups[above].node.name}', must be a chain, not a tree")
    if not edges:
        return []
    here = next(g for g, each in enumerate(at) if len(each) == 1)
    found: list[int] = []
    while True:
        onward = [e for e in at[here] if not found or e != found[-1]]
        if not onward:
            return found
        found.append(onward[0])
        above, below, _ = edges[onward[0]]
        here = below if above == here else above


def _walked(
    groups: list[DraftLink], edges: list[tuple[int, int, list[DraftJoint]]], path: list[int], root: int
) -> DraftChain:
    """The chain in the order of a path; its direction is set later."""
    if not path:
        return DraftChain([groups[root]], [], np.array([1.0, 0.0, 0.0]), 0)
    first, second = edges[path[0]][:2]
    here = first if len(path) == 1 or second in edges[path[1]][:2] else second
    order, bonds = [here], []
    for e in path:
        above, below, joints = edges[e]
        onward = above == here  # the carried link is in front
        turns = [DraftAxis(joint, 1 if onward else -1) for joint in (joints if onward else reversed(joints))]
        bonds.append(Bond(turns))
        here = below if onward else above
        order.append(here)
    return DraftChain([groups[g] for g in order], bonds, np.array([1.0, 0.0, 0.0]), order.index(root))


def _merge_light(draft: DraftRobot, chain: DraftChain) -> None:
    """Makes bodies without shape and almost without mass parts of joints with two axes."""
    mean = sum(group.mass.mass for group in chain.groups) / len(chain.groups)
    k, merged, most = 1, 0, 0.0
    while k < len(chain.groups) - 1:
        group = chain.groups[k]
        single = len(chain.bonds[k - 1].turns) == len(chain.bonds[k].turns) == 1
        if group.shapes or not single or group.mass.mass > NEGLIGIBLE * mean:
            k += 1
            continue
        front = chain.groups[k + 1]
        front.mass = together([front.mass, group.mass])
        chain.bonds[k - 1].turns += chain.bonds[k].turns
        del chain.groups[k], chain.bonds[k]
        chain.root -= chain.root >= k
        merged, most = merged + 1, max(most, group.mass.mass)
    if merged:
        how = "the small bodies between two axes are parts of the links in front of them"
        draft.remark("approximated", f"{merged} joints with two axes", how, error=most, unit="kg of mass moved")


def _headed(draft: DraftRobot, chain: DraftChain, head: End | None, axes: np.ndarray) -> DraftChain:
    """The chain with its head in front: the end that its root's x axis shows, or else the root."""
    way, ahead = _way(chain, axes), axes[:, 0]
    last = chain.root == len(chain.groups) - 1
    toward = float(way @ ahead)
    why = "where the root's x axis points"
    if head is not None:
        turn, why = (chain.root == 0) == (head == "root"), "as asked for"
        if 0 < chain.root < len(chain.groups) - 1:
            raise draft.root.wrong("has its root in the middle of the chain: head must be left out")
    elif abs(toward) >= STRAIGHT:
        turn = toward < 0.0
    else:
        turn, why = not last, "the root, since the chain does not lie along the root's x axis"
    if len(chain.groups) == 1:
        turn, way = False, ahead
    if turn:
        chain.groups.reverse()
        chain.bonds.reverse()
        for bond in chain.bonds:
            bond.turns = [DraftAxis(each.joint, -each.sign) for each in reversed(bond.turns)]
        chain.root = len(chain.groups) - 1 - chain.root
    chain.forward = -way if turn else way
    if len(chain.groups) > 1:
        draft.remark("exact", "head and tail", f"the head is '{chain.groups[-1].node.name}', {why}")
    return chain


def _way(chain: DraftChain, axes: np.ndarray) -> np.ndarray:
    """Unit vector from the first link of a chain toward the last, along an axis of the root if one is near."""
    if not chain.bonds:
        return chain.forward
    if len(chain.bonds) > 1:
        way = chain.bonds[-1].turns[0].joint.anchor - chain.bonds[0].turns[0].joint.anchor
    else:
        way = _middle(chain.groups[1]) - _middle(chain.groups[0])
    size = float(np.linalg.norm(way))
    if size < 1e-9:
        raise chain.bonds[-1].turns[0].joint.node.wrong("is at the same place as the first joint: there is no length")
    unit = way / size
    near = unit @ axes
    nearest = int(np.argmax(np.abs(near)))
    return np.asarray(axes[:, nearest] * np.sign(near[nearest])) if abs(near[nearest]) > NEAR else unit


def _middle(group: DraftLink) -> np.ndarray:
    """The middle of a link's shapes, or else its centre of mass."""
    if not group.shapes:
        return group.mass.center
    both = np.vstack((np.eye(3), -np.eye(3)))
    reach = np.max([shape.reach(both) for shape in group.shapes], axis=0)
    return np.asarray((reach[:3] - reach[3:]) / 2)
