"""Files of studies and searches broken at random, and stores with a broken file in them.

A refusal of a file begins with file and line. What is accepted survives the way through another document. A damaged
store is refused in a sentence, or its study goes on and ends with the table of a sound one.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

import pushpoint as pp
from campaigns.broken_texts import Random, any_of, broken_document, broken_text, flipped, overwritten, shortened
from campaigns.campaign import kind
from campaigns.kinds.scenario_files import WITHOUT_LINE, as_text
from pushpoint.description.files import SourceFile
from pushpoint.errors import PushpointError
from pushpoint.studies.optimising.files import read_question
from pushpoint.studies.storing.status import status_of
from pushpoint.studies.study_files import document_of_study, study_from

STUDIES = (
    """\
name: speed
title: How fast?
base: transeth2008a/flat
set: {duration: 0.02, ground.friction: {law: elliptic, along: 0.1, across: 0.5}}
varies:
  - {kind: range, field: controller.amplitude_deg, low: 20, high: 60, count: 3}
  - {kind: values, field: ground.friction.across, values: [0.3, 0.5]}
measures: [mean_speed, cost_of_transport]
batch: 4
""",
    """\
base: transeth2008a/flat
varies:
  - {kind: normal, field: controller.amplitude_deg, mean: 40, deviation: 5, most: 2}
  - {kind: peg-fields, count: 8, density: 6.0, radius: [0.03, 0.06], x: [-1.0, 1.5], y: [-0.6, 0.6], gap: 0.01}
  - {kind: seeds, field: sensors.seed, count: 4}
  - {kind: range, field: ground.friction.coefficient, low: 0.05, high: 0.8, logarithmic: true}
design: {kind: sobol, count: 32, seed: 1}
measures: [distance]
keep: failed
""",
    """\
base: transeth2008a/flat
varies:
  - kind: variants
    field: course
    variants: [{obstacles: [{x: 1.0, y: 0.5, radius: 0.1}], duration: 0.1}, {obstacles: []}]
    labels: [near, none]
  - {kind: values, field: controller, values: [{kind: hold}, {kind: leader-follower}], labels: [hold, feel]}
design: {kind: latin-hypercube, count: 5}
measures: [distance, peak_torque]
""",
)
SEARCHES = (
    """\
name: fastest
scenario: transeth2008a/flat
duration: 1.0
varies:
  controller.amplitude_deg: [10, 60]
  controller.phase_shift_deg: {low: 20, high: 80, scale: log}
goals: {speed: maximise, cost_of_transport: minimise}
most: {power: 5}
least: {speed: 0.01}
conditions:
  - {ground.friction.coefficient: 0.2}
  - {ground.friction.coefficient: 0.4}
over: mean
periods: 1
rate: 50
evaluations: 32
candidates: 8
seed: 3
""",
)


@cache
def document(text: str) -> object:
    """The document of a text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file.yaml"
        file.write_text(text, encoding="utf-8")
        return SourceFile(file).document


def content(random: Random, texts: tuple[str, ...]) -> bytes:
    """What a broken file holds."""
    text = any_of(random, texts)
    if random.random() < 0.5:
        return broken_text(random, text, any_of(random, texts))
    return as_text(random, broken_document(random, document(text)))


@kind("study files", full=20_000, short=60, limit=60.0)
def trial(seed: int) -> str:
    """One file of a study or of a search, read; what is accepted is read again from its own document."""
    random = np.random.default_rng((seed, 18))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "asked.yaml"
        searched = bool(random.integers(2))
        file.write_bytes(content(random, SEARCHES if searched else STUDIES))
        try:
            if searched:
                read_question(str(file))
                return "search"
            study = pp.studies.read_study(file)
        except PushpointError as error:
            placed = re.match(rf"{re.escape(str(file))}:\d+: ", str(error))
            assert placed or WITHOUT_LINE.search(str(error)), f"no line: {error}"
            raise
        again = study_from(document_of_study(study))
        assert document_of_study(again) == document_of_study(study), "another study came back"
        return "study"


@cache
def sound() -> tuple[Path, bytes]:
    """The store of a small study that is finished, and its table."""
    folder = Path(tempfile.mkdtemp(prefix="pushpoint-campaign-"))
    return folder / "store", small().run(folder / "store").table.read_bytes()


def small() -> pp.studies.Study:
    """Four worlds in two batches, whose runs are kept."""
    return pp.studies.Study(
        name="small",
        base=pp.scenario("transeth2008a/flat").with_changes(duration=0.02),
        varies=[pp.studies.Values(field="controller.amplitude_deg", values=[20.0, 30.0, 40.0, 50.0])],
        measures=["distance"],
        keep="all",
        batch=2,
    )


@kind("stores", full=2_000, short=12, limit=60.0)
def stores(seed: int) -> str:
    """A store with one file damaged, cut short or gone: its study ends in the same table, or in a sentence."""
    random = np.random.default_rng((seed, 19))
    whole, table = sound()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(shutil.copytree(whole, Path(folder) / "store"))
        file = any_of(random, sorted(path for path in store.rglob("*") if path.is_file()))
        before = file.read_bytes()
        way = any_of(random, (flipped, overwritten, shortened, None))
        data = None if way is None else way(random, before)
        if data is None:
            file.unlink()
        else:
            file.write_bytes(data)
        status_of(store)
        pp.studies.load_table(store)
        found = small().run(store)
        assert found.table.read_bytes() == table, "another table"
        return "gone" if data is None else "used"
