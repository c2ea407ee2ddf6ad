"""CSV files of recordings: a run's own table, other names and units by a mapping file, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.interchange import Mapping, Source, import_recording, read_mapping

TIMES = 0.02 * np.arange(40)


def table(path: Path, header: str, *columns: np.ndarray, separator: str = ",") -> Path:
    rows = np.column_stack(columns).tolist()
    lines = [header, *(separator.join("" if v != v else repr(v) for v in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_run_that_went_out_comes_in_again(tmp_path: Path) -> None:
    run = pp.scenario("liljeback2014/sidewinding").with_changes(duration=0.2).run()
    pp.export(run, tmp_path / "run.csv")
    recorded = import_recording(tmp_path / "run.csv").recorded
    np.testing.assert_allclose(recorded.time, run.time, atol=1e-9)
    np.testing.assert_array_equal(recorded.channels["joint_angle[7]"], run.joint_angle[:, 7])
    np.testing.assert_array_equal(recorded.channels["link_position[3].z"], run.link_position[:, 3, 2])
    np.testing.assert_array_equal(recorded.channels["center_of_mass.x"], run.center_of_mass[:, 0])
    assert len(recorded.channels) == 3 * 16 + 3 * 17 + 3


MAPPING = """\
# how the lab writes its recordings down
numbering: head
links: 3
time: stamp
time_unit: ms
start: 1000.5
delimiter: ";"
channels:
  joint_angle[0]: {column: q front, unit: deg, sign: "-"}
  joint_torque[1]: {column: load, unit: mN m, zero: 20, late: 0.1}
  link_position[2].x: {column: Tail X}
