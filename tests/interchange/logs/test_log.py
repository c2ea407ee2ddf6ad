"""A log of a run: read with the library mcap and decoded by the definitions in the file, it says what the run says."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.engine.spatial.kinematics import rotation_of
from pushpoint.errors import BadFile, InvalidModel

mcap_reader = pytest.importorskip("mcap.reader")
rosbags = pytest.importorskip("rosbags.typesys")


def exported(run: xr.Dataset, path: Path) -> Path:
    report = pp.export(run, path)
    assert report.files[0] == path
    return path


Log = dict[str, list[tuple[int, Any]]]


def decoded(path: Path) -> tuple[Log, Any]:
    """Times [ns] and messages by topic, with types made from the definitions that the file itself has."""
    store: Any = rosbags.get_typestore(rosbags.Stores.EMPTY)
    found: Log = defaultdict(list)
    with path.open("rb") as file:
        reader = mcap_reader.make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        for schema in summary.schemas.values():
            assert schema.encoding == "ros2msg"
            types = rosbags.get_types_from_msg(schema.data.decode(), schema.name)
            store.register({name: fields for name, fields in types.items() if name not in store.types})
        for schema, channel, each in reader.iter_messages():
            assert channel.message_encoding == "cdr"
            found[channel.topic].append((each.log_time, store.deserialize_cdr(each.data, schema.name)))
        assert reader.get_header().profile == "ros2"
        assert summary.statistics.message_count == sum(map(len, found.values()))
    return found, summary


@pytest.fixture(scope="module", params=["transeth2008a/obstacle-aided", "liljeback2014/sidewinding"])
def run(request: pytest.FixtureRequest) -> xr.Dataset:
    record = pp.Record(also=("obstacle_reaction",)) if "aided" in request.param else pp.Record()
    return replace(pp.scenario(request.param), duration=0.4, record=record).run()


@pytest.fixture(scope="module")
def log(run: xr.Dataset, tmp_path_factory: pytest.TempPathFactory) -> Log:
    path = tmp_path_factory.mktemp("log") / "run.mcap"
    assert exported(run, path) == path
    return decoded(path)[0]


def test_every_sample_has_its_time(run: xr.Dataset, log: Log) -> None:
    for topic, messages in log.items():
        if topic not in ("/scene", "/tf_static"):
            np.testing.assert_allclose([time * 1e-9 for time, _ in messages], run.time, atol=1e-9)  # nanoseconds
    stamps = [each.header.stamp for _, each in log["/joint_states"]]
    assert [stamp.sec * 10**9 + stamp.nanosec for stamp in stamps] == [time for time, _ in log["/joint_states"]]


def test_joint_states_are_those_of_the_run(run: xr.Dataset, log: Log) -> None:
    states = [each for _, each in log["/joint_states"]]
    for field, name in (("position", "joint_angle"), ("velocity", "joint_rate"), ("effort", "joint_torque")):
        np.testing.assert_array_equal([getattr(each, field) for each in states], run[name])
    references = [each for _, each in log["/joint_references"]]
    np.testing.assert_array_equal([each.position for each in references], run.joint_reference)
    axes = pp.world_of(run).robot.axes
    assert states[0].name == [f"joint_{j}_{axis.name}" for j, axis in enumerate(axes)] == references[0].name


def frames(log: Log) -> tuple[np.ndarray, np.ndarray]:
    """Places and quaternions w, x, y, z of all links in all samples."""
    rows = [[part.transform for part in each.transforms] for _, each in log["/tf"]]
    place = [[[getattr(part.translation, letter) for letter in "xyz"] for part in row] for row in rows]
    turn = [[[getattr(part.rotation, letter) for letter in "wxyz"] for part in row] for row in rows]
    return np.array(place), np.array(turn)


def test_frames_are_the_postures_of_the_run(run: xr.Dataset, log: Log) -> None:
    place, turn = frames(log)
    axes = run.sizes["axis"]
    np.testing.assert_array_equal(place[..., :axes], run.link_position)
    if axes == 3:
        np.testing.assert_allclose(turn, run.link_orientation, atol=1e-12)  # normalised again: rounding
    else:
        heading = rotation_of(turn)[..., :2, 0]
        along = np.stack([np.cos(run.link_angle), np.sin(run.link_angle)], axis=-1)
        np.testing.assert_allclose(heading, along, atol=1e-12)  # half angles: rounding
        np.testing.assert_array_equal(place[0, :, 2], pp.world_of(run).robot.column("radius"))
    assert [part.child_frame_id for part in log["/tf"][0][1].transforms] == [f"link_{k}" for k in run.link.values]
    poses = np.array([[[getattr(p.position, c) for c in "xyz"] for p in each.poses] for _, each in log["/link_poses"]])
    np.testing.assert_array_equal(poses, place)
    center = np.array([[getattr(each.point, c) for c in "xyz"] for _, each in log["/center_of_mass"]])
    np.testing.assert_array_equal(center[:, :axes], run.center_of_mass)


@pytest.mark.parametrize("name", ["ground_force", "obstacle_force"])
def test_forces_turned_back_are_those_of_the_run(run: xr.Dataset, log: Log, name: str) -> None:
    turn = rotation_of(frames(log)[1])
    for link in run.link.values:
        own = np.array([[getattr(each.wrench.force, c) for c in "xyz"] for _, each in log[f"/links/{link}/{name}"]])
        assert {each.header.frame_id for _, each in log[f"/links/{link}/{name}"]} == {f"link_{link}"}
        back = np.einsum("tij,tj->ti", turn[:, link], own)[:, : run.sizes["axis"]]
        scale = max(1.0, float(np.abs(run[name]).max()))
        np.testing.assert_allclose(back, run[name][:, link], atol=1e-12 * scale)  # two turns: rounding


def test_numbers_to_plot(run: xr.Dataset, log: Log) -> None:
    for name in ("solver_iterations", "solver_residual", "unconverged", "penetration"):
        np.testing.assert_array_equal([each.data for _, each in log[f"/plots/{name}"]], run[name])
    np.testing.assert_allclose([each.data for _, each in log["/plots/motor_power"]], run.joint_power.sum("joint"))
    speed = np.array([each.data for _, each in log["/plots/speed"]])
    along = np.linalg.norm(np.gradient(run.center_of_mass, run.time, axis=0), axis=1)
    # Central differences of the recorded path, whose samples are a few milliseconds apart.
    np.testing.assert_allclose(speed[1:-1], along[1:-1], atol=0.1 * speed.max())
    if run.sizes["obstacle"]:
        np.testing.assert_array_equal([each.data for _, each in log["/obstacle_loads"]], run.obstacle_load)
        force = [[getattr(each.wrench.force, c) for c in "xy"] for _, each in log["/obstacles/2/force"]]
        np.testing.assert_array_equal(force, run.obstacle_reaction[:, 2])


def test_the_scene_has_every_link_as_its_capsule_and_every_obstacle(run: xr.Dataset, log: Log) -> None:
    world, entities = pp.world_of(run), {each.id: each for each in log["/scene"][0][1].entities}
    names = {f"link_{k}" for k in run.link.values} | {f"obstacle_{k}" for k in range(len(world.environment.obstacles))}
    assert set(entities) == names | {"ground"}
    radius, side = world.robot.column("radius"), world.robot.column("side_length")
    corner = [getattr(link, "corner_radius", 0.0) or 0.0 for link in world.robot.links]
    for k, ahead in enumerate(world.robot.column("mass_offset")):
        link = entities[f"link_{k}"]
        assert link.frame_id == f"link_{k}" and link.frame_locked
        if link.cubes:
            (bar,) = link.cubes
            assert (bar.size.x, bar.size.y, bar.size.z) == pytest.approx(
                (side[k] + 2 * corner[k], *[2 * radius[k]] * 2)
            )
            continue
        ends = sorted(each.pose.position.x for each in link.spheres)
        np.testing.assert_allclose(ends, [-ahead - side[k] / 2, -ahead + side[k] / 2])
        assert {each.size.x for each in link.spheres} == {2 * radius[k]}
        (tube,) = (each for each in link.cylinders if each.size.z == side[k])
        assert tube.size.x == 2 * radius[k]
    for k, peg in enumerate(world.environment.obstacles):
        (post,) = entities[f"obstacle_{k}"].cylinders
        np.testing.assert_allclose(
            [post.pose.position.x, post.pose.position.y, post.size.x], [peg.x, peg.y, 2 * peg.radius]
        )
    assert log["/scene"][0][0] == 0
    still = {part.child_frame_id: part.transform.translation for part in log["/tf_static"][0][1].transforms}
    assert len(still) == len(world.environment.obstacles)


def test_a_log_is_a_bag_of_ros_2(run: xr.Dataset, log: Log, tmp_path: Path) -> None:
    from rosbags.rosbag2 import Reader

    path = exported(run, tmp_path / "run.mcap")
    with Reader(path) as bag:
        assert {topic: info.msgcount for topic, info in bag.topics.items()} == {k: len(v) for k, v in log.items()}


@pytest.mark.slow
def test_boxes_wheels_pipes_and_hills_are_drawn(tmp_path: Path) -> None:
    """From the starts alone: nothing has to move."""
    for name, count in (("spatial/rubble", 60), ("wheels/acm-iii", 0), ("liljeback2014/pipe", 1)):
        run = pp.scenario(name).with_changes(duration=0.01).run()
        world = pp.world_of(run)
        assert isinstance(world, pp.World)
        scene = decoded(exported(run, tmp_path / "run.mcap"))[0]["/scene"][0][1]
        still = [each for each in scene.entities if each.id.startswith("obstacle_")]
        assert len(still) == len(world.environment.obstacles) >= count
        assert all(each.triangles or each.cylinders for each in still)
        links = [each for each in scene.entities if each.id.startswith("link_")]
        wheels = sum(len(wheels.places) for link in world.robot.links for wheels in link.wheels)
        assert sum(len(link.cylinders) for link in links) == len(links) + wheels
        for mesh in (mesh for each in scene.entities for mesh in each.triangles):
            assert len(mesh.indices) % 3 == 0 and mesh.indices.max() < len(mesh.points)


def test_a_batch_and_a_run_without_postures_are_refused(run: xr.Dataset, tmp_path: Path) -> None:
    batch = xr.concat([run, run], "world")
    with pytest.raises(InvalidModel, match="one world"):
        exported(batch, tmp_path / "run.mcap")
    with pytest.raises(InvalidModel, match="a list with link_position, which a log needs"):
        exported(run.drop_vars("link_position"), tmp_path / "run.mcap")
    assert not list(tmp_path.iterdir())


def test_a_log_is_written_whole_or_not_at_all(run: xr.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "run.mcap"
    place.write_text("older")

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pushpoint.interchange.logs.container.LogWriter.close", fail)
    with pytest.raises(BadFile, match="cannot be written"):
        exported(run, place)
    assert place.read_text() == "older" and [each.name for each in tmp_path.iterdir()] == ["run.mcap"]


def test_obstacles_that_were_moved_or_taken_away_are_so_in_the_scene(tmp_path: Path) -> None:
    first, later = pp.Peg(x=0.165, y=0.25, radius=0.05), pp.Peg(x=0.165, y=-0.25, radius=0.05)
    world = pp.World(pp.catalogue.aiko_planar(), pp.Environment(obstacles=[first, pp.Peg(x=-0.2, y=0.4, radius=0.05)]))
    with pp.Live(world, settings=pp.Settings(dt=1e-3)) as live:
        live.advance(50)
        live.change(environment=replace(world.environment, obstacles=[later]))
        live.advance(50)
        found, _ = decoded(exported(live.dataset(), tmp_path / "run.mcap"))
    (start, before), (moved, after) = found["/scene"]
    assert (start, moved) == (0, 50_000_000)
    for scene, peg in ((before, first), (after, later)):
        entities = {each.id: each for each in scene.entities}
        assert entities["obstacle_0"].cylinders[0].pose.position.y == pytest.approx(peg.y)
        assert {"ground", "link_0", "link_10"} <= set(entities)
    assert not before.deletions and [each.id for each in after.deletions] == ["obstacle_1"]
    assert [each.transforms[0].transform.translation.y for _, each in found["/tf_static"]] == pytest.approx(
        [0.25, -0.25]
    )
