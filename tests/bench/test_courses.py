"""The kernels alone: variants that cover a world, longer robots, many worlds, and what bounds a step."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pushpoint.bench import growth, machine, roofline, variants
from pushpoint.bench.courses import PackedCourse, chosen, mean_iterations, of_links, with_torque_limits
from pushpoint.cli import bench
from pushpoint.cli.main import main
from pushpoint.engine.records import size_of
from pushpoint.errors import PushpointError

FIGURES = {"quick": True, "machine": {"cores": 2}}


def test_a_course_makes_the_steps_it_is_told_to() -> None:
    course = PackedCourse(chosen("planar_flat"), worlds=3, variant="general")
    course.run(7)
    assert course.stepper.state().step.tolist() == [7, 7, 7] and course.stepper.variants == {"general": 3}


def test_longer_robots_have_the_same_links() -> None:
    for name in ("planar_pegs", "sidewinding"):
        base = chosen(name)
        longer = of_links(base, 20)
        assert longer.world.robot.n_links == 20 and longer.world.robot.links[0] == base.world.robot.links[0]
        assert not longer.world.environment.obstacles


def test_iterations_are_counted_for_every_step() -> None:
    """The kernels keep the largest number since the last sample: with a sample per step, that of the step."""
    course, each = PackedCourse(chosen("sidewinding")), []
    for _ in range(20):
        course.stepper.forget(np.array([True]))
        course.run(1)
        each.append(int(course.stepper.totals("iterations")[0]))
    assert mean_iterations(chosen("sidewinding"), 20) == np.mean(each) and max(each) > min(each)


def test_covering_variants_have_all_that_is_needed() -> None:
    assert variants.covering("planar", "plain") == ["plain", "rich", "general"]
    assert variants.covering("spatial", "rough") == ["rough", "general"]


def test_every_covering_variant_is_timed() -> None:
    limited = variants.variants_on(with_torque_limits(chosen("planar_flat"), 4.0), 1, 5)
    assert limited["engine"] == "planar" and limited["leanest"] == "rich"
    assert list(limited["us_per_step"]) == ["rich", "general"]
    ratio = limited["us_per_step"]["general"] / limited["us_per_step"]["rich"]
    assert limited["general_over_leanest"] == pytest.approx(ratio)


def test_variants_compile_with_an_empty_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "COMPILED", "import os; print(len(os.listdir(os.environ['WARP_CACHE_PATH'])))")
    assert variants.compile_time("planar", "plain") == 0.0


def test_a_variant_that_cannot_be_compiled_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "COMPILED", "raise SystemExit('no {engine} {variant}')")
    with pytest.raises(PushpointError, match=r"^planar plain cannot be compiled: no planar plain$"):
        variants.compile_time("planar", "plain")


def test_growth_has_a_time_for_every_length_and_batch() -> None:
    links = growth.over_links("planar_flat", (3, 12), 1, 5)
    assert set(links) == {"3", "12"} and all(one["us_per_step"] > 0.0 < one["iterations"] for one in links.values())
    assert set(growth.over_worlds("planar_flat", (1, 4), 1, 5)) == {"1", "4"}


def test_memory_of_a_step_grows_by_the_records_of_a_contact() -> None:
    """At the start no contact is known yet; after some steps the difference are the contacts."""
    course = PackedCourse(chosen("sidewinding"))
    before = roofline.bytes_of_step(course)
    course.run(50)
    family = course.stepper._records.family
    held = int(course.stepper.state().n_contacts.sum())
    more = held * (size_of(family.ContactMotion) + size_of(family.ContactWork))
    assert held > 0 and roofline.bytes_of_step(course) - before == more


def test_figures_of_a_course_and_of_a_core_agree_with_each_other() -> None:
    one = roofline.course_figures(chosen("planar_flat"), 1, 20, 2)
    assert one["operations_per_byte"] == pytest.approx(one["operations"] / one["bytes"])
    assert one["gflop_per_s"] == pytest.approx(1e-3 * one["operations"] / one["us_per_step"])
    assert all(np.isfinite(list(roofline.core(1, 1).values())))


def test_all_benches_in_one_object(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(machine, "machine", lambda: {"cores": 2})
    monkeypatch.setattr(bench, "BENCHES", {"growth": "", "roofline": ""})
    for module in (growth, roofline):
        monkeypatch.setattr(module, "run_bench", lambda *, quick: {"quick": quick})
    assert main(["bench", "all", "--quick", "--json"]) in (0, None)
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {name: FIGURES for name in ("growth", "roofline")}
    assert printed.err == "1 of 2: growth\n2 of 2: roofline\n"
