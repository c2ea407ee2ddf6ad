"""`pushpoint doctor`: what it finds on a sound machine, and what it says of a broken one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pushpoint.cli import doctor
from pushpoint.cli.main import main

SOURCE = Path(__file__).resolve().parents[2] / "src"


def examined(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> dict[str, Any]:
    assert main(["doctor", "--json", *arguments]) == status
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_sound_machine(capsys: pytest.CaptureFixture[str]) -> None:
    found = examined(capsys)
    assert found["sound"] is True and found["problems"] == []
    versions = found["versions"]
    assert {"python", "pushpoint", "warp-lang", "numpy", "xarray", "typer"} <= set(versions)
    assert all(versions.values())
    assert found["devices"]["cpu"] and found["devices"]["threads"] >= 1
    assert found["devices"]["cuda"] or found["devices"]["why_no_cuda"]
    assert found["cache"]["writable"] is True and found["cache"]["bytes"] > 0
    assert found["cache"]["warm"] in (True, False)
    assert set(found["extras"]) >= {"film", "studio", "bench"}
    assert found["free"]["memory_bytes"] > 0 and found["free"]["disk_bytes"] > 0
    trial = found["trial"]
    assert trial["distance_m"] > 0 and trial["compile_s"] >= 0 and trial["run_s"] > 0


def test_readers_get_the_same_in_words(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    for word in ("Python", "NumPy", "CPU", "CUDA", "kernel cache", "memory", "disk", "ffmpeg", "trial run"):
        assert word in printed, word
    assert printed.rstrip().endswith("all that is needed works")


def test_a_missing_library_is_a_problem_with_a_cure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "installed_version", lambda name: None if name == "h5netcdf" else "9999")
    found = examined(capsys, status=1)
    assert found["sound"] is False
    (problem,) = [each for each in found["problems"] if "h5netcdf" in each["sentence"]]
    assert problem["cure"].startswith("pip install 'h5netcdf")


def test_a_library_that_is_too_old_is_a_problem(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = doctor.installed_version
    monkeypatch.setattr(doctor, "installed_version", lambda name: "0.0.1" if name == "xarray" else real(name))
    (problem,) = examined(capsys, status=1)["problems"]
    assert problem["sentence"].startswith("xarray 0.0.1 is installed, must be >=")
    assert problem["cure"].startswith("pip install 'xarray>=")


def test_a_missing_extra_is_no_problem_but_has_its_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = doctor.installed_version
    monkeypatch.setattr(doctor, "installed_version", lambda name: None if name == "viser" else real(name))
    found = examined(capsys)
    assert found["extras"]["studio"] == {"installed": False, "install": "pip install 'pushpoint[studio]'"}
    assert found["extras"]["film"]["installed"] is True


def test_a_cache_that_cannot_be_written_is_a_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    folder.write_text("a file", encoding="utf-8")  # also refuses those who may write anywhere
    monkeypatch.setattr(doctor, "cache_folder", lambda: folder)
    (problem,) = examined(capsys, status=1)["problems"]
    assert str(folder) in problem["sentence"] and "WARP_CACHE_PATH" in problem["cure"]


def test_a_trial_that_fails_is_a_problem(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(device: str) -> dict[str, float]:
        raise RuntimeError("no compiler\nat all")

    monkeypatch.setattr(doctor, "trial_run", broken)
    (problem,) = examined(capsys, status=1)["problems"]
    assert problem["sentence"] == "the trial run fails on cpu (RuntimeError: no compiler at all)"
    assert main(["doctor"]) == 1
    printed = capsys.readouterr()
    assert "problem: the trial run fails on cpu" in printed.out and "cure: " in printed.out
    assert printed.err == "error: 1 problem found\n"


def test_little_room_is_a_problem(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "free_disk", lambda folder: 1_000_000)
    monkeypatch.setattr(doctor, "free_memory", lambda: 1_000_000)
    problems = examined(capsys, status=1)["problems"]
    assert len(problems) == 2
    assert all("1 MB" in problem["sentence"] for problem in problems)


def test_a_device_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--device", "cuda:99"]) == 2
    assert "settings.device = 'cuda:99', must be one of" in capsys.readouterr().err


def test_the_cache_is_weighed(tmp_path: Path) -> None:
    assert doctor.cache_state(tmp_path) == {"folder": str(tmp_path), "writable": True, "bytes": 0, "modules": 0}
    (tmp_path / "wp_module_0123abc").mkdir()
    (tmp_path / "wp_module_0123abc" / "code.o").write_bytes(b"1234")
    assert doctor.cache_state(tmp_path)["bytes"] == 4 and doctor.cache_state(tmp_path)["modules"] == 1


@pytest.mark.parametrize("missing", ["warp", pytest.param("numpy", marks=pytest.mark.slow)])
def test_a_library_that_cannot_be_loaded_is_no_traceback(missing: str, tmp_path: Path) -> None:
    program = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {missing!r}:
            raise ModuleNotFoundError(f"No module named '{{name}}'", name=name)

sys.meta_path.insert(0, Absent())
from pushpoint.cli.main import main
sys.exit(main(["doctor"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert f"problem: the trial run fails on cpu (ModuleNotFoundError: No module named '{missing}" in done.stdout
