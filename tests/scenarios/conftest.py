"""A folder to run commands in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pushpoint.cli import outputs


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty working folder; compilation, should it happen, is not announced."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(outputs, "PATIENCE", 600.0)
    yield tmp_path
