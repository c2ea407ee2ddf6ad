"""Reads the bodies and joints of an MJCF file into a draft."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pushpoint.errors import one_line
from pushpoint.interchange.robots.drafts import DraftBody, DraftDrive, DraftJoint, DraftRobot
from pushpoint.interchange.robots.frames import ORIGIN, Frame
from pushpoint.interchange.robots.mjcf.actuators import add_actuators
from pushpoint.interchange.robots.mjcf.geoms import SKID, Geom, read_geom
from pushpoint.interchange.robots.mjcf.settings import MAIN, FileSettings, read_settings, with_includes
from pushpoint.interchange.robots.shapes import NOTHING, Mass, together
from pushpoint.interchange.robots.trees import Element, refuse_crowds

TURNS_BODIES = ("replicate", "attach", "composite", "flexcomp")
"""Elements that make more bodies than the file shows."""
LOOPS = ("connect", "weld", "joint", "tendon")
"""Equality constraints that close a loop or couple joints."""


@dataclass(eq=False)
class _Open:
    """An element whose bodies are still to be read."""

    node: Element
    parent: int | None
    frame: Frame
    inherited: str


def read_mjcf(root: Element, folder: Path) -> DraftRobot:
    """The draft of an MJCF file whose root element is given."""
    whole = with_includes(root, folder)
    refuse_crowds(whole)
    settings = read_settings(whole, folder)
    draft = DraftRobot(one_line(whole.get("model", "robot"), 60), whole, "MJCF")
    _refuse_loops(whole)
    geoms: dict[int, list[Geom]] = {}
    surroundings = 0
    for world in whole.all("worldbody"):
        waiting = [_Open(world, None, ORIGIN, world.get("childclass", MAIN))]
        while waiting:
            surroundings += _read_element(draft, geoms, waiting, settings, folder)
    _keep_moving(draft, geoms)
    _add_shapes(draft, geoms)
    if settings.least_mass or settings.least_inertia or settings.balances:
        for body in draft.bodies:
            body.mass = body.mass.bounded(settings.least_mass, settings.least_inertia, balanced=settings.balances)
    if settings.total_mass > 0.0:
        total = sum(body.mass.mass for body in draft.bodies)
        for body in draft.bodies:
            body.mass = body.mass.scaled(settings.total_mass / total if total > 0.0 else 1.0)
    add_actuators(draft, whole, settings)
    if surroundings:
        draft.remark("lost", "surroundings", f"a robot is read, not its world ({surroundings} geoms)")
    _remark_rest(draft, whole, [geom for k in range(len(draft.bodies)) for geom in geoms[k]])
    return draft


def _refuse_loops(root: Element) -> None:
    for equality in root.all("equality"):
        for node in equality.children:
            if node.tag in LOOPS and node.get("active", "true") == "true":
                raise node.wrong("closes a loop or couples joints, must not be in a chain")


def _read_element(
    draft: DraftRobot, geoms: dict[int, list[Geom]], waiting: list[_Open], settings: FileSettings, folder: Path
) -> int:
    """Reads what is in a body, a frame or the world; their bodies wait. Returns how many geoms are nobody's."""
    here = waiting.pop()
    loose, later = 0, []
    for node in here.node.children:
        if node.tag in TURNS_BODIES:
            raise node.wrong("makes bodies that the file does not show, must be written out")
        if node.tag == "geom":
            if here.parent is None:
                loose += 1
            else:
                whole = settings.filled(node, here.inherited)
                geoms[here.parent].append(read_geom(whole, here.frame, settings, folder))
        elif node.tag == "frame":
            inner = here.frame.then(settings.frame(node))
            later.append(_Open(node, here.parent, inner, node.get("childclass") or here.inherited))
        elif node.tag == "body":
            frame = here.frame.then(settings.frame(node))
            inherited = node.get("childclass") or here.inherited
            geoms[len(draft.bodies)] = []
            later.append(_Open(node, len(draft.bodies), frame, inherited))
            draft.bodies.append(_body(draft, node, here.parent, frame, settings, inherited))
    waiting += reversed(later)
    return loose


def _body(
    draft: DraftRobot, node: Element, parent: int | None, frame: Frame, settings: FileSettings, inherited: str
) -> DraftBody:
    joints = [
        _joint(draft, settings.filled(each, inherited, "joint"), frame, settings)
        for each in node.children
        if each.tag in ("joint", "freejoint")
    ]
    body = DraftBody(node, parent, joints, axes=frame.rotation)
    inertial = node.first("inertial")
    if inertial is not None and settings.from_geoms != "true":
        body.mass = _inertial(inertial, settings).seen_from(frame)
    elif settings.from_geoms == "false":
        raise node.wrong("has no inertial element, which inertiafromgeom = false demands")
    return body


def _inertial(node: Element, settings: FileSettings) -> Mass:
    mass = node.number("mass", 0.0)
    if mass < 0.0:
        raise node.wrong(f"has mass = {mass:g}, must be >= 0 [kg]")
    if mass == 0.0:
        return NOTHING
    full, diagonal = node.numbers("fullinertia", 6), node.numbers("diaginertia", 3)
    if full is not None:
        xx, yy, zz, xy, xz, yz = full
        moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    elif diagonal is not None:
        moments = np.diag(diagonal)
    else:
        raise node.wrong("has neither diaginertia nor fullinertia")
    return Mass(mass, np.zeros(3), moments).seen_from(settings.frame(node))


