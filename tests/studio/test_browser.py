"""The page in a browser: what a user does reaches the simulation, and what happens there is seen.

PUSHPOINT_BROWSER_REPEATS=20 repeats each test; make test-browser does.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.studio.choices import open_scenario
from pushpoint.studio.studio import Studio
from studio.browsing import (
    REPEATS,
    after_label,
    blue,
    chromium,
    click,
    on_screen,
    open_part,
    opened,
    point_at,
    slider,
    until,
)

pytestmark = pytest.mark.parametrize("repeat", range(REPEATS))
NAME = "transeth2008a/obstacle-aided"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def started() -> Studio:
    live, name, title = open_scenario(pp.scenario(NAME))
    return Studio(live, name=name, title=title, port=0)


@pytest.fixture(scope="module")
def studio(browser: Any) -> Iterator[Studio]:
    with started() as found:
        yield found


@pytest.fixture(scope="module")
def tab(browser: Any, studio: Studio) -> Iterator[Any]:
    page = opened(browser, studio.address)
    until(
        lambda: any(client.camera.update_timestamp for client in studio.page.server.get_clients().values()), "a camera"
    )
    yield page
    page.close()


@pytest.fixture(autouse=True)
def fresh(studio: Studio) -> None:
    """Every test begins at rest at time zero, also if the page still sends what the test before did."""
    studio.runner.play(False)

    def at_rest() -> bool:
        studio.runner.reset()
        studio.runner.done("test", lambda _live: None)
        time.sleep(0.2)
        return bool(studio.runner.shown.look.step == studio.runner.shown.edits == 0)

    until(at_rest, "the start")
    studio.runner.complaints.clear()


def test_play_and_the_robot_is_seen_to_move(studio: Studio, tab: Any, repeat: int) -> None:
    click(tab, "play")
    until(lambda: studio.runner.shown.look.time > 0.3, "0.3 s of simulated time")
    until(lambda: blue(tab) > 250, "the body among the pixels")  # about 1000 of a body of this size
    words = tab.locator(".pushpoint-key")
    assert "Lateral undulation among seven obstacles" in words.inner_text() and "playing at" in words.inner_text()
    click(tab, "pause")
    until(lambda: not studio.runner.shown.playing, "the pause")


def test_a_slider_changes_the_number_in_the_engine(studio: Studio, tab: Any, repeat: int) -> None:
    open_part(tab, "Robot")
    before = studio.runner.shown.world.controller.amplitude
    knob = slider(tab, "amplitude [deg]")
    shown = f"{np.degrees(before):.0f}"
    until(lambda: knob.get_attribute("aria-valuenow") == shown, "the number of the engine in the page")
    knob.focus()
    knob.press("ArrowRight")
    until(lambda: studio.runner.shown.world.controller.amplitude != before, "another amplitude")
    after = studio.runner.shown.world.controller.amplitude
    assert np.degrees(after - before) == pytest.approx(0.1)  # the step of this slider
    assert studio.runner.shown.edits == 1


def test_a_peg_is_dragged_in_space(studio: Studio, tab: Any, repeat: int) -> None:
    peg, top = studio.runner.shown.world.environment.obstacles[4], 1.7 * 0.049
    drag(studio, tab, (peg.x, peg.y, top), (peg.x + 0.1, peg.y + 0.2, top))
    # A pixel is about 0.01 m.
    moved = until(lambda: _near(studio, 4, (peg.x + 0.1, peg.y + 0.2), 0.05), "the peg where it was dragged to")
    assert moved.radius == peg.radius and studio.runner.shown.edits > 0


def test_a_clicked_link_tells_its_force(studio: Studio, tab: Any, repeat: int) -> None:
    open_part(tab, "World")
    click(tab, "play")
    until(lambda: studio.runner.shown.look.time > 0.2, "0.2 s of simulated time")
    click(tab, "pause")
    until(lambda: not studio.runner.shown.playing, "the pause")
    place = studio.runner.shown.look.link_position[5] + np.array([0.0, 0.0, 0.04])
    tab.mouse.click(*point_at(studio, tab, place))
    picked = until(lambda: studio.scene.picked.link, "a picked link")
    words = tab.locator("p", has_text="obstacles").filter(has_text=f"link {picked}")
    words.wait_for()
    force = np.linalg.norm(studio.runner.shown.look.ground_force[picked])
    assert f"ground {force:.3f} N" in words.inner_text()


def test_what_is_recorded_is_loaded_again(studio: Studio, tab: Any, tmp_path: Path, repeat: int) -> None:
    open_part(tab, "Robot")
    click(tab, "play")
    until(lambda: studio.runner.shown.look.time > 0.3, "0.3 s of simulated time")
    until(lambda: slider(tab, "offset [deg]").get_attribute("aria-valuenow") == "0", "the number of the engine")
    knob = slider(tab, "offset [deg]")
    knob.focus()
    knob.press("ArrowRight")
    until(lambda: studio.runner.shown.edits >= 1, "an edit")
    click(tab, "pause")
    until(lambda: not studio.runner.shown.playing, "the pause")
    open_part(tab, "Save")
    with tab.expect_download() as waiting:
        click(tab, "download run.nc")
    waiting.value.save_as(tmp_path / "run.nc")
    run = pp.load(tmp_path / "run.nc")
    shown = studio.runner.shown
    assert float(run["time"][-1]) == pytest.approx(shown.reached, abs=0.011)  # a sample every 0.01 s
    assert pp.scenario_of(run).edits == studio.runner.live.edits and len(studio.runner.live.edits) == 1
    loaded = shown.loaded
    open_part(tab, "Robot")
    after_label(tab, "file").fill(str(tmp_path / "run.nc"))
    until(lambda: studio._choosing._file.value == str(tmp_path / "run.nc"), "the path in the engine")
    click(tab, "open the file")
    until(lambda: studio.runner.shown.loaded > loaded, "the recording in the page")
    again = studio.runner.shown
    assert again.look.step == shown.look.step  # where it was left, between two samples
    np.testing.assert_array_equal(again.look.link_position, shown.look.link_position)
    studio.runner.load("scenario", lambda _live: open_scenario(pp.scenario(NAME)))


def test_two_tabs_agree_and_one_may_go(studio: Studio, tab: Any, browser: Any, repeat: int) -> None:
    open_part(tab, "Robot")
    other = opened(browser, studio.address)
    knob, same = slider(tab, "phase shift [deg]"), slider(other, "phase shift [deg]")
    before = same.get_attribute("aria-valuenow")
    same.focus()
    same.press("ArrowLeft")
    until(lambda: same.get_attribute("aria-valuenow") != before, "another number in the tab")
    value = same.get_attribute("aria-valuenow")
    until(lambda: knob.get_attribute("aria-valuenow") == value, "the same number in both tabs")
    until(
        lambda: np.degrees(studio.runner.shown.world.controller.phase_shift) == pytest.approx(float(value)),
        "the same number in the engine",
    )
    click(other, "play")
    other.close()
    then = studio.runner.shown.look.time
    until(lambda: studio.runner.shown.look.time > then + 0.2, "time that goes on without the tab")


def test_a_tab_that_goes_away_while_it_drags_leaves_the_simulation_running(
    studio: Studio, browser: Any, tab: Any, repeat: int
) -> None:
    place = studio.runner.shown.look.link_position[5] + np.array([0.0, 0.0, 0.04])
    a = on_screen(studio, tab, place)
    other = opened(browser, studio.address)
    clients = len(studio.page.server.get_clients())
    other.mouse.move(*a)
    other.mouse.down()
    other.mouse.move(a[0] + 30, a[1] + 20, steps=4)
    other.close()
    until(lambda: len(studio.page.server.get_clients()) < clients, "the tab gone")
    studio.runner.play()
    until(lambda: studio.runner.shown.look.time > 0.2, "0.2 s of simulated time")
    assert not studio.runner.shown.look.pushes.any()  # the drag has ended with the tab


def test_a_server_that_is_gone_and_back(browser: Any, repeat: int) -> None:
    with started() as first:
        page = opened(browser, first.address)
        port, address = first.page.door.port, first.address
    page.locator(".mantine-Loader-root").first.wait_for()  # it looks for its server
    page.close()
    live, name, title = open_scenario(pp.scenario(NAME))
    with Studio(live, name=name, title=title, port=port) as again:
        assert again.address != address  # another token
        page = opened(browser, again.address)
        click(page, "play")
        until(lambda: again.runner.shown.look.time > 0.05, "simulated time")
        page.close()


def drag(studio: Studio, tab: Any, start: Any, end: Any) -> None:
    """Drags something with the mouse from one point of space to another."""
    point_at(studio, tab, start)
    z = on_screen(studio, tab, end)
    tab.mouse.down()
    tab.mouse.move(*z, steps=5)
    tab.wait_for_timeout(100)
    tab.mouse.up()
    step = studio.runner.shown.look.step
    click(tab, "step")  # the page sends things in order: once it has arrived, so has all of the drag
    until(lambda: studio.runner.shown.look.step > step, "the end of the drag")


def _near(studio: Studio, number: int, place: tuple[float, float], distance: float) -> Any:
    """An obstacle, if it is near to a place."""
    found = studio.runner.shown.world.environment.obstacles[number]
    return found if np.hypot(found.x - place[0], found.y - place[1]) < distance else None
