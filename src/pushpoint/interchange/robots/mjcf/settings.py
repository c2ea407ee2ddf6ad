"""What holds for a whole MJCF file: included files, the compiler's settings, and defaults by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, radians
from pathlib import Path

import numpy as np

from pushpoint.errors import BadFile, shown
from pushpoint.interchange.robots.frames import Frame, about_axes, about_axis, along, quaternion_of
from pushpoint.interchange.robots.meshes import find_file
from pushpoint.interchange.robots.trees import MOST_ELEMENTS, Element, read_tree

MOST_FILES, MOST_CLASSES = 100, 5_000
MAIN = "main"
READ = ("joint", "geom", "mesh", "motor", "position", "velocity", "general")
"""Elements whose defaults are read."""
COMPLETED = ("size", "gear", "gainprm", "biasprm")
"""Attributes whose last numbers may be left to the default."""
TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
"""Attributes that say how something is turned."""


def with_includes(root: Element, folder: Path) -> Element:
    """The tree with the contents of included files in the places of their <include> elements."""
    known: set[Path] = {root.file.resolve()}
    waiting, count = [root], sum(1 for _ in root.below())
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
            included = read_tree(found)
            count += sum(1 for _ in included.below())
            if count > MOST_ELEMENTS:
                raise child.wrong(f"brings the elements of the file to more than {MOST_ELEMENTS:,}")
            children += included.children
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
    groups: tuple[float, float] = (-inf, inf)
    """Groups of the geoms whose masses count."""
    least_mass: float = 0.0
    """Least mass of a body [kg]."""
    least_inertia: float = 0.0
    """Least moment of inertia of a body [kg m^2]."""
    balances: bool = False
    """Whether moments that no body can have are made equal."""
    strips_folders: bool = False
    """Whether names of meshes are taken without their folders."""
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
        return node.with_defaults(_left_to(self.defaults[chosen].get(tag or node.tag, {}), node))

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


def _left_to(defaults: Mapping[str, str], node: Element) -> dict[str, str]:
    """What defaults say where an element says nothing; numbers of which it gives some are put into the element."""
    for name in COMPLETED:
        own, rest = node.get(name).split(), defaults.get(name, "").split()
        if own and len(own) < len(rest):
            node.attributes[name] = " ".join([*own, *rest[len(own) :]])
    turned = any(node.get(name) for name in TURNS if name != "quat")  # MuJoCo turns by these rather than by a quat
    return {name: value for name, value in defaults.items() if not (turned and name in TURNS)}


def read_settings(root: Element, folder: Path) -> FileSettings:
    """The settings of a file that is whole."""
    found = FileSettings(mesh_folder=root.file.parent)
    for node in root.all("compiler"):
        _compiler(found, node, root)
    if found.strips_folders:
        for node in root.below():
            if node.tag == "mesh" and node.get("file"):
                node.attributes["file"] = node.get("file").replace("\\", "/").rpartition("/")[2]
    for node in root.all("default"):
        _add_class(found.defaults, node, MAIN, {})
    for asset in root.all("asset"):
        for mesh in asset.all("mesh"):
            name = mesh.get("name") or Path(mesh.get("file")).stem
            found.meshes[name] = found.filled(mesh, MAIN)
        for model in asset.all("model"):
            raise model.wrong("attaches another model, must be one file")
    return found


def _compiler(found: FileSettings, node: Element, root: Element) -> None:
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
    groups = node.numbers("inertiagrouprange", 2)
    found.groups = found.groups if groups is None else (float(groups[0]), float(groups[1]))
    found.least_mass = node.number("boundmass", found.least_mass)
    found.least_inertia = node.number("boundinertia", found.least_inertia)
    found.balances = node.choice("balanceinertia", found.balances)
    found.strips_folders = node.choice("strippath", found.strips_folders)
    place = node.get("meshdir") or node.get("assetdir")
    if place:
        found.mesh_folder = root.file.parent / place


def _add_class(
    classes: dict[str, dict[str, dict[str, str]]], top: Element, name: str, above: Mapping[str, Mapping[str, str]]
) -> None:
    """Adds a class and those inside it, each with the attributes of the one around it."""
    waiting: list[tuple[Element, str, Mapping[str, Mapping[str, str]]]] = [(top, top.get("class") or name, above)]
    while waiting:
        node, called, outer = waiting.pop()
        own = {tag: dict(given) for tag, given in {**outer, **classes.get(called, {})}.items()}
        for child in node.children:
            if child.tag in READ:
                own[child.tag] = {**own.get(child.tag, {}), **child.attributes}
        if len(classes) >= MOST_CLASSES and called not in classes:
            raise node.wrong(f"is one of more than {MOST_CLASSES:,} classes")
        classes[called] = own
        for child in node.all("default"):
            if not child.get("class"):
                raise BadFile(child.place, "default has no class, which all but the outermost must have")
            waiting.append((child, child.get("class"), own))
