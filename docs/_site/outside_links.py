"""Links from a page to files of the repository that are not on the site: tests, the README, programs.

Where `[tool.pushpoint.release]` in pyproject.toml names the repository, they lead there, to the tag of this version.
Without it they are plain code, never broken links.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

LOG = logging.getLogger(__name__)


def pages(root: Path) -> str:
    """The address of a file on the forge, with {version} and {path} in it; empty while there is no repository."""
    with (root / "pyproject.toml").open("rb") as file:
        setting: dict[str, str] = tomllib.load(file)["tool"]["pushpoint"]["release"]
    repository = setting["repository"].rstrip("/")
    return setting["pages"].replace("{repository}", repository) if repository else ""


class OutsideLinks(SphinxTransform):
    """Replaces links that leave docs/ before Sphinx looks for their pages."""

    default_priority = 500

    def apply(self, **_: Any) -> None:
        """Called for each page."""
        for link in list(self.document.findall(nodes.Element)):
            target, _, anchor = written_target(link).partition("#")
            of_the_site = link.get("refdomain") == "doc"  # MyST names pages from the folder of all pages
            page = Path(self.env.srcdir, "index.md") if of_the_site else Path(self.env.doc2path(self.env.docname))
            path = (page.parent / unquote(target)).resolve()
            if of_the_site and not path.exists():
                path = path.with_name(path.name + ".md")
            if target and self.leaves(path):
                self.replace(link, path, anchor or link.get("reftargetid") or "")

    @property
    def docs(self) -> Path:
        """The folder of all pages; the folder above it is the repository."""
        return Path(self.env.srcdir).resolve()

    def leaves(self, path: Path) -> bool:
        """Whether a path is in the repository but no part of the site."""
        if not path.is_relative_to(self.docs.parent):
            return False
        return not path.is_relative_to(self.docs) or (path.exists() and path.suffix not in (".md", ".ipynb"))

    def replace(self, link: nodes.Element, path: Path, anchor: str) -> None:
        """A link to the forge, or code."""
        name = path.relative_to(self.docs.parent).as_posix()
        if not path.exists():
            LOG.warning("no such file: %s", name, location=link)
        if self.config.outside_pages:
            address = self.config.outside_pages.format(version=self.config.version, path=name)
            address += f"#{anchor}" if anchor else ""
            made: nodes.Node = nodes.reference("", "", *link.children, refuri=address)
        elif list(link.findall(nodes.image)):
            made = nodes.inline("", "", *link.children)
        else:
            made = nodes.literal("", link.astext())
        link.replace_self(made)


def written_target(node: nodes.Element) -> str:
    """The relative path that a link in the page's source names; nothing for other nodes."""
    if isinstance(node, addnodes.pending_xref | addnodes.download_reference):
        return str(node.get("reftarget", ""))
    address = str(node.get("refuri", "")) if isinstance(node, nodes.reference) else ""
    return "" if ":" in address else address


def setup(app: Sphinx) -> None:
    """Called by the extension."""
    app.add_config_value("outside_pages", lambda config: pages(Path(app.srcdir).parent), "env", str)
    app.add_transform(OutsideLinks)
