"""Worlds that begin: which of a pool, copied from there, and the random numbers of their sensors."""

import warp as wp


@wp.kernel(enable_backward=False, module="unique")
def copy_records(
    chosen: wp.array(dtype=wp.bool),
    which: wp.array(dtype=int),
    worlds_first: bool,
    source: wp.array2d(dtype=wp.uint32),
    target: wp.array2d(dtype=wp.uint32),
):
    """Copies all records of one array, as words, of world which[w] of a pool to each chosen world w of a batch.

    A world's records lie together (worlds_first), or its first record lies beside the first ones of the other worlds.
    """
    j, w = wp.tid()
    if not chosen[w]:
        return
    n_worlds = chosen.shape[0]
    per_world = target.shape[0] / n_worlds
    there = which[w] * per_world + j
    here = w * per_world + j
    if not worlds_first:
        there = j * (source.shape[0] / per_world) + which[w]
        here = j * n_worlds + w
    for k in range(target.shape[1]):
        target[here, k] = source[there, k]


@wp.kernel(enable_backward=False, module="unique")
def draw_worlds(
    chosen: wp.array(dtype=wp.bool),
    seed: wp.array(dtype=int),
    count: int,
    turn: wp.array(dtype=int),
    which: wp.array(dtype=int),
    noise: wp.array(dtype=int),
):
    """For each chosen world one of `count` others, and what its noise begins with: functions of its seed and turn."""
    w = wp.tid()
    if chosen[w]:
        state = wp.rand_init(seed[w], turn[w])
        which[w] = wp.randi(state, 0, count)
        noise[w] = wp.randi(state)
        turn[w] = turn[w] + 1


@wp.kernel(enable_backward=False, module="unique")
def normal_numbers(
    seed: wp.array(dtype=int),
    stream: int,
    sample: wp.array(dtype=int),
    out: wp.array2d(dtype=wp.float32),
):
    """Standard normal numbers for sample number `sample` of each world: functions of its seed and of the stream."""
    w, k = wp.tid()
    state = wp.rand_init(wp.randi(wp.rand_init(seed[w], stream)), sample[w] * out.shape[1] + k)
    out[w, k] = wp.randn(state)
