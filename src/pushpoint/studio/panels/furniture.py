"""Title, time and key of colours on the screen, over the scene and whatever one looks at."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.replays.legend import SHAPES, css
from pushpoint.replays.scene import PLAN, SOLID
from pushpoint.scenery.drawn_look import LiveStage
from pushpoint.scenery.palette import link_colors
from pushpoint.studio.panels.playing import words_of
from pushpoint.studio.runner import Published
from pushpoint.studio.stage.body import FORCES, TRAIL
from pushpoint.studio.stage.scene import StudioScene

if TYPE_CHECKING:
    import viser

LOOK = (
    "position: fixed; right: 8px; top: 8px; z-index: 4; pointer-events: none; padding: 5px 10px; border-radius: 6px; "
    "font: 12px/1.5 system-ui, sans-serif; max-width: 60vw; text-align: right; "
)
BY_DAY, AT_NIGHT = (
    "background: rgba(255, 255, 255, 0.85); color: #1f1f1f",
    "background: rgba(30, 30, 34, 0.85); color: #e4e4e4",
)


class Furniture:
    """What stands on the screen."""

    def __init__(self, server: viser.ViserServer, scene: StudioScene) -> None:
        self._scene = scene
        self._words = server.gui.add_html("")
        self._stage: LiveStage | None = None

    def show(self, shown: Published, dark: bool) -> None:
        """Shows what is going on."""
        title = (shown.title or shown.name).removesuffix(".")
        key = "".join(
            f'<span style="white-space: nowrap; margin-left: 14px"><s style="display: inline-block; margin-right: 5px; '
            f'vertical-align: middle; {SHAPES[shape].format(css(color))}"></s>{html.escape(words)}</span>'
            for shape, color, words in self._entries(shown)
        )
        lines = f"<b>{html.escape(title)}</b><br>{html.escape(words_of(shown))}<br>{key}"
        content = f'<div class="pushpoint-key" style="{LOOK}{AT_NIGHT if dark else BY_DAY}">{lines}</div>'
        if content != self._words.content:
            self._words.content = content

    def _entries(self, shown: Published) -> list[tuple[str, tuple[int, ...], str]]:
        """Shape, colour and meaning of all that is shown."""
        pale, body, head = (
            tuple(each) for each in (255.0 * link_colors(np.array([False, True, True]))).astype(int).tolist()
        )
        found = [("link", head, "head"), ("link", body, "carries weight" if shown.world.spatial else "body")]
        if shown.world.spatial:
            found.append(("link", pale, "lifted"))
        if shown.world.environment.obstacles:
            found.append(("patch", SOLID, "obstacle"))
        if self._stage is None or self._stage.world is not shown.world:
            self._stage = LiveStage(world=shown.world)
        scale = self._stage.force_scale
        long = float(f"{scale.key * scale.meters_per_newton:.2g}")
        for kind, color in FORCES.items():
            if kind in self._scene.body.visible:
                size = f" ({scale.key:g} N: {long:g} m)" if kind == "contact" else ""
                found.append(("arrow", color, f"{kind}{size}"))
        if "path" in self._scene.body.visible:
            found.append(("line", TRAIL, "path"))
        if self._stage.aim.path is not None:
            found.append(("line", PLAN, "planned path"))
        return found
