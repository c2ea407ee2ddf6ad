"""The numbers of docs/theory/gaits.md are those of docs/results/gait-library.json."""

from __future__ import annotations

import json
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "theory" / "gaits.md").read_text(encoding="utf-8")
KEPT = json.loads((DOCS / "results" / "gait-library.json").read_text(encoding="utf-8"))


def test_speeds_are_the_kept_ones() -> None:
    rows = re.findall(
        r"^\| `(gaits/\S+)` \| (\S+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", PAGE, re.MULTILINE
    )
    assert len(rows) == len(KEPT["gaits"]) == 12
    for (name, *numbers), kept in zip(rows, KEPT["gaits"], strict=True):
        told = abs(kept["without_slip_m_s"]) if "without_slip_m_s" in kept else None
        assert name == kept["gait"]
        assert numbers == [
            f"{kept['speed_m_s']:.3f}",
            f"{kept['body_lengths_per_cycle']:.2f}",
            f"{kept['direction_to_the_body_deg']:.0f}",
            f"{kept['turn_deg_per_cycle']:+.1f}",
            f"{kept['cost_of_transport']:.2f}",
            "–" if told is None else f"{told:.3f}",
        ]


def test_radii_are_the_kept_ones() -> None:
    rows = re.findall(r"^\| (-?[\d.]+) \| ([+-][\d.]+) \| (-?[\d.]+) \|$", PAGE, re.MULTILINE)
    kept = [(f"{row['asked_m']:g}", f"{row['taper']:+.2f}", f"{row['found_m']:.2f}") for row in KEPT["turning"]]
    assert rows == kept


def test_every_gait_of_the_library_is_on_the_page() -> None:
    from pushpoint.papers.ours.gaits import SCENARIOS

    for name in SCENARIOS:
        assert f"../images/gaits/{name.replace('/', '-')}.png" in PAGE, name


def test_other_numbers_are_the_kept_ones() -> None:
    words = " ".join(PAGE.split())
    links = [f"{ratio:.2f}" for ratio in KEPT["pipes"]["pole_over_smooth_by_links"].values()]
    assert f"17, 25, 37 or 49 links climbs {links[0]}, {links[1]}, {links[2]} or {links[3]} times as fast" in words
    assert 0.45 < KEPT["pipes"]["upright_pipe_over_without_slip"] < 0.55 and "climbs at half of that speed" in words
    far, near = (row["distance_m"] for row in KEPT["lifting"])
    assert f"gets {far:.1f} m far" in words and f"stays within {near:.1f} m" in words
