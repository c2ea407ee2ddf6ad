"""Reading and writing one element of a plane.

The compiler knows the size of an element and that planes are whole. Warp's own indexing looks strides of 64 bits up and
counts from the end, too: half of the instructions of a step on a GPU were spent on such addresses.
"""

from typing import Any

import warp as wp


def _access(dtype: Any) -> tuple[Any, Any]:
    """Reading and writing for one type."""

    @wp.func_native("assert(at < plane.shape[0]); return plane.data[at];")
    def element_of(plane: wp.array(dtype=dtype), at: int) -> dtype: ...

    @wp.func_native("assert(at < plane.shape[0]); plane.data[at] = value;")
    def set_element(plane: wp.array(dtype=dtype), at: int, value: dtype): ...

    return element_of, set_element


def _types() -> list[Any]:
    """Those of the fields of records."""
    found: list[Any] = [wp.int32]
    for real in (wp.float64, wp.float32):
        found += [real, *(wp.types.vector(n, real) for n in (2, 3, 4))]
        found += [wp.types.matrix((n, n), real) for n in (2, 3)]
    return found


element_of, set_element = _access(_types()[0])
"""The element of a plane at an index; and writes it. One function each for all types of fields."""
for _type in _types()[1:]:
    for _all, _one in zip((element_of, set_element), _access(_type), strict=True):
        _all.add_overload(_one)
