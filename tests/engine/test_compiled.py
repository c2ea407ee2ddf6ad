"""Kernels from a cache that is damaged, refuses or is missing: compiled again, and said where it costs time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import warp as wp

from pushpoint.engine import compiled
from pushpoint.engine.compiled import NoKernels, launch
from pushpoint.engine.devices import start_warp


def doubling() -> wp.Kernel:
    """A kernel of a module of its own, compiled in a second; a new one each time, so that nothing is loaded yet."""

    @wp.kernel(module="unique", enable_backward=False)
    def double(values: wp.array(dtype=wp.float64)) -> None:  # type: ignore[valid-type]
        i = wp.tid()
        values[i] = values[i] + values[i]

    return double


def doubled(kernel: wp.Kernel) -> list[float]:
    values = wp.array(np.array([1.0, 2.5]), dtype=wp.float64, device="cpu")
    launch(kernel, dim=2, inputs=[values], device="cpu")
    return values.numpy().tolist()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache that holds the kernel, which has been forgotten since."""
    start_warp()
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path / "cache"))
    kernel = doubling()
    assert doubled(kernel) == [2.0, 5.0]
    kernel.module.unload()
    compiled._working.clear()
    yield tmp_path / "cache"
    kernel.module.unload()


def only(cache: Path, ending: str) -> Path:
    (found,) = cache.glob(f"*/*{ending}")
    return found


@pytest.mark.parametrize("ending", [".o", ".meta"])
@pytest.mark.parametrize("damage", ["cut", "empty", "garbage", "folder"])
def test_what_is_damaged_is_compiled_again(cache: Path, ending: str, damage: str) -> None:
    file = only(cache, ending)
    content = file.read_bytes()
    if damage == "folder":
        file.unlink()
        file.mkdir()
    else:
        file.write_bytes({"cut": content[: len(content) // 2], "empty": b"", "garbage": b"\xff\x00" * 500}[damage])
    assert doubled(doubling()) == [2.0, 5.0]
    assert only(cache, ending).is_file()


def test_a_folder_that_refuses_is_replaced_for_the_process(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache.parent / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(cache.parent / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match=r"^kernels are compiled for this process alone, .*WARP_CACHE_PATH"):
        assert doubled(doubling()) == [2.0, 5.0]
    own = Path(wp.config.kernel_cache_dir)
    assert own.name.startswith("pushpoint-kernels-") and own.stat().st_mode & 0o77 == 0


def test_nowhere_at_all_is_one_sentence(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache.parent / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(cache.parent / "file" / "cache"))
    monkeypatch.setattr(compiled.tempfile, "mkdtemp", lambda **_: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(NoKernels, match=r"^kernels cannot be compiled in .*No space left.*set WARP_CACHE_PATH$"):
        doubled(doubling())


def test_mistakes_of_a_launch_are_no_damage(cache: Path) -> None:
    before = only(cache, ".o").stat().st_mtime_ns
    with pytest.raises(RuntimeError, match="passed 0 arguments"):
        launch(doubling(), dim=2, inputs=[], device="cpu")
    assert only(cache, ".o").stat().st_mtime_ns == before
