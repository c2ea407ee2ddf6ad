"""The figure of a study shows each world once and joins medians that NumPy finds, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import pushpoint as pp
from studies.small_study import FIELDS, small_study


def test_worlds_and_medians(tmp_path: Path) -> None:
    study = small_study(title="How far in a tenth of a second?")
    study.run(tmp_path / "store")
    table = pp.studies.load_table(tmp_path / "store")
    figure = pp.studies.study_figure(study, table, "distance")
    panels = {axes.get_label(): axes for axes in figure.axes}
    header = [text.get_text() for text in panels["header"].texts]
    assert "How far in a tenth of a second?" in header and "6 worlds" in header
    for field in FIELDS:
        worlds, medians = panels[field].lines
        np.testing.assert_array_equal(worlds.get_ydata(), table.distance.values)
        for place, median in zip(medians.get_xdata(), medians.get_ydata(), strict=True):
            assert median == np.median(table.distance.values[table[field].values == place])
    legend = panels[FIELDS[-1]].get_legend()
    assert legend is not None and [text.get_text() for text in legend.get_texts()] == ["a world", "median"]
