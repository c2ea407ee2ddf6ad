"""Results of long work as they come, one line of JSON each, so that work that was stopped goes on where it was.

A line counts only for the sources that made it: what another state of the package found is never taken for its own.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from pushpoint.errors import BadFile
from pushpoint.simulation.provenance import PACKAGES, version_of

PACKAGE = Path(__file__).resolve().parents[1]


@cache
def source_digest() -> str:
    """Digest of all Python files of the package, by their place and content, and of the libraries' versions."""
    digest = hashlib.sha256(repr([version_of(name) for name in PACKAGES]).encode())
    for file in sorted(PACKAGE.rglob("*.py")):
        digest.update(str(file.relative_to(PACKAGE)).encode())
        digest.update(b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


class ResultLog:
    """Results by a key, in a file of JSON lines: {"key", "source", "result"}."""

    def __init__(self, path: str | os.PathLike[str], source: str | None = None) -> None:
        """Opens the log; without `source` it is for the package's sources as they are."""
        self.path = Path(path)
        self.source = source_digest() if source is None else source
        self._found = self._read()

    def _read(self) -> dict[str, Any]:
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise BadFile(self.path, f"cannot be read ({error})") from None
        found = {}
        for line in lines:
            try:
                entry = json.loads(line)
                if entry["source"] == self.source:
                    found[entry["key"]] = entry["result"]
            except (ValueError, KeyError, TypeError):
                continue  # the last line of work that was killed may be cut short
        return found

    def __contains__(self, key: str) -> bool:
        return key in self._found

    def get(self, key: str) -> Any:
        """The result under a key, or None."""
        return self._found.get(key)

    def add(self, key: str, result: Any) -> None:
        """Writes a result, in JSON types, at once."""
        line = json.dumps({"key": key, "source": self.source, "result": result}, allow_nan=False)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            cut = self._cut_short()
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(("\n" if cut else "") + line + "\n")
        except OSError as error:
            raise BadFile(self.path, f"cannot be written ({error.strerror})") from None
        self._found[key] = result

    def _cut_short(self) -> bool:
        """Whether the file ends within a line."""
        if not self.path.exists() or self.path.stat().st_size == 0:
            return False
        with open(self.path, "rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"
