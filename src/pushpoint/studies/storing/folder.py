"""Folders that keep results by key: batches that are whole or not there, for one question, one process at a time.

batches/*   finished batches, each named after its keys, written whole and moved to its final name
lock        held by the process that works on the folder
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from abc import ABC
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pushpoint.errors import BadFile, PushpointError, shown
from pushpoint.user_files import parse_json, read_text
from pushpoint.whole_files import TEMPORARY, write_bytes

LOCK, BATCHES = "lock", "batches"
FORMAT = 1
KEY_LETTERS = 24
"""Letters of a key: 96 bits, so that a billion worlds have different ones."""


class StoreInUse(PushpointError):
    """Another process works on the store."""

    def __init__(self, folder: Path, process: str) -> None:
        whose = f" (process {process})" if process else ""
        super().__init__(f"{folder}: another process{whose} works on this store, must be one at a time")


class OtherStudy(PushpointError):
    """The store belongs to another study or search."""

    def __init__(self, folder: Path, question: str, what: str, held: Any, asked: Any) -> None:
        whole = isinstance(held, dict) and isinstance(asked, dict)
        differs = "is another one" if whole else f"= {shown(held)}, not {shown(asked)}"
        super().__init__(
            f"{folder}: the store belongs to another {question}: its {what} {differs}; must be a folder of its own"
        )
        self.what = what


class StoreFolder(ABC):
    """Base class of folders with finished batches. What a batch holds is up to the kind of store."""

    about_file: ClassVar[str]
    """Name of the file that says what the store belongs to."""
    kind: ClassVar[str]
    """What it is, in words, such as "store of a study"."""
    question: ClassVar[str]
    """What it belongs to, in a word: "study"."""
    batch_ending: ClassVar[str]
    """Ending of the files of batches."""
    folders: ClassVar[tuple[str, ...]] = (BATCHES,)
    """Folders inside."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def about(self) -> dict[str, Any]:
        """What the store belongs to, as text; raises BadFile if this is no store of the kind."""
        path = self.folder / self.about_file
        if not path.is_file():
            raise BadFile(self.folder, f"is no {self.kind}")
        try:
            found = parse_json(read_text(path))
        except ValueError:
            found = None
        if not isinstance(found, dict) or not isinstance(found.get("belongs"), dict):
            raise BadFile(path, f"does not describe a {self.kind}")
        if found.get("format") != FORMAT:
            raise BadFile(path, f"has the format {shown(found.get('format'))}, must be {FORMAT}")
        return found

    @contextlib.contextmanager
    def taken(self, belongs: Mapping[str, Any], text: Mapping[str, Any]) -> Iterator[None]:
        """Takes the store: creates it if necessary, and refuses one that belongs to something else or is in use.

        `belongs` says what must be the same, `text` describes all of it. The lock ends with the process, however it
        ends.
        """
        handle = self._locked()
        try:
            if (self.folder / self.about_file).exists():
                self._check(belongs)
            about = {"format": FORMAT, "belongs": dict(belongs), **text}
            write_bytes(self.folder / self.about_file, (json.dumps(about, indent=1) + "\n").encode())
            self._make_folders()
            yield
        finally:
            os.close(handle)

    def _make_folders(self) -> None:
        try:
            for name in self.folders:
                (self.folder / name).mkdir(exist_ok=True)
        except OSError as error:
            raise BadFile(self.folder / name, f"cannot be made ({error.strerror})") from None

    def _locked(self) -> int:
        """Locks the store; the system unlocks it when this process ends."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._refuse_foreign()  # before anything is written: a file named lock may be another program's
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

    def _refuse_foreign(self) -> None:
        """Refuses a folder that holds something else; what a kill left of a first start does not count."""
        names = set(os.listdir(self.folder))
        left = sorted(name for name in names - {LOCK} if not TEMPORARY.fullmatch(name))
        if left and self.about_file not in names:
            raise BadFile(self.folder, f"holds {shown(left[0])}, must be a {self.kind} or an empty folder")

    def _check(self, belongs: Mapping[str, Any]) -> None:
        held = self.about()["belongs"]
        for what, asked in json.loads(json.dumps(dict(belongs))).items():
            if held.get(what) != asked:
                raise OtherStudy(self.folder, self.question, what, held.get(what), asked)

    def write_batch(self, keys: bytes, content: bytes) -> None:
        """Writes a batch under the name that its keys, one after another, give it."""
        write_bytes(self.folder / BATCHES / f"{name_of_batch(keys)}{self.batch_ending}", content)

    def batch_files(self) -> list[Path]:
        """The finished batches, in the order of their names."""
        return sorted((self.folder / BATCHES).glob(f"[0-9a-f]*{self.batch_ending}"))


def name_of_batch(keys: bytes) -> str:
    """The name of a batch: a digest of its keys."""
    return hashlib.blake2b(keys, digest_size=16).hexdigest()


def key_of(content: bytes) -> str:
    """The key of what is identified by some content."""
    return hashlib.blake2b(content, digest_size=KEY_LETTERS // 2).hexdigest()
