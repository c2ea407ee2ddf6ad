"""The written parts of the documents are those that the kept results and the papers' rooms give."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pushpoint.errors import BadFile
from pushpoint.papers import PAPERS
from pushpoint.proof.documents import BLOCKS, block_of, front_table, read_results, with_block
from pushpoint.proof.reproduction import PlacedClaim, claims_of
from pushpoint.scenarios.claim import VERDICTS

ROOT = Path(__file__).parents[2]
RESULTS = read_results(ROOT / "docs" / "results")


@pytest.fixture(scope="module")
def placed() -> list[PlacedClaim]:
    """All claims."""
    return [one for paper in PAPERS for one in claims_of(paper)]


@pytest.mark.parametrize("document", BLOCKS)
def test_the_written_blocks_are_up_to_date(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    assert with_block(text, BLOCKS[document], block_of(document, RESULTS), document) == text


def test_the_kept_results_are_those_of_the_registry(placed: list[PlacedClaim]) -> None:
    kept = RESULTS["reproduce"]["claims"]
    recorded = {one.claim.id: one.claim.recorded for one in placed}
    assert {one["id"]: one["recorded_verdict"] for one in kept} == recorded
    assert {one["id"]: one["verdict"] for one in kept} == recorded
    found = Counter(recorded.values())
    counts = RESULTS["reproduce"]["counts"]
    assert [counts[verdict] for verdict in VERDICTS] == [found[verdict] for verdict in VERDICTS]
    assert counts["claims"] == len(recorded) == 62


def test_the_kept_texts_are_those_of_the_registry(placed: list[PlacedClaim]) -> None:
    kept = {one["id"]: one for one in RESULTS["reproduce"]["claims"]}
    for one in placed:
        told = kept[one.claim.id]
        for name in ("statement", "where", "tolerance", "reason"):
            assert told[name] == getattr(one.claim, name), f"{one.claim.id}: run `pushpoint reproduce` again"


def test_the_front_table_takes_what_is_there() -> None:
    checks = [
        {"id": "ramp", "group": "closed forms", "passed": True, "measured": 1e-4, "tolerance": 1e-3},
        {"id": "slide", "group": "closed forms", "passed": False, "measured": 3.0, "tolerance": 2.0},
        {"id": "bits", "group": "determinism", "passed": False, "measured": None, "tolerance": 1.0},
        {"id": "order", "group": "agreement", "passed": True, "measured": 0.0, "tolerance": 0.0},
    ]
    made = front_table({"verify": {"checks": checks}})
    assert made.splitlines()[2:] == [
        "| closed forms | 2 | 1 | 1: slide | 1.5 |",
        "| determinism | 1 | 0 | 1: bits |  |",
        "| agreement | 1 | 1 | 0 | equal |",
        "| all | 4 | 2 | 2 | 1.5 |",
    ]
    assert front_table({}) == ""


def test_a_document_without_markers_is_named() -> None:
    with pytest.raises(BadFile, match=r"README\.md: must have the lines"):
        with_block("nothing", "front table", "", "README.md")
