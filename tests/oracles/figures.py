"""What a figure holds."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure


def axes_of(figure: Figure, label: str) -> Axes:
    (found,) = (axes for axes in figure.axes if axes.get_label() == label)
    return found


def labels(figure: Figure) -> set[str]:
    return {str(axes.get_label()) for axes in figure.axes}


def words(figure: Figure) -> str:
    return " | ".join(text.get_text() for axes in figure.axes for text in axes.texts)
