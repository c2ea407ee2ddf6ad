"""Whether a figure can be read: words that meet, words that leave the sheet, and how tall it is."""

from __future__ import annotations

from itertools import combinations

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

Words = list[tuple[str, Bbox]]
SLACK = 1.0
"""Boxes of words may overlap by this, since letters do not fill them [px at 100 per inch]."""


def taller_than_wide(figure: Figure) -> float:
    """Height over width of the sheet [-]."""
    width, height = figure.get_size_inches()
    return float(height / width)


def meeting_words(figure: Figure) -> list[str]:
    """Pairs of words around the panels that meet: titles, labels, numbers at ticks, legends, header and key."""
    found = _words(figure)
    return [
        f"{one!r} meets {other!r}" for (one, box), (other, second) in combinations(found, 2) if _overlap(box, second)
    ]


def words_beyond(figure: Figure) -> list[str]:
    """Words that leave the sheet."""
    found = _words(figure)
    width, height = figure.get_size_inches() * figure.dpi
    return [word for word, box in found if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height]


def _overlap(one: Bbox, other: Bbox) -> bool:
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    tall = min(one.y1, other.y1) - max(one.y0, other.y0)
    return bool(wide > SLACK and tall > SLACK)


def _words(figure: Figure) -> Words:
    """All words but those on the maps, with their boxes [px]."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    found: list[Text] = []
    for axes in figure.axes:
        axes.apply_aspect()
        found += [*_at_axis(axes.xaxis, renderer), *_at_axis(axes.yaxis, renderer)] if axes.axison else []
        found += _titles(axes)
        legend = axes.get_legend()
        if legend is not None:
            legend.draw(renderer)  # its words have no place before
            found += legend.get_texts()
        around = axes.get_label() in ("header", "caption", "key")
        found += [text for text in axes.texts if around or text.get_gid() == "cut"]
    return [
        (text.get_text(), text.get_window_extent(renderer))
        for text in found
        if text.get_visible() and text.get_text().strip()
    ]


def _titles(axes: Axes) -> list[Text]:
    words = {axes.get_title(loc=place) for place in ("left", "center", "right")} - {""}
    axes._update_title_position(FigureCanvasAgg(axes.figure).get_renderer())  # type: ignore[attr-defined]
    return [one for one in axes.get_children() if isinstance(one, Text) and one.get_text() in words]


def _at_axis(axis: Axis, renderer: RendererAgg) -> list[Text]:
    ticks = axis._update_ticks()  # type: ignore[attr-defined]
    axis._update_label_position(renderer)  # type: ignore[attr-defined]
    return [*(tick.label1 for tick in ticks), *(tick.label2 for tick in ticks), axis.label]
