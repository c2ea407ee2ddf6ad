"""A figure is shown by a notebook that ends a cell with it, though pyplot is not loaded."""

from __future__ import annotations

import pytest

from pushpoint.plots.page import PanelRow, page
from pushpoint.plots.panels import compose

PAGE, _ = page(["a page"], [PanelRow(panels=("one",), height=1.0)])


@pytest.mark.parametrize("figure", [PAGE, compose(["a sheet"], [])])
def test_figures_are_pictures_to_a_notebook(figure: object) -> None:
    show = getattr(figure, "_repr_png_", None)  # the name that notebooks ask for
    assert show is not None and show().startswith(b"\x89PNG")
