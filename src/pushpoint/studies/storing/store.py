"""The store of a study: a folder with its finished batches, kept runs and table.

study.json      the study that the store belongs to, as text
batches/*.npz   finished batches, each written whole and moved to its final name
runs/*.nc       runs that are kept whole, by the keys of their worlds
journal.jsonl   when batches were begun and finished
table.parquet   the table, written at the end (table.csv without pyarrow)
"""

from __future__ import annotations

import contextlib
import io
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.errors import BadFile
from pushpoint.studies.running.rows import KEY
from pushpoint.studies.storing.folder import BATCHES, StoreFolder, name_of_batch
from pushpoint.user_files import parse_json, read_text
from pushpoint.whole_files import write_bytes

if TYPE_CHECKING:
    from pushpoint.studies.running.batches import Finished

JOURNAL, RUNS = "journal.jsonl", "runs"
MOST_JOURNAL = 2_000_000_000
"""Bytes of the longest journal that is read."""


class StudyStore(StoreFolder):
    """A folder with what a study has found so far."""

    about_file, kind, question, batch_ending = "study.json", "store of a study", "study", ".npz"
    folders = (BATCHES, RUNS)

    def keep(self, finished: Finished) -> None:
        """Writes a batch. Runs come first, so that a batch that is there has all of its runs."""
        for key, content in finished.runs.items():
            write_bytes(self.folder / RUNS / f"{key}.nc", content)
        keys = finished.columns["key"]
        stream = io.BytesIO()
        columns: dict[str, Any] = {name.replace(":", "."): held for name, held in finished.columns.items()}
        np.savez(stream, allow_pickle=False, **columns)
        self.write_batch(keys.tobytes(), stream.getvalue())
        self.note("finished", keys)

    def note(self, event: str, keys: np.ndarray) -> None:
        """Adds a line to the journal."""
        named = name_of_batch(keys.tobytes())
        line = {"at": round(time.time(), 3), "event": event, "batch": named, "worlds": len(keys)}
        try:
            with open(self.folder / JOURNAL, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise BadFile(self.folder / JOURNAL, f"cannot be written ({error.strerror})") from None

    def journal(self) -> list[dict[str, Any]]:
        """The lines of the journal; one that a kill cut short, or that says something else, is left out."""
        path = self.folder / JOURNAL
        found = []
        for line in read_text(path, MOST_JOURNAL).splitlines() if path.is_file() else ():
            with contextlib.suppress(ValueError, TypeError, KeyError, OverflowError):
                held = parse_json(line)
                times = {"at": float(held["at"]), "worlds": int(held["worlds"])}
                found.append({"event": held["event"], "batch": held["batch"]} | times)
        return found

    def batch(self, path: Path, *names: str) -> dict[str, np.ndarray]:
        """The columns of a finished batch, or some of them."""
        try:
            # Opened here: NumPy leaves a damaged file open.
            with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
                held = {name.replace("measure.", "measure:"): name for name in file.files}
                return {name: file[held[name]] for name in names or held}
        except Exception as error:  # NumPy and zipfile raise all kinds of errors for a damaged file
            raise BadFile(path, f"is no finished batch ({' '.join(str(error).split())[:80]})") from None


class FinishedIndex:
    """Which worlds are finished, and where: 32 bytes for each."""

    def __init__(self, store: StudyStore) -> None:
        self.files = store.batch_files()
        keys = [np.asarray(store.batch(path, "key")["key"], dtype=KEY) for path in self.files]
        all_keys = np.concatenate([np.empty(0, dtype=KEY), *keys])
        sizes = [len(each) for each in keys]
        order = np.argsort(all_keys, kind="stable")
        self._keys = all_keys[order]
        self._file = np.repeat(np.arange(len(keys), dtype=np.int32), sizes)[order]
        rows = [np.arange(size, dtype=np.int32) for size in sizes]
        self._row = np.concatenate([np.empty(0, dtype=np.int32), *rows])[order]

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which keys are finished, and the number of the file and the row of each that is; shapes (n,)."""
        if not len(self._keys):
            nothing = np.zeros(len(keys), dtype=int)
            return nothing.astype(bool), nothing, nothing
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return self._keys[places] == keys, self._file[places], self._row[places]
