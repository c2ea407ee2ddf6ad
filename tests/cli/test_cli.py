"""The command line: what it writes and prints, and one line with a non-zero status for whatever is wrong."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from ruamel.yaml import YAML

from pushpoint.cli import outputs
from pushpoint.cli.main import main
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import BadFile
from pushpoint.scenarios.files import scenario_from
from pushpoint.scenarios.scenario import Scenario
from pushpoint.simulation.provenance import experiment_of, only_world
from pushpoint.simulation.rollout import Rollout
from pushpoint.simulation.storage import load

SOURCE = Path(__file__).resolve().parents[2] / "src"
COURSE = """\
name: my/course
robot:
  n_links: 3
  link: {length: 0.1, mass: 0.5, inertia: 1e-3, radius: 0.03}
  motor: {stiffness: 50, damping: 1}
ground:
  friction: {law: isotropic, coefficient: 0.3}
obstacles:
  - {x: 1.0, y: 0.0, radius: 0.1}
controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -60}
duration: 0.2
"""
FILES = ["run.nc", "summary.json"]
FIGURES = ["contacts.png", "health.png", "joints.png", "motors.png", "paths.png"]


@pytest.fixture(autouse=True, scope="module")
def compiled_kernels() -> None:
    """Compiles before the tests, so that none of them finds the announcement of it on standard error."""
    document = YAML(typ="safe", pure=True).load(COURSE)
    scenario_from(document).rollout().stepper.advance(0)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with a small scenario file in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "course.yaml").write_text(COURSE, encoding="utf-8")
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a refused command prints."""
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ") and printed.err.count("\n") == 1
    return printed.err.removeprefix("error: ").rstrip("\n")


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("pushpoint ")
    assert main([]) == 0
    assert "run" in capsys.readouterr().out


