"""What figures mean: colours, keys, scales, distances and titles say the same thing everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.quiver import Quiver

import pushpoint as pp
from oracles.described import world_of
from oracles.posed import LEVEL, pair, posed
from oracles.seen import axes_of
from pushpoint.plots.looks import HEAD_COLOR, KNOWN, OUTCOMES, looks_of
from pushpoint.plots.scales import axis_label, limit_spikes
from pushpoint.studies.comparison_figure import comparison_figure


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    return pp.scenario("transeth2008a/obstacle-aided").with_changes(duration=1.0).run()


@pytest.fixture(scope="module")
def along_path() -> xarray.Dataset:
    return pp.scenario("holden2014/closed-loop").with_changes(duration=0.1).run()


def header(figure: Figure) -> str:
    return " ".join(text.get_text() for text in axes_of(figure, "header").texts)


def arrow_lengths(figure: Figure, label: str) -> list[float]:
    found = [child for child in axes_of(figure, label).get_children() if isinstance(child, Quiver)]
    return sorted(float(np.hypot(u, v)) for one in found for u, v in zip(one.U, one.V, strict=True))


def test_a_controller_has_one_look_in_any_company() -> None:
    alone, among = looks_of(["hybrid"]), looks_of(["continuous", "mine", "hybrid", "leader-follower"])
    assert alone["hybrid"] == among["hybrid"] == KNOWN["hybrid"]
    assert len(set(among.values())) == 4
    options = looks_of(["continuous:gain=0.1", "continuous:gain=0.2"])
    assert options["continuous:gain=0.1"] == KNOWN["continuous"] and len(set(options.values())) == 2
    assert len(looks_of([str(k) for k in range(20)])) == 20  # more than there are looks


def summary(passed: int) -> dict[str, Any]:
    causes = {"passed": passed, "jammed": 4 - passed}
    return {"trials": 4, "success": passed / 4, "success_95": (0.1, 0.9), "causes": causes}


def test_a_comparison_has_one_colour_for_each_controller() -> None:
    trial = {"passed": True, "time_to_pass": 5.0, "energy_per_metre": 100.0}
    names = ("leader-follower", "hybrid")
    document = {
        "controllers": dict.fromkeys(names, summary(2)),
        "trials": {name: [trial] for name in names},
        "places": ["a"],
        "blocked": [],
        "duration_s": 10.0,
    }
    figure = comparison_figure(document)
    for label in ("success", "curves", "energy"):
        colors = {to_hex(line.get_color()) for line in axes_of(figure, label).lines}
        assert {KNOWN[name].color for name in names} <= colors, label
    ended = {to_hex(bar.get_facecolor()) for bar in axes_of(figure, "causes").patches}
    assert ended == {OUTCOMES["passed"][0], OUTCOMES["jammed"][0]}
    assert ended.isdisjoint(look.color for look in KNOWN.values())


def test_one_spike_does_not_set_the_scale_of_forces(run: xarray.Dataset) -> None:
    force = np.zeros(run["obstacle_force"].shape)
    force[:, 3] = (0.0, 10.0)
    plain = pp.plots.course(run.assign(obstacle_force=(run["obstacle_force"].dims, force)))
    force[-1, 5] = (0.0, 1000.0)
    spiked = pp.plots.course(run.assign(obstacle_force=(run["obstacle_force"].dims, force)))
    usual = arrow_lengths(plain, "posture 0")
    assert arrow_lengths(spiked, "posture 0") == pytest.approx(usual)
    small, cut = arrow_lengths(spiked, "posture 3")
    assert small == pytest.approx(usual[0]) and cut == pytest.approx(2.5 * small)
    assert "arrows longer than 25 N are cut" in header(spiked)
    assert "are cut" not in header(plain)


def test_spikes_are_cut_from_curves_and_told() -> None:
    figure = Figure()
    axes = figure.add_subplot()
    curve = np.sin(np.linspace(0.0, 60.0, 1000))
    assert limit_spikes(axes, [curve], "N") == ""
    curve[500] = -80.0
    assert limit_spikes(axes, [curve], "N") == "peaks to −80 N are cut"
    assert axes.get_ylim()[0] > -2.0 and axes.get_ylim()[1] >= 1.0
    assert limit_spikes(axes, [np.full(3, np.nan)], "N") == ""


def test_a_planned_path_with_start_and_goal_is_drawn(along_path: xarray.Dataset, run: xarray.Dataset) -> None:
    path: Any = world_of(along_path).controller.path
    for figure, label in ((pp.plots.course(along_path), "posture 0"), (pp.plots.paths(along_path), "paths")):
        drawn = {line.get_gid(): np.asarray(line.get_xydata()) for line in axes_of(figure, label).lines}
        ends = path.at(np.array([0.0, path.length]))[0]
        np.testing.assert_allclose(drawn["planned path"][[0, -1]], ends)
        np.testing.assert_allclose(np.concatenate([drawn["start"], drawn["goal"]]), ends)
    assert all(word in header(pp.plots.course(along_path)) for word in ("planned path of the head", "start", "goal"))
    legend = axes_of(pp.plots.paths(along_path), "paths").get_legend()
    assert legend is not None and "goal" in [text.get_text() for text in legend.get_texts()]
    assert "goal" not in header(pp.plots.course(run))


def test_distances_say_whose_they_are(run: xarray.Dataset, along_path: xarray.Dataset) -> None:
    center = run["center_of_mass"].values
    far, path = np.linalg.norm(center[-1] - center[0]), np.linalg.norm(np.diff(center, axis=0), axis=1).sum()
    for figure in (pp.plots.course(run), pp.plots.paths(run)):
        assert f"from start to end: centre of mass {far:.3g} m, head " in header(figure)
    assert f"centre of mass {path:.3g} m along its path" in header(pp.plots.paths(run))
    assert "head 0.0" in header(pp.plots.force_mapping(along_path))
    assert "m along the path" in header(pp.plots.force_mapping(along_path))
    assert "centre of mass" in axes_of(pp.plots.course(run), "travel").get_title(loc="left")


def test_a_link_on_a_box_is_supported() -> None:
    on_box = np.zeros((11, 2, 3))
    on_box[:, 1, 2] = 10.0
    box = pp.Box(center=(0.3, 0.0, 0.05), size=(0.2, 0.2, 0.1))
    lifted = pair(obstacles=(box,))
    held = lifted.assign(obstacle_force=(("time", "link", "axis"), on_box))
    figure = pp.plots.contacts(held)
    image = axes_of(figure, "support").images[0].get_array()
    assert image is not None
    np.testing.assert_allclose(np.asarray(image)[:, 1], [20.0, 10.0])
    assert "2.0 of 2 links supported by ground or obstacles" in header(figure)


def test_a_lifted_head_keeps_its_colour() -> None:
    for load in ([10.0, 0.0, 0.0], [10.0, 0.0, 10.0]):
        figure = pp.plots.course(posed([(0.0, 0.0, 0.05)] * 3, [LEVEL] * 3, load=load))
        for label in ("posture 1", "side 1"):
            heads = [patch for patch in axes_of(figure, label).patches if patch.get_gid() == "head"]
            assert [to_hex(patch.get_facecolor()) for patch in heads] == [HEAD_COLOR]
            assert isinstance(heads[0], PathPatch)


def test_the_key_explains_every_symbol_of_a_course() -> None:
    told = header(pp.plots.course(posed([(0.0, 0.0, 0.05)] * 3, [LEVEL] * 3, load=[10.0, 0.0, 0.0])))
    for symbol in (
        "head",
        "link that carries weight",
        "lifted link",
        "path of the centre of mass so far",
        "path to come",
    ):
        assert symbol in told
    floor = pp.Region.rectangle(x=(-1.0, 1.0), y=(-1.0, 1.0), friction=pp.Isotropic(0.3))
    tinted = pair(ground=pp.Ground(gravity=10.0, regions=[floor]))
    assert "ground: isotropic 0.3" in header(pp.plots.course(tinted))


def test_resolutions_are_numbered_wherever_they_are_seen() -> None:
    hybrid = pp.scenario("liljeback2011/environment-1").with_changes(duration=12.0).run()
    for figure, label in ((pp.plots.modes(hybrid), "mode"), (pp.plots.course(hybrid), "travel")):
        numbers = [text.get_text() for text in axes_of(figure, label).texts if text.get_gid() == "stretch"]
        assert numbers[:1] == ["1"] and numbers == [str(k) for k in range(1, len(numbers) + 1)], label
    assert "resolutions of trial 1 begin at " in header(pp.plots.modes(hybrid))
    legend = axes_of(pp.plots.course(hybrid), "travel").get_legend()
    assert legend is not None and "jam resolution" in [text.get_text() for text in legend.get_texts()]


def test_every_figure_bears_the_title_of_the_file(run: xarray.Dataset, along_path: xarray.Dataset) -> None:
    title = pp.scenario("transeth2008a/obstacle-aided").title.rstrip(".")
    assert len(title) > 10
    for plot in ("course", "paths", "joints", "motors", "contacts", "health"):
        told = header(getattr(pp.plots, plot)(run))
        assert told.startswith(title) and "transeth2008a/obstacle-aided" in told, plot
    other = pp.scenario("holden2014/closed-loop").title.rstrip(".")
    assert header(pp.plots.force_mapping(along_path)).startswith(other[:40])
    assert header(pp.plots.contacts(pair())).startswith("posed: contact forces")  # a run without a title


def test_axes_are_named_by_the_variables_themselves(run: xarray.Dataset) -> None:
    named = run.assign(joint_torque=run["joint_torque"].assign_attrs(long_name="Servo moment", units="N m"))
    assert axes_of(pp.plots.motors(named), "loads").get_ylabel() == "servo moment [N m]"
    assert axis_label({"long_name": "IMU rate", "units": "rad s-1"}, "x") == "IMU rate [rad/s]"
    assert axis_label({"long_name": "residual, largest since then", "units": "m s-1"}, "x") == "residual [m/s]"
    assert (
        axis_label({"long_name": "a name that no axis has the room for", "units": "1"}, "joint_angle") == "joint angle"
    )
    assert axis_label({}, "joint_angle", unit="°") == "joint angle [°]"


def test_numbers_stand_only_on_boxes_that_hold_them() -> None:
    places = ((0.0, 0.0), (0.05, 0.05), (0.4, 0.16))
    low = [pp.Box(center=(x, y, 0.02), size=(0.2, 0.2, 0.04)) for x, y in places]
    figure = pp.plots.course(pair(obstacles=tuple(low)))
    written = [text.get_text() for text in axes_of(figure, "posture 0").texts if text.get_gid() == "number"]
    assert written == ["2"]  # the others lie on each other


def test_the_head_and_its_path_have_one_colour(run: xarray.Dataset) -> None:
    figure = pp.plots.paths(run)
    heads = [patch for patch in axes_of(figure, "paths").patches if patch.get_gid() == "head"]
    path = next(line for line in axes_of(figure, "paths").lines if line.get_label() == "head")
    assert {to_hex(patch.get_facecolor()) for patch in heads} == {to_hex(path.get_color())} == {HEAD_COLOR}
    assert len(heads) == 2
