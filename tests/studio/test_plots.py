"""Live plots show what the looks say, also where a simulation went back and its steps come again."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

import pushpoint as pp
from pushpoint.studio.panels.plots import LivePlot


class Charts:
    """Stands for the server: it keeps the charts that are made."""

    def __init__(self) -> None:
        self.gui = self
        self.chart: Any = None

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...

    def add_folder(self, _label: str | None) -> Charts:
        return self

    def add_dropdown(self, _label: str, _options: Any, initial_value: str) -> Any:
        return SimpleNamespace(value=initial_value)

    def add_uplot(self, data: Any, _series: Any, **_options: Any) -> Any:
        self.chart = SimpleNamespace(data=data)
        return self.chart


def test_a_step_that_comes_again_has_its_new_value() -> None:
    with pp.Live(pp.scenario("transeth2008a/obstacle-aided").world) as live:
        live.advance(5)
        look = live.look()
    server = Charts()
    plot = LivePlot(server, "speed", "plot 1")  # type: ignore[arg-type]
    looks = [replace(look, step=k, time=0.1 * k, velocity=np.array([0.1 * k, 0.0])) for k in range(5)]
    plot.show(looks)
    np.testing.assert_allclose(server.chart.data[1], 0.1 * np.arange(5))
    plot.show([*looks[:3], *(replace(each, velocity=np.array([9.0, 0.0])) for each in looks[3:])])
    np.testing.assert_allclose(server.chart.data[1], [0.0, 0.1, 0.2, 9.0, 9.0])
