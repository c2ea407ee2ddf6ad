"""What the audit of dependencies says: nothing audited is no success."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.dependency_audit import sentence

FINE: dict[str, Any] = {"name": "a", "version": "1", "vulns": []}
WRONG: dict[str, Any] = {"name": "b", "version": "1", "vulns": [{"id": "X-1", "fix_versions": []}]}
SKIPPED: dict[str, Any] = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("found", "status", "words"),
    [
        ([], 2, "nothing was audited"),
        ([SKIPPED], 2, "nothing was audited"),
        ([FINE, SKIPPED], 0, "1 of 2 dependencies audited, 0 with known vulnerabilities"),
        ([FINE, WRONG], 1, "2 of 2 dependencies audited, 1 with known vulnerabilities"),
    ],
)
def test_what_is_said(found: list[dict[str, Any]], status: int, words: str) -> None:
    said, ended = sentence(found)
    assert words in said and ended == status
