"""A study: many worlds for one question, made from a scenario in which something varies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from pushpoint.brief import brief
from pushpoint.description.complaints import Origin, path_of
from pushpoint.description.custom import is_custom
from pushpoint.engine.compiled import target_of
from pushpoint.engine.devices import check_device, start_warp
from pushpoint.errors import MOST_NAMED, InvalidModel, PushpointError, one_line, shown
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import Whole, check_fields, members, store
from pushpoint.model.kinds import name_of
from pushpoint.model.quantities import Line, Natural
from pushpoint.progress import Progress
from pushpoint.scenarios.files import document_of, scenario_from
from pushpoint.scenarios.scenario import LONGEST_NAME, NAME, Scenario
from pushpoint.simulation.provenance import version_of
from pushpoint.simulation.storage import source_digest
from pushpoint.studies.designs import Design, GridDesign
from pushpoint.studies.measuring import measures_named
from pushpoint.studies.random_courses import Courses
from pushpoint.studies.running.rows import Plan
from pushpoint.studies.varied import Values, Varied

if TYPE_CHECKING:
    from pushpoint.studies.running.driving import StudyResult

MOST_TRIED = 20
"""Values of one thing that are tried on the base scenario when a study is made [-]."""
WORDS = ("key", "status", "message")
"""Columns of a table that are text, besides the number of the world, what varies and the measures."""
BATCH, BATCH_ON_GPU = 250, 32_768
"""Worlds of a batch unless the study says otherwise [-]: a few seconds of work; as many as fill a GPU."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """Many worlds for one question: a base scenario, what varies, a design, and the measures wanted.

    For example:

        study = pp.studies.Study(
            name="amplitude-and-friction",
            base=pp.scenario("transeth2008a/flat").with_changes(duration=2.0),
            varies=[
                pp.studies.Range(field="controller.amplitude_deg", low=20.0, high=60.0, count=3),
                pp.studies.Values(field="ground.friction.coefficient", values=[0.1, 0.3]),
            ],
            measures=["mean_speed", "cost_of_transport"],
        )
    """

    __repr__ = brief

    name: str
    """A short name: letters, digits and . _ - /"""
    base: Scenario
    """The scenario of one world that all others are made from."""
    varies: Sequence[Varied]
    """What varies, by keys of the scenario's file."""
    design: Design = GridDesign()
    """Which worlds there are: a grid, random ones, a Sobol sequence or a Latin hypercube."""
    measures: Sequence[str]
    """Names of the measures: those of `pp.measures.MEASURES`, and registered ones."""
    keep: Literal["none", "failed", "all"] = "none"
    """Which runs are kept whole, as NetCDF files."""
    batch: Annotated[int, Whole(1, 10**7, "a whole number, 1 to 10,000,000")] | None = None
    """Worlds that are simulated together [-]; default: 250, on a GPU 32,768."""
    modules: Sequence[str] = ()
    """Python modules that register kinds and measures; they are imported wherever worlds are made."""
    title: Line = ""
    """One line that says what is asked."""
    origin: Origin | None = field(default=None, compare=False, repr=False)
    """The file it was read from, for error messages."""

    def __post_init__(self) -> None:
        with self._naming_the_file():
            self._check_types()
            self._check()

    def _check_types(self) -> None:
        if not (isinstance(self.name, str) and NAME.fullmatch(self.name) and len(self.name) <= LONGEST_NAME):
            raise InvalidModel("study.name", self.name, "letters, digits and . _ - / such as my-study")
        check_fields(self, "study")
        store(self, varies=members("study.varies", self.varies, Varied, "one of pp.studies: Values, Range, ..."))

    def _check(self) -> None:
        if self.base.varies is not None:
            raise InvalidModel("study.base", self.base.name, "a scenario of one world")
        if not self.varies:
            raise InvalidModel("study.varies", [], "at least one thing that varies")
        if not self.measures:
            raise InvalidModel("study.measures", [], "at least one measure")
        if len(set(self.measures)) < len(self.measures):
            raise InvalidModel("study.measures", list(self.measures), "different names")
        document = document_of(self.base)
        if is_custom(document.get("controller")) or is_custom(document.get("until")):
            raise InvalidModel("study.base", self.base.name, "made of kinds with names: pp.register gives one")
        measures_named(self.measures)
        _check_fields_differ(self.varies)
        for k, each in enumerate(self.varies):
            if each.field in ("world", *WORDS, *self.measures):
                raise InvalidModel(f"varies[{k}].field", each.field, "another name: the table has a column of this one")
        self.design.rows(self.varies)
        for k, each in enumerate(self.varies):
            _try_out(k, each, document)

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        if self.origin is None:
            yield
            return
        with self.origin.naming():
            yield

    @property
    def rows(self) -> int:
        """Number of worlds [-]."""
        return self.design.rows(self.varies)

    @property
    def batch_size(self) -> int:
        """Worlds that are simulated together [-]."""
        return self.batch or (BATCH if self.base.settings.device == "cpu" else BATCH_ON_GPU)

    def on_device(self, device: str) -> Study:
        """The same study on another device, such as cuda:0."""
        check_device(device)
        return replace(self, base=replace(self.base, settings=replace(self.base.settings, device=device)))

    def plan(self, maker: str | None = None) -> Plan:
        """What workers have to know; with another maker, for results that were made elsewhere."""
        return Plan(
            document=document_of(self.base),
            varies=tuple(self.varies),
            measures=tuple(self.measures),
            keep=self.keep,
            modules=tuple(self.modules),
            maker=maker_of(self.base.settings.device) if maker is None else maker,
        )

    @checked_arguments
    def run(
        self,
        store: str | Path,
        *,
        workers: Natural | None = None,
        scheduler: str | None = None,
        progress: Progress = False,
    ) -> StudyResult:
        """Simulates all worlds that the store does not hold yet, and writes the table.

        A study that was killed goes on where it stopped, and one with more values than before adds the new worlds. A
        world that fails is a row with its status.

        Args:
            store: The folder of the results. It belongs to this study alone.
            workers: Number of processes on this machine, one core each; default: this process, with all cores.
            scheduler: Address of a Dask scheduler, such as tcp://127.0.0.1:8786, instead of processes of our own.
            progress: With True, standard error shows how far the study has come.
        """
        from pushpoint.studies.running.driving import run_study

        return run_study(self, store, workers=workers, scheduler=scheduler, progress=progress)


