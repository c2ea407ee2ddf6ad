"""Numbers that the papers report: as printed, with their provenance, and drawn where they belong."""

from __future__ import annotations

import re

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import pushpoint as pp
from pushpoint.errors import BadFile, UnknownName
from pushpoint.papers import PAPERS
from pushpoint.papers.reported import PRINTED, read_reported
from pushpoint.papers.writing import figures_of
from pushpoint.proof.documents import read_results
from test_architecture import ROOT

RESULTS = {one["id"]: one["measured"] for one in read_results(ROOT / "docs" / "results")["reproduce"]["claims"]}

GOOD = """
[fig-13-x]
what = "position along x"
where = "Fig. 13(a)"
origin = "experiment"
how = "read off: on the publisher's PDF"
columns = ["time [s]", "x [m]"]
accuracy = [0.05, 0.002]
values = '''
0.0, 0.51
0.5, 0.49
'''
drawn = [{ figure = "fig-13", panel = "x", form = "points", x = "time", y = "x", scale = [1, 2], shift = [0, 1] }]
"""


def test_numbers_are_the_printed_ones() -> None:
    # Read again in the papers: Transeth2008a VIII-D, Transeth2008b VIII-E, Liljeback2011 IV-D, Holden2014 Table V.
    planar, spatial, hybrid = (pp.papers.reported(name) for name in ("transeth2008a", "transeth2008b", "liljeback2011"))
    assert planar["flat-speed"].result == "≈ -1 cm/s" and planar["course-speed"].result == "≈ 15 cm/s"
    assert planar["course-speed"].conditions == "angular frequency 80 deg/s; ground friction 0.2; phase shift -50 deg"
    assert planar["lag"].result == "3 to 4 cm" and planar["lag"].origin == "experiment"
    assert spatial["slides-back"].column("time").tolist() == [5.0, 9.0, 14.0]
    assert spatial["cost-sidewinding"].result == "≈ 7.1 min" and spatial["cost-undulation"].result == "1.3 min"
    assert hybrid["passing-time"].result == "≈ 50 s" and hybrid["jams"].column("time").tolist() == [6.0, 21.0]
    torque = pp.papers.reported("holden2014")["joint-torque"].column("u")
    assert torque.shape == (19,) and torque.min() == torque[5] == -4.5
    assert torque.sum() == pytest.approx(11.602 - 3.776)  # [N m]: the 20 printed, less the one that is repeated


def test_accuracy_is_half_a_unit_of_the_last_digit_printed() -> None:
    one = pp.papers.reported("holden2014")["joint-torque"]
    assert one.error == "± 0.0005 N m" and one.text[5] == ("6", "-4.500")
    assert pp.papers.reported("transeth2008b")["cost-undulation"].accuracy[0, 0] == pytest.approx(0.05)
    assert pp.papers.reported("transeth2008a")["course-speed"].error == "± 0.5 cm/s"


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_says_where_it_is_from(paper: str) -> None:
    for one in pp.papers.reported(paper).values():
        assert one.what and one.where and one.values.shape == one.accuracy.shape, one.key
        assert one.how == PRINTED or one.how.startswith("read off: "), one.key
        for entry in one.ours:
            claim, _, name = entry.partition(" ")
            assert name in RESULTS[claim], entry


