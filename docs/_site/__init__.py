"""Our own Sphinx extension: generated parts of pages, links to files outside docs/, equations without a network."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def not_of_an_empty_section(record: logging.LogRecord) -> bool:
    """A section of the front page may have no page yet; Sphinx gives that warning no name to suppress it by."""
    return "toctree glob pattern" not in str(record.msg)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    from _site import equations, fill, outside_links  # tests read the generated parts without Sphinx

    logging.getLogger("sphinx.sphinx.directives.other").addFilter(not_of_an_empty_section)
    for part in (equations, fill, outside_links):
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
