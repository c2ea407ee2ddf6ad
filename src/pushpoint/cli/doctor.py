"""`pushpoint doctor`: what this machine has, whether a run really works on it, and what to do where it does not."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
import textwrap
import time
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from pushpoint.cli.outputs import FAILED, AsJson
from pushpoint.errors import PushpointError, in_bytes, one_line

LEAST_MEMORY, LEAST_DISK = 500_000_000, 200_000_000
"""What must be free for small runs, and for compiled kernels and results [bytes]."""
NOT_FOR_USERS = ("all", "dev", "docs")
"""Extras that are not listed."""
NAMES = {"warp-lang": "Warp", "numpy": "NumPy", "scipy": "SciPy"}
"""How libraries call themselves, where that is not the name of their package."""
SIMULATED = 0.5
"""Duration of the trial run [s]."""


class Trouble(NamedTuple):
    """Something that is needed and does not work."""

    sentence: str
    cure: str
    """What to do about it, often a command."""


def doctor(
    device: Annotated[str, typer.Option(metavar="NAME", help="Where the trial run is made: cpu or cuda:0.")] = "cpu",
    as_json: AsJson = False,
) -> None:
    """Check that pushpoint works on this machine.

    Lists versions, devices, the cache of compiled kernels, extras and what is free, and makes a small trial run. Exits
    with 1 if something that is needed does not work, and says what to do about it.
    """
    with contextlib.suppress(ImportError):  # what is missing is said below
        from pushpoint.engine.devices import check_device

        check_device(device)
    problems: list[Trouble] = []
    found: dict[str, Any] = {
        "versions": _versions(problems),
        "devices": _devices(),
        "cache": _cache(problems),
        "extras": _extras(),
        "ffmpeg": _ffmpeg(),
        "free": _free(problems),
    }
    found["trial"] = _trial(device, found["cache"], problems)
    found |= {"sound": not problems, "problems": [problem._asdict() for problem in problems]}
    if as_json:
        typer.echo(json.dumps(found))
    else:
        _print(found)
    if problems:
        if not as_json:
            typer.echo(f"error: {len(problems)} problem{'s'[: len(problems) != 1]} found", err=True)
        raise typer.Exit(FAILED)


def installed_version(package: str) -> str | None:
    """Version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _requirements() -> list[tuple[str, str, str]]:
    """What pushpoint needs: package, bounds, and the extra that it belongs to, which may be empty."""
    with contextlib.suppress(PackageNotFoundError):
        parts = [
            re.match(r"([\w.-]+)(?:\[[^]]*\])?([^;]*)(?:;.*extra == \W(\w+))?", each)
            for each in requires("pushpoint") or ()
        ]
        return [(part[1], part[2].strip(), part[3] or "") for part in parts if part]
    return []  # run from a source tree that was never installed


def _versions(problems: list[Trouble]) -> dict[str, str | None]:
    from pushpoint import __version__

    found: dict[str, str | None] = {"python": platform.python_version(), "pushpoint": __version__}
    for package, bounds, extra in _requirements():
        if extra:
            continue
        found[package] = has = installed_version(package)
        cure = f"pip install '{package}{bounds}'"
        if has is None:
            problems.append(Trouble(f"{package} is not installed, which pushpoint needs", cure))
        elif not _fits(has, bounds):
            problems.append(Trouble(f"{package} {has} is installed, must be {bounds}", cure))
    return found


def _fits(has: str, bounds: str) -> bool:
    """Whether a version lies within bounds; where nothing can tell, it does."""
    try:
        from packaging.specifiers import SpecifierSet
    except ImportError:
        return True
    return SpecifierSet(bounds).contains(has, prereleases=True)


def _devices() -> dict[str, Any]:
    cuda, why = [], "Warp cannot be loaded"
    with contextlib.suppress(ImportError):
        import warp as wp

        from pushpoint.engine.devices import why_no_gpu

        cuda = [
            {"device": each.alias, "name": each.name, "memory_bytes": each.total_memory, "free_bytes": each.free_memory}
            for each in wp.get_cuda_devices()
        ]
        why = "" if cuda else why_no_gpu()
    affinity = getattr(os, "sched_getaffinity", None)
    return {
        "cpu": _cpu_name(),
        "threads": len(affinity(0)) if affinity else os.cpu_count() or 1,
        "cuda": cuda,
        "why_no_cuda": why,
    }


