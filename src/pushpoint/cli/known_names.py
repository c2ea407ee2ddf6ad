"""Names that the command line knows without loading what they name: of experiments, robots, controllers and papers.

They are kept in a file, because finding them loads every room of the papers, which is too slow for a shell that
completes a word. `python -m pushpoint.cli.known_names` writes the file anew; the tests hold it against the rooms.
"""

from __future__ import annotations

import json
import textwrap
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_suffix(".json")
LONGEST_TITLE = 60
"""Characters of a title beside its name in a shell."""


class Listed(NamedTuple):
    """One line of `pushpoint list`."""

    command: str
    """The command that runs it: run or sweep."""
    name: str
    """Its name, such as transeth2008a/flat."""
    title: str
    """One line that says what happens."""
    robot: str
    """Name of its robot; of a sweep, that of its first world."""


class Names(NamedTuple):
    """All that is kept."""

    experiments: list[Listed]
    robots: list[str]
    """Of the catalogue."""
    controllers: list[str]
    """Those that `pushpoint compare` takes."""
    papers: list[str]
    """Those that `pushpoint reproduce` takes."""

    def text(self) -> str:
        """As the file has it."""
        rows = [each._asdict() for each in self.experiments]
        return json.dumps(self._asdict() | {"experiments": rows}, indent=1, ensure_ascii=False) + "\n"


@cache
def known_names() -> Names:
    """The names as they are kept."""
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    return Names(**kept | {"experiments": [Listed(**each) for each in kept["experiments"]]})


def found_names(*, experiments: bool = True) -> Names:
    """The names as the rooms have them; experiments are built for their robots, which takes seconds."""
    from pushpoint.model.catalogue import ROBOTS
    from pushpoint.papers.citations import PAPERS
    from pushpoint.papers.registry import scenario, scenario_titles, sweep_titles
    from pushpoint.studies.controllers import BUILDERS

    listed = [
        Listed(command, name, title, scenario(name).world.robot.name)
        for command, titles in (("run", scenario_titles()), ("sweep", sweep_titles()))
        for name, title in (titles.items() if experiments else ())
    ]
    return Names(listed, list(ROBOTS), list(BUILDERS), list(PAPERS))


def _titles(command: str) -> list[tuple[str, str]]:
    """Names and titles of what a command runs; long titles are cut, because typer would break them into lines."""
    found = [each for each in known_names().experiments if each.command == command]
    return [(each.name, textwrap.shorten(each.title, LONGEST_TITLE, placeholder=" ...")) for each in found]


def complete_experiments(incomplete: str) -> list[tuple[str, str]]:
    """Names and titles of runs that a word may become, and scenario files in the current folder."""
    files = sorted(file.name for ending in ("*.yaml", "*.yml") for file in Path().glob(ending))
    titles = _titles("run")
    return [
        each for each in [*titles, *((file, "a scenario file") for file in files)] if each[0].startswith(incomplete)
    ]


def complete_sweeps(incomplete: str) -> list[tuple[str, str]]:
    """Names and titles of sweeps that a word may become."""
    return [each for each in _titles("sweep") if each[0].startswith(incomplete)]


def complete_robots(incomplete: str) -> list[str]:
    """Names of robots of the catalogue that a word may become."""
    return [name for name in known_names().robots if name.startswith(incomplete)]


def complete_controllers(incomplete: str) -> list[str]:
    """Names of controllers that a word may become."""
    return [name for name in known_names().controllers if name.startswith(incomplete)]


def complete_papers(incomplete: str) -> list[str]:
    """Names of papers that a word may become."""
    return [name for name in known_names().papers if name.startswith(incomplete)]


if __name__ == "__main__":
    from pushpoint.whole_files import write_bytes

    write_bytes(FILE, found_names().text().encode())
