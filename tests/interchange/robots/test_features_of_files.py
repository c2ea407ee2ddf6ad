"""Features of other people's files: a robot weighs and turns as in MuJoCo, or a sentence says why not."""

from __future__ import annotations

from pathlib import Path

import pytest

import pushpoint as pp
from interchange.robots.joint_inertia import difference
from interchange.robots.snakes import SLANTED, many_link_swimmer, sea_snake
from pushpoint.errors import BadFile

ROUNDING = 1e-12
CAPSULE = '<geom type="capsule" fromto="-.04 0 0 .04 0 0" size=".02"/>'
INERTIAL = '<inertial pos="0 0 0" mass=".3" diaginertia="1e-4 3.5e-4 3e-4"/>'
CORNERS = [(x, y, z) for x in (-0.05, 0.05) for y in (-0.02, 0.02) for z in (-0.02, 0.02)]
SIDES = ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
BOX = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) + "".join(f"f {a} {b} {c} {d}\n" for a, b, c, d in SIDES)


def mjcf(inside: str = CAPSULE, before: str = "", after: str = "") -> str:
    """A chain of four bodies, each with the same inside."""
    bodies = ""
    for k in reversed(range(4)):
        joint = f'<joint name="j{k}" pos="-.05 0 0"/>' if k else "<freejoint/>"
        bodies = f'<body name="b{k}" pos="{0.1 * bool(k)} 0 0">{joint}{inside}{bodies}</body>'
    return f"<mujoco>{before}<worldbody>{bodies}</worldbody>{after}</mujoco>"


def with_default(given: str, inside: str) -> str:
    return mjcf(inside, f'<default><default class="c">{given}</default></default>')


def with_mesh(compiler: str, file: str, inside: str = "", more: str = "") -> str:
    mesh = f'<compiler {compiler}/><asset><mesh name="m" file="{file}" {more}/></asset>'
    return mjcf(inside or '<geom type="mesh" mesh="m"/>', mesh)


READ = {
    "numbers that a default completes": with_default(
        '<geom type="capsule" size=".02 .04"/>', '<geom class="c" size=".01" euler="0 90 0"/>'
    ),
    "a turn in place of the default's": with_default(
        '<geom type="capsule" axisangle="1 0 0 30"/>', '<geom class="c" size=".02 .03" euler="0 90 0"/>'
    ),
    "a class of a frame": mjcf(
        '<frame childclass="c"><frame euler="0 0 90"><geom fromto="0 -.04 0 0 .04 0"/></frame></frame>',
        '<default><default class="c"><geom type="capsule" size=".02" density="500"/></default></default>',
    ),
    "radians, and limits that are said": mjcf(
        before='<compiler angle="radian" autolimits="false"/><default><joint range="-.3 .4" limited="true"/></default>'
    ),
    "masses of geoms, though bodies have their own": mjcf(INERTIAL + CAPSULE, '<compiler inertiafromgeom="true"/>'),
    "masses of some groups": mjcf(
        CAPSULE + '<geom type="box" size=".01 .01 .01" group="4"/>', '<compiler inertiagrouprange="0 2"/>'
    ),
    "a least mass": mjcf(
        '<inertial pos="0 0 0" mass="1e-3" diaginertia="1e-7 3e-7 2e-7"/>' + CAPSULE,
        '<compiler boundmass=".01" boundinertia="2e-7"/>',
    ),
    "moments that no body has, made equal": mjcf(
        '<inertial pos="0 0 0" mass=".1" diaginertia="1e-4 1e-4 9e-4"/>' + CAPSULE, '<compiler balanceinertia="true"/>'
    ),
    "a moment in the order of its own axes": mjcf(
        '<inertial pos=".01 0 0" euler="90 0 0" mass=".3" diaginertia="1e-4 3.5e-4 3e-4"/>' + CAPSULE
    ),
    "turns about moved axes": mjcf(
        '<frame euler="20 30 40"><frame euler="0 0 -40"><frame euler="0 -30 0"><frame euler="-20 0 0">'
        '<geom type="box" size=".05 .02 .02"/></frame></frame></frame></frame>',
        '<compiler eulerseq="zyx"/>',
    ),
    "names without their folder": with_mesh('meshdir="meshes" strippath="true"', "elsewhere/box.obj"),
    "a chain on a stand that two slides carry": mjcf().replace(
        "<freejoint/>", '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>'
    ),
    "bodies that hold no chain": SLANTED,
    "the swimmer of dm_control": many_link_swimmer(5),
}
"""Files that MuJoCo reads."""


@pytest.mark.parametrize("what", READ)
def test_joints_are_as_heavy_as_in_mujoco(what: str, tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "box.obj").write_text(BOX)
    file = tmp_path / "snake.xml"
    file.write_text(READ[what])
    # MuJoCo keeps corners of meshes in single precision, and gives moments of a box of them by 1e-8.
    assert difference(file) <= (1e-6 if "mesh" in READ[what] else ROUNDING)


@pytest.mark.parametrize("modules", [3, 16])
def test_a_urdf_is_as_heavy_to_turn_as_in_mujoco(modules: int, tmp_path: Path) -> None:
    file = tmp_path / "snake.urdf"
    file.write_text(sea_snake(modules))
    assert difference(file, modules) <= ROUNDING


