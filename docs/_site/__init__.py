"""Our own Sphinx extension: generated parts of pages, links to files outside docs/, equations without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    from _site import equations, fill, outside_links  # tests read the generated parts without Sphinx

    for part in (equations, fill, outside_links):
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
