"""Launches of the kernels: which variant advances which worlds, spread over the machine's cores."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from pushpoint.engine.compiled import launch
from pushpoint.engine.devices import guarded, usable_cores
from pushpoint.engine.records import Records
from pushpoint.engine.variants import Needs, form_of
from pushpoint.kernels.forms import kernel
from pushpoint.kernels.rollouts import BLOCK

WORLDS_PER_THREAD = 4
"""With fewer worlds than this, a second thread does not pay off."""


class Group(NamedTuple):
    """Worlds that one variant of the kernels advances."""

    kernel: Any
    """The variant."""
    worlds: np.ndarray
    """Their indices."""
    all: wp.array
    """The same for the kernels."""
    some: wp.array
    """Room for the indices of some of them."""


class Launches:
    """Advances the worlds of a batch, each by the leanest variant that has what it needs."""

    def __init__(self, records: Records, engine: str, needs: Needs, variant: str | None) -> None:
        """`variant` is the only one if it is given."""
        self._records, self._engine, self._needs, self._variant = records, engine, needs, variant
        self._groups: dict[str, Group] = {}
        self._pool: ThreadPoolExecutor | None = None

    def regroup(self) -> None:
        """Lets the next launch find the variants of all worlds again."""
        for group in self._groups.values():
            self._records.forget(group.some)
        self._groups.clear()

    def run(self, structs: Sequence[Any], steps: int, active: np.ndarray | None) -> None:
        """Runs `steps` time steps in every running world, or in the active ones."""
        if not self._groups:
            self._group(structs)
        for group in self._groups.values():
            chosen, count = group.all, len(group.worlds)
            if active is not None:
                worlds = group.worlds[active[group.worlds]]
                chosen, count = group.some, len(worlds)
                with self._records.edited(chosen) as host:
                    host[:count] = worlds
            threads = 1 if self._records.on_gpu else count // WORLDS_PER_THREAD
            threads = threads if threads < 2 else min(usable_cores(), threads)
            if threads > 1:
                self._launch_in_parts(group.kernel, chosen, count, threads, [steps, *structs])
            elif count:
                self._launch(group.kernel, chosen, (0, count), [steps, *structs])

    def _group(self, structs: Sequence[Any]) -> None:
        """Says which variant advances which worlds, and compiles and loads it before several threads need it."""
        records = self._records
        for variant, worlds in self._members().items():
            made = kernel(form_of(self._engine, variant, records.planes), records.real)
            chosen, some = (records.array(worlds, wp.int32) for _ in range(2))
            self._groups[variant] = Group(made, worlds, chosen, some)
            self._launch(made, chosen, (0, len(worlds)), [0, *structs])

    def _members(self) -> dict[str, np.ndarray]:
        """The worlds of each variant."""
        return self._needs.groups() if self._variant is None else {self._variant: np.arange(self._records.n_worlds)}

    def _launch_in_parts(self, made: Any, chosen: wp.array, count: int, threads: int, inputs: list[Any]) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(usable_cores())
        edges = np.linspace(0, count, threads + 1).astype(int).tolist()
        list(self._pool.map(lambda a, b: self._launch(made, chosen, (a, b), inputs), edges[:-1], edges[1:]))

    def _launch(self, made: Any, chosen: wp.array, part: tuple[int, int], inputs: list[Any]) -> None:
        first, last = part
        device = self._records.device
        with guarded(device):
            launch(made, dim=last - first, inputs=[chosen, first, *inputs], device=device, block_dim=BLOCK)

    def variants(self) -> dict[str, int]:
        """Number of worlds that each variant advances, by its name [-]."""
        return {variant: len(worlds) for variant, worlds in self._members().items()}
