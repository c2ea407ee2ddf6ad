"""How much memory is available: on this machine, within this process's limits, and on a device."""

from __future__ import annotations

from pathlib import Path

import warp as wp

from pushpoint.engine.devices import check_device

LARGEST_PART = 0.8
"""Share of the free memory that a run may use [-]; the rest is for looking at the results."""


def allowed_memory() -> int:
    """Memory of this machine that a run may use [bytes]."""
    return int(LARGEST_PART * available_memory())


def allowed_on(device: str) -> int:
    """Memory of a device that a run may use [bytes]; for a CPU, that of the machine."""
    check_device(device)
    return int(LARGEST_PART * wp.get_device(device).free_memory) if device.startswith("cuda") else allowed_memory()


def available_memory() -> int:
    """Memory that this process can still get [bytes]: what is free, within its control groups and limits."""
    free = _entry("/proc/meminfo", "MemAvailable:")
    found = [*([] if free is None else [free]), *_left_in_groups(), *_left_in_limits()]
    return max(0, min(found, default=2**63))


def _entry(file: str, name: str) -> int | None:
    """A line of a table of the Linux kernel, such as `VmSize: 12 kB` [bytes]."""
    try:
        lines = Path(file).read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return None  # not Linux: unknown
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(name)), None)


GROUPS = {
    "": ("/sys/fs/cgroup", "memory.max", "memory.current"),
    "memory": ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
}
"""Control groups by the prefix of their path: folder, limit and usage, in both versions."""


def _left_in_groups() -> list[int]:
    """What the control groups of this process leave, not counting cached files."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    left = []
    for _, kinds, path in (line.split(":", 2) for line in lines):
        if kinds in GROUPS:
            folder, limit, use = GROUPS[kinds]
            own = Path(folder) / path.strip("/")
            left += [_left_in_group(place, limit, use) for place in (own, *own.parents) if str(place) >= folder]
    return [size for size in left if size is not None]


def _left_in_group(folder: Path, limit: str, use: str) -> int | None:
    try:
        most, used = int((folder / limit).read_text()), int((folder / use).read_text())
        kept = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return most - used + int(kept.get("inactive_file", 0))
    except (OSError, ValueError):
        return None  # no limit, or no such group in this container


def _left_in_limits() -> list[int]:
    """What `ulimit -v` and `ulimit -d` leave."""
    try:
        import resource
    except ImportError:  # not on Windows
        return []
    left = []
    for limit, used in ((resource.RLIMIT_AS, "VmSize:"), (resource.RLIMIT_DATA, "VmData:")):
        most, _ = resource.getrlimit(limit)
        if most != resource.RLIM_INFINITY:
            left.append(most - (_entry("/proc/self/status", used) or 0))
    return left
