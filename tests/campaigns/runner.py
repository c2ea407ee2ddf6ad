"""Runs campaigns in child processes: a crash or a hang ends one child, is written down with its seed, and all goes on.

    python -m campaigns.runner "planar worlds" "calls" --count 1000 --jobs 2 --log out/campaign

Results are kept seed by seed; the same command goes on where it stopped, unless sources have changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing as mp
import os
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from campaigns.campaign import Kind, Outcome, kinds, work
from pushpoint.simulation.provenance import PACKAGES, version_of
from pushpoint.simulation.storage import source_digest
from pushpoint.studies.storing.results import KeptResults, kept_results
from pushpoint.whole_files import write_bytes

BUNCH = 50
"""Seeds that a child is given at a time [-]."""
BETWEEN = 1.0
"""How often outcomes are written [s]: the last ones of a campaign that is killed are tried again."""
MOST_SAID = 3
"""Sentences kept per outcome as examples, and defects told on the way."""


def sources() -> str:
    """Digest of the package and of the campaigns."""
    digest = hashlib.sha256(source_digest().encode())
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]


class Child:
    """A process that tries seeds, and what it is at."""

    def __init__(self, chosen: Kind, folder: Path, number: int) -> None:
        self.limit, self.errors = chosen.limit, folder / f"child-{number}.txt"
        self.pipe, theirs = mp.get_context("spawn").Pipe()
        self.process = mp.get_context("spawn").Process(
            target=work, args=(chosen, theirs, str(self.errors)), daemon=False
        )
        self.process.start()
        theirs.close()
        self.seeds: deque[int] = deque()
        """Seeds that it was given and has not finished."""
        self.begun: float | None = None

    def give(self, seeds: Sequence[int]) -> None:
        """More to do."""
        self.seeds.extend(seeds)
        self.pipe.send(list(seeds))

    def read(self) -> Iterator[tuple[int, Outcome, int]]:
        """What it has finished since; a child that died or hangs has finished its seed as a defect."""
        try:
            while self.pipe.poll():
                seed, outcome, peak = self.pipe.recv()
                self.begun = time.monotonic() if outcome is None else None
                if outcome is not None:
                    self.seeds.popleft()
                    yield seed, outcome, peak
        except (EOFError, OSError):
            self.process.join()
            yield self._lost(f"crash: exit status {self.process.exitcode}")
        if self.begun is not None and time.monotonic() - self.begun > self.limit:
            self.process.kill()
            self.process.join()
            yield self._lost(f"hang: longer than {self.limit:g} s")

    def _lost(self, defect: str) -> tuple[int, Outcome, int]:
        words = self.errors.read_text(errors="replace")[-500:] if self.errors.exists() else ""
        return self.seeds.popleft() if self.seeds else -1, Outcome("lost", self.limit, "", f"{defect} {words}"), 0

    @property
    def alive(self) -> bool:
        return self.process.is_alive()


class Keeping:
    """Outcomes on their way into a store: those of a second are kept together."""

    def __init__(self, kept: KeptResults) -> None:
        self.kept = kept
        self._fresh: dict[str, Any] = {}
        self._last = time.monotonic()

    def add(self, seed: int, outcome: Outcome) -> None:
        """Keeps an outcome, now or soon."""
        self._fresh[str(seed)] = asdict(outcome)
        if time.monotonic() - self._last > BETWEEN:
            self.flush()

    def flush(self) -> None:
        """Keeps what there is."""
        if self._fresh:
            self.kept.add(self._fresh)
        self._fresh, self._last = {}, time.monotonic()


def run(chosen: Kind, seeds: range, *, jobs: int, log: Path) -> dict[str, Any]:
    """Tries all seeds that the log does not hold yet; returns the summary of all."""
    with kept_results(log / chosen.name.replace(" ", "-"), sources()) as kept:
        keeping = Keeping(kept)
        peak = try_all(chosen, deque(seed for seed in seeds if str(seed) not in kept), jobs, keeping)
        keeping.flush()
        return summary(chosen, {seed: Outcome(**kept[str(seed)]) for seed in seeds}, peak)


def try_all(chosen: Kind, todo: deque[int], jobs: int, keeping: Keeping) -> int:
    """Tries seeds in child processes; returns the largest memory of one of them [MB]."""
    peak = 0
    with tempfile.TemporaryDirectory() as place:
        children = [Child(chosen, Path(place), k) for k in range(min(jobs, len(todo)))]
        while todo or any(child.seeds for child in children):
            for k, child in enumerate(children):
                for seed, outcome, most in child.read():
                    peak = max(peak, most)
                    keeping.add(seed, outcome)
                    if outcome.defect:
                        print(f"{chosen.name} {seed}: {outcome.defect}", file=sys.stderr, flush=True)
                if not child.alive and (child.seeds or todo):
                    todo.extendleft(reversed(child.seeds))
                    children[k] = child = Child(chosen, Path(place), k)
                if len(child.seeds) < 2 and todo:
                    child.give([todo.popleft() for _ in range(min(BUNCH, max(1, len(todo) // (2 * jobs)), len(todo)))])
            wait([child.pipe for child in children], timeout=1.0)
        for child in children:
            child.pipe.send([])
            child.process.join()
    return peak


def summary(chosen: Kind, found: dict[int, Outcome], peak: int) -> dict[str, Any]:
    """Counts, slowest trial, memory, and every defect with its seed."""
    words = Counter(outcome.outcome for outcome in found.values())
    slowest = max(found, key=lambda seed: found[seed].seconds, default=0)
    return {
        "kind": chosen.name,
        "what": " ".join((chosen.trial.__doc__ or "").split()),
        "trials": len(found),
        "first_seed": min(found, default=0),
        "outcomes": dict(words.most_common()),
        "limit_s": chosen.limit,
        "slowest_s": round(found[slowest].seconds, 3) if found else 0.0,
        "slowest_seed": slowest,
        "peak_memory_mb": peak or None,
        "defects": {str(seed): outcome.defect for seed, outcome in found.items() if outcome.defect},
    }


def keep(log: Path, file: Path) -> None:
    """Puts the summaries of a log together in one file."""
    found = [json.loads(each.read_text(encoding="utf-8")) for each in sorted(log.glob("*.json"))]
    versions = {name: version_of(name) for name in PACKAGES}
    document = {"python": sys.version.split()[0], "versions": versions, "kinds": found}
    write_bytes(file, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode())


def main() -> int:
    known = kinds()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(known)}; default: all")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, help="trials of each kind; default: those of the whole campaign")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--log", type=Path, default=Path("out/campaign"), help="folder for what is found")
    parser.add_argument("--keep", type=Path, help="write the summaries of all kinds of the log into this file")
    given = parser.parse_args()
    defects = 0
    for name in given.kinds or known:
        chosen = known[name]
        seeds = range(given.first, given.first + (chosen.full if given.count is None else given.count))
        begun = time.monotonic()
        found = run(chosen, seeds, jobs=given.jobs, log=given.log)
        found["wall_s"] = round(time.monotonic() - begun, 1)
        write_bytes(given.log / f"{name.replace(' ', '-')}.json", (json.dumps(found, indent=2) + "\n").encode())
        told = {key: value for key, value in found.items() if key != "defects"} | {"defects": len(found["defects"])}
        print(json.dumps(told), flush=True)
        defects += len(found["defects"])
    if given.keep:
        keep(given.log, given.keep)
    return int(defects > 0)


if __name__ == "__main__":
    sys.exit(main())
