"""The camera goes along with the robot, whatever late news a page sends about where it is."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

import numpy as np

import pushpoint as pp
from pushpoint.scenery.drawn_look import LiveStage
from pushpoint.studio.stage.camera import Camera


class OldNews:
    """A page that is too busy: what it says of its camera stays what it was at the start."""

    def __init__(self) -> None:
        self.told: dict[str, np.ndarray] = {}

    def __getattr__(self, name: str) -> np.ndarray:
        return {"position": np.array([0.0, -2.0, 1.0]), "look_at": np.zeros(3)}[name]

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value) if name == "told" else self.told.update({name: np.asarray(value)})


def test_a_camera_whose_news_is_late_does_not_lose_the_robot() -> None:
    world = pp.World(pp.catalogue.aiko_planar(), pp.Environment(), pp.gaits.Hold())
    with pp.Live(world) as live:
        look = live.look()
    stage, page = LiveStage(world=world), OldNews()
    client = SimpleNamespace(camera=page, atomic=contextlib.nullcontext)
    server: Any = SimpleNamespace(initial_camera=SimpleNamespace(), get_clients=lambda: {0: client})
    camera = Camera(server)
    camera.begin(stage.drawn(look))
    aside = page.told["look_at"] - [*look.center_of_mass, 0.0]
    course = stage.drawn(look)
    for x in (0.5, 1.0, 1.5, 2.0, 0.0):
        course.center[0, 0] = look.center_of_mass[0] + x
        camera.show(course)
        np.testing.assert_allclose(page.told["look_at"] - aside, [course.center[0, 0], course.center[0, 1], 0.0])
        np.testing.assert_allclose(page.told["position"] - page.told["look_at"], [0.0, -2.0, 1.0])  # as it looks
