"""Studies on workers of this machine: the same table as in one process, deaths survived, strangers refused."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import psutil
import pytest

from pushpoint.studies import RandomDesign, Range, Study, load_table
from pushpoint.studies.running import cluster
from pushpoint.studies.running.batches import Batch, Finished
from pushpoint.studies.running.cluster import DaskTeam, NoWorkers
from pushpoint.studies.running.driving import Lost, run_study
from pushpoint.studies.running.process import BatchProcess, ChildDied
from pushpoint.studies.running.rows import StudyRows
from studies.small_study import FIELDS, small_study

# What Dask's own threads leave open at their end is not ours to mend.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def many(count: int = 60, **changes: Any) -> Study:
    varies = [Range(field=FIELDS[0], low=20.0, high=60.0)]
    return small_study(varies=varies, design=RandomDesign(count=count), batch=5, **changes)


def batches(study: Study, size: int) -> Iterator[Batch]:
    rows = StudyRows(study.plan())
    for codes in study.design.blocks(study.varies):
        for first in range(0, len(codes), size):
            part = codes[first : first + size]
            yield Batch(rows.keys(part), part)


def test_a_killed_worker_loses_nothing_and_the_table_is_that_of_one_process(tmp_path: Path) -> None:
    alone = many().run(tmp_path / "alone").table.read_bytes()
    killed: list[int] = []

    def watch(standing: Any) -> None:
        if standing.simulated >= 20 and not killed:
            children = psutil.Process().children(recursive=True)
            workers = [each for each in children if each.cmdline()[-1:] == ["pushpoint.studies.running.process"]]
            killed.append(workers[0].ppid())  # a worker is the parent of a process that runs batches
            os.kill(killed[0], signal.SIGKILL)

    found = run_study(many(), tmp_path / "two", workers=2, watch=watch)
    assert killed and found.lost == {} and found.standing.simulated == 60
    assert found.table.read_bytes() == alone
    begun = [line["worlds"] for line in _journal(tmp_path / "two", "begun")]
    assert sum(begun) == 60  # every world was begun once; those of the dead worker were only sent again


def test_the_only_worker_dies_and_the_one_that_takes_its_place_goes_on(tmp_path: Path) -> None:
    # Batches that only the dead worker may run would wait for it forever. The limit is there to say so, not to measure.
    alone = many().run(tmp_path / "alone").table.read_bytes()
    killed: list[int] = []

    def watch(standing: Any) -> None:
        if standing.simulated >= 20 and not killed:
            children = psutil.Process().children(recursive=True)
            (child,) = [each for each in children if each.cmdline()[-1:] == ["pushpoint.studies.running.process"]]
            killed.append(child.ppid())
            os.kill(killed[0], signal.SIGKILL)

    with ended_after(600.0):
        found = run_study(many(), tmp_path / "one", workers=1, watch=watch)
    assert killed and found.lost == {} and found.table.read_bytes() == alone


@contextlib.contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """Interrupts what takes longer than that [s]."""

    def give_up(*_: Any) -> None:
        pytest.fail(f"not finished in {seconds:.0f} s")

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _journal(store: Path, event: str) -> list[dict[str, Any]]:
    from pushpoint.studies.storing.store import StudyStore

    return [line for line in StudyStore(store).journal() if line["event"] == event]


def test_a_worker_with_another_version_is_refused_and_the_store_is_intact(tmp_path: Path) -> None:
    many(5).run(tmp_path)
    plan = many(6).plan()
    plan = replace(plan, maker=plan.maker.replace('"0.', '"9.', 1))
    team = DaskTeam(plan, workers=1)
    try:
        said = r"worker tcp://127\.0\.0\.1:\d+ is refused: it has pushpoint 0.* must be pushpoint 9"
        with warnings.catch_warnings(), pytest.raises(NoWorkers, match=said):
            warnings.simplefilter("error", RuntimeWarning)  # the error says it; nothing says it twice
            list(team.results(batches(many(6), 5)))
    finally:
        team.close()
    assert load_table(tmp_path).sizes["world"] == 5


def test_an_unreachable_scheduler_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A client that fails in its constructor leaves a thread behind, and the next one may wait for it until it gives up.
    monkeypatch.setattr(cluster, "STARTING", 0.5)
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("a client was made of no scheduler"))
    with pytest.raises(NoWorkers, match=r"scheduler tcp://127\.0\.0\.1:9: no answer in"):
        many(5).run(tmp_path, scheduler="tcp://127.0.0.1:9")
    with pytest.raises(NoWorkers, match=r"distributed\.comm\.tls name no certificates"):
        many(5).run(tmp_path, scheduler="tls://127.0.0.1:9")
    with pytest.raises(NoWorkers, match="is no address of a scheduler"):
        many(5).run(tmp_path, scheduler="nowhere://x")
    assert many(5).run(tmp_path).standing.simulated == 5  # the store can be used


def test_the_process_of_a_worker_lasts_and_is_started_again_only_when_it_died() -> None:
    child, study = BatchProcess(threads=1), many(10)
    plan, first = pickle.dumps(study.plan()), next(batches(study, 5))
    try:
        one = child.ask("run", plan, first, patience=60.0)
        pid = child._child.pid  # type: ignore[union-attr]
        assert isinstance(one, Finished) and one.columns["key"].tolist() == first.keys.tolist()
        assert child.ask("identity", "cpu", patience=60.0) == study.plan().maker
        assert child._child.pid == pid  # type: ignore[union-attr]
        threading.Timer(0.5, os.kill, (pid, signal.SIGKILL)).start()
        long = many(2000, base=small_study().base.with_changes(duration=20.0))
        with pytest.raises(ChildDied):
            child.ask("run", pickle.dumps(long.plan()), next(batches(long, 2000)), patience=60.0)
        assert np.array_equal(
            child.ask("run", plan, first, patience=60.0).columns["measure:distance"], one.columns["measure:distance"]
        )
    finally:
        child.end()


def test_a_child_that_takes_too_long_is_ended() -> None:
    child, study = BatchProcess(threads=1), many(2000, base=small_study().base.with_changes(duration=50.0))
    try:
        child.ask("identity", "cpu", patience=60.0)
        begun = time.monotonic()
        with pytest.raises(ChildDied, match="did not answer in time"):
            child.ask("run", pickle.dumps(study.plan()), next(batches(study, 2000)), patience=0.5)
        assert time.monotonic() - begun < 10.0
    finally:
        child.end()


def test_a_stranger_among_workers_is_named_and_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    team, own = object.__new__(DaskTeam), many(5).plan().maker
    said = {"a": own, "b": own.replace('"0.', '"9.', 1), "c": ModuleNotFoundError("No module named 'pushpoint'")}
    team._accepted, team._asked, team.refused, team._told, team._warm = set(), {}, {}, set(), set()
    team._maker, team._plan = own, pickle.dumps(many(5).plan())
    monkeypatch.setattr(team, "_addresses", lambda: {address: {} for address in said}, raising=False)
    monkeypatch.setattr(team, "_ask", lambda address, what, *rest: (address, what), raising=False)
    monkeypatch.setattr(team, "_answer", lambda asked, patience, address: said[asked[0]], raising=False)
    with pytest.warns(RuntimeWarning, match="is refused: it has") as warned:
        assert team._look_after(next(batches(many(5), 5))) == {"a"}
    told = [str(each.message) for each in warned]
    assert told[0].startswith("worker b is refused: it has pushpoint 9") and "No module named 'pushpoint'" in told[1]
    assert set(team.refused) == {"b", "c"}
    assert team._look_after(next(batches(many(5), 5))) == {"a"}  # each is told once


class Falling:
    """Stands for a client whose workers die with every batch."""

    status = "error"

    def result(self, timeout: float) -> None:
        raise ChildDied("gone")

    def release(self) -> None:
        pass


def test_a_batch_is_repeated_a_stated_number_of_times_and_then_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    team = object.__new__(DaskTeam)
    sent: list[Batch] = []

    def send(batch: Batch, address: str) -> Falling:
        sent.append(batch)
        return Falling()

    team._accepted, team.refused = {"a"}, {}
    monkeypatch.setattr(team, "_look_after", lambda first: {"a"}, raising=False)
    monkeypatch.setattr(team, "_sent", send, raising=False)
    monkeypatch.setattr(team, "_landed", lambda flying: list(flying), raising=False)
    (lost,) = team.results(batches(many(5), 5))
    assert isinstance(lost, Lost) and len(sent) == cluster.MOST_TRIES and "gone" in lost.sentence


class Pending(Falling):
    """Stands for a batch, or a question, whose worker is gone: it never ends."""

    status = "pending"

    def result(self, timeout: float) -> None:
        raise TimeoutError


def test_batches_of_workers_that_are_gone_are_sent_again_and_the_one_that_ran_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    team, sent, looks = object.__new__(DaskTeam), list[tuple[bytes, str]](), iter(range(100))
    team._accepted, team.refused = set(), {}

    def look(first: Batch) -> set[str]:
        team._accepted = {f"worker-{next(looks)}"}  # at each look the worker of before is gone
        return team._accepted

    def send(batch: Batch, address: str) -> Pending:
        sent.append((batch.keys[0], address))
        return Pending()

    monkeypatch.setattr(cluster, "LOOK", 0.0)
    monkeypatch.setattr(team, "_look_after", look, raising=False)
    monkeypatch.setattr(team, "_sent", send, raising=False)
    monkeypatch.setattr(team, "_landed", lambda flying: [], raising=False)
    lost = list(team.results(batches(many(10), 5)))
    assert len(lost) == 2 and all(isinstance(each, Lost) and "is gone" in each.sentence for each in lost)
    times = {key: [address for held, address in sent if held == key] for key, _ in sent}
    assert sorted(map(len, times.values())) == [cluster.MOST_TRIES, 2 * cluster.MOST_TRIES]  # one waits for the other
    assert all(len(set(addresses)) == len(addresses) for addresses in times.values())


def test_a_large_answer_gets_the_time_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    team = object.__new__(DaskTeam)

    class Large(Falling):
        def result(self, timeout: float) -> str:  # type: ignore[override]
            if timeout < 5.0 * cluster.LOOK:  # every wait has it sent anew
                raise TimeoutError
            return "all of it"

    monkeypatch.setattr(team, "_addresses", lambda: {"a": {}}, raising=False)
    assert team._answer(Large(), cluster.SENDING, "a") == "all of it"


def test_a_busy_worker_is_not_refused_and_joins_when_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that was killed leaves its workers with a batch; the next one finds them busy."""
    team, own = object.__new__(DaskTeam), many(5).plan().maker
    team._accepted, team._asked, team.refused, team._told, team._warm = set(), {}, {}, set(), set()
    team._maker, team._plan = own, pickle.dumps(many(5).plan())

    class Busy(Pending):
        def result(self, timeout: float) -> str:  # type: ignore[override]
            if self.status == "pending":
                raise TimeoutError
            return own

    asked: list[Busy] = []

    def ask(address: str, what: str, *rest: Any) -> Busy:
        asked.append(Busy())
        return asked[-1]

    monkeypatch.setattr(cluster, "STARTING", 0.1)
    monkeypatch.setattr(team, "_addresses", lambda: {"a": {}}, raising=False)
    monkeypatch.setattr(team, "_ask", ask, raising=False)
    monkeypatch.setattr(team, "_warm_up", lambda machines, first: None, raising=False)
    first = next(batches(many(5), 5))
    assert team._look_after(first) == team._look_after(first) == set() and team.refused == {}
    team._complain(set(), cluster.ALONE + 1.0)  # it is waited for, as long as a batch may take
    asked[0].status = "finished"
    assert team._look_after(first) == {"a"} and len(asked) == 1
    with pytest.raises(NoWorkers, match="no worker has been there for 121 s"):
        team._complain(set(), cluster.ALONE + 1.0)


def test_a_worker_that_leaves_while_it_is_asked_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    team, own = object.__new__(DaskTeam), many(5).plan().maker
    team._accepted, team._asked, team.refused, team._told, team._warm = set(), {}, {}, set(), set()
    team._maker, team._plan = own, pickle.dumps(many(5).plan())
    there = iter([{"a": {}, "b": {}}, {"b": {}}, {}, {}])  # a leaves before it says what it is, b while it compiles

    class Said(Falling):
        def result(self, timeout: float) -> str:  # type: ignore[override]
            return own

    def ask(address: str, what: str, *rest: Any) -> Falling:
        return Said() if (address, what) == ("b", "identity") else Pending()

    monkeypatch.setattr(team, "_addresses", lambda: next(there), raising=False)
    monkeypatch.setattr(team, "_ask", ask, raising=False)
    begun = time.monotonic()
    assert team._look_after(next(batches(many(5), 5))) == set()
    assert time.monotonic() - begun < 10.0 and team.refused == {} and team._warm == set()
