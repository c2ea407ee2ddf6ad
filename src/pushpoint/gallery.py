"""Everything that can be shown of a run: figures, a film and a replay page."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pushpoint.errors import BadFile, PushpointError
from pushpoint.whole_files import remove_file

if TYPE_CHECKING:
    import xarray

FILES = {
    "paths": "figures/paths.png",
    "joints": "figures/joints.png",
    "motors": "figures/motors.png",
    "contacts": "figures/contacts.png",
    "health": "figures/health.png",
    "animation": "run.mp4",
    "replay": "replay.html",
}
"""The files made for every run, and where they go in its folder."""
OF_SOME = {
    "shape": "figures/shape.png",
    "modes": "figures/modes.png",
    "resolution": "figures/resolution.png",
    "mapping": "figures/force-mapping.png",
    "path": "figures/path-following.png",
    "energy": "figures/energy.png",
    "reactions": "figures/obstacle-forces.png",
}
"""The same for some runs only.

Along a shape curve, with controller modes, with jam resolution, with force mapping, with a path to follow, and with the
records that an energy balance or the forces on obstacles need.
"""


def write_media(
    run: xarray.Dataset,
    folder: str | os.PathLike[str],
    *,
    begin: Callable[[str], object] = lambda file: None,
    progress: Callable[[str, float], object] = lambda file, share: None,
    leave_out: Callable[[str, PushpointError], object] = lambda file, why: None,
) -> dict[str, Path]:
    """Writes all figures, films and pages that the run's data and the installed extras allow.

    A file that cannot be made does not stop the others. An older file of that name is removed, unless it could not be
    replaced.

    Args:
        run: A run as `simulate` returns it, finished or not. Of a batched run, world 0 is shown.
        folder: The folder of the run.
        begin: Called with the name of each file before it is made.
        progress: Called while the film is drawn, with its name and the share that is done, from 0 to 1.
        leave_out: Called with the name of each file that is not made, and why: a BadFile if it could not be written.

    Returns:
        The files written, by their names in FILES and OF_SOME.
    """
    written = {}
    for name, file in (FILES | {name: OF_SOME[name] for name in fitting(run)}).items():
        begin(file)
        target = Path(folder) / file
        try:
            written[name] = _write(name, run, target, partial(progress, file))
        except PushpointError as error:
            if not isinstance(error, BadFile):
                remove_file(target)
            leave_out(file, error)
    return written


def fitting(run: xarray.Dataset) -> list[str]:
    """The names in OF_SOME that apply to a run, as far as its description says."""
    from pushpoint.control.path_following.followed import followed_track
    from pushpoint.control.rails import ForceMappingController
    from pushpoint.control.shape_curve_follower import ShapeCurveFollower
    from pushpoint.plots.stretches import RESOLUTION, mode_names
    from pushpoint.scenery.reading import read_recording
    from pushpoint.worlds.variables import BALANCE

    controller, track = None, None
    with contextlib.suppress(PushpointError):
        world = read_recording(run).world
        controller, track = world.controller, followed_track(world.controller, world.robot)
    has_modes = "controller_mode" in run and run.sizes.get("axis") == 2
    fits = {
        "shape": isinstance(controller, ShapeCurveFollower),
        "modes": has_modes,
        "resolution": has_modes and RESOLUTION in mode_names(run).values(),
        "mapping": isinstance(controller, ForceMappingController),
        "path": track is not None,
        "energy": {"joint_power", *BALANCE} <= set(run.data_vars),
        "reactions": {"obstacle_reaction", "obstacle_friction"} <= set(run.data_vars) and run.sizes["obstacle"] > 0,
    }
    return [name for name, holds in fits.items() if holds]


def _write(name: str, run: xarray.Dataset, target: Path, report: Callable[[float], object]) -> Path:
    # Imported only when needed: they take long to load.
    if name == "animation":
        from pushpoint.films.film import film

        return film(run, target, progress=report)
    if name == "replay":
        from pushpoint.replays.replay import replay

        return replay(run, target)
    from pushpoint import plots
    from pushpoint.simulation.run_ids import RUN_ID

    other = {"resolution": "stays", "mapping": "force_mapping", "path": "path_following"}
    figure = (other | {"reactions": "obstacle_forces"}).get(name, name)
    return plots.save_figure(getattr(plots, figure)(run), target, run_id=str(run.attrs.get(RUN_ID, "")))
