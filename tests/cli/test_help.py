"""Help that is found, whole and true: `-h` everywhere, first sentences not cut, examples that run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from pushpoint.cli.main import app, main
from pushpoint.simulation.storage import load

QUICK = ("list", "show", "schema", "references", "check", "doctor", "export")
"""Commands whose examples take little time."""


def commands() -> dict[str, Any]:
    """Every command and group by its words, such as `bench planar`."""

    def below(group: Any, words: tuple[str, ...]) -> dict[str, Any]:
        found = {" ".join(words): group}
        for name, command in getattr(group, "commands", {}).items():
            found |= below(command, (*words, name))
        return found

    return below(typer.main.get_command(app), ())


COMMANDS = commands()
LEAVES = sorted(name for name, command in COMMANDS.items() if not hasattr(command, "commands"))


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_short_and_long_option_print_the_same_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for option in ("-h", "--help"):
        assert main([*name.split(), option]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] and printed[0].startswith("Usage: pushpoint")
    assert re.search(r"-h, --help +Show this message and exit\.", printed[0])


@pytest.mark.parametrize("group", [name for name in COMMANDS if name not in LEAVES])
def test_first_sentences_are_whole_on_a_narrow_terminal(
    group: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([*group.split(), "--help"]) == 0
    printed = capsys.readouterr().out
    assert "..." not in printed.partition("Commands:")[2]
    assert max(map(len, printed.splitlines())) <= 80
    for name, command in COMMANDS[group].commands.items():
        sentence = (command.help or "").partition("\n")[0]
        assert f"{name} " in printed and sentence.endswith(".") and sentence in printed, name


@pytest.mark.parametrize("name", LEAVES)
def test_help_fits_a_terminal_and_ends_with_an_example(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([*name.split(), "-h"]) == 0
    lines = capsys.readouterr().out.rstrip().splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[-1].strip().startswith(f"Example: pushpoint {name}")


def example(name: str) -> list[str]:
    command, *arguments = shlex.split(COMMANDS[name].epilog.removeprefix("Example: "))
    assert command == "pushpoint"
    return arguments


@pytest.mark.parametrize("name", LEAVES)
def test_examples_have_options_that_exist(name: str) -> None:
    words = example(name)[len(name.split()) :]
    with COMMANDS[name].make_context(name, words) as context:
        assert context.command is COMMANDS[name]


@pytest.mark.parametrize("name", [name for name in QUICK if name in LEAVES])
def test_quick_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "check":
        main(["show", "transeth2008a/flat"])
        _write_scenario(tmp_path / "mine.yaml")
    assert main(example(name)) == 0


def _write_scenario(file: Path) -> None:
    import pushpoint as pp

    pp.write_scenario(pp.scenario("transeth2008a/flat"), file)


@pytest.mark.slow
def test_the_other_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order in which they need each other's files."""
    monkeypatch.chdir(tmp_path)
    first = ("run", "render", "compare-recording")
    for name in (*first, *(name for name in LEAVES if name not in (*first, *QUICK))):
        if name == "compare-recording":
            run = load(Path(example(name)[1]))
            path = np.column_stack([run.time, run.center_of_mass])
            np.savetxt(tmp_path / "recording.csv", path, delimiter=",", header="t,x,y", comments="")
        assert main(example(name)) == 0, name


@pytest.mark.parametrize("option", ["--no-media", "--media"])
def test_help_says_that_no_picture_is_drawn_without_media(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "-h"])
    words = " ".join(capsys.readouterr().out.split())
    assert option in words and "or no picture at all" in words
