"""What a folder of results must be, whenever its command was stopped: whole files, all of one run."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

from pushpoint.simulation.run_ids import run_id_of
from pushpoint.simulation.storage import load


def _png(content: bytes) -> bool:
    return content.startswith(b"\x89PNG\r\n\x1a\n") and content.endswith(b"IEND\xaeB`\x82")


def _json(content: bytes) -> bool:
    json.loads(content)
    return content.endswith(b"}\n")


def _mp4(content: bytes) -> bool:
    """Boxes that fill the file to its end, with an index among them."""
    place, kinds = 0, set()
    while place < len(content):
        size, kind = struct.unpack(">I4s", content[place : place + 8])
        kinds.add(kind)
        place += size or len(content) - place
    return place == len(content) and {b"ftyp", b"moov", b"mdat"} <= kinds


def _html(content: bytes) -> bool:
    return content.rstrip().endswith(b"</html>")


def _csv(content: bytes) -> bool:
    rows = content.decode().splitlines()
    return content.endswith(b"\n") and len({row.count(",") for row in rows}) == 1


KINDS: dict[str, Callable[[bytes], bool]] = {
    ".png": _png, ".json": _json, ".mp4": _mp4, ".html": _html, ".csv": _csv,
}  # fmt: skip


def names(folder: Path) -> set[str]:
    """Files of a folder, hidden ones too."""
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def check_folder(folder: Path, made: frozenset[str]) -> None:
    """Raises if a file under a final name is not whole, or if two are of different runs."""
    ids = {}
    for name in sorted(names(folder) & made):
        file = folder / name
        if file.suffix == ".nc":
            ids[name] = load(file).attrs["run_id"]
            continue
        try:
            fine = KINDS[file.suffix](file.read_bytes())
        except (ValueError, struct.error) as error:
            raise AssertionError(f"{name} is half a file: {error}") from None
        assert fine, f"{name} is half a file"
        ids[name] = run_id_of(file)
    known = {each for each in ids.values() if each is not None}
    assert len(known) <= 1, f"files of several runs: {ids}"


def kept_batches(store: Path) -> dict[str, bytes]:
    """Finished parts of long work, by the names of their files."""
    return {file.name: file.read_bytes() for file in (store / "batches").glob("[0-9a-f]*")}
