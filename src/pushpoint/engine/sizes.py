"""How large the arrays of a batch are, before any is made, and how far the kernels' whole numbers count."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pushpoint.engine.engines import Engine, engine_of
from pushpoint.engine.records import Records, size_of
from pushpoint.engine.samples import USUAL, sample_bytes, tallies_of
from pushpoint.engine.settings import Settings
from pushpoint.engine.sharing import Shared
from pushpoint.engine.tables.grids import CELLS_PER_OBSTACLE, ENTRIES_PER_OBSTACLE
from pushpoint.errors import InvalidModel
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.spatial_robot import AnyRobot

LARGEST_INDEX = 2**31 - 1
"""The largest whole number of the kernels: steps, records of an array, bytes between two worlds' samples [-]."""
A_PEG = Peg(x=0.0, y=0.0, radius=1.0)
"""One of those that environments hold as columns."""


@dataclass(frozen=True)
class BatchSizes:
    """Memory that a batch of worlds needs."""

    kernels: int
    """Memory of the arrays that the kernels read and write, without samples [bytes]."""
    per_sample: int
    """Memory of one sample of all worlds in the kernels [bytes]."""
    n_worlds: int
    """Number of worlds [-]."""

    @property
    def per_world(self) -> int:
        """Mean memory of one world, without samples [bytes]."""
        return -(-self.kernels // self.n_worlds)


def sizes_of(
    robots: Sequence[AnyRobot], environments: Sequence[Environment], settings: Settings, wanted: Collection[str] = USUAL
) -> BatchSizes:
    """Memory that a batch needs, with the samples that are wanted (see samples.USUAL and samples.ON_REQUEST).

    Raises InvalidModel for a batch that the kernels cannot count.
    """
    engine = engine_of(robots)
    robot, distinct = robots[0], list({id(robot): robot for robot in robots}.values())
    records = Records(
        len(robots), robot.n_links, robot.axes, engine, settings, planes=settings.device.startswith("cuda")
    )
    rows, vertices, loads = _obstacle_rows(engine, environments)
    if rows + 1 > LARGEST_INDEX // engine.FEATURES:
        most = LARGEST_INDEX // engine.FEATURES - 1
        raise InvalidModel("worlds: obstacles in all", rows, f"at most {most} in one batch")
    several, bytes_in_all = engine.several(distinct), 0
    several |= optional_counts(wanted, several, engine.MOST_AXES)
    around = {"obstacles": rows, "vertices": vertices, "cell_start": CELLS_PER_OBSTACLE * rows}
    around |= {"cell_obstacle": ENTRIES_PER_OBSTACLE * rows, "grids": len(robots), "owners": len(robots)}
    around |= {"heights": _heights(environments), "reactions": loads if "reactions" in tallies_of(wanted) else 0}
    around |= dict.fromkeys(FEW, 0)
    for kind in ("Motion", "Work", "Tally", "Model", "Drive", "Obstacles"):
        variables = getattr(records.family, kind).vars
        for name, count in (records.counts(kind, several) | _known(around, variables)).items():
            if count > LARGEST_INDEX:
                where = f"{len(robots)} worlds of {robot.n_links} links"
                most = LARGEST_INDEX * len(robots) // count
                raise InvalidModel("worlds", where, f"at most {most} of them in one batch")
            bytes_in_all += count * size_of(variables[name].type.dtype)
    per_sample = sample_bytes(records, wanted, loads, several.get("spheres", 0))
    return BatchSizes(bytes_in_all, per_sample, len(robots))


def optional_counts(wanted: Collection[str], several: Mapping[str, int], most_axes: int) -> dict[str, int]:
    """Number of records per link of the tallies that wanted samples need [-]; that of obstacles is known elsewhere."""
    counts = {"rates": most_axes, "supported": several.get("spheres", 0)}
    return {name: counts.get(name, 1) for name in tallies_of(wanted) - {"reactions"}}


FEW = ("laws", "regions", "region_vertices", "around", "fields", "table_angle", "table_rate")
"""Arrays of the kernels that are small in every batch."""


def _known(counts: dict[str, int], variables: dict[str, object]) -> dict[str, int]:
    """The counts of those arrays that a struct has."""
    return {name: count for name, count in counts.items() if name in variables}


def _obstacle_rows(engine: Engine, environments: Sequence[Environment]) -> tuple[int, int, int]:
    """Rows of the kernels' obstacles, of their vertices and of the loads on them, for all worlds together."""

    def rows_of(obstacle: Obstacle) -> tuple[int, int, int]:
        return (*engine.obstacle_rows(obstacle), engine.load_rows(obstacle))

    shared = Shared(environments)
    alike = list(zip(shared.parts, np.bincount(shared.which).tolist(), strict=True))
    pegs = sum(count * len(environment.pegs.number) for environment, count in alike)
    others = [(count, rows_of(other)) for environment, count in alike for other in environment.others.values()]
    rows, vertices, loads = (
        pegs * of_peg + sum(count * each[k] for count, each in others) for k, of_peg in enumerate(rows_of(A_PEG))
    )
    return rows, vertices, loads


def _heights(environments: Sequence[Environment]) -> int:
    """Number of heights of all different height fields, with the ring around each."""
    fields = {id(each.ground.heights): each.ground.heights for each in environments if each.ground.heights is not None}
    return sum((field.heights.shape[0] + 2) * (field.heights.shape[1] + 2) for field in fields.values())
