"""A study on a scheduler that was started by hand, on the loopback address."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pushpoint.studies import RandomDesign, Range, Study, load_table
from pushpoint.studies.running.cluster import NoWorkers
from pushpoint.studies.running.driving import run_study
from studies.small_study import FIELDS, small_study

pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


class Started(NamedTuple):
    """A scheduler with one worker."""

    address: str
    scheduler: subprocess.Popen[bytes]
    worker: subprocess.Popen[bytes]
    more: Callable[[], subprocess.Popen[bytes]]
    """Starts another worker."""


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    where, dask = tmp_path / "scheduler.json", [sys.executable, "-m", "dask"]
    local = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(where)]
    with ExitStack() as stack:

        def start(*words: str) -> subprocess.Popen[bytes]:
            process = stack.enter_context(subprocess.Popen([*dask, *words, *local], stderr=subprocess.DEVNULL))
            stack.callback(process.terminate)
            return process

        def more() -> subprocess.Popen[bytes]:
            return start("worker", "--nthreads", "1", "--no-nanny")

        scheduler, worker = start("scheduler", "--port", "0"), more()
        patience = time.monotonic() + 30.0
        while not where.is_file() and time.monotonic() < patience:
            time.sleep(0.05)
        yield Started(json.loads(where.read_text(encoding="utf-8"))["address"], scheduler, worker, more)


def test_a_study_runs_on_workers_that_others_have_started(started: Started, tmp_path: Path) -> None:
    scheduler = started.address
    assert scheduler.startswith("tcp://127.0.0.1:")
    found = small_study().run(tmp_path / "far", scheduler=scheduler)
    alone = small_study().run(tmp_path / "alone")
    assert found.standing.simulated == 6 and found.table.read_bytes() == alone.table.read_bytes()
    assert small_study().run(tmp_path / "far", scheduler=scheduler).standing.reused == 6
    assert set(load_table(tmp_path / "far").status.values) == {"finished"}


def many() -> Study:
    varies = [Range(field=FIELDS[0], low=20.0, high=60.0)]
    return small_study(varies=varies, design=RandomDesign(count=60), batch=5)


def test_a_worker_that_comes_after_the_only_one_was_killed_ends_the_study(started: Started, tmp_path: Path) -> None:
    def watch(standing: Any) -> None:
        if standing.simulated == 20:
            started.worker.kill()
            started.more()

    found = run_study(many(), tmp_path / "far", scheduler=started.address, watch=watch)
    assert found.lost == {} and found.standing.simulated == 60
    assert found.table.read_bytes() == many().run(tmp_path / "alone").table.read_bytes()


def test_a_scheduler_that_ends_is_a_sentence_and_what_is_finished_is_kept(started: Started, tmp_path: Path) -> None:
    def watch(standing: Any) -> None:
        if standing.simulated == 20:
            started.scheduler.kill()

    with pytest.raises(NoWorkers, match=r"scheduler tcp://127\.0\.0\.1:\d+ is gone .*; what is finished is kept"):
        run_study(many(), tmp_path / "far", scheduler=started.address, watch=watch)
    assert 20 <= many().run(tmp_path / "far").standing.reused < 60
