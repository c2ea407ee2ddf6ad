"""The kernel of either engine: many worlds, many steps, samples on the way."""

from types import SimpleNamespace
from typing import Any

import warp as wp

from pushpoint.kernels.structs import RUNNING, not_negative
from pushpoint.kernels.traits import PLANES

CPU_FLAGS = (
    "-march=native -mllvm=-inline-threshold=100000 -mllvm=-inline-cold-callsite-threshold=3000"
    " -ffp-contract=fast -fno-signed-zeros -mreassociate -fno-slp-vectorize"
)
"""How a CPU's kernels are compiled: all of a step inlined, with fused multiply-adds and sums in any order, and without
packing unrelated scalars into vectors. What is not a number stays so."""
BLOCK = 256
"""Threads of a block on a GPU."""
COMPILED = {"max_unroll": 1, "cpu_compiler_flags": CPU_FLAGS}
"""Options of all kernels' modules."""
IN_SINGLE = {"launch_bounds": (BLOCK, 2), "module_options": COMPILED | {"fast_math": True}}
"""How kernels in single precision differ on a GPU: two blocks per multiprocessor instead of one, though each thread
has half the registers then, and fast division, roots, sine and cosine, which round about twice as coarsely. In double
precision what no longer fits into registers costs more than the other blocks gain."""
GPU_FLAGS = f"in float32: fast_math, __launch_bounds__{IN_SINGLE['launch_bounds']}"
"""The same in words, for the record."""


@wp.func
def record_health(w: int, s: int, zero: Any, tally: Any, samples: Any):
    """Writes what the solver and the overlaps came to as sample s, and starts the next interval."""
    samples.iterations[w, s] = tally.worlds[w].iterations
    samples.residual[w, s] = tally.worlds[w].residual
    samples.penetration[w, s] = tally.worlds[w].penetration
    samples.unconverged[w, s] = tally.worlds[w].unconverged
    tally.worlds[w].iterations = 0
    tally.worlds[w].residual = zero
    tally.worlds[w].penetration = zero


def kernel_of(name: str, s: SimpleNamespace, time_step: Any, record_sample: Any) -> Any:
    """The rollout kernel for a family of structs: each thread advances one of the chosen worlds, from
    the `first` on, by `steps` steps."""

    def rollout(
        chosen: wp.array(dtype=int),
        first: int,
        steps: int,
        numerics: s.Numerics,
        model: s.Model,
        obstacles: s.Obstacles,
        drive: s.Drive,
        motion: s.Motion,
        work: s.Work,
        tally: s.Tally,
        samples: s.Samples,
    ):
        w = not_negative(chosen[first + wp.tid()])
        for done in range(steps):
            if motion.worlds[w].status != RUNNING:
                break
            time_step(w, done + 1, numerics, model, obstacles, drive, motion, work, tally)
            if samples.every > 0:
                if motion.worlds[w].step % samples.every == 0:
                    record_sample(w, done + 1, numerics, model, obstacles, drive, motion, tally, samples)

    rollout.__name__ = rollout.__qualname__ = name
    options: dict[str, Any] = {"module_options": COMPILED}
    if PLANES and s.real is wp.float32:
        options = IN_SINGLE
    return wp.kernel(rollout, module="unique", enable_backward=False, **options)
