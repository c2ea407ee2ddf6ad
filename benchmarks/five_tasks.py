"""How long the programs of docs/start/five-tasks.md are, and how long they take: each in a process of its own.

python benchmarks/five_tasks.py [NUMBER ...]     prints JSON for `benchmarks/front_table.py five-tasks=FILE`
python benchmarks/five_tasks.py 5 --log FILE     also keeps the program and what it printed, as a log
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import warp as wp

from pushpoint.engine.devices import start_warp

PAGE = Path(__file__).resolve().parents[1] / "docs" / "start" / "five-tasks.md"
CLICKS = 1
"""From the front page to the program: the link in its table opens the page, which holds all five."""


def tasks() -> list[tuple[str, str]]:
    """Heading and program of each task."""
    return re.findall(
        r"^## (.*?)$.*?^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def lines_of(program: str) -> int:
    """Lines that are not empty."""
    return sum(bool(line.strip()) for line in program.splitlines())


def timed(program: str) -> tuple[float, str]:
    """Seconds from the start of Python to its end, and what was printed."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - begin
    if done.returncode:
        sys.exit(f"error: a program failed:\n{done.stderr}")
    return seconds, done.stdout


def main() -> None:
    """Runs the tasks that are named by number, or all that need no GPU, or all where there is one."""
    names = [argument for argument in sys.argv[1:] if argument.isdigit()]
    log = Path(sys.argv[sys.argv.index("--log") + 1]) if "--log" in sys.argv else None
    start_warp()
    device = wp.get_device("cuda:0").name if wp.is_cuda_available() else None
    rows = []
    for number, (task, program) in enumerate(tasks(), start=1):
        on_gpu = "cuda" in program
        if (names and str(number) not in names) or (on_gpu and device is None):
            continue
        timed(program)  # compiles the kernels
        seconds, printed = timed(program)
        where = f"{device if on_gpu else 'CPU'}, Python {platform.python_version()}"
        rows.append({"task": task, "lines": lines_of(program), "clicks": CLICKS, "seconds": seconds, "on": where})
        if log is not None:
            log.write_text(f"# {task}: {seconds:.1f} s on {where}\n{program}\n# printed:\n{printed}", encoding="utf-8")
    print(json.dumps({"tasks": rows}, indent=1))


if __name__ == "__main__":
    main()
