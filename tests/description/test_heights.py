"""Heights of the ground in scenario files: rows, .npy and .csv files beside them; data alone, nothing that runs."""

from __future__ import annotations

import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pushpoint.description.changes import apply_sets
from pushpoint.description.files import SourceFile
from pushpoint.errors import BadFile, PushpointError
from pushpoint.model.environment import Ground
from pushpoint.model.terrain import HeightField
from pushpoint.scenarios.files import document_of, scenario_from
from pushpoint.scenarios.scenario import Scenario

WAVE = "{kind: vertical-wave, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -60}"
HEIGHTS = np.array([[0.0, 0.1, 0.2], [0.3, 0.4, 0.5]])
PLACE = "course.yaml:5: ground.heights.heights"


def read(folder: Path, heights: str, more: str = "") -> Scenario:
    text = (
        f"robot: aiko\ncontroller: {WAVE}\nground:\n  heights:\n    heights: {heights}\n    spacing: 0.5\n{more}"
        "start: {position: [0, 0, 5]}\nduration: 1\n"
    )
    (folder / "course.yaml").write_text(text, encoding="utf-8")
    source = SourceFile(folder / "course.yaml")
    return scenario_from(source.document, where=source.where)


def field_of(scenario: Scenario) -> HeightField:
    assert scenario.world.environment.ground.heights is not None
    return scenario.world.environment.ground.heights


def complaint(folder: Path, heights: str, more: str = "") -> str:
    with pytest.raises(BadFile) as caught:
        read(folder, heights, more)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400
    return str(caught.value).removeprefix(f"{folder}/")


def test_rows_run_along_y_and_follow_each_other_along_x(tmp_path: Path) -> None:
    field = field_of(read(tmp_path, "[[0, 0.1, 0.2], [0.3, 0.4, 0.5]]", "    origin: [1, -2]\n"))
    np.testing.assert_array_equal(field.heights, HEIGHTS)
    assert (field.spacing, field.origin) == (0.5, (1.0, -2.0))
    assert field.heights[1, 0] == 0.3  # half a metre farther along x


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_a_numpy_file_beside_the_scenario(tmp_path: Path, dtype: type) -> None:
    (tmp_path / "terrain").mkdir()
    held = (10 * HEIGHTS).astype(dtype)
    np.save(tmp_path / "terrain" / "bumps.npy", np.asfortranarray(held))
    field = field_of(read(tmp_path, "terrain/bumps.npy"))
    np.testing.assert_array_equal(field.heights, held.astype(float))
    assert field.origin == (0.0, 0.0)


@pytest.mark.parametrize(
    "text",
    [
        "0,0.1,0.2\n0.3,0.4,0.5\n",
        "# made by hand\n0, 1e-1, 0.2\n\n0.3, 0.4, 0.5",
        "\ufeff0,0.1,0.2\r\n0.3,0.4,0.5\r\n",
    ],
)
def test_a_table_beside_the_scenario(tmp_path: Path, text: str) -> None:
    (tmp_path / "Bumps.CSV").write_text(text, encoding="utf-8")
    np.testing.assert_array_equal(field_of(read(tmp_path, "Bumps.CSV")).heights, HEIGHTS)


def test_the_document_holds_the_heights_and_not_the_file(tmp_path: Path) -> None:
    np.save(tmp_path / "bumps.npy", HEIGHTS)
    made = read(tmp_path, "bumps.npy", "    origin: [1, -2]\n")
    written = json.loads(json.dumps(document_of(made), allow_nan=False))
    assert written["ground"]["heights"] == {"heights": HEIGHTS.tolist(), "spacing": 0.5, "origin": [1, -2]}
    again = scenario_from(written)
    one, other = field_of(made), field_of(again)
    np.testing.assert_array_equal(one.heights, other.heights)
    assert (one.spacing, one.origin) == (other.spacing, other.origin)
    flat = dataclasses.replace(made.world.environment, ground=Ground())
    assert made.with_changes(environment=flat) == again.with_changes(environment=flat)
    assert document_of(again) == document_of(made)


@pytest.mark.parametrize("seed", range(3))
def test_heights_survive_to_the_last_bit(tmp_path: Path, seed: int) -> None:
    made = read(tmp_path, "[[0, 0], [0, 0]]")
    field = HeightField(heights=np.random.default_rng(seed).normal(size=(7, 5)), spacing=1 / 3, origin=(0.1, -0.7))
    ground = dataclasses.replace(made.world.environment.ground, heights=field)
    bumpy = made.with_changes(environment=dataclasses.replace(made.world.environment, ground=ground))
    again = field_of(scenario_from(json.loads(json.dumps(document_of(bumpy)))))
    np.testing.assert_array_equal(again.heights, field.heights)
    assert (again.spacing, again.origin) == (field.spacing, field.origin)


