"""Iterations for dense contact problems: Gauss-Seidel sweeps, then Newton's method on linearised laws.

Newton's method replaces every law by its line p = F - G u and solves (I + G W) p = F - G q. Closed contacts are rho
times as stiff as their own mass, so that the matrix stays regular with redundant contacts. If the iteration cycles, rho
climbs from soft to stiff, over and over, as in the engines. If that still fails, it starts again after more sweeps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import warp as wp

from pushpoint.contact_problems.local import Local
from pushpoint.engine.compiled import launch
from pushpoint.engine.devices import start_warp
from pushpoint.kernels.local.solver import kernels

FULL_NEWTON = 12
"""Iterations at the first stiffness before it begins to climb."""
FIRST_STIFFNESS = 100.0
PER_RUNG = 3
RUNGS = 6
"""Steps of the climb: rho = 1, 10, ... 1e5, three iterations each."""
PER_ROUND = 120
"""Newton iterations before the next sweeps."""
FIRST_SWEEPS = 10
MORE_SWEEPS = 1.6
MOST_SWEEPS = 3000
"""Sweeps of the first round, how they grow from round to round, and their limit."""
EASES = (1.0, 0.5, 0.2, 0.1)
"""Step lengths of the sweeps, round by round: long steps can cycle if friction is strong."""


class LocalSolver:
    """The current impulses of a problem, and the iterations that change them.

    A plane problem is treated as one in space whose second tangents nothing moves.
    """

    def __init__(self, local: Local, guess: np.ndarray | None = None) -> None:
        """`guess` holds impulses to start from [N s], shape (n, dimension)."""
        start_warp()
        self._made = kernels(wp.float64)
        self.count, self._size, friction = local.count, local.dimension, local.friction
        rows = np.arange(3 * self.count).reshape(self.count, 3)[:, : self._size].ravel()
        self.W, self.q = np.zeros((3 * self.count, 3 * self.count)), np.zeros(3 * self.count)
        self.W[np.ix_(rows, rows)], self.q[rows] = local.W, local.q
        largest = friction.max(axis=1)
        scale = np.where(largest[:, None] > 0.0, friction / np.where(largest > 0.0, largest, 1.0)[:, None], 1.0)
        contacts = self._contacts = self._made.Contacts()
        contacts.scale, contacts.largest = self._array(scale, self._made.vec3), self._array(largest, wp.float64)
        contacts.r = self._array(self._local_masses(), wp.float64)
        contacts.P = self._array(np.zeros((self.count, 3)), self._made.vec3)
        contacts.S = self._array(scale[:, 1:], self._made.vec2)
        self._P, self._S = contacts.P.numpy(), contacts.S.numpy()
        self.iterations = self.sweeps = 0
        self._guessed = guess is not None
        if guess is not None:
            slides = np.zeros((self.count, 2))
            slides[:, : self._size - 1] = guess[:, 1:]
            self._S[:, 0] = np.where(slides[:, 0] < 0.0, scale[:, 0], scale[:, 1])
            self._P[:, 0] = np.maximum(guess[:, 0], 0.0)
            self._P[:, 1:] = np.divide(slides, self._S, out=np.zeros_like(self._S), where=self._S > 0.0)

    def _array(self, values: np.ndarray, dtype: type) -> wp.array:
        return wp.array(np.ascontiguousarray(values), dtype=dtype, device="cpu")

    def _local_masses(self) -> np.ndarray:
        """The smallest mass that each contact feels [kg]; one that nothing moves gets that of the others."""
        blocks = np.einsum("kikj->kij", self.W.reshape(self.count, 3, self.count, 3))
        most = np.linalg.eigvalsh(blocks)[:, -1]
        moved = most > 0.0
        return np.asarray(1.0 / np.where(moved, most, most[moved].mean() if moved.any() else 1.0))

    @property
    def impulses(self) -> np.ndarray:
        """Normal and friction impulses [N s], shape (n, dimension)."""
        return _unscaled(self._P, self._S)[:, : self._size]

    def solve(self, enough: float, accepted: Callable[[np.ndarray], bool], rounds: int) -> bool:
        """Iterates until impulses that miss the projections by less than `enough` [m/s] are accepted."""
        if self._guessed and self._climb(enough, accepted):  # sweeps would move away from the guess
            return True
        sweeps = float(FIRST_SWEEPS)
        for round_number in range(rounds):
            self._sweep(int(sweeps), EASES[round_number % len(EASES)])
            swept, missed = self._keep(), self._miss()
            self._restore(swept)
            if self._climb(enough, accepted):
                return True
            if self._miss() > missed:
                self._restore(swept)
            sweeps = min(sweeps * MORE_SWEEPS, MOST_SWEEPS)
        return accepted(self.impulses)

    def _keep(self) -> tuple[np.ndarray, np.ndarray]:
        return self._P.copy(), self._S.copy()

    def _restore(self, kept: tuple[np.ndarray, np.ndarray]) -> None:
        self._P[...], self._S[...] = kept

    def _sweep(self, sweeps: int, ease: float) -> None:
        inputs = [sweeps, ease, self._contacts, *(self._array(a, wp.float64) for a in (self.W, self.q))]
        present = self._array(_unscaled(self._P, self._S).ravel(), wp.float64)
        launch(self._made.sweep, dim=1, inputs=[*inputs, present], device="cpu")
        self.sweeps += sweeps

    def _lines(self, rho: float) -> tuple[np.ndarray, np.ndarray, float]:
        """F and G at the current impulses and velocities, and how far these miss their projections [m/s]."""
        u = (self.W @ _unscaled(self._P, self._S).ravel() + self.q).reshape(-1, 3)
        F, error = (self._array(np.zeros((self.count, 3)), self._made.vec3) for _ in range(2))
        G = self._array(np.zeros((self.count, 3, 3)), self._made.mat33)
        inputs = [rho, self._contacts, self._array(u, self._made.vec3), F, G, error]
        launch(self._made.lines, dim=self.count, inputs=inputs, device="cpu")
        return F.numpy(), G.numpy(), float(np.abs(error.numpy()).max())

    def _miss(self) -> float:
        kept = self._keep()
        missed = self._lines(1.0)[2]
        self._restore(kept)
        return missed

    def _climb(self, enough: float, accepted: Callable[[np.ndarray], bool]) -> bool:
        """Newton's method; keeps the best impulses found."""
        best, kept = np.inf, self._keep()
        for step in range(PER_ROUND):
            before = self._keep()
            rung = (step - FULL_NEWTON) // PER_RUNG % RUNGS
            F, G, missed = self._lines(FIRST_STIFFNESS if step < FULL_NEWTON else 10.0**rung)
            if not np.isfinite(missed):
                break
            if missed < best:
                best, kept = missed, before
            if missed <= enough:
                if accepted(_unscaled(*before)[:, : self._size]):
                    self._restore(before)
                    return True
                enough *= 0.1  # elongated sets: the scaled coordinates hide a part
            if not self._follow(F, G):
                break
            self.iterations += 1
        self._restore(kept)
        return False

    def _follow(self, F: np.ndarray, G: np.ndarray) -> bool:
        """Impulses where all lines hold at once; false if they do not meet. Open contacts are ignored."""
        closed = np.flatnonzero(G[:, 0, 0] > 0.0)
        self._P[...] = F
        if not len(closed):
            return True
        scale = np.concatenate([np.ones((len(closed), 1)), self._S[closed]], axis=1)
        G_p = scale[:, :, None] * G[closed]
        W = self.W.reshape(self.count, 3, self.count, 3)[closed][:, :, closed].reshape(len(closed), 3, -1)
        q = self.q.reshape(-1, 3)[closed]
        matrix = np.eye(3 * len(closed)) + (G_p @ W).reshape(3 * len(closed), -1)
        try:
            p = np.linalg.solve(matrix, (scale * F[closed] - np.einsum("kij,kj->ki", G_p, q)).ravel())
        except np.linalg.LinAlgError:
            return False
        u = (W.reshape(len(p), -1) @ p).reshape(-1, 3) + q
        self._P[closed] = F[closed] - np.einsum("kij,kj->ki", G[closed], u)
        return True


def _unscaled(P: np.ndarray, S: np.ndarray) -> np.ndarray:
    """Normal impulses, and friction impulses converted from the laws' scaled coordinates [N s], shape (n, 3)."""
    return np.concatenate([P[:, :1], S * P[:, 1:]], axis=1)
