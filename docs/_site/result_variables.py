"""What a run's Dataset holds, from the table that the Dataset itself is made with."""

from __future__ import annotations

from _site.markdown import prose, table
from pushpoint.description.entries import docs_of
from pushpoint.simulation.health import TOTALS, Health
from pushpoint.worlds.variables import Variable, table as all_variables

TITLES = ("name", "dimensions", "unit", "symbol", "long name and meaning")

ATTRIBUTES = {
    "description": "World and run as a JSON text; `pp.world_of(run)` and `pp.scenario_of(run)` read it.",
    "status": "How the run ended, as a sentence.",
    "status_code": "How it ended, in a word: a name of {py:obj}`pp.Status` in small letters.",
    "world_status": "The word for each world, as a JSON list.",
    **{name: f"{docs_of(Health)[name]} Of a batch the {how.__name__}." for name, how in TOTALS.items()},
    "world_health": "The numbers above for each world, as a JSON list; `pp.health_of(run)` reads it.",
    "warnings": "What speaks against the run, a sentence per line; `pp.warnings_of(run)` splits it.",
    "kernels": "Worlds per variant of the kernels, and what these were compiled for and how, as JSON.",
    "versions": "Versions of the packages that made it, as JSON.",
    "run_id": "Of a saved run: the number that all files of one run share.",
}
"""The attributes of a run."""


def variables(kind: str) -> str:
    """The variables of one kind: recorded, constant or coordinate."""
    return table(TITLES, [_row(each) for each in all_variables() if each.kind == kind])


def _row(each: Variable) -> tuple[str, ...]:
    plane, space = (", ".join(dims) or "none" for dims in (each.dims, each.dims_in_space))
    dims = plane if plane == space or each.engine == "plane" else f"{plane}; in space {space}"
    present = "" if each.when == "always" else f" Present: {each.when}."
    about = f"**{each.long_name}.** {prose(each.description)}{present}"
    return (f"`{each.name}`", dims, f"`{each.units}`", f"`{each.symbol}`", about)


def attributes() -> str:
    """The attributes of a run and what they say."""
    return table(("attribute", "meaning"), [(f"`{name}`", text) for name, text in ATTRIBUTES.items()])