def maker_of(device: str) -> str:
    """What decides results besides the worlds: version and sources of the package, and the target of the kernels."""
    start_warp()
    return json.dumps([version_of("pushpoint"), source_digest(), target_of(device)])


def _check_fields_differ(varies: Sequence[Varied]) -> None:
    """Refuses two things that vary at one place, or a place inside a list that varies as a whole."""
    for k, each in enumerate(varies):
        for other in varies[:k]:
            if each.keys == other.keys or (each.whole and other.whole and set(each.sections) & set(other.sections)):
                raise InvalidModel(f"varies[{k}].field", each.field, "a field that nothing else varies")
            for part, whole in ((each, other), (other, each)):
                if part.keys[: len(whole.keys)] == whole.keys and (isinstance(whole, Courses) or len(whole.keys) > 1):
                    raise InvalidModel(f"varies[{k}].field", each.field, f"left out: {whole.field} varies as a whole")


def _try_out(number: int, varied: Varied, document: dict[str, Any]) -> None:
    """Tries values of what varies on the base scenario: all if there are few, or else both ends."""
    if isinstance(varied, Courses):
        if name_of(type(varied)) is None:
            raise InvalidModel(f"varies[{number}]", type(varied).__name__, "a registered kind: see pp.register")
        return
    few = varied.levels is not None and varied.levels <= MOST_TRIED
    codes = np.arange(varied.levels or 0, dtype=float) if few else varied.codes(np.array([0.0, 1.0 - 2**-53]))
    for code in codes.tolist():
        try:
            scenario_from(varied.applied(document, code))
        except PushpointError as error:
            listed = f"values[{int(code)}]" if isinstance(varied, Values) else "field"
            raise InvalidValue(f"varies[{number}].{listed}", path_of(varied.keys), varied.told(code), error) from None


class InvalidValue(InvalidModel):
    """A value that varies does not fit the base scenario."""

    def __init__(self, place: str, field: str, value: Any, error: PushpointError) -> None:
        super().__init__(place, value, "a value that fits")
        named = one_line(field, MOST_NAMED)
        told = f"{place}: {error}" if field in str(error) else f"{place}: {named} = {shown(value)}: {error}"
        self.args = (one_line(told, 2 * MOST_NAMED),)
