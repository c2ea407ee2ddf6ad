"""Study files: read with the line of every mistake, and written so that the same study is read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pushpoint.description.changes import KEY, keys_in, with_values
from pushpoint.description.complaints import Keys, Origin, Where, path_of
from pushpoint.description.files import SourceFile
from pushpoint.description.reading import Reader
from pushpoint.description.writing import tagged
from pushpoint.errors import BadFile, PushpointError, UnknownName
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.kinds import load_installed_kinds
from pushpoint.papers.registry import is_sweep, scenario, scenario_names
from pushpoint.scenarios.files import document_of, is_file, read_scenario, scenario_from
from pushpoint.scenarios.scenario import Scenario
from pushpoint.studies.designs import Design, GridDesign
from pushpoint.studies.measuring import measures_named
from pushpoint.studies.study import Study
from pushpoint.studies.varied import Varied

KEYS: dict[str, tuple[Any, str]] = {
    "name": (str, "A short name: letters, digits and . _ - /; default: the name of the file."),
    "title": (str, "One line that says what is asked."),
    "base": (Scenario, "The scenario: a name that `pushpoint list` shows, a scenario file, or its sections."),
    "set": (dict, "Changes of the base: keys as in controller.amplitude_deg, and their values."),
    "varies": (tuple[Varied, ...], "What varies: values, range, normal, seeds, peg-fields."),
    "design": (Design, "Which worlds there are: grid, random, sobol, latin-hypercube; default: a grid."),
    "measures": (tuple[str, ...], "Names of measures."),
    "keep": (Literal["none", "failed", "all"], "Which runs are kept whole; default: none."),
    "batch": (int, "Worlds that are simulated together; default: 250, on a GPU 32,768."),
}
"""The keys of a study file: types and descriptions."""
REQUIRED = ("base", "varies", "measures")


@checked_arguments
def read_study(path: str | Path) -> Study:
    """Reads the study in a YAML file. Every complaint names its line.

    For example:

        study = pp.studies.read_study("study.yaml")

    Args:
        path: The file. A scenario file that it names is looked for beside it.
    """
    source = SourceFile(path)
    return study_from(source.document, folder=Path(path).parent, where=source.where)


def study_from(document: Any, *, folder: Path = Path(), where: Where | None = None) -> Study:
    """The study that a document describes."""
    reader = Reader(document, where)
    reader.check_keys((), tuple(KEYS))
    reader.require((), REQUIRED)
    load_installed_kinds()
    fields: dict[str, Any] = {"base": _changed(reader, _base(reader, folder))}
    fields["varies"] = tuple(reader.read(Varied, each) for each in reader.each(("varies",)))
    fields["design"] = GridDesign() if reader.at(("design",)) is None else reader.read(Design, ("design",))
    if reader.at(("name",)) is None:
        raise reader.refuse(("name",), None, "a short name: letters, digits and . _ - /")
    for key in ("name", "title", "measures", "keep", "batch"):
        if reader.at((key,)) is not None:
            fields[key] = reader.read(KEYS[key][0], (key,))
    for k, name in enumerate(fields["measures"]):
        try:
            measures_named([name])
        except UnknownName as error:
            raise reader.unknown(("measures", k), "measure", name, error.known) from None
    return Study(**fields, origin=None if where is None else Origin(where))


def _base(reader: Reader, folder: Path) -> Scenario:
    """The scenario of the key `base`."""
    given, keys = reader.at(("base",)), ("base",)
    if isinstance(given, dict):
        where = None if reader.where is None else _inside(reader.where, keys)
        return scenario_from({"name": "base"} | given, where=where)
    if not isinstance(given, str):
        raise reader.refuse(keys, given, "a scenario: its name, its file, or its sections")
    if is_file(str(folder / given)):
        return read_scenario(folder / given)
    if is_sweep(given) or given not in scenario_names():
        raise reader.unknown(keys, "scenario", given, scenario_names())
    return scenario(given)


def _inside(where: Where, above: Keys) -> Where:
    """Where the places of a section are."""
    return lambda keys: where((*above, *keys))


def _changed(reader: Reader, base: Scenario) -> Scenario:
    """The base with the changes of the key `set`."""
    if reader.at(("set",)) is None:
        return base
    document = document_of(base)
    for name, value in reader.section(("set",)).items():
        place: Keys = ("set", name)
        if not KEY.fullmatch(name):
            raise reader.refuse(place, value, "a key of the scenario, such as controller.amplitude_deg")
        try:
            document = with_values(document, [(keys_in(name), value)])
            scenario_from(document)
        except PushpointError as error:
            if reader.where is None:
                raise
            raise BadFile(reader.where(place), f"{path_of(place)}: {error}") from None
    return scenario_from(document)


def document_of_study(study: Study) -> dict[str, Any]:
    """A study as mappings, lists, numbers and text, as in its file."""
    document: dict[str, Any] = {
        "name": study.name,
        "title": study.title,
        "base": document_of(study.base),
        "varies": [tagged(each) for each in study.varies],
        "design": tagged(study.design),
        "measures": list(study.measures),
        "keep": study.keep,
    }
    return document if study.batch is None else document | {"batch": study.batch}
