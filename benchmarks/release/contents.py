"""What is inside of a wheel and of an sdist: nothing left out, nothing that does not belong there."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

JUNK = re.compile(
    r"(^|/)(__pycache__|\.git|\.venv[^/]*|\.mypy_cache|\.pytest_cache|\.ruff_cache|\.hypothesis|\.ipynb_checkpoints|out|build|dist)/"
    r"|\.(pyc|pyo|orig|rej|swp|bak|tmp)$|~$|(^|/)(\.DS_Store|Thumbs\.db|MUJOCO_LOG\.TXT)$"
)
HOME = re.compile(rb"/home/[a-z][\w.-]*/|/Users/[A-Za-z][\w.-]*/|/root/|[A-Z]:\\Users\\")
"""Folders of somebody's machine."""
BINARY = (".png", ".gif", ".jpg", ".webp", ".mp4", ".webm", ".nc", ".npz", ".gz", ".woff2")
ALLOWED_TO_NAME_HOMES = re.compile(r"benchmarks/release/|tests/release/")
"""What looks for such folders must name them."""
NEEDED = (
    *("README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "Makefile", "pyproject.toml"),
    *("requirements.txt", "requirements-oldest.txt", "src/pushpoint/__init__.py", "src/pushpoint/py.typed"),
    *(
        "tests/conftest.py",
        "tests/physics/",
        "docs/proof/",
        "docs/images/",
        "docs/results/",
        "examples/",
        "benchmarks/",
    ),
)
"""Files of an sdist, and folders that must have some: its tests can be run and its documents be read."""
MOST_BYTES = {"wheel": 4_000_000, "sdist": 60_000_000}
"""Sizes that somebody should look at before they are passed."""


def members(archive: Path) -> dict[str, bytes]:
    """Files of a wheel or of an sdist by name; the folder that an sdist begins with is left out."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}
    found = {}
    with tarfile.open(archive) as sdist:
        for member in sdist.getmembers():
            file = sdist.extractfile(member)
            if file is not None:
                found[member.name.partition("/")[2]] = file.read()
    return found


def unwanted(files: Mapping[str, bytes], tree: Path) -> list[str]:
    """Sentences about junk, and about paths of a machine."""
    found = []
    paths = [str(tree).encode()] if len(tree.parts) > 2 else []
    for name, content in files.items():
        if JUNK.search(name):
            found.append(f"{name} does not belong in a release.")
        elif not name.endswith(BINARY) and not ALLOWED_TO_NAME_HOMES.search(name):
            named = HOME.search(content)
            said = [named[0].decode(), *()] if named else [path.decode() for path in paths if path in content]
            found += [f"{name} names a folder of a machine, {said[0]}."] if said else []
    return found


def lacking(files: Mapping[str, bytes]) -> list[str]:
    """Sentences about what an sdist must have."""
    gone = [need for need in NEEDED if not any(name == need or (need[-1] == "/" and need in name) for name in files)]
    return [f"The sdist has no {need}." for need in gone]


def differing(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> list[str]:
    """Names of the files that differ between two wheels, or that one of them lacks."""
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


def too_large(kind: str, archive: Path) -> list[str]:
    """A sentence if an archive is larger than it should be."""
    size = archive.stat().st_size
    if size <= MOST_BYTES[kind]:
        return []
    return [f"The {kind} is {size / 1e6:.1f} MB, more than {MOST_BYTES[kind] / 1e6:g} MB."]
