"""The moving picture of the front page: a minute in the studio. A slider is moved, a peg dragged, the tail pushed.

.venv/bin/python benchmarks/studio/film.py [--out docs/images/studio/session.webp]

A program moves the mouse in Chromium, and the page does the rest. It is made frame by frame, each after the same
simulated time, because software draws more slowly than the film plays. Needs Chromium and playwright.
"""

from __future__ import annotations

import argparse
import io
import math
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import viser.transforms
from PIL import Image

from pushpoint.studio.choices import open_target
from pushpoint.studio.studio import Studio

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = "transeth2008a/obstacle-aided"
FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox"]
SIZE, WIDTH = {"width": 960, "height": 540}, 720
"""Of the page, and how wide the film is [px]."""
PACE, SECONDS = 0.25, 60
"""Simulated time per time of the film [-], and its length [s]."""
QUALITY = 32
LONGEST = 120_000  # [ms]
CURSOR = """
const mark = document.createElement('div');
mark.style = 'position: fixed; z-index: 9; width: 16px; height: 16px; border-radius: 8px; pointer-events: none;' +
    'background: rgba(213, 94, 0, 0.75); border: 2px solid white; left: -40px; top: 0';
document.body.append(mark);
document.addEventListener('pointermove', e => {
    mark.style.left = e.clientX - 9 + 'px'; mark.style.top = e.clientY - 9 + 'px';
}, true);
"""
"""Shows where the mouse is: a picture of a page does not."""


class Session:
    """The page, the mouse, and the frames so far."""

    def __init__(self, studio: Studio, page: Any, rate: float) -> None:
        self.studio, self.page, self.rate, self.frames = studio, page, rate, list[Image.Image]()
        self.steps = round(PACE / rate / studio.runner.live.settings.dt)
        self.at = (0.5 * SIZE["width"], 0.8 * SIZE["height"])
        runner: Any = studio.runner
        # What is said of the pace is true for those who see the film.
        runner._advance, runner._judge = (lambda _now: True), (lambda: None)
        runner.pace(PACE)
        runner._factor = PACE

    def film(self, seconds: float) -> None:
        """So long a piece of the film."""
        for _ in range(round(seconds * self.rate)):
            self.frame()

    def frame(self) -> None:
        """One frame, and the time until the next."""
        self.studio.runner.done("film", lambda live: live.advance(self.steps))
        self.page.wait_for_timeout(80)
        picture = Image.open(io.BytesIO(self.page.screenshot(timeout=LONGEST))).convert("RGB")
        height = round(WIDTH * picture.height / picture.width)
        self.frames.append(picture.resize((WIDTH, height), Image.Resampling.LANCZOS))

    def go(self, place: tuple[float, float], seconds: float = 1.5) -> None:
        """Moves the mouse to a place of the page [px]."""
        for point in _between(self.at, place, round(seconds * self.rate)):
            self.page.mouse.move(*point)
            self.frame()
        self.at = place

    def drag(self, place: tuple[float, float], seconds: float) -> None:
        """Drags what is under the mouse to a place."""
        self.page.mouse.down()
        self.go(place, seconds)
        self.page.mouse.up()

    def seen(self, point: Any) -> tuple[float, float]:
        """Where a point of space [m] is on the page [px]."""
        (client,) = self.studio.page.server.get_clients().values()
        camera = client.camera
        turned = viser.transforms.SO3(camera.wxyz).as_matrix().T @ (np.asarray(point, dtype=float) - camera.position)
        box = self.page.locator("canvas").first.bounding_box()
        scale = box["height"] / 2.0 / math.tan(camera.fov / 2.0)
        return (
            box["x"] + box["width"] / 2.0 + scale * turned[0] / turned[2],
            box["y"] + box["height"] / 2.0 + scale * turned[1] / turned[2],
        )

    def middle(self, found: Any) -> tuple[float, float]:
        """The middle of a control of the page [px]."""
        box = found.bounding_box()
        return box["x"] + box["width"] / 2.0, box["y"] + box["height"] / 2.0

    def press(self, role: str, name: str) -> None:
        """Goes to a button or tab and clicks it."""
        found = self.page.get_by_role(role, name=name, exact=True).first
        self.go(self.middle(found), 1.0)
        found.click(force=True, no_wait_after=True)


