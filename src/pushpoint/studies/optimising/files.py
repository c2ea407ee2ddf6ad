"""Files of searches: a scenario, what varies, goals and limits, read with the line of every mistake."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pushpoint.description.complaints import Keys
from pushpoint.description.files import SourceFile
from pushpoint.description.reading import Reader
from pushpoint.errors import BadFile, InvalidModel, PushpointError
from pushpoint.papers.registry import scenario as scenario_named
from pushpoint.scenarios.files import is_file
from pushpoint.scenarios.scenario import Scenario
from pushpoint.studies.optimising.objective import NO_CONDITIONS, Objective
from pushpoint.studies.optimising.questions import QUESTIONS, Question, question
from pushpoint.studies.optimising.space import Bounds

KEYS = ("name", "title", "scenario", "duration", "dt", "varies", "goals", "most", "least", "conditions", "over")
NUMBERS = ("periods", "rate", "evaluations", "candidates", "seed")
REQUIRED = ("scenario", "varies", "goals")


def read_question(target: str) -> Question:
    """The built-in question of a name, or the search that a YAML file describes."""
    if not is_file(target):
        if target not in QUESTIONS and "." in target:
            raise BadFile(target, "is not there, must be a file of a search or the name of a question")
        return question(target)
    return _read(SourceFile(target))


def _read(source: SourceFile) -> Question:
    reader = Reader(source.document, source.where)
    reader.check_keys((), (*KEYS, *NUMBERS))
    reader.require((), REQUIRED)
    given = reader.document
    scenario = _scenario(reader, source.path)
    kinds = {key: float if key == "rate" else int for key in NUMBERS}
    numbers = {key: reader.read(kind, (key,)) for key, kind in kinds.items() if given.get(key) is not None}
    if "periods" in given and given["periods"] is None:
        numbers["periods"] = None
    searching = {key: numbers.pop(key) for key in ("evaluations", "candidates", "seed") if key in numbers}
    with _placed(reader, ()):
        objective = Objective(
            scenario=scenario,
            goals={name: reader.read(str, ("goals", name)) for name in reader.section(("goals",))},
            most=_limits(reader, "most"),
            least=_limits(reader, "least"),
            conditions=_conditions(reader),
            **({"over": reader.read(str, ("over",))} if "over" in given else {}),
            **numbers,
        )
    ranges = {str(name): _range(reader, ("varies", name)) for name in reader.section(("varies",))}
    title = str(given.get("title", ""))
    return Question(name=str(given["name"]), title=title, space=ranges, objective=objective, **searching)


@contextmanager
def _placed(reader: Reader, keys: Keys) -> Iterator[None]:
    """Puts file and line in front of an error about a section."""
    try:
        yield
    except BadFile:
        raise
    except PushpointError as error:
        own = error.place[1:2] if isinstance(error, InvalidModel) and error.place[:1] == ("objective",) else ()
        place = own if own and reader.at(own) is not None else keys
        raise BadFile("" if reader.where is None else reader.where(place), str(error)) from None


def _scenario(reader: Reader, path: Path) -> Scenario:
    """The scenario that is named; a file is looked up beside the file of the search."""
    named = reader.read(str, ("scenario",))
    beside = path.parent / named
    with _placed(reader, ("scenario",)):
        found = scenario_named(str(beside) if is_file(str(beside)) else named)
        times = {key: reader.read(float, (key,)) for key in ("duration", "dt") if reader.document.get(key) is not None}
        return found.with_changes(**times) if times else found


def _range(reader: Reader, keys: Keys) -> Bounds:
    given = reader.at(keys)
    with _placed(reader, keys):
        if isinstance(given, list) and len(given) == 2:
            low, high = (float(reader.read(float, each)) for each in reader.each(keys))
            return Bounds(low=low, high=high)
        made: Bounds = reader.make(Bounds, keys)
        return made


def _limits(reader: Reader, key: str) -> dict[str, float]:
    if reader.at((key,)) is None:
        return {}
    return {str(name): float(reader.read(float, (key, name))) for name in reader.section((key,))}


def _conditions(reader: Reader) -> Any:
    if reader.at(("conditions",)) is None:
        return NO_CONDITIONS
    return [dict(reader.section(keys)) for keys in reader.each(("conditions",))]
