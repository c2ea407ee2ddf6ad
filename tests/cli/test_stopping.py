"""Signals: every one that asks a command to end keeps what is done, says so in one line, and tells which it was."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pushpoint.bench import random_worlds
from pushpoint.cli.main import main
from pushpoint.cli.stopping import ASKING, Stopped, raising_stopped
from pushpoint.simulation.rollout import Rollout
from pushpoint.simulation.storage import load
from pushpoint.studies import comparison_study
from pushpoint.studies.running.batches import Batch, BatchRunner, Finished

COURSE = """\
robot:
  n_links: 3
  link: {length: 0.1, mass: 0.5, inertia: 1e-3, radius: 0.03}
  motor: {stiffness: 50, damping: 1}
controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -60}
duration: 0.2
"""
SIGNALS = list(ASKING)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder with a scenario; a signal that nobody handles does not end the tests, but fails one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "course.yaml").write_text(COURSE, encoding="utf-8")
    before = {number: signal.signal(number, _unhandled) for number in SIGNALS[1:]}
    yield tmp_path
    after = {number: signal.signal(number, handler) for number, handler in before.items()}
    assert set(after.values()) == {_unhandled}  # handlers are given back


def _unhandled(number: int, _frame: Any) -> None:
    raise AssertionError(f"{signal.Signals(number).name} was not handled")


def then_raise(
    monkeypatch: pytest.MonkeyPatch, number: int, owner: Any, name: str, when: Callable[[Any], bool]
) -> None:
    """Sends this process a signal after a method of an owner, when something holds."""
    original = getattr(owner, name)

    def method(self: Any, *arguments: Any) -> Any:
        found = original(self, *arguments)
        if when(self):
            signal.raise_signal(number)
        return found

    monkeypatch.setattr(owner, name, method)


class TestRun:
    @pytest.mark.parametrize("number", SIGNALS)
    def test_every_signal_keeps_the_samples(
        self, number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        then_raise(monkeypatch, number, Rollout, "advance", lambda rollout: rollout.time > 0.4)
        assert main(["run", "course.yaml", "--duration", "60", "--out", "there", "--no-media"]) == 128 + number
        said = capsys.readouterr().err
        assert said.startswith("interrupted after ") and said.endswith(" s; the samples up to there are kept\n")
        run = load("there/run.nc")
        assert run.attrs["status_code"] == "interrupted" and 0.4 < float(run.time[-1]) < 60.0

    @pytest.mark.parametrize("number", SIGNALS)
    def test_a_second_signal_ends_at_once(
        self, number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        then_raise(monkeypatch, number, Rollout, "advance", lambda rollout: True)
        then_raise(monkeypatch, number, Rollout, "health", lambda rollout: True)  # asked for once it is over
        assert main(["run", "course.yaml", "--duration", "60", "--out", "there"]) == 128 + number
        assert capsys.readouterr().err == "error: interrupted before all results were written\n"
        assert not list(Path("there").iterdir())

    def test_ignored_signals_stay_ignored(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # As nohup leaves SIGHUP, and a shell SIGINT of what it runs in the background.
        number = SIGNALS[-1]
        then_raise(monkeypatch, number, Rollout, "advance", lambda rollout: True)
        signal.signal(number, signal.SIG_IGN)
        assert main(["run", "course.yaml", "--out", "there", "--no-media"]) == 0
        assert signal.getsignal(number) is signal.SIG_IGN
        signal.signal(number, _unhandled)


class TestCompare:
    CALL = ("compare", "hybrid", "leader-follower", "--courses", "3", "--duration", "1")

    def test_what_is_done_is_kept_and_not_done_again(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        number = signal.SIGTERM
        assert main([*self.CALL, "--out", "whole"]) == 0
        driven: list[int] = []
        run = BatchRunner.run

        def counted(self: BatchRunner, batch: Batch) -> Finished:
            driven.append(len(batch.keys))
            if len(driven) == 2:
                signal.raise_signal(number)
            return run(self, batch)

        monkeypatch.setattr(comparison_study, "MOST_WORLDS", 2)
        monkeypatch.setattr(BatchRunner, "run", counted)
        capsys.readouterr()
        assert main([*self.CALL, "--out", "here"]) == 128 + number
        kept = "interrupted: 2 of 6 trials are done and kept in here/trials; the same command goes on from there\n"
        assert capsys.readouterr().err == kept
        assert not Path("here/comparison.json").exists()
        assert main([*self.CALL, "--out", "here"]) == 0
        assert sum(driven[2:]) == 4
        assert "2 of them were done before" in capsys.readouterr().out
        whole, resumed = (json.loads(Path(name, "comparison.json").read_text()) for name in ("whole", "here"))
        for document in (whole, resumed):
            del document["timing"], document["files"], document["done_before"]
        assert resumed == whole

    def test_another_question_in_the_same_folder_does_not_mix(self, monkeypatch: pytest.MonkeyPatch) -> None:
        driven: list[int] = []
        run = BatchRunner.run

        def counted(self: BatchRunner, batch: Batch) -> Finished:
            driven.append(len(batch.keys))
            return run(self, batch)

        monkeypatch.setattr(BatchRunner, "run", counted)
        for changed in ([], ["--duration", "2"], ["--seed", "7"], ["--starts", "2"]):
            assert main(["compare", "hybrid", "--courses", "1", "--duration", "1", *changed]) == 0
        assert driven == [1] * 4  # none of them answers another; two starts are one that is known and one that is not
        assert main(["compare", "hybrid", "--courses", "2", "--duration", "1", "--starts", "2"]) == 0
        written = json.loads(Path("out/compare/comparison.json").read_text())
        assert written["done_before"] == 2 and written["controllers"]["hybrid"]["trials"] == 4


class TestRandomWorlds:
    def test_worlds_that_are_done_are_kept(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        run_cases, asked = random_worlds.run_cases, []

        def short(cases: Any) -> Any:
            return run_cases(cases, 0.02)

        monkeypatch.setattr(random_worlds, "run_cases", short)
        whole = random_worlds.report(3, 6)
        call = ["bench", "random-worlds", "--count", "6", "--seed", "3", "--out", "here"]

        def some(cases: Any) -> Any:
            found = short(cases)
            asked.extend(each.seed for each in found)
            if len(asked) >= 2:
                monkeypatch.setattr(random_worlds, "run_cases", stopping)
            return found

        def stopping(cases: Any) -> Any:
            signal.raise_signal(signal.SIGTERM)
            raise AssertionError("a stop that is not heard")

        monkeypatch.setattr(random_worlds, "run_cases", some)
        assert main(call) == 128 + signal.SIGTERM
        said = capsys.readouterr().err.splitlines()[-1]
        kept = f"interrupted: {len(asked)} of 6 worlds are done and kept in here/finished"
        assert said == f"{kept}; the same command goes on from there"
        before = set(asked)
        monkeypatch.setattr(random_worlds, "run_cases", short)
        monkeypatch.setattr(random_worlds, "random_cases", lambda seeds, make: _made(seeds, make, before))
        assert main([*call, "--json"]) in (0, 1)
        printed = capsys.readouterr()
        assert json.loads(printed.out) == whole
        assert printed.err.startswith(f"{len(before)} of 6 worlds were done before\n")


def _made(seeds: Any, make: Any, before: set[int]) -> Iterator[Any]:
    """Worlds that are not done yet, made."""
    assert not before.intersection(seeds)
    return map(make, seeds)


def test_a_signal_that_python_lets_go_comes_once_more() -> None:
    class Lost:
        """What it raises when it is taken away is let go by Python."""

        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(Stopped) as stop, raising_stopped():
        lost = Lost()
        del lost
        time.sleep(60.0)
    assert stop.value.exit_status == 143


def test_a_signal_that_a_library_makes_another_error_of() -> None:
    with pytest.raises(Stopped) as stop, raising_stopped():
        try:
            signal.raise_signal(signal.SIGTERM)
        except Stopped:
            raise ImportError("initialization failed") from None
    assert stop.value.exit_status == 143
