"""Trained policies by name and file, in scenario files, and what is said of files that are none."""

from __future__ import annotations

import json
from dataclasses import replace
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control.policy_files import FOLDER, FORMAT, policy_in
from pushpoint.description.experiments import read_experiment
from pushpoint.errors import BadFile, PushpointError, UnknownName
from pushpoint.studies.controllers import controller_of

SOUND: dict[str, Any] = {"format": FORMAT, "kind": "touch-policy", "parameters": {"gain": 0.3, "forward_bias": 0.2}}


def written(folder: Path, held: Any, name: str = "mine.json") -> Path:
    file = folder / name
    file.write_text(held if isinstance(held, str) else json.dumps(held))
    return file


@pytest.mark.parametrize("name", pp.control.policy_names())
def test_policies_that_come_along_say_where_they_are_from(name: str) -> None:
    assert isinstance(pp.control.learned(name), pp.Controller)
    file = next(FOLDER.glob(f"{name}.*"))
    if file.suffix == ".json":
        held = json.loads(file.read_text())
        assert {"title", "provenance"} <= set(held)
        assert {"command", "pushpoint", "seed", "cpu_s"} <= set(held["provenance"])
    else:
        assert file.stat().st_size < 100_000
        assert "train_networks.py" in pp.control.learned(name).source and "seed" in pp.control.learned(name).source


@pytest.mark.parametrize(("direction_deg", "speed"), [(60.0, 0.2), (120.0, 0.1)])
def test_the_network_for_sidewinding_goes_where_it_is_asked_to(direction_deg: float, speed: float) -> None:
    policy = replace(pp.control.learned("sidewind-ppo-v1"), direction=radians(direction_deg), size=speed)
    ground = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.4), rolling=0.01))
    run = pp.simulate(pp.World(pp.catalogue.yaw_pitch_16(), ground, policy), 8.0)
    place = run.center_of_mass.values[..., :2]
    velocity = (place[-1] - place[len(place) // 4]) / 6.0
    wanted = speed * np.array([cos(radians(direction_deg)), sin(radians(direction_deg))])
    # Standing still would be off by the whole speed.
    assert np.linalg.norm(velocity - wanted) < 0.5 * speed


def test_a_policy_that_feels_nothing_is_not_compared_with_those_that_do() -> None:
    assert "sidewind-ppo-v1" in pp.control.policy_names()
    with pytest.raises(UnknownName, match=r"^unknown controller 'sidewind-ppo-v1'; known are "):
        controller_of("sidewind-ppo-v1")


def test_a_file_of_one_s_own_is_a_policy(tmp_path: Path) -> None:
    found = pp.control.learned(written(tmp_path, SOUND))
    assert found == pp.control.TouchPolicy(gain=0.3, forward_bias=0.2)


def test_unknown_names_are_told_the_known_ones() -> None:
    with pytest.raises(UnknownName, match=r"^unknown policy 'touch-v7'; did you mean touch-v1"):
        pp.control.learned("touch-v7")
    with pytest.raises(UnknownName, match=r"^unknown policy '../../x'; known are .*touch-v1"):
        pp.control.learned("../../x")


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("{", "is not a policy: no JSON"),
        ("[" * 100_000, "is not a policy: no JSON"),
        ([1, 2], "must hold one JSON object"),
        ({}, "it has no 'format'"),
        ({"format": 1}, "it has no 'kind'"),
        (SOUND | {"format": 2}, "is a policy of format 2; this version reads format 1"),
        (SOUND | {"format": "one"}, "is a policy of format 'one'; this version reads format 1"),
        (SOUND | {"kind": "oracle"}, "of the unknown kind 'oracle'; known are .*touch-policy"),
        (SOUND | {"kind": ["touch-policy"]}, "of the unknown kind"),
        (SOUND | {"parameters": [0.3]}, "its 'parameters' must be numbers by name"),
        (SOUND | {"parameters": {"gian": 0.3}}, "unknown parameter of a touch policy 'gian'; did you mean gain"),
        (SOUND | {"parameters": {"gain": "much"}}, r"controller\.gain = 'much'"),
        (SOUND | {"parameters": {"swing": -1}}, r"controller\.swing = -1"),
        (SOUND | {"parameters": {"amplitude": None}}, r"controller\.amplitude = None"),
    ],
)
def test_what_is_no_policy_is_told_in_a_sentence(tmp_path: Path, held: Any, said: str) -> None:
    file = written(tmp_path, held)
    with pytest.raises(BadFile, match=said) as raised:
        pp.control.learned(file)
    assert str(raised.value).startswith(str(file)) and "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"\x00" * 100])
@pytest.mark.parametrize("name", ["broken.json", "broken.npz"])
def test_broken_files(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadFile):
        pp.control.learned(tmp_path / name)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="no such file"):
        pp.control.learned(tmp_path / "gone.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(BadFile, match="a folder"):
        pp.control.learned(tmp_path / "folder.json")


def test_arrays_without_format_are_no_policy(tmp_path: Path) -> None:
    np.savez(tmp_path / "weights.npz", weights=np.ones(3))
    with pytest.raises(BadFile, match="it has no 'format'"):
        policy_in(tmp_path / "weights.npz")


SCENARIO = {
    "robot": "liljeback2011",
    "duration": 0.2,
    "controller": {"kind": "learned", "policy": "touch-v1"},
}


def test_scenario_files_name_a_policy() -> None:
    experiment = read_experiment(SCENARIO)
    run = pp.simulate(experiment.worlds[0], experiment.duration)
    own = pp.control.learned("touch-v1")
    again = pp.simulate(pp.World(experiment.worlds[0].robot, pp.Environment(), own), 0.2)
    np.testing.assert_array_equal(run.joint_angle, again.joint_angle)
    kept = pp.world_of(run).controller
    assert kept == experiment.worlds[0].controller and len(kept.checksum) == 64


def test_scenario_files_refuse_unknown_policies() -> None:
    with pytest.raises(PushpointError, match=r"controller.*unknown policy 'touch-v9'"):
        read_experiment(SCENARIO | {"controller": {"kind": "learned", "policy": "touch-v9"}})


def test_a_run_is_not_repeated_with_another_policy(tmp_path: Path) -> None:
    """The file of a policy may be trained again under its name; what was meant is known by its checksum."""
    file = written(tmp_path, SOUND)
    meant = pp.control.Learned(policy=str(file))
    assert pp.control.Learned(policy=str(file), checksum=meant.checksum) == meant
    written(tmp_path, SOUND | {"parameters": {"gain": 0.4}})
    with pytest.raises(BadFile, match=r"is another policy: its checksum is .{12}\.\.\., must be "):
        pp.control.Learned(policy=str(file), checksum=meant.checksum)
    with pytest.raises(BadFile, match="is another policy"):
        meant.bind(pp.catalogue.liljeback2011())  # made before, but not read yet


def test_several_policies_of_one_kind_are_called_together(tmp_path: Path) -> None:
    from pushpoint.simulation.driving import Controllers

    robot = pp.catalogue.liljeback2011()
    named = pp.control.Learned(policy=str(written(tmp_path, SOUND)))
    worlds = [pp.World(robot, pp.Environment(), each) for each in (named, pp.control.learned("touch-v1"))]
    assert len(Controllers(worlds)._groups) == 1
