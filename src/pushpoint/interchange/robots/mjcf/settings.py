"""What holds for a whole MJCF file: included files, the compiler's settings, and defaults by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import radians
from pathlib import Path

import numpy as np

from pushpoint.errors import BadFile, shown
from pushpoint.interchange.robots.frames import Frame, about_axes, about_axis, along, quaternion_of
from pushpoint.interchange.robots.meshes import find_file
from pushpoint.interchange.robots.trees import Element, read_tree

MOST_FILES = 100
MAIN = "main"
TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
"""Attributes that say how something is turned."""


def with_includes(root: Element, folder: Path) -> Element:
    """The tree with the contents of included files in the places of their <include> elements."""
    known: set[Path] = {root.file.resolve()}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children: list[Element] = []
        for child in node.children:
            if child.tag != "include":
                children.append(child)
                continue
            found = find_file(child, child.get("file"), folder, root.file.parent)
            if found.resolve() in known or len(known) >= MOST_FILES:
                raise child.wrong(f"names {child.get('file')[:80]!r}, must be included once, of {MOST_FILES} files")
            known.add(found.resolve())
            children += read_tree(found).children
        again = any(child.tag == "include" for child in children)
        node.children = children
        waiting += [node] if again else children
    return root


@dataclass(eq=False)
class FileSettings:
    """The <compiler> element and what depends on it. (MuJoCo merges several of them.)"""

    degrees: bool = True
    sequence: str = "xyz"
    autolimits: bool = True
    from_geoms: str = "auto"
    total_mass: float = -1.0
    mesh_folder: Path = Path()
    defaults: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {MAIN: {}})
    """By class and tag, attributes that elements do not give themselves."""
    meshes: dict[str, Element] = field(default_factory=dict)

    def radians(self, angle: float) -> float:
        """An angle of the file [rad]."""
        return radians(angle) if self.degrees else angle

    def filled(self, node: Element, inherited: str, tag: str | None = None) -> Element:
        """An element with the defaults of its class, or else of the class of the body that holds it."""
        chosen = node.get("class") or inherited
        if chosen not in self.defaults:
            raise node.wrong(f"has class = {shown(chosen)}, which no <default> defines")
        return node.with_defaults(self.defaults[chosen].get(tag or node.tag, {}))

    def frame(self, node: Element) -> Frame:
        """Where an element is and how it is turned, from its pos and one of five ways to give a rotation."""
        given = [name for name in TURNS if node.get(name)]
        if len(given) > 1:
            raise node.wrong(f"has {given[0]} and {given[1]}, must have one of them")
        return Frame(self._rotation(node, given[0]) if given else np.eye(3), node.vector("pos"))

    def _rotation(self, node: Element, name: str) -> np.ndarray:
        if name == "quat":
            found = quaternion_of(node, "quat")
            return np.eye(3) if found is None else found
        if name == "zaxis":
            return along(node.unit("zaxis", (0.0, 0.0, 1.0)))
        if name == "euler":
            angles = [self.radians(float(angle)) for angle in node.vector("euler")]
            return about_axes(np.array(angles), self.sequence)
        if name == "axisangle":
            values = node.numbers("axisangle", 4)
            whole = np.array([0.0, 0.0, 1.0, 0.0]) if values is None else values
            return about_axis(node.scaled("axisangle", whole[:3]), self.radians(float(whole[3])))
        values = node.numbers("xyaxes", 6)
        whole = np.array([1.0, 0, 0, 0, 1, 0]) if values is None else values
        x = node.scaled("xyaxes", whole[:3])
        y = node.scaled("xyaxes", whole[3:] - (whole[3:] @ x) * x)
        return np.stack((x, y, np.cross(x, y)), axis=1)


def read_settings(root: Element, folder: Path) -> FileSettings:
    """The settings of a file that is whole."""
    found = FileSettings(mesh_folder=root.file.parent)
    for node in root.all("compiler"):
        _compiler(found, node)
    for node in root.all("default"):
        _add_class(found.defaults, node, MAIN, {})
    for asset in root.all("asset"):
        for mesh in asset.all("mesh"):
            name = mesh.get("name") or Path(mesh.get("file")).stem
            found.meshes[name] = found.filled(mesh, MAIN)
        for model in asset.all("model"):
            raise model.wrong("attaches another model, must be one file")
    return found


def _compiler(found: FileSettings, node: Element) -> None:
    if node.get("coordinate", "local") != "local":
        raise node.wrong("has coordinate = 'global', must be local: MuJoCo itself no longer reads it")
    angle = node.get("angle", "degree" if found.degrees else "radian")
    if angle not in ("degree", "radian"):
        raise node.wrong(f"has angle = {shown(angle)}, must be degree or radian")
    found.degrees = angle == "degree"
    found.sequence = node.get("eulerseq", found.sequence)
    if len(found.sequence) != 3 or not set(found.sequence.lower()) <= set("xyz"):
        raise node.wrong(f"has eulerseq = {shown(found.sequence)}, must be three of x, y, z")
    found.autolimits = node.choice("autolimits", found.autolimits)
    found.from_geoms = node.get("inertiafromgeom", found.from_geoms)
    if found.from_geoms not in ("true", "false", "auto"):
        raise node.wrong(f"has inertiafromgeom = {shown(found.from_geoms)}, must be true, false or auto")
    found.total_mass = node.number("settotalmass", found.total_mass)
    place = node.get("meshdir") or node.get("assetdir")
    if place:
        found.mesh_folder = node.file.parent / place


def _add_class(
    classes: dict[str, dict[str, dict[str, str]]], top: Element, name: str, above: Mapping[str, Mapping[str, str]]
) -> None:
    """Adds a class and those inside it, each with the attributes of the one around it."""
    waiting: list[tuple[Element, str, Mapping[str, Mapping[str, str]]]] = [(top, top.get("class") or name, above)]
    while waiting:
        node, called, outer = waiting.pop()
        own = {tag: dict(given) for tag, given in {**outer, **classes.get(called, {})}.items()}
        for child in node.children:
            if child.tag != "default":
                own[child.tag] = {**own.get(child.tag, {}), **child.attributes}
        classes[called] = own
        for child in node.all("default"):
            if not child.get("class"):
                raise BadFile(child.place, "default has no class, which all but the outermost must have")
            waiting.append((child, child.get("class"), own))
