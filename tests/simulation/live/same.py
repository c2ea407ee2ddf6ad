"""Compares runs bit for bit."""

from __future__ import annotations

import xarray as xr


def assert_same(run: xr.Dataset, other: xr.Dataset) -> None:
    """Raises AssertionError unless two runs have the same variables, bits and attributes."""
    assert set(run.variables) == set(other.variables)
    for name in run.variables:
        one, two = run[name], other[name]
        assert one.dims == two.dims and one.shape == two.shape, name
        assert one.values.tobytes() == two.values.tobytes(), name
    assert run.attrs == other.attrs
