"""URDF and MJCF files broken at random: a sentence or a sound robot, no entity expanded, no file outside the folder."""

from __future__ import annotations

import copy
import os
import sys
import tempfile
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import pushpoint as pp
from campaigns.broken_texts import Random, any_of, broken_text
from campaigns.campaign import kind
from pushpoint.interchange.robots.mjcf.writing import exported, model_of as mjcf_of
from pushpoint.interchange.robots.urdf.writing import model_of as urdf_of

MESH = b"v 0 0 0\nv 0.1 0 0\nv 0 0.02 0\nv 0 0 0.02\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
SECRET = "a file that no robot may read"
NUMBERS = (
    "0", "-1", "1e300", "-1e308", "1e-320", "nan", "inf", "-inf", "1e12", "1e13", "", " ", "x", "1 2", "0 0 0", "1 0 0",
    "0 0 0 0", "1 1 1", "1e-13 0 0", "0.1 0.2 0.3 0.4 0.5 0.6", "9" * 400, "0x10", "1_0", "1,5", "é", "true", "false",
)  # fmt: skip
"""What stands where numbers are expected."""
WORDS = (
    "hinge", "slide", "ball", "free", "fixed", "prismatic", "floating", "planar", "revolute", "continuous", "mesh",
    "box", "cylinder", "ellipsoid", "sphere", "plane", "hfield", "degree", "radian", "global", "xyzx", "ZYX", "auto",
    "../x.stl", "/etc/passwd", "package://a/../../x.obj", "file:///etc/passwd", "body.obj", "secret.xml",
    "link1", "main", "skid", "${radius}", "xacro:link", "shell", "world", "x" * 5000,
)  # fmt: skip
"""Words that files use, in the wrong places."""
HEADS = (
    '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
    '<!DOCTYPE r SYSTEM "file:///etc/passwd">',
    '<!DOCTYPE r [<!ENTITY x SYSTEM "../secret.xml">]>',
    '<!DOCTYPE r [<!ENTITY % p SYSTEM "../secret.xml"> %p;]>',
    '<?xml version="1.0" encoding="utf-7"?>',
    '<?xml version="1.1"?>',
    "<!-- -->",
    "\x00",
)
EXTRA = (
    '<include file="../secret.xml"/>', '<include file="self.xml"/>', '<mesh filename="../secret.obj"/>', "<frame/>",
    '<joint name="again" type="fixed"><parent link="link1"/><child link="link0"/></joint>',
    '<geom type="mesh" mesh="m"/>',
    '<equality><weld body1="body0" body2="body2"/></equality>', "<inertial/>", '<replicate count="9"/>', "<body/>",
    '<default class="x"><geom size="1"/></default>', '<asset><mesh name="m" file="body.obj"/></asset>', "<link/>",
    '<compiler angle="degree" eulerseq="XYZ" settotalmass="5"/>', '<origin rpy="1 2 3"/>', '<joint axis="0 0 0"/>',
    '<compiler inertiagrouprange="0 1" boundmass="0.1" boundinertia="1e-3" balanceinertia="true" strippath="true"/>',
    '<geom class="skid" size="1" group="3" shellinertia="true" type="capsule" mesh="m"/>',
    '<dynamics damping="1" friction="2"/>', '<safety_controller k_velocity="1"/>', '<joint stiffness="1 2 3"/>',
    '<default class="skid"><geom type="box" size=".1 .2 .3" euler="1 2 3"/></default>', '<position kp="1" gear="2 3"/>',
    '<compiler inertiafromgeom="true" meshdir=".."/>', '<body><freejoint/></body>', '<body name="x" euler="9 9 9"/>',
)  # fmt: skip


def _opened() -> list[str]:
    """Paths of files that Python opens while the list is watched."""
    seen: list[str] = []
    sys.addaudithook(lambda event, given: seen.append(str(given[0])) if event == "open" and seen else None)
    return seen


@cache
def _watch() -> list[str]:
    return _opened()


