"""Corners and triangles of STL and OBJ files, within bounds and within a folder."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from pushpoint.errors import BadFile
from pushpoint.interchange.robots.trees import LARGEST, Element
from pushpoint.user_files import is_inside, read_bytes

MOST_MESH_BYTES = 64_000_000
MOST_CORNERS = 1_000_000
FEW_CORNERS = 64
"""Corners of a mesh that are taken as they are [-]."""
HEADER, TRIANGLE = 84, 50
"""Bytes of a binary STL file's head, and of each of its triangles."""


def find_file(node: Element, name: str, folder: Path, beside: Path) -> Path:
    """The file that an element names; raises BadFile if it is outside the folder."""
    bare = name.removeprefix("file://")
    if bare.startswith("package://"):
        package, _, rest = bare.removeprefix("package://").partition("/")
        places = [folder / rest, folder / package / rest]
    else:
        places = [beside / bare]
    for place in places:
        if not is_inside(folder, place):
            raise node.wrong(f"names {name[:120]!r}, must be inside the folder {folder}")
    try:
        found = next((place for place in places if place.is_file()), None)
    except OSError:  # a name that is too long
        found = None
    if found is None:
        raise node.wrong(f"names {name[:120]!r}, which is not in the folder {folder}")
    return found


def read_mesh(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Corners of its convex hull, shape (n, 3), and all triangles, shape (m, 3, 3), as the file has them."""
    try:
        found = path.stat()
    except OSError as error:
        raise BadFile(path, f"cannot be read ({error.strerror})") from None
    return _mesh_of(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=16)
def _mesh_of(path: Path, _changed: int, _size: int) -> tuple[np.ndarray, np.ndarray]:
    """A mesh as it was last changed: modules of a robot share theirs."""
    ending = path.suffix.lower()
    if ending not in (".stl", ".obj"):
        raise BadFile(path, f"is a mesh that ends in {ending or 'nothing'!r}, must be .stl or .obj")
    data = read_bytes(path, MOST_MESH_BYTES)
    faces = _stl(path, data) if ending == ".stl" else None
    corners, faces = (faces.reshape(-1, 3), faces) if faces is not None else _obj(path, data)
    if len(corners) > MOST_CORNERS * 3:
        raise BadFile(path, f"has more than {MOST_CORNERS:,} corners")
    if len(corners) < 1 or not (np.abs(corners) <= LARGEST).all():
        raise BadFile(path, f"must hold corners, each of them finite and within {LARGEST:g}")
    return _hull_of(np.unique(corners, axis=0)), faces


def _hull_of(corners: np.ndarray) -> np.ndarray:
    """The corners that decide how far a mesh reaches: a large one has few of them."""
    if len(corners) <= FEW_CORNERS:
        return corners
    try:
        return np.asarray(corners[ConvexHull(corners).vertices])
    except QhullError:  # a flat one
        return corners


def _stl(path: Path, data: bytes) -> np.ndarray:
    count = int.from_bytes(data[80:HEADER], "little") if len(data) >= HEADER else -1
    if len(data) == HEADER + TRIANGLE * count:
        rows = np.frombuffer(data, dtype=np.uint8, offset=HEADER).reshape(count, TRIANGLE)
        numbers = np.ascontiguousarray(rows[:, 12:48]).view("<f4").reshape(count, 3, 3)
        with np.errstate(invalid="ignore"):  # not-a-numbers are refused by the caller
            return numbers.astype(float)
    words = [line.split() for line in data.decode("latin-1").splitlines() if line.lstrip().startswith("vertex")]
    if not data.lstrip()[:5].lower() == b"solid" or len(words) % 3:
        raise BadFile(path, "is no STL file, or one that is cut short")
    return _rows(path, [each[1:] for each in words]).reshape(-1, 3, 3)


def _rows(path: Path, words: list[list[str]]) -> np.ndarray:
    try:
        found = np.array([[float(word) for word in each[:3]] for each in words], dtype=float)
    except ValueError:
        raise BadFile(path, "has a corner that is not three numbers") from None
    if found.size and found.shape[1:] != (3,):
        raise BadFile(path, "has a corner that is not three numbers")
    return found.reshape(-1, 3)


def _obj(path: Path, data: bytes) -> tuple[np.ndarray, np.ndarray]:
    lines = [line.split() for line in data.decode("latin-1").splitlines() if line[:2] in ("v ", "f ")]
    corners = _rows(path, [line[1:] for line in lines if line[0] == "v"])
    triangles: list[tuple[int, int, int]] = []
    for line in lines:
        if line[0] == "f":
            try:
                at = [int(word.partition("/")[0]) for word in line[1:]]
            except ValueError:
                raise BadFile(path, f"has a face {' '.join(line[1:5])[:40]!r}, must be numbers of corners") from None
            at = [k - 1 if k > 0 else len(corners) + k for k in at]
            if not all(0 <= k < len(corners) for k in at):
                raise BadFile(path, f"has a face with a corner that is not among its {len(corners)}")
            triangles += [(at[0], at[k], at[k + 1]) for k in range(1, len(at) - 1)]
    return corners, corners[np.array(triangles, dtype=int).reshape(-1, 3)]
