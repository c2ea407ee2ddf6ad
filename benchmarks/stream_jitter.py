"""How well `pushpoint stream` keeps its times: jitter and latency against a simulated robot on loopback; prints JSON.

    python benchmarks/stream_jitter.py > docs/results/stream-jitter.json      about two minutes

The robot is the command in a process of its own. Rates are those of drivers of hobby servos up to that of the fastest
buses.
The figures are those of one machine, and of what else it does: the load of its processors is written down as well.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from math import isfinite
from typing import Any

import pushpoint as pp
from pushpoint.interchange import Commander, Datagrams, StreamReport, command_robot

NAME = "liljeback2011/environment-1-continuous"
RATES = (20.0, 50.0, 100.0, 250.0, 500.0, 1000.0)
"""Lines per second [Hz]; at the last ones it is tried how far it goes."""


def streamed(rate: float, duration: float) -> StreamReport:
    """What a stream at one rate comes to."""
    free = Datagrams("127.0.0.1:0", listen=True)
    address = f"127.0.0.1:{free.port}"
    free.close()
    words = [sys.executable, "-m", "pushpoint", "stream", NAME, "--robot", "--rate", str(rate), "--udp", address]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as robot:
        assert robot.stderr is not None
        robot.stderr.readline()  # it is ready
        line = Datagrams(address, listen=False)
        world = pp.scenario(NAME).world
        found = command_robot(Commander(world, rate=rate), line, duration=duration)
        line.close()
    return found


def row(rate: float, found: StreamReport) -> dict[str, Any]:
    """A row of the table: milliseconds, and shares of the period."""
    late, answer = ([_rounded(1e3 * each) for each in figures] for figures in (found.jitter, found.latency))
    return {
        "rate_hz": rate,
        "ended": found.ended,
        "lines": found.sent,
        "late_ms_95": late[0],
        "late_ms_most": late[1],
        "answer_ms_median": answer[0],
        "answer_ms_95": answer[1],
        "answer_ms_most": answer[2],
        "thinking_ms_median": _rounded(1e3 * found.thinking[0]),
        "periods_without_news": found.without_news,
        "periods_skipped": found.skipped,
        "dropped": found.dropped,
        "finished": found.finished,
    }


def _rounded(value: float) -> float | None:
    """To a microsecond; None where nothing was measured."""
    return round(value, 3) if isfinite(value) else None


def main() -> None:
    """Prints the figures of all rates."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--duration", type=float, default=20.0, help="seconds at each rate")
    asked = parser.parse_args()
    rows = [row(rate, streamed(rate, asked.duration)) for rate in RATES]
    about = {
        "controller": NAME,
        "machine": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load": [round(each, 1) for each in os.getloadavg()],
        "niceness": os.nice(0),
        "python": platform.python_version(),
    }
    print(json.dumps(about | {"duration_s": asked.duration, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
