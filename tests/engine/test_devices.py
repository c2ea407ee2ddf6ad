"""Devices that are not there, have no memory left or fail on the way: one sentence each, with what would fit."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import warp as wp

import pushpoint as pp
from oracles.course import course
from pushpoint.engine import devices, records
from pushpoint.engine.devices import check_device, guarded
from pushpoint.errors import DeviceFailed, InvalidModel

WORLDS = [course(obstacles=False)] * 3


def with_devices(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setattr(wp, "get_devices", lambda: [SimpleNamespace(alias=name) for name in names])


def test_device_that_is_not_there_is_refused_with_those_that_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with_devices(monkeypatch, "cpu", "cuda:0", "cuda:1")
    with pytest.raises(InvalidModel, match=r"^settings.device = 'cuda:7', must be one of cpu, cuda:0, cuda:1$"):
        check_device("cuda:7")


@pytest.mark.parametrize(
    ("driver", "toolkit", "why"),
    [
        (None, None, "since this Warp was built without CUDA"),
        (None, (12, 9), "since there is no CUDA driver"),
        ((11, 2), (12, 9), "since the CUDA driver 11.2 is too old: it must be 12.0 or newer"),
        ((12, 4), (12, 9), "since the CUDA driver sees no GPU"),
    ],
)
def test_no_gpu_says_why(monkeypatch: pytest.MonkeyPatch, driver: Any, toolkit: Any, why: str) -> None:
    with_devices(monkeypatch, "cpu")
    monkeypatch.setattr(wp, "get_cuda_driver_version", lambda: driver)
    monkeypatch.setattr(wp, "get_cuda_toolkit_version", lambda: toolkit)
    with pytest.raises(InvalidModel, match=f"^settings.device = 'cuda:0', must be one of cpu, {why}$"):
        check_device("cuda:0")


def fail_with(error: BaseException) -> Callable[..., Any]:
    def fail(*_values: Any, **_options: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    "error", [RuntimeError("Failed to allocate 4096 bytes on device 'cpu'"), MemoryError("Unable to allocate 4 GiB")]
)
def test_lack_of_memory_says_what_fits(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    monkeypatch.setattr(records.wp, "zeros", fail_with(error))
    said = r"^settings.device = 'cpu' has no memory left: 3 worlds take 1\d\d kB, \d+ fit$"
    with pytest.raises(DeviceFailed, match=said):
        pp.Simulator(WORLDS)
    with pytest.raises(DeviceFailed, match=said):
        pp.simulate(WORLDS, 1.0)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("CUDA error 700 detected on device cuda:0:  an illegal memory access\nwas encountered"),
        RuntimeError("Warp copy error: CUDA error 999"),
        Exception("Failed to load CUDA module 'rollout' (error: out of memory)"),
    ],
)
def test_device_that_fails_is_a_sentence(error: BaseException) -> None:
    with pytest.raises(DeviceFailed, match=r"^settings.device = 'cuda:0' failed \([^\n]*\)$"), guarded("cuda:0"):
        raise error


def test_mistakes_of_our_own_stay_what_they_are() -> None:
    for device in ("cpu", "cuda:0"):
        with pytest.raises(TypeError), guarded(device):
            raise TypeError("no such argument")
    with pytest.raises(RuntimeError, match="kernel"), guarded("cpu"):
        raise RuntimeError("kernel")


def test_launches_are_asked_for_failures() -> None:
    devices.start_warp()
    assert wp.config.verify_cuda  # otherwise Warp prints a failure and goes on
