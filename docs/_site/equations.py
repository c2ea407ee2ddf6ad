"""Equations are drawn by MathJax from an installed package, so that pages ask nothing of the network."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.fileutil import copy_asset

PACKAGE = "sphinx-mathjax-offline"
SCRIPT = "tex-svg.js"  # one file that needs no fonts


def script() -> Path:
    """MathJax, as the package has it."""
    found = find_spec(PACKAGE)
    assert found is not None and found.origin is not None, f"{PACKAGE} is not installed"
    return Path(found.origin).parent / "static" / "mathjax" / SCRIPT


def copy_script(app: Sphinx, failure: Exception | None) -> None:
    """Puts it beside the pages; the rest of the package, 24 MB, stays where it is."""
    if failure is None and app.builder.format == "html":
        copy_asset(script(), Path(app.outdir) / "_static" / "mathjax")


def setup(app: Sphinx) -> None:
    """Called by the extension."""
    app.setup_extension("sphinx.ext.mathjax")
    app.config.mathjax_path = f"mathjax/{SCRIPT}"
    app.connect("build-finished", copy_script)
