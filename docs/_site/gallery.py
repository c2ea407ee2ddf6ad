"""The gallery: a picture of every published experiment, with the command that makes it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from _site.markdown import prose
from pushpoint.papers.registry import scenario_titles, sweep_titles

IMAGES = Path(__file__).parents[1] / "images" / "gallery"


def gallery() -> str:
    """A section per paper; each experiment as a card: its picture, if there is one, its title and its command."""
    parts = []
    for paper, group in groupby(_experiments(), key=lambda each: each[0].partition("/")[0]):
        cards = [_card(name, title, verb) for name, title, verb in group]
        parts += [f"## {paper[:1].upper() + paper[1:]}", '<div class="gallery">', *cards, "</div>"]
    return "\n\n".join(parts)


def _experiments() -> Iterator[tuple[str, str, str]]:
    """Name, title and verb of each; papers in the order of the registry, runs before sweeps."""
    found = [(name, title, "run") for name, title in scenario_titles().items()]
    found += [(name, title, "sweep") for name, title in sweep_titles().items()]
    papers = list(dict.fromkeys(name.partition("/")[0] for name, _, _ in found))
    yield from sorted(found, key=lambda each: papers.index(each[0].partition("/")[0]))


def _card(name: str, title: str, verb: str) -> str:
    picture = IMAGES / f"{name.replace('/', '-')}.png"
    image = f"![{name}](images/gallery/{picture.name})" if picture.is_file() else ""
    short = name.partition("/")[2] or name
    command = f"```sh\npushpoint {verb} {name}\n```"
    parts = ('<div class="card">', f"**{short}**", image, prose(title), command, "</div>")
    return "\n\n".join(part for part in parts if part)
