"""Files are data: nothing in them is executed; results say nothing of the machine; no command listens."""

from __future__ import annotations

import os
import pickle
import socket
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import pushpoint as pp
from pushpoint.cli.main import main
from pushpoint.errors import PushpointError

COURSE = """\
name: mine
robot:
  n_links: 3
  link: {length: 0.1, mass: 0.5, inertia: 1e-3, radius: 0.03}
  motor: {stiffness: 50, damping: 1}
controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -60}
duration: 0.1
"""
TRACE = "executed"
"""The file that whatever is executed would make."""
COMMANDS = {
    "run": ("run", "course.yaml", "--no-media"),
    "compare": ("compare", "leader-follower", "--courses", "1", "--duration", "0.5"),
    "references": ("references", "course.yaml"),
    "compare-recording": ("compare-recording", "run.nc", "path.csv", "--no-time-shift"),
}
LONG = {
    "run with media": ("run", "course.yaml"),
    "render": ("render", "run.nc"),
    "sweep": ("sweep", "transeth2008a/speed-over-friction"),
    "random worlds": ("bench", "random-worlds", "--count", "1"),
}


class Runs:
    """Unpickled, it makes a file."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path(TRACE),)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose path, like the names of user and home, is found in nothing but what tells of this machine."""
    place = tmp_path / "place-of-7f3a91"
    place.mkdir()
    monkeypatch.chdir(place)
    for name in ("USER", "LOGNAME", "USERNAME"):
        monkeypatch.setenv(name, "user-7f3a91")
    (place / "course.yaml").write_text(COURSE, encoding="utf-8")
    return place


@pytest.mark.parametrize(
    "tag",
    [
        f"!!python/object/apply:os.mknod ['{TRACE}']",
        f"!!python/object/new:pathlib.Path ['{TRACE}']",
        "!!python/name:os.system",
        "!!python/module:os",
        f"!!map {{__reduce__: !!python/object/apply:os.mknod ['{TRACE}']}}",
    ],
)
def test_tags_of_scenario_files_are_not_obeyed(tag: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("tagged.yaml").write_text(COURSE.replace("duration: 0.1", f"duration: {tag}"), encoding="utf-8")
    assert main(["check", "tagged.yaml"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["run", "course.yaml", "--set", f"duration={tag}"]) == 2
    assert not Path(TRACE).exists()


def test_pickles_are_not_opened() -> None:
    pp.save(pp.scenario("course.yaml").run(), "run.nc")
    for file in (f"pickled.{ending}" for ending in ("nc", "yaml", "csv", "npy")):
        Path(file).write_bytes(pickle.dumps(Runs()))
        for command in (["render", file], ["check", file], ["compare-recording", "run.nc", file]):
            assert main(command) != 0
    assert not Path(TRACE).exists()


def test_objects_and_references_of_a_result_are_refused() -> None:
    pp.save(pp.scenario("course.yaml").run(), "run.nc")
    with h5py.File("run.nc", "a") as file:
        file.create_dataset("reference", data=file["time"].ref, dtype=h5py.ref_dtype)
        file.attrs["pickled"] = np.void(pickle.dumps(Runs()))
        file["elsewhere"] = h5py.ExternalLink("/etc/hostname", "/")
    try:
        pp.load("run.nc")
    except PushpointError as error:
        assert "\n" not in str(error)
    assert not Path(TRACE).exists()


def run_command(name: str) -> None:
    """Runs a command of COMMANDS or LONG, its results in a folder given by its whole path."""
    pp.save(pp.scenario("course.yaml").run(), "run.nc")
    Path("path.csv").write_text("t,x,y\n" + "".join(f"{k / 100},0,0\n" for k in range(11)), encoding="utf-8")
    out = str(Path.cwd() / "results")
    where = ("--output", f"{out}/rows.csv") if name == "references" else ("--out", out)
    assert main([*(COMMANDS | LONG)[name], *where]) in (0, 1)


def check_results() -> None:
    """Raises if a result tells where or by whom it was made."""
    secrets = [str(Path.cwd()), "7f3a91", str(Path.home()), socket.gethostname()]
    files = [file for file in Path("results").rglob("*") if file.is_file()]
    assert files
    for file in files:
        content = file.read_bytes()
        for secret in secrets:
            assert len(secret) < 4 or secret.encode() not in content, f"{file.name} holds {secret}"


def forbid_listening(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a socket is opened to be called at")

    for name in ("bind", "listen"):
        monkeypatch.setattr(socket.socket, name, refuse)


@pytest.mark.parametrize("name", COMMANDS)
def test_results_say_nothing_of_the_machine_and_nothing_listens(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_listening(monkeypatch)
    run_command(name)
    check_results()


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_neither_do_longer_ones(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_listening(monkeypatch)
    run_command(name)
    check_results()


def test_the_search_for_secrets_finds_one() -> None:
    Path("results").mkdir()
    Path("results/summary.json").write_text(os.fspath(Path.cwd()), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"summary\.json holds "):
        check_results()
