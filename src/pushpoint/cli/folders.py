"""Folders of results: at every moment, and after a kill, the files in one are of one run.

Every file carries the id of its run. When the first file of a new run is whole on the disk, those of an earlier run are
removed; then it is put in place, and the others follow. Two processes take turns.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pushpoint.cli import outputs
from pushpoint.errors import BadFile, PushpointError

if TYPE_CHECKING:
    import xarray

SAMPLES = ("run.nc", "runs.nc")
"""What a folder holds of a run or of a sweep; one of them, as its other files belong to it."""


def picture_names() -> tuple[str, ...]:
    """Names of all pictures that a folder of a run may hold."""
    from pushpoint.gallery import FILES, OF_SOME

    return ("course.png", *FILES.values(), *OF_SOME.values())


class Results:
    """The files of one run in a folder: what was written, and what could not be."""

    def __init__(self, folder: Path, run: xarray.Dataset, others: Sequence[str]) -> None:
        """The results of a run that has its id; `others` are files besides the samples that an earlier one left."""
        from pushpoint.simulation.run_ids import RUN_ID

        self.folder: Path | None = folder
        self.run = run
        self.run_id: str | None = run.attrs.get(RUN_ID)
        self.files: dict[str, str] = {}
        """Names in the folder, by what they are."""
        self.remarks: list[str] = []
        self.failed = False
        self._others = others

    @property
    def paths(self) -> dict[str, str]:
        """Where the files are, by what they are."""
        return {what: str((self.folder or Path()) / name) for what, name in self.files.items()}

    def save(self, what: str, name: str) -> None:
        """Writes the samples; if the folder does not take them, into a new one among the system's temporary files."""
        from pushpoint.simulation.storage import save

        asked = self.folder or Path()
        try:
            save(self.run, asked / name, before=self.remove_others)
        except BadFile as error:
            self.failed, self.folder = True, self._elsewhere(name)
            kept = f"all results are in {self.folder}" if self.folder else "the samples are lost"
            self.remarks.append(f"error: {error}; {kept}")
        if self.folder is not None:
            self.files[what] = name

    def remove_others(self) -> None:
        """Removes what another run left."""
        from pushpoint.simulation.run_ids import remove_others

        remove_others(self.folder or Path(), self._others, self.run_id)

    def _elsewhere(self, name: str) -> Path | None:
        from pushpoint.simulation.storage import save

        with contextlib.suppress(OSError):
            folder = Path(tempfile.mkdtemp(prefix="pushpoint-"))
            try:
                save(self.run, folder / name)
                return folder
            except BadFile:
                folder.rmdir()
        return None

    def draw(self, what: str, name: str, figure: Callable[[], Any]) -> None:
        """Writes a figure, or remarks why there is none: a run that was told not to record positions is still a run."""
        from pushpoint import plots
        from pushpoint.whole_files import remove_file

        if self.folder is None:
            return
        try:
            plots.save_figure(figure(), self.folder / name, run_id=self.run_id or "")
            self.files[what] = name
        except BadFile as error:
            self.fail(error)
        except PushpointError as error:
            remove_file(self.folder / name)
            self.remarks.append(f"no figure: {error}")

    def summarise(self, document: dict[str, Any]) -> dict[str, Any]:
        """Writes summary.json with the names of all files; returns it in JSON types, with their paths."""
        from pushpoint.simulation.provenance import json_types
        from pushpoint.simulation.run_ids import RUN_ID

        written = {RUN_ID: self.run_id} | document
        if self.folder is not None:
            files = self.files | {"summary": "summary.json"}
            try:
                outputs.write_json(self.folder / "summary.json", written | {"files": files})
                self.files = files
            except BadFile as error:
                self.fail(error)
        found: dict[str, Any] = json_types(written | {"files": self.paths})
        return found

    def fail(self, error: BadFile) -> None:
        """Remarks that a file could not be written, which makes the command fail."""
        self.failed = True
        self.remarks.append(f"error: {error}")


@contextlib.contextmanager
def writing_in(folder: Path) -> Iterator[None]:
    """Lets processes that write results into one folder take turns."""
    handle = None
    with contextlib.suppress(ImportError, OSError):  # elsewhere, or a file system without locks: nobody waits
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            typer.echo(f"waiting: another process is writing results into {folder}", err=True)
            fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def check_kind(folder: Path, samples: str) -> None:
    """Refuses a folder that holds results of another command; those of this one are replaced."""
    for name in set(SAMPLES) - {samples}:
        if (folder / name).exists():
            raise BadFile(folder, f"holds {name} of another command, must be a folder of its own (see --out)")


def check_run(folder: Path, file: Path, run: xarray.Dataset) -> None:
    """Refuses a folder that holds another run than the one, read from a file, that is to be drawn there."""
    from pushpoint.simulation.run_ids import RUN_ID, run_id_of

    for path in (folder / name for name in SAMPLES):
        if path.exists() and not path.samefile(file) and run_id_of(path) != run.attrs.get(RUN_ID):
            raise BadFile(folder, f"holds {path.name} of another run, must be a folder of its own (see --out)")


def check_folder(folder: Path) -> str:
    """What a folder of results holds, in words; refused if its files are of different runs, or none is a result."""
    from pushpoint.simulation.run_ids import run_id_of

    known = (*SAMPLES, "summary.json", "sweep.png", *picture_names())
    ids = {name: run_id_of(folder / name) for name in known if (folder / name).is_file()}
    if not ids:
        raise BadFile(folder, "holds no results of pushpoint")
    first = next(iter(ids))
    for name, run_id in ids.items():
        if run_id is None or run_id != ids[first]:
            what = "has no id of a run" if run_id is None else f"is of another run than {first}"
            raise BadFile(folder / name, f"{what}: {run_id} and {ids[first]}" if run_id else what)
    return f"{len(ids)} files of the run {ids[first]}"
