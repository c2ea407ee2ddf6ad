"""Runs written to a file as they go: the same bits as in memory, whatever ends them; what was written is not lost."""

from __future__ import annotations

import errno
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from oracles.course import course
from pushpoint.errors import BadFile, SimulationFailed
from pushpoint.simulation import estimate, streaming
from pushpoint.simulation.rollout import Rollout
from pushpoint.worlds.world import Experiment

PORTION = 8


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many portions in a short run."""
    monkeypatch.setattr(estimate, "PORTION_SAMPLES", (PORTION, PORTION))


@dataclass(frozen=True)
class Stubborn(pp.Controller):
    """Bends back and forth, is in one mode or the other, and forgets what numbers are when its time has come."""

    lost_at: float = np.inf
    n_joints: int = 0
    rate: float = 50.0
    modes: tuple[str, ...] = ("left", "right")

    def bind(self, robot: Any, environment: Any = None) -> Stubborn:
        return replace(self, n_joints=robot.n_joints)

    def memory(self) -> np.ndarray:
        return np.zeros(())

    def mode_of(self, memory: np.ndarray) -> np.ndarray:
        return memory

    def command(self, measurement: pp.Measurement, memory: np.ndarray) -> tuple[pp.Command, np.ndarray]:
        wave = np.sin(6.0 * measurement.time)
        angle = np.where(measurement.time > self.lost_at, np.nan, 0.3 * wave)
        return pp.Command(joint_angle=np.tile(angle[:, None], self.n_joints)), (wave < 0.0).astype(float)


@dataclass(frozen=True)
class WrongSign(pp.Controller):
    """Pushes joints further the way they already go, without limit."""

    def command(self, measurement: pp.Measurement, memory: None) -> tuple[pp.Command, None]:
        return pp.Command(joint_torque=0.3 + 0.3 * measurement.joint_rate), memory


PLANAR = course(obstacles=True, friction=0.3)
SPATIAL = replace(pp.scenario("transeth2008b/sidewinding").world, start=None)
STUBBORN = replace(PLANAR, controller=Stubborn())
LOST = replace(PLANAR, controller=Stubborn(lost_at=0.3))
LAST = pp.Settings(on_failure="record")


def second_is_over(measurement: pp.Measurement) -> np.ndarray:
    return np.asarray((measurement.time > 0.31) & (np.arange(len(measurement.time)) == 1))


FEW = pp.Record(rate=200.0, variables=["link_position", "center_of_mass"])
RUNS: dict[str, Experiment] = {
    "planar": Experiment((PLANAR,), 0.5),
    "planar, all steps": Experiment((PLANAR,), 0.1, record=pp.Record(rate=1000.0)),
    "spatial": Experiment((SPATIAL,), 0.3),
    "modes": Experiment((STUBBORN,), 0.7),
    "three, of which one is over early": Experiment((PLANAR,) * 3, 0.5, record=FEW, until=second_is_over),
    "two, of which one diverges": Experiment((STUBBORN, LOST), 0.7, LAST),
    "all are over early": Experiment((LOST,), 0.7, LAST),
    "single precision": Experiment((PLANAR,), 0.2, pp.Settings(precision="float32")),
    "few variables": Experiment((PLANAR,), 0.3, record=FEW),
}


def driven(rollout: Rollout, portions: int = 10**9) -> Rollout:
    while portions and not rollout.finished:
        rollout.advance()
        portions -= 1
    return rollout


def as_lists(variable: xr.DataArray) -> dict[str, Any]:
    """Attributes, those that are arrays in files and lists in memory as lists."""
    return {name: np.asarray(value).tolist() for name, value in variable.attrs.items()}


def assert_same(found: xr.Dataset, expected: xr.Dataset) -> None:
    assert set(found.variables) == set(expected.variables)
    for name in expected.variables:
        assert found[name].dims == expected[name].dims and as_lists(found[name]) == as_lists(expected[name]), name
        assert found[name].dtype == expected[name].dtype or expected[name].dtype.kind == "U", name
        np.testing.assert_array_equal(found[name].values, expected[name].values, err_msg=str(name))
    assert found.attrs == expected.attrs


@pytest.mark.parametrize("name", RUNS)
def test_portions_are_the_same_bits_as_a_whole(name: str) -> None:
    experiment, batched = RUNS[name], len(RUNS[name].worlds) > 1
    whole = driven(Rollout(experiment, batched=batched, whole=True)).dataset()
    assert whole.sizes["time"] > 2 * PORTION
    assert_same(driven(Rollout(experiment, batched=batched)).dataset(), whole)


@pytest.mark.parametrize("name", ["spatial", "three, of which one is over early", "two, of which one diverges"])
def test_file_and_memory_are_the_same_bits(name: str, tmp_path: Path) -> None:
    experiment, batched = RUNS[name], len(RUNS[name].worlds) > 1
    in_memory = driven(Rollout(experiment, batched=batched)).dataset()
    in_file = driven(Rollout(experiment, batched=batched, file=tmp_path / "run.nc")).dataset()
    assert_same(in_file, in_memory)
    assert os.listdir(tmp_path) == ["run.nc"]


def test_launches_may_be_cut_anywhere() -> None:
    """References at the start of a launch are those at the end of the one before, to the last bit."""
    from oracles.engine import stepper_at_start

    def state(*portions: int) -> Any:
        stepper = stepper_at_start([PLANAR], pp.Settings())
        for steps in portions:
            stepper.advance(steps)
        return stepper.state()

    whole = state(1500)
    for cut in (1025, 1099, 1210, 1432):
        parts = state(cut, 1500 - cut)
        for name in whole.names():
            np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name), err_msg=f"{cut}: {name}")


def test_interrupted_run_is_a_whole_file(tmp_path: Path) -> None:
    runs = [
        driven(Rollout(RUNS["few variables"], batched=False, file=file), 2).dataset(interrupted=True)
        for file in (None, tmp_path / "run.nc")
    ]
    assert runs[1].attrs["status_code"] == "interrupted"
    assert_same(runs[1], runs[0])


def test_failed_run_is_a_whole_file(tmp_path: Path) -> None:
    with pytest.raises(SimulationFailed, match="diverged") as caught:
        pp.simulate(replace(PLANAR, controller=WrongSign()), 2.0, record=FEW, file=tmp_path / "run.nc")
    assert caught.value.run.attrs["status_code"] == "diverged"
    assert os.listdir(tmp_path) == ["run.nc"]


def as_killed(path: Path) -> Path:
    """What a run that is killed now leaves behind."""
    return Path(shutil.copy(streaming.partial_of(path), path.with_name("left.nc.partial")))


@pytest.mark.parametrize("name", ["three, of which one is over early"])
def test_killed_run_leaves_what_it_had_written(name: str, tmp_path: Path) -> None:
    batched = len(RUNS[name].worlds) > 1
    whole = driven(Rollout(RUNS[name], batched=batched)).dataset()
    rollout = driven(Rollout(RUNS[name], batched=batched, file=tmp_path / "run.nc"), 30)
    with pp.load(as_killed(tmp_path / "run.nc"), lazy=True) as left:
        assert left.sizes["time"] >= 3 * PORTION and left.attrs["status_code"] == "running"
        assert not (tmp_path / "run.nc").exists()
        for variable in left.data_vars:
            expected = whole[variable].isel(time=slice(left.sizes["time"])) if "time" in left[variable].dims else None
            if expected is not None:
                np.testing.assert_array_equal(left[variable].values, expected.values, err_msg=str(variable))
    rollout.close()


def fill_disk(_path: Path) -> None:
    def refuse(_handle: int, _offset: int, _length: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    os.posix_fallocate = refuse


def forbid_long_files(path: Path) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (streaming.partial_of(path).stat().st_size, hard))


@pytest.fixture
def repaired() -> Iterator[None]:
    """The disk is as before after the test."""
    allocate, limits = os.posix_fallocate, resource.getrlimit(resource.RLIMIT_FSIZE)
    yield
    os.posix_fallocate = allocate
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("fail", [fill_disk, forbid_long_files])
@pytest.mark.usefixtures("repaired")
def test_full_disk_keeps_what_was_written(fail: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    rollout = Rollout(RUNS["few variables"], batched=False, file=path)
    while not streaming.partial_of(path).exists():
        rollout.advance()
    fail(path)
    with pytest.raises(BadFile, match=r"run.nc: cannot be written \(.*\); the samples up to .* run.nc.partial"):
        driven(rollout).dataset()
    with pp.load(streaming.partial_of(path), lazy=True) as left:
        assert left.sizes["time"] >= PORTION and np.isfinite(left["link_position"].values).all()


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    first = driven(Rollout(RUNS["few variables"], batched=False, file=path), 3)
    with pytest.raises(BadFile, match=r"run.nc: another run is writing run.nc.partial"):
        driven(Rollout(RUNS["few variables"], batched=False, file=path)).dataset()
    whole = driven(first).dataset()
    assert_same(first.dataset(), whole)
    first.close()
    assert_same(whole, driven(Rollout(RUNS["few variables"], batched=False)).dataset())


def test_long_run_is_read_as_asked(tmp_path: Path) -> None:
    run = pp.simulate(PLANAR, 0.5, record=FEW, file=tmp_path / "run.nc")
    last = run["link_position"].isel(time=-1)
    assert last.shape == (PLANAR.robot.n_links, 2) and np.isfinite(last.values).all()
    assert not run["link_position"].variable._in_memory
    np.testing.assert_array_equal(pp.measures.mean_velocity(run), pp.measures.mean_velocity(run.load()))
