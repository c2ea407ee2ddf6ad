"""`pushpoint verify`: checks, wrong expectations that must fail, resuming, the JSON, the page and the exit status."""

from __future__ import annotations

import json
import math
import re
import signal
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pushpoint.cli.main import main
from pushpoint.errors import InvalidModel, SimulationFailed
from pushpoint.proof import verification
from pushpoint.proof.checks import agreement, capstan, conservation, convergence, friction, impacts, wheels
from pushpoint.proof.judgement import KEPT, Finding, WorkPlan, judge_item, remembered_runs, work_through
from pushpoint.proof.verification import (
    GROUPS,
    Check,
    Curve,
    Measured,
    MujocoCase,
    Plot,
    Verification,
    all_checks,
    plan_of_checks,
)

KEYS = {
    "id", "group", "statement", "expected_from", "error_is", "measured", "tolerance", "unit", "reason", "passed",
    "seconds", "values", "mujoco", "failure",
}  # fmt: skip


def named(name: str) -> Check:
    return next(check for check in all_checks() if check.id == name)


def judged(check: Check) -> Finding:
    return judge_item(check, remembered_runs())


def made_up(name: str = "made-up", error: float = 0.5, peer: MujocoCase | None = None) -> Check:
    """A check that runs nothing."""
    plot = Plot("Two", ("x [m]", "y [m]"), (Curve("line", [1, 2], [3, 4], expected=True),))
    return Check(
        id=name, group="closed forms", statement="One is one.", expected_from="1 = 1", error_is="distance from 1",
        tolerance=1.0, unit="m", reason="it is not much",
        measure=lambda: Measured(error, {"one_m": 1.0}, plot), peer=peer,
    )  # fmt: skip


def counted(calls: list[str], name: str, error: float = 0.5) -> Check:
    """A check that notes when it runs."""

    def measure() -> Measured:
        calls.append(name)
        return Measured(error=error)

    return replace(made_up(name), measure=measure)


class TestCheck:
    def test_passes_up_to_its_tolerance(self) -> None:
        assert made_up().passes(1.0)
        assert not made_up().passes(1.0 + 1e-12)

    @pytest.mark.parametrize("error", [math.nan, math.inf, -math.inf])
    def test_what_is_no_number_does_not_pass(self, error: float) -> None:
        result = judged(made_up(error=error))
        assert not result["passed"] and result["measured"] is None and result["failure"] == "the error is not a number"

    def test_unknown_group_is_refused(self) -> None:
        with pytest.raises(InvalidModel, match=r"^check made-up: group = 'magic', must be one of closed forms, "):
            replace(made_up(), group="magic")

    def test_a_run_that_fails_is_a_failed_check(self) -> None:
        def measure() -> Measured:
            raise SimulationFailed("the world ended")

        result = judged(replace(made_up(), measure=measure))
        assert not result["passed"] and result["failure"] == "the world ended" and result["measured"] is None

    def test_result_survives_json(self) -> None:
        result = judged(made_up(peer=MujocoCase(measure=lambda mujoco: 2.0, note="a note")))
        text = json.dumps(asdict(result))
        assert json.dumps(asdict(Finding(**json.loads(text)))) == text
        assert [label for label, *_ in Plot(**json.loads(text)["plot"]).curves] == ["line"]

    def test_without_mujoco_the_note_says_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def missing(name: str) -> ModuleType:
            raise ImportError(name)

        monkeypatch.setattr(verification, "import_module", missing)
        result = judged(made_up(peer=MujocoCase(measure=lambda mujoco: 2.0, note="a note")))
        assert result["passed"] and result["mujoco"] is not None
        assert result["mujoco"]["measured"] is None and "not installed" in result["mujoco"]["note"]


class TestRegistry:
    def test_every_group_has_checks_and_every_id_is_unique(self) -> None:
        ids = [check.id for check in all_checks()]
        assert len(set(ids)) == len(ids)
        assert list(dict.fromkeys(check.group for check in all_checks())) == list(GROUPS)

    def test_every_check_says_what_it_compares(self) -> None:
        for check in all_checks():
            assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", check.id)
            assert check.statement.endswith(".") and check.expected_from and check.error_is and check.reason
            assert not check.reason.endswith(".") and not check.error_is.endswith(".")  # the page ends them

    def test_capstan_is_thin_and_fine_enough(self) -> None:
        assert len(set(capstan.FRICTIONS)) == 5 and len(set(capstan.QUARTER_TURNS)) == 3
        assert capstan.THIN <= 1e-3 and capstan.PER_HALF_TURN >= 48
        for turns in capstan.QUARTER_TURNS:
            chain = capstan.thin_chain(turns, capstan.FAST)
            assert chain.wrap == pytest.approx(turns * math.pi / 2)
            assert named(f"capstan-thin-{90 * turns}").tolerance == 0.01

    def test_mujoco_stands_beside_these(self) -> None:
        beside = {check.id for check in all_checks() if check.peer is not None}
        assert beside == {
            "stick-slope", "slide-slope", "stop-block", "slide-to-roll", "rolling-friction", "restitution-drop",
            "capstan-thin-180",
        }  # fmt: skip


