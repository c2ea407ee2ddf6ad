"""Results of any kind by name and sources: claims, checks, plans, outcomes of worlds, in JSON types.

store.json       says that the folder is such a store
batches/*.json   finished results, each file written whole and moved to its final name
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pushpoint.errors import BadFile
from pushpoint.simulation.storage import source_digest
from pushpoint.studies.storing.folder import StoreFolder, key_of
from pushpoint.user_files import parse_json, read_text

MOST_BATCH = 1_000_000_000
"""Bytes of the longest batch that is read."""


class ResultFolder(StoreFolder):
    """A folder with results. Different questions may share one: a key holds the name and the sources."""

    about_file, kind, question, batch_ending = "store.json", "store of results", "question", ".json"


class KeptResults(Mapping[str, Any]):
    """The results that a store holds from some sources, by name, and those that are added."""

    def __init__(self, store: ResultFolder, source: str) -> None:
        self.source = source
        self._store = store
        self._found: dict[str, Any] = {}
        for path in store.batch_files():
            self._found |= _results(path, source)

    def __getitem__(self, name: str) -> Any:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def add(self, results: Mapping[str, Any]) -> None:
        """Keeps results, by name and in JSON types, NaN included: all of them or none."""
        keys = "".join(key_of(f"{self.source}\0{name}".encode()) for name in results)
        content = json.dumps({"source": self.source, "results": dict(results)}) + "\n"
        self._store.write_batch(keys.encode(), content.encode())
        self._found |= results


def _results(path: Path, source: str) -> dict[str, Any]:
    """The results of a batch, if they come from these sources."""
    try:
        batch = parse_json(read_text(path, MOST_BATCH))
        return dict(batch["results"]) if batch["source"] == source else {}
    except (ValueError, KeyError, TypeError):
        raise BadFile(path, "is no finished batch of results") from None


@contextlib.contextmanager
def kept_results(folder: str | Path, source: str | None = None) -> Iterator[KeptResults]:
    """Opens a store of results, which nobody else may use meanwhile.

    Args:
        folder: The folder; it is made if necessary.
        source: What the results come from; default: the present sources of the package. Others are left alone.
    """
    store = ResultFolder(folder)
    with store.taken({}, {}):
        yield KeptResults(store, source_digest() if source is None else source)
