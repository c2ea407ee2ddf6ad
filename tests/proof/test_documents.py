"""The written parts of the documents are those that the kept results and the papers' rooms give."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pushpoint.errors import BadFile
from pushpoint.papers import PAPERS
from pushpoint.proof.documents import BLOCKS, read_results, with_block
from pushpoint.proof.reproduction import PlacedClaim, claims_of
from pushpoint.proof.speed import SPEED, fast_sentence
from pushpoint.proof.tables import all_claims, check_counts, claim_counts, findings, linked
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
    for name, write in BLOCKS[document].items():
        assert with_block(text, name, write(RESULTS), document) == text, f"{name}: run `make documents`"


def test_the_kept_results_are_those_of_the_registry(placed: list[PlacedClaim]) -> None:
    kept = RESULTS["reproduce"]["claims"]
    recorded = {one.claim.id: one.claim.recorded for one in placed}
    assert {one["id"]: one["recorded_verdict"] for one in kept} == recorded
    assert {one["id"]: one["verdict"] for one in kept} == recorded
    found = Counter(recorded.values())
    counts = RESULTS["reproduce"]["counts"]
    assert [counts[verdict] for verdict in VERDICTS] == [found[verdict] for verdict in VERDICTS]
    assert counts["claims"] == len(recorded) == 63


def test_the_kept_texts_are_those_of_the_registry(placed: list[PlacedClaim]) -> None:
    kept = {one["id"]: one for one in RESULTS["reproduce"]["claims"]}
    for one in placed:
        told = kept[one.claim.id]
        for name in ("statement", "where", "tolerance", "reason"):
            assert told[name] == getattr(one.claim, name), f"{one.claim.id}: run `pushpoint reproduce` again"


def test_the_front_page_says_what_was_found_in_one_sentence_each() -> None:
    lines = findings(RESULTS).splitlines()
    counts = RESULTS["reproduce"]["counts"]
    assert lines[0] == (
        f"- **{counts['claims']} claims of five papers** are judged again by `pushpoint reproduce`: "
        f"{counts['reproduced']} reproduced, {counts['approximate']} approximate, "
        f"{counts['not reproduced']} not reproduced ([all of them](docs/proof/reproduction.md))."
    )
    checks = RESULTS["verify"]["counts"]
    assert lines[1].startswith(f"- **{checks['passed']} of {checks['checks']} checks** of the physics")
    assert len(lines) == 2 + ("bench-planar" in RESULTS) and all("](docs/proof/" in line for line in lines)
    assert findings({}) == ""


def test_the_front_page_names_the_speed_once_it_was_measured() -> None:
    timed = {"us_per_step": 2.93, "ratio_to_mujoco": 24.96, "ratio_to_mujoco_fastest": 4.21, "repeats": 9}
    said = fast_sentence({"bench-planar": timed})
    assert "**25 times as fast as MuJoCo**" in said and "4.2 times" in said and "2.9 µs" in said
    assert findings({"bench-planar": timed}) == f"- {said}"
    assert fast_sentence({}) == ""


def test_checks_are_counted_by_group() -> None:
    checks = [
        {"id": "ramp", "group": "closed forms", "passed": True, "measured": 1e-4, "tolerance": 1e-3},
        {"id": "slide", "group": "closed forms", "passed": False, "measured": 3.0, "tolerance": 2.0},
        {"id": "bits", "group": "determinism", "passed": False, "measured": None, "tolerance": 1.0},
        {"id": "order", "group": "agreement", "passed": True, "measured": 0.0, "tolerance": 0.0},
    ]
    made = check_counts({"verify": {"checks": checks}})
    assert made.splitlines()[2:] == [
        "| closed forms | 2 | 1 | 1: slide | 1.5 |",
        "| determinism | 1 | 0 | 1: bits |  |",
        "| agreement | 1 | 1 | 0 | equal |",
        "| all | 4 | 2 | 2 | 1.5 |",
    ]
    assert check_counts({}) == claim_counts({}) == ""


def test_every_claim_has_a_heading_that_links_can_name(placed: list[PlacedClaim]) -> None:
    made = all_claims(RESULTS)
    headings = [line.removeprefix("#### ") for line in made.splitlines() if line.startswith("#### ")]
    assert headings == [one.claim.id for one in placed]
    entry = made.split("#### TA7\n")[1].split("\n#### ")[0]
    for said in (
        "VIII-B, Fig. 12b",
        "With a phase shift of −70 deg",
        "speed: 12.52",
        "faster than 5 cm/s",
        "approximate",
    ):
        assert said in entry
    assert "the joint torques are not larger" in entry and "](deviations.md#d" in entry
    assert "[TA7](#ta7)" in claim_counts(RESULTS)


def test_claims_named_elsewhere_lead_to_their_headings() -> None:
    text = "## TA7\nTA7 and HA11–HA12, `TA7`, [TA7](x.md), D7, TA99\n```python\nTA7\n```\n| TA7 |"
    assert linked(text, ("TA7", "HA11", "HA12")) == (
        "## TA7\n[TA7](reproduction.md#ta7) and [HA11](reproduction.md#ha11)–[HA12](reproduction.md#ha12), `TA7`, "
        "[TA7](x.md), D7, TA99\n```python\nTA7\n```\n| [TA7](reproduction.md#ta7) |"
    )


def test_what_was_not_timed_yet_names_the_command() -> None:
    for name, write in SPEED.items():
        assert "make documents" in write({}) and "docs/results/" in write({}), name


def test_a_document_without_markers_is_named() -> None:
    with pytest.raises(BadFile, match=r"README\.md: must have the lines"):
        with_block("nothing", "findings", "", "README.md")
