"""Contact problems u = W p + q with unilateral contact and friction, solved with the engines' laws.

W is the Delassus matrix H M^-1 H^T, q the velocity of the contacts without their impulses, p the impulses. Rows are
ordered contact by contact: normal, then one tangent (dimension 2) or two (dimension 3). The law is Coulomb's own: the
normal velocity of a sliding contact is zero, not that of the associated cone.

A Problem also holds what else is known about it, and is stored as an `.npz` file of plain arrays, without pickles.
docs/theory/contact-problems.md describes the format. W, q, mu and dimension define the problem; the rest may be
missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.contact_problems import siconos
from pushpoint.contact_problems.local import Local, Residuals, measure, residuals
from pushpoint.errors import BadFile, InvalidModel, PushpointError
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import Axes, array
from pushpoint.model.checks import above, members, non_negative, one_of, real, store
from pushpoint.model.quantities import Count
from pushpoint.user_files import read_npz
from pushpoint.whole_files import write_atomically

ROUNDS = 24
"""Rounds of sweeps and Newton's method before a problem counts as unconverged."""
SHARE = 0.3
"""Share of the tolerance that the solver's own residual may use; it differs from the criteria."""
FORMAT = "pushpoint contact problem 1"
KINDS = ("ground", "obstacle", "self", "stop")
OPTIONAL = ("impulses", "frames", "points", "kinds", "links", "tolerance")


@dataclass(frozen=True, kw_only=True)
class Solution:
    """The impulses found, and how good they are."""

    __repr__ = brief

    impulses: np.ndarray
    """Normal and tangential impulses [N s], shape (n_contacts, dimension)."""
    velocities: np.ndarray
    """Velocities u = W p + q [m/s], same shape."""
    residuals: Residuals
    """Distances from the laws, computed without the solver."""
    converged: bool
    """Whether `residuals.worst` is within the tolerance."""
    iterations: int
    """Newton iterations [-]."""
    sweeps: int
    """Gauss-Seidel sweeps [-]."""
    asymmetry: float
    """How far W was from its transpose, relative to its largest entry [-]. The laws hold with W as given."""


@checked_arguments
def solve(
    W: Any,
    q: Any,
    mu: Any,
    *,
    dimension: int = 3,
    tolerance: Annotated[float, above(0, "-")] = 1e-9,
    start: Any = None,
    rounds: Count = ROUNDS,
) -> Solution:
    """Finds impulses that satisfy Signorini's and Coulomb's laws at every contact.

        solution = pp.contact_problems.solve(np.eye(3), [-1.0, 0.5, 0.0], 0.3)
        print(solution.converged, solution.impulses)  # [N s]

    Args:
        W: Delassus matrix [1/kg], positive semi-definite, possibly singular, symmetric to 1e-2 of its largest entry
            (published ones are off by up to 2.5e-3). It is used as given.
        q: Velocities without contact impulses [m/s]; for restitution e, add e times the normal velocity before impact.
        mu: Friction coefficients [-]: a number, one per contact, or in space (along, across) or (forward, backward,
            across) per contact. Slip is normal to the set.
        dimension: Rows per contact: 3, or 2 in the plane.
        tolerance: Largest residual relative to the problem's own scales [-]; see `Residuals.worst`.
        start: Impulses to start from [N s], shape (n, dimension). Of many solutions, one near them is found.
        rounds: Attempts before the problem counts as unconverged [-].

    Returns:
        The impulses. `converged` says whether they satisfy the laws.
    """
    local = Local.of(W, q, mu, dimension)
    guess = None if start is None else local.impulses(start, "start")
    # Very different magnitudes can overflow or underflow on the way; the result is checked in any case.
    with np.errstate(all="ignore"):
        return _solved(local, guess, tolerance, rounds)


