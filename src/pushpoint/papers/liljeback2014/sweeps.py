"""The sweep of Liljeback2014: the look-ahead distance of Remark 3, here with dynamics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.papers.liljeback2014.claims import LA3, LINK, cycle_velocity, look_ahead_quality
from pushpoint.papers.liljeback2014.scenarios import PAPER, STEP, floor, sidewinder
from pushpoint.scenarios.scenario import Scenario, Variation
from pushpoint.worlds.record import Record

if TYPE_CHECKING:
    import xarray as xr

LOOK_AHEAD_SWEEP = f"{PAPER}/look-ahead"
LINKS = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""Look-ahead distances in links [-]; shorter ones make joints jump and are refused."""


def quality(runs: xr.Dataset) -> dict[str, np.ndarray]:
    """How fast the robots travel, and how the virtual ones lie on the curve."""
    period = sidewinder().period or 0.0
    speeds = [np.hypot(*cycle_velocity(runs.isel(world=w), period)[:2]) for w in range(len(LINKS))]
    lying = [look_ahead_quality(links) for links in LINKS]
    return {
        "speed [m/s]": np.array(speeds),
        "joints off the curve, rms [mm]": np.array([one["rms_mm"] for one in lying]),
        "largest jump of a joint [deg]": np.array([one["largest_jump_deg"] for one in lying]),
    }


def look_ahead() -> Scenario:
    """Sidewinding over the look-ahead distance: the robot travels while its links find the curve, and less beyond."""
    from pushpoint.model.catalogue import liljeback2014
    from pushpoint.worlds.world import World

    robot = liljeback2014()
    followers = [replace(sidewinder(), look_ahead=links * LINK) for links in LINKS]
    return Scenario(
        name=LOOK_AHEAD_SWEEP,
        title=(look_ahead.__doc__ or "").strip(),
        source="Liljeback2014, III-D, Remark 3",
        varies=Variation(
            parameter="look-ahead distance",
            unit="links",
            values=LINKS,
            labels=tuple(f"{links:g} links" for links in LINKS),
            measures=quality,
        ),
        worlds=tuple(World(robot, floor(), follower) for follower in followers),
        duration=14.0,
        settings=STEP,
        claims=(LA3,),
        record=Record(rate=50.0),
    )


SWEEPS: dict[str, Callable[[], Scenario]] = {LOOK_AHEAD_SWEEP: look_ahead}
