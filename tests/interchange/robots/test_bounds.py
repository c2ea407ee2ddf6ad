"""Files that would take long or much memory are refused at once, and odd names and devices get a sentence."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import BadFile
from pushpoint.interchange.robots.meshes import read_mesh

BODY = '<body><freejoint/><geom size="1"/>{}</body>'
LINK, CARRIED = '<link name="l{}"/>', '<joint name="j{}" type="{}"><parent link="l{}"/><child link="l{}"/></joint>'


def mjcf(inside: str, before: str = "") -> str:
    return f"<mujoco>{before}<worldbody>{BODY.format(inside)}</worldbody></mujoco>"


def links(count: int, kind: str) -> str:
    joints = "".join(CARRIED.format(k, kind, k, k + 1) for k in range(count - 1))
    return f"<robot name='r'>{''.join(LINK.format(k) for k in range(count))}{joints}</robot>"


TOO_MANY = {
    "bodies": (mjcf("<body/>" * 10_000), "body is one of more than 10,000"),
    "geoms": (mjcf('<geom size="1"/>' * 20_000), "geom is one of more than 20,000"),
    "links": (links(10_001, "fixed"), "link 'l0' is one of more than 10,000"),
    "attributes": (mjcf("<body " + " ".join(f'a{k}="1"' for k in range(201)) + "/>"), "more than 200 attributes"),
    "classes": (mjcf("", f'<default>{"".join(f"<default class={chr(39)}c{k}{chr(39)}/>" for k in range(5_001))}'
                         "</default>"), "default is one of more than 5,000 classes"),
}  # fmt: skip


@pytest.mark.parametrize("what", TOO_MANY)
def test_too_many_are_refused(what: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    file.write_text(TOO_MANY[what][0])
    with pytest.raises(BadFile, match=TOO_MANY[what][1]):
        pp.read_robot(file)


def test_the_longest_chain_without_mass_is_followed_once(tmp_path: Path) -> None:
    """Its links are looked at once each: the number of steps grows as the links do, and not as their square."""
    steps = {}
    for count in (500, 1000):
        file = tmp_path / "robot.urdf"
        file.write_text(links(count, "continuous"))
        with Counted() as made, pytest.raises(BadFile, match="has no mass"):
            pp.read_robot(file)
        steps[count] = made[0]
    assert steps[1000] < 3 * steps[500]


class Counted:
    """Lines of code of this package's readers that run, as a list of one number."""

    def __enter__(self) -> list[int]:
        import sys

        self.made, self.before = [0], sys.gettrace()
        sys.settrace(self._called)
        return self.made

    def __exit__(self, *_what: object) -> None:
        import sys

        sys.settrace(self.before)

    def _called(self, frame, event, _value):  # type: ignore[no-untyped-def]
        if "interchange" not in frame.f_code.co_filename:
            return None
        self.made[0] += event == "line"
        return self._called


def test_included_files_share_one_bound(tmp_path: Path) -> None:
    part = "<mujocoinclude>" + "<body/>" * 70_000 + "</mujocoinclude>"
    for name in "abc":
        (tmp_path / f"{name}.xml").write_text(part)
    file = tmp_path / "robot.xml"
    file.write_text("<mujoco>" + "".join(f'<include file="{name}.xml"/>' for name in "abc") + "</mujoco>")
    with pytest.raises(BadFile, match="include brings the elements of the file to more than 200,000"):
        pp.read_robot(file)


def test_a_name_that_is_too_long_is_no_file(tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    file.write_text(mjcf('<geom type="mesh" mesh="m"/>', f'<asset><mesh name="m" file="{"x" * 5000}"/></asset>'))
    with pytest.raises(BadFile, match="which is not in the folder"):
        pp.read_robot(file)


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="a file of Linux")
def test_a_file_that_cannot_be_read_to_its_end_is_refused() -> None:
    with pytest.raises(BadFile, match=r"cannot be read \(Input/output error\)"):
        pp.read_robot("/proc/self/mem")


@pytest.fixture
def ball(tmp_path: Path) -> Iterator[Path]:
    """A ball with many corners."""
    k = np.arange(20_000)
    height, turn = 1 - (2 * k + 1) / len(k), np.pi * (1 + 5**0.5) * k
    aside = np.sqrt(1 - height**2)
    corners = np.stack([aside * np.cos(turn), aside * np.sin(turn), height], axis=1)
    inner = 0.5 * corners
    file = tmp_path / "ball.obj"
    rows = np.concatenate([corners[::10], inner])
    file.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in rows.tolist()))
    yield file


def test_a_mesh_keeps_the_corners_of_its_hull(ball: Path) -> None:
    corners, _faces = read_mesh(ball)
    directions = np.random.default_rng(0).normal(size=(50, 3))
    whole = np.loadtxt(ball, usecols=(1, 2, 3), dtype=float)
    assert len(corners) < 2500
    assert (directions @ corners.T).max(axis=1) == pytest.approx((directions @ whole.T).max(axis=1), abs=1e-15)


def test_a_mesh_that_changed_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "m.obj"
    for size in (1.0, 2.0):
        file.write_text(f"v 0 0 0\nv {size} 0 0\nv 0 1 0\nv 0 0 1\n" + "#" * int(size))
        assert read_mesh(file)[0].max() == size
