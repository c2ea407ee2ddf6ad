"""The log of a fresh machine: cold caches, every step kept as it ends, sizes, and what went wrong."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from benchmarks.release.fresh_machine import fresh_environment, go_through, main, megabytes, step_facts


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A small project with the same targets, one of which fails."""
    tree = tmp_path / "source"
    tree.mkdir()
    (tree / "Makefile").write_text(
        "setup:\n\t@mkdir -p .venv && echo ready > .venv/x\n"
        "demo:\n\t@mkdir -p out/demo && head -c 3000000 /dev/zero > out/demo/film\n"
        "\t@echo home=$$HOME at https://packages.example/x\n"
        "test:\n\t@echo '12 passed, 3 deselected in 4.5s' && touch $$HOME/seen\n"
        "docs:\n\t@echo broken >&2; exit 3\n",
        encoding="utf-8",
    )
    git = ["git", "-C", str(tree), "-c", "user.name=x", "-c", "user.email=x@x.example"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *arguments], check=True)
    return tree


def test_a_failing_step_is_kept_and_the_others_go_on(source: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert main([str(source), "--folder", str(tmp_path / "fresh"), "--keep", str(kept)]) == 1
    found = json.loads((kept / "fresh-machine.json").read_text(encoding="utf-8"))
    assert [step["command"] for step in found["steps"]] == ["make setup", "make demo", "make test", "make docs"]
    assert [step["status"] for step in found["steps"]] == [0, 0, 0, 2] and not found["passed"]
    assert found["steps"][2]["tests"] == "12 passed, 3 deselected"
    assert found["megabytes"]["out/demo"] == pytest.approx(3.0, abs=0.01) and found["machine"]["cores"] >= 1
    log = (kept / "logs" / "fresh-machine.txt").read_text(encoding="utf-8")
    assert "$ make demo" in log and "broken" in log
    # The home is a new one, and neither it nor the folder of the clone stands in what is kept.
    assert "home=~ at ...\n" in log and str(tmp_path) not in log and str(tmp_path) not in json.dumps(found)


def test_caches_are_cold_and_settings_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "src")
    monkeypatch.setenv("WARP_CACHE_PATH", "/warm")
    monkeypatch.setenv("PIP_RETRIES", "7")
    made = fresh_environment(tmp_path)
    assert "PYTHONPATH" not in made and "WARP_CACHE_PATH" not in made and made["HOME"] == str(tmp_path / "home")
    assert made["PIP_RETRIES"] == "7"
    assert all(Path(made[name]).is_relative_to(tmp_path) for name in ("PIP_CACHE_DIR", "XDG_CACHE_HOME"))


def test_a_used_folder_is_refused(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").touch()
    assert main([str(source), "--folder", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_a_python_that_does_not_start_is_told(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(source), "--python", "no-such-python"]) == 2
    assert "no-such-python does not start" in capsys.readouterr().err


def test_a_source_that_is_none_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nothing"), "--folder", str(tmp_path / "fresh")]) == 2
    assert "cannot be cloned" in capsys.readouterr().err


def test_a_step_that_hangs_is_ended(tmp_path: Path) -> None:
    done = go_through(["sh", "-c", "echo begun; sleep 60"], tmp_path, {"PATH": "/usr/bin:/bin"}, longest=0.5)
    assert done.status == 124 and "begun" in done.output and done.seconds < 30
    assert step_facts("make demo", done)["status"] == 124


def test_sizes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 2_500_000)
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert megabytes(tmp_path) == pytest.approx(2.5) and megabytes(tmp_path / "missing") == 0.0