def _between(one: tuple[float, float], other: tuple[float, float], count: int) -> Iterator[tuple[float, float]]:
    for k in range(1, max(count, 2) + 1):
        share = 0.5 - 0.5 * math.cos(math.pi * k / count)
        yield one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])


def perform(session: Session) -> None:
    """What happens in the film."""
    page, shown = session.page, lambda: session.studio.runner.shown
    session.press("button", "play")
    session.film(5.0)
    words = page.locator("label", has_text="amplitude").first
    knob = page.locator(f"[id='{words.get_attribute('for')}']").locator("[role=slider]").first
    x, y = session.middle(knob)
    session.go((x, y))
    session.drag((x + 14.0, y), 3.0)
    session.film(5.0)
    peg = shown().world.environment.obstacles[5]
    top = 1.7 * 0.049
    session.go(session.seen((peg.x, peg.y, top)), 2.0)
    session.drag(session.seen((peg.x + 0.05, peg.y + 0.25, top)), 4.0)
    session.film(6.0)
    session.press("tab", "World")
    tail = shown().look.link_position[1] + np.array([0.0, 0.0, 0.04])
    x, y = session.seen(tail)
    session.go((x, y), 1.5)
    x, y = session.seen(shown().look.link_position[1] + np.array([0.0, 0.0, 0.04]))
    session.page.mouse.move(x, y)
    session.drag((x + 25.0, y + 95.0), 4.0)
    session.film(5.0)
    session.press("tab", "View")
    session.press("button", "top")
    session.go((0.6 * SIZE["width"], 0.9 * SIZE["height"]), 1.5)
    session.film(6.0)
    session.press("tab", "Plots")
    session.film(max(1.0, SECONDS - len(session.frames) / session.rate))


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--out", type=Path, default=ROOT / "docs" / "images" / "studio" / "session.webp")
    reader.add_argument("--rate", type=float, default=6.0, help="frames per second [Hz]")
    reader.add_argument("--run", type=Path, help="where the recording of the session is kept besides")
    asked = reader.parse_args()
    path = shutil.which("chromium")
    if path is None:
        print("error: no chromium", file=sys.stderr)
        return 2
    from playwright.sync_api import sync_playwright

    import pushpoint as pp

    live, name, title = open_target(SCENARIO)
    with sync_playwright() as driver, Studio(live, name=name, title=title, port=0) as studio:
        browser = driver.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        page = browser.new_page(viewport=SIZE)
        page.set_default_timeout(LONGEST)
        page.goto(studio.address + "?fixedDpr=1", wait_until="domcontentloaded")
        page.get_by_role("button", name="play", exact=True).wait_for()
        page.add_style_tag(content=".mantine-Notifications-root { display: none }")
        page.wait_for_timeout(3000)
        page.evaluate(CURSOR)
        session = Session(studio, page, asked.rate)
        perform(session)
        edits = studio.runner.done("film", lambda live: live.edits)
        if asked.run is not None:
            pp.save(studio.runner.done("film", lambda live: live.dataset()), asked.run)
        browser.close()
    first, *others = session.frames
    each = round(1000 / asked.rate)  # [ms]
    first.save(asked.out, save_all=True, append_images=others, duration=each, loop=0, quality=QUALITY, method=6)
    seconds, size = len(session.frames) / session.rate, asked.out.stat().st_size / 1e6
    print(f"{asked.out}: {seconds:.0f} s, {size:.2f} MB, edits: {sorted({type(edit).__name__ for edit in edits})}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
