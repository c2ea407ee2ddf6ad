"""Pictures of environments: the robot is in them, as large as it is; videos."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from envs.worlds import IDS, quick
from pushpoint.scenery.palette import link_colors, rgb


def colored(picture: np.ndarray) -> np.ndarray:
    """Which pixels are of the colours of links, light or in the shade."""
    found = np.zeros(picture.shape[:2], dtype=bool)
    for color in link_colors(np.ones(10, dtype=bool)):
        wanted = 255.0 * np.array(rgb(color)) if not isinstance(color, np.ndarray) else 255.0 * color[:3]
        share = (picture * wanted).sum(axis=2) / (np.linalg.norm(picture + 1e-9, axis=2) * np.linalg.norm(wanted))
        found |= (share > 0.99) & (picture.max(axis=2) > 60) & (np.ptp(picture.astype(int), axis=2) > 60)
    return found


@pytest.mark.parametrize("name", IDS)
def test_the_robot_is_in_the_picture_as_large_as_it_is(name: str) -> None:
    env: Any = gymnasium.make(name, render_mode="rgb_array", width=400, **quick(name)).unwrapped
    env.reset(seed=2)
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.shape[1:] == (400, 3)
    robot = env.task.usual_robot
    # A tube with round ends, its length across the picture 1/2.6 of the width; links end in each other's rings.
    scale = env._vector._pictures._drawn[0]._frames.scene.plan.scale
    radius = robot.column("radius").mean()
    area = (2 * radius * robot.length + np.pi * radius**2) * scale**2
    share = colored(picture).sum() / area
    assert 0.4 < share < 1.1, share  # in space it is seen aslant, and rings are white


def test_the_picture_moves_with_the_world_and_begins_anew_with_it() -> None:
    envs = gymnasium.make_vec(IDS[0], 2, render_mode="rgb_array", width=320, max_episode_steps=20)
    envs.reset(seed=3)
    first = envs.render()
    assert isinstance(first, tuple) and len(first) == 2 and not np.array_equal(*first)
    assert np.array_equal(first[0], envs.render()[0])  # type: ignore[index]
    for _ in range(10):
        envs.step(np.zeros(envs.action_space.shape))
    assert not np.array_equal(first[0], envs.render()[0])  # type: ignore[index]
    envs.reset(seed=3)
    assert np.array_equal(first[0], envs.render()[0])  # type: ignore[index]
    assert gymnasium.make_vec(IDS[0], 1).render() is None


def test_the_end_of_an_episode_has_its_picture_too() -> None:
    env = gymnasium.make(IDS[1], render_mode="rgb_array", width=320, patience=0.1, **quick(IDS[1]))
    env.reset(seed=0)
    over = False
    while not over:
        *_, terminated, truncated, _ = env.step(np.zeros(env.action_space.shape, dtype=np.float32))
        over = terminated or truncated
        assert env.render().shape[1:] == (320, 3)  # type: ignore[union-attr]


def test_videos_are_recorded(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    env = gymnasium.make(IDS[0], render_mode="rgb_array", width=320, max_episode_steps=4)
    recorded = gymnasium.wrappers.RecordVideo(env, str(tmp_path), episode_trigger=lambda _: True)
    recorded.reset(seed=0)
    for _ in range(4):
        recorded.step(np.zeros(env.action_space.shape, dtype=np.float32))
    recorded.close()
    (file,) = tmp_path.glob("*.mp4")
    assert file.stat().st_size > 1000
