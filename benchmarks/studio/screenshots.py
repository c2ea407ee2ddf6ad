"""Pictures of the studio for the documents, into docs/images/studio; needs Chromium and playwright.

.venv/bin/python benchmarks/studio/screenshots.py [NAME ...]
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pushpoint.studio.choices import open_target
from pushpoint.studio.studio import Studio

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "images" / "studio"
FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox"]
SIZE = {"width": 1120, "height": 640}
LONGEST = 120_000  # [ms]


class Picture(NamedTuple):
    """A picture: what runs, until when, which part of the panel is open, and what else is shown."""

    target: str
    seconds: float
    part: str
    dark: bool = False
    prepare: Callable[[Studio], None] = lambda _studio: None


def show(*names: str) -> Callable[[Studio], None]:
    return lambda studio: studio.scene.body.visible.update(names)


def with_picked_peg(studio: Studio) -> None:
    studio.scene.body.visible.update(("propulsion", "friction"))
    studio.scene._pick_obstacle(2)


PICTURES = {
    "planar": Picture("transeth2008a/obstacle-aided", 4.0, "Robot"),
    "planar-dark": Picture("transeth2008a/obstacle-aided", 6.0, "World", dark=True, prepare=with_picked_peg),
    "plots": Picture("liljeback2011/environment-1", 6.0, "Plots"),
    "spatial": Picture("spatial/rubble", 4.0, "View"),
    "shape-curve": Picture("liljeback2014/sidewinding", 2.0, "Robot", prepare=show("wanted posture")),
    "force-mapping": Picture("pegs/planned-path", 6.0, "Robot", prepare=show("propulsion")),
}


def take(name: str, browser: Any) -> Path:
    picture = PICTURES[name]
    live, scenario, title = open_target(picture.target)
    with Studio(live, name=scenario, title=title, port=0, dark=picture.dark) as studio:
        picture.prepare(studio)
        page = browser.new_page(viewport=SIZE, color_scheme="dark" if picture.dark else "light")
        page.set_default_timeout(LONGEST)
        page.goto(studio.address + "?fixedDpr=1", wait_until="domcontentloaded")
        page.get_by_role("tab", name=picture.part, exact=True).first.click(force=True)
        studio.runner.pace(0.5)
        studio.runner.play()
        while studio.runner.shown.look.time < picture.seconds and studio.runner.shown.look.status.value != "failed":
            time.sleep(0.1)
        studio.runner.play(False)
        close = page.locator(".mantine-Notification-closeButton")
        if close.count():
            close.first.click(force=True)  # the viewer's remark that it draws in software
        page.wait_for_timeout(6000)
        target = FOLDER / f"{name}.png"
        page.screenshot(path=target, timeout=LONGEST)
        page.close()
    return target


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("names", nargs="*", default=list(PICTURES), metavar="NAME")
    asked = reader.parse_args()
    path = shutil.which("chromium")
    if path is None:
        print("error: no chromium", file=sys.stderr)
        return 2
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        for name in asked.names:
            print(take(name, browser))
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
