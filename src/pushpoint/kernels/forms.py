"""Forms of the kernels: one source, run again with other traits and another order in memory.

The source is written for records, `work.links[k].R`. A form with planes reads element k of `work.links_R` instead: one
array per field, so that the worlds that a GPU advances side by side find their numbers side by side. Tables of robots
that are equal in all worlds are there once, and the index of a link in them is found from its place.
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

from pushpoint.kernels import traits
from pushpoint.kernels.planes import element_of, set_element
from pushpoint.kernels.structs import shared_row

IN_PLANES = {
    "planar": {
        "Work": ("worlds", "links", "joints", "points"),
        "Motion": ("worlds", "links", "near"),
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
        tree = ast.fix_missing_locations(_ToPlanes(IN_PLANES[form.engine]).visit(tree))
        space |= {"shared_row": shared_row, "element_of": element_of, "set_element": set_element}
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


class _ToPlanes(ast.NodeTransformer):
    """Turns fields of records into elements of planes, and places of links into rows of shared tables."""

    def __init__(self, in_planes: dict[str, tuple[str, ...]]) -> None:
        self._in_planes = {(struct.lower(), array) for struct, arrays in in_planes.items() for array in arrays}

    def _element(self, node: ast.AST) -> list[ast.expr] | None:
        """Plane and index of a field of a record, if its array became planes."""
        record = node.value if isinstance(node, ast.Attribute) else None
        if isinstance(record, ast.Subscript) and isinstance(record.value, ast.Attribute):
            owner = record.value.value
            if isinstance(owner, ast.Name) and (owner.id, record.value.attr) in self._in_planes:
                plane = ast.Attribute(owner, f"{record.value.attr}_{node.attr}", ast.Load())
                return [plane, self.visit(record.slice)]
        return None

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        element = self._element(node)
        if element is None:
            return self.generic_visit(node)
        assert isinstance(node.ctx, ast.Load), f"only assigned alone: {ast.unparse(node)}"
        return ast.Call(ast.Name("element_of", ast.Load()), element, [])

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        element = self._element(node.targets[0])
        if element is None:
            return self.generic_visit(node)
        return ast.Expr(ast.Call(ast.Name("set_element", ast.Load()), [*element, self.visit(node.value)], []))

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


@cache
def structs_of(engine: str, real: Any, planes: bool) -> SimpleNamespace:
    """The structs of an engine in a precision, with records or with planes.

    Besides: `arrays`, by struct and variable the array of records that it belongs to, and `kinds_in_planes`, the names
    of records that became planes.
    """
    family = importlib.import_module(f"pushpoint.kernels.{engine}.structs").family(real)
    made = dict(vars(family))
    arrays = {struct: dict.fromkeys(getattr(family, struct).vars) for struct in STRUCTS}
    arrays = {struct: {name: name for name in names} for struct, names in arrays.items()}
    kinds = set()
    for struct, in_planes in IN_PLANES[engine].items() if planes else ():
        fields: dict[str, Any] = {}
        arrays[struct] = {}
        for name, variable in getattr(family, struct).vars.items():
            here = {name: variable.type}
            if name in in_planes:
                record = variable.type.dtype
                kinds |= {kind for kind, struct_ in vars(family).items() if struct_ is record}
                here = {f"{name}_{field}": wp.array(dtype=held.type) for field, held in record.vars.items()}
            fields |= here
            arrays[struct] |= dict.fromkeys(here, name)
        made[struct] = wp.struct(type(f"{struct}Planes", (), {"__annotations__": fields}))
    return SimpleNamespace(**made, arrays=arrays, kinds_in_planes=frozenset(kinds))


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