ROWS = [
    ("[[0, 0], [0]]", "{0} = [[0, 0], [0]], must be numbers of shape (columns, rows) [m]"),
    ("[[0, 0]]", "{0} = (1, 2), must be of shape (columns, rows), both 2 or more"),
    ("[]", "{0} = (0,), must be of shape (columns, rows) [m]"),
    ("[[0, 0], [0, .nan]]", "{0}[1][1] = nan, must be finite [m]"),
    ("[[0, 0], [-.inf, 0]]", "{0}[1][0] = -inf, must be finite [m]"),
    ("[[0, 0], [0, up]]", "{0}[1][1] = 'up', must be a number"),
    ("[0, 0]", "{0}[0] = 0, must be a list"),
    ("3", "{0} = 3, must be a list"),
]
NAMED = [
    ("bumps.npy", "{0} = 'bumps.npy', must be a file of heights, but there is none in {1}"),
    ("bumps.txt", "{0} = 'bumps.txt', must be the name of a .npy or .csv file in or below the folder {1}"),
    ("bumps", "{0} = 'bumps', must be the name of a .npy or .csv file in or below the folder {1}"),
    ("../bumps.npy", "{0} = '../bumps.npy', must be the name of a .npy or .csv file in or below the folder {1}"),
    ("a/../../b.npy", "{0} = 'a/../../b.npy', must be the name of a .npy or .csv file in or below the folder {1}"),
    ("/tmp/bumps.npy", "{0} = '/tmp/bumps.npy', must be the name of a .npy or .csv file in or below the folder {1}"),
]