FAST = [
    "slide-load", "slide-slope", "stop-chain", "slide-to-roll", "impact-off-centre", "beam-on-two-pegs", "weight",
    "capstan-polygon", "capstan-thick-exponent", "angular-momentum", "energy-order", "dt-top", "links-capstan-thick",
    "planar-reduced", "bits-portions",
]  # fmt: skip


@pytest.mark.parametrize("name", FAST)
def test_fast_checks_pass(name: str) -> None:
    result = judged(replace(named(name), peer=None))
    assert result["passed"], f"{result['measured']} > {result['tolerance']}: {result['failure']}"


def swap(module: ModuleType, name: str, value: Any) -> Callable[[pytest.MonkeyPatch], None]:
    """Puts another value in the place of what a check expects."""
    return lambda monkeypatch: monkeypatch.setattr(module, name, value)


def wider_span(monkeypatch: pytest.MonkeyPatch) -> None:
    right = convergence.polygon
    monkeypatch.setattr(convergence, "polygon", lambda n, span: right(n, span + 1e-4))


def other_way_round(monkeypatch: pytest.MonkeyPatch) -> None:
    right = convergence._in_own_frame
    monkeypatch.setattr(convergence, "_in_own_frame", lambda v, q: right(v, q) * [1.0, 1.0, -1.0])


