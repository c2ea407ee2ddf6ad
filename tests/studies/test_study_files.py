"""Study files: read as Python would make them, every mistake with its line, and written so that they are read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from pushpoint.errors import PushpointError
from pushpoint.studies import GridDesign, PegFields, Range, SobolDesign, Study, Values, read_study
from pushpoint.studies.study_files import document_of_study, study_from
from studies.small_study import base, small_study

TEXT = """\
name: small
base: transeth2008a/flat
set:
  duration: 0.1
  settings.dt: 4e-3
varies:
  - {kind: range, field: controller.amplitude_deg, low: 20, high: 60, count: 3}
  - kind: values
    field: ground.friction.coefficient
    values: [0.1, 0.3]
measures: [distance]
batch: 2
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "study.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_is_the_study_that_python_makes(tmp_path: Path) -> None:
    found = read_study(written(tmp_path, TEXT))
    made = small_study()
    assert (found.name, found.varies, found.design, found.measures, found.batch_size) == (
        "small", made.varies, GridDesign(), ("distance",), 2,
    )  # fmt: skip
    assert found.base.experiment.worlds == base().experiment.worlds
    assert found.base.duration == 0.1 and found.base.settings == base().settings


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name: small", "name: null", ":1: name = None, must be a short name"),
        ("base:", "basis:", ":2: unknown key 'basis'"),
        ("transeth2008a/flat", "transeth2008a/flt", ":2: base: unknown scenario 'transeth2008a/flt'"),
        ("transeth2008a/flat", "x" * 3000, ":2: base: unknown scenario 'xxx"),
        ("base: transeth2008a/flat", "base: 3", ":2: base = 3, must be a scenario"),
        ("duration: 0.1", "duration: -1", ":4: set.duration: duration = -1, must be finite and > 0"),
        ("duration: 0.1", "durations: 1", ":4: set.durations: unknown key 'durations'"),
        ("duration: 0.1", "1x: 1", ":4: set.1x = 1, must be a key of the scenario"),
        ("amplitude_deg", "amplitud_deg", ":7: varies[0].field: controller.amplitud_deg = 20.0"),
        ("high: 60", "high: 20", ":7: varies[0].high = 20, must be above low = 20"),
        (", count: 3", "", ":7: varies[0].count = None, must be given in a grid"),
        ("kind: values", "kind: valus", ":8: varies[1].kind: unknown kind 'valus'; did you mean values"),
        ("0.3]", "-0.3]", ":10: varies[1].values[1]: ground.friction.coefficient = -0.3, must be finite and >= 0"),
        ("[0.1, 0.3]", "[]", ":10: varies[1].values = [], must be a list of at least one value"),
        ("[distance]", "[distanc]", ":11: measures[0]: unknown measure 'distanc'; did you mean distance"),
        ("[distance]", "[]", ":11: study.measures = [], must be at least one measure"),
        ("batch: 2", "batch: 0", ":12: study.batch = 0, must be a whole number"),
        ("batch: 2", "keep: some", ":12: study.keep = 'some', must be one of"),
        ("batch: 2", "design: {kind: sobol}", ":12: design.count is missing"),
        (
            "batch: 2",
            "design: {kind: sobol, count: 4}",
            ":7: varies[0].count = 3, must be left out unless the design is a grid",
        ),
        (
            "ground.friction.coefficient",
            "controller.amplitude_deg",
            ":9: varies[1].field = 'controller.amplitude_deg', must be a field that nothing else varies",
        ),
    ],
)
def test_every_mistake_is_told_with_its_line(old: str, new: str, said: str, tmp_path: Path) -> None:
    path = written(tmp_path, TEXT.replace(old, new))
    with pytest.raises(PushpointError) as refused:
        read_study(path)
    assert str(refused.value).startswith(f"{path}{said}")


def test_a_long_name_of_a_field_is_shortened(tmp_path: Path) -> None:
    path = written(tmp_path, TEXT.replace("ground.friction.coefficient", "x" * 3000))
    with pytest.raises(PushpointError) as refused:
        read_study(path)
    assert len(str(refused.value)) < 400 + len(str(path)) and ": varies[1].values[0]: xxx" in str(refused.value)


def test_a_place_inside_a_course_that_varies_is_refused(tmp_path: Path) -> None:
    course = "{kind: peg-fields, count: 2, density: 2, radius: [0.1, 0.1], x: [1, 2], y: [-1, 1]}"
    more = f"  - {course}\n  - {{kind: values, field: 'obstacles[0].x', values: [1.0]}}\nmeasures:"
    with pytest.raises(
        PushpointError, match=r"varies\[3\].field = 'obstacles\[0\].x', must be left out: obstacles varies"
    ):
        read_study(written(tmp_path, TEXT.replace("measures:", more)))


def test_a_base_may_be_a_file_beside_it_or_sections(tmp_path: Path) -> None:
    from pushpoint import write_scenario

    write_scenario(base(), tmp_path / "walk.yaml")
    found = read_study(written(tmp_path, TEXT.replace("transeth2008a/flat", "walk.yaml")))
    assert found.base.world == base().world
    sections = "base:\n  robot: aiko-planar\n  duration: 1.0\n  controller: {kind: hol}"
    with pytest.raises(PushpointError, match=r"study.yaml:5: controller.kind: unknown kind 'hol'"):
        read_study(written(tmp_path, TEXT.replace("base: transeth2008a/flat", sections)))


@pytest.mark.parametrize(
    "study",
    [
        small_study(),
        small_study(keep="failed", batch=None, title="A question"),
        small_study(
            varies=[
                PegFields(count=3, density=2.0, radius=(0.1, 0.2), x=(1.0, 2.0), y=(-1.0, 1.0), first_seed=5),
                Values(field="controller", values=[{"kind": "hold", "joint_angles_deg": [0.0] * 10}]),
                Range(field="ground.friction.coefficient", low=0.1, high=0.2, logarithmic=True),
            ],
            design=SobolDesign(count=8, seed=3),
        ),
    ],
    ids=["grid", "words", "sobol"],
)
def test_a_study_is_written_as_it_is_read(study: Study) -> None:
    document = document_of_study(study)
    again = study_from(document)
    assert again.varies == study.varies and again.design == study.design
    assert document_of_study(again) == document
