"""Reads the local friction problems of Siconos: plain text, W dense or in blocks, contact frames (normal, tangents).

The numbers are separated by white space: dimension, number of contacts, storage (0 dense, 1 blocks), rows and columns
of W; then W, the velocities q, a coefficient per contact, and possibly a flag, which is ignored.

- dense: rows and columns once more, then the entries column by column;
- blocks: their number, and the numbers of block rows and block columns; where each of these rows, then columns, ends;
the lengths of two lists; the lists: where each row's blocks begin, and which column each is in; then for each block its
number and its entries, column by column.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pushpoint.errors import BadFile
from pushpoint.user_files import MOST_MATRIX_BYTES, read_bytes

DENSE, BLOCKS = 0, 1
LARGEST = 20_000
"""Most rows that are read [-]: a dense matrix of 3.2 GB."""
FLAGS = 4
"""How many numbers may follow the coefficients [-]. The second matrix of a global problem begins with more."""


def read(path: str | Path) -> dict[str, Any]:
    """W, q, mu and dimension of a file."""
    try:
        words = read_bytes(path, MOST_MATRIX_BYTES).decode("ascii").split()
    except UnicodeDecodeError:
        raise BadFile(path, "is not text of numbers") from None
    numbers = _Numbers(path, words)
    dimension, contacts, storage, rows, columns = numbers.whole(5)
    if dimension not in (2, 3) or contacts < 0:
        raise BadFile(
            path, f"begins with {dimension} {contacts}, not with a dimension, 2 or 3, and a number of contacts"
        )
    if (rows, columns) != (dimension * contacts,) * 2:
        size = f"{dimension * contacts} rows and columns"
        raise BadFile(path, f"has a matrix of {rows} by {columns} for {contacts} contacts: a local problem has {size}")
    if rows > LARGEST:
        raise BadFile(path, f"has {rows} rows, of which at most {LARGEST} can be read")
    if storage not in (DENSE, BLOCKS):
        raise BadFile(path, f"has storage {storage}, of which only 0, dense, and 1, blocks, can be read")
    W = _dense(numbers, rows) if storage == DENSE else _blocks(numbers, rows)
    found = {"W": W, "q": numbers.real(rows), "mu": numbers.real(contacts), "dimension": dimension}
    if numbers.left > FLAGS:
        raise BadFile(path, f"has {numbers.left} numbers more than a local problem: global ones, with H, are not read")
    return found


class _Numbers:
    """The words of a file as numbers, one after the other."""

    def __init__(self, path: str | Path, words: list[str]) -> None:
        self.path, self.words, self.at = path, words, 0

    def _take(self, count: int, kind: type, what: str) -> list[Any]:
        if count < 0:
            raise BadFile(self.path, f"counts to {count}")
        taken = self.words[self.at : self.at + count]
        if len(taken) < count:
            raise BadFile(self.path, f"ends after {len(self.words)} numbers, in the middle of a problem")
        self.at += count
        for place, word in enumerate(taken):
            try:
                taken[place] = kind(word)
            except ValueError:
                here = self.at - count + place + 1
                raise BadFile(self.path, f"has '{word[:20]}' where number {here} should be {what}") from None
        return taken

    @property
    def left(self) -> int:
        """How many numbers are left."""
        return len(self.words) - self.at

    def whole(self, count: int) -> list[int]:
        """The next numbers, as whole numbers."""
        return self._take(count, int, "a whole number")

    def real(self, count: int) -> np.ndarray:
        """The next numbers."""
        return np.array(self._take(count, float, "a number"))


def _dense(numbers: _Numbers, rows: int) -> np.ndarray:
    if numbers.whole(2) != [rows, rows]:
        raise BadFile(numbers.path, f"gives its matrix two sizes, first {rows} by {rows}")
    return numbers.real(rows * rows).reshape(rows, rows).T


def _blocks(numbers: _Numbers, rows: int) -> np.ndarray:
    count, down, across = numbers.whole(3)
    ends = [np.array([0, *numbers.whole(many)]) for many in (down, across)]
    first, column = (numbers.whole(length) for length in numbers.whole(2))
    if numbers.left < rows:  # before memory is allocated for a matrix that is missing
        raise BadFile(numbers.path, f"ends after {len(numbers.words)} numbers, in the middle of a problem")
    W = np.zeros((rows, rows))
    fits = all((np.diff(each) > 0).all() and each[-1] == rows for each in ends)
    if not fits or len(first) != down + 1 or len(column) != count or first != sorted(first) or first[-1] != count:
        raise BadFile(numbers.path, f"has {count} blocks that do not fit together to a matrix of {rows} by {rows}")
    for row in range(down):
        for block in range(first[row], first[row + 1]):
            if numbers.whole(1) != [block] or not 0 <= column[block] < across:
                raise BadFile(numbers.path, f"has no block {block} where one should be")
            top, bottom = ends[0][row : row + 2]
            left, right = ends[1][column[block] : column[block] + 2]
            size = (right - left, bottom - top)
            W[top:bottom, left:right] = numbers.real(int(size[0] * size[1])).reshape(size).T
    return W
