"""The last time step of a world as a dense contact problem, with what the engine found."""

from __future__ import annotations

import numpy as np

from pushpoint.contact_problems.export.planar import planar_step
from pushpoint.contact_problems.export.spatial import spatial_step
from pushpoint.contact_problems.problem import Problem
from pushpoint.engine.state import SpatialState, State
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel

LEAST_SPEED = 1e-4
"""Velocity that a step's tolerance is counted in where gravity gives less [m/s], as in the kernels."""


def problem_of_step(stepper: Stepper, world: int = 0) -> Problem:
    """The contacts of the step that led to the present state of a stepper's world, three rows each, and its impulses.

    Motors act by the lines that the step ended on, prescribed joints as constraints, joints at their end stops as
    contacts without friction. Rolling and spin friction act as they were found. In the plane the ground's support
    points are contacts pressed down by their share of the weight.
    """
    if isinstance(world, bool) or not isinstance(world, int) or not 0 <= world < stepper.n_worlds:
        raise InvalidModel("world", world, f"a whole number from 0 to {stepper.n_worlds - 1}")
    state = stepper.state()
    spatial = isinstance(state, SpatialState)
    _refuse_stale(stepper, state, world, spatial=spatial)
    chain, rows = (spatial_step if spatial else planar_step)(stepper, world)
    W, q = chain.problem(rows)
    gravity = float(stepper._model.worlds.numpy()["gravity"][world])
    settings = stepper.settings
    return Problem(
        W=W,
        q=q,
        mu=np.array([row.mu for row in rows]).reshape(-1, 3),
        impulses=np.array([row.impulse for row in rows]).reshape(-1, 3),
        frames=np.array([row.frame for row in rows]).reshape(-1, 3, 3),
        points=np.array([row.point for row in rows]).reshape(-1, 3),
        kinds=np.array([row.kind for row in rows], dtype=np.str_),
        links=np.array([row.link for row in rows], dtype=int),
        tolerance=settings.tolerance * max(gravity * settings.dt, LEAST_SPEED),
    )


def _refuse_stale(stepper: Stepper, state: State | SpatialState, world: int, *, spatial: bool) -> None:
    """The scratch of the last step must belong to the present state: not before a step, nor after a restore."""
    read, work = stepper._records.read, stepper._work
    omega = read(work.links, "w")[world] if spatial else read(work.links, "x")[world][:, 2]
    now = state.omega[world]
    if spatial:
        omega = np.einsum("ikj,ik->ij", read(work.links, "R")[world], omega)
    close = np.allclose(omega, now, rtol=1e-4, atol=1e-6 * (1.0 + np.abs(now).max(initial=0.0)))
    if state.step[world] == 0 or not close:
        raise InvalidModel("contact problem: state", "one that no step has led to", "the end of a step")
