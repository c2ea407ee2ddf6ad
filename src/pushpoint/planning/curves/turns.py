"""Turns of the shape frame that run back along a curve whose points are given whole: steering of ways 2 and 3.

Way 1 keeps the frame in which each control point was appended. Here points are not appended, so the frame is kept at
places that move with the shape: the piece of the curve that is at the head takes the frame of now, and keeps it while
the head advances past it, or while the shape runs back through the points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.planning.curves.frames import part_of_turn


class Turns(NamedTuple):
    """The frames that a world's curve was turned by; arrays of a batch have a leading world axis."""

    turned: np.ndarray
    """Whether the frame has ever turned."""
    front: np.ndarray
    """How far the head has come through the shape, counted in control points [-]."""
    now: np.ndarray
    """The frame at the head, shape (3, 3)."""
    kept: np.ndarray
    """The frames at the last whole numbers up to `front`, oldest first, shape (n, 3, 3)."""


def no_turns(n_points: int) -> Turns:
    """A curve of so many control points in the world's axes."""
    return Turns(np.array(False), np.array(0.0), np.eye(3), np.tile(np.eye(3), (n_points + 2, 1, 1)))


def turned_on(turns: Turns, way: np.ndarray, frame: np.ndarray) -> Turns:
    """The turns after the heads came on by `way` control points through the shape [-], with a new frame at the head."""
    frame = np.broadcast_to(frame, turns.now.shape)
    turned = turns.turned | (frame != np.eye(3)).any(axis=(-2, -1))
    front, kept = turns.front + way, turns.kept
    if not turned.any():
        return Turns(turned, front, turns.now, kept)
    whole = np.floor(turns.front)
    while (passed := whole + 1.0 <= front).any():
        whole = whole + passed
        part = np.where(passed, (whole - turns.front) / np.where(passed, way, 1.0), 0.0)
        here = part_of_turn(turns.now, frame, part)
        longer = np.concatenate([kept[:, 1:], here[:, None]], axis=1)
        kept = np.where(passed[:, None, None, None], longer, kept)
    return Turns(turned, front, frame, kept)


def frames_behind(turns: Turns, behind: np.ndarray) -> np.ndarray:
    """The frames so many control points behind the head [-], shape (n_worlds, n), as matrices; ahead of it: now's."""
    newest = np.floor(turns.front)[:, None]
    front, last = turns.front[:, None], turns.kept.shape[1] - 1
    place = front - np.maximum(behind, 0.0)
    recent = place >= newest
    index = np.clip(place - newest + last, 0.0, last)
    lower = np.minimum(np.floor(index).astype(int), last - 1)
    worlds = np.arange(len(turns.front))[:, None]
    below = np.where(recent[..., None, None], turns.kept[:, -1:], turns.kept[worlds, lower])
    above = np.where(recent[..., None, None], turns.now[:, None], turns.kept[worlds, lower + 1])
    span = np.where(front > newest, front - newest, 1.0)
    part = np.where(recent, np.where(front > newest, (place - newest) / span, 1.0), index - lower)
    return part_of_turn(below, above, part)


def turned_points(points: np.ndarray, head: np.ndarray, turns: Turns) -> np.ndarray:
    """Control points [m] with each step turned by its frame, shape (n_worlds, n, 3). The first point stays."""
    if not turns.turned.any():
        return points
    steps = np.diff(points, axis=1)
    middle = np.arange(steps.shape[1]) + 0.5
    frames = frames_behind(turns, head[:, None] - middle)
    moved = np.cumsum(np.einsum("wkij,wkj->wki", frames, steps), axis=1)
    whole = np.concatenate([points[:, :1], points[:, :1] + moved], axis=1)
    return np.where(turns.turned[:, None, None], whole, points)
