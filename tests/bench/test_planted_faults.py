"""The list of planted faults fits the tree: each text is there once, and each test that is to turn red exists."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("planted_faults", ROOT / "benchmarks" / "planted_faults.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


SCRIPT = loaded()


@pytest.mark.parametrize("fault", SCRIPT.FAULTS, ids=lambda fault: fault.name)
def test_fault_can_be_planted(fault: Any) -> None:
    for edit in fault.edits:
        text = (ROOT / "src" / "pushpoint" / edit.file).read_text(encoding="utf-8")
        assert text.count(edit.old) == 1 and edit.new != edit.old
    assert fault.tests and all((ROOT / test).is_file() for test in fault.tests)


def test_what_no_longer_fits_fails_loudly(tmp_path: Path) -> None:
    copy = SCRIPT.Copy.__new__(SCRIPT.Copy)
    copy.folder = tmp_path
    file = tmp_path / "src" / "pushpoint" / "laws.py"
    file.parent.mkdir(parents=True)
    file.write_text("a = 1\na = 1\n", encoding="utf-8")
    for old in ("b = 1", "a = 1"):  # not there, there twice
        with pytest.raises(SystemExit, match=r"the text occurs [02] times, must be once"):
            copy.plant((SCRIPT.Edit(file="laws.py", old=old, new="a = 2"),))


def test_a_fault_is_caught_only_if_some_tests_stay_green() -> None:
    verdicts = [SCRIPT.Verdict(fault="x", red=red, run=2, seconds=1.0) for red in ((), ("a",), ("a", "b"))]
    assert [verdict.caught for verdict in verdicts] == [False, True, False]
    for verdict, word in zip(verdicts, ("NOT CAUGHT", "caught", "DOES NOT RUN"), strict=True):
        assert SCRIPT.told(verdict).startswith(f"{word} ")
