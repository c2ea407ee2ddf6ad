"""Trees of arrays with a leading world axis: nested dataclasses, named tuples and tuples with arrays as leaves.

Measurements, states and the memories of controllers are such trees. Results have the same types as the inputs; a leaf
that is None stays None.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

Tree = TypeVar("Tree")


def stack(trees: Sequence[Tree]) -> Tree:
    """Stacks trees of one world each: every leaf gets a leading world axis."""
    return over_leaves(lambda *leaves: np.stack(leaves), *trees)


def pick(tree: Tree, rows: Any) -> Tree:
    """Some worlds of a batch, by index, mask or slice; a single index gives one world without the axis."""
    return over_leaves(lambda leaf: leaf[rows], tree)


def merge(tree: Tree, rows: Any, part: Tree) -> Tree:
    """A copy of a batch in which the worlds of `rows` are replaced by those of `part`."""

    def replaced(leaf: np.ndarray, new: np.ndarray) -> np.ndarray:
        merged = np.array(leaf)
        merged[rows] = new
        return merged

    return over_leaves(replaced, tree, part)


def over_leaves(function: Callable[..., Any], tree: Tree, *others: Tree) -> Tree:
    """The tree with a function applied to every leaf and to the same leaf of the others."""
    found: Any
    if tree is None:
        return tree
    if isinstance(tree, tuple):
        parts = [over_leaves(function, *leaves) for leaves in zip(tree, *others, strict=True)]
        found = tuple(parts) if type(tree) is tuple else type(tree)(*parts)
    elif is_dataclass(tree):
        found = copy.copy(tree)  # not constructed again: the constructor's checks are for single numbers
        for name in (field.name for field in fields(tree)):
            value = over_leaves(function, *(vars(one)[name] for one in (tree, *others)))
            object.__setattr__(found, name, value)
    else:
        found = function(tree, *others)
    return found


def form(tree: Any) -> Hashable:
    """Types and leaf shapes: what trees must have in common to be stacked."""
    if isinstance(tree, tuple):
        return (type(tree), *map(form, tree))
    if is_dataclass(tree):
        return (type(tree), *(form(vars(tree)[field.name]) for field in fields(tree)))
    return None if tree is None else np.shape(tree)
