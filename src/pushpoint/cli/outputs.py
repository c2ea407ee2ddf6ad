"""The files of a run: run.nc, course.png and summary.json, each whole or not at all."""

from __future__ import annotations

import json
import tempfile
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


def write_outputs(run: xarray.Dataset, folder: Path, summary: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Writes all files.

    Returns the summary as written, with the files in it, and why there is no figure, if there is none.
    """
    from pushpoint.report.course_figure import draw_course
    from pushpoint.simulation.provenance import plain
    from pushpoint.simulation.storage import save, write_atomically

    files = {"run": str(save(run, folder / "run.nc"))}
    no_figure = ""
    try:
        files["figure"] = str(draw_course(run, folder / "course.png"))
    except PushpointError as error:  # a run that was told not to record positions is still a run
        no_figure = f"no figure: {error}"
        (folder / "course.png").unlink(missing_ok=True)
    files["summary"] = str(folder / "summary.json")
    written: dict[str, Any] = plain(summary | {"files": files})

    def write(place: Path) -> None:
        place.write_text(json.dumps(written, indent=2, allow_nan=False) + "\n", encoding="utf-8")

    write_atomically(folder / "summary.json", write)
    return written, no_figure
