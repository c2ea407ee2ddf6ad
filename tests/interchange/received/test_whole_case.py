"""The whole way of a user: a robot's log with names, units, signs and clocks of its own gives the friction back.

The robot is a simulation with known friction. Its log is a bag of ROS 2 with joints in degrees, counted from the head,
with the other sign and an offset; a camera in millimetres looks along other axes, and its stamps are late. A seventh of
the messages are lost, some come out of order, and some twice. The scenario to be fitted has twice the friction.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rosbags")

import pushpoint as pp
from interchange.received.robots_log import STORES, Sent, header, nanoseconds, write_bag
from pushpoint.cli.main import main

FRICTION, DELAY, BEGAN = 0.12, 0.045, 17.25
NAMES = ("head_servo", "neck", "middle", "tail_servo")
MAPPING = f"""\
numbering: head
links: 5
start: {nanoseconds(BEGAN) / 1e9!r}
channels:
  joint_angle: {{topic: /lab/joints, unit: deg, names: [{", ".join(NAMES)}], sign: "-", zero: 1.5}}
  link_position[0]: {{topic: /camera/head, unit: mm, axes: [x, -z], late: 0.03}}
"""


def scenario(friction: float) -> pp.Scenario:
    link = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
    robot = pp.PlanarRobot.uniform(5, link, pp.Motor(stiffness=5.0, damping=0.05))
    ground = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=friction, across=0.5)))
    gait = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=4.0, phase_shift=-0.9, soft_start=0.3)
    return pp.Scenario(name="mine", worlds=pp.World(robot, ground, gait), duration=3.0, settings=pp.Settings(dt=2e-3))


def joints(ros: int, *, stamp: int, angles: np.ndarray) -> Any:
    degrees = dict(zip(NAMES, (1.5 - np.degrees(angles[::-1])).tolist(), strict=True))
    names = [NAMES[k] for k in (2, 0, 3, 1)]
    position, none = np.array([degrees[name] for name in names]), np.zeros(0)
    kind = STORES[ros].types["sensor_msgs/msg/JointState"]
    return kind(header=header(ros, stamp), name=names, position=position, velocity=none, effort=none)


def seen(ros: int, *, stamp: int, place: np.ndarray) -> Any:
    types = STORES[ros].types
    point = types["geometry_msgs/msg/Point"](x=1e3 * float(place[0]), y=30.0, z=-1e3 * float(place[1]))
    return types["geometry_msgs/msg/PointStamped"](header=header(ros, stamp), point=point)


def log() -> list[Sent]:
    """What the network delivers, in the order in which it arrives."""
    run, random, sent = scenario(FRICTION).run(), np.random.default_rng(7), []
    for time in np.arange(150) * 0.02:
        shown = run.interp(time=max(time - DELAY, 0.0))
        angles = shown.joint_angle.values + random.normal(0.0, 0.01, 4)
        place = shown.link_position.values[4] + random.normal(0.0, 0.002, 2)
        own, camera = nanoseconds(BEGAN + time), nanoseconds(BEGAN + time + 0.03)
        for topic, stamp, make in (
            ("/lab/joints", own, partial(joints, stamp=own, angles=angles)),
            ("/camera/head", camera, partial(seen, stamp=camera, place=place)),
        ):
            lost, slow, twice = random.random(3) < (0.15, 0.05, 0.03)
            arrives = stamp + (60_000_000 if slow else 2_000_000)
            sent += [] if lost else [(arrives, topic, make), (arrives + 1000, topic, make)][: 1 + twice]
    return sorted(sent, key=lambda each: each[0])


def test_the_friction_comes_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pp.write_scenario(scenario(2 * FRICTION), tmp_path / "mine.yaml")
    (tmp_path / "lab.yaml").write_text(MAPPING)
    write_bag(tmp_path / "bag", 2, log())
    files = [str(tmp_path / name) for name in ("bag", "mine.yaml")]
    varied = ["--vary", "ground.friction.along=0.03:0.4:log", "--vary", "delay=0:0.2"]
    words = ["fit", *files, "--mapping", str(tmp_path / "lab.yaml"), *varied, "--out", str(tmp_path / "fit"), "--json"]
    assert main(words) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)["parameters"]
    for name, truth in (("ground.friction.along", FRICTION), ("delay", DELAY)):
        low, high = found[name]["low"], found[name]["high"]
        assert low <= truth <= high and high - low < 0.2 * truth, name
    for words in ("missing in gaps", "out of order", "late", "with the stamp of another, left out"):
        assert words in told.err
