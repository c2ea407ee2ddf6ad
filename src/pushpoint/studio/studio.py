"""The studio: a page on which a live simulation is watched and changed while it runs."""

from __future__ import annotations

import html
import threading
import time
from pathlib import Path
from typing import Any

from pushpoint.simulation.live.live import Live
from pushpoint.studio.door import USUAL_PORT
from pushpoint.studio.panels.choosing import Choosing
from pushpoint.studio.panels.furniture import Furniture
from pushpoint.studio.panels.looking import ViewPanel
from pushpoint.studio.panels.playing import Playing
from pushpoint.studio.panels.plots import Plots
from pushpoint.studio.panels.saving import Saving
from pushpoint.studio.panels.surroundings import PickedPanel, Surroundings
from pushpoint.studio.runner import Published, Runner
from pushpoint.studio.serving import Page
from pushpoint.studio.stage.scene import StudioScene

FRAME_RATE = 60.0
"""Frames per second at most [Hz]; as a rule there are as many as looks."""
PANEL_RATE, PLOT_RATE = 10.0, 5.0
"""How often the panels and the plots are brought up to date [Hz]."""
HEIGHT = 640
"""How high it is shown in a notebook [px]."""
LONGEST_FRAME = 0.4
"""How long the end waits for a frame that is being drawn [s]."""
WIDTH = 330
"""Width of the panel [px]."""


class Studio:
    """A page that is served until it is closed; it owns the live simulation.

    One thread simulates, one draws, and what viewers do is posted to the first.
    """

    def __init__(
        self,
        live: Live,
        *,
        name: str = "",
        title: str = "",
        port: int = USUAL_PORT,
        folder: Path = Path(),
        dark: bool = False,
    ) -> None:
        self.page = Page(port)
        try:
            self._build(live, name, title, folder, dark)
        except BaseException:
            self.page.close()
            raise

    def _build(self, live: Live, name: str, title: str, folder: Path, dark: bool) -> None:
        """Fills the page and begins."""
        self.runner = Runner(live, name=name, title=title)
        server = self.page.server
        server.gui.main_panel.dock_left()
        server.gui.main_panel.set_width(WIDTH)
        self.scene = StudioScene(server, self.runner)
        self._furniture = Furniture(server, self.scene)
        self._playing = Playing(server, self.runner)
        tabs = server.gui.add_tab_group()
        with tabs.add_tab("Robot"):
            self._choosing = Choosing(server, self.runner, folder)
        with tabs.add_tab("World"):
            self._picked = PickedPanel(server, self.runner, self.scene)
            self._surroundings = Surroundings(server, self.runner)
        with tabs.add_tab("View"):
            self._looking = ViewPanel(server, self.runner, self.scene, dark)
        with tabs.add_tab("Plots"):
            self._plots = Plots(server, self.runner)
        with tabs.add_tab("Save"):
            self._saving = Saving(server, self.runner, folder)
        self.frames = 0
        self._ended = threading.Event()
        self.scene.show(self.runner.shown)
        self._drawing = threading.Thread(target=self._draw, daemon=True, name="pushpoint studio: drawing")
        self.runner.start()
        self._drawing.start()

    @property
    def address(self) -> str:
        """What to open in a browser; it has the token."""
        return self.page.address

    def close(self) -> None:
        """Ends the page and the simulation."""
        self._ended.set()
        self.runner.ending = True
        self.runner.news.set()
        self._drawing.join(timeout=LONGEST_FRAME)
        self.page.close()
        self.runner.end()

    def __repr__(self) -> str:
        return f"<Studio at {self.page.door.port}, {self.runner.name_shown} at {self.runner.shown.look.time:.6g} s>"

    def _repr_html_(self) -> str:
        look = f"width: 100%; height: {HEIGHT}px; border: 0"
        return f'<iframe src="{html.escape(self.address)}" style="{look}"></iframe>'

    def __enter__(self) -> Studio:
        """Itself."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Closes it."""
        self.close()

    def _draw(self) -> None:
        """Draws what was published last, as soon as it is, whatever was published between."""
        drawn: Any = None
        paneled = plotted = 0.0
        due = time.perf_counter()
        while not self._ended.is_set():
            self.runner.news.wait(1.0 / PANEL_RATE)
            self.runner.news.clear()
            shown = self.runner.shown
            try:
                paneled, plotted = self._show(shown, shown is not drawn, paneled, plotted)
            except Exception as error:  # what cannot be drawn must not end the page
                self.runner.complaints["play"] = f"this cannot be drawn ({type(error).__name__}: {error})"
            drawn = shown
            now = time.perf_counter()
            due = max(due + 1.0 / FRAME_RATE, now)
            self._ended.wait(due - now)

    def _show(self, shown: Published, anew: bool, paneled: float, plotted: float) -> tuple[float, float]:
        """Shows what was published; the panels and plots if it is time, which is told and given back."""
        begun = time.perf_counter()
        if anew:
            self.scene.show(shown)
            self.frames += 1
        if not self.page.server.get_clients():
            return paneled, plotted
        if begun - paneled > 1.0 / PANEL_RATE:
            self._show_panels(shown)
            paneled = begun
        if begun - plotted > 1.0 / PLOT_RATE and (anew or not shown.playing):
            self._plots.show()
            plotted = begun
        return paneled, plotted

    def _show_panels(self, shown: Published) -> None:
        self._playing.show(shown)
        self._choosing.show(shown)
        self._picked.show(shown)
        self._surroundings.show(shown)
        self._saving.show(shown)
        self._furniture.show(shown, bool(self._looking.dark.value))
