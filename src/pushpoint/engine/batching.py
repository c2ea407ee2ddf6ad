"""Trees of arrays with a leading world axis: dataclasses, named tuples and tuples, nested, with arrays as leaves.

Measurements, states and the memories of controllers are such trees. What comes out has the types of what went in; a
leaf that is None stays None.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

Tree = TypeVar("Tree")


def stack(trees: Sequence[Tree]) -> Tree:
    """Trees of one world each, side by side: every leaf gets a leading world axis."""
    return over_leaves(lambda *leaves: np.stack(leaves), *trees)


def pick(tree: Tree, rows: Any) -> Tree:
    """Some worlds of a batch, by their numbers, a mask or a slice; a single number gives one world without the axis."""
    return over_leaves(lambda leaf: leaf[rows], tree)


def merge(tree: Tree, rows: Any, part: Tree) -> Tree:
    """A batch in which the worlds of `rows` are those of `part`; neither of the two is changed."""

    def replaced(leaf: np.ndarray, new: np.ndarray) -> np.ndarray:
        merged = np.array(leaf)
        merged[rows] = new
        return merged

    return over_leaves(replaced, tree, part)


def over_leaves(function: Callable[..., Any], tree: Tree, *others: Tree) -> Tree:
    """The tree with every leaf replaced by the function's value of it and of the same leaf of the others."""
    found: Any
    if tree is None:
        return tree
    if isinstance(tree, tuple):
        parts = [over_leaves(function, *leaves) for leaves in zip(tree, *others, strict=True)]
        found = tuple(parts) if type(tree) is tuple else type(tree)(*parts)
    elif is_dataclass(tree):
        found = copy.copy(tree)  # not made anew: the checks at birth are for single numbers, not for arrays of them
        for name in (field.name for field in fields(tree)):
            value = over_leaves(function, *(vars(one)[name] for one in (tree, *others)))
            object.__setattr__(found, name, value)
    else:
        found = function(tree, *others)
    return found


def form(tree: Any) -> Hashable:
    """Types, and shapes of the leaves: what trees must have in common to be stacked."""
    if isinstance(tree, tuple):
        return (type(tree), *map(form, tree))
    if is_dataclass(tree):
        return (type(tree), *(form(vars(tree)[field.name]) for field in fields(tree)))
    return None if tree is None else np.shape(tree)
