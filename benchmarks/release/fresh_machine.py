"""What a person meets on a fresh machine: clone, make setup, make demo, make test, make docs, with cold caches.

python -m benchmarks.release.fresh_machine [SOURCE] [--python python3.12] [--folder EMPTY] [--keep docs/results]

SOURCE is what `git clone` takes, this tree if none is named; only what is committed is tried. The home, and with it all
caches, is a new one; settings such as pip's are kept. After every step times and sizes go to KEEP/fresh-machine.json
and what was printed to KEEP/logs/fresh-machine.txt, so that an interruption loses one step only. The exit status is 1
if a step failed; the steps after it are tried all the same.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
STEPS = ("setup", "demo", "test", "docs")
LONGEST = 7200.0
"""Time after which a step is ended [s]."""
LAST_LINES = 12
SPACE = 5e9
"""What it needs of the disk [B]."""
SIZES = (".git", "src", ".venv", "out/demo", "out/docs")
DROPPED = (
    *("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"),
    *("WARP_CACHE_PATH", "MPLCONFIGDIR", "XDG_CACHE_HOME", "PIP_CACHE_DIR"),
)
"""What would lead to warm caches or to another tree."""


ADDRESS = re.compile(r"\b(?:https?|file)://\S+")
"""Where this machine has its packages from is nobody else's business."""


class Done(NamedTuple):
    """What became of a command."""

    status: int
    seconds: float
    output: str


def fresh_environment(folder: Path) -> dict[str, str]:
    """The environment of somebody who has just got this machine: a new home, no caches, the machine's settings."""
    home, cache = folder / "home", folder / "home" / ".cache"
    cache.mkdir(parents=True)
    kept = {name: value for name, value in os.environ.items() if name not in DROPPED}
    settings = [Path.home() / place for place in (".config/pip/pip.conf", ".pip/pip.conf")]
    named = next((str(file) for file in settings if file.is_file()), "")
    fresh = {"HOME": str(home), "XDG_CACHE_HOME": str(cache), "PIP_CACHE_DIR": str(cache / "pip"), "MPLBACKEND": "Agg"}
    # A clone of a tree that belongs to somebody else is refused unless git is told that it is known.
    git = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    return kept | fresh | git | ({"PIP_CONFIG_FILE": named} if named and "PIP_CONFIG_FILE" not in kept else {})


