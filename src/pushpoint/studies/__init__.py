"""Studies over many worlds: controllers compared, plans driven, parameters optimised and fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.lazy_names import lazy_names

if TYPE_CHECKING:
    from pushpoint.studies.fitting.channels import Recorded as Recorded
    from pushpoint.studies.fitting.fit import fit as fit
    from pushpoint.studies.fitting.fitted import Fitted as Fitted, Parameter as Parameter
    from pushpoint.studies.optimising.objective import Objective as Objective
    from pushpoint.studies.optimising.optimum import Optimum as Optimum
    from pushpoint.studies.optimising.search import optimise as optimise
    from pushpoint.studies.optimising.space import Range as Range
    from pushpoint.studies.optimising.trials import Trial as Trial

else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "fitting.channels": ("Recorded",),
            "fitting.fit": ("fit",),
            "fitting.fitted": ("Fitted", "Parameter"),
            "optimising.objective": ("Objective",),
            "optimising.optimum": ("Optimum",),
            "optimising.search": ("optimise",),
            "optimising.space": ("Range",),
            "optimising.trials": ("Trial",),
        },
    )
