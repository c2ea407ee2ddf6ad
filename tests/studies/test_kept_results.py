"""Results by name and sources: kept whole or not at all, found again, never mixed, one process at a time."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from pushpoint.errors import BadFile
from pushpoint.simulation.storage import source_digest
from pushpoint.studies.storing.folder import StoreInUse
from pushpoint.studies.storing.results import kept_results
from studies.small_study import small_study


def batches_in(store: Path) -> set[str]:
    return {path.name for path in (store / "batches").iterdir()}


def test_results_are_found_again_by_name_and_source(tmp_path: Path) -> None:
    with kept_results(tmp_path / "store", "now") as kept:
        kept.add({"a": 1, "b": {"far": math.inf, "unknown": math.nan, "points": [[0.1, 0.2]]}})
        assert "a" in kept and kept["a"] == 1 and "c" not in kept
        kept.add({"c": None})
    with kept_results(tmp_path / "store", "now") as again:
        assert sorted(again) == ["a", "b", "c"] and "d" not in again
        found = again["b"]
        assert found["far"] == math.inf and math.isnan(found["unknown"]) and found["points"] == [[0.1, 0.2]]
        assert again["c"] is None
    with kept_results(tmp_path / "store", "later") as other:
        assert "a" not in other
        other.add({"a": 2})
    with kept_results(tmp_path / "store", "now") as first:
        assert first["a"] == 1
    with kept_results(tmp_path / "usual") as usual:
        assert usual.source == source_digest()


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    with kept_results(tmp_path):
        with pytest.raises(StoreInUse, match=rf"process {os.getpid()}\) works on this store, must be one at a time"):
            with kept_results(tmp_path):
                raise AssertionError("two at a time")


def test_a_full_disk_is_a_sentence_and_what_is_kept_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    with kept_results(tmp_path, "now") as kept:
        kept.add({"a": 1})
        before = batches_in(tmp_path)
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            with pytest.raises(BadFile, match=r"cannot be written \(No space left on device\)$"):
                kept.add({"b": 2})
        assert batches_in(tmp_path) == before and "b" not in kept
        kept.add({"b": 2})
    with kept_results(tmp_path, "now") as again:
        assert (again["a"], again["b"]) == (1, 2)


@pytest.mark.parametrize("call", ["fsync", "replace", "open", "mkdir"])
def test_whatever_a_full_disk_refuses_is_a_sentence(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object, **_others: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, call, full)
        with pytest.raises(BadFile, match=r"\(No space left on device\)$"), kept_results(tmp_path / "store") as kept:
            kept.add({"a": 1})
    with kept_results(tmp_path / "store") as again:
        assert "a" not in again
        again.add({"a": 1})


@pytest.mark.parametrize(
    "content", ["", "{", "[" * 100_000, "[]", '{"results": {}}', '{"source": "now", "results": 3}']
)
def test_a_damaged_batch_is_named(content: str, tmp_path: Path) -> None:
    with kept_results(tmp_path, "now") as kept:
        kept.add({"a": 1})
    (batch,) = (tmp_path / "batches").iterdir()
    batch.write_text(content)
    with (
        pytest.raises(BadFile, match=rf"{batch.name}: is no finished batch of results$"),
        kept_results(tmp_path, "now"),
    ):
        raise AssertionError("half a file was read")


def test_stores_of_another_kind_are_refused(tmp_path: Path) -> None:
    small_study().run(tmp_path / "study")
    with pytest.raises(BadFile, match=r"holds 'batches', must be a store of results or an empty folder$"):
        with kept_results(tmp_path / "study"):
            raise AssertionError("taken")
    with kept_results(tmp_path / "results"):
        pass
    with pytest.raises(BadFile, match=r"holds 'batches', must be a store of a study or an empty folder$"):
        small_study().run(tmp_path / "results")
