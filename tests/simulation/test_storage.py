"""Results on disk: they come back as they were, and never half under their final name."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from pushpoint.engine.controller import Controller
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.errors import BadFile
from pushpoint.gaits import LateralUndulation
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation.seals import seal
from pushpoint.simulation.simulate import simulate
from pushpoint.simulation.storage import load, save
from pushpoint.whole_files import write_atomically
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

ROBOT = PlanarRobot.uniform(
    4, PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02), Motor(stiffness=5.0, damping=0.1)
)
GAIT = LateralUndulation(amplitude=0.5, angular_frequency=4.0, phase_shift=-0.8)
FLAT = Environment(ground=Ground(friction=Isotropic(0.2)))
PEGS = Environment(obstacles=[Peg(x=0.05, y=0.12, radius=0.05)] * 2)


def failing() -> xr.Dataset:
    class Blow(Controller[None]):
        rate = 100.0

        def command(self, measurement, memory):  # type: ignore[no-untyped-def]
            return Command(joint_torque=np.array([[0.0] * 3, [1e6, -1e6, 1e6]])), memory

    blow = Blow()
    worlds = [World(ROBOT, FLAT, blow), World(ROBOT, PEGS, blow)]
    return simulate(worlds, duration=0.05, settings=Settings(on_failure="record"))


RUNS = {
    "one world": lambda: simulate(ROBOT, PEGS, GAIT, duration=0.2),
    "no obstacles": lambda: simulate(ROBOT, FLAT, GAIT, duration=0.2),
    "ragged batch": lambda: simulate([World(ROBOT, place, GAIT) for place in (FLAT, PEGS)], duration=0.2),
    "one sample": lambda: simulate(ROBOT, PEGS, GAIT, duration=0.005),
    "few variables": lambda: simulate(ROBOT, FLAT, GAIT, duration=0.1, record=Record(variables=["penetration"])),
    "float32": lambda: simulate(ROBOT, PEGS, GAIT, duration=0.1, settings=Settings(precision="float32")),
    "failed world": failing,
}


@pytest.fixture(scope="module")
def run() -> xr.Dataset:
    return simulate(ROBOT, PEGS, GAIT, duration=0.2)


@pytest.mark.parametrize("name", RUNS)
def test_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    original = RUNS[name]()
    path = save(original, tmp_path / "run.nc")
    assert path == tmp_path / "run.nc"
    again = load(path)
    xr.testing.assert_identical(again, original)
    for variable in original.variables:
        kind = original[variable].dtype.kind
        assert again[variable].dtype.kind == kind or (kind == "U" and again[variable].dtype.kind in "OT"), variable
        if kind == "f":
            assert again[variable].dtype == original[variable].dtype, variable
            assert again[variable].values.tobytes() == original[variable].values.tobytes(), variable


def test_takes_a_name_and_makes_the_folder(run: xr.Dataset, tmp_path: Path) -> None:
    name = str(tmp_path / "a" / "b" / "run.nc")
    assert save(run, name) == Path(name)
    xr.testing.assert_identical(load(name), run)


def test_is_compressed(run: xr.Dataset, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(save(run, tmp_path / "run.nc")) as file:
        assert file["link_position"].compression == "gzip" and file["link_position"].shuffle


def test_replaces_an_older_result(run: xr.Dataset, tmp_path: Path) -> None:
    path = save(run.isel(time=slice(3)), tmp_path / "run.nc")
    save(run, path)
    assert load(path).sizes["time"] == run.sizes["time"]


def test_can_be_written_while_it_is_held_in_memory(run: xr.Dataset, tmp_path: Path) -> None:
    path = save(run, tmp_path / "run.nc")
    held = load(path)
    save(held.isel(time=slice(2)), path)
    np.testing.assert_array_equal(held.link_angle, run.link_angle)
    assert load(path).sizes["time"] == 2


class TestAtomic:
    @pytest.mark.parametrize("error", [RuntimeError("no"), KeyboardInterrupt(), TypeError("no")], ids=repr)
    def test_nothing_under_the_final_name_on_failure(self, error: BaseException, tmp_path: Path) -> None:
        def write(place: Path) -> None:
            place.write_text("half a fi")
            raise error

        with pytest.raises(type(error)):
            write_atomically(tmp_path / "run.nc", write)
        assert list(tmp_path.iterdir()) == []

    def test_the_older_file_survives_a_failure(self, tmp_path: Path) -> None:
        path = tmp_path / "run.nc"
        path.write_text("whole")

        def write(place: Path) -> None:
            place.write_text("half a fi")
            raise OSError(28, "No space left on device")

        with pytest.raises(BadFile) as caught:
            write_atomically(path, write)
        said = "cannot be written (No space left on device); the file that was there is kept"
        assert str(caught.value) == f"{path}: {said}"
        assert path.read_text() == "whole" and list(tmp_path.iterdir()) == [path]

    def test_a_run_that_cannot_be_stored_leaves_nothing(self, run: xr.Dataset, tmp_path: Path) -> None:
        with pytest.raises(TypeError):
            save(run.assign_attrs(nested={"a": 1}), tmp_path / "run.nc")
        assert list(tmp_path.iterdir()) == []

    def test_the_final_name_appears_only_when_all_is_written(self, tmp_path: Path) -> None:
        seen = []

        def write(place: Path) -> None:
            place.write_text("whole")
            seen.append((place.parent, place.suffix, (tmp_path / "run.nc").exists()))

        write_atomically(tmp_path / "run.nc", write)
        assert seen == [(tmp_path, ".nc", False)]
        assert [file.name for file in tmp_path.iterdir()] == ["run.nc"]

    def test_a_file_in_place_of_the_folder(self, run: xr.Dataset, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("a file")
        with pytest.raises(BadFile, match=r"run\.nc: cannot be written \(.+\)$") as caught:
            save(run, tmp_path / "out" / "run.nc")
        assert caught.value.path == tmp_path / "out" / "run.nc" and "\n" not in str(caught.value)

    def test_a_folder_in_place_of_the_file(self, run: xr.Dataset, tmp_path: Path) -> None:
        (tmp_path / "run.nc").mkdir()
        with pytest.raises(BadFile, match=r"run\.nc: cannot be written \(.+\)$"):
            save(run, tmp_path / "run.nc")
        assert [file.name for file in tmp_path.iterdir()] == ["run.nc"]

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_folder_that_is_not_ours(self, run: xr.Dataset, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        with pytest.raises(BadFile, match=r"cannot be written \(Permission denied\)$"):
            save(run, tmp_path / "run.nc")


@pytest.fixture
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002], indirect=True, ids=oct)
def test_permissions_are_those_of_any_new_file(umask: int, run: xr.Dataset, tmp_path: Path) -> None:
    path = save(run, tmp_path / "run.nc")
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    assert os.umask(umask) == umask


FULL_DISK = """
import resource, sys
import numpy as np, xarray as xr
from pushpoint.errors import BadFile
from pushpoint.simulation.storage import save