def test_a_file_of_points_is_all_that_is_needed() -> None:
    (one,) = read_reported("transeth2008a", GOOD, "fig-13.toml").values()
    assert one.kind == "read off" and one.measured and one.accuracy[:, 1].tolist() == [0.002, 0.002]
    assert one.column("x").tolist() == [0.51, 0.49] and one.drawn[0].scale == (1, 2)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('origin = "experiment"', "", r"fig-13\.toml, \[fig-13-x\]: origin is missing"),
        ('origin = "experiment"', 'origin = "guess"', r"origin = 'guess', must be one of experiment, simulation"),
        ("accuracy = [0.05, 0.002]", "", r"accuracy is missing: numbers read off a figure need"),
        ("[0.05, 0.002]", "[0.05]", r"accuracy = \[0\.05\], must be a number >= 0 for each of 2 columns"),
        ("0.5, 0.49", "0.5", r"line 2 of values has 1 numbers, must have 2"),
        ("0.5, 0.49", "0.5, some", r"values are not all numbers"),
        ("0.5, 0.49", "0.5, nan", r"values must be finite"),
        ('"x [m]"', '"x"', r"must be names with units such as 'speed \[cm/s\]'"),
        ("read off: on the publisher's PDF", "by eye", r"how = 'by eye', must be 'printed', or 'read off: '"),
        ('form = "points"', 'form = "dots"', r"drawn\.form = 'dots', must be one of points, moments, band, slope"),
        ('y = "x"', 'y = "z"', r"drawn\.y = 'z', must be a column: time, x"),
        ("what =", "says = 1\nwhat =", r"says is not known here; known are what, where"),
        ("[fig-13-x]", "[fig-13-x", r"fig-13\.toml: is not TOML"),
    ],
)
def test_mistakes_in_a_file_are_named(old: str, new: str, complaint: str) -> None:
    assert old in GOOD
    with pytest.raises(BadFile, match=complaint):
        read_reported("transeth2008a", GOOD.replace(old, new), "fig-13.toml")


def test_the_recipe_of_the_documents_is_a_file_that_can_be_read_and_drawn() -> None:
    text = (ROOT / "docs" / "proof" / "reported-numbers.md").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (one,) = read_reported("transeth2008a", recipe, "fig-13.toml").values()
    assert one.drawn[0].figure in {figure.key.removeprefix("transeth2008a-") for figure in figures_of("transeth2008a")}


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="transeth2008a"):
        pp.papers.reported("transeth2009")
    with pytest.raises(UnknownName, match="speed"):
        pp.papers.reported("transeth2008a")["flat-speed"].column("sped")


def panels(*labels: str) -> tuple[Figure, list[Axes]]:
    figure = Figure()
    made = [figure.add_axes((0.1, 0.1 + 0.4 * k, 0.8, 0.3), label=label) for k, label in enumerate(labels)]
    for axes in made:
        axes.plot([0.0, 10.0], [0.5, 0.4], label="simulated")
    return figure, made


def labels(axes: Axes) -> list[str]:
    legend = axes.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def test_a_slope_begins_where_ours_does_and_has_the_printed_value() -> None:
    figure, (x, y) = panels("x", "y")
    pp.papers.draw_reported("transeth2008a", "fig-13", figure)
    ends = np.asarray(x.lines[1].get_xydata())
    assert ends[0].tolist() == [0.0, 0.5]
    assert np.diff(ends[:, 1]) / np.diff(ends[:, 0]) == pytest.approx([-0.01])  # -1 cm/s, in m/s
    assert labels(x) == ["simulated", "printed in the paper, VIII-D.1, Fig. 13"] and labels(y) == []


def test_points_moments_and_bands_lie_at_the_printed_numbers() -> None:
    figure, (speed,) = panels("speed")
    pp.papers.draw_reported("transeth2008a", "speed-over-friction", figure)
    (mark,) = (line for line in speed.lines if line.get_marker() == "D")
    assert np.asarray(mark.get_xydata()).tolist() == [[0.2, 15.0]]
    figure, (_, y) = panels("x", "y")
    pp.papers.draw_reported("transeth2008b", "fig-11", figure)
    assert [float(np.asarray(line.get_xdata())[0]) for line in y.lines[1:]] == [5.0, 9.0, 14.0]
    figure, (lag,) = panels("lag")
    pp.papers.draw_reported("transeth2008a", "lag", figure)
    (band,) = lag.patches
    assert band.get_extents().transformed(lag.transData.inverted()).intervaly == pytest.approx([3.0, 4.0])


def test_a_panel_that_is_not_there_is_named() -> None:
    figure, _ = panels("other")
    with pytest.raises(UnknownName, match="other"):
        pp.papers.draw_reported("transeth2008a", "fig-13", figure)


def test_captions_say_what_is_drawn_beside_ours() -> None:
    captions = {figure.key: figure.caption for paper in PAPERS for figure in figures_of(paper)}
    wanted = "In purple, printed in the paper: when the sidewinding robot slides back a little"
    assert f"{wanted} (VIII-E, Figs 10 and 11(b); experiment)." in captions["transeth2008b-fig-11"]
    assert "In purple" not in captions["transeth2008b-fig-6"]