def _cpu_name() -> str:
    with contextlib.suppress(OSError):
        named = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
        if named:
            return named[1]
    return platform.processor() or platform.machine()


def cache_folder() -> Path | None:
    """Where compiled kernels are kept; None if Warp, which knows it, cannot be loaded."""
    try:
        import warp as wp
    except ImportError:
        return None
    return Path(wp.config.kernel_cache_dir)


def cache_state(folder: Path) -> dict[str, Any]:
    """What a folder of compiled kernels holds, and whether more can be written."""
    writable = True
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        writable = False
    files = [file for file in folder.rglob("*") if file.is_file()] if folder.is_dir() else []
    modules = {file.relative_to(folder).parts[0] for file in files}
    size = 0
    for file in files:
        with contextlib.suppress(OSError):  # another process may be tidying up
            size += file.stat().st_size
    return {"folder": str(folder), "writable": writable, "bytes": size, "modules": len(modules)}


def _cache(problems: list[Trouble]) -> dict[str, Any] | None:
    folder = cache_folder()
    if folder is None:
        return None
    found = cache_state(folder)
    if not found["writable"]:
        sentence = f"the folder for compiled kernels, {one_line(found['folder'], 160)}, cannot be written"
        problems.append(Trouble(sentence, "set WARP_CACHE_PATH to a folder that you can write"))
    return found


def _extras() -> dict[str, dict[str, Any]]:
    """Of each extra whether it is installed, and else the command that installs it."""
    found: dict[str, dict[str, Any]] = {}
    for package, _, extra in _requirements():
        if extra and extra not in NOT_FOR_USERS:
            has = installed_version(package) is not None
            found[extra] = (
                {"installed": True} if has else {"installed": False, "install": f"pip install 'pushpoint[{extra}]'"}
            )
    return found


def _ffmpeg() -> dict[str, str] | None:
    """The program that encodes films, if the extra that brings it is installed and it starts."""
    try:
        import imageio_ffmpeg

        program = imageio_ffmpeg.get_ffmpeg_exe()
        said = subprocess.run([program, "-version"], capture_output=True, text=True, check=True).stdout
    except (ImportError, RuntimeError, OSError, subprocess.SubprocessError):
        return None
    return {"program": program, "version": said.removeprefix("ffmpeg version ").split(" ")[0]}


def free_disk(folder: Path) -> int:
    """Room on the disk of a folder [bytes]."""
    return shutil.disk_usage(folder).free


def free_memory() -> int | None:
    """Memory that a run can have [bytes]; None if the engine cannot be loaded."""
    try:
        from pushpoint.engine.memory import available_memory
    except ImportError:
        return None
    return available_memory()


def _free(problems: list[Trouble]) -> dict[str, int | None]:
    memory, disk = free_memory(), free_disk(Path())
    if memory is not None and memory < LEAST_MEMORY:
        sentence = f"{in_bytes(memory)} of memory are free, must be at least {in_bytes(LEAST_MEMORY)}"
        problems.append(Trouble(sentence, "end other programs, or use a larger machine"))
    if disk < LEAST_DISK:
        sentence = f"{in_bytes(disk)} of disk are free in this folder, must be at least {in_bytes(LEAST_DISK)}"
        problems.append(Trouble(sentence, "make room, or work in another folder"))
    return {"memory_bytes": memory, "disk_bytes": disk}


def trial_run(device: str) -> dict[str, float]:
    """Simulates a small robot that undulates, and says how long compiling and running took [s]."""
    from pushpoint.engine.settings import Settings
    from pushpoint.papers.registry import scenario
    from pushpoint.simulation.measures import distance
    from pushpoint.simulation.rollout import Rollout
    from pushpoint.simulation.simulate import finish

    asked = scenario("transeth2008a/flat").experiment._replace(duration=SIMULATED, settings=Settings(device=device))
    rollout = Rollout(asked, batched=False)
    begun = time.perf_counter()
    rollout.stepper.advance(0)
    ready = time.perf_counter()
    run = finish(rollout)
    ended = time.perf_counter()
    return {
        "simulated_s": SIMULATED,
        "compile_s": ready - begun,
        "run_s": ended - ready,
        "distance_m": float(distance(run)),
    }


