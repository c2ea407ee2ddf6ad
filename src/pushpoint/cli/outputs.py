"""The files of a run: run.nc, course.png, summary.json and the media, each whole or not at all."""

from __future__ import annotations

import contextlib
import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pushpoint.errors import BadFile, PushpointError

if TYPE_CHECKING:
    import xarray


def prepare_folder(folder: Path) -> None:
    """Makes the folder for results and proves that a file can be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except FileExistsError:
        raise BadFile(folder, "is a file, must be a folder for results") from None
    except OSError as error:
        raise BadFile(folder, f"must be a folder that can be written ({error.strerror})") from None


def write_outputs(
    run: xarray.Dataset, folder: Path, summary: dict[str, Any], *, media: bool
) -> tuple[dict[str, Any], list[str]]:
    """Writes all files; the summary comes before the media, and again after them with their names in it.

    Returns the summary as written, with the files in it, and a sentence for each thing that could not be made.
    """
    from pushpoint.gallery import remove_media
    from pushpoint.simulation.storage import save

    files = {"run": str(save(run, folder / "run.nc"))}
    remove_media(folder)  # those of an earlier run do not belong to this one
    pictures, remarks = write_pictures(run, folder, media=False)
    files |= pictures | {"summary": str(folder / "summary.json")}
    written = _write_summary(folder, summary | {"files": files})
    if not media:
        return written, remarks
    begun = time.perf_counter()
    more, reasons = _write_media(run, folder)
    timing = summary["timing"] | {"media_s": time.perf_counter() - begun}
    written = _write_summary(folder, summary | {"timing": timing, "files": files | more})
    return written, remarks + reasons


def write_pictures(run: xarray.Dataset, folder: Path, *, media: bool) -> tuple[dict[str, str], list[str]]:
    """Writes course.png and, if asked for, the media; returns the files and a sentence for each thing left out."""
    from pushpoint import plots

    files, remarks = {}, []
    try:
        files["figure"] = str(plots.save_figure(plots.course(run), folder / "course.png"))
    except PushpointError as error:  # a run that was told not to record positions is still a run
        remarks.append(f"no figure: {error}")
        (folder / "course.png").unlink(missing_ok=True)
    more, reasons = _write_media(run, folder) if media else ({}, [])
    return files | more, remarks + reasons


def _write_media(run: xarray.Dataset, folder: Path) -> tuple[dict[str, str], list[str]]:
    """Writes the media, saying on a terminal which; returns the files, and why others are left out."""
    from rich.console import Console

    from pushpoint.gallery import write_media

    reasons: dict[str, list[str]] = {}
    console = Console(stderr=True)
    with console.status("media") if console.is_terminal else contextlib.nullcontext() as status:

        def begin(file: str) -> None:
            if status is not None:
                status.update(f"writing {folder / file}")

        def leave_out(file: str, reason: str) -> None:
            reasons.setdefault(reason, []).append(file)

        files = write_media(run, folder, begin=begin, leave_out=leave_out)
    left = [f"no {' and no '.join(names)}: {reason}" for reason, names in reasons.items()]
    return {name: str(file) for name, file in files.items()}, left


def _write_summary(folder: Path, summary: dict[str, Any]) -> dict[str, Any]:
    from pushpoint.simulation.provenance import plain
    from pushpoint.simulation.storage import write_atomically

    written: dict[str, Any] = plain(summary)

    def write(place: Path) -> None:
        place.write_text(json.dumps(written, indent=2, allow_nan=False) + "\n", encoding="utf-8")

    write_atomically(folder / "summary.json", write)
    return written
