"""Forms of the kernels: one source, run again with other traits and another order in memory.

The source is written for records, `work.links[k].R`. A form with planes reads column k of `work.links_R` instead: one
array per field, with a row for each component of a vector or matrix, so that the worlds that a GPU advances side by
side find their numbers side by side. Tables of robots that are equal in all worlds are there once, and the index of a
link in them is found from its place.
"""

from __future__ import annotations

import ast
import importlib
import linecache
import sys
from functools import cache
from importlib.abc import InspectLoader
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import warp as wp

from pushpoint.kernels import planes, traits
from pushpoint.kernels.structs import shared_row

IN_PLANES = {
    "planar": {
        "Work": ("worlds", "links", "joints", "points", "contacts"),
        "Motion": ("worlds", "links", "contacts", "near"),
        "Tally": ("worlds", "links", "joints"),
        "Drive": ("joints", "worlds"),
    },
    "spatial": {
        "Work": ("worlds", "links", "joints", "contacts"),
        "Motion": ("worlds", "links", "joints", "contacts", "near"),
        "Tally": ("worlds", "links", "joints"),
        "Drive": ("joints", "worlds"),
    },
}
"""Arrays of records that become planes, by engine and struct."""
STRUCTS = ("Model", "Obstacles", "Drive", "Motion", "Work", "Tally", "Samples")
SHARED = {"model": ("links", "points", "spheres", "wheels", "bars", "axes"), "drive": ("motors",)}
"""Tables of a robot: one for all worlds where their robots are equal."""


_ACCESS = [name for kind in planes.KINDS.values() for name in (f"{kind}_at", f"put_{kind}")]


class Form(NamedTuple):
    """One way to compile an engine's step."""

    engine: str
    """planar or spatial."""
    variant: str
    """Its name."""
    features: frozenset[str]
    """Names of the traits that it has."""
    planes: bool
    """Whether it reads planes."""

    @property
    def name(self) -> str:
        """A name for compiled files."""
        return "_".join([self.engine, self.variant, *["planes"] * self.planes])


FEATURES = tuple(name.lower() for name in vars(traits) if name.isupper() and name not in ("PLANES", "LEVEL"))
"""What a form can have or lack."""


@cache
def module_in(name: str, form: Form) -> ModuleType:
    """A module of the kernels, run with the traits of a form."""
    module = ModuleType(f"{name}:{form.name}")
    space = vars(module)
    if name == traits.__name__:
        space |= {trait.upper(): trait in form.features for trait in FEATURES} | {"PLANES": form.planes}
        space["LEVEL"] = traits.is_level(space["OBSTACLES"], space["FIELDS"])
        return module
    tree = ast.parse(_source(name))
    for node in list(tree.body):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pushpoint.kernels"):
            tree.body.remove(node)
            for alias in node.names:
                space[alias.asname or alias.name] = _found(str(node.module), alias.name, form)
    if form.planes:
        tree = ast.fix_missing_locations(_ToPlanes(form.engine).visit(tree))
        space |= {"shared_row": shared_row} | {name: getattr(planes, name) for name in _ACCESS}
    text = ast.unparse(tree)
    file = f"<{module.__name__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # where Warp looks for the source
    sys.modules[module.__name__] = module
    exec(compile(text, file, "exec", dont_inherit=True), space)
    return module


def _found(module: str, name: str, form: Form) -> Any:
    """A name of a module of this form; structs are the same in all of them."""
    is_structs = module.endswith(".structs") and module != "pushpoint.kernels.structs"
    return getattr(importlib.import_module(module) if is_structs else module_in(module, form), name)


def _source(name: str) -> str:
    """The text of a module, which is not run for it."""
    spec = find_spec(name)
    assert spec is not None and isinstance(spec.loader, InspectLoader)
    return str(spec.loader.get_source(name))


class _Column(NamedTuple):
    """Where a field of a record is in planes."""

    plane: ast.expr
    index: ast.expr
    shape: tuple[int, ...]
    """Of the field; empty for a number."""


