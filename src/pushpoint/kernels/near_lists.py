"""Cells of a uniform grid, lists of what is near, in ascending order, and links that cannot be; both engines."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.structs import TOO_MANY_NEAR, nth

FARTHEST = wp.constant(1.0e6)
"""Links that are passed at once at most."""


@wp.func
def first_cell(low: Any, cells: int):
    """Cell number of a coordinate in cells, not below zero; `cells` beyond the last."""
    return int(wp.floor(wp.clamp(low, type(low)(0.0), type(low)(cells))))


@wp.func
def last_cell(high: Any, cells: int):
    """Cell number of a coordinate in cells, not beyond the last; -1 below the first."""
    return int(wp.floor(wp.clamp(high, type(high)(-1.0), type(high)(cells - 1))))


@wp.func
def insert_sorted(w: int, k: int, count: int, most: int, o: int, gap: Any, model: Any, motion: Any):
    """Puts obstacle o into its place in a list of `count` and returns the new count; contacts always keep one order.

    An obstacle that reaches into several cells is met several times and stands in the list once.
    """
    slot = int(0)
    while slot < count and motion.near[nth(k, slot, most, model)].obstacle < o:
        slot += 1
    if slot < count:
        if motion.near[nth(k, slot, most, model)].obstacle == o:
            return count
    if count == most:
        motion.worlds[w].status = TOO_MANY_NEAR
        return count
    moved = int(count)
    while moved > slot:
        to = nth(k, moved, most, model)
        before = nth(k, moved - 1, most, model)
        motion.near[to].obstacle = motion.near[before].obstacle
        motion.near[to].gap = motion.near[before].gap
        moved -= 1
    at = nth(k, slot, most, model)
    motion.near[at].obstacle = o
    motion.near[at].gap = gap
    return count + 1


@wp.func
def links_passed(square: Any, near: Any, longest: Any):
    """How many links to go on along the chain from one at a squared distance: those in between are not `near` either.

    From link to link the chain comes nearer by `longest` at most. This finds all pairs that touch without looking at
    every pair, of which a long robot has too many. One link in hand covers round-off.
    """
    far = near + longest + longest
    if square > far * far:
        return int(wp.min((wp.sqrt(square) - near) / longest, type(near)(FARTHEST)))
    return 1
