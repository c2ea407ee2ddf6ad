"""Pushes on pegs, time step by time step: forces of contacts that last, and impulses of those that close.

Where rigid bodies meet, an impulse changes their velocities at once. Divided by the time step it looks like a force,
but it is none: it grows without bound as the step shrinks. So the two are told apart. A contact lasts in a step if it
carried load in the step before, too; it closes if it did not. A touch anywhere shakes the whole chain of rigid links,
so that contacts that last elsewhere get a part of the impulse; steps in which none closes are looked at by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.engine.settings import Settings
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

if TYPE_CHECKING:
    from pushpoint.worlds.world import World


@dataclass(frozen=True, kw_only=True)
class Pushes:
    """Normal forces and impulses between pegs and links of one run."""

    time: np.ndarray
    """End of each time step [s], shape (n_steps,)."""
    force: np.ndarray
    """Normal impulse of each link's contact over the time step [N], shape (n_steps, n_links)."""
    peg_force: np.ndarray
    """The same of each peg, which may touch two links at a joint [N], shape (n_steps, n_pegs)."""
    dt: float
    """Time step [s]."""

    @property
    def closing(self) -> np.ndarray:
        """Contacts that carry load but did not in the step before, shape (n_steps, n_links)."""
        before = np.vstack((np.zeros_like(self.force[:1]), self.force[:-1]))
        closing: np.ndarray = (self.force > 0.0) & (before <= 0.0)
        return closing

    @property
    def lasting_force(self) -> float:
        """Largest force of a contact that lasts [N]."""
        return float(np.where(self.closing, 0.0, self.force).max())

    @property
    def quiet_force(self) -> float:
        """Largest force on a peg in steps in which no contact closes anywhere [N]."""
        return float(self.peg_force[~self.closing.any(axis=1)].max(initial=0.0))

    @property
    def touch_impulses(self) -> np.ndarray:
        """Impulses of all touches [N s], shape (n_touches,)."""
        return self.force[self.closing] * self.dt

    def mean_force(self, interval: float = 0.01) -> float:
        """Largest mean force on a peg over intervals [N]."""
        steps = round(interval / self.dt)
        whole = len(self.peg_force) // steps * steps
        return float(self.peg_force[:whole].reshape(-1, steps, self.peg_force.shape[1]).mean(axis=1).max())


def pushes(world: World, duration: float, dt: float = 1e-3) -> Pushes:
    """Runs a world and looks at its pushes; no link may touch two pegs at once, as one force per link is recorded."""
    run = simulate(
        [world],
        duration=duration,
        settings=Settings(dt=dt, on_failure="record"),
        record=Record(rate=1.0 / dt, variables=("contact_normal_force", "obstacle_load")),
    ).isel(world=0)
    return Pushes(
        time=run.time.values[1:],
        force=np.abs(run.contact_normal_force.values[1:]),
        peg_force=run.obstacle_load.values[1:],
        dt=dt,
    )
