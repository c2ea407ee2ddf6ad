"""How well `pushpoint stream` keeps its times: jitter and latency against a simulated robot on loopback; prints JSON.

    python benchmarks/stream_jitter.py > docs/results/stream-jitter.json      about two minutes

The robot is the command in a process of its own. Rates are those of drivers of hobby servos up to those of CAN buses.
The figures are those of one machine, and of what else it does: the load of its processors is written down as well.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from typing import Any

import pushpoint as pp
from pushpoint.interchange import Commander, Datagrams, StreamReport, command_robot

NAME = "liljeback2011/environment-1-continuous"
RATES = (20.0, 50.0, 100.0, 250.0)
"""Lines per second [Hz]."""


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
    return {
        "rate_hz": rate,
        "lines": found.sent,
        "late_ms_95": round(1e3 * found.jitter[0], 3),
        "late_ms_most": round(1e3 * found.jitter[1], 3),
        "answer_ms_median": round(1e3 * found.latency[0], 3),
        "answer_ms_95": round(1e3 * found.latency[1], 3),
        "answer_ms_most": round(1e3 * found.latency[2], 3),
        "periods_without_news": found.without_news,
        "periods_skipped": found.skipped,
        "dropped": found.dropped,
        "finished": found.finished,
    }


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
