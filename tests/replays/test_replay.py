"""Replay pages: they need nothing else, hold the run, and stay small."""

from __future__ import annotations

import re
import socket
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import viser
import xarray

import pushpoint as pp
from oracles.described import described, first, world_of
from oracles.seen import recorded_scene
from pushpoint.papers.registry import scenario
from pushpoint.replays.legend import legend
from pushpoint.replays.recorder import Recorder
from pushpoint.replays.replay import replay, replay_samples
from pushpoint.replays.scene import set_scene
from pushpoint.replays.sight import FIELD_OF_VIEW, Sight, set_camera
from pushpoint.scenery.aims import Aim
from pushpoint.scenery.drawn_run import DrawnRun, read_run

SIZE_LIMIT = 3_000_000


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    """Two seconds of the published course: seven pegs, eleven links."""
    return scenario("transeth2008a/obstacle-aided").with_changes(duration=2.0).run()


def test_the_replay_page_needs_nothing_else_and_holds_the_run(run: xarray.Dataset, tmp_path: Path) -> None:
    page = replay(run, tmp_path / "replay.html").read_text(encoding="utf-8")
    assert len(page) < SIZE_LIMIT
    title = scenario("transeth2008a/obstacle-aided").title
    assert f"<title>{title}</title>" in page and f"<b>{title.removesuffix('.')}</b>" in page
    assert re.findall(r"""(?:src|href|action)\s*=\s*["']?\s*(?:https?:)?//""", page) == []
    assert re.findall(r"""<(?:iframe|object|embed|base)\b|@import|url\(\s*["']?(?:https?:)?//""", page) == []
    assert set(re.findall(r"https?://[\w.]+", page)) <= {"http://www.w3.org"}  # names of formats, not addresses
    scene = recorded_scene(page)
    assert scene["durationSeconds"] == pytest.approx(2.0, abs=0.05)  # and one frame to look at the end
    kinds = [message["type"] for _, message in scene["messages"]]
    names = {message.get("name") for _, message in scene["messages"]}
    assert {"/ground", "/obstacles", "/snake/links 0", "/contact forces"} <= names
    moves = [at for at, message in scene["messages"] if "batched_positions" in message.get("updates", {})]
    assert len(replay_samples(read_run(run))) == 61  # 30 per second
    assert len(moves) == 60  # the first is how the scene begins
    assert moves[-1] == pytest.approx(2.0)
    assert len(kinds) < 4 * len(moves) + 60


def test_title_key_and_playback_speed_stand_above_the_scene(run: xarray.Dataset) -> None:
    words = legend(read_run(run))
    for entry in ("head", "obstacle", "path of the centre of mass", "contact force on the link", "1x is real time"):
        assert entry in words
    assert "lifted" not in words and "planned path" not in words
    hostile = replace(read_run(run), title="<script>alert(1)</script>", name="a & b")
    assert "<script>" not in legend(hostile) and "a &amp; b" in legend(hostile)


@pytest.mark.parametrize("aspect", [1.4, 2.0])
def test_the_whole_course_is_in_view_at_the_start(run: xarray.Dataset, aspect: float) -> None:
    course = read_run(run)
    position, look_at = Sight(course).camera()
    toward = (position - look_at) / np.linalg.norm(position - look_at)
    right = np.cross([0.0, 0.0, 1.0], toward) / np.linalg.norm(np.cross([0.0, 0.0, 1.0], toward))
    axes = np.stack([right, np.cross(toward, right), toward])
    pegs = np.array([(peg.x, peg.y, 0.0) for peg in world_of(run).environment.obstacles])
    seen = (np.concatenate([pegs, np.pad(course.middle.reshape(-1, 2), ((0, 0), (0, 1)))]) - position) @ axes.T
    tall = np.tan(FIELD_OF_VIEW / 2.0)
    assert np.abs(seen[:, 0] / seen[:, 2]).max() < aspect * tall
    assert np.abs(seen[:, 1] / seen[:, 2]).max() < tall


def test_a_planned_path_with_start_and_goal_is_in_the_scene(run: xarray.Dataset) -> None:
    course, path = read_run(first(run, 3)), np.array([(0.0, 0.0), (1.0, 0.5), (2.0, 0.0)])
    names = {message.get("name") for _, message in set_and_record(Recorder(), course)}
    assert not {"/planned path", "/start", "/goal"} & names
    planned = replace(course, aim=Aim(path=path, finish=(1.0, 0.0)))
    sent = {message.get("name"): message for _, message in set_and_record(Recorder(), planned)}
    assert {"/planned path", "/start", "/goal", "/finishing line"} <= set(sent)
    assert "planned path of the head" in legend(planned) and "finishing line" in legend(planned)


def test_a_replay_of_ten_seconds_and_sixty_links_stays_small(run: xarray.Dataset, tmp_path: Path) -> None:
    world = world_of(run)
    robot = pp.PlanarRobot.uniform(66, world.robot.links[0])
    long = xarray.concat([run.isel(link=slice(None))] * 6, "link", data_vars="minimal", join="override")
    long = xarray.concat([long] * 5, "time", data_vars="minimal", join="override")
    long = long.assign_coords(time=np.arange(long.sizes["time"]) * 0.01)
    long = described(long, replace(world, robot=robot, controller=None, start=None))
    assert replay(long, tmp_path / "replay.html").stat().st_size < SIZE_LIMIT


def test_the_recorder_opens_no_socket_starts_no_thread_and_is_silent(
    run: xarray.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_arguments: Any, **_others: Any) -> None:
        raise AssertionError("a file needs no socket and no thread")

    for owner, name in (
        (socket.socket, "bind"),
        (socket.socket, "listen"),
        (socket, "socketpair"),
        (threading.Thread, "start"),
    ):
        monkeypatch.setattr(owner, name, refuse)
    page = replay(first(run, 3), tmp_path / "replay.html").read_text(encoding="utf-8")
    assert len(recorded_scene(page)["messages"]) > 10
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_it_records_what_a_server_would_send(run: xarray.Dataset) -> None:
    course = read_run(first(run, 3))
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    server.gui.configure_theme(show_share_button=False)
    try:
        sent = set_and_record(server, course)
    finally:
        server.stop()
    assert set_and_record(Recorder(), course) == sent


def set_and_record(server: viser.ViserServer, course: DrawnRun) -> list[Any]:
    set_scene(server, course)
    set_camera(server, course)
    recorder = server.get_scene_serializer()
    server.scene.add_frame("/later")
    recorder.insert_sleep(1.0)
    return list(recorded_scene(recorder.as_html())["messages"])
