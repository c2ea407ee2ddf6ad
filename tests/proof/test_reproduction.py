"""`pushpoint reproduce`: every claim is there once, verdicts are held to the record, finished work is not repeated."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from pushpoint.cli.main import main
from pushpoint.errors import PushpointError, SimulationFailed, UnknownName
from pushpoint.papers import PAPERS
from pushpoint.papers.writing import PaperFigure, figures_of
from pushpoint.proof import reproduction
from pushpoint.proof.judgement import WorkPlan, judge_item, remembered_runs
from pushpoint.proof.reproduction import PlacedClaim, Reproduction, chosen_papers, claims_of
from pushpoint.scenarios.claim import Claim, Verdict
from pushpoint.simulation.storage import source_digest
from pushpoint.studies.storing.results import kept_results

IDS = {
    "transeth2008a": [f"TA{number}" for number in range(1, 22)],
    "transeth2008b": [f"TB{number}" for number in range(1, 11)],
    "liljeback2014": [f"LA{number}" for number in range(1, 9)],
    "holden2014": [f"HA{number}" for number in range(1, 13)],
    "liljeback2011": [f"LB{number}" for number in range(1, 13)],
}
KEYS = {"id", "paper", "where", "statement", "measured", "tolerance", "verdict", "recorded_verdict", "reason"}
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def placed() -> dict[str, tuple[PlacedClaim, ...]]:
    """All claims by paper."""
    return {paper: claims_of(paper) for paper in PAPERS}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def test_every_claim_of_the_list_is_there_once(placed: dict[str, tuple[PlacedClaim, ...]]) -> None:
    assert {paper: [one.claim.id for one in claims] for paper, claims in placed.items()} == IDS


def test_every_claim_says_where_what_and_what_is_demanded(placed: dict[str, tuple[PlacedClaim, ...]]) -> None:
    for one in (each for claims in placed.values() for each in claims):
        assert one.claim.statement and one.claim.where and one.scenario.startswith(f"{one.paper}/")
        # A demand without a number must say in words what is compared.
        assert one.claim.tolerance and (re.search(r"\d", one.claim.tolerance) or len(one.claim.tolerance) > 30)


def test_every_claim_that_is_not_simply_reproduced_has_a_reason(placed: dict[str, tuple[PlacedClaim, ...]]) -> None:
    claims = [one.claim for each in placed.values() for one in each]
    assert all(claim.reason for claim in claims if claim.recorded != "reproduced")


def test_figures_illustrate_claims_of_their_paper() -> None:
    keys = Counter(figure.key for paper in PAPERS for figure in figures_of(paper))
    assert set(keys.values()) == {1} and len(keys) > 40
    for paper in PAPERS:
        for figure in figures_of(paper):
            assert set(figure.claims) <= set(IDS[paper]) and figure.key.startswith(paper), figure.key
    # What the paper measured on its robot is not ours to show, and the caption says so.
    real = {"transeth2008a-fig-13", "transeth2008a-fig-14", "transeth2008b-fig-7", "transeth2008b-fig-9"}
    real |= {f"liljeback2011-fig-{number}" for number in range(6, 13)}
    captions = {figure.key: figure.caption for paper in PAPERS for figure in figures_of(paper)}
    assert all("cannot be reproduced" in captions[key] for key in real)


def claim(name: str, verdict: str = "reproduced", **changes: Any) -> Claim:
    parts: dict[str, Any] = {"statement": f"{name} < moves", "where": "Fig. 1", "tolerance": "within 1 mm"}
    parts |= {"recorded": "reproduced", "check": lambda run_of: Verdict(verdict=verdict, measured={"way_mm": -0.5})}
    return Claim(id=name, **(parts | changes))


def placed_as(*claims: Claim) -> tuple[PlacedClaim, ...]:
    return tuple(PlacedClaim(claim=one, paper="transeth2008a", scenario="transeth2008a/flat") for one in claims)


def picture(material: Any) -> Figure:
    figure = Figure(figsize=(1.0, 1.0))
    figure.text(0.1, 0.5, ", ".join(material.verdicts))
    return figure


def paper_figure(key: str = "transeth2008a-fig-0", build: Any = picture) -> PaperFigure:
    return PaperFigure(key=key, where="As Fig. 0", caption="A picture & more.", claims=("TA1",), build=build)


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the command do some claims and figures only."""

    def plan(*claims: PlacedClaim, figures: tuple[PaperFigure, ...] = (paper_figure(),)) -> None:
        made = WorkPlan(judgement=Reproduction, items={"transeth2008a": claims}, figures={"transeth2008a": figures})
        monkeypatch.setattr(reproduction, "plan_of", lambda papers: made)

    return plan


