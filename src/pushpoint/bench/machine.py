"""On what it was timed: processor, cores and versions, so that a kept timing says where it comes from."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any

from pushpoint.simulation.provenance import version_of

PACKAGES = ("pushpoint", "warp-lang", "mujoco", "numpy")
CPUINFO = Path("/proc/cpuinfo")
"""Where Linux names the processor; Python itself knows its family only."""


def machine() -> dict[str, Any]:
    """Processor, cores, system and versions of this machine."""
    versions = {name: version_of(name) for name in PACKAGES}
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "versions": versions | {"python": platform.python_version()},
    }


def processor() -> str:
    """Name of the processor, as well as the system tells it."""
    listed = CPUINFO.read_text(encoding="utf-8", errors="replace") if CPUINFO.is_file() else ""
    named = re.search(r"^model name\s*:\s*(.+)$", listed, re.MULTILINE)
    return named[1].strip() if named else platform.processor() or platform.machine() or "unknown processor"