def interpreter(python: str) -> str:
    """The interpreter itself: a launcher may look for it in the home, which will be another."""
    ask = [python, "-c", "import sys; print(sys.executable)"]
    try:
        done = subprocess.run(ask, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def go_through(call: Sequence[str], cwd: Path, env: Mapping[str, str], longest: float = LONGEST) -> Done:
    """Runs a command to its end, or ends it and its children when it takes too long."""
    begun = time.perf_counter()
    with tempfile.TemporaryFile(mode="w+", encoding="utf-8", errors="replace") as said:
        process = subprocess.Popen(
            call, cwd=cwd, env=dict(env), stdout=said, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        try:
            status = process.wait(timeout=longest)
        except subprocess.TimeoutExpired:
            status = 124
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        said.seek(0)
        return Done(status, time.perf_counter() - begun, said.read())


def step_facts(command: str, done: Done) -> dict[str, Any]:
    """A step for the JSON document."""
    facts = {"command": command, "status": done.status, "seconds": round(done.seconds, 1)}
    counted = re.findall(r"\d+ passed[^\n]*?(?= in [\d.]+s)", done.output)
    return facts | ({"tests": counted[-1]} if counted else {})


def megabytes(folder: Path) -> float:
    """What a folder holds; links are not followed."""
    files = (file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return round(sum(file.stat().st_size for file in files) / 1e6, 2)


def machine(python: str) -> dict[str, Any]:
    """Processor, cores, system and the Python that make is given."""
    cpuinfo = Path("/proc/cpuinfo")
    named = re.search(r"^model name\s*:\s*(.+)$", cpuinfo.read_text() if cpuinfo.is_file() else "", re.MULTILINE)
    said = subprocess.run([python, "--version"], capture_output=True, text=True, check=False)
    return {
        "processor": named[1] if named else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": (said.stdout or said.stderr).strip(),
    }


class Log:
    """What is kept, written again after every step; folders of this machine are left out."""

    def __init__(self, keep: Path, folder: Path, facts: dict[str, Any]) -> None:
        self.keep, self.folder, self.facts, self.lines = keep, folder, facts, list[str]()
        (keep / "logs").mkdir(parents=True, exist_ok=True)

    def add(self, command: str, done: Done) -> None:
        facts = step_facts(command, done)
        self.facts["steps"].append(facts)
        said = done.output.rstrip().splitlines()
        cut = [f"... {len(said) - LAST_LINES} lines ..."] if len(said) > LAST_LINES else []
        end = f"# ended with {done.status} after {done.seconds:.0f} s"
        self.lines += [f"$ {command}", *cut, *said[-LAST_LINES:], end, ""]
        word = "ok" if done.status == 0 else f"failed ({done.status})"
        print(f"{command:12} {word:12} {done.seconds:8.0f} s", flush=True)
        self.write()

    def write(self) -> None:
        clone, home = str(self.folder / "pushpoint"), str(self.folder / "home")
        lines = [ADDRESS.sub("...", line) for line in self.lines if not line.startswith("Looking in ")]
        text = "\n".join(lines).replace(clone, ".").replace(home, "~").replace(str(self.folder), "..")
        (self.keep / "logs" / "fresh-machine.txt").write_text(text, encoding="utf-8")
        document = json.dumps(self.facts, indent=1, ensure_ascii=False) + "\n"
        (self.keep / "fresh-machine.json").write_text(document, encoding="utf-8")


def try_all(source: str, folder: Path, python: str, keep: Path) -> int:
    """Clones and goes through all steps; returns the exit status."""
    env = fresh_environment(folder)
    tree = folder / "pushpoint"
    cloned = go_through(["git", "clone", "--quiet", source, str(tree)], folder, env)
    if cloned.status:
        print(f"error: {source} cannot be cloned: {' '.join(cloned.output.split())}", file=sys.stderr)
        return 2
    commit = go_through(["git", "rev-parse", "--short", "HEAD"], tree, env).output.strip()
    facts = {"date": time.strftime("%Y-%m-%d"), "commit": commit, "machine": machine(python), "steps": []}
    log = Log(keep, folder, facts)
    for step in STEPS:
        log.add(f"make {step}", go_through(["make", step, f"PYTHON={python}"], tree, env))
    sizes = {name: megabytes(tree / name) for name in SIZES}
    sizes |= {"downloads": megabytes(folder / "home/.cache/pip"), "kernels": megabytes(folder / "home/.cache/warp")}
    passed = all(step["status"] == 0 for step in facts["steps"])
    facts |= {"megabytes": sizes, "passed": passed}
    log.write()
    print(json.dumps(facts, indent=1, ensure_ascii=False))
    return 0 if passed else 1


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Clone, make setup, demo, test and docs on a fresh machine.")
    parser.add_argument("source", nargs="?", default=str(ROOT), help="what git clone takes; this tree if none is named")
    parser.add_argument("--python", default="python3", help="the Python that make is given")
    parser.add_argument("--folder", type=Path, help="an empty folder to work in, left as it is at the end")
    parser.add_argument("--keep", type=Path, default=ROOT / "docs" / "results", help="where times, sizes and log go")
    options = parser.parse_args(arguments)
    python = interpreter(options.python)
    if not python:
        print(f"error: {options.python} does not start; name another one: --python python3.12", file=sys.stderr)
        return 2
    source = str(Path(options.source).resolve()) if Path(options.source).exists() else options.source
    if options.folder is None:
        with tempfile.TemporaryDirectory(prefix="pushpoint-fresh-", ignore_cleanup_errors=True) as folder:
            return try_all(source, Path(folder), python, options.keep.resolve())
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        print(f"error: {options.folder} is not empty; name an empty folder", file=sys.stderr)
        return 2
    if shutil.disk_usage(folder).free < SPACE:
        print(f"error: {options.folder} needs {SPACE / 1e9:g} GB of free disk", file=sys.stderr)
        return 2
    return try_all(source, folder, python, options.keep.resolve())


if __name__ == "__main__":
    sys.exit(main())