class _ToPlanes(ast.NodeTransformer):
    """Turns fields of records into columns of planes, and places of links into rows of shared tables."""

    def __init__(self, engine: str) -> None:
        self._shapes = {
            (struct.lower(), array, field): _shape(held.type)
            for struct, arrays in IN_PLANES[engine].items()
            for array in arrays
            for field, held in _record(_family(engine, wp.float64), struct, array).vars.items()
        }

    def _column(self, node: ast.expr) -> _Column | None:
        """Where a field is that the source calls `owner.array[index].field`."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Subscript):
            record = node.value
            if isinstance(record.value, ast.Attribute) and isinstance(record.value.value, ast.Name):
                owner, array = record.value.value, record.value.attr
                if (owner.id, array, node.attr) in self._shapes:
                    plane = ast.Attribute(owner, f"{array}_{node.attr}", ast.Load())
                    return _Column(plane, self.visit(record.slice), self._shapes[owner.id, array, node.attr])
        return None

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        column = self._column(node.targets[0])
        if column is None or not column.shape:
            return self.generic_visit(node)
        written = [column.plane, column.index, self.visit(node.value)]
        return ast.Expr(ast.Call(ast.Name(f"put_{planes.KINDS[column.shape]}", ast.Load()), written, []))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        column = self._column(node)
        if column is None:
            return self.generic_visit(node)
        if not column.shape:
            return ast.Subscript(column.plane, column.index, node.ctx)
        return ast.Call(ast.Name(f"{planes.KINDS[column.shape]}_at", ast.Load()), [column.plane, column.index], [])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        table = node.value
        if isinstance(table, ast.Attribute) and isinstance(table.value, ast.Name):
            owner = table.value
            if table.attr in SHARED.get(owner.id, ()):
                node.slice = ast.Call(ast.Name("shared_row", ast.Load()), [node.slice, owner], [])
            elif (owner.id, table.attr) == ("model", "worlds"):
                node.slice = ast.BinOp(node.slice, ast.Mult(), ast.Attribute(owner, "world_row", ast.Load()))
        return node


def _family(engine: str, real: Any) -> SimpleNamespace:
    """The structs of an engine with records."""
    return importlib.import_module(f"pushpoint.kernels.{engine}.structs").family(real)


def _record(family: SimpleNamespace, struct: str, array: str) -> Any:
    """The record that an array of a struct holds."""
    return getattr(family, struct).vars[array].type.dtype


def _shape(kind: Any) -> tuple[int, ...]:
    """Of a vector or matrix; empty for a number."""
    return tuple(getattr(kind, "_shape_", ()))


@cache
def structs_of(engine: str, real: Any, planes: bool) -> SimpleNamespace:
    """The structs of an engine in a precision, with records or with planes.

    Besides: `arrays`, by struct and variable the array of records that it belongs to; `shapes`, likewise the shape of
    what a plane holds in each column; and `kinds_in_planes`, the names of records that became planes.
    """
    family = _family(engine, real)
    made = dict(vars(family))
    arrays = {struct: {name: name for name in getattr(family, struct).vars} for struct in STRUCTS}
    shapes: dict[str, dict[str, tuple[int, ...]]] = {struct: {} for struct in STRUCTS}
    kinds = set()
    for struct, in_planes in IN_PLANES[engine].items() if planes else ():
        fields: dict[str, Any] = {}
        arrays[struct] = {}
        for name, variable in getattr(family, struct).vars.items():
            here = {name: variable.type}
            if name in in_planes:
                record = _record(family, struct, name)
                kinds |= {kind for kind, struct_ in vars(family).items() if struct_ is record}
                here = {f"{name}_{field}": _plane(held.type) for field, held in record.vars.items()}
                shapes[struct] |= {f"{name}_{field}": _shape(held.type) for field, held in record.vars.items()}
            fields |= here
            arrays[struct] |= dict.fromkeys(here, name)
        made[struct] = wp.struct(type(f"{struct}Planes", (), {"__annotations__": fields}))
    return SimpleNamespace(**made, arrays=arrays, shapes=shapes, kinds_in_planes=frozenset(kinds))


def _plane(kind: Any) -> Any:
    """The array that holds a field of many records: a row of numbers, or one row per component."""
    if _shape(kind):
        return wp.array2d(dtype=kind._wp_scalar_type_)
    return wp.array(dtype=kind)


@cache
def kernel(form: Form, real: Any) -> Any:
    """The rollout kernel of a form in a precision."""
    room = f"pushpoint.kernels.{form.engine}"
    family = structs_of(form.engine, real, form.planes)
    kernel_of = module_in("pushpoint.kernels.rollouts", form).kernel_of
    if "details" in form.features:
        details = module_in(f"{room}.details", form)
        return kernel_of(form.name, family, details.detailed_step, details.detailed_sample)
    step, rollout = module_in(f"{room}.step", form), module_in(f"{room}.rollout", form)
    return kernel_of(form.name, family, step.time_step, rollout.record_sample)
