"""Numbers, origins and paragraphs as the pages on speed write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def short(value: float) -> str:
    """Two digits, without an exponent."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def paragraphs(*parts: str) -> str:
    """Parts of a page, with an empty line between them."""
    return "\n\n".join(parts)


def origin(timed: Mapping[str, Any], how: str) -> str:
    """How it was measured, on what."""
    machine = timed.get("machine", {})
    versions = ", ".join(f"{name} {version}" for name, version in machine.get("versions", {}).items())
    where = f"; {_unmarked(machine['processor'])}, {machine['cores']} cores; {versions}" if machine else ""
    return f"*{how[:1].upper() + how[1:]}{where}.*"


def _unmarked(processor: str) -> str:
    """A processor's name without the signs of registered marks."""
    return processor.replace("(R)", "").replace("(TM)", "")