def _trial(device: str, cache: dict[str, Any] | None, problems: list[Trouble]) -> dict[str, Any] | None:
    """The trial run; whether it found its kernels compiled is noted in what is said of the cache."""
    before = _modules()
    try:
        found = trial_run(device)
    except Exception as error:  # whatever it is, it is what the user came for
        name = "" if isinstance(error, PushpointError) else f"{type(error).__name__}: "
        sentence = f"the trial run fails on {device} ({name}{one_line(' '.join(str(error).split()), 200)})"
        problems.append(
            Trouble(sentence, "mend what is above it first; else report it, with `pushpoint doctor --json`")
        )
        return None
    if cache is not None:
        cache["warm"] = _modules() == before
    return {"device": device, **found}


def _modules() -> set[str]:
    """Names of the compiled modules in the cache."""
    folder = cache_folder()
    return {each.name for each in folder.iterdir()} if folder is not None and folder.is_dir() else set()


def _print(found: dict[str, Any]) -> None:
    """Everything in words, in lines that fit the terminal, then the problems."""
    columns = max(shutil.get_terminal_size().columns, 60)
    for name, text in _lines(found):
        indent = " " * 14
        typer.echo(
            textwrap.fill(text, columns, initial_indent=f"{name:14}", subsequent_indent=indent, break_on_hyphens=False)
        )
    for problem in found["problems"]:
        typer.echo(f"problem: {problem['sentence']}")
        typer.echo(f"   cure: {problem['cure']}")
    if found["sound"]:
        typer.echo("all that is needed works")


def _lines(found: dict[str, Any]) -> list[tuple[str, str]]:
    versions, devices, cache, free, trial = (found[name] for name in ("versions", "devices", "cache", "free", "trial"))
    libraries = {name: each for name, each in versions.items() if name not in ("python", "pushpoint")}
    cuda = [f"{each['device']}: {each['name']}, {in_bytes(each['memory_bytes'])}" for each in devices["cuda"]]
    lines = [
        ("pushpoint", f"{versions['pushpoint']}, with Python {versions['python']} on {platform.platform()}"),
        ("libraries", ", ".join(f"{NAMES.get(name, name)} {each or 'missing'}" for name, each in libraries.items())),
        ("CPU", f"{devices['cpu']}, {devices['threads']} threads"),
        ("CUDA", "; ".join(cuda) or f"none, since {devices['why_no_cuda']}"),
        ("kernel cache", _words_of_cache(cache) if cache else "unknown"),
        ("memory", "unknown" if free["memory_bytes"] is None else f"{in_bytes(free['memory_bytes'])} free"),
        ("disk", f"{in_bytes(free['disk_bytes'])} free in this folder"),
    ]
    lines += [
        (f"extra {name}", "installed" if each["installed"] else f"missing: {each['install']}")
        for name, each in found["extras"].items()
    ]
    ffmpeg = found["ffmpeg"]
    lines.append(
        ("ffmpeg", f"{ffmpeg['version']}: {ffmpeg['program']}" if ffmpeg else "missing: pip install 'pushpoint[film]'")
    )
    if trial:
        lines.append(("trial run", _words_of_trial(trial)))
    return lines


def _words_of_cache(cache: dict[str, Any]) -> str:
    warm = "" if "warm" not in cache else ", warm" if cache["warm"] else ", was cold"
    written = "can be written" if cache["writable"] else "cannot be written"
    return f"{cache['folder']}: {cache['modules']} modules, {in_bytes(cache['bytes'])}, {written}{warm}"


def _words_of_trial(trial: dict[str, Any]) -> str:
    simulated = f"{trial['simulated_s']:g} s simulated on {trial['device']} in {trial['run_s']:.2g} s"
    return f"{simulated}, after {trial['compile_s']:.2g} s for loading or compiling kernels"
