"""All checks, a file per subject."""

from __future__ import annotations

from importlib import import_module

from pushpoint.proof.check import GROUPS, Check

SUBJECTS = (
    "sliding", "rolling", "impacts", "capstan", "conservation", "time_steps", "orders", "link_numbers", "solvers",
    "engines",
)  # fmt: skip


def checks() -> tuple[Check, ...]:
    """Every check that stands in a file of SUBJECTS, by group."""
    modules = (import_module(f"pushpoint.proof.checks.{subject}") for subject in SUBJECTS)
    found = [one for module in modules for one in vars(module).values() if isinstance(one, Check)]
    return tuple(sorted(found, key=lambda check: list(GROUPS).index(check.group)))
