"""Recorded paths and joint references that are odd: tables of wrong text and numbers beside a run."""

from __future__ import annotations

from typing import Any

import numpy as np

import pushpoint as pp
from campaigns.calls import things
from campaigns.campaign import kind
from pushpoint import interchange

Random = np.random.Generator
CELLS = (
    "",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e300",
    "1e12",
    "1e-320",
    "x",
    "0x1F",
    "1,5",
    "1_000",
    '"',
    "\x00",
    "ä",
    "−1",
    " 3 ",
    "9" * 5000,
)
"""What stands in a cell instead of a number."""
HEADS = ("t,x,y", "t,x", "t,x,y,t", "", "t;x;y", "T,X,Y", "\ufefft,x,y", "t,x,y,z", '"t","x","y"', "t\nx\ny")


def odd_table(random: Random) -> bytes:
    """A recording as a file might hold it."""
    count = int(random.choice([0, 1, 2, 3, 4, 8, 30]))
    time = np.cumsum(random.uniform(0.0, 0.02, count)) * 10.0 ** random.choice([-200, -3, 0, 0, 0, 0, 3, 11])
    points = np.cumsum(random.normal(size=(count, 2)), axis=0) * 10.0 ** random.choice([-200, -6, -3, -3, -3, 0, 8])
    rows = [[repr(float(each)) for each in (t, *p)] for t, p in zip(time, points, strict=True)]
    for _ in range(random.integers(0, 3)):
        if rows:
            rows[random.integers(len(rows))][random.integers(3)] = CELLS[random.integers(len(CELLS))]
    if rows and random.random() < 0.2:
        rows[random.integers(len(rows))].pop()
    head = "t,x,y" if random.random() < 0.7 else HEADS[random.integers(len(HEADS))]
    text = "\n".join([head, *(",".join(row) for row in rows)]) + "\n"
    made = text.encode("utf-16" if random.random() < 0.03 else "utf-8")
    return made[: random.integers(len(made) + 1)] if random.random() < 0.1 else made


def odd_references(random: Random) -> Any:
    """A gait of a user's whose references are odd."""

    class Odd(pp.Gait):
        def references(self, time: np.ndarray, robot: Any) -> Any:
            angles = np.zeros((len(time), robot.n_joints))
            rates: Any = np.zeros_like(angles)
            way = random.integers(9)
            if way < 3:
                angles[-1, 0] = (np.nan, 1e308, np.inf)[way]
            told = {3: angles[:-1], 4: angles.astype(complex), 5: "x", 6: angles.astype(object), 7: angles[0]}.get(
                int(way), angles
            )
            return (told, rates) if random.random() < 0.9 else told

    return Odd()


@kind("recordings", full=10_000, short=120, limit=30.0)
def trial(seed: int) -> str:
    """A recording laid over a run and drawn; or odd references asked for, looked at and written."""
    random = np.random.default_rng((seed, 19))
    place = things.folder.make() / "odd.csv"
    if random.random() < 0.2:
        gait, robot = odd_references(random), things.PLANAR
        if random.random() < 0.3:
            pp.simulate(robot, pp.Environment(), gait, duration=0.01)
            return "run"
        found = interchange.joint_references(gait, robot, duration=0.1, rate=50.0)
        interchange.limit_violations(found, robot)
        interchange.write_csv(found, place)
        return "written"
    place.write_bytes(odd_table(random))
    align = [(), ("time",), ("frame",), ("time", "frame")][random.integers(4)]
    offset = float(random.choice([0.0, 0.0, 0.01, -1e9, 1e11]))
    compared = pp.compare_recording(things.run.make(), place, align=align, time_offset=offset)
    assert np.isfinite(compared.error).all(), "an error that is no number"
    return "compared"