REFUSED = {
    "a shell": (mjcf('<geom type="capsule" fromto="-.04 0 0 .04 0 0" size=".02" shellinertia="true"/>'), "a shell"),
    "a mesh as a shell": (with_mesh('meshdir="meshes"', "box.obj", more='inertia="shell"'), "a shell"),
    "a huge shape": (mjcf('<geom type="capsule" size="1e12 1e12"/>'), "snake.xml:1: geom"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_weighs_otherwise_is_refused(what: str, tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "box.obj").write_text(BOX)
    file = tmp_path / "snake.xml"
    file.write_text(REFUSED[what][0])
    with pytest.raises(BadFile, match=REFUSED[what][1]):
        pp.read_robot(file)


def test_shells_count_nothing_where_bodies_have_masses(tmp_path: Path) -> None:
    file = tmp_path / "snake.xml"
    file.write_text(mjcf(INERTIAL + CAPSULE.replace("/>", ' shellinertia="true"/>')))
    assert pp.read_robot(file).mass == pytest.approx(1.2)


SAID = {
    "springs and dampers of the joints": mjcf(before='<default><joint stiffness="2" damping=".1"/></default>'),
    "forces that grow with the square": mjcf(before='<default><joint damping=".1 .2"/></default>'),
    "bodies without weight": mjcf().replace('name="b2"', 'name="b2" gravcomp="1"'),
    "meshes as other shapes": with_mesh('meshdir="meshes"', "box.obj", '<geom type="capsule" mesh="m"/>'),
}
"""What MJCF files have and the report must name, by the law that it names."""


@pytest.mark.parametrize("law", SAID)
def test_the_report_names_what_is_read_otherwise(law: str, tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "box.obj").write_text(BOX)
    file = tmp_path / "snake.xml"
    file.write_text(SAID[law])
    _robot, report, _joints = pp.interchange.robot_of_file(file)
    assert [entry.law for entry in report.laws if entry.law == law and entry.kept != "exact"] == [law]


OF_URDF = {
    "dry friction of the joints": ("<axis", '<dynamics damping="0.1" friction="0.3"/><axis'),
    "soft limits of controllers": ("<axis", '<safety_controller soft_lower_limit="-.5" soft_upper_limit=".5"/><axis'),
    "ros2_control": ("</robot>", '<ros2_control name="x" type="system"/></robot>'),
    "fixed base": (
        '<link name="module_0">',
        '<link name="world"/><joint name="w" type="fixed"><parent link="world"/><child link="module_0"/></joint>'
        '<link name="module_0">',
    ),
}


@pytest.mark.parametrize("law", OF_URDF)
def test_the_report_names_what_is_lost_of_a_urdf(law: str, tmp_path: Path) -> None:
    file = tmp_path / "snake.urdf"
    file.write_text(sea_snake(3).replace(*OF_URDF[law], 1))
    _robot, report, _joints = pp.interchange.robot_of_file(file)
    assert [entry.law for entry in report.laws if entry.kept == "lost" and entry.law == law] == [law]


@pytest.mark.parametrize("where", ['<xacro:inertial mass="1"/><inertial>', '<xacro:if value="1"/><inertial>'])
def test_xacro_is_refused_wherever_it_stands(where: str, tmp_path: Path) -> None:
    file = tmp_path / "snake.urdf"
    file.write_text(sea_snake(3).replace("<inertial>", where, 1))
    with pytest.raises(BadFile, match="belongs to xacro, which must be expanded first"):
        pp.read_robot(file)
    file.write_text(sea_snake(3).replace('radius="0.0255"', 'radius="${r}"', 1))
    with pytest.raises(BadFile, match=r"radius = '\$\{r\}', which belongs to xacro, which must be expanded first"):
        pp.read_robot(file)


@pytest.mark.parametrize(
    ("limits", "most"),
    [
        ('forcerange="-2 2"', 2.0),
        ('forcerange="-2 5"', 2.0),
        ('forcerange="0 5"', 5.0),
        ('ctrlrange="0 1" gear="3"', 3.0),
    ],
)
def test_a_motor_that_pushes_one_way_alone_has_the_limit_of_that_way(limits: str, most: float, tmp_path: Path) -> None:
    (tmp_path / "snake.xml").write_text(mjcf(after=f'<actuator><motor joint="j1" {limits}/></actuator>'))
    motor = pp.read_robot(tmp_path / "snake.xml").joints[0].motor
    assert motor.torque_limit == most


def test_a_range_without_width_is_none_as_in_mujoco(tmp_path: Path) -> None:
    text = mjcf(before='<default><joint range="0 0"/></default>')
    (tmp_path / "snake.xml").write_text(text)
    assert not pytest.importorskip("mujoco").MjModel.from_xml_string(text).jnt_limited.any()
    assert pp.read_robot(tmp_path / "snake.xml").joints[0].motor == pp.Motor()


def test_a_motor_without_torque_has_none_in_mujoco(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    link = pp.PlanarLink(length=0.1, mass=0.5, inertia=4e-4, radius=0.04)
    weak = pp.Motor(stiffness=5.0, damping=0.1, torque_limit=0.0)
    pp.export(pp.PlanarRobot.uniform(3, link, weak), tmp_path / "weak.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "weak.xml"))
    data = mujoco.MjData(model)
    data.ctrl[:] = 1.0
    mujoco.mj_forward(model, data)
    assert not data.actuator_force.any()
