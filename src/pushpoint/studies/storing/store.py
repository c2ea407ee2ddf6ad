"""The store of a study: a folder with its finished batches, kept runs and table.

study.json      the study that the store belongs to, as text
batches/*.npz   finished batches, each written whole and moved to its final name
runs/*.nc       runs that are kept whole, by the keys of their worlds
journal.jsonl   when batches were begun and finished
table.parquet   the table, written at the end (table.csv without pyarrow)
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import time
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.errors import BadFile, PushpointError, shown
from pushpoint.studies.running.rows import KEY
from pushpoint.user_files import parse_json, read_text
from pushpoint.whole_files import write_bytes

if TYPE_CHECKING:
    from pushpoint.studies.running.batches import Finished

ABOUT, LOCK, JOURNAL, BATCHES, RUNS = "study.json", "lock", "journal.jsonl", "batches", "runs"
FORMAT = 1
MOST_JOURNAL = 2_000_000_000
"""Bytes of the longest journal that is read."""


class StoreInUse(PushpointError):
    """Another process works on the store."""

    def __init__(self, folder: Path, process: str) -> None:
        whose = f" (process {process})" if process else ""
        super().__init__(f"{folder}: another process{whose} works on this store, must be one at a time")


class OtherStudy(PushpointError):
    """The store belongs to another study."""

    def __init__(self, folder: Path, what: str, held: Any, asked: Any) -> None:
        super().__init__(
            f"{folder}: the store belongs to another study, whose {what} is {shown(held)} and not {shown(asked)}; "
            f"must be a folder of its own"
        )
        self.what = what


class StudyStore:
    """A folder with what a study has found so far."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def about(self) -> dict[str, Any]:
        """The study that the store belongs to, as text; raises BadFile if there is none."""
        path = self.folder / ABOUT
        if not path.is_file():
            raise BadFile(self.folder, "is no store of a study")
        try:
            found = parse_json(read_text(path))
        except ValueError:
            found = None
        if not isinstance(found, dict) or not isinstance(found.get("belongs"), dict):
            raise BadFile(path, "does not describe a study")
        if found.get("format") != FORMAT:
            raise BadFile(path, f"has the format {shown(found.get('format'))}, must be {FORMAT}")
        return found

    @contextlib.contextmanager
    def taken(self, belongs: Mapping[str, Any], text: Mapping[str, Any]) -> Iterator[None]:
        """Takes the store for a study: creates it if necessary, and refuses one that is not the study's or in use.

        `belongs` says which study it is, `text` describes all of it. The lock ends with the process, however it ends.
        """
        handle = self._locked()
        try:
            if (self.folder / ABOUT).exists():
                self._check(belongs)
            elif left := sorted(set(os.listdir(self.folder)) - {LOCK}):
                raise BadFile(self.folder, f"holds {shown(left[0])}, must be a store of this study or an empty folder")
            about = {"format": FORMAT, "belongs": dict(belongs), **text}
            write_bytes(self.folder / ABOUT, (json.dumps(about, indent=1) + "\n").encode())
            for name in (BATCHES, RUNS):
                (self.folder / name).mkdir(exist_ok=True)
            yield
        finally:
            os.close(handle)

    def _locked(self) -> int:
        """Locks the store; the system unlocks it when this process ends."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        except FileExistsError:
            raise BadFile(self.folder, "is a file, must be a folder for the store") from None
        except OSError as error:
            raise BadFile(self.folder, f"cannot be used as a store ({error.strerror})") from None
        with contextlib.suppress(ImportError):  # a system without file locks
            import fcntl

            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                process = os.pread(handle, 20, 0).decode(errors="replace").strip()
                os.close(handle)
                raise StoreInUse(self.folder, process) from None
        with contextlib.suppress(OSError):  # a full disk: the number only helps readers
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        return handle

    def _check(self, belongs: Mapping[str, Any]) -> None:
        held = self.about()["belongs"]
        for what, asked in json.loads(json.dumps(dict(belongs))).items():
            if held.get(what) != asked:
                raise OtherStudy(self.folder, what, held.get(what), asked)

    def keep(self, finished: Finished) -> None:
        """Writes a batch. Runs come first, so that a batch that is there has all of its runs."""
        for key, content in finished.runs.items():
            write_bytes(self.folder / RUNS / f"{key}.nc", content)
        keys = finished.columns["key"]
        stream = io.BytesIO()
        columns: dict[str, Any] = {name.replace(":", "."): held for name, held in finished.columns.items()}
        np.savez(stream, allow_pickle=False, **columns)
        write_bytes(self.folder / BATCHES / f"{name_of_batch(keys)}.npz", stream.getvalue())
        self.note("finished", keys)

    def note(self, event: str, keys: np.ndarray) -> None:
        """Adds a line to the journal."""
        line = {"at": round(time.time(), 3), "event": event, "batch": name_of_batch(keys), "worlds": len(keys)}
        try:
            with open(self.folder / JOURNAL, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise BadFile(self.folder / JOURNAL, f"cannot be written ({error.strerror})") from None

    def journal(self) -> list[dict[str, Any]]:
        """The lines of the journal; one that a kill cut short is left out."""
        path = self.folder / JOURNAL
        found = []
        for line in read_text(path, MOST_JOURNAL).splitlines() if path.is_file() else ():
            try:
                found.append(dict(parse_json(line)))
            except (ValueError, TypeError):
                continue
        return found

    def batch_files(self) -> list[Path]:
        """The finished batches, in the order of their names."""
        return sorted((self.folder / BATCHES).glob("[0-9a-f]*.npz"))

    def batch(self, path: Path, *names: str) -> dict[str, np.ndarray]:
        """The columns of a finished batch, or some of them."""
        try:
            # Opened here: NumPy leaves a damaged file open.
            with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
                held = {name.replace("measure.", "measure:"): name for name in file.files}
                return {name: file[held[name]] for name in names or held}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
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


def name_of_batch(keys: np.ndarray) -> str:
    """The name of a batch: a digest of its keys."""
    return hashlib.blake2b(np.ascontiguousarray(keys).tobytes(), digest_size=16).hexdigest()
