"""Figures of runs, made with matplotlib: `plots.course(run)` and the like return a `matplotlib.figure.Figure`.

Each takes a run as `simulate` returns it, finished or not, and `world=` for one world of a batch; `plots.save_figure`
writes a figure as PNG. Importing this module is light: matplotlib is loaded with the first figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.lazy_names import lazy_names

if TYPE_CHECKING:
    from pushpoint.plots.figures.contacts import contacts as contacts
    from pushpoint.plots.figures.course import course as course
    from pushpoint.plots.figures.energy import energy as energy
    from pushpoint.plots.figures.force_mapping import (
        force_mapping as force_mapping,
        growth_along_path as growth_along_path,
        mapping_instant as mapping_instant,
        quality_along_path as quality_along_path,
        tracking_comparison as tracking_comparison,
    )
    from pushpoint.plots.figures.health import health as health
    from pushpoint.plots.figures.joints import joints as joints, motors as motors
    from pushpoint.plots.figures.links import (
        Scene as Scene,
        lag as lag,
        link_forces as link_forces,
        positions as positions,
        scenes as scenes,
    )
    from pushpoint.plots.figures.modes import modes as modes, stays as stays
    from pushpoint.plots.figures.obstacle_forces import obstacle_forces as obstacle_forces
    from pushpoint.plots.figures.path_following import path_following as path_following
    from pushpoint.plots.figures.paths import paths as paths, recording as recording
    from pushpoint.plots.figures.shape import (
        concatenation as concatenation,
        motion as motion,
        shape as shape,
        shape_curve as shape_curve,
    )
    from pushpoint.plots.figures.sweep import (
        sweep as sweep,
        sweep_effects as sweep_effects,
        sweep_map as sweep_map,
    )
    from pushpoint.plots.looks import looks_of as looks_of
    from pushpoint.plots.page import save_figure as save_figure

else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "figures.contacts": ("contacts",),
            "figures.course": ("course",),
            "figures.energy": ("energy",),
            "figures.force_mapping": (
                "force_mapping",
                "growth_along_path",
                "mapping_instant",
                "quality_along_path",
                "tracking_comparison",
            ),
            "figures.health": ("health",),
            "figures.joints": ("joints", "motors"),
            "figures.links": ("Scene", "lag", "link_forces", "positions", "scenes"),
            "figures.modes": ("modes", "stays"),
            "figures.path_following": ("path_following",),
            "figures.obstacle_forces": ("obstacle_forces",),
            "figures.paths": ("paths", "recording"),
            "figures.shape": ("concatenation", "motion", "shape", "shape_curve"),
            "figures.sweep": ("sweep", "sweep_effects", "sweep_map"),
            "looks": ("looks_of",),
            "page": ("save_figure",),
        },
    )
