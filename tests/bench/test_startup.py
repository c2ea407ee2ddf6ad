"""The time of whole processes, and what is said of one that fails."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pushpoint.bench import startup
from pushpoint.errors import PushpointError

BUSY = "import time\nwhile time.process_time() < 0.5: pass"
ASLEEP = "import time; time.sleep(0.5)"


def test_waiting_does_not_count(tmp_path: Path) -> None:
    """A process that computes for half a second takes that long, one that sleeps as long takes less."""
    busy, asleep = (startup._processor_time(("-c", case), tmp_path) for case in (BUSY, ASLEEP))
    assert busy >= 0.499  # two clocks of the system, which may differ by a tick of the kernel, 1 ms
    assert asleep < busy


def test_every_case_has_a_median(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "CASES", {"python": ("-c", "pass"), "import": ("-c", "import pushpoint")})
    begun = time.perf_counter()
    timed = startup.run_bench(quick=True)
    assert set(timed) == {"repeats", "python_s", "import_s"} and timed["repeats"] == 3
    assert 0.0 < timed["python_s"] + timed["import_s"] < time.perf_counter() - begun


def test_a_process_that_fails_is_said(tmp_path: Path) -> None:
    with pytest.raises(PushpointError, match=r"^python -m pushpoint lost failed: error: No such command 'lost'"):
        startup._processor_time(("-m", "pushpoint", "lost"), tmp_path)
