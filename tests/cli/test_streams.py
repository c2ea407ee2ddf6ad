"""Standard output that is closed, full, cut off or without letters; errors that reach the command's end."""

from __future__ import annotations

import errno
import io
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pushpoint.cli import listing
from pushpoint.cli.known_names import Listed, Names
from pushpoint.cli.main import main

COURSE = """\
name: mine
robot:
  n_links: 3
  link: {length: 0.1, mass: 0.5, inertia: 1e-3, radius: 0.03}
  motor: {stiffness: 50, damping: 1}
controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -60}
duration: 0.2
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "course.yaml").write_text(COURSE, encoding="utf-8")
    return tmp_path


Into = Callable[..., None]


@pytest.fixture
def into(monkeypatch: pytest.MonkeyPatch) -> Iterator[Into]:
    """Puts standard output onto a descriptor, as a shell would."""
    opened: list[io.TextIOWrapper] = []

    def redirect(descriptor: int, encoding: str = "utf-8") -> None:
        opened.append(io.TextIOWrapper(os.fdopen(descriptor, "wb", buffering=io.DEFAULT_BUFFER_SIZE), encoding))
        monkeypatch.setattr(sys, "stdout", opened[-1])

    yield redirect
    for stream in opened:
        stream.close()  # nothing is left in it that cannot be written


def cut_off() -> int:
    """The end of a pipe whose reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def full() -> int:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    return os.open("/dev/full", os.O_WRONLY)


COMMANDS = [["list"], ["show", "transeth2008a/flat"], ["run", "transeth2008a/flat", "--no-media"]]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("descriptor", "status", "said"),
    [
        (cut_off, 141, ""),
        (full, 1, "error: standard output cannot be written (No space left on device): what was printed is lost\n"),
    ],
    ids=("cut off", "full"),
)
def test_output_that_fails_ends_no_work(
    command: list[str],
    descriptor: Callable[[], int],
    status: int,
    said: str,
    into: Into,
    capsys: pytest.CaptureFixture[str],
) -> None:
    more = ["--duration", "0.05", "--out", "there"] if command[0] == "run" else []
    into(descriptor())
    assert main([*command, *more]) == status
    assert capsys.readouterr().err == said
    assert not more or sorted(os.listdir("there")) == ["run.nc", "summary.json"]


def test_a_closed_output_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["list"]) == 1
    assert capsys.readouterr().err == (
        "error: standard output cannot be written (it is closed): what was printed is lost\n"
    )
    assert main(["check", "nowhere.yaml"]) == 1  # prints nothing there, and fails for its own reason
    assert capsys.readouterr().err.startswith("nowhere.yaml: ")


@pytest.mark.slow
def test_without_any_stream_a_run_keeps_its_files(folder: Path) -> None:
    """Closed by the shell before the start: no file may come to lie where libraries print."""
    source = Path(main.__code__.co_filename).parents[2]
    call = f'"{sys.executable}" -m pushpoint run course.yaml --out there --no-media <&- >&- 2>&-'
    done = subprocess.run(["sh", "-c", call], cwd=folder, env=os.environ | {"PYTHONPATH": str(source)}, check=False)
    assert done.returncode == 1  # what it prints is lost
    assert json.loads((folder / "there/summary.json").read_text(encoding="utf-8"))["status_code"] == "finished"


def test_letters_that_a_terminal_lacks_are_escaped(monkeypatch: pytest.MonkeyPatch, into: Into, folder: Path) -> None:
    mine = Listed("run", "mine", "φ = π/2", "robot")
    monkeypatch.setattr(listing, "known_names", lambda: Names([mine], [], [], []))
    into(os.open("printed", os.O_CREAT | os.O_WRONLY), "latin-1")
    assert main(["list"]) == 0
    assert "\\u03c6 = \\u03c0/2" in (folder / "printed").read_text(encoding="latin-1")


def test_a_scenario_is_shown_as_the_file_that_it_is_anywhere(into: Into, folder: Path) -> None:
    Path("titled.yaml").write_text("title: φ = π/2\n" + COURSE, encoding="utf-8")
    into(os.open("shown.yaml", os.O_CREAT | os.O_WRONLY), "latin-1")
    assert main(["show", "titled.yaml"]) == 0
    assert "φ = π/2" in (folder / "shown.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (MemoryError(), "there is not enough memory for this (none is left)"),
        (MemoryError("Unable to allocate 7 EiB"), "there is not enough memory for this (Unable to allocate 7 EiB)"),
        (OSError(errno.EMFILE, "Too many open files"), "the system refuses what is needed (Too many open files)"),
        (PermissionError(errno.EACCES, "denied", "a/b"), "a/b: the system refuses what is needed (denied)"),
    ],
    ids=str,
)
def test_what_the_system_refuses_is_one_line(
    raised: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> Any:
        raise raised

    monkeypatch.setattr(listing, "known_names", refuse)
    assert main(["list"]) == 1
    assert capsys.readouterr().err == f"error: {said}\n"


class TestImport:
    @pytest.mark.parametrize("name", ["", ".", "a.", "../a", "a b"])
    def test_what_is_no_name(self, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--import", name, "list"]) == 2
        printed = capsys.readouterr().err
        assert printed == f"error: --import {name!r}: must be the name of a module, such as package.module\n"

    @pytest.mark.parametrize("text", ["1 / 0", "raise SystemExit(3)", "def f(:"])
    def test_a_module_that_raises_keeps_its_traceback(
        self, text: str, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        name = f"kinds_of_mine_{len(text)}"
        (folder / f"{name}.py").write_text(text + "\n", encoding="utf-8")
        assert main(["--import", name, "list"]) == 2
        printed = capsys.readouterr().err
        assert printed.startswith("Traceback ") and text.split()[0] in printed
        assert printed.splitlines()[-1].startswith(f"error: --import {name}: the module raises ")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of the address space")
@pytest.mark.parametrize(("gibibytes", "status"), [(0.2, 2), (1.0, 2), (64.0, 0), (math.inf, 0)])
def test_too_little_address_space_is_one_line(
    gibibytes: float, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import resource

    limit = resource.RLIM_INFINITY if gibibytes == math.inf else int(gibibytes * 2**30)
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (limit, limit))
    assert main(["list"]) == status
    said = capsys.readouterr().err
    assert (said == "") if status == 0 else said.startswith(f"error: ulimit -v = {limit // 1024} (")
    assert said.count("\n") == bool(status)
