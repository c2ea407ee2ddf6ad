"""A browser that looks at the studio: what tests of the page share. Chromium of the system; nothing is installed."""

from __future__ import annotations

import io
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import viser.transforms
from PIL import Image

from pushpoint.studio.studio import Studio

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--no-sandbox",
    "--disable-dev-shm-usage",
)
VIEWPORT = {"width": 760, "height": 420}
SMALL = "?fixedDpr=0.4"
"""Draws fewer pixels: software takes seconds for all of them."""
PATIENCE = 120_000  # [ms]: the machine may be busy; no test is about time
REPEATS = int(os.environ.get("PUSHPOINT_BROWSER_REPEATS", "1"))
POINTS = "[...document.querySelectorAll('canvas')].some(each => each.style.cursor === 'pointer')"
"""Whether the page shows that something under the mouse can be taken."""
PANEL = 345
"""Pixels on the left that the panel takes."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; the test is skipped, with the reason, where there is none."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium is installed; make test-browser runs these tests where there is one")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, headless=True, args=list(FLAGS))
        yield browser
        browser.close()


def opened(browser: Any, address: str) -> Any:
    """A tab in which the panel is there: it comes over the socket."""
    tab = browser.new_page(viewport=VIEWPORT)
    tab.set_default_timeout(PATIENCE)
    tab.goto(address + SMALL, wait_until="domcontentloaded")
    tab.get_by_role("button", name="play", exact=True).wait_for()
    tab.add_style_tag(content=".mantine-Notifications-root { display: none }")  # that it draws in software
    return tab


def until(true: Callable[[], Any], what: str) -> Any:
    """Waits until something is so, and gives it back."""
    begun = time.monotonic()
    while not (found := true()):
        if time.monotonic() - begun > PATIENCE / 1000:
            raise AssertionError(f"this never happened: {what}")
        time.sleep(0.02)
    return found


def click(tab: Any, name: str) -> None:
    """Clicks a button of the panel."""
    tab.get_by_role("button", name=name, exact=True).first.click(force=True, no_wait_after=True)


def open_part(tab: Any, name: str) -> None:
    """Goes over to another part of the panel."""
    tab.get_by_role("tab", name=name, exact=True).first.click(force=True, no_wait_after=True)


def control(tab: Any, label: str) -> Any:
    """The control with a label."""
    words = tab.locator("label", has_text=label).first
    words.wait_for()
    return tab.locator(f"[id='{words.get_attribute('for')}']")


def after_label(tab: Any, label: str) -> Any:
    """The field that can be typed in beside a label."""
    return tab.locator(f"xpath=//label[text()='{label}']/following::input[not(@type='hidden')][1]")


def slider(tab: Any, label: str) -> Any:
    """The knob of a slider."""
    return control(tab, label).locator("[role=slider]").first


def pixels(tab: Any) -> np.ndarray:
    """What is seen beside the panel, from 0 to 255, shape (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(tab.screenshot())).convert("RGB")).astype(int)[:, PANEL:]


def blue(tab: Any) -> int:
    """Pixels in the colour of the body."""
    red, green, deep = np.moveaxis(pixels(tab), -1, 0)
    return int(((deep > 90) & (red < 80) & (deep - red > 70) & (deep > green)).sum())


def on_screen(studio: Studio, tab: Any, point: Any) -> tuple[float, float]:
    """Where a point of space [m] is seen by the first viewer [px]."""
    (client,) = list(studio.page.server.get_clients().values())[:1]
    camera = client.camera
    seen = viser.transforms.SO3(camera.wxyz).as_matrix().T @ (np.asarray(point, dtype=float) - camera.position)
    box = tab.locator("canvas").first.bounding_box()
    scale = box["height"] / 2.0 / np.tan(camera.fov / 2.0)
    return (
        float(box["x"] + box["width"] / 2.0 + scale * seen[0] / seen[2]),
        float(box["y"] + box["height"] / 2.0 + scale * seen[1] / seen[2]),
    )


def point_at(studio: Studio, tab: Any, point: Any) -> tuple[float, float]:
    """Moves the mouse over a thing at a point of space [m], until the page shows that it can be taken; gives the pixel.

    The page finds what is under the mouse when it draws, which may take a while in software.
    """

    def over() -> tuple[float, float] | None:
        x, y = on_screen(studio, tab, point)
        tab.mouse.move(x + 1.0, y)
        tab.mouse.move(x, y)
        tab.wait_for_timeout(250)
        return (x, y) if tab.evaluate(POINTS) else None

    found: tuple[float, float] = until(over, "something under the mouse")
    return found
