"""How long the programs of docs/start/five-tasks.md are, and how long they take: each in a process of its own.

python benchmarks/five_tasks.py     prints JSON for `benchmarks/front_table.py five-tasks=FILE`
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

PAGE = Path(__file__).resolve().parents[1] / "docs" / "start" / "five-tasks.md"
CLICKS = 1
"""From the front page to the program: the link in its table opens the page, which holds all five."""


def tasks() -> list[tuple[str, str]]:
    """Heading and program of each task."""
    return re.findall(r"(?ms)^## ([^\n]*)$.*?^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"))


def lines_of(program: str) -> int:
    """Lines that are not empty."""
    return sum(bool(line.strip()) for line in program.splitlines())


def timed(program: str) -> float:
    """Seconds from the start of Python to its end."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - begin
    if done.returncode:
        sys.exit(f"error: a program failed:\n{done.stderr}")
    return seconds


def main() -> None:
    """Runs the tasks, each twice: the first run compiles the kernels."""
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    rows = [
        {
            "task": task,
            "lines": lines_of(program),
            "clicks": CLICKS,
            "seconds": min(timed(program), timed(program)),
            "on": machine,
        }
        for task, program in tasks()
    ]
    print(json.dumps({"tasks": rows}, indent=1))


if __name__ == "__main__":
    main()
