"""All that can be looked at of a run: figures, a film and a replay page."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pushpoint.errors import PushpointError

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

FILES = {
    "paths": "figures/paths.png",
    "joints": "figures/joints.png",
    "motors": "figures/motors.png",
    "contacts": "figures/contacts.png",
    "health": "figures/health.png",
    "animation": "run.mp4",
    "replay": "replay.html",
}
"""What there is, and where in the folder of a run it goes."""
OF_SOME = {
    "shape": "figures/shape.png",
    "modes": "figures/modes.png",
    "resolution": "figures/resolution.png",
    "mapping": "figures/force-mapping.png",
}
"""And of runs along a shape curve, of controllers that tell their modes, that resolve jams, that map forces."""


def write_media(
    run: xarray.Dataset,
    folder: str | os.PathLike[str],
    *,
    begin: Callable[[str], None] | None = None,
    leave_out: Callable[[str, str], None] | None = None,
) -> dict[str, Path]:
    """Writes what the run holds enough for; what it does not is left out, and an older file of that name removed.

    Args:
        run: A run as `simulate` returns it, finished or not; of a batched run, world 0 is shown.
        folder: The folder of the run.
        begin: Called with the name of each file before it is made.
        leave_out: Called with the name of each file that is not made, and why.

    Returns:
        The files written, by the names in FILES and OF_SOME.
    """
    written = {}
    for name, file in (FILES | {name: OF_SOME[name] for name in _fitting(run)}).items():
        if begin is not None:
            begin(file)
        target = Path(folder) / file
        try:
            written[name] = _write(name, run, target)
        except PushpointError as error:
            _remove(target)
            if leave_out is not None:
                leave_out(file, str(error))
    return written


def remove_media(folder: str | os.PathLike[str]) -> None:
    """Removes the files of an earlier run."""
    for file in (FILES | OF_SOME).values():
        _remove(Path(folder) / file)
    figures = Path(folder) / "figures"
    if figures.is_dir() and not any(figures.iterdir()):
        figures.rmdir()


def _fitting(run: xarray.Dataset) -> list[str]:
    """The names in OF_SOME that a run is one for."""
    from pushpoint.plots.force_mapping_run import maps_forces
    from pushpoint.plots.modes import has_modes, has_resolutions
    from pushpoint.plots.shape.run_figure import follows_a_curve

    questions = {
        "shape": follows_a_curve,
        "modes": has_modes,
        "resolution": has_resolutions,
        "mapping": maps_forces,
    }
    return [name for name, asked in questions.items() if asked(run)]


def _remove(file: Path) -> None:
    with contextlib.suppress(OSError):  # what is in the way is named when a file cannot be written there
        file.unlink()


def _write(name: str, run: xarray.Dataset, target: Path) -> Path:
    # Each is imported when its turn comes: they take long to load.
    if name == "animation":
        from pushpoint.films.animation import write_animation

        return write_animation(run, target)
    if name == "replay":
        from pushpoint.replays.replay import write_replay

        return write_replay(run, target)
    from pushpoint.plots.drawing import save_figure

    return save_figure(_figure(name, run), target)


def _figure(name: str, run: xarray.Dataset) -> Figure:
    from pushpoint.plots.contacts import build_contacts_figure
    from pushpoint.plots.force_mapping_run import build_force_mapping_figure
    from pushpoint.plots.health import build_health_figure
    from pushpoint.plots.joints import build_joints_figure
    from pushpoint.plots.modes import build_modes_figure, build_stay_figure
    from pushpoint.plots.motors import build_motors_figure
    from pushpoint.plots.paths import build_paths_figure
    from pushpoint.plots.shape.run_figure import build_shape_figure

    builders: dict[str, Callable[[xarray.Dataset], Figure]] = {
        "paths": build_paths_figure,
        "joints": build_joints_figure,
        "motors": build_motors_figure,
        "contacts": build_contacts_figure,
        "health": build_health_figure,
        "shape": build_shape_figure,
        "mapping": build_force_mapping_figure,
        "modes": build_modes_figure,
        "resolution": build_stay_figure,
    }
    return builders[name](run)
