"""The wheel, installed outside the tree into a fresh environment of each Python, and tried there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.release.report import Report

SMOKE = Path(__file__).with_name("smoke.py")
ASK = "import sys; print('.'.join(map(str, sys.version_info[:3])))"
OTHER_SYSTEMS = {"macOS, arm64": "macosx_14_0_arm64", "Windows, x86-64": "win_amd64"}
"""Systems by the name of their packages."""
LONGEST = 1800
"""Seconds after which something hangs [s]."""
NAMED_FILE = re.compile(r"^```yaml\n(.*# ([\w.-]+\.yaml))\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"^(?:<!-- run: (.*?) -->\n)?```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def find_pythons(versions: Sequence[str], named: str = "") -> tuple[dict[str, str], list[str]]:
    """Interpreters by version, and sentences about those that cannot be had.

    Args:
        versions: Versions that are supported, such as 3.11.
        named: Interpreters to take instead of those on PATH, separated by blanks.
    """
    found: dict[str, str] = {}
    missing: list[str] = []
    for name in named.split() or [f"python{version}" for version in versions]:
        place = shutil.which(name)
        if place is None:
            missing.append(f"{name} is not there.")
            continue
        done = subprocess.run([place, "-I", "-c", ASK], capture_output=True, text=True, check=False)
        said = done.stdout.strip()
        version = ".".join(said.split(".")[:2])
        if done.returncode:
            missing.append(f"{name} is on PATH but does not start.")
        elif version not in versions:
            missing.append(f"{name} is Python {said}; supported are {', '.join(versions)}.")
        else:
            found.setdefault(version, place)
    untried = [version for version in versions if version not in found]
    return found, [*missing, *(f"Python {version} was not tried." for version in untried)]


def readme_programs(text: str) -> list[str]:
    """The Python blocks of a page in their order, but for those that the page says not to run."""
    return [program for how, program in PROGRAM.findall(text) if not how.startswith(("no", "kept"))]


def readme_files(text: str) -> dict[str, str]:
    """Scenario files that a page shows, by the names in their first lines."""
    return {found[2]: f"{found[1]}\n{found[3]}" for found in NAMED_FILE.finditer(text)}


class Environment:
    """A fresh environment of one Python, with a cache of kernels of its own."""

    def __init__(self, python: str, folder: Path, kernels: Path) -> None:
        self.folder = folder
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        self.env |= {"WARP_CACHE_PATH": str(kernels), "MPLBACKEND": "Agg"}
        self._call([python, "-m", "venv", str(folder / "venv")], folder)
        self.bin = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")

    def pip_install(self, what: str) -> float:
        """Seconds that it took."""
        begun = time.perf_counter()
        quiet = ("--disable-pip-version-check", "--no-input", "-qq")
        self._call([str(self.bin / "python"), "-m", "pip", *quiet, "install", what], self.folder)
        return time.perf_counter() - begun

    def packages_bytes(self) -> int:
        """What the environment takes on disk."""
        return sum(file.stat().st_size for file in (self.folder / "venv").rglob("*") if file.is_file())

    def smoke(self, stage: str, version: str, front_page: str) -> dict[str, Any]:
        """Runs the smoke test in a folder far from the tree, which has the files of the front page; what it printed."""
        away = self.folder / f"away-{stage}"
        away.mkdir()
        for name, text in readme_files(front_page).items():
            (away / name).write_text(text, encoding="utf-8")
        program = shutil.copy(SMOKE, self.folder / "smoke.py")
        (self.folder / "programs.py").write_text("\n".join(readme_programs(front_page)), encoding="utf-8")
        call = [str(self.bin / "python"), "-I", str(program), stage, version, str(self.folder / "programs.py")]
        return dict(json.loads(self._call(call, away).strip().splitlines()[-1]))

    def _call(self, call: Sequence[str], cwd: Path) -> str:
        done = subprocess.run(
            call, cwd=cwd, env=getattr(self, "env", None), capture_output=True, text=True, check=False, timeout=LONGEST
        )
        if done.returncode:
            raise RuntimeError(" ".join((done.stderr or done.stdout).split())[-600:])
        return done.stdout


def try_wheel(wheel: Path, version: str, pythons: dict[str, str], workspace: Path, report: Report) -> None:
    """Installs and tries the wheel with each Python; with the core alone, then with all extras."""
    from benchmarks.release.contents import members

    metadata = next(text for name, text in members(wheel).items() if name.endswith(".dist-info/METADATA")).decode()
    programs = readme_programs(metadata)
    facts = report.facts.setdefault("pythons", {})
    for python, place in pythons.items():
        folder = workspace / f"python{python}"
        folder.mkdir()
        try:
            facts[python] = _tried(wheel, version, place, folder, metadata)
        except (RuntimeError, subprocess.TimeoutExpired, ValueError) as error:
            report.fault(f"Python {python}: {error}")
            continue
        core, every = facts[python]["core"], facts[python]["all"]
        demo, media = core["demo"], every["demo"]
        report.good(
            f"Python {facts[python]['python']}: installed in {core['install_s']:.0f} s ({core['megabytes']:.0f} MB; "
            f"with all extras {every['megabytes']:.0f} MB), the demo of {demo['simulated_s']:g} s in "
            f"{demo['wall_s']:.0f} s ({media['wall_s']:.0f} s with film and replay), "
            f"{len(programs)} programs of the front page in {every['readme_s']:.0f} s; "
            "what needs an extra says so in one line."
        )


def ask_for_other_systems(wheel: Path, python: str, workspace: Path, report: Report) -> None:
    """Whether pip finds packages of all dependencies for systems on which nothing is run here."""
    facts = report.facts.setdefault("other_systems", {})
    for system, platform in OTHER_SYSTEMS.items():
        options = ("--dry-run", "--only-binary=:all:", "--platform", platform, "--python-version", python)
        call = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq", "install", *options]
        done = subprocess.run(
            [*call, "--target", str(workspace / platform), f"{wheel}[all]"], capture_output=True, text=True, check=False
        )
        facts[system] = done.returncode == 0
        if facts[system]:
            report.good(
                f"{system}: packages of all dependencies can be had for Python {python}; nothing was run there."
            )
        else:
            report.left(f"{system}: {' '.join(done.stderr.split())[-300:]}")


def _tried(wheel: Path, version: str, python: str, folder: Path, front_page: str) -> dict[str, Any]:
    environment = Environment(python, folder, folder.parent / "kernels")
    found: dict[str, Any] = {}
    for stage, what in (("core", str(wheel)), ("all", f"{wheel}[all]")):
        seconds = environment.pip_install(what)
        said = environment.smoke(stage, version, front_page)
        found["python"] = said.pop("python")
        found[stage] = {"install_s": round(seconds, 1), "megabytes": round(environment.packages_bytes() / 1e6), **said}
    return found
