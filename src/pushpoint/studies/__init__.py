"""Studies over many worlds: what varies, designs, stores, workers; controllers compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.lazy_names import lazy_names

if TYPE_CHECKING:
    from pushpoint.studies.designs import (
        Design as Design,
        GridDesign as GridDesign,
        LatinHypercubeDesign as LatinHypercubeDesign,
        RandomDesign as RandomDesign,
        SobolDesign as SobolDesign,
    )
    from pushpoint.studies.figures import study_figure as study_figure
    from pushpoint.studies.measuring import register_measure as register_measure
    from pushpoint.studies.random_courses import Courses as Courses, PegFields as PegFields
    from pushpoint.studies.running.driving import Standing as Standing, StudyResult as StudyResult
    from pushpoint.studies.storing.table import load_table as load_table
    from pushpoint.studies.study import Study as Study
    from pushpoint.studies.study_files import read_study as read_study
    from pushpoint.studies.varied import (
        Normal as Normal,
        Range as Range,
        Seeds as Seeds,
        Values as Values,
        Variants as Variants,
        Varied as Varied,
    )

else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "designs": ("Design", "GridDesign", "LatinHypercubeDesign", "RandomDesign", "SobolDesign"),
            "figures": ("study_figure",),
            "measuring": ("register_measure",),
            "random_courses": ("Courses", "PegFields"),
            "running.driving": ("Standing", "StudyResult"),
            "storing.table": ("load_table",),
            "study": ("Study",),
            "study_files": ("read_study",),
            "varied": ("Normal", "Range", "Seeds", "Values", "Variants", "Varied"),
        },
    )
