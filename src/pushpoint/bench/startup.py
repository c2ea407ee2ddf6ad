"""How long the command line takes to start: processor time of whole processes, with kernels compiled before."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pushpoint.bench.timing import alternate
from pushpoint.errors import PushpointError

RUN = ("-m", "pushpoint", "run")
LIBRARIES = "numpy, warp, xarray, h5netcdf, pydantic, typer, rich.progress, rich.table"
"""Those that no run does without; pandas comes with xarray, h5py with h5netcdf."""
WITHOUT_DASK = "import sys; sys.modules['dask'] = None; from pushpoint.__main__ import main; sys.exit(main())"
"""The command as an installation without the extra `studies` runs it: where Dask is installed, xarray loads it."""
CASES: dict[str, Sequence[str]] = {
    "python": ("-c", "pass"),
    "import": ("-c", "import pushpoint"),
    "help": ("-m", "pushpoint", "--help"),
    "list": ("-m", "pushpoint", "list"),
    "libraries": ("-c", f"import {LIBRARIES}; warp.init()"),
    "run_planar": (*RUN, "transeth2008a/obstacle-aided", "--no-media"),
    "run_spatial": (*RUN, "transeth2008b/sidewinding", "--no-media"),
    "run_planar_without_dask": ("-c", WITHOUT_DASK, "run", "transeth2008a/obstacle-aided", "--no-media"),
    "run_spatial_without_dask": ("-c", WITHOUT_DASK, "run", "transeth2008b/sidewinding", "--no-media"),
}
"""What is timed, as arguments of Python."""


def run_bench(*, quick: bool = False) -> dict[str, Any]:
    """Median processor time of each case [s], in alternation; quick: fewer repeats."""
    repeats = 3 if quick else 9
    with tempfile.TemporaryDirectory() as folder:
        rivals = [partial(_processor_time, case, Path(folder)) for case in CASES.values()]
        times = alternate(repeats, *rivals)
    return {"repeats": repeats} | {f"{name}_s": time for name, time in zip(CASES, times, strict=True)}


def _processor_time(case: Sequence[str], folder: Path) -> float:
    """User and system time of a new Python process that works in a folder [s]."""
    source = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH", "")]))
    # Installed packages have their bytecode beside them. So that a source tree has, too, the folder keeps it.
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = usual | {"PYTHONPATH": path, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    before = _used_by_children()
    done = subprocess.run(
        [sys.executable, *case], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    taken = _used_by_children() - before
    if done.returncode != 0:
        reason = (done.stderr.splitlines() or [f"exit status {done.returncode}"])[-1]
        raise PushpointError(f"python {' '.join(case)} failed: {reason}")
    return taken


def _used_by_children() -> float:
    """Processor time of all processes started here that have ended [s]; `os.times` knows it in hundredths only."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
