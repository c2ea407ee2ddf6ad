"""A study on a scheduler that was started by hand, on the loopback address."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pushpoint.studies import load_table
from studies.small_study import small_study

pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """The address of a scheduler with one worker."""
    where, dask = tmp_path / "scheduler.json", [sys.executable, "-m", "dask"]
    local = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(where)]
    with ExitStack() as stack:

        def started(*words: str) -> subprocess.Popen[bytes]:
            process = stack.enter_context(subprocess.Popen([*dask, *words], stderr=subprocess.DEVNULL))
            stack.callback(process.terminate)
            return process

        started("scheduler", "--port", "0", *local)
        started("worker", "--nthreads", "1", "--no-nanny", *local)
        patience = time.monotonic() + 30.0
        while not where.is_file() and time.monotonic() < patience:
            time.sleep(0.05)
        yield json.loads(where.read_text(encoding="utf-8"))["address"]


def test_a_study_runs_on_workers_that_others_have_started(scheduler: str, tmp_path: Path) -> None:
    assert scheduler.startswith("tcp://127.0.0.1:")
    found = small_study().run(tmp_path / "far", scheduler=scheduler)
    alone = small_study().run(tmp_path / "alone")
    assert found.standing.simulated == 6 and found.table.read_bytes() == alone.table.read_bytes()
    assert small_study().run(tmp_path / "far", scheduler=scheduler).standing.reused == 6
    assert set(load_table(tmp_path / "far").status.values) == {"finished"}
