"""Numbers, vectors and matrices that count the operations made with them, and the functions that kernels use.

Counted are additions, subtractions, multiplications, divisions, square roots and calls such as sine, one each; a fused
multiply-add is two. Comparisons, signs and whole numbers are not counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np


class Operations:
    """How many were made so far."""

    total = 0


class Number(float):
    """A real number that counts."""

    def __add__(self, other: float) -> Number:
        return _counted(float.__add__(self, other))

    def __sub__(self, other: float) -> Number:
        return _counted(float.__sub__(self, other))

    def __mul__(self, other: Any) -> Any:
        return Table(other.values * self) if isinstance(other, Table) else _counted(float.__mul__(self, other))

    def __truediv__(self, other: float) -> Number:
        return _counted(float.__truediv__(self, other))

    def __neg__(self) -> Number:
        return Number(float.__neg__(self))

    def __abs__(self) -> Number:
        return Number(float.__abs__(self))


def _counted(value: float) -> Number:
    Operations.total += 1
    return Number(value)


class Table:
    """A vector or a matrix of numbers."""

    def __init__(self, values: Any) -> None:
        self.values = np.array(values, dtype=object)

    def __getitem__(self, index: Any) -> Any:
        found = self.values[index]
        return Table(found) if isinstance(found, np.ndarray) else found

    def __setitem__(self, index: Any, value: Any) -> None:
        self.values[index] = value.values if isinstance(value, Table) else value

    def __add__(self, other: Table) -> Table:
        return Table(self.values + other.values)

    def __sub__(self, other: Table) -> Table:
        return Table(self.values - other.values)

    def __neg__(self) -> Table:
        return Table(-self.values)

    def __mul__(self, other: Any) -> Table:
        return Table(self.values @ other.values if isinstance(other, Table) else self.values * other)

    def __truediv__(self, other: Number) -> Table:
        return Table(self.values / other)


def divided(a: Any, b: Any) -> Any:
    """a / b; of whole numbers without the remainder, as compiled code has it."""
    return int(a / b) if isinstance(a, int) and isinstance(b, int) else a / b


def copied(value: Any) -> Any:
    """A vector or matrix of its own; anything else as it is."""
    return Table(value.values) if isinstance(value, Table) else value


def passed_by_value(body: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gets copies of vectors and matrices, as compiled code does."""
    return lambda *given: body(*map(copied, given))


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers, or of the elements of vectors."""

    def call(*given: Any) -> Any:
        if isinstance(given[0], Table):
            return Table([function(*row) for row in zip(*(each.values for each in given), strict=True)])
        return function(*given)

    return call


def _call(function: Callable[..., float]) -> Callable[..., Number]:
    return lambda *given: _counted(function(*given))


def _dot(a: Table, b: Table) -> Any:
    return a.values @ b.values


def _cross(a: Table, b: Table) -> Table:
    return Table([a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))])


def _length(a: Table) -> Number:
    return _counted(math.sqrt(_dot(a, a)))


def _inverse(a: Table) -> Table:
    """By cofactors."""
    if len(a.values) == 2:
        (p, q), (r, s) = a.values
        return Table([[s, -q], [-r, p]]) * (Number(1.0) / (p * s - q * r))
    columns = [_cross(a[i], a[j]) for i, j in ((1, 2), (2, 0), (0, 1))]
    return Table(np.array([each.values for each in columns]).T) * (Number(1.0) / _dot(a[0], columns[0]))


def _clamp(value: Any, low: Any, high: Any) -> Any:
    return min(max(value, low), high)


LIKE_WARP = SimpleNamespace(
    func=passed_by_value, constant=lambda value: value, nan=math.nan,
    func_native=lambda snippet: lambda function: lambda at: at,  # records need one only: an index as it is
    vector=lambda *given: Table(given),
    matrix_from_rows=lambda *rows: Table([row.values for row in rows]),
    matrix_from_cols=lambda *columns: Table(np.array([column.values for column in columns]).T),
    diag=lambda a: Table(np.where(np.eye(len(a.values), dtype=bool), a.values, Number(0.0))),
    transpose=lambda a: Table(a.values.T), inverse=_inverse, outer=lambda a, b: Table(np.outer(a.values, b.values)),
    dot=_dot, cross=_cross, length=_length, normalize=lambda a: a / _length(a),
    cw_mul=lambda a, b: Table(a.values * b.values), cw_div=lambda a, b: Table(a.values / b.values),
    where=lambda which, a, b: a if which else b,
    min=_each(min), max=_each(max), abs=_each(abs), clamp=_each(_clamp),
    sign=lambda a: Number(math.copysign(1.0, a)), isfinite=math.isfinite,
    floor=lambda a: Number(math.floor(a)), ceil=lambda a: Number(math.ceil(a)), rint=lambda a: Number(round(a)),
    **{name: _call(getattr(math, name)) for name in ("sqrt", "sin", "cos", "exp", "atan2")},
)  # fmt: skip
"""What the kernels call by the name of `wp`."""
