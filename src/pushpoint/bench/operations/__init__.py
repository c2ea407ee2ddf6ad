"""Floating-point operations of a step: the kernels' own source, run as plain Python with numbers that count."""

from __future__ import annotations

import ast
import importlib
from importlib.abc import InspectLoader
from importlib.util import find_spec
from typing import Any

import numpy as np
import warp as wp

from pushpoint.bench.operations.numbers import LIKE_WARP, Number, Operations, Table, copied, divided
from pushpoint.engine.stepper import Stepper
from pushpoint.engine.variants import VARIANTS
from pushpoint.kernels import traits
from pushpoint.kernels.forms import FEATURES

KERNELS = "pushpoint.kernels"


def operations_of_step(stepper: Stepper) -> int:
    """Makes the next step of world 0 in Python and returns how many operations it took; on a CPU only."""
    (variant,) = stepper.variants
    engine = stepper._engine.NAME
    modules: dict[str, dict[str, Any]] = {}
    time_step = _names_of(f"{KERNELS}.{engine}.step", VARIANTS[engine][variant], modules)["time_step"]
    parts = ("numerics", "model", "obstacles", "drive", "motion", "work", "tally")
    before = Operations.total
    time_step(0, 1, *(_Struct(getattr(stepper, f"_{part}")) for part in parts))
    return Operations.total - before


def _names_of(module: str, features: frozenset[str], modules: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The names of a module of the kernels, run with the traits of a variant and numbers that count."""
    if module in modules:
        return modules[module]
    names = modules[module] = {"wp": LIKE_WARP, "divided": divided, "copied": copied, "__name__": module}
    if module == traits.__name__:
        names |= {name.upper(): name in features for name in FEATURES} | {"PLANES": False}
        names["LEVEL"] = traits.is_level("obstacles" in features, "fields" in features)
        return names
    spec = find_spec(module)
    assert spec is not None and isinstance(spec.loader, InspectLoader)
    tree = ast.parse(str(spec.loader.get_source(module)))
    for node in list(tree.body):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(KERNELS):
            tree.body.remove(node)
            source = str(node.module)
            of_structs = source.endswith(".structs") and source != f"{KERNELS}.structs"
            found = vars(importlib.import_module(source)) if of_structs else _names_of(source, features, modules)
            names |= {alias.asname or alias.name: found[alias.name] for alias in node.names}
        elif isinstance(node, ast.Import) and node.names[0].name == "warp":
            tree.body.remove(node)
    exec(compile(ast.fix_missing_locations(_AsCompiled().visit(tree)), module, "exec", dont_inherit=True), names)
    return names


class _AsCompiled(ast.NodeTransformer):
    """Python as compiled code has it: a / b becomes divided(a, b), and a = b copies b."""

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name):
            node.value = ast.Call(ast.Name("copied", ast.Load()), [node.value], [])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            return ast.Call(ast.Name("divided", ast.Load()), [node.left, node.right], [])
        return node


class _Struct:
    """A struct of the kernels: numbers, and arrays of numbers, vectors or records."""

    def __init__(self, struct: Any) -> None:
        for name, value in ((name, getattr(struct, name)) for name in struct._cls.vars):
            setattr(self, name, _Array(value) if isinstance(value, wp.array) else _read(value))


class _Array:
    """An array, shared with the stepper."""

    def __init__(self, array: wp.array) -> None:
        self._host = array.numpy()
        self._records = self._host.dtype.names is not None
        self.shape = self._host.shape

    def __getitem__(self, index: Any) -> Any:
        return _Record(self._host, index) if self._records else _read(self._host[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        self._host[index] = _plain(value)


class _Record:
    """A record in an array."""

    def __init__(self, host: np.ndarray, index: int) -> None:
        vars(self).update(_host=host, _index=index)

    def __getattr__(self, name: str) -> Any:
        return _read(self._host[name][self._index])

    def __setattr__(self, name: str, value: Any) -> None:
        self._host[name][self._index] = _plain(value)


def _read(value: Any) -> Any:
    """A value of the kernels as one that counts."""
    if isinstance(value, np.ndarray):
        return Table([[Number(x) for x in row] if np.ndim(row) else Number(row) for row in value])
    return int(value) if isinstance(value, int | np.integer) else Number(value)


def _plain(value: Any) -> Any:
    """The same the other way round."""
    return value.values.astype(float) if isinstance(value, Table) else value
