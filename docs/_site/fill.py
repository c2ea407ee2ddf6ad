"""Pages say with a comment where a generated part belongs: <!-- fill: command-line -->. It is put there as Markdown.

The parts are made from the package itself while the site is built, so that nothing is written twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from _site import commands, gallery, python_api, result_variables, rooms, scenario_keys

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

FILL = re.compile(r"^<!-- fill: (\S+)((?:\s+\S+)*?) -->$", re.MULTILINE)
PARTS: dict[str, Callable[..., str]] = {
    "command-line": commands.command_line,
    "gallery": gallery.gallery,
    "python": python_api.entries,
    "quantities": python_api.quantities,
    "result-attributes": result_variables.attributes,
    "result-variables": result_variables.variables,
    "rooms": rooms.rooms,
    "scenario-keys": scenario_keys.sections,
}


def filled(text: str) -> str:
    """A page with its generated parts; what stands behind the part's name is given to the function that makes it."""
    return FILL.sub(lambda match: PARTS[match[1]](*match[2].split()), text)


def fill(app: Sphinx, page: str, source: list[str]) -> None:
    """Called by Sphinx with the text of each page."""
    source[0] = filled(source[0])


def outdated(app: Sphinx, env: BuildEnvironment, *_changes: object) -> list[str]:
    """Pages with generated parts are read again in every build: the package may have changed."""
    return [page for page in env.all_docs if FILL.search(Path(env.doc2path(page)).read_text(encoding="utf-8"))]


def setup(app: Sphinx) -> None:
    """Called by the extension."""
    app.connect("source-read", fill)
    app.connect("env-get-outdated", outdated)
