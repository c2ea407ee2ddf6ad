"""Range sensors with a direction, as controllers see them: channels, batches, robots in the plane and in space."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel

LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02, mass_offset=0.01)
ROBOT = pp.PlanarRobot.uniform(4, LINK, pp.Motor(stiffness=5.0, damping=0.1))
WALLS = pp.Environment(obstacles=[pp.Wall(start=(-3, 0.5), end=(3, 0.5), thickness=0.1), pp.Peg(x=1, y=0, radius=0.1)])
AHEAD, LEFT = pp.RangeSensor(position=(0.05, 0.0)), pp.RangeSensor(link=0, azimuth=pi / 2, reach=2.0)
START = pp.Start(link=3, position=(0.16, 0.0))  # the head's middle at x = 0.15, its tip's joint at 0.2
SPATIAL = pp.catalogue.aiko()


def first(*worlds: pp.World) -> np.ndarray:
    shown = pp.Simulator(list(worlds)).reset().ray_range
    assert shown is not None
    return shown


def world(*rays: pp.RangeSensor, place: Any = WALLS, start: Any = START, **more: Any) -> pp.World:
    return pp.World(ROBOT, place, None, start, pp.Sensors(rays=rays, **more))


def test_true_distances_from_places_on_links() -> None:
    np.testing.assert_allclose(first(world(AHEAD, LEFT)), [[0.7, 0.45]], atol=1e-12)
    turned = pp.Start(link=3, position=(0.0, 0.0), heading=pi / 2)
    np.testing.assert_allclose(first(world(pp.RangeSensor(), start=turned)), [[0.46]], atol=1e-12)  # from the middle


def test_nothing_in_reach_reads_the_reach() -> None:
    aside = pp.RangeSensor(azimuth=-pi / 2, reach=0.3)
    np.testing.assert_array_equal(first(world(AHEAD, aside, place=pp.Environment())), [[1.0, 0.3]])


def test_no_rays_nothing_measured() -> None:
    assert pp.Simulator([pp.World(ROBOT, WALLS)]).reset().ray_range is None


def test_worlds_with_other_rays_beside_worlds_without() -> None:
    near = pp.Environment(obstacles=[pp.Peg(x=0.5, y=0, radius=0.1)])
    shown = first(world(AHEAD, LEFT), pp.World(ROBOT, WALLS, None, START), world(AHEAD, place=near))
    np.testing.assert_allclose(shown, [[0.7, 0.45], [np.nan, np.nan], [0.2, np.nan]], atol=1e-12)


def test_noise_rounding_and_bounds() -> None:
    bias = pp.Channel(bias=0.06, quantum=0.1)
    np.testing.assert_allclose(first(world(AHEAD, LEFT, ray_range=bias)), [[0.8, 0.5]], atol=1e-12)
    below = pp.Channel(bias=-0.6)
    np.testing.assert_allclose(first(world(AHEAD, LEFT, ray_range=below)), [[0.1, 0.0]], atol=1e-12)
    noise = pp.Channel(noise=0.02)
    seen = np.concatenate([first(world(AHEAD, LEFT, ray_range=noise, seed=seed)) for seed in range(200)])
    assert np.std(seen, axis=0) == pytest.approx([0.02, 0.02], rel=0.15)  # of 200: 5 %
    assert np.abs(np.mean(seen, axis=0) - [0.7, 0.45]).max() < 0.005
    assert abs(np.corrcoef(seen.T)[0, 1]) < 0.25  # each ray has its own


def test_rate_and_delay() -> None:
    sensors = pp.Sensors(rays=[pp.RangeSensor(link=3)], ray_range=pp.Channel(rate=50.0, delay=0.01))
    moving = pp.Start(link=3, position=(0.01, 0.0), velocity=(1.0, 0.0))  # the head's middle at x = 0
    simulator = pp.Simulator([pp.World(ROBOT, WALLS, None, moving, sensors)], rate=100.0)
    shown = [simulator.reset(), *(simulator.step(pp.Command(joint_angle=np.zeros((1, 3)))) for _ in range(5))]
    read = [float(each.ray_range[0, 0]) for each in shown if each.ray_range is not None]
    # The peg at 0.9 comes nearer by 1 cm per period: sampled every second one, shown one period later.
    np.testing.assert_allclose(read, [0.9, 0.9, 0.9, 0.88, 0.88, 0.86], atol=1e-9)


class TestInSpace:
    def test_of_a_robot_on_the_ground(self) -> None:
        height, half = SPATIAL.links[0].radius, SPATIAL.links[0].length / 2
        rays = [
            pp.RangeSensor(position=(half, 0.0)),
            pp.RangeSensor(elevation=-pi / 6),
            pp.RangeSensor(elevation=pi / 2, link=0),
        ]
        start = pp.SpatialStart(position=(0.0, 0.0, height), joint_angles=(0.0,) * SPATIAL.n_joints)
        box = pp.Box(center=(3.0, 0.0, 0.5), size=(1.0, 1.0, 1.0))
        place = pp.Environment(obstacles=[box])
        shown = first(pp.World(SPATIAL, place, None, start, pp.Sensors(rays=[*rays[:1]])))
        head = SPATIAL.length / 2
        assert shown[0, 0] == pytest.approx(min(1.0, 2.5 - head), abs=1e-9)
        shown = first(pp.World(SPATIAL, place, None, start, pp.Sensors(rays=rays)))
        np.testing.assert_allclose(shown[0, 1:], [2.0 * height, 1.0], atol=1e-9)

    def test_a_batch_on_different_grounds(self) -> None:
        start = pp.SpatialStart(position=(0.0, 0.0, 0.5), joint_angles=(0.0,) * SPATIAL.n_joints)
        down = pp.Sensors(rays=[pp.RangeSensor(elevation=-pi / 2, link=SPATIAL.n_links // 2)])
        flat = pp.HeightField(heights=np.full((3, 3), 0.1), spacing=1.0, origin=(-1.0, -1.0))
        places = [pp.Environment(), pp.Environment(ground=pp.Ground(heights=flat))]
        shown = first(*(pp.World(SPATIAL, place, None, start, down) for place in places))
        np.testing.assert_allclose(shown, [[0.5], [0.4]], atol=1e-9)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: pp.RangeSensor(reach=0.0), r"^range sensor\.reach = 0\.0, must be finite and > 0 \[m\]"),
        (lambda: pp.RangeSensor(position=(1.0,)), r"^range sensor\.position = \(1\.0,\), must be two or three numbers"),
        (lambda: pp.RangeSensor(elevation=2.0), r"^range sensor\.elevation = 2\.0, must be"),
        (lambda: pp.RangeSensor(link=-1), r"^range sensor\.link = -1, must be"),
        (lambda: pp.Sensors(rays=[5]), r"^sensors\.rays\[0\] = 5, must be a RangeSensor"),  # type: ignore[list-item]
        (lambda: pp.Sensors(rays=5), r"^sensors\.rays = 5, must be"),  # type: ignore[arg-type]
        (lambda: world(pp.RangeSensor(link=9)), r"^sensors\.rays\[0\]\.link = 9, must be 0 to 3 for 4 links"),
        (lambda: world(AHEAD, pp.RangeSensor(elevation=0.1)), r"rays\[1\]\.elevation = 0\.1.*, must be 0 for a planar"),
        (lambda: world(pp.RangeSensor(position=(0, 0, 0.1))), r"rays\[0\]\.position = .* two numbers for a planar"),
    ],
)  # fmt: skip
def test_what_is_refused(make: Any, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        make()


def test_keys_in_files(tmp_path: Any) -> None:
    text = """\
robot: aiko-planar
duration: 1
controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -60}
sensors:
  rays: [{azimuth_deg: 30, reach: 0.5}, {link: 2, position: [0.05, 0, 0], azimuth_deg: -30}]
  ray_range: {noise: 0.01, rate: 20}
"""
    path = tmp_path / "rays.yaml"
    path.write_text(text)
    sensors = pp.scenario(path).world.sensors
    assert sensors.rays == (
        pp.RangeSensor(azimuth=pi / 6, reach=0.5),
        pp.RangeSensor(link=2, position=(0.05, 0.0), azimuth=-pi / 6),
    )
    assert sensors.ray_range == pp.Channel(noise=0.01, rate=20.0)
    again = tmp_path / "again.yaml"
    pp.write_scenario(pp.scenario(path), again)
    assert pp.scenario(again).world.sensors == sensors
