"""The forge runs what the Makefile has, with every Python that the package names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(file: Path) -> Any:
    return YAML(typ="safe").load(file.read_text(encoding="utf-8"))


def commands(workflow: Any) -> list[str]:
    return [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_every_target_that_is_made_exists(file: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    asked = [target for command in commands(read(file)) for target in re.findall(r"\bmake ([a-z-]+)", command)]
    assert asked and set(asked) <= targets


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_no_job_can_hang_or_write(file: Path) -> None:
    workflow = read(file)
    assert workflow["permissions"] == {"contents": "read"}
    assert all(job["timeout-minutes"] <= 90 for job in workflow["jobs"].values())


def test_tests_and_site_are_made_with_every_python_that_is_named() -> None:
    checks = read(ROOT / ".github/workflows/checks.yml")["jobs"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [one.rpartition(" ")[2] for one in project["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert checks["linux"]["strategy"]["matrix"]["python"] == named
    linux = commands({"jobs": {"linux": checks["linux"]}})
    assert "make test" in linux and "make docs" in linux
    # What nobody has tried may fail, and says so.
    assert all(checks[job]["continue-on-error"] for job in ("macos", "windows"))
    release = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert all(f" {python}\n" in release for python in named)
