"""A wheel has all that the package needs: built, installed elsewhere and run outside the tree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "pushpoint"


def python(*arguments: str, cwd: Path, path: str = "") -> str:
    """What a fresh interpreter prints, with one more folder of packages before all others."""
    paths = os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_one_paper_is_reproduced_from_an_installed_wheel(tmp_path: Path) -> None:
    tree, there, away = (tmp_path / name for name in ("tree", "there", "away"))
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    away.mkdir()
    quiet = ("-m", "pip", "--disable-pip-version-check", "--no-input", "-qq")
    python(*quiet, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", "wheels", "./tree", cwd=tmp_path)
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    python(
        *quiet, "install", "--no-deps", "--no-index", "--no-compile", "--target", str(there), str(wheel), cwd=tmp_path
    )
    wanted = {str(file.relative_to(PACKAGE)) for file in PACKAGE.rglob("*") if "__pycache__" not in file.parts}
    found = {str(file.relative_to(there / "pushpoint")) for file in (there / "pushpoint").rglob("*")}
    assert wanted - found == set()

    used = python("-c", "import pushpoint; print(pushpoint.__file__)", cwd=away, path=str(there))
    assert Path(used.strip()).is_relative_to(there)
    said = json.loads(python("-m", "pushpoint", "reproduce", "transeth2008a", "--json", cwd=away, path=str(there)))
    assert said["counts"]["claims"] == 21 and said["counts"]["not_as_recorded"] == 0
    page = (away / said["files"]["report"]).read_text(encoding="utf-8")
    assert "The obstacle radius is 0.125 m, printed as 0.0125 m" in page and "Not drawn" not in page
    assert page.count("data:image/png;base64,") > 15
