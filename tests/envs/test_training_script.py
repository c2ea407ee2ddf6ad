"""The script that trains networks, without training."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "benchmarks" / "learning"


def test_kernels_are_compiled_once_per_task_and_without_imitation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun: list[list[str]] = []

    class Begun:
        def __init__(self, words: list[str]) -> None:
            begun.append(words)

        def wait(self, _timeout: float | None = None) -> None:
            """Ends at once."""

    monkeypatch.setattr(sys, "path", [str(SCRIPTS), *sys.path])
    script: Any = import_module("train_networks")
    monkeypatch.setattr(script.subprocess, "Popen", Begun)
    words = ["train", "--plans", "pegs", "taught", "sidewind-fast", "--seeds", "0", "1", "--tried", "0"]
    monkeypatch.setattr(sys, "argv", ["script", *words, "--work", str(tmp_path), "--out", str(tmp_path / "out")])
    script.main()
    plans = [each[each.index("one") + 1] for each in begun]
    assert sorted(plans[:2]) == ["pegs", "sidewind"] and not any(script.PLANS[plan].imitation for plan in plans[:2])
    assert plans[2:] == ["pegs", "pegs", "taught", "taught", "sidewind-fast", "sidewind-fast"]
