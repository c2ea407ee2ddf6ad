"""The kept figures of robots out and in keep to their tolerances, and the page's table is made of them."""

from __future__ import annotations

import json

from benchmarks.interchange_robots import DECEIVING, KEPT, PAGE, WORLDS, random_world, with_table

from pushpoint.model.catalogue import ROBOTS


def test_every_robot_is_kept_within_the_tolerances() -> None:
    rows = json.loads(KEPT.read_text(encoding="utf-8"))["out_and_in"]
    assert [row["robot"] for row in rows] == [name for name in ROBOTS for _ in ("xml", "urdf")]
    for row in rows:
        assert row["same_axes"] and row["same_limits"], row
        assert max(abs(row[f"{field}_relative"]) for field in ("mass", "length", "radius")) <= 1e-12, row
        assert abs(row["inertia_relative"]) <= (1e-14 if row["file"] == "xml" else 1e-4), row
        assert abs(row["mujoco_mass_relative"]) <= 1e-9, row


def test_every_path_is_within_its_prediction() -> None:
    rows = json.loads(KEPT.read_text(encoding="utf-8"))["beside_mujoco"]
    assert len(rows) >= 6
    assert all(0.0 < row["apart_mm"] <= row["predicted_mm"] for row in rows)


def test_the_page_says_of_which_worlds_the_estimate_holds() -> None:
    """Also of one in which it does not."""
    rows = json.loads(KEPT.read_text(encoding="utf-8"))["ten_periods"]
    assert [row["world"] for row in rows] == [*(random_world(seed)[0] for seed in range(WORLDS)), DECEIVING]
    assert all(row["way_mm"] > 100.0 for row in rows), "a world in which nothing moves says nothing"


def test_the_table_is_made_of_the_kept_figures() -> None:
    page, kept = PAGE.read_text(encoding="utf-8"), json.loads(KEPT.read_text(encoding="utf-8"))
    assert with_table(page, kept["beside_mujoco"], kept["ten_periods"]) == page, (
        "run: python benchmarks/interchange_robots.py --table"
    )
