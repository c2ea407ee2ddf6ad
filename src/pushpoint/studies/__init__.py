"""Studies over many worlds: what varies, stores, workers; parameters optimised and fitted; controllers compared."""

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
    from pushpoint.studies.fitting.fit import fit as fit
    from pushpoint.studies.fitting.fitted import Fitted as Fitted, Parameter as Parameter
    from pushpoint.studies.measuring import register_measure as register_measure
    from pushpoint.studies.optimising.objective import Objective as Objective
    from pushpoint.studies.optimising.optimum import Optimum as Optimum
    from pushpoint.studies.optimising.search import optimise as optimise
    from pushpoint.studies.optimising.space import Bounds as Bounds
    from pushpoint.studies.optimising.trials import Trial as Trial
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
    from pushpoint.worlds.recorded import Recorded as Recorded

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
            "fitting.fit": ("Recorded", "fit"),
            "fitting.fitted": ("Fitted", "Parameter"),
            "optimising.objective": ("Objective",),
            "optimising.optimum": ("Optimum",),
            "optimising.search": ("optimise",),
            "optimising.space": ("Bounds",),
            "optimising.trials": ("Trial",),
        },
    )
