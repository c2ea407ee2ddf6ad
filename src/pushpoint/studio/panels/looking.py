"""Where one looks from, what is drawn besides the robot, and a dark or a light page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pushpoint.studio.panels.controls import by_viewer
from pushpoint.studio.runner import Runner
from pushpoint.studio.stage.body import EXTRAS, FORCES
from pushpoint.studio.stage.camera import VIEWS
from pushpoint.studio.stage.scene import StudioScene

if TYPE_CHECKING:
    import viser


class ViewPanel:
    """The choices of what is seen."""

    def __init__(self, server: viser.ViserServer, runner: Runner, scene: StudioScene, dark: bool = False) -> None:
        gui, self._server, self._scene, self._runner = server.gui, server, scene, runner
        view = gui.add_button_group("camera", VIEWS)
        view.on_click(by_viewer(lambda event: self._look_from(event.target.value)))
        for name in (*FORCES, *EXTRAS):
            box = gui.add_checkbox(f"{name} arrows" if name in FORCES else name, name in scene.body.visible)
            box.on_update(by_viewer(lambda event, name=name: self._toggle(name, event.target.value)))  # type: ignore[misc]
        self.dark = gui.add_checkbox("dark page", dark)
        self.dark.on_update(by_viewer(lambda event: self.darken(event.target.value)))
        if dark:
            self.darken(dark)

    def darken(self, dark: bool) -> None:
        """A dark page or a light one, for all viewers."""
        self._server.gui.configure_theme(show_share_button=False, show_logo=False, dark_mode=dark)
        self._scene.darken(dark)
        self._runner.wake()

    def _look_from(self, view: str) -> None:
        self._scene.look_from(view)
        self._runner.wake()

    def _toggle(self, name: str, visible: Any) -> None:
        (self._scene.body.visible.add if visible else self._scene.body.visible.discard)(name)
        self._runner.wake()