def _solved(local: Local, guess: np.ndarray | None, tolerance: float, rounds: int) -> Solution:
    """The same for checked values."""
    p, iterations, sweeps = np.zeros((0, local.dimension)), 0, 0
    if local.count:
        from pushpoint.contact_problems.local_solver import LocalSolver  # loads Warp: not before it is needed

        solver = LocalSolver(local, guess)
        enough = SHARE * tolerance * float(np.abs(local.q).max())
        solver.solve(enough, lambda p: measure(local, p).worst <= tolerance, rounds)
        p, iterations, sweeps = solver.impulses, solver.iterations, solver.sweeps
    judged = measure(local, p)
    return Solution(
        impulses=p,
        velocities=local.velocities(p),
        residuals=judged,
        converged=judged.worst <= tolerance,
        iterations=iterations,
        sweeps=sweeps,
        asymmetry=local.asymmetry,
    )


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A contact problem u = W p + q with Coulomb friction; if it comes from a time step, also its origin.

    For example:

        world = pp.World(pp.catalogue.aiko_planar(), pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3))))
        simulator = pp.Simulator([world])
        simulator.step(pp.Command(joint_angle=np.full((1, 10), 0.1)))
        problem = simulator.contact_problem()
        print(problem.residuals().worst)  # of the engine's impulses [-]
    """

    __repr__ = brief

    W: np.ndarray
    """Delassus matrix [1/kg], shape (rows, rows); `dimension` rows per contact: normal, then tangents."""
    q: np.ndarray
    """Velocities without contact impulses [m/s], shape (rows,), minus the target normal velocities.

    These come from rebounds and from pushing out overlaps.
    """
    mu: np.ndarray
    """Friction coefficients [-]: a number, (n,), (n, 2) along and across, or (n, 3) forward, backward and across."""
    dimension: int = 3
    """Rows per contact [-], 2 or 3."""
    impulses: np.ndarray | None = None
    """A known solution, such as the engine's [N s], shape (n, dimension)."""
    frames: np.ndarray | None = None
    """Unit vectors normal, tangent, tangent of every contact, world axes, shape (n, 3, 3); zero for an end stop."""
    points: np.ndarray | None = None
    """Positions of the contacts [m], shape (n, 3); zero for an end stop."""
    kinds: np.ndarray | None = None
    """ "ground", "obstacle", "self" (two links of the robot) or "stop" (a joint at its end stop), shape (n,)."""
    links: np.ndarray | None = None
    """Index of each contact's link, shape (n,): the rear one of two links, or the one behind a stopped joint."""
    tolerance: float | None = None
    """Violation of a law that the engine allowed in this step [m/s]."""

    def __post_init__(self) -> None:
        local = Local.of(self.W, self.q, self.mu, self.dimension)
        store(self, q=local.q, W=local.W, mu=np.array(self.mu, dtype=float))
        if self.impulses is not None:
            store(self, impulses=local.impulses(self.impulses))
        if self.tolerance is not None:
            store(self, tolerance=non_negative("tolerance", self.tolerance, "m/s"))
        for name, unit, per_contact in (("frames", "-", (3, 3)), ("points", "m", (3,)), ("links", "-", ())):
            if getattr(self, name) is not None:
                axes = Axes(local.count, *per_contact)
                kept = array(name, getattr(self, name), real(unit), axes, whole=name == "links")
                store(self, **{name: kept})
        if self.kinds is not None:
            names = members("kinds", self.kinds, str, "one of " + ", ".join(KINDS))
            if len(names) != local.count:
                raise InvalidModel("kinds", len(names), f"{local.count} names, one for each contact")
            store(self, kinds=np.array([one_of(f"kinds[{k}]", name, KINDS) for k, name in enumerate(names)], dtype=str))

    @property
    def n_contacts(self) -> int:
        """Number of contacts [-]."""
        return len(self.q) // self.dimension

    def solve(self, *, tolerance: float = 1e-9, start: Any = None) -> Solution:
        """Solves the problem; see `contact_problems.solve`."""
        return solve(self.W, self.q, self.mu, dimension=self.dimension, tolerance=tolerance, start=start)

    def residuals(self, impulses: Any = None) -> Residuals:
        """Distances from the laws; see `contact_problems.residuals`. Default: those of the known solution."""
        given = self.impulses if impulses is None else impulses
        if given is None:
            raise InvalidModel("impulses", None, "given, as this problem comes without a solution")
        return residuals(self.W, self.q, self.mu, given, dimension=self.dimension)

    @checked_arguments
    def save(self, path: str | Path) -> None:
        """Writes the problem as an .npz file. An existing file is replaced only when the new one is complete."""
        kept = {name: getattr(self, name) for name in ("W", "q", "mu", "dimension", *OPTIONAL)}
        if not Path(path).name:
            raise BadFile(path, "is not the name of a file")
        known = {name: value for name, value in kept.items() if value is not None}

        def fill(place: Path) -> None:
            with place.open("wb") as file:  # numpy would add .npz to any other name
                np.savez_compressed(file, format=FORMAT, **known)

        write_atomically(path, fill)


@checked_arguments
def load(path: str | Path) -> Problem:
    """Reads a problem that `Problem.save` wrote, a file in the same format, or the `.dat` text of Siconos' problems."""
    if Path(path).suffix == ".dat":
        with _complaining_of(path):
            return Problem(**siconos.read(path))
    found = read_npz(path)
    if str(found.pop("format", "")) != FORMAT:
        raise BadFile(path, f"has no entry format = '{FORMAT}'")
    missing = [name for name in ("W", "q", "mu", "dimension") if name not in found]
    if missing:
        raise BadFile(path, f"has no entry {missing[0]}")
    known: dict[str, Any] = {name: found[name] for name in ("W", "q", "mu", *OPTIONAL) if name in found}
    if "tolerance" in known:
        known["tolerance"] = float(known["tolerance"])
    with _complaining_of(path):
        return Problem(dimension=int(found["dimension"]), **known)


@contextmanager
def _complaining_of(path: str | Path) -> Iterator[None]:
    """Turns errors about the problem into errors about the file."""
    try:
        yield
    except BadFile:
        raise
    except (PushpointError, TypeError, ValueError) as error:
        raise BadFile(path, str(error)) from None
