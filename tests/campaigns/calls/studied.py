"""Calls of studies: what varies, designs, studies and their tables."""

from __future__ import annotations

from pathlib import Path

import pushpoint as pp
from campaigns.calls import things
from campaigns.calls.running import method
from campaigns.calls.table import CALLS, Call, Made, fields_of, made

AMPLITUDE = "controller.amplitude_deg"
TWO = pp.studies.Values(field=AMPLITUDE, values=[20.0, 30.0])
FIELD = pp.studies.PegFields(count=2, density=2.0, radius=(0.03, 0.05), x=(1.0, 2.0), y=(-1.0, 1.0))


@made
def study() -> pp.studies.Study:
    """Two short worlds."""
    base = pp.scenario("transeth2008a/flat").with_changes(duration=0.01)
    return pp.studies.Study(name="two", base=base, varies=[TWO], measures=["distance"])


@made
def stored() -> Path:
    """The store of a finished study."""
    folder: Path = things.folder.make() / "stored"
    study.make().run(folder)
    return folder


@made
def result() -> pp.studies.StudyResult:
    """What a study says at its end."""
    return study.make().run(stored.make())


@made
def file() -> Path:
    """A study file."""
    path: Path = things.folder.make() / "study.yaml"
    varied = f"{{kind: values, field: {AMPLITUDE}, values: [20, 30]}}"
    path.write_text(f"base: transeth2008a/flat\nvaries: [{varied}]\nmeasures: [distance]\n", encoding="utf-8")
    return path


STANDING = Made(lambda: result.make().standing)

CALLS |= {
    "studies.Values": Call(pp.studies.Values, field=AMPLITUDE, values=[1.0, 2.0], labels=("a", "b")),
    "studies.Variants": Call(pp.studies.Variants, field="course", variants=[{"duration": 1.0}, {"duration": 2.0}],
                             labels=("a", "b")),
    "studies.Range": Call(pp.studies.Range, field=AMPLITUDE, low=1.0, high=2.0, count=3, logarithmic=True),
    "studies.Normal": Call(pp.studies.Normal, field=AMPLITUDE, mean=1.0, deviation=0.1, most=3.0),
    "studies.Seeds": Call(pp.studies.Seeds, field="sensors.seed", count=3, first=5),
    "studies.PegFields": Call(pp.studies.PegFields, field="obstacles", count=2, first_seed=3, density=2.0,
                              radius=(0.03, 0.05), x=(1.0, 2.0), y=(-1.0, 1.0), clearance=0.1, gap=0.1, friction=0.1,
                              restitution=0.1),
    "studies.PegFields.obstacles": Call(FIELD.obstacles, 1, things.WORLD),
    "studies.GridDesign": Call(pp.studies.GridDesign),
    "studies.RandomDesign": Call(pp.studies.RandomDesign, count=3, seed=1),
    "studies.SobolDesign": Call(pp.studies.SobolDesign, count=3, seed=1),
    "studies.LatinHypercubeDesign": Call(pp.studies.LatinHypercubeDesign, count=3, seed=1),
    "studies.Study": Call(pp.studies.Study, name="two", base=Made(lambda: study.make().base), varies=[TWO],
                          design=pp.studies.GridDesign(), measures=["distance"], keep="none", batch=10, modules=(),
                          title="t"),
    "studies.Study.run": Call(method(study, "run"), stored, workers=None, scheduler=None, progress=False),
    "studies.read_study": Call(pp.studies.read_study, file),
    "studies.study_figure": Call(pp.studies.study_figure, study, Made(lambda: pp.studies.load_table(stored.make())),
                                 "distance"),
    "studies.load_table": Call(pp.studies.load_table, stored),
    "studies.register_measure": Call(pp.studies.register_measure, "nothing-new", unit="m", needs=["center_of_mass"]),
    "studies.Standing": Call(pp.studies.Standing, **fields_of(STANDING, "worlds", "reused", "simulated", "seconds")),
    "studies.StudyResult": Call(pp.studies.StudyResult, **fields_of(result, "standing", "failed", "lost", "table")),
}  # fmt: skip
