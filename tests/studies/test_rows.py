"""Rows of a study: documents as if each had been changed by hand, and keys by content."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.description.changes import apply_sets
from pushpoint.errors import InvalidModel
from pushpoint.scenarios.files import document_of
from pushpoint.studies import PegFields, RandomDesign, Range, Seeds, Study, Values, Variants
from pushpoint.studies.running.rows import StudyRows
from studies.small_study import base, small_study


def all_rows(study: Study) -> np.ndarray:
    return np.concatenate(list(study.design.blocks(study.varies)))


def keys_of(study: Study) -> list[bytes]:
    return StudyRows(study.plan()).keys(all_rows(study)).tolist()


def test_documents_are_those_of_changes_by_hand() -> None:
    study = small_study()
    documents = [document for document, _ in StudyRows(study.plan()).documents(all_rows(study))]
    pairs = [(a, mu) for a in (20.0, 40.0, 60.0) for mu in (0.1, 0.3)]
    by_hand = [
        apply_sets(document_of(study.base), [f"controller.amplitude_deg={a}", f"ground.friction.coefficient={mu}"])
        for a, mu in pairs
    ]
    assert documents == by_hand


@pytest.mark.parametrize("field", ["robot.link.mass", "robot.motor.stiffness", "robot.links[1].mass"])
def test_a_field_of_the_robot_changes_what_the_command_line_would(field: str) -> None:
    study = small_study(varies=[Values(field=field, values=[0.5, 0.75])])
    documents = [document for document, _ in StudyRows(study.plan()).documents(all_rows(study))]
    assert documents == [apply_sets(document_of(study.base), [f"{field}={value}"]) for value in (0.5, 0.75)]


def test_a_whole_section_is_replaced_before_its_fields() -> None:
    gaits = [
        {"kind": "lateral-undulation", "amplitude_deg": 1.0, "angular_frequency_deg": f, "phase_shift_deg": -40.0}
        for f in (50.0, 90.0)
    ]
    varies = [
        Range(field="controller.amplitude_deg", low=20, high=30, count=2),
        Values(field="controller", values=gaits),
    ]
    rows = StudyRows(small_study(varies=varies).plan())
    ((document, _),) = rows.documents(np.array([[25.0, 1.0]]))
    assert document["controller"] == gaits[1] | {"amplitude_deg": 25.0}


def test_keys_differ_by_row_and_are_the_same_for_the_same_content() -> None:
    found = keys_of(small_study())
    assert len(set(found)) == 6 and found == keys_of(small_study())


def test_what_a_study_gains_leaves_its_old_keys() -> None:
    old = keys_of(small_study())
    more_values = small_study(
        varies=[small_study().varies[0], Values(field="ground.friction.coefficient", values=[0.1, 0.2, 0.3])]
    )
    assert set(old) < set(keys_of(more_values))
    one_more = small_study(varies=[*small_study().varies, Values(field="duration", values=[0.1, 0.2])])
    assert set(old) < set(keys_of(one_more))  # the base has the duration 0.1


@pytest.mark.parametrize(
    "changes",
    [
        {"base": base(settings=pp.Settings(dt=4e-3, precision="float32"))},
        {"base": base(settings=pp.Settings(dt=2e-3))},
        {"base": base(duration=0.2)},
        {"base": base(record=pp.Record(rate=50.0))},
        {"measures": ["distance", "path_length"]},
    ],
    ids=["precision", "dt", "duration", "record", "measures"],
)
def test_everything_that_decides_a_result_is_in_the_key(changes: dict[str, Any]) -> None:
    assert not set(keys_of(small_study())) & set(keys_of(small_study(**changes)))


def test_name_and_title_are_not_in_the_key() -> None:
    named = small_study(base=replace(base(), name="other", title="A title"), name="other")
    assert keys_of(named) == keys_of(small_study())


def test_the_version_is_in_the_key() -> None:
    plan = small_study().plan()
    version = json.loads(plan.maker)[0]
    assert version == pp.__version__
    other = replace(plan, maker=plan.maker.replace(version, "9.9.9"))
    rows = all_rows(small_study())
    assert not set(StudyRows(plan).keys(rows).tolist()) & set(StudyRows(other).keys(rows).tolist())


def test_seeds_of_sensors_are_different_worlds() -> None:
    study = small_study(varies=[Seeds(field="sensors.seed", count=4)], design=RandomDesign(count=50))
    assert len(set(keys_of(study))) == 4


def test_variants_replace_several_sections_together() -> None:
    course = Variants(
        field="course",
        variants=[{"duration": 0.2, "obstacles": [{"x": 2.0, "y": 0.0, "radius": 0.1}]}, {"duration": 0.3}],
        labels=["peg", "free"],
    )
    study = small_study(varies=[small_study().varies[1], course])
    documents = [document for document, _ in StudyRows(study.plan()).documents(all_rows(study))]
    assert [document["duration"] for document in documents] == [0.2, 0.3, 0.2, 0.3]
    assert [bool(document["obstacles"]) for document in documents] == [True, False, True, False]
    assert [document["ground"]["friction"]["coefficient"] for document in documents] == [0.1, 0.1, 0.3, 0.3]
    assert len(set(keys_of(study))) == 4


def test_a_section_is_replaced_by_one_thing_alone() -> None:
    course = Variants(field="course", variants=[{"duration": 0.2}], labels=["a"])
    with pytest.raises(InvalidModel, match=r"varies\[1\].field"):
        small_study(varies=[course, Values(field="duration", values=[0.1])])


def test_what_is_remembered_of_many_different_sections_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    pegs = PegFields(count=100, density=6.0, radius=(0.03, 0.06), x=(-1.0, 1.5), y=(-0.6, 0.6))
    study = small_study(varies=[pegs, Range(field="duration", low=0.1, high=0.2)], design=RandomDesign(count=100))
    before = keys_of(study)
    monkeypatch.setattr("pushpoint.studies.running.rows.MOST_KNOWN", 10)
    rows = StudyRows(study.plan())
    assert rows.keys(all_rows(study)).tolist() == before
    assert max(len(held) for held in vars(rows).values() if isinstance(held, dict)) <= 11
