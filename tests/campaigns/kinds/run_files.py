"""Run files: bytes damaged at random, and sound files with other attributes, variables or dimensions in them.

Damage is told by the seal, always. What is loaded is used: world, scenario, measures, health, now and then a figure.
Files that were damaged and sealed again, which only a forger does, are a kind of their own: the library that reads
them, HDF5, does not survive all of them.
"""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

import pushpoint as pp
from campaigns.broken_texts import (
    NASTY,
    Random,
    any_of,
    broken_document,
    broken_text,
    flipped,
    overwritten,
    shortened,
)
from campaigns.campaign import kind
from pushpoint.errors import BadFile
from pushpoint.simulation.health import health_of, warnings_of
from pushpoint.simulation.measures import per_motor, summary
from pushpoint.simulation.seals import LENGTH, seal

TEXTS = ("description", "status", "status_code", "world_status", "world_health", "warnings", "kernels", "versions")
ODD_TEXTS = ("[" * 5000, "{}", "[]", "null", "[1]", '["x"]', '[{"steps": NaN}]')
NUMBERS = ("float32", "int8", "S3", "U4", "float16", "int64")
DRAW_EVERY = 10
"""One loaded run in so many is drawn [-]."""


@cache
def runs() -> tuple[xr.Dataset, ...]:
    """Sound runs: planar with obstacles, spatial, and a batch."""
    planar, spatial = pp.scenario("transeth2008a/obstacle-aided"), pp.scenario("spatial/rubble")
    few = pp.Record(rate=200.0)
    batch = pp.simulate([planar.world] * 2, 0.02, settings=planar.settings, record=few)
    return planar.with_changes(duration=0.05).run(), spatial.with_changes(duration=0.02).run(), batch


@cache
def files() -> tuple[bytes, ...]:
    """The same as files."""
    with tempfile.TemporaryDirectory() as folder:
        return tuple(pp.save(run, Path(folder) / "run.nc").read_bytes() for run in runs())


@kind("damaged run files", full=20_000, short=100, limit=20.0)
def damaged(seed: int) -> str:
    """A run file with bits turned over, bytes overwritten, or cut short: refused before a library reads it."""
    random = np.random.default_rng((seed, 17))
    whole = any_of(random, files())
    data = any_of(random, (flipped, overwritten, shortened))(random, whole)
    if data == whole:
        return "unchanged"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.nc"
        file.write_bytes(data)
        try:
            pp.load(file)
        except BadFile as error:
            assert "seal" in error.reason, f"told by a library: {error}"
            raise
    raise AssertionError("damage that was not told")


@kind("forged run files", full=500, short=0, limit=20.0)
def forged(seed: int) -> str:
    """A run file that was damaged and sealed again: HDF5 may end or hang the process."""
    random = np.random.default_rng((seed, 18))
    data = any_of(random, (flipped, overwritten, shortened))(random, any_of(random, files())[:-LENGTH])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.nc"
        file.write_bytes(data)
        with file.open("r+b") as opened:
            seal(opened)
        return used(pp.load(file), draws=False)


@kind("run files", full=20_000, short=6, limit=60.0)
def trial(seed: int) -> str:
    """A run with another attribute, variable or dimension in it, saved, loaded and used."""
    random = np.random.default_rng((seed, 19))
    run = any_of(random, CHANGES)(random, any_of(random, runs()))
    with tempfile.TemporaryDirectory() as folder:
        loaded = pp.load(pp.save(run, Path(folder) / "run.nc"))
    return used(loaded, draws=seed % DRAW_EVERY == 0)


def used(run: xr.Dataset, *, draws: bool) -> str:
    """Everything that a run is for; the first refusal ends it."""
    health_of(run)
    warnings_of(run)
    pp.world_of(run)
    pp.scenario_of(run)
    one = run.isel(world=0) if "world" in run.dims else run
    summary(one)
    per_motor(one)
    if draws:
        pp.plots.course(one)
    return "used"


def _text(random: Random, run: xr.Dataset) -> xr.Dataset:
    name = any_of(random, TEXTS)
    return run.assign_attrs({name: any_of(random, (*ODD_TEXTS, *filter(_storable, NASTY)))})


def _storable(value: Any) -> bool:
    return isinstance(value, float | str) or (isinstance(value, int) and abs(value) < 2**63)


def _broken_attribute(random: Random, run: xr.Dataset) -> xr.Dataset:
    name = any_of(random, ("description", "world_status", "world_health"))
    data = broken_text(random, run.attrs[name])
    return run.assign_attrs({name: data.decode("utf-8", errors="replace").replace("\0", "?")})


def _description(random: Random, run: xr.Dataset) -> xr.Dataset:
    changed = broken_document(random, json.loads(run.attrs["description"]))
    return run.assign_attrs(description=json.dumps(changed))


def _without(random: Random, run: xr.Dataset) -> xr.Dataset:
    names = list(map(str, run.variables))
    return run.drop_vars([any_of(random, names) for _ in range(int(random.integers(1, 4)))], errors="ignore")


def _renamed(random: Random, run: xr.Dataset) -> xr.Dataset:
    one, other = any_of(random, list(run.data_vars)), any_of(random, list(run.data_vars))
    return run.drop_vars(other).rename({one: other}) if one != other else run


def _retyped(random: Random, run: xr.Dataset) -> xr.Dataset:
    name, kind_ = (
        any_of(random, list(run.data_vars)),
        any_of(random, ("float32", "int8", "S3", "U4", "float16", "int64")),
    )
    with np.errstate(all="ignore"):
        return run.assign({name: (run[name].dims, np.nan_to_num(run[name].values, posinf=1, neginf=1).astype(kind_))})


def _revalued(random: Random, run: xr.Dataset) -> xr.Dataset:
    name = any_of(random, [*run.data_vars, "time"])
    values = run[name].values.astype(float)
    share = random.random(values.shape) < any_of(random, (0.01, 0.5, 1.1))
    values[share] = any_of(random, (np.nan, np.inf, -np.inf, 1e308, -1e300, 0.0, 1e-320))
    return run.assign({name: (run[name].dims, values)})


def _cut(random: Random, run: xr.Dataset) -> xr.Dataset:
    dim = any_of(random, list(run.dims))
    chosen = any_of(random, (0, slice(0, 0), slice(0, 1), slice(None, None, -1)))
    return run.isel({dim: chosen})


def _swapped(random: Random, run: xr.Dataset) -> xr.Dataset:
    name = any_of(random, [name for name, each in run.data_vars.items() if each.ndim > 1] or list(run.data_vars))
    return run.assign({name: run[name].transpose()})


CHANGES = (
    _text,
    _broken_attribute,
    _description,
    _description,
    _without,
    _renamed,
    _retyped,
    _revalued,
    _cut,
    _swapped,
)
