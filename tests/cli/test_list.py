"""`pushpoint list`: what it lists, how it is filtered, and that it fits the terminal; names that send to each other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pushpoint.cli.known_names import FILE, found_names, known_names
from pushpoint.cli.main import main
from pushpoint.papers.registry import scenario, scenario_titles, sweep_titles

SOURCE = Path(__file__).resolve().parents[2] / "src"


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, str]]:
    assert main(["list", *arguments, "--json"]) == 0
    found: list[dict[str, str]] = json.loads(capsys.readouterr().out)
    return found


def test_the_kept_names_are_those_of_the_rooms() -> None:
    kept = known_names()
    advice = "run `python -m pushpoint.cli.known_names`"
    for command, titles in (("run", scenario_titles()), ("sweep", sweep_titles())):
        assert {each.name: each.title for each in kept.experiments if each.command == command} == titles, advice
    others = found_names(experiments=False)
    assert (kept.robots, kept.controllers, kept.papers) == (others.robots, others.controllers, others.papers), advice


@pytest.mark.slow
def test_the_kept_file_is_what_would_be_written() -> None:
    assert FILE.read_text(encoding="utf-8") == found_names().text()


def test_words_choose_by_name_title_and_robot(capsys: pytest.CaptureFixture[str]) -> None:
    every = listed(capsys)
    names = [each["name"] for each in every]
    assert {"transeth2008a/flat", "transeth2008b/sidewinding"} <= set(names)
    assert [each["name"] for each in listed(capsys, "transeth2008b")] == [
        name for name in names if name.startswith("transeth2008b/")
    ]
    assert {each["name"] for each in listed(capsys, "STAIRS", "crawls down")} == {"liljeback2014/stairs"}
    robots = {each["robot"] for each in listed(capsys, "--robot", "yaw-pitch-16")}
    assert robots == {"yaw-pitch-16"}
    sweeps = listed(capsys, "--kind", "sweep")
    assert {each["command"] for each in sweeps} == {"sweep"}
    assert len(listed(capsys, "--kind", "run")) + len(sweeps) == len(every)


def test_the_robot_of_an_entry_is_the_scenarios(capsys: pytest.CaptureFixture[str]) -> None:
    entry = next(each for each in listed(capsys) if each["name"] == "transeth2008a/flat")
    assert entry["robot"] == scenario("transeth2008a/flat").world.robot.name
    assert set(entry) == {"command", "name", "title", "robot"}


def test_nothing_fits_and_the_command_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "octopus"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err == "no experiment has 'octopus' in its name, title or robot\n"
    assert main(["list", "--robot", "yaw-pitch-61"]) == 2
    assert capsys.readouterr().err.startswith("error: unknown robot 'yaw-pitch-61'; did you mean yaw-pitch-16")
    assert main(["list", "--kind", "jog"]) == 2


@pytest.mark.parametrize("columns", [40, 80, 100, 200])
def test_it_fits_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["list"]) == 0
    printed = capsys.readouterr().out
    longest = max(len(f"sweep  {each.name}") for each in known_names().experiments)
    assert max(map(len, printed.splitlines())) <= max(columns, longest)
    flat = " ".join(printed.split())
    for each in known_names().experiments:  # whole, though in several lines
        assert f"{each.command} {each.name}" in flat and each.title in flat


def test_it_fits_eighty_columns_when_piped_and_is_quick_to_load(tmp_path: Path) -> None:
    """Nothing that takes time to load is loaded."""
    program = (
        "import sys; from pushpoint.cli.main import main; main(['list']);"
        "print(sorted({'warp', 'numpy', 'xarray', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"} | {"PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stderr == "[]\n"


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    return printed.err.removeprefix("error: ").rstrip()


def test_run_and_sweep_point_to_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sweep, single = "transeth2008a/speed-over-friction", "transeth2008a/flat"
    assert refusal(capsys, "run", sweep) == f"'{sweep}' is a sweep over several worlds: pushpoint sweep {sweep}"
    assert refusal(capsys, "run", sweep, "--set", "ground.gravity=1") == refusal(capsys, "run", sweep)
    varying = ", or say what varies by --vary"
    said = f"'{single}' is a single run, not a sweep: pushpoint run {single}{varying}"
    assert refusal(capsys, "sweep", single) == said
    Path("mine.yaml").write_text("robot: {}", encoding="utf-8")
    said = f"'mine.yaml' is a scenario file, not a sweep: pushpoint run mine.yaml{varying}"
    assert refusal(capsys, "sweep", "mine.yaml") == said
    assert refusal(capsys, "sweep", "transeth2008a/speed-over-fiction").startswith(
        "unknown sweep 'transeth2008a/speed-over-fiction'; did you mean transeth2008a/speed-over-friction"
    )
    for verb in ("references", "show"):
        assert sweep in refusal(capsys, verb, sweep)
    assert refusal(capsys, "compare", "hybrid", "--on", sweep).startswith(f"'{sweep}' is a sweep over several worlds")
    assert not list(tmp_path.glob("out/*"))