class TestCommand:
    def test_real_claims_are_judged_and_written(
        self,
        placed: dict[str, tuple[PlacedClaim, ...]],
        planned: Any,
        folder: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        chosen = [one for one in placed["transeth2008a"] if one.claim.id in ("TA2", "TA5", "TA7")]
        drawn = tuple(figure for figure in figures_of("transeth2008a") if figure.key.endswith("fig-12"))
        planned(*chosen, figures=drawn)
        assert main(["reproduce", "--json", "--out", "there"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert [set(one) >= KEYS for one in document["claims"]] == [True] * 3
        assert [one["verdict"] for one in document["claims"]] == ["reproduced", "reproduced", "approximate"]
        assert document["claims"][2]["reason"].startswith("the robot moves and needs more contact force")
        # VIII-D.2 says about 15 cm/s; TA2's own check has the band.
        assert document["claims"][0]["measured"]["speed_cm_per_s"] == pytest.approx(15.0, abs=2.0)
        number = {"reproduced": 2, "approximate": 1, "not reproduced": 0, "not testable": 0}
        assert document["counts"]["papers"] == {"transeth2008a": number}
        assert document["counts"]["claims"] == 3 and document["counts"]["not_as_recorded"] == 0
        kept = json.loads((folder / "there/results.json").read_text(encoding="utf-8"))
        assert kept == {"claims": document["claims"], "counts": document["counts"]}
        check_page((folder / "there/report.html").read_text(encoding="utf-8"), ("TA2", "TA5", "TA7"), pictures=1)

    def test_the_first_thing_said_is_that_there_is_no_measured_data(self, planned: Any, folder: Path) -> None:
        planned(*placed_as(claim("TA1")))
        assert main(["reproduce"]) == 0
        page = (folder / "out/reproduce/report.html").read_text(encoding="utf-8")
        before = page[: page.index("<table>")]
        assert "No measured data: nothing here was compared with a recording of a physical robot." in before
        assert re.search(r"\d+ results that they print as numbers\. Of these, \d+ come from their robots", before)
        assert "≈ −1 cm/s" in page and "VIII-D.1, Fig. 13" in page  # beside ours, in the table of the paper

    def test_a_planted_wrong_verdict_fails_by_a_sentence(
        self, planned: Any, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        planned(*placed_as(claim("TA1"), claim("TA2", "approximate"), claim("TA3")))
        assert main(["reproduce"]) == 1
        said = capsys.readouterr()
        expected = "verdicts differ from the recorded ones: TA2 is approximate, recorded as reproduced"
        assert said.err == f"error: {expected}\n"
        assert "out/reproduce/report.html" in said.out
        page = (folder / "out/reproduce/report.html").read_text(encoding="utf-8")
        assert f"V{expected[1:]}." in page and "recorded: reproduced" in page

    def test_a_run_that_fails_does_not_reproduce_anything(self) -> None:
        def check(run_of: Any) -> Verdict:
            raise SimulationFailed("the state diverged at 0.1 s")

        found = judge_item(placed_as(claim("TA1", check=check))[0], remembered_runs())
        assert found.verdict == "not reproduced" and not found.as_wanted
        assert Reproduction(findings=[found]).complaint.endswith(
            "TA1 is not reproduced, recorded as reproduced (the state diverged at 0.1 s)"
        )

    def test_an_unknown_paper_is_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["reproduce", "transeth2008c"]) == 2
        said = capsys.readouterr().err
        assert "unknown paper 'transeth2008c'; did you mean transeth2008" in said and said.count("\n") == 1
        with pytest.raises(UnknownName, match="known are holden2014, liljeback2011"):
            chosen_papers(["gray1946"])
        assert chosen_papers(["holden2014", "transeth2008a"]) == ("transeth2008a", "holden2014")
        assert chosen_papers([]) == tuple(IDS)

    def test_a_file_in_the_way_of_the_folder_is_named(
        self, planned: Any, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        planned(*placed_as(claim("TA1")))
        (folder / "taken").write_text("", encoding="utf-8")
        assert main(["reproduce", "--out", "taken"]) == 2
        assert capsys.readouterr().err == "error: taken: is a file, must be a folder for results\n"


class TestResuming:
    def test_finished_claims_and_figures_are_not_done_again(
        self, planned: Any, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        asked, drawn, stop = [], [], [True]

        def check(run_of: Any) -> Verdict:
            asked.append("TA1")
            return Verdict(verdict="reproduced")

        def late(run_of: Any) -> Verdict:
            if stop:
                raise KeyboardInterrupt
            return Verdict(verdict="reproduced")

        def draw(material: Any) -> Figure:
            drawn.append(1)
            return picture(material)

        planned(*placed_as(claim("TA1", check=check), claim("TA2", check=late)), figures=(paper_figure(build=draw),))
        assert main(["reproduce"]) == 130
        assert capsys.readouterr().err == "interrupted; the same command goes on from there\n"
        stop.clear()
        assert main(["reproduce"]) == 0 and asked == ["TA1"] and len(drawn) == 1
        assert re.search(r"^2 claims in \S+ s; 1 of them were done before$", capsys.readouterr().out, re.MULTILINE)
        assert main(["reproduce"]) == 0 and asked == ["TA1"] and len(drawn) == 1
        file = folder / "out/reproduce/figures/transeth2008a-fig-0.png"
        file.write_bytes(PNG + b"something else")
        assert main(["reproduce"]) == 0 and asked == ["TA1"] and len(drawn) == 2

    def test_results_of_other_sources_are_not_taken(self, folder: Path) -> None:
        asked = []

        def check(run_of: Any) -> Verdict:
            asked.append(1)
            return Verdict(verdict="reproduced", measured={"nothing": float("nan")})

        one = placed_as(claim("TA1", check=check))[0]
        found = []
        for source in ("before", "before", "after"):
            with kept_results(folder / "store", source) as kept:
                found.append(judge_item(one, remembered_runs(), kept))
        assert found[0] == found[1] and len(asked) == 2
        assert found[0]["measured"] == {"nothing": None}

    def test_the_digest_is_that_of_the_sources(self) -> None:
        assert re.fullmatch(r"[0-9a-f]{16}", source_digest())

    def test_a_figure_that_cannot_be_drawn_is_said_so(self, planned: Any, folder: Path) -> None:
        def refuse(material: Any) -> Figure:
            raise PushpointError("no link positions were recorded")

        planned(*placed_as(claim("TA1")), figures=(paper_figure("transeth2008a-fig-13", refuse),))
        # The page asks for the published keys only, so the refused one is one of them.
        assert main(["reproduce"]) == 0
        assert "Not drawn: no link positions were recorded" in (folder / "out/reproduce/report.html").read_text()


class Links(HTMLParser):
    """What a page refers to, and the names in it."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.sources: list[str] = []
        self.links: list[str] = []
        self.names: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags[tag] += 1
        self.sources += [given["src"] or ""] if "src" in given else []
        self.links += [given["href"] or ""] if "href" in given else []
        self.names += [given["id"] or ""] if "id" in given else []


def check_page(page: str, claims: tuple[str, ...], pictures: int) -> None:
    """A page that needs nothing but itself: pictures inside, links to places in it, no scripts."""
    seen = Links()
    seen.feed(page)
    assert len(seen.sources) == seen.tags["img"] == pictures
    for source in seen.sources:
        head, _, content = source.partition(",")
        assert head == "data:image/png;base64" and base64.b64decode(content, validate=True).startswith(PNG)
    places = {f"#{name}" for name in seen.names}
    assert set(seen.links) <= places | {"data:,"} and len(seen.names) == len(set(seen.names))
    assert not seen.tags["script"] and not seen.tags["iframe"]
    assert not re.search(r"url\(|@import|https?://", page)
    assert {f"#{name}" for name in claims} <= places


@pytest.mark.slow
def test_the_whole_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["id"] for one in document["claims"]] == [name for names in IDS.values() for name in names]
    page = (folder / "out/reproduce/report.html").read_text(encoding="utf-8")
    number = sum(len(figures_of(paper)) for paper in PAPERS)
    check_page(page, tuple(name for names in IDS.values() for name in names), pictures=number)
    assert "Not drawn" not in page


def test_a_changed_record_is_a_failure(placed: dict[str, tuple[PlacedClaim, ...]]) -> None:
    one = next(each for each in placed["transeth2008a"] if each.claim.id == "TA15")
    wrong = replace(one, claim=replace(one.claim, recorded="approximate", reason="planted"))
    found = judge_item(wrong, remembered_runs())
    said = Reproduction(findings=[found]).complaint
    assert said == "verdicts differ from the recorded ones: TA15 is reproduced, recorded as approximate"