noise = np.random.default_rng(1).normal(size=(20, 5000))
run = xr.Dataset({f"noise_{k}": ("time", values) for k, values in enumerate(noise)})
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
try:
    save(run, sys.argv[1])
except BadFile as error:
    print(error)
"""


def test_a_disk_without_room_is_told_and_nothing_crashes(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    path.write_text("the one before")
    done = subprocess.run([sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout == f"{path}: cannot be written (File too large); the file that was there is kept\n"
    assert list(tmp_path.iterdir()) == [path] and path.read_text() == "the one before"


class TestLoad:
    @pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.9, 0.999])
    def test_a_file_cut_short(self, share: float, run: xr.Dataset, tmp_path: Path) -> None:
        whole = save(run, tmp_path / "run.nc").read_bytes()
        path = tmp_path / "cut.nc"
        path.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(BadFile) as caught:
            load(path)
        words = "has no seal at its end: it is cut short, or another program wrote it"
        assert str(caught.value).startswith(f"{path}: {words}") and "\n" not in str(caught.value)

    @pytest.mark.parametrize("content", [b"time,x\n0,1\n", b"\x89HDF\r\n\x1a\n" + bytes(100), b"CDF\x01" + bytes(50)])
    def test_another_kind_of_file(self, content: bytes, tmp_path: Path) -> None:
        path = tmp_path / "table.csv"
        path.write_bytes(content)
        with pytest.raises(BadFile, match=rf"^{re.escape(str(path))}: has no seal at its end"):
            load(path)
        with path.open("r+b") as file:
            seal(file)
        with pytest.raises(BadFile, match=rf"^{re.escape(str(path))}: cannot be read as a result"):
            load(path)

    def test_a_dataset_of_someone_else(self, tmp_path: Path) -> None:
        path = tmp_path / "weather.nc"
        save(xr.Dataset({"wind": ("time", np.arange(3.0))}), path)
        with pytest.raises(BadFile) as caught:
            load(path)
        assert str(caught.value) == f"{path}: is not a pushpoint result: it has no 'description' attribute"

    def test_no_file(self, tmp_path: Path) -> None:
        folder = "cannot be read (it is a folder, no regular file)"
        for path, reason in ((tmp_path / "missing.nc", "no such file"), (tmp_path, folder)):
            with pytest.raises(BadFile) as caught:
                load(path)
            assert str(caught.value) == f"{path}: {reason}"
