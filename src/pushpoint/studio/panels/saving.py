"""Saves what was simulated since the start, as files of this machine or as one file for the viewer's browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import xarray

from pushpoint.simulation.live.live import Live
from pushpoint.studio.panels.controls import Complaint, by_viewer, marked
from pushpoint.studio.recording import RUN, InBackground, new_folder, run_as_bytes, write_recording
from pushpoint.studio.runner import Published, Runner

if TYPE_CHECKING:
    import viser

BYTES_PER_MB = 1e6


class Saving:
    """The controls of a recording."""

    def __init__(self, server: viser.ViserServer, runner: Runner, folder: Path) -> None:
        gui, self._runner, self._folder = server.gui, runner, folder
        self._kept = gui.add_markdown("")
        self._pictures = gui.add_checkbox("replay page and film", True)
        gui.add_button("save the recording").on_click(by_viewer(lambda _event: self._save()))
        gui.add_button(f"download {RUN}").on_click(by_viewer(self._download))
        self._words = gui.add_markdown("")
        self._complaint = Complaint(gui, runner, "recording")
        self._work = InBackground()

    def show(self, shown: Published) -> None:
        """Shows how much there is to save, and what became of the last saving."""
        edits = "1 edit" if shown.edits == 1 else f"{shown.edits} edits"
        kept = f"{shown.reached:.2f} s and {edits} are kept, in {shown.file_size / BYTES_PER_MB:.1f} MB"
        if self._kept.content != kept:
            self._kept.content = kept
        words = marked(self._work.words)
        if self._words.content != words:
            self._words.content = words
        self._complaint.show()

    def _save(self) -> None:
        pictures, name = bool(self._pictures.value), self._runner.shown.name

        def write(run: xarray.Dataset) -> str:
            files, remarks = write_recording(run, folder := new_folder(self._folder, name), pictures=pictures)
            return " ".join([f"{folder} has {', '.join(file.name for file in files)}.", *remarks])

        self._take("saving", write)

    def _download(self, event: Any) -> None:
        client = event.client

        def send(run: xarray.Dataset) -> str:
            client.send_file_download(RUN, run_as_bytes(run), save_immediately=True)
            return f"{RUN} was sent to the browser."

        self._take("packing", send)

    def _take(self, doing: str, work: Any) -> None:
        """Takes the run from the simulation's thread and works on it in another one."""

        def take(live: Live) -> None:
            run = live.dataset()
            self._work.begin(f"{doing} {live.time:.2f} s", lambda: work(run))

        self._runner.post("recording", take)
