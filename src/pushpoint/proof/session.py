"""Running checks one after the other; what is finished is kept in a file, so that a stopped session goes on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from pushpoint.errors import PushpointError
from pushpoint.proof.check import GROUPS, Check, CheckResult, Finding, Peer, PeerResult
from pushpoint.simulation.provenance import version_of
from pushpoint.simulation.result_log import ResultLog, source_digest

LOG = "finished.jsonl"
"""Finished checks, in the folder of the results."""
NOT_INSTALLED = "MuJoCo is not installed; pip install 'pushpoint[bench]' brings it"


def sources() -> str:
    """What a kept result must come from: these files of the package, these libraries, this MuJoCo or none."""
    return f"{source_digest()} mujoco {version_of('mujoco')}"


def run_check(check: Check) -> CheckResult:
    """One check and, where it is installed and makes sense, MuJoCo beside it; a failed run is a failed check."""
    begun = time.perf_counter()
    failure, finding = "", Finding(error=math.nan)
    try:
        finding = check.measure()
    except PushpointError as error:
        failure = str(error)
    if not failure and not math.isfinite(finding.error):
        failure = "the error is not a number"
    peer = None if check.peer is None else _ask_peer(check.peer)
    return CheckResult(
        id=check.id,
        group=check.group,
        statement=check.statement,
        expected_from=check.expected_from,
        error_is=check.error_is,
        measured=_number(finding.error),
        tolerance=check.tolerance,
        unit=check.unit,
        reason=check.reason,
        passed=check.passes(finding.error),
        seconds=time.perf_counter() - begun,
        values={name: _number(value) for name, value in finding.values.items()},
        mujoco=peer,
        failure=failure,
        plot=finding.plot,
    )


def run_checks(
    checks: Sequence[Check], folder: Path, begin: Callable[[str], None] = lambda name: None
) -> Iterator[CheckResult]:
    """Results in the order of the checks; those that the folder has from the same sources are not made again."""
    log = ResultLog(folder / LOG, sources())
    for check in checks:
        begin(check.id)
        if check.id in log:
            yield CheckResult.from_plain(log.get(check.id))
            continue
        result = run_check(check)
        log.add(check.id, result.as_plain())
        yield result


def counts(results: Sequence[CheckResult]) -> dict[str, Any]:
    """How many checks there are, passed and failed, in all and by group."""
    groups = {}
    for group in GROUPS:
        passed = [result.passed for result in results if result.group == group]
        if passed:
            groups[group] = {"checks": len(passed), "passed": sum(passed), "failed": len(passed) - sum(passed)}
    total = sum(result.passed for result in results)
    return {"checks": len(results), "passed": total, "failed": len(results) - total, "groups": groups}


def document_of(results: Sequence[CheckResult]) -> dict[str, Any]:
    """All results in JSON types; the numbers behind the pictures are left out."""
    checks = [result.as_plain() for result in results]
    for check in checks:
        del check["plot"]
    return {"checks": checks, "counts": counts(results)}


def complaint(results: Sequence[CheckResult]) -> str:
    """A sentence that names the checks that failed; empty if none did."""
    failed = [result.id for result in results if not result.passed]
    if not failed:
        return ""
    return f"{len(failed)} of {len(results)} checks failed: {', '.join(failed)}"


def _ask_peer(peer: Peer) -> PeerResult:
    try:
        mujoco = import_module("mujoco")
    except ImportError:
        return PeerResult(measured=None, note=NOT_INSTALLED)
    return PeerResult(measured=_number(peer.measure(mujoco)), note=peer.note)


def _number(value: float) -> float | None:
    """JSON has neither NaN nor infinity."""
    return float(value) if math.isfinite(value) else None
