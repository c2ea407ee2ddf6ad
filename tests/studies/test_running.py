"""Studies run in this process: rows as if simulated by hand, failures as rows, resuming, growing, refusing."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from math import radians
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.model.kinds import forget
from pushpoint.scenarios.files import document_of, scenario_from
from pushpoint.studies import Courses, PegFields, RandomDesign, Range, Values, Variants, load_table, register_measure
from pushpoint.studies.storing.folder import OtherStudy, StoreInUse
from pushpoint.studies.storing.status import status_of
from pushpoint.studies.storing.store import FinishedIndex, StudyStore
from studies.small_study import FIELDS, base, small_study


def batches_in(store: Path) -> set[str]:
    return {path.name for path in (store / "batches").iterdir()}


def test_rows_are_what_simulating_by_hand_gives(tmp_path: Path) -> None:
    found = small_study().run(tmp_path / "store")
    table = load_table(tmp_path / "store")
    world = base().world
    for k, (amplitude, friction) in enumerate((a, mu) for a in (20.0, 40.0, 60.0) for mu in (0.1, 0.3)):
        gait = pp.gaits.LateralUndulation(
            amplitude=radians(amplitude),
            angular_frequency=world.controller.angular_frequency,
            phase_shift=world.controller.phase_shift,
            phase=world.controller.phase,
        )
        ground = pp.Environment(ground=replace(world.environment.ground, friction=pp.Isotropic(friction)))
        alone = pp.simulate(pp.World(world.robot, ground, gait, world.start), 0.1, settings=pp.Settings(dt=4e-3))
        row = table.isel(world=k)
        assert [float(row[name]) for name in FIELDS] == [amplitude, friction]
        assert float(row.distance) == float(pp.measures.distance(alone))  # to the last bit
    assert (found.standing.worlds, found.standing.reused, found.standing.simulated, found.failed) == (6, 0, 6, 0)
    assert table.distance.attrs["units"] == "m" and set(table.status.values) == {"finished"}


def test_a_study_goes_on_where_it_stopped_and_its_table_is_the_same(tmp_path: Path) -> None:
    whole = small_study().run(tmp_path / "whole").table.read_bytes()
    small_study().run(tmp_path / "cut")
    gone = sorted((tmp_path / "cut" / "batches").iterdir())[1]
    gone.unlink()
    again = small_study().run(tmp_path / "cut")
    assert (again.standing.reused, again.standing.simulated) == (4, 2)
    assert again.table.read_bytes() == whole
    assert small_study().run(tmp_path / "cut").standing.simulated == 0


def test_a_study_that_grows_adds_what_is_new(tmp_path: Path) -> None:
    small_study().run(tmp_path)
    grown = small_study(varies=[small_study().varies[0], Values(field=FIELDS[1], values=[0.1, 0.2, 0.3])])
    standing = grown.run(tmp_path).standing
    assert (standing.worlds, standing.reused, standing.simulated) == (9, 6, 3)
    assert load_table(tmp_path)[FIELDS[1]].values.tolist() == [0.1, 0.2, 0.3] * 3


def test_rows_that_repeat_are_simulated_once(tmp_path: Path) -> None:
    study = small_study(varies=[small_study().varies[1]], design=RandomDesign(count=20))
    standing = study.run(tmp_path).standing
    assert (standing.simulated, standing.reused) == (2, 18)
    assert load_table(tmp_path).sizes["world"] == 20


def test_batches_do_not_change_results(tmp_path: Path) -> None:
    one, all_ = (small_study(batch=size).run(tmp_path / str(size)).table for size in (1, 6))
    assert one.read_bytes() == all_.read_bytes()


@pytest.mark.parametrize("how", ["ended", "diverged"])
def test_a_world_that_ends_before_the_others_is_what_it_is_alone(how: str, tmp_path: Path) -> None:
    wanted = ["distance", "mean_speed", "path_length", "cost_of_transport", "motor_work", "heading", "peak_torque"]
    varies, start = [Values(field="controller.angular_frequency_deg", values=[80.0, 200.0, 1e9])], base(duration=1.0)
    if how == "ended":
        start = replace(start, until=pp.goals.Travelled(distance=0.002))
        varies = [Range(field="controller.amplitude_deg", low=20.0, high=60.0, count=3)]
    kept = [
        small_study(base=start, varies=varies, measures=wanted, batch=size).run(tmp_path / str(size)).table
        for size in (1, 3)
    ]
    assert how in load_table(tmp_path / "3").status.values and kept[0].read_bytes() == kept[1].read_bytes()


def test_controllers_that_are_driven_differently_do_not_change_each_other(tmp_path: Path) -> None:
    wave = base().world.controller
    gaits = [wave, pp.gaits.Sampled(gait=wave, rate=50.0), pp.gaits.Sampled(gait=wave, rate=50.0, hold=True)]
    controllers = [
        *gaits,
        pp.gaits.Sampled(gait=wave, rate=125.0),
        pp.control.ConstantTorque(torque=(0.1,) * 10, rate=50.0),
    ]
    varies = [Values(field="controller", values=controllers)]
    together = small_study(varies=varies, batch=5).run(tmp_path / "together")
    alone = small_study(varies=varies, batch=1).run(tmp_path / "alone")
    assert together.failed == 0 and together.table.read_bytes() == alone.table.read_bytes()
    single = [base().with_changes(controller=each).run() for each in controllers]
    assert load_table(tmp_path / "together").distance.values.tolist() == [
        float(pp.measures.distance(run)) for run in single
    ]


def test_durations_and_time_steps_may_differ_within_a_batch(tmp_path: Path) -> None:
    varies = [Values(field="duration", values=[0.1, 0.2]), Values(field="settings.dt", values=[2e-3, 4e-3])]
    small_study(varies=varies, batch=4).run(tmp_path)
    found = load_table(tmp_path).distance.values
    alone = [
        float(pp.measures.distance(base().with_changes(duration=t, dt=dt).run()))
        for t in (0.1, 0.2)
        for dt in (2e-3, 4e-3)
    ]
    assert found.tolist() == alone


@pytest.mark.parametrize("pushed_first", [False, True])
def test_a_world_that_is_changed_on_its_way_is_what_it_is_alone(pushed_first: bool, tmp_path: Path) -> None:
    push = {"kind": "push", "step": 2, "link": 3, "force": [0.0, 40.0]}
    edits, labels = [[], [push]], ["none", "push"]
    one = Values(field="edits", values=edits[::-1] if pushed_first else edits, labels=labels)
    small_study(varies=[one]).run(tmp_path)
    alone = [
        pp.measures.distance(scenario_from(document_of(base()) | {"edits": each}).run()) for each in (*one.values,)
    ]
    assert load_table(tmp_path).distance.values.tolist() == [float(each) for each in alone] and alone[0] != alone[1]


def test_a_world_that_fails_is_a_row_with_its_status(tmp_path: Path) -> None:
    pegs = [[], [{"kind": "peg", "x": 0.0, "y": 0.0, "radius": 0.1}]]
    varies = [Values(field="obstacles", values=pegs, labels=["free", "blocked"]), small_study().varies[1]]
    found = small_study(varies=varies, batch=4).run(tmp_path)
    table = load_table(tmp_path)
    assert found.failed == 2 and table.status.values.tolist() == ["finished", "finished", "invalid", "invalid"]
    assert "overlaps obstacle 0" in str(table.message.values[2]) and np.isnan(table.distance.values[2:]).all()
    assert np.isfinite(table.distance.values[:2]).all()


def test_a_diverging_world_is_a_row_with_its_status(tmp_path: Path) -> None:
    varies = [Values(field="controller.angular_frequency_deg", values=[80.0, 1e9])]
    small_study(varies=varies, keep="failed").run(tmp_path)
    table = load_table(tmp_path)
    assert table.status.values.tolist() == ["finished", "diverged"]
    (kept,) = (tmp_path / "runs").iterdir()
    assert kept.stem == str(table.key.values[1])
    assert pp.load(kept).attrs["status_code"] == "diverged"


def test_runs_are_kept_whole_on_request(tmp_path: Path) -> None:
    small_study(keep="all").run(tmp_path)
    table = load_table(tmp_path)
    for row in range(6):
        run = pp.load(tmp_path / "runs" / f"{table.key.values[row]}.nc")
        assert float(pp.measures.distance(run)) == float(table.distance[row])
        assert pp.world_of(run).controller.amplitude == radians(float(table[FIELDS[0]][row]))


def test_random_courses_are_made_from_their_seeds(tmp_path: Path) -> None:
    courses = PegFields(count=2, density=20.0, radius=(0.02, 0.05), x=(-1.0, 1.0), y=(-0.5, 0.5), gap=0.01)
    small_study(varies=[courses], keep="all").run(tmp_path)
    table = load_table(tmp_path)
    kept = [pp.world_of(pp.load(tmp_path / "runs" / f"{key}.nc")) for key in table.key.values]
    assert table.obstacles.values.tolist() == [0, 1]
    assert [world.environment.obstacles for world in kept] == [
        tuple(courses.obstacles(s, base().world)) for s in (0, 1)
    ]


def test_courses_of_ones_own(tmp_path: Path) -> None:
    @pp.register("lone-peg")
    @dataclass(frozen=True, kw_only=True)
    class LonePeg(Courses):
        def obstacles(self, seed: int, world: pp.World) -> Any:
            return (pp.Peg(x=3.0 + seed, y=0.0, radius=0.1),)

    try:
        small_study(varies=[LonePeg(count=2)], keep="all").run(tmp_path)
        runs = [pp.load(path) for path in (tmp_path / "runs").iterdir()]
        assert {pp.world_of(run).environment.obstacles[0].x for run in runs} == {3.0, 4.0}
    finally:
        forget("lone-peg", LonePeg)


def test_a_registered_measure_gets_all_worlds_at_once(tmp_path: Path) -> None:
    @register_measure("way-and-back", unit="m", needs=["center_of_mass"])
    def way_and_back(run: xr.Dataset) -> Any:
        return 2.0 * pp.measures.distance(run)

    small_study(measures=["distance", "way-and-back"]).run(tmp_path)
    table = load_table(tmp_path)
    assert table["way-and-back"].values.tolist() == (2.0 * table.distance.values).tolist()


def test_a_measure_needs_a_list_of_names() -> None:
    with pytest.raises(InvalidModel, match="needs = 'center_of_mass', must be a list of names"):
        register_measure("height", needs="center_of_mass")


def test_a_measure_that_fails_leaves_a_gap_and_a_sentence(tmp_path: Path) -> None:
    @register_measure("moody")
    def moody(run: xr.Dataset) -> Any:
        if (run.center_of_mass.isel(time=0).sel(axis="x") > 1e9).any() or run.sizes["world"] > 1:
            raise ValueError("too many")
        return [1.0]

    small_study(measures=["moody"]).run(tmp_path)
    assert load_table(tmp_path).moody.values.tolist() == [1.0] * 6  # a batch that it refuses is measured one by one


def test_measures_of_the_summary_are_those_of_each_run(tmp_path: Path) -> None:
    names = ["mean_velocity_x", "peak_torque", "cost_of_transport", "heading"]
    small_study(measures=names, keep="all").run(tmp_path)
    table = load_table(tmp_path)
    for row in range(6):
        summary = pp.measures.summary(pp.load(tmp_path / "runs" / f"{table.key.values[row]}.nc"))
        assert [float(table[name][row]) for name in names] == [summary[name] for name in names]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"name": "other"}, "its name = 'small', not 'other'"),
        ({"measures": ["path_length"]}, r"its measures = \['distance'\], not \['path_length'\]"),
        ({"base": base(duration=0.2)}, "its base scenario is another one"),
        ({"keep": "all"}, "its keep = 'none', not 'all'"),
    ],
)
def test_a_store_of_another_study_is_refused(changes: dict[str, Any], what: str, tmp_path: Path) -> None:
    small_study().run(tmp_path)
    before = batches_in(tmp_path)
    with pytest.raises(OtherStudy, match=what):
        small_study(**changes).run(tmp_path)
    assert batches_in(tmp_path) == before and load_table(tmp_path).sizes["world"] == 6


def test_a_folder_with_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadFile, match=r"holds 'notes.txt', must be a store of a study or an empty folder"):
        small_study().run(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(BadFile, match="is a file, must be a folder"):
        small_study().run(tmp_path / "notes.txt")


def test_a_file_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("of another program")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadFile, match=r"holds 'notes\.txt'"):
        small_study().run(tmp_path)
    assert (tmp_path / "lock").read_text() == "of another program"


def test_a_kill_before_the_first_file_was_in_place_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("123")
    (tmp_path / ".pushpoint-0123456789abcdef.json").write_text("{")
    assert small_study().run(tmp_path).standing.simulated == 6


@pytest.mark.parametrize("lacking", ["study", "maker"])
def test_a_store_that_does_not_say_what_it_holds_is_refused(lacking: str, tmp_path: Path) -> None:
    with StudyStore(tmp_path).taken({}, {name: "x" for name in ("study", "maker") if name != lacking}):
        pass
    with pytest.raises(BadFile, match="does not describe a store of a study"):
        load_table(tmp_path)


@pytest.mark.parametrize("column", ["world", "status", "distance"])
def test_what_varies_has_a_column_of_its_own(column: str) -> None:
    courses = [{"duration": 0.1}, {"duration": 0.2}]
    with pytest.raises(InvalidModel, match="the table has a column of this one"):
        small_study(varies=[Variants(field=column, variants=courses, labels=["short", "long"])])


def test_a_second_driver_is_refused_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    program = f"""
import sys, time
from pathlib import Path
from pushpoint.studies.storing.store import StudyStore
with StudyStore({str(tmp_path)!r}).taken({{}}, {{}}):
    print("taken", flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"taken\n"
        with pytest.raises(StoreInUse, match=rf"another process \(process {other.pid}\) works on this store"):
            with StudyStore(tmp_path).taken({}, {}):
                raise AssertionError("two at a time")
        other.kill()
        other.wait()
    with StudyStore(tmp_path).taken({}, {}):
        assert (tmp_path / "lock").read_text() == str(os.getpid())


def test_a_full_disk_is_a_sentence_and_the_store_stays_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_study().run(tmp_path)
    sorted((tmp_path / "batches").iterdir())[0].unlink()
    before = batches_in(tmp_path)

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(BadFile, match="No space left on device"):
            small_study().run(tmp_path)
    assert batches_in(tmp_path) == before
    assert small_study().run(tmp_path).standing.simulated == 2


def test_a_damaged_batch_is_named(tmp_path: Path) -> None:
    small_study().run(tmp_path)
    broken = sorted((tmp_path / "batches").iterdir())[0]
    whole = broken.read_bytes()
    listed = whole.index(b"PK\x01\x02")  # the first entry of the archive's table of contents
    packed = whole[: listed + 10] + b"\x63\x00" + whole[listed + 12 :]  # in a way that nobody knows
    for content in (whole[:50], b"", packed):
        broken.write_bytes(content)
        with pytest.raises(BadFile, match="is no finished batch"):
            small_study().run(tmp_path)


NO_ENTRIES = (
    *('{"at": 1', "3", "[]", "{}"),
    '{"at": 2, "event": "finished", "batch": "a", "worl": 3}',
    '{"at": "x", "event": "finished", "batch": "a", "worlds": 3}',
    '{"at": 1e400, "event": "finished", "batch": "a", "worlds": Infinity}',
)


@pytest.mark.parametrize("line", NO_ENTRIES)
def test_a_damaged_journal_costs_the_rate_alone(line: str, tmp_path: Path) -> None:
    small_study().run(tmp_path)
    with open(tmp_path / "journal.jsonl", "a", encoding="utf-8") as journal:
        journal.write(f"{line}\n")
    assert len(StudyStore(tmp_path).journal()) == 6  # three batches, begun and finished
    assert status_of(tmp_path)["finished"] == 6


def test_the_index_finds_what_is_there_and_nothing_else(tmp_path: Path) -> None:
    small_study().run(tmp_path)
    index = FinishedIndex(StudyStore(tmp_path))
    keys = np.array(load_table(tmp_path).key.values, dtype="S24")
    there, _, _ = index.find(np.concatenate([keys, np.array([b"0" * 24, b"f" * 24])]))
    assert len(index) == 6 and there.tolist() == [True] * 6 + [False] * 2


def test_a_table_reads_every_batch_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = small_study(batch=1, measures=["distance", "path_length"])
    study.run(tmp_path)
    whole, read = load_table(tmp_path), list[Path]()
    batch = StudyStore.batch

    def counted(store: StudyStore, path: Path, *names: str) -> dict[str, np.ndarray]:
        read.extend([] if names else [path])  # with names, it is the index that reads keys
        return batch(store, path, *names)

    monkeypatch.setattr("pushpoint.studies.storing.table.OPEN_FILES", 1)
    monkeypatch.setattr(StudyStore, "batch", counted)
    xr.testing.assert_identical(load_table(tmp_path), whole)
    assert len(read) == len(set(read)) == 6


def test_a_table_without_pyarrow_is_csv_with_the_same_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    parquet = pq.read_table(small_study().run(tmp_path).table).to_pydict()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    path = small_study().run(tmp_path).table
    header, *lines = path.read_text().splitlines()
    assert path.name == "table.csv" and not (tmp_path / "table.parquet").exists()
    assert header.split(",") == list(parquet)
    assert [float(line.split(",")[-1]) for line in lines] == parquet["distance"]
