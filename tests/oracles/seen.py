"""What figures and replay pages hold."""

from __future__ import annotations

import base64
import re
from typing import Any

import msgspec
import zstandard
from matplotlib.axes import Axes
from matplotlib.figure import Figure


def axes_of(figure: Figure, label: str) -> Axes:
    (found,) = (axes for axes in figure.axes if axes.get_label() == label)
    return found


def labels(figure: Figure) -> set[str]:
    return {str(axes.get_label()) for axes in figure.axes}


def words(figure: Figure) -> str:
    return " | ".join(text.get_text() for axes in figure.axes for text in axes.texts)


def recorded_scene(page: str) -> dict[str, Any]:
    """What a replay page carries: duration, and messages with their times."""
    found = re.search(r'__VISER_EMBED_DATA__="([^"]+)"', page)
    assert found is not None
    packed = base64.b64decode(found[1])[8:]
    inner = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    length = int.from_bytes(inner[:8], "little")
    scene: dict[str, Any] = msgspec.msgpack.decode(inner[8 : 8 + length])
    return scene