"""


def test_a_mapping_file_says_names_units_signs_clocks_and_where_numbers_begin(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").write_text(MAPPING)
    angle, load, x = np.sin(TIMES), np.cos(TIMES), 3.0 * TIMES
    stamps = 1000.0 * (TIMES + 1000.5)
    columns = (stamps, 1000.0 * x, np.degrees(angle), 1000.0 * load + 20.0)
    path = table(tmp_path / "lab.csv", "stamp;Tail X [mm];q front;load;", *columns, separator=";")
    reading = import_recording(path, tmp_path / "lab.yaml")
    channels = reading.recorded.channels
    assert list(channels) == ["joint_angle[1]", "joint_torque[0]", "link_position[0].x"]

    def known(name: str) -> tuple[np.ndarray, np.ndarray]:
        there = np.isfinite(channels[name])
        return reading.recorded.time[there], channels[name][there]

    for name, times, values in (
        ("joint_angle[1]", TIMES, -angle),
        ("joint_torque[0]", TIMES - 0.1, load),
        ("link_position[0].x", TIMES, x),
    ):
        np.testing.assert_allclose(known(name)[0], times, atol=1e-9)  # whole nanoseconds
        np.testing.assert_allclose(known(name)[1], values, atol=1e-12)  # units there and back: rounding
    assert reading.sentences() == [
        "lab.csv: 40 of 40 samples, one every 0.02 s; nothing is lost",
        "1 columns are not used: ",
    ]


def test_columns_may_be_separated_by_tabs(tmp_path: Path) -> None:
    path = table(tmp_path / "a.tsv", "t\tjoint_angle[0]", TIMES, np.sin(TIMES), separator="\t")
    (tmp_path / "lab.yaml").write_text('delimiter: "\\t"\nchannels:\n  joint_angle[0]: {column: "joint_angle[0]"}\n')
    found = import_recording(path, tmp_path / "lab.yaml").recorded
    np.testing.assert_array_equal(found.channels["joint_angle[0]"], np.sin(TIMES))


@pytest.mark.parametrize("wrong", ["", ",,", "\n", "\0", '"', "."])
def test_what_separates_columns_is_one_character(wrong: str) -> None:
    with pytest.raises(InvalidModel, match="delimiter"):
        Mapping(channels={"joint_angle[0]": Source(column="q")}, delimiter=wrong)


def test_a_row_of_spaces_in_a_header_is_seen_once(tmp_path: Path) -> None:
    # One look per pair of spaces would take hours.
    (tmp_path / "a.csv").write_text(f"t,joint_angle[0] [rad],a{' ' * 100_000}b\n" + "0,1,2\n" * 3)
    with pytest.raises(BadFile, match="10 times or more"):
        import_recording(tmp_path / "a.csv")


def test_gaps_disorder_and_repeats_are_counted(tmp_path: Path) -> None:
    keep = [*range(10), 14, 13, *range(15, 30), 29, *range(30, 40)]
    angle = np.sin(TIMES)[keep]
    angle[3] = np.nan
    reading = import_recording(table(tmp_path / "a.csv", "t,joint_angle[0]", TIMES[keep], angle))
    (losses,) = reading.losses
    assert (losses.received, losses.kept, losses.dropped) == (len(keep), len(keep) - 1, 3)
    assert (losses.out_of_order, losses.repeated, losses.empty) == (1, 1, 1)
    assert losses.longest_gap == pytest.approx(4 * 0.02)
    kept = np.delete(np.sin(TIMES), [10, 11, 12])
    kept[3] = np.nan
    np.testing.assert_array_equal(reading.recorded.channels["joint_angle[0]"], kept)


def test_a_comparison_takes_what_was_read(tmp_path: Path) -> None:
    run = pp.scenario("transeth2008a/flat").with_changes(duration=1.0).run()
    path = tmp_path / "run.csv"
    pp.export(run, path)
    reading = import_recording(path)
    compared = pp.compare_recording(run, reading.recorded, link=3)
    assert compared.rms_error < 1e-9  # the run itself


@pytest.mark.slow
def test_a_fit_takes_what_was_read(tmp_path: Path) -> None:
    run = pp.scenario("transeth2008a/flat").with_changes(duration=1.0).run()
    pp.export(run, tmp_path / "run.csv")
    mapping = Mapping(channels={"joint_angle[0]": Source(column="joint_angle[0]")})
    recorded = import_recording(tmp_path / "run.csv", mapping).recorded
    found = pp.studies.fit(recorded, pp.scenario_of(run), {"delay": (0.0, 0.1)})
    assert found.parameters["delay"].value == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: must be a line of column names"),
        ("t,x,y\n0,1,2\n", "line 1: no column is named after a channel, so it needs a mapping: t, x, y"),
        ("joint_angle[0]\n1\n", "line 1: no column 't', the columns are joint_angle[0]"),
        ("t,t,joint_angle[0]\n", "line 1: more than one column 't'"),
        ("t,joint_angle[0]\n0,x\n", "line 2: joint_angle[0] = 'x', must be a number"),
        ("t,joint_angle[0]\n0,1\n\n,2\n", "line 4: t = 'nothing', must be a number between -9e+09 and 9e+09"),
        ("t,joint_angle[0]\n0,1e300\n", "line 2: joint_angle[0] = 1e+300, must be between -1e+12 and 1e+12"),
        ("t [h],joint_angle[0]\n0,1\n", "line 1: unit 'h' of times, must be s, ms, us, ns"),
        ("t,joint_angle[0] [grad]\n0,1\n", "line 1: unit 'grad' of joint_angle[0], must be one of rad, deg, turn"),
        ("t,joint_angle[0]\n0,1\n1,2\n", "recording.time = (2,), must be a row of 10 times or more [s]"),
    ],
)
def test_a_wrong_file_is_a_sentence_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(BadFile) as caught:
        import_recording(tmp_path / "a.csv")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("unit: deg", "unit: gon", "lab.yaml:9: mapping.channels: joint_angle[0]: unit = 'gon', must be one of rad"),
        (
            "column: load",
            "colum: load",
            "lab.yaml:10: channels.joint_torque[1]: unknown key 'colum'; did you mean column",
        ),
        ("joint_torque[1]", "joint_torque[2]", "lab.yaml:10: mapping.channels: joint_torque = 2, must be 0 to 1 for 2"),
        ("joint_torque[1]", "torque[1]", "lab.yaml:10: unknown channel 'torque[1]'"),
        ("numbering: head", "numbering: nose", "lab.yaml:2: mapping.numbering = 'nose', must be"),
        ("links: 3", "", "lab.yaml:1: mapping.links = None, must be given where numbers count from the head"),
        ('sign: "-"', "topic: /x", "must be a column of a CSV file or the topic of a log"),
        ("time_unit: ms", "time_unit: min", "lab.yaml:5: mapping.time_unit = 'min', must be"),
        ("start: 1000.5", "start: soon", "lab.yaml:6: start = 'soon', must be"),
        ("channels:", "chanels:", "channels is missing, must be given"),
    ],
)
def test_complaints_about_a_mapping_name_its_line(tmp_path: Path, before: str, after: str, said: str) -> None:
    assert before in MAPPING
    (tmp_path / "lab.yaml").write_text(MAPPING.replace(before, after))
    with pytest.raises(BadFile) as caught:
        read_mapping(tmp_path / "lab.yaml")
    assert said in str(caught.value)
