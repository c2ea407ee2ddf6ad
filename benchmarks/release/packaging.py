"""Builds sdist and wheel of a copy of the tree, in which the front page and the addresses are those of a release."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.release.front_page import absolute, with_urls


class Built(NamedTuple):
    """What came out."""

    sdist: Path
    wheel: Path
    """Built from the sdist, as an index's users do where no wheel fits."""
    direct: Path
    """Built from the tree."""


def project_of(root: Path) -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def tree_files(root: Path) -> list[str]:
    """Files that belong to the project: those that git knows or would add; without git, all of an unpacked sdist."""
    call = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(call, capture_output=True, text=True, check=False) if (root / ".git").exists() else None
    if done is not None and done.returncode == 0:
        return [name for name in done.stdout.split("\0") if name and (root / name).is_file()]
    return [str(file.relative_to(root)) for file in root.rglob("*") if file.is_file()]


def uncommitted(root: Path) -> bool:
    """Whether the tree differs from its last commit."""
    done = subprocess.run(
        ["git", "-C", str(root), "status", "--porcelain"], capture_output=True, text=True, check=False
    )
    return bool(done.stdout.strip())


def copy_for_release(root: Path, there: Path, setting: Mapping[str, str]) -> None:
    """The tree as it is released: README.md and pyproject.toml with the addresses of the setting."""
    for name in tree_files(root):
        target = there / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, target)
    version = project_of(root)["project"]["version"]
    readme, pyproject = there / "README.md", there / "pyproject.toml"
    readme.write_text(absolute(readme.read_text(encoding="utf-8"), setting, version), encoding="utf-8")
    pyproject.write_text(with_urls(pyproject.read_text(encoding="utf-8"), setting, version), encoding="utf-8")


def build(tree: Path, into: Path) -> Built:
    """Builds with the pinned frontend, each in an environment of its own; raises RuntimeError with its last words."""
    _run_build(tree, into / "dist")
    _run_build(tree, into / "direct", "--wheel")
    (sdist,) = (into / "dist").glob("*.tar.gz")
    (wheel,) = (into / "dist").glob("*.whl")
    (direct,) = (into / "direct").glob("*.whl")
    return Built(sdist, wheel, direct)


def _run_build(tree: Path, into: Path, *options: str) -> None:
    call = [sys.executable, "-m", "build", *options, "--outdir", str(into), str(tree)]
    done = subprocess.run(call, cwd=into.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(" ".join((done.stderr or done.stdout).split())[-400:])