@pytest.mark.parametrize(("heights", "sentence"), ROWS + NAMED)
def test_one_sentence_with_the_line(tmp_path: Path, heights: str, sentence: str) -> None:
    assert complaint(tmp_path, heights).startswith(sentence.format(PLACE, tmp_path))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0,1\n2,up\n", "it does not hold an array of numbers (could not convert string 'up'"),
        ("0,1\n2\n", "it does not hold an array of numbers ("),
        ("0;1\n2;3\n", "it does not hold an array of numbers (could not convert string '0;1'"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "bumps.csv").write_text(text, encoding="utf-8")
    assert complaint(tmp_path, "bumps.csv").startswith(
        f"{PLACE} = 'bumps.csv', must be a file of heights, but {reason}"
    )


def test_tables_of_the_wrong_shape(tmp_path: Path) -> None:
    for text, sentence in (
        ("", f"{PLACE} = "),
        ("0,1\n", f"{PLACE} = (1, 2), must be of shape (columns, rows), both 2 or more"),
        ("0,1\n2,nan\n", f"{PLACE}[1][1] = nan, must be finite [m]"),
    ):
        (tmp_path / "bumps.csv").write_text(text, encoding="utf-8")
        assert complaint(tmp_path, "bumps.csv").startswith(sentence)
    (tmp_path / "bumps.csv").write_bytes(b"\xff\xfe0,1")
    assert "it is not a text file (UTF-8)" in complaint(tmp_path, "bumps.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "must be a file of heights, but it cannot be read (" in complaint(tmp_path, "folder.csv")


class Marker:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.touch, (self.path,))


def test_nothing_in_a_numpy_file_is_executed(tmp_path: Path) -> None:
    trace = tmp_path / "executed"
    pickle.loads(pickle.dumps(Marker(trace)))
    assert trace.exists()  # the trap works
    trace.unlink()
    objects = np.array([[Marker(trace), 0], [0, 0]], dtype=object)
    np.save(tmp_path / "objects.npy", objects, allow_pickle=True)
    (tmp_path / "pickle.npy").write_bytes(pickle.dumps(objects))
    for name in ("objects.npy", "pickle.npy"):
        said = complaint(tmp_path, name)
        assert said.startswith(f"{PLACE} = '{name}', must be a file of heights, but it does not hold an array of numb")
    assert not trace.exists()


def test_numpy_files_that_hold_something_else(tmp_path: Path) -> None:
    np.save(tmp_path / "line.npy", np.zeros(4))
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    np.save(tmp_path / "complex.npy", np.zeros((2, 2), dtype=complex))
    np.save(tmp_path / "text.npy", np.array([["0", "1"], ["2", "3"]]))
    np.save(tmp_path / "truth.npy", np.zeros((2, 2), dtype=bool))
    np.save(tmp_path / "hole.npy", np.array([[0.0, 0.0], [np.nan, 0.0]]))
    np.savez(tmp_path / "several.npz", a=np.zeros((2, 2)))
    (tmp_path / "several.npz").rename(tmp_path / "several.npy")
    (tmp_path / "empty.npy").write_bytes(b"")
    whole = (tmp_path / "cube.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:-8])
    claims = whole.replace(b"(2, 2, 2)", b"(9999999, 9999999)").replace(b"}         ", b"}", 1)
    (tmp_path / "boasting.npy").write_bytes(claims)
    but = " must be a file of heights, but"
    for name, sentence in {
        "line.npy": f"{PLACE} = 'line.npy',{but} it holds an array of shape (4,), not rows of numbers",
        "cube.npy": f"{PLACE} = 'cube.npy',{but} it holds an array of shape (2, 2, 2), not rows of numbers",
        "complex.npy": f"{PLACE} = 'complex.npy',{but} it holds values of the type complex128",
        "text.npy": f"{PLACE} = 'text.npy',{but} it holds values of the type <U1",
        "truth.npy": f"{PLACE} = 'truth.npy',{but} it holds values of the type bool",
        "hole.npy": f"{PLACE}[1][0] = nan, must be finite [m]",
        "several.npy": f"{PLACE} = 'several.npy',{but} it holds several arrays, which a .npy file does not",
        "empty.npy": f"{PLACE} = 'empty.npy',{but} it does not hold an array of numbers (",
        "cut.npy": f"{PLACE} = 'cut.npy',{but} it does not hold an array of numbers (",
        "boasting.npy": f"{PLACE} = 'boasting.npy',{but} it does not hold an array of numbers (",
    }.items():
        assert complaint(tmp_path, name).startswith(sentence)


def test_other_keys_of_a_height_field(tmp_path: Path) -> None:
    rows = "[[0, 0], [0, 0]]"
    assert complaint(tmp_path, rows, "    origin: [0]\n").startswith(
        "course.yaml:7: ground.heights.origin = [0], must be"
    )
    assert complaint(tmp_path, rows, "    orign: [0]\n").startswith(
        "course.yaml:7: ground.heights: unknown key 'orign'"
    )
    assert complaint(tmp_path, rows, "  slope_deg: 3\n").startswith("course.yaml:7: ground.slope_deg = 3, must be 0 if")


def test_heights_from_the_command_line_are_looked_for_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = document_of(read(tmp_path, "[[0, 0], [0, 0]]"))
    (tmp_path / "elsewhere").mkdir()
    np.save(tmp_path / "elsewhere" / "bumps.npy", HEIGHTS)
    monkeypatch.chdir(tmp_path / "elsewhere")
    for change in ("ground.heights.heights=bumps.npy", "ground.heights={heights: bumps.npy, spacing: 0.5}"):
        made = field_of(scenario_from(apply_sets(document, [change, "ground.heights.spacing=0.25"])))
        np.testing.assert_array_equal(made.heights, HEIGHTS)
        assert made.spacing == 0.25
    one = field_of(scenario_from(apply_sets(document, ["ground.heights.heights[1][0]=0.75"])))
    assert one.heights.tolist() == [[0, 0], [0.75, 0]]
    with pytest.raises(
        PushpointError, match=r"^ground\.heights\.heights = 'none\.npy', must be a file of heights, but"
    ):
        apply_sets(document, ["ground.heights.heights=none.npy"])


def test_a_document_alone_opens_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = document_of(read(tmp_path, "[[0, 0], [0, 0]]"))
    np.save(tmp_path / "bumps.npy", HEIGHTS)
    monkeypatch.chdir(tmp_path)
    document["ground"]["heights"]["heights"] = "bumps.npy"
    with pytest.raises(
        PushpointError, match=r"^ground\.heights\.heights = 'bumps\.npy', must be rows of numbers; the name"
    ):
        scenario_from(document)


def test_a_large_field_is_read_in_no_time(tmp_path: Path) -> None:
    np.save(tmp_path / "large.npy", np.zeros((1000, 1000)))
    assert field_of(read(tmp_path, "large.npy")).heights.shape == (1000, 1000)