def test_list_names_every_experiment_with_a_title(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"transeth2008a/flat", "transeth2008a/obstacle-aided"} <= {entry["name"] for entry in listed}
    assert all(entry["title"] for entry in listed)
    assert main(["list"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert all(f"{entry['command']} {entry['name']} " in printed for entry in listed)


def test_schema_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "pushpoint scenario"


def test_run_writes_results_and_media_and_says_where(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "course.yaml"]) == 0
    out = folder / "out" / "my-course"
    assert names(out) == sorted([*FILES, "course.png", "figures", "run.mp4", "replay.html"])
    assert names(out / "figures") == FIGURES
    printed = capsys.readouterr()
    assert "; media in " in printed.out and printed.err == ""
    assert "mean velocity x" in printed.out and "m/s" in printed.out
    assert all(f"wrote out/my-course/{name}" in printed.out for name in (*FILES, "course.png"))
    run = load(out / "run.nc")
    assert run.attrs["status_code"] == "finished"
    assert experiment_of(run).name == "my/course"
    assert float(run.time[-1]) == pytest.approx(0.2)


def test_warnings_are_printed_and_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hasty = ["--set", "settings.max_iterations=1", "--duration", "0.2005"]
    assert main(["run", "course.yaml", "--no-media", *hasty]) == 0
    printed = capsys.readouterr().out
    summary = json.loads((folder / "out" / "my-course" / "summary.json").read_text())
    rounded, *more = summary["warnings"]
    assert rounded == "duration = 0.2005 s is not a whole number of time steps of 0.001 s: rounded to 0.2 s"
    assert any("unconverged, more than 1 %" in sentence for sentence in more)
    assert all(f"warning: {sentence}" in printed for sentence in summary["warnings"])
    assert summary["status"] == "finished" and summary["health"]["unconverged_steps"] > 2


def test_without_media_no_picture_is_left_even_of_an_earlier_run(folder: Path) -> None:
    out = folder / "there"
    (out / "figures").mkdir(parents=True)
    for name in ("course.png", "run.mp4", "replay.html", "figures/paths.png"):
        (out / name).write_bytes(b"of an earlier run")
    assert main(["run", "course.yaml", "--out", "there", "--no-media"]) == 0
    assert names(out) == FILES
    (out / "figures").mkdir()
    (out / "figures/mine.png").write_bytes(b"of the user")
    assert main(["run", "course.yaml", "--out", "there", "--no-media"]) == 0
    assert names(out / "figures") == ["mine.png"]


def test_ctrl_c_during_the_media_keeps_the_results(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("pushpoint.films.film.film", interrupt)
    assert main(["run", "course.yaml", "--out", "there"]) == 130
    assert capsys.readouterr().err == "error: interrupted before all results were written\n"
    assert names(folder / "there") == sorted([*FILES, "course.png", "figures"])
    summary = json.loads((folder / "there/summary.json").read_text(encoding="utf-8"))
    assert set(summary["files"]) == {"run", "summary"}


def test_json_is_one_object_and_nothing_else(folder: Path) -> None:
    # In a process of its own: native code prints past Python, too.
    command = [sys.executable, "-m", "pushpoint", "run", "course.yaml", "--out", "there", "--json"]
    done = subprocess.run(
        [*command, "--set", "controller.amplitude_deg=20", "--duration", "0.1", "--dt", "2e-3"],
        env=os.environ | {"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    printed = json.loads(done.stdout)
    assert {"name", "status", "measures", "timing", "files"} <= set(printed)
    assert printed["timing"]["simulated_s"] == pytest.approx(0.1)
    files = printed["files"]
    assert all(Path(file).is_file() for file in files.values())
    # The file itself names its neighbours without the folder, which may be moved, or be somebody's home.
    beside = {"files": {what: Path(file).relative_to("there").as_posix() for what, file in files.items()}}
    assert json.loads(Path("there/summary.json").read_text(encoding="utf-8")) == printed | beside
    experiment = experiment_of(load("there/run.nc"))
    assert (experiment.worlds[0].controller.amplitude, experiment.settings.dt) == (math.radians(20), 2e-3)


def test_version_loads_nothing_heavy() -> None:
    code = "from pushpoint.cli.main import main; import sys; main(['--version']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert {"numpy", "warp", "xarray", "pydantic", "matplotlib"} & set(done.stdout.split()) == set()


def test_a_published_experiment_takes_changes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changes = ["--set", "obstacles.2.y=0.3", "--set", "robot.motor.torque_limit=4", "--duration", "0.1"]
    assert main(["run", "transeth2008a/obstacle-aided", *changes, "--json", "--no-media"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "transeth2008a/obstacle-aided"
    world: Any = only_world(load("out/transeth2008a-obstacle-aided/run.nc"))
    assert world.environment.obstacles[2].y == 0.3
    assert [motor.torque_limit for motor in world.robot.motors] == [4] * world.robot.n_joints


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--set", "robot.link.length=-1"], "robot.link.length = -1, must be finite and > 0 [m]"),
        (["--set", "robot.link.length=.nan"], "robot.link.length = nan, must be finite and > 0 [m]"),
        (["--set", "robot.link.mass=-1"], "robot.link.mass = -1, must be finite and > 0 [kg]"),
        (["--set", "robot.link.mass=.nan"], "robot.link.mass = nan, must be finite and > 0 [kg]"),
        (["--set", "ground.friction.coefficient=-1"], "ground.friction.coefficient = -1, must be finite and >= 0 [-]"),
        (
            ["--set", "ground.friction.coefficient=.nan"],
            "ground.friction.coefficient = nan, must be finite and >= 0 [-]",
        ),
        (["--set", "robot.n_links=1"], "robot.n_links = 1, must be 2 to 5000 links"),
        (["--set", "obstacles.0.x=0.2"], "start: link 2 overlaps obstacle 0 by "),
        (["--set", "obstacles.0.rdius=1"], "obstacles[0]: unknown key 'rdius'; did you mean radius"),
        (["--set", "robot.link.mass=light"], "robot.link.mass = 'light', must be a number"),
        (["--set", "duration=0"], "duration = 0, must be finite and > 0 [s]"),
        (["--duration", "0"], "duration = 0, must be finite and > 0 [s]"),
        (["--duration", "long"], "duration = 'long', must be a number > 0 [s]"),
        (["--duration", "1e-6"], "duration = 1e-06, must be at least one time step of 0.001 s"),
        (["--dt", "nan"], "settings.dt = 'nan', must be a number > 0 [s]"),
        (
            ["--set", "controller={kind: constant-torque, torque: [.nan, 1]}"],
            "controller.torque[0] = nan, must be finite [N m]",
        ),
        (["--out", "course.yaml"], "course.yaml: is a file, must be a folder for results"),
        (["--out", "course.yaml/there"], "course.yaml/there: must be a folder that can be written (Not a directory)"),
        (["--out", "/proc/there"], "/proc/there: must be a folder that can be written"),
        (["--seed", "3"], "No such option: --seed"),
    ],
)
def test_bad_input_gets_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert refusal(capsys, "run", "course.yaml", *arguments).startswith(sentence)
    assert names(folder) == ["course.yaml"]


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        (
            "transeth2008a/obstacle-aidde",
            "unknown scenario 'transeth2008a/obstacle-aidde'; did you mean transeth2008a/obst",
        ),
        ("other.yaml", "other.yaml: no such file"),
    ],
)
def test_unknown_targets_get_one_line(capsys: pytest.CaptureFixture[str], target: str, sentence: str) -> None:
    assert refusal(capsys, "run", target).startswith(sentence)


def test_complaints_about_files_name_the_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "wrong.yaml").write_text(COURSE.replace("radius: 0.1}", "radios: 0.1}"), encoding="utf-8")
    assert refusal(capsys, "run", "wrong.yaml") == (
        "wrong.yaml:9: obstacles[0]: unknown key 'radios'; did you mean radius"
    )


def test_no_folder_that_cannot_be_written_costs_a_simulation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Rollout, "advance", lambda self: pytest.fail("simulated"))
    assert "must be a folder" in refusal(capsys, "run", "course.yaml", "--out", "course.yaml")


