"""All checks, in the order of the report."""

from __future__ import annotations

from pushpoint.proof.check import GROUPS, Check


def checks() -> tuple[Check, ...]:
    """Every check, by group."""
    from pushpoint.proof.checks import (
        conservation,
        determinism,
        engines,
        event_sequences,
        impacts,
        link_numbers,
        resting,
        rolling,
        sliding,
        solvers,
        sticking,
        time_steps,
    )
    from pushpoint.proof.checks.capstan import laws as capstan

    modules = (
        sticking, sliding, rolling, impacts, resting, capstan, conservation, time_steps, event_sequences, link_numbers,
        solvers, engines, determinism,
    )  # fmt: skip
    found = [check for module in modules for check in module.CHECKS]
    return tuple(sorted(found, key=lambda check: list(GROUPS).index(check.group)))
