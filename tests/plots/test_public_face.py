"""`pp.plots`: light to import, each figure by its name, whatever else was imported, and any world of a batch."""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from matplotlib.figure import Figure

import pushpoint as pp
from pushpoint import plots
from pushpoint.errors import InvalidModel

OF_ANY_RUN = ("contacts", "course", "health", "joints", "motors", "paths")
MODULES = sorted(info.name for info in pkgutil.walk_packages(plots.__path__, "pushpoint.plots."))


@pytest.fixture(scope="module")
def batch() -> xarray.Dataset:
    worlds = [pp.scenario(f"transeth2008a/{name}").world for name in ("obstacle-aided", "small-obstacles")]
    return pp.simulate(worlds, duration=0.1)


def fresh(code: str) -> str:
    """What a fresh interpreter prints."""
    source = os.pathsep.join(filter(None, [str(Path(pp.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    environment = os.environ | {"PYTHONPATH": source}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_plots_does_not_load_matplotlib() -> None:
    loaded = "print([name for name in ('matplotlib', 'numpy', 'scipy') if name in sys.modules])"
    assert fresh(f"import sys, pushpoint.plots as plots; plots.__all__, dir(plots); {loaded}") == "[]"


def test_a_name_is_the_function_whatever_was_imported_before() -> None:
    for module in MODULES:
        import_module(module)
    for name in plots.__all__:
        made: Any = getattr(pp.plots, name)
        assert callable(made) and made.__module__.startswith("pushpoint.plots."), name
    taken = {module.removeprefix("pushpoint.plots.").split(".")[0] for module in MODULES}
    assert taken & set(plots.__all__) == set()  # a module of that name would hide the function once it is imported


@pytest.mark.parametrize("module", [module for module in MODULES if module.endswith((".course", ".sweep", "page"))])
def test_a_fresh_interpreter_finds_the_function_after_a_module(module: str) -> None:
    assert fresh(f"import {module}, pushpoint as pp; print(pp.plots.course.__name__, callable(pp.plots.sweep))") == (
        "course True"
    )


def test_a_misspelt_figure_is_named() -> None:
    with pytest.raises(AttributeError, match=r"module 'pushpoint\.plots' has no attribute 'curse'"):
        _ = plots.curse  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", OF_ANY_RUN)
def test_each_figure_shows_the_world_asked_for(batch: xarray.Dataset, name: str) -> None:
    draw: Callable[..., Figure] = getattr(plots, name)
    for world in (0, 1):
        header = draw(batch, world=world).axes[0]
        assert any(f"(world {world} of 2)" in text.get_text() for text in header.texts)
    with pytest.raises(InvalidModel, match=r"^world = 2, must be 0 to 1$"):
        draw(batch, world=2)
    with pytest.raises(InvalidModel, match=r"^world = 1, must be 0 to 0$"):
        draw(batch.isel(world=0), world=1)


def test_the_course_of_another_world_has_its_own_pegs(batch: xarray.Dataset) -> None:
    radii = []
    for world in (0, 1):
        (axes,) = (axes for axes in plots.course(batch, world=world).axes if axes.get_label() == "posture 0")
        radii.append({round(float(patch.radius), 6) for patch in axes.patches if hasattr(patch, "radius")})
    assert radii[0] != radii[1]


def test_figures_open_no_window_and_keep_no_state(batch: xarray.Dataset) -> None:
    for name in OF_ANY_RUN:
        getattr(plots, name)(batch)
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


def test_a_figure_is_written_whole(batch: xarray.Dataset, tmp_path: Path) -> None:
    written = plots.save_figure(plots.joints(batch), tmp_path / "joints.png")
    assert written.read_bytes().startswith(b"\x89PNG") and np.all([file == written for file in tmp_path.iterdir()])