def test_ctrl_c_leaves_a_valid_result_marked_as_partial(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    advance = Rollout.advance

    def advance_and_interrupt(self: Rollout) -> None:
        advance(self)
        if self.time > 0.4:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Rollout, "advance", advance_and_interrupt)
    before = signal.getsignal(signal.SIGINT)
    assert main(["run", "course.yaml", "--duration", "60", "--out", "there", "--json", "--no-media"]) == 130
    assert signal.getsignal(signal.SIGINT) is before
    assert names(folder / "there") == FILES
    printed = json.loads(capsys.readouterr().out)
    assert (printed["status"], printed["status_code"]) == ("interrupted by the user", "interrupted")
    run = load("there/run.nc")
    assert run.attrs["status_code"] == "interrupted"
    assert 0.4 < float(run.time[-1]) < 60.0


def test_ctrl_c_at_once_still_gives_a_result(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    advance = Stepper.advance

    def compile_and_interrupt(self: Stepper, steps: int) -> None:
        advance(self, steps)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Stepper, "advance", compile_and_interrupt)
    assert main(["run", "course.yaml", "--out", "there", "--no-media"]) == 130
    assert load("there/run.nc").sizes["time"] == 1
    assert json.loads((folder / "there/summary.json").read_text(encoding="utf-8"))["timing"]["us_per_step"] is None


def test_ctrl_c_before_the_start_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(self: Scenario, file: Any = None) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(Scenario, "rollout", interrupt)
    assert main(["run", "course.yaml"]) == 130
    assert capsys.readouterr().err == "error: interrupted before all results were written\n"


def test_a_world_that_diverges_keeps_its_samples(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torque = "controller={kind: constant-torque, torque: [1e6, -1e6]}"
    assert main(["run", "course.yaml", "--out", "there", "--set", torque, "--set", "record.rate=1000", "--json"]) == 1
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    assert summary["status_code"] == "diverged" and " at step " in summary["status"]
    assert printed.err.startswith("error: world 0 diverged") and printed.err.count("\n") == 1
    assert "run.nc" in names(folder / "there")
    run = load("there/run.nc")
    assert 1 <= run.sizes["time"] < 200
    assert run.attrs["status"] == summary["status"]


def test_a_result_cut_short_is_refused_in_one_sentence(folder: Path) -> None:
    assert main(["run", "course.yaml", "--out", "there", "--no-media"]) == 0
    whole = (folder / "there/run.nc").read_bytes()
    for share in (0.0, 0.3, 0.9):
        (folder / "cut.nc").write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(BadFile, match=r"^cut\.nc: ") as caught:
            load("cut.nc")
        assert "\n" not in str(caught.value)


def test_a_run_without_positions_has_no_figure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "there").mkdir()
    (folder / "there/course.png").write_bytes(b"of an earlier run")
    (folder / "there/run.mp4").write_bytes(b"of an earlier run")
    assert main(["run", "course.yaml", "--out", "there", "--set", "record.variables=[joint_angle]", "--json"]) == 0
    printed = capsys.readouterr()
    assert names(folder / "there") == ["figures", "run.nc", "summary.json"]
    assert set(json.loads(printed.out)["files"]) == {"run", "summary", "joints"}
    assert printed.err.startswith("no figure: ")
    assert "no figures/paths.png and no run.mp4 and no replay.html: run: variables = [" in printed.err
    assert isinstance(load("there/run.nc"), xarray.Dataset)


def test_compilation_is_announced(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    advance = Stepper.advance

    def slow_to_compile(self: Stepper, steps: int) -> None:
        if steps == 0:
            time.sleep(0.3)
        advance(self, steps)

    monkeypatch.setattr(Stepper, "advance", slow_to_compile)
    monkeypatch.setattr(outputs, "PATIENCE", 0.01)
    assert main(["run", "course.yaml", "--json", "--no-media"]) == 0
    printed = capsys.readouterr()
    assert printed.err == outputs.COMPILING + "\n"
    json.loads(printed.out)


def test_a_long_run_is_written_as_it_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same files with the same numbers, whether results have room in memory or not."""
    written = {}
    for name, most in (("short", 10**9), ("long", 0)):
        monkeypatch.setattr("pushpoint.cli.run.MOST_IN_MEMORY", most)
        monkeypatch.setattr("pushpoint.cli.run.MOST_DRAWN", 20)
        monkeypatch.setattr("pushpoint.gallery.write_media", lambda *_, **__: {})  # course.png is enough here
        assert main(["run", "course.yaml", "--out", name, "--json"]) == 0
        printed = capsys.readouterr()
        written[name] = json.loads(printed.out)
        assert not list((folder / name).glob("recording*"))
        assert ("pictures show one sample of" in printed.err) == (name == "long")
    assert written["long"]["measures"] == written["short"]["measures"]
    long, short = (load(folder / name / "run.nc") for name in ("long", "short"))
    assert long.attrs | {"run_id": ""} == short.attrs | {"run_id": ""} and set(long.variables) == set(short.variables)
    for variable in short.variables:
        np.testing.assert_array_equal(long[variable], short[variable])
