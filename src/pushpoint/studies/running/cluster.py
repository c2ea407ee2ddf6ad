"""Batches on workers: processes of this machine or those of any Dask scheduler.

Each worker has a lasting child process that runs its batches. A batch is sent to one worker. If that dies, another one
gets the batch, at most MOST_TRIES times; one that takes its place has another address, which is why Dask is not left to
repeat it. Every wait ends: with an answer, or with an error that says who did not answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import time
import warnings
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from pushpoint.errors import MissingExtra, PushpointError
from pushpoint.studies.running.batches import Batch, Finished
from pushpoint.studies.running.driving import Lost
from pushpoint.studies.running.process import maker_in_words
from pushpoint.studies.running.rows import Plan
from pushpoint.studies.running.worker_tasks import on_worker

MOST_TRIES = 3
"""How often a batch is begun before its worlds count as lost [-]."""
IN_FLIGHT = 2
"""Batches that a worker has at a time [-]: one that runs, and one that waits for it."""
STARTING = 60.0
"""How long a scheduler or a worker may take to answer at all [s]."""
PATIENCE = 3600.0
"""How long a batch may take [s]."""
SENDING = 600.0
"""How long what a batch found may be on its way here [s]."""
ALONE = 120.0
"""How long a study waits without any worker [s]."""
LOOK = 2.0
"""How often it looks after its workers [s]."""


class NoWorkers(PushpointError):
    """There is no worker that can take part."""


class WorkerGone(Exception):
    """The worker that was asked has left the scheduler."""

    def __init__(self, address: str) -> None:
        super().__init__(f"worker {address} is gone")


class Flight(NamedTuple):
    """A batch on its way."""

    batch: Batch
    """The batch."""
    tries: int
    """How often it was begun, with this time [-]."""
    address: str
    """The worker that has it."""


class DaskTeam:
    """Workers of a Dask cluster."""

    def __init__(self, plan: Plan, *, workers: int | None = None, scheduler: str | None = None) -> None:
        try:
            import dask
            import distributed
        except ImportError:
            raise MissingExtra("a study on workers", "studies") from None
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # deaths of workers are told in the result
        dask.config.set({"distributed.scheduler.allowed-failures": MOST_TRIES - 1, "distributed.comm.retry.count": 0})
        self._plan, self._distributed = pickle.dumps(plan), distributed
        self._maker, self._where = plan.maker, scheduler or "this machine"
        self._cluster: Any = None
        self._client: Any = None
        self.refused: dict[str, str] = {}
        self._told: set[str] = set()
        self._accepted: set[str] = set()
        self._asked: dict[str, Any] = {}
        self._warm: set[str] = set()
        try:
            self._client = self._connected(workers, scheduler)
            if scheduler is None:
                self._client.wait_for_workers(workers or 1, timeout=STARTING)
        except RuntimeError as error:
            self.close()
            advice = "a program of your own must start it below `if __name__ == '__main__':`"
            raise NoWorkers(f"workers = {workers}: they cannot be started ({error}); {advice}") from None
        except (OSError, TimeoutError) as error:
            self.close()
            raise NoWorkers(f"scheduler {self._where}: no answer in {STARTING:.0f} s ({error or 'timeout'})") from None

    def _connected(self, workers: int | None, scheduler: str | None) -> Any:
        if scheduler is None:
            local = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "memory_limit": 0, "silence_logs": 50}
            self._cluster = self._distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, **local
            )
        else:
            self._knock(scheduler)
        return self._distributed.Client(self._cluster or scheduler, timeout=STARTING, set_as_default=False)

    def _knock(self, scheduler: str) -> None:
        """Asks for an answer without a client: one that fails in its constructor leaves a thread that nobody ends.

        When such a client is collected while the next one starts, the two wait for each other's lock.
        """
        options = self._distributed.Security().get_connection_args("client")

        async def knock() -> None:
            comm = await self._distributed.comm.connect(scheduler, timeout=STARTING, **options)
            await comm.close()

        try:
            with ThreadPoolExecutor(1) as aside:  # in a notebook this thread has a loop already
                aside.submit(asyncio.run, knock()).result()
        except ValueError as error:
            raise NoWorkers(f"scheduler {scheduler!r} is no address of a scheduler ({error})") from None
        except TypeError:  # what Dask raises without certificates
            advice = "Dask's settings distributed.comm.tls name no certificates for it"
            raise NoWorkers(f"scheduler {scheduler!r} cannot be reached: {advice}") from None

    def _addresses(self) -> dict[str, Any]:
        """The workers that the scheduler has now, with what it knows of them."""
        try:
            found: dict[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
        except OSError as error:
            raise self._lost(error) from None
        return found

    def _lost(self, error: Exception) -> NoWorkers:
        """What is said when the scheduler ends."""
        return NoWorkers(f"scheduler {self._where} is gone ({type(error).__name__}); what is finished is kept")

    def _look_after(self, first: Batch) -> set[str]:
        """Asks new workers what they are, and lets one of each machine compile the kernels before the others begin."""
        there = self._addresses()
        self._accepted &= set(there)
        for address, said in self._introduced(there):
            if said == self._maker:
                self._accepted.add(address)
            else:
                what = maker_in_words(said) if isinstance(said, str) else f"no sound installation ({said})"
                wanted = maker_in_words(self._maker)
                self.refused[address] = f"worker {address} is refused: it has {what}, must be {wanted}"
        if self._accepted:  # without any, the error says it
            for address in sorted(self.refused.keys() - self._told):
                warnings.warn(self.refused[address], RuntimeWarning, stacklevel=2)
            self._told |= self.refused.keys()
        self._warm_up({address: str(there[address].get("host", address)) for address in self._accepted}, first)
        return self._accepted

    def _introduced(self, there: Iterable[str]) -> Iterator[tuple[str, Any]]:
        """Workers that say what they are. One that is busy, such as with a batch of a killed study, may do so later."""
        self._asked = {address: asked for address, asked in self._asked.items() if address in there}
        later = [address for address, asked in self._asked.items() if asked.status != "pending"]
        known = {*self._accepted, *self.refused, *self._asked}
        new = {address: self._ask(address, "identity", self._device) for address in there if address not in known}
        self._asked |= new
        until = time.monotonic() + STARTING
        for address in (*later, *new):
            said = self._answer(self._asked[address], max(until - time.monotonic(), 0.1), address)
            if not isinstance(said, TimeoutError):
                del self._asked[address]
                if not isinstance(said, WorkerGone):
                    yield address, said

    def _warm_up(self, machines: dict[str, str], first: Batch) -> None:
        """Lets one worker of each new machine compile the kernels, all machines at the same time."""
        chosen = {machine: address for address, machine in sorted(machines.items()) if machine not in self._warm}
        asked = {machine: self._ask(address, "warm", self._plan, first) for machine, address in chosen.items()}
        for machine, answer in asked.items():
            if isinstance(self._answer(answer, PATIENCE, chosen[machine]), WorkerGone):
                self._accepted.discard(chosen[machine])  # the next look asks another worker of that machine
            else:
                self._warm.add(machine)

    @property
    def _device(self) -> str:
        settings = pickle.loads(self._plan).document.get("settings", {})
        return str(settings.get("device", "cpu"))

    def _ask(self, address: str, what: str, *rest: Any) -> Any:
        options = {"workers": [address], "allow_other_workers": False, "pure": False, "retries": 0}
        return self._client.submit(on_worker, what, rest, PATIENCE, **options)

    def _answer(self, future: Any, patience: float, address: str) -> Any:
        """What a worker says, the error that it raised, or that it is gone."""
        until, wait = time.monotonic() + patience, LOOK
        while True:
            try:
                return future.result(timeout=min(wait, patience))
            except TimeoutError as error:
                if address not in self._addresses():
                    return WorkerGone(address)
                if time.monotonic() > until:
                    return error
                wait *= 2.0  # a large answer, such as runs that are kept, is sent anew from its beginning
            except CancelledError as error:
                raise self._lost(error) from None
            except Exception as error:
                return error

    def results(self, batches: Iterator[Batch]) -> Iterator[Finished | Lost]:
        """Runs batches: two at a time on each worker, so that none waits and little is in flight."""
        waiting: deque[tuple[Batch, int]] = deque()
        flying: dict[Any, Flight] = {}
        first = next(batches, None)
        if first is None:
            return
        waiting.append((first, 1))
        looked, seen, more = -np.inf, time.monotonic(), True
        while waiting or flying or more:
            if time.monotonic() - looked > LOOK:
                accepted, looked = self._look_after(first), time.monotonic()
                seen = looked if accepted else seen
                self._complain(accepted, looked - seen)
                for batch, tries, address in self._recalled(flying):
                    yield from _again(waiting, batch, tries, WorkerGone(address))
            while (free := self._free(flying)) and (waiting or more):
                ready, tries = waiting.popleft() if waiting else (next(batches, None), 1)
                if ready is None:
                    more = False
                    break
                flying[self._sent(ready, free)] = Flight(ready, tries, free)
            for future in self._landed(flying):
                batch, tries, address = flying.pop(future)
                answer = self._answer(future, SENDING, address)
                future.release()
                if isinstance(answer, Finished):
                    yield answer
                else:
                    yield from _again(waiting, batch, tries + 1, answer)

    def _free(self, flying: dict[Any, Flight]) -> str | None:
        """The worker with the fewest batches, if it may have one more."""
        held = Counter(flight.address for flight in flying.values())
        address = min(sorted(self._accepted), key=lambda each: held[each], default=None)
        return address if address is not None and held[address] < IN_FLIGHT else None

    def _recalled(self, flying: dict[Any, Flight]) -> list[Flight]:
        """Batches of workers that are gone. The oldest of each was running and may be to blame: its tries count."""
        gone = [future for future, flight in flying.items() if flight.address not in self._accepted]
        found, blamed = [], set[str]()
        for future in gone:
            batch, tries, address = flying.pop(future)
            future.release()
            found.append(Flight(batch, tries + (address not in blamed), address))
            blamed.add(address)
        return found

    def _complain(self, accepted: set[str], alone: float) -> None:
        if accepted:
            return
        if self.refused and len(self.refused) >= len(self._addresses()):
            raise NoWorkers("; ".join(list(self.refused.values())[:3]))
        if alone > (PATIENCE if self._asked else ALONE):
            there = "has answered" if self._asked else "has been there"
            raise NoWorkers(f"no worker {there} for {alone:.0f} s; what is finished is kept")

    def _sent(self, batch: Batch, address: str) -> Any:
        # With the plan, which is small: data that lies on a worker would be lost with it.
        options = {"workers": [address], "allow_other_workers": False, "pure": False}
        return self._client.submit(on_worker, "run", (self._plan, batch), PATIENCE, **options)

    def _landed(self, flying: dict[Any, Flight]) -> list[Any]:
        """Batches that are over; waits for one for a while."""
        if not flying:
            time.sleep(0.1)
            return []
        try:
            with contextlib.suppress(TimeoutError), self._client.as_current():
                self._distributed.wait(list(flying), timeout=LOOK, return_when="FIRST_COMPLETED")
        except CancelledError as error:
            raise self._lost(error) from None
        return [future for future in flying if future.status not in ("pending", "processing")]

    def close(self) -> None:
        """Ends the workers that were started here; those of another scheduler stay."""
        for each in (self._client, self._cluster):
            if each is not None:
                with contextlib.suppress(Exception):  # the work is done, whatever the end of a process says
                    each.close(timeout=STARTING)


def _again(waiting: deque[tuple[Batch, int]], batch: Batch, tries: int, answer: Any) -> Iterator[Lost]:
    """Lets a batch wait for its next try; if it had all of them, it is lost."""
    if tries > MOST_TRIES or _is_killed(answer):
        yield Lost(batch, f"its worker died or failed {MOST_TRIES} times, last with: {answer}")
    else:
        waiting.append((batch, tries))


def _is_killed(answer: Any) -> bool:
    """Whether Dask has already begun a batch as often as allowed."""
    return type(answer).__name__ == "KilledWorker"
