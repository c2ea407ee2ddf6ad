"""What is no chain is refused by name and line; files neither expand entities nor reach outside their folder."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from interchange.robots.snakes import SLANTED
from pushpoint.errors import BadFile

INERTIA = '<inertial pos="0 0 0" mass="1" diaginertia="1e-3 1e-3 1e-3"/>'
BODY = INERTIA + '<geom type="capsule" size="0.02 0.04" euler="0 90 0"/>'


def mjcf(inside: str, after: str = "") -> str:
    root = f"<body name='a'>\n<freejoint/>{BODY}\n{inside}\n</body>"
    return f"<mujoco>\n<worldbody>\n{root}\n</worldbody>\n{after}\n</mujoco>"


def body(name: str, inside: str = "", joint: str = '<joint name="j{}" axis="0 0 1" pos="-0.05 0 0"/>') -> str:
    return f'<body name="{name}" pos="0.1 0 0">{joint.format(name)}{BODY}{inside}</body>'


LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3"/></inertial></link>\n'


def urdf(joints: str, links: str = "abc") -> str:
    return "<robot name='r'>\n" + "".join(LINK.format(name) for name in links) + joints + "\n</robot>"


def joint(name: str, parent: str, child: str, kind: str = "continuous", more: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="0.1 0 0"/><axis xyz="0 0 1"/>{more}'
    return f'<joint name="{name}" type="{kind}">{ends}</joint>\n'


REFUSED = {
    "a tree": (mjcf(body("b") + body("c") + "\n" + body("d")), "6: body 'd' is a third neighbour of 'a'"),
    "a slide in the chain": (
        mjcf(body("b", joint='<joint name="s" type="slide"/>')),
        "5: joint 's' is a slide joint away from the root, must be a hinge",
    ),
    "a ball in the chain": (mjcf(body("b", joint='<joint name="s" type="ball"/>')), "5: joint 's' is a ball joint"),
    "three hinges": (
        mjcf(body("b", joint='<joint axis="0 0 1"/><joint axis="0 1 0"/>\n<joint name="third" axis="1 0 0"/>')),
        "6: joint 'third' is a third axis between two links",
    ),
    "a loop": (
        mjcf(body("b"), '<equality>\n<connect name="ring" body1="a" body2="b" anchor="0 0 0"/></equality>'),
        "9: connect 'ring' closes a loop",
    ),
    "an axis askew": (
        mjcf(body("b", joint='<joint name="j" axis="0 0.5 0.866025" pos="-0.05 0 0"/>\n<joint axis="1 0 0"/>')),
        "has an axis",
    ),
    "an axis beside the line": (
        mjcf(body("b", body("c", body("d", body("e", joint='<joint name="off" axis="0 0 1" pos="-0.05 0.03 0"/>'))))),
        "5: joint 'off' has its axis 30 mm beside the line of the others",
    ),
    "inertia askew": (
        mjcf(body("b")).replace("<freejoint/>", '<freejoint/>\n<inertial pos="0 0 0" mass="1" fullinertia='
                                '"2e-3 2e-3 2e-3 1e-3 0 0"/>', 1).replace(BODY, "", 1),
        "3: body 'a' has principal axes of inertia 45 deg off the link's x and y",
    ),
    "two robots": (
        "<mujoco><worldbody>\n<body><freejoint/>" + BODY + "</body>\n<body name='too'><freejoint/>" + BODY
        + "</body></worldbody></mujoco>",
        "3: body 'too' is a second thing that moves",
    ),
    "a follower": (
        urdf(joint("x", "a", "b") + joint("y", "b", "c", more='<mimic joint="x"/>')),
        "6: joint 'y' follows another joint",
    ),
    "a loop of links": (urdf(joint("x", "a", "b") + joint("y", "b", "c") + joint("z", "c", "b")), "carries 'b', which"),
    "a ring of links": (urdf(joint("x", "a", "b") + joint("y", "b", "c") + joint("z", "c", "a")), "close a loop"),
    "a tree of links": (
        urdf(joint("x", "a", "b") + joint("y", "a", "c") + joint("z", "a", "d"), "abcd"),
        "is a third neighbour of 'a', must be a chain, not a tree",
    ),
    "a telescope": (urdf(joint("x", "a", "b") + joint("y", "b", "c", "prismatic")), "6: joint 'y' is a slide joint"),
    "a link without mass": (
        urdf(joint("x", "a", "b") + joint("y", "b", "c")).replace(LINK.format("c"), '<link name="c"/>\n'),
        "4: link 'c' has no mass, must have one",
    ),
    "xacro": ("<robot name='r'>\n<xacro:include filename='x'/></robot>", "2: xacro:include belongs to xacro"),
    "something else": ("<svg/>", "begins with <svg>, must be <robot> (URDF) or <mujoco> (MJCF)"),
    "no XML": ("<robot>\n<link>\n</robot>", "3: is no XML (mismatched tag)"),
    "a word for a number": (mjcf(body("b")).replace("0.1 0 0", "0.1 o 0"), "5: body 'b' has pos = '0.1 o 0'"),
    "an unknown class": (mjcf(body("b")).replace("<joint ", '<joint class="none" '), "has class = 'none', which no"),
    "copies": (mjcf('<replicate count="3"><body/></replicate>'), "5: replicate makes bodies that the file"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_with_name_and_line(what: str, tmp_path: Path) -> None:
    text, said = REFUSED[what]
    file = tmp_path / "robot.xml"
    file.write_text(text)
    with pytest.raises(BadFile) as caught:
        pp.read_robot(file)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(file))


def test_a_robot_that_pitches_is_not_planar(tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    file.write_text(SLANTED)
    with pytest.raises(BadFile, match="'c2' is not vertical, must be for a planar robot"):
        pp.read_robot(file, planar=True)


def test_small_products_of_inertia_are_left_out_and_said(tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    full = '<inertial pos="0 0.001 0" mass="1" fullinertia="2e-3 2e-3 2e-3 1e-5 0 0"/>'
    file.write_text(mjcf(body("b")).replace(BODY, full + BODY[BODY.index("<geom") :], 1))
    _robot, report, _joints = pp.interchange.robot_of_file(file)
    found = {entry.law: entry for entry in report.laws}
    assert found["inertias"].error == pytest.approx(5e-3) and found["inertias"].kept == "approximated"
    assert found["centres of mass"].error == pytest.approx(1.0) and found["centres of mass"].unit == "mm"


def test_which_end_is_the_head_can_be_said(tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    file.write_text(mjcf(body("b", joint='<joint name="j" axis="0 0 1" pos="-0.05 0 0" range="-10 20"/>')))
    along, against = (pp.read_robot(file, head=end) for end in ("tip", "root"))
    assert pp.read_robot(file) == along  # its root's x axis shows to the tip
    assert np.degrees(along.motor_column("lower")) == pytest.approx(-10)
    # Seen from the other end, with the same side up, the links swap and the joint turns the same way.
    assert np.degrees(against.motor_column("lower")) == pytest.approx(-20)


BOMB = "<!DOCTYPE b [" + "".join(
    f'<!ENTITY a{k} "{f"&a{k - 1};" * 10 if k else "a" * 10}">' for k in range(10)
) + ']>\n<robot name="&a9;"/>'  # fmt: skip
ENTITIES = {
    "billion laughs": BOMB,
    "an external entity": '<!DOCTYPE r [<!ENTITY x SYSTEM "secret.xml">]>\n<robot>&x;</robot>',
    "a parameter entity": '<!DOCTYPE r [<!ENTITY % x SYSTEM "secret.xml"> %x;]>\n<robot/>',
    "an external DTD": '<!DOCTYPE r SYSTEM "secret.dtd">\n<robot/>',
}


@pytest.mark.parametrize("what", ENTITIES)
def test_no_entity_is_expanded(what: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    file.write_text(ENTITIES[what])
    (tmp_path / "secret.xml").write_text("secret")
    with pytest.raises(BadFile, match="xml:1: must hold no document type"):
        pp.read_robot(file)


def test_deep_and_wide_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    file.write_text("<a>" * 5000)
    with pytest.raises(BadFile, match="more than 800 elements inside each other"):
        pp.read_robot(file)
    file.write_text("<robot>" + "<a/>" * 200_001 + "</robot>")
    with pytest.raises(BadFile, match="more than 200,000 elements"):
        pp.read_robot(file)


OUTSIDE = ("../outside.xml", "/etc/passwd", "link.xml", "file:///etc/passwd", "package://robot/../../outside.xml")


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("kind", ["include", "mesh"])
def test_no_file_outside_the_folder_is_opened(name: str, kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "robot"
    folder.mkdir()
    (tmp_path / "outside.xml").write_text("<mujocoinclude/>")
    os.symlink(tmp_path / "outside.xml", folder / "link.xml")
    file = folder / "robot.xml"
    mesh = f'<asset><mesh name="m" file="{name}"/></asset>'
    used = mjcf(body("b")).replace('type="capsule" size="0.02 0.04"', 'type="mesh" mesh="m"')
    text = (
        f'<mujoco>\n<include file="{name}"/></mujoco>'
        if kind == "include"
        else used.replace("<worldbody>", mesh + "<worldbody>")
    )
    file.write_text(text)
    with pytest.raises(BadFile, match="must be inside the folder"):
        pp.read_robot(file)


def test_a_wider_folder_may_be_given(tmp_path: Path) -> None:
    """The usual layout of a ROS package: robots in one folder, meshes in another."""
    (tmp_path / "urdf").mkdir()
    (tmp_path / "meshes").mkdir()
    corners = [(x, y, z) for x in (0.0, 0.1) for y in (-0.02, 0.02) for z in (-0.02, 0.02)]
    lines = "".join(f"v {1e3 * x} {1e3 * y} {1e3 * z}\n" for x, y, z in corners)
    (tmp_path / "meshes" / "body.obj").write_text(lines)
    mesh = '<mesh filename="package://snake/meshes/body.obj" scale="1e-3 1e-3 1e-3"/>'
    shape = f"<collision><geometry>{mesh}</geometry></collision>"
    file = tmp_path / "urdf" / "robot.urdf"
    file.write_text(urdf(joint("x", "a", "b") + joint("y", "b", "c")).replace("</link>", shape + "</link>"))
    with pytest.raises(BadFile, match="the folder"):
        pp.read_robot(file)
    robot = pp.read_robot(file, folder=tmp_path)
    assert robot.column("radius") == pytest.approx(0.02)
    assert robot.column("length") == pytest.approx(0.1)


def test_a_broken_mesh_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    used = mjcf(body("b")).replace('type="capsule" size="0.02 0.04"', 'type="mesh" mesh="m"')
    file.write_text(used.replace("<worldbody>", '<asset><mesh name="m" file="m.stl"/></asset><worldbody>'))
    for content, said in (
        (b"", "is no STL file"),
        (b"x" * 84, "is no STL file"),
        (bytes(80) + (10**9).to_bytes(4, "little"), "is no STL file"),
        (b"solid\nvertex 1 2 x\nvertex 0 0 0\nvertex 1 1 1\n", "has a corner that is not three numbers"),
        (bytes(80) + (1).to_bytes(4, "little") + b"\xff" * 50, "must hold corners"),
    ):
        (tmp_path / "m.stl").write_bytes(content)
        with pytest.raises(BadFile, match=said):
            pp.read_robot(file)
