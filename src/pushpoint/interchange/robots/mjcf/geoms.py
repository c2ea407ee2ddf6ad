"""The geoms of a body: their shapes, their masses, and whether they can touch others."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.interchange.robots.frames import Frame, along
from pushpoint.interchange.robots.meshes import find_file, read_mesh
from pushpoint.interchange.robots.mjcf.settings import FileSettings
from pushpoint.interchange.robots.shapes import NOTHING, Mass, Shape
from pushpoint.interchange.robots.trees import Element

DENSITY = 1000.0
"""Density of a geom that gives neither mass nor density [kg/m^3]."""
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
"""Numbers that give the size of each kind."""
SKID = "skid"
"""Class of the geoms that stand for wheels and support points in files that this library writes."""


class Geom(NamedTuple):
    """A geom of a body, in the frame of whatever holds that."""

    node: Element
    shape: Shape
    mass: Mass
    touches: int
    """Bits of what it can touch (contype)."""
    touched: int
    """Bits of what can touch it (conaffinity)."""
    shell: bool = False
    """Whether its mass is spread over its surface."""

    @property
    def solid(self) -> bool:
        """Whether anything can touch it."""
        return bool(self.touches or self.touched)


def read_geom(node: Element, frame: Frame, settings: FileSettings, folder: Path) -> Geom:
    """A geom whose defaults are filled in, in a frame."""
    mass = node.number("mass", -1.0) if node.get("mass") else None
    density = node.number("density", DENSITY)
    if density < 0.0 or (mass is not None and mass < 0.0):
        raise node.wrong("has a mass or a density below zero")
    shape = _shape(node, settings, folder).seen_from(frame)
    bits = [int(node.number(name, 1.0)) for name in ("contype", "conaffinity")]
    low, high = settings.groups
    try:
        filled = shape.filled(mass, density) if low <= node.number("group", 0.0) <= high else NOTHING
    except InvalidModel as error:
        raise node.wrong(f"is of no size that a body can have: {error}") from None
    asset = settings.meshes.get(node.get("mesh"))
    shell = node.choice("shellinertia", False) or (asset is not None and asset.get("inertia") == "shell")
    return Geom(node, shape, filled, bits[0], bits[1], shell and filled is not NOTHING)


def _shape(node: Element, settings: FileSettings, folder: Path) -> Shape:
    kind = node.get("type", "sphere")
    if kind == "mesh" or node.get("mesh"):
        return _mesh(node, settings, folder)
    if kind not in SIZES:
        raise node.wrong(f"has type = {kind[:40]!r}, must be {', '.join(SIZES)} or mesh on a robot")
    given = node.numbers("size", 1, 3)
    values = [] if given is None else [float(value) for value in given]
    frame, ends = settings.frame(node), node.numbers("fromto", 6)
    if ends is not None and kind in ("capsule", "cylinder", "box", "ellipsoid"):
        way = ends[3:] - ends[:3]
        half = float(np.linalg.norm(way)) / 2
        frame = Frame(along(node.scaled("fromto", way)), (ends[:3] + ends[3:]) / 2)
        values = [*values[:1], half] if SIZES[kind] == 2 else [values[0], values[1] if values[1:] else values[0], half]
    if len(values) < SIZES[kind] or not all(value > 0.0 for value in values[: SIZES[kind]]):
        raise node.wrong(f"has size = {node.get('size')[:60]!r}, must be {SIZES[kind]} numbers > 0 for a {kind} [m]")
    return Shape(kind, frame, tuple(values[: SIZES[kind]]))


def _mesh(node: Element, settings: FileSettings, folder: Path) -> Shape:
    name = node.get("mesh")
    if name not in settings.meshes:
        raise node.wrong(f"has mesh = {name[:60]!r}, which no asset defines")
    asset = settings.meshes[name]
    if asset.get("vertex") or not asset.get("file"):
        raise asset.wrong("must name a file: corners in the element itself are not read")
    corners, faces = read_mesh(find_file(asset, asset.get("file"), folder, settings.mesh_folder))
    scale, back = asset.vector("scale", (1.0, 1.0, 1.0)), settings.frame(_reference(asset))
    return Shape(
        "mesh",
        settings.frame(node),
        (),
        (corners * scale - back.place) @ back.rotation,
        (faces * scale - back.place) @ back.rotation,
    )


def _reference(asset: Element) -> Element:
    """An element with the asset's refpos and refquat as its own place."""
    given = {name: asset.get(f"ref{name}") for name in ("pos", "quat") if asset.get(f"ref{name}")}
    return Element("mesh", {"name": asset.name, **given}, asset.file, asset.line)
