"""A stepper whose only world can change on its way, and go back to where it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import warp as wp

from pushpoint.engine.samples import columns, first_rows, put_first_rows, renumber
from pushpoint.engine.stepper import Stepper
from pushpoint.engine.tables.renumbering import GONE, contacts_after, renumbering
from pushpoint.model.environment import Environment
from pushpoint.model.spatial_robot import AnyRobot


class ChangingStepper(Stepper):
    """A stepper whose only world can change; with several worlds it is a plain one."""

    def push(self, load: np.ndarray) -> None:
        """Adds loads to those that controllers command, from now on: [world, link, component] in world axes."""
        self._loads["push"] = load
        self._write_loads(given=True)

    def drop_commands(self) -> None:
        """Ends the torques and loads that a controller has commanded; pushes go on."""
        if self._torques:
            self._write_joints("torque", np.zeros((self.n_worlds, self.n_joints)))
            self._torques = False
        if self._loads.pop("command", None) is not None:
            self._write_loads(given=False)

    def loads(self) -> np.ndarray:
        """Sums of the normal impulses on the obstacles of the only world so far [N s], shape (n_obstacles,)."""
        rows = np.array(self._load_rows[0], dtype=int)
        totals = self._tally.obstacles.numpy()
        return np.array([totals[k : k + n].sum() for k, n in zip(np.cumsum(rows) - rows, rows, strict=True)])

    def change(self, robot: AnyRobot, environment: Environment, kept: Sequence[int]) -> None:
        """Changes the robot's motors and the environment of the only world; its motion and its samples go on.

        `kept` gives for each obstacle its number before, or renumbering.GONE. Contacts with those that stay keep their
        impulses.
        """
        tally, samples, wanted = self._tally, self._samples, self._wanted
        before = self._tables.environments[0].obstacles
        moves = renumbering(self._engine, before, environment.obstacles, kept)
        contacts: Any = contacts_after(self.state(), moves.row_after, self._engine)
        loads, reactions = tally.obstacles.numpy(), tally.reactions
        self.replace(np.zeros(1, dtype=int), [robot], [environment])
        self._samples, self._wanted = samples, wanted
        places = np.full(self._n_loads, GONE)
        places[: len(moves.load_before)] = moves.load_before
        self._records.fill(tally, obstacles=columns(loads, places, 0))
        if reactions.size:
            held = columns(reactions.numpy(), places, 0)
            tally.reactions = wp.array(held, dtype=reactions.dtype, device=self._records.device)
        renumber(samples, wanted, places)
        self.load(replace(self.state(), **contacts))

    def snapshot(self) -> dict[str, Any]:
        """Everything that changes, bit for bit: motion, totals, and the oldest sample that is held."""
        copies = {name: self._records.copies(getattr(self, f"_{name}")) for name in ("motion", "tally")}
        return copies | {"samples": first_rows(self._samples), "latest": self._latest}

    def recall(self, snapshot: Mapping[str, Any]) -> None:
        """Goes back to a snapshot that was taken in the present environments."""
        self._records.put_back(self._motion, snapshot["motion"])
        self._records.put_back(self._tally, snapshot["tally"])
        put_first_rows(self._records, self._samples, snapshot["samples"])
        self._latest = snapshot["latest"]
