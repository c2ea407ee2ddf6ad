"""Completion in shells: commands, options and names, without loading what takes time."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pushpoint.cli.known_names import known_names
from pushpoint.cli.main import main

SOURCE = Path(__file__).resolve().parents[2] / "src"


def completed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, shell: str = "bash"
) -> list[str]:
    """What a shell is told to offer for a line whose last word is incomplete."""
    words = line.split(" ")
    settings = {
        "_PUSHPOINT_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 0
    return capsys.readouterr().out.split("\n")[:-1]


def names(command: str) -> set[str]:
    return {each.name for each in known_names().experiments if each.command == command}


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("pushpoint ru", {"run"}),
        ("pushpoint bench sp", {"spatial"}),
        ("pushpoint run transeth2008b/side", {"transeth2008b/sidewinding", "transeth2008b/sidewinding-realistic"}),
        ("pushpoint run --dur", {"--duration"}),
        ("pushpoint show liljeback2014/st", {"liljeback2014/stairs", "liljeback2014/stairs-up"}),
        ("pushpoint references x --robot yaw-pitch-16-", {"yaw-pitch-16-planar"}),
        ("pushpoint list --robot yaw-pitch-16-", {"yaw-pitch-16-planar"}),
        ("pushpoint list --kind sw", {"sweep"}),
        ("pushpoint compare contin", {"continuous"}),
        ("pushpoint compare hybrid hybrid-", {"hybrid-tuned"}),
        ("pushpoint compare hybrid --on spatial/ru", {"spatial/rubble"}),
        ("pushpoint reproduce holden2014 transeth2008", {"transeth2008a", "transeth2008b"}),
    ],
)
def test_words_are_completed(
    line: str, offered: set[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(completed(monkeypatch, capsys, line)) == offered


def test_run_offers_runs_and_files_and_sweep_offers_sweeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("mine.yaml", "yours.yml", "notes.txt"):
        Path(file).touch()
    assert set(completed(monkeypatch, capsys, "pushpoint run ")) == names("run") | {"mine.yaml", "yours.yml"}
    assert set(completed(monkeypatch, capsys, "pushpoint sweep ")) == names("sweep")


def test_names_come_with_their_titles_where_a_shell_shows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    every = completed(monkeypatch, capsys, "pushpoint run ", "fish")
    assert len(every) == len(names("run")) and all(len(line.partition("\t")[2]) <= 60 for line in every)
    assert next(line for line in every if "flat" in line).startswith("transeth2008a/flat\tLateral undulation on")
    line = " ".join(completed(monkeypatch, capsys, "pushpoint run transeth2008a/fl", "zsh"))
    assert line.startswith("_arguments") and '"transeth2008a/flat":"Lateral undulation' in line


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_after_its_script_was_read(tmp_path: Path) -> None:
    """The whole way: the script that the command shows, read by bash, and a word completed by it."""
    command = tmp_path / "pushpoint"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pushpoint "$@"\n', encoding="utf-8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    script = """
        set -e
        source <(_PUSHPOINT_COMPLETE=source_bash pushpoint)
        complete -p pushpoint
        COMP_WORDS=(pushpoint run transeth2008a/wind) COMP_CWORD=2
        _pushpoint_completion pushpoint
        echo "${COMPREPLY[*]}"
    """
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        ["bash", "--norc", "-c", script], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    registered, word = done.stdout.splitlines()
    assert "_pushpoint_completion pushpoint" in registered
    assert word == "transeth2008a/winding-channel"
    assert done.stderr == ""


def test_help_has_the_options_that_install_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert "--install-completion" in printed and "--show-completion" in printed


def test_completion_loads_nothing_that_takes_time(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pushpoint.cli.main import main\n"
        "try:\n    main([])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'warp', 'numpy', 'xarray', 'ruamel'} & set(sys.modules)), file=sys.stderr)"
    )
    line = {"_PUSHPOINT_COMPLETE": "complete_bash", "COMP_WORDS": "pushpoint run spatial/ru", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | line | {"PYTHONPATH": str(SOURCE)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("spatial/rubble\n", "[]\n")