@cache
def sound() -> list[ET.Element]:
    """Files that are right."""
    short = pp.SpatialRobot.uniform(
        4,
        pp.SpatialLink(length=0.1, mass=0.4, inertia=(1e-4, 4e-4, 4e-4), radius=0.03),
        (pp.Yaw(pp.Motor(stiffness=5.0, damping=0.1, lower=-1.0, upper=1.2)), pp.Cardan(axis_distance=0.01)),
    )
    world = pp.World(short, pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.4))))
    square = pp.catalogue.liljeback2014_planar()
    return [mjcf_of(exported(world)), urdf_of(short), mjcf_of(exported(square)), urdf_of(pp.catalogue.acm_iii())]


def broken_tree(random: Random, whole: ET.Element) -> ET.Element:
    """A tree with one to four things wrong."""
    tree = copy.deepcopy(whole)
    for _ in range(int(random.integers(1, 5))):
        nodes = [node for node in tree.iter() if isinstance(node.tag, str)]
        node, other = any_of(random, nodes), any_of(random, nodes)
        way = int(random.integers(8))
        if way <= 2 and node.attrib:
            name = any_of(random, sorted(node.attrib))
            node.set(name, any_of(random, NUMBERS if way else WORDS))
        elif way == 3 and node.attrib:
            del node.attrib[any_of(random, sorted(node.attrib))]
        elif way == 4 and len(node):
            node.remove(node[int(random.integers(len(node)))])
        elif way == 5:
            node.append(copy.deepcopy(other) if other is not tree else ET.Element("body"))
        elif way == 6:
            node.append(ET.fromstring(any_of(random, EXTRA)))
        elif node.attrib and other.attrib:
            node.set(any_of(random, sorted(node.attrib)), other.get(any_of(random, sorted(other.attrib)), ""))
    return tree


def broken_file(random: Random) -> bytes:
    """A file of a robot with something wrong in its tree, its text, or both."""
    whole = any_of(random, sound())
    tree = broken_tree(random, whole) if random.random() < 0.8 else whole
    text = ET.tostring(tree, encoding="unicode")
    if random.random() < 0.1:
        text = any_of(random, HEADS) + text.replace("<link ", "&a;&x;<link ")
    elif random.random() < 0.03:
        text = text.replace("<inertial", "<xacro:if/><inertial", 1)
    return broken_text(random, text) if random.random() < 0.25 else text.encode("utf-8", errors="replace")


@kind("robot files", full=2_000, short=120, limit=20.0)
def trial(seed: int) -> str:
    """A broken file read; what is accepted is written and read again."""
    random = np.random.default_rng((seed, 23))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "robot"
        folder.mkdir()
        (Path(place) / "secret.xml").write_text(f"<robot><!-- {SECRET} --></robot>")
        (Path(place) / "secret.obj").write_bytes(MESH)
        (folder / "body.obj").write_bytes(MESH)
        file = folder / "self.xml"
        file.write_bytes(broken_file(random))
        planar = bool(random.random() < 0.2)
        opened = _watch()
        opened.append("begun")
        try:
            robot = pp.read_robot(file, planar=planar)
        except pp.errors.PushpointError as error:
            assert SECRET not in str(error)
            raise
        finally:
            seen = [Path(name) for name in opened[1:]]
            opened.clear()
            outside = [name for name in seen if place in str(name) and not _inside(folder, name)]
            assert not outside, f"opened {outside}"
        return _back(robot, folder, planar=planar)


def _inside(folder: Path, name: Path) -> bool:
    return os.path.realpath(name).startswith(os.path.realpath(folder) + os.sep)


def _back(robot: Any, folder: Path, *, planar: bool) -> str:
    pp.export(robot, folder / "again.xml")
    again = pp.read_robot(folder / "again.xml", planar=planar)
    assert abs(again.mass - robot.mass) <= 1e-9 * robot.mass, "another mass after a round"
    assert again.axes == robot.axes, "other axes after a round"
    return "accepted"