def _joint(draft: DraftRobot, node: Element, frame: Frame, settings: FileSettings) -> DraftJoint:
    kind = "free" if node.tag == "freejoint" else node.get("type", "hinge")
    if kind not in ("free", "ball", "slide", "hinge"):
        raise node.wrong(f"has type = {kind[:40]!r}, must be hinge, slide, ball or free")
    anchor = frame.point(node.vector("pos"))
    made = DraftJoint(node, kind, frame.direction(node.unit("axis", (0.0, 0.0, 1.0))), anchor)
    if kind != "hinge":
        return made
    made.drawn_at = drawn = settings.radians(node.number("ref", 0.0))
    limits, limited = node.numbers("range", 2), node.get("limited", "auto")
    inferred = limits is not None and settings.autolimits and limits[0] < limits[1]
    if limits is not None and (limited == "true" or (limited == "auto" and inferred)):
        made.lower, made.upper = (settings.radians(float(limit)) - drawn for limit in limits)
    damping = node.numbers("damping", 1, 10)
    forces = node.numbers("actuatorfrcrange", 2)
    limit = math.inf if forces is None or node.get("actuatorfrclimited") == "false" else float(abs(forces).min())
    made.drive = DraftDrive(
        stiffness=_first(node, "stiffness"),
        damping=0.0 if damping is None else float(damping[0]),
        torque_limit=limit or math.inf,
    )
    if made.drive.stiffness and node.number("springref", 0.0) != node.number("ref", 0.0):
        draft.remark("lost", "rest angle of a spring", f"joint '{node.name}' rests straight", place=node.place)
    return made


def _first(node: Element, name: str) -> float:
    found = node.numbers(name, 1, 10)
    return 0.0 if found is None else float(found[0])


def _keep_moving(draft: DraftRobot, geoms: dict[int, list[Geom]]) -> None:
    """Leaves out bodies that are fixed to the world, and refuses a second robot."""
    top: list[int] = []
    for k, body in enumerate(draft.bodies):
        top.append(k if body.parent is None else top[body.parent])
    moving = sorted({top[k] for k, body in enumerate(draft.bodies) if body.joints})
    if len(moving) > 1:
        raise draft.bodies[moving[1]].node.wrong("is a second thing that moves, must be one robot")
    if not draft.bodies:
        raise draft.root.wrong("has no body, must have a chain of them")
    kept = moving[0] if moving else 0
    chosen = [k for k in range(len(draft.bodies)) if top[k] == kept]
    numbers = {old: new for new, old in enumerate(chosen)}
    if len(chosen) < len(draft.bodies):
        draft.remark("lost", f"{len(draft.bodies) - len(chosen)} bodies that do not move", "surroundings")
    for k in chosen:
        body = draft.bodies[k]
        body.parent = None if body.parent is None else numbers[body.parent]
        geoms[numbers[k]] = geoms[k]
    draft.bodies = [draft.bodies[k] for k in chosen]


def _add_shapes(draft: DraftRobot, geoms: dict[int, list[Geom]]) -> None:
    """Gives each body its shapes, those that can touch if any can, and the masses of its geoms if it has no own."""
    own = {k: geoms[k] for k in range(len(draft.bodies))}
    wheels = sum(geom.node.get("class") == SKID for each in own.values() for geom in each)
    if wheels:
        how = "they stand for wheels or supports: give the links their own before a run"
        draft.remark("lost", f"{wheels} skids", how)
    solid = any(geom.solid for each in own.values() for geom in each)
    for k, body in enumerate(draft.bodies):
        if body.node.first("inertial") is None or body.mass is NOTHING:
            for geom in own[k]:
                if geom.shell:
                    raise geom.node.wrong("is a shell, must be filled where its body has no inertial element")
            body.mass = together([geom.mass for geom in own[k]])
        body.shapes = [
            geom.shape for geom in own[k] if (geom.solid or not solid) and geom.node.get("class") != SKID
        ] or [geom.shape for geom in own[k]]
    every = [geom for each in own.values() for geom in each]
    touching, touched = ({bits for geom in every if (bits := getattr(geom, each))} for each in ("touches", "touched"))
    draft.self_contact = any(one & other for one in touching for other in touched)


def _remark_rest(draft: DraftRobot, root: Element, geoms: list[Geom]) -> None:
    """Says which parts of the file have no counterpart."""
    hinges = [joint.node for body in draft.bodies for joint in body.joints if joint.kind == "hinge"]
    forces = [node.numbers(name, 1, 10) for node in hinges for name in ("stiffness", "damping")]
    if any(force is not None and force[0] for force in forces):
        how = "they are parts of the servo here, which turns and stills a joint against its reference"
        draft.remark("approximated", "springs and dampers of the joints", how)
    if any(force is not None and force[1:].any() for force in forces):
        draft.remark("lost", "forces that grow with the square", "springs and dampers of the joints are linear here")
    if any(body.node.number("gravcomp", 0.0) for body in draft.bodies):
        draft.remark("lost", "bodies without weight", "gravcomp: here gravity acts on all links alike")
    if any(geom.node.get("mesh") and geom.node.get("type", "mesh") != "mesh" for geom in geoms):
        draft.remark("approximated", "meshes as other shapes", "MuJoCo fits a shape to a mesh, here the mesh is read")
    for name, law, unit in (
        ("armature", "armature of the joints, the rotors' inertia", "kg m^2"),
        ("frictionloss", "dry friction of the joints", "N m"),
    ):
        most = max((abs(_first(node, name)) for node in hinges), default=0.0)
        if most:
            draft.remark("lost", law, "none here", error=most, unit=unit)
    option = root.first("option")
    if option is not None and (option.number("density", 0.0) or option.number("viscosity", 0.0)):
        draft.remark("lost", "forces of a fluid", "there are no fluids here", place=option.place)
    for tag, law in (("tendon", "tendons"), ("sensor", "sensors"), ("keyframe", "key frames")):
        found = root.first(tag)
        if found is not None:
            draft.remark("lost", law, "not read", place=found.place)