def nudged_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stepper that goes on from a copied state gets velocities that are off by one unit in the last place."""
    right, made = agreement.gait_stepper, list[Any]()

    def nudged(scene: Any, settings: Any) -> Any:
        stepper = right(scene, settings)
        made.append(stepper)
        if len(made) == 3:
            load = stepper.load
            stepper.load = lambda half: load(replace(half, v=np.nextafter(half.v, 1.0)))
        return stepper

    monkeypatch.setattr(agreement, "gait_stepper", nudged)


WRONG: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "slide-load": swap(friction, "G", 9.81 * (1 + 1e-4)),
    "slide-slope": swap(friction, "G", 9.81 * (1 + 1e-4)),
    "stop-chain": swap(friction, "G", 9.81 * (1 + 1e-4)),
    "slide-to-roll": swap(friction, "ROUNDNESS", friction.ROUNDNESS * 1.001),
    "impact-off-centre": swap(impacts, "INERTIA", impacts.INERTIA * 1.001),
    "beam-on-two-pegs": swap(impacts, "CENTRES", impacts.CENTRES + np.array([0.0, 0.0, 0.0, 1e-4])),
    "weight": swap(impacts, "G", 9.81 * (1 + 1e-5)),
    "capstan-thick-exponent": swap(capstan, "polygon_exponent", lambda mu, a, half_angle: mu * (1 - a)),
    "links-capstan-thick": swap(convergence, "exponent", lambda mu, a: mu * (1 - a)),
    "links-hanging-polygon": wider_span,
    "momentum-plane": swap(conservation, "VELOCITY", np.array([0.4, -0.7 + 1e-9])),
    "dt-top": other_way_round,
    "wheels-kinematic": swap(wheels, "AXLE", 0.5001),
    "wheels-fastest-phase-shift": swap(wheels, "bessel", lambda u: 1.0 - u**2 / 4),
    "links-serpenoid": swap(wheels, "bessel", lambda u: 1.0 - u**2 / 4),
    "bits-portions": nudged_bits,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_expectation_fails(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    WRONG[name](monkeypatch)
    result = judged(replace(named(name), peer=None))
    assert not result["passed"] and result["failure"] == ""
    assert Verification(findings=[result]).complaint == f"1 of 1 checks failed: {name}"


def test_the_uncorrected_law_is_told_apart_from_the_corrected_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capstan, "polygon_exponent", lambda mu, a, half_angle: mu)
    result = judged(named("capstan-thick-exponent"))
    assert (
        result["measured"] is not None and result["measured"] > 0.5
    )  # of the exponent, for a chain as thick as its peg


def judge_all(folder: Path, *plan: Check, begin: Callable[[str], None] = lambda name: None) -> list[Finding]:
    """What is found about these checks, as the command does it."""
    source = plan_of_checks().source
    items = {"closed forms": plan}
    return list(work_through(WorkPlan(judgement=Verification, items=items, source=source), folder, begin).findings)


class TestSession:
    def test_goes_on_where_it_stopped(self, tmp_path: Path) -> None:
        calls: list[str] = []
        plan = [counted(calls, name) for name in "abc"]

        def stop(name: str) -> None:
            if name == "b":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            judge_all(tmp_path, *plan, begin=stop)
        (first,) = judge_all(tmp_path, plan[0])
        begins: list[str] = []
        again = judge_all(tmp_path, *plan, begin=begins.append)
        assert calls == ["a", "b", "c"] == begins
        assert asdict(again[0]) == asdict(first)
        assert judge_all(tmp_path, *plan) == again and len(calls) == 3

    def test_results_of_other_sources_are_not_taken(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        calls: list[str] = []
        judge_all(tmp_path, counted(calls, "a"))
        monkeypatch.setattr(verification, "source_digest", lambda: "another")
        judge_all(tmp_path, counted(calls, "a"))
        assert calls == ["a", "a"]

    def test_results_beside_another_mujoco_are_not_taken(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        calls: list[str] = []
        judge_all(tmp_path, counted(calls, "a"))
        monkeypatch.setattr(verification, "version_of", lambda package: "0.0")
        judge_all(tmp_path, counted(calls, "a"))
        assert calls == ["a", "a"]

    def test_what_is_not_in_the_store_is_judged_again(self, tmp_path: Path) -> None:
        calls: list[str] = []
        plan = [counted(calls, name) for name in "ab"]
        judge_all(tmp_path, *plan)
        (last,) = (each for each in (tmp_path / KEPT / "batches").iterdir() if '"b"' in each.read_text())
        last.unlink()
        assert [result.id for result in judge_all(tmp_path, *plan)] == ["a", "b"]
        assert calls == ["a", "b", "b"]

    def test_counts_and_complaint(self) -> None:
        results = [judged(made_up("good")), judged(made_up("bad", error=2.0)), judged(made_up("worse", math.nan))]
        assert Verification(findings=results).counts == {
            "checks": 3, "passed": 1, "failed": 2,
            "groups": {"closed forms": {"checks": 3, "passed": 1, "failed": 2}},
        }  # fmt: skip
        assert Verification(findings=results).complaint == "2 of 3 checks failed: bad, worse"
        assert Verification(findings=results[:1]).complaint == ""

    def test_document_is_json_without_the_pictures(self) -> None:
        document = Verification(findings=[judged(made_up()), judged(made_up("worse", math.nan))]).document
        assert json.loads(json.dumps(document, allow_nan=False)) == document
        assert all(set(check) == KEYS for check in document["checks"])


def with_checks(monkeypatch: pytest.MonkeyPatch, *plan: Check) -> None:
    monkeypatch.setattr(verification, "all_checks", lambda: plan)


class TestCommand:
    def test_json(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        with_checks(monkeypatch, named("beam-on-two-pegs"), made_up(peer=MujocoCase(measure=lambda _: 2.0, note="so")))
        assert main(["verify", "--json", "--out", str(tmp_path)]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert printed["counts"]["checks"] == printed["counts"]["passed"] == 2
        beam = printed["checks"][0]
        assert set(beam) == KEYS and beam["passed"] is True and 0.0 <= beam["measured"] <= beam["tolerance"]
        kept = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
        assert kept == {name: printed[name] for name in ("checks", "counts")}
        assert Path(printed["files"]["report"]).is_file()

    def test_a_failed_check_fails_the_command(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with_checks(monkeypatch, made_up("good"), made_up("bad", error=2.0))
        assert main(["verify", "--out", str(tmp_path)]) == 1
        said = capsys.readouterr()
        assert said.err.strip().splitlines()[-1] == "error: 1 of 2 checks failed: bad"
        assert "bad" in said.out and "FAILED" in said.out and "1 of 2 checks passed" in said.out
        assert "1 of 2 checks failed: bad" in (tmp_path / "report.html").read_text(encoding="utf-8")

    def test_interrupted_it_goes_on_from_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        calls: list[str] = []
        stops = [True]

        def stop() -> Measured:
            if stops.pop() if stops else False:
                signal.raise_signal(signal.SIGTERM)
            return Measured(error=0.0)

        with_checks(monkeypatch, counted(calls, "a"), replace(made_up("b"), measure=stop), counted(calls, "c"))
        assert main(["verify", "--out", str(tmp_path)]) == 143
        assert capsys.readouterr().err.strip() == "interrupted; the same command goes on from there"
        assert not (tmp_path / "report.html").exists()
        assert main(["verify", "--out", str(tmp_path)]) == 0
        assert calls == ["a", "c"]

    def test_folder_that_is_a_file_is_refused(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "file").write_text("")
        assert main(["verify", "--out", str(tmp_path / "file")]) == 2
        assert capsys.readouterr().err.count("\n") == 1


class TestPage:
    def test_is_self_contained_and_has_every_check(self) -> None:
        results = [
            judged(made_up("good", peer=MujocoCase(measure=lambda _: 2.0, note="so <they> say"))),
            judged(replace(named("capstan-thick-exponent"), peer=None)),
            judged(made_up("bad", error=2.0)),
        ]
        page = Verification(findings=results).page()
        assert not re.search(r"(src|href)=\"(?!#|data:)", page) and "<script" not in page and "http" not in page
        assert page.count("data:image/png;base64,") == 3
        for result in results:
            assert f'id="{result.id}"' in page
        assert "so &lt;they&gt; say" in page
        assert page.count(">passed<") == 2 + 1 and page.count(">failed<") == 1 + 1  # the column heads among them
        assert "1 of 3 checks failed: bad." in page


@pytest.mark.slow
def test_all_checks_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--json", "--out", str(tmp_path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [check["id"] for check in printed["checks"]] == [check.id for check in all_checks()]
    assert printed["counts"]["failed"] == 0
    assert sum(check["seconds"] for check in printed["checks"]) < 300.0  # s: five minutes on two cores
