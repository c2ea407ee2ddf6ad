"""Texts of users stay texts: in pages, replays, notebooks and figures nothing of them is markup, script or formula."""

from __future__ import annotations

import html
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import xarray

import pushpoint as pp
from oracles.described import first
from pushpoint import plots
from pushpoint.description.runs import run_text
from pushpoint.pages.page import build_page, templates
from pushpoint.replays.replay import Shown, build_replay
from pushpoint.scenery.drawn_run import read_run
from pushpoint.simulation.provenance import experiment_of

HARMLESS = "plain words"
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title><script>alert(1)</script>",
    "</script></style></body>",
    "' onmouseover='alert(1)",
    "{{7*7}}{% include 'page.html' %}",
    "$\\frac{x$ and <b>",
    "]]><!-- a comment",
]


class Skeleton(HTMLParser):
    """Tags and names of attributes, in their order: what a page is, whatever its texts say."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.tags.append((f"/{tag}", ()))

    def handle_comment(self, data: str) -> None:
        self.tags.append(("a comment", ()))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def claims_page(text: str) -> str:
    one = {name: text for name in ("id", "where", "statement", "reason", "failure", "tolerance", "wanted")}
    finding = one | {"verdict": "reproduced", "as_wanted": False, "measured": {text: 1.0}}
    deviation = {"number": text, "kind": text, "sentence": text, "claims": [text]}
    reported = {name: text for name in ("what", "result", "error", "ours", "origin", "where", "note")}
    group = {"findings": [finding], "deviations": [deviation], "reported": [reported], "reported_titles": [text] * 7}
    group |= {"paper_numbers": {text: [reported]}}
    return judgement("claims", text, group, [finding])


def checks_page(text: str) -> str:
    one = {name: text for name in ("id", "statement", "error_is", "failure", "expected_from", "reason", "unit")}
    peer = {"measured": 1.0, "note": text}
    numbers = {"measured": 1.0, "tolerance": 1.0, "verdict": text, "as_wanted": True, "mujoco": peer}
    finding = one | numbers | {"values": {text: 1.0}}
    return judgement("checks", text, {"findings": [finding]}, [finding])


def judgement(items: str, text: str, group: dict[str, Any], listed: list[Any]) -> str:
    words = {name: text for name in ("key", "where", "shows", "check", "caption", "alt")} | {"claims": [text]}
    drawn = [words | {"picture": text}, words | {"picture": b"png"}]
    about = {"name": text, "title": text, "anchor": text, "about": text, "tally": {text: 1}, "figures": drawn}
    words = {name: text for name in ("title", "subtitle", "complaint")}
    return build_page(
        "judgement.html", **words, items=items, basis=[text], verdicts=(text,), listed=listed, summary=(text, text),
        groups=[about | group], tally={text: 1}, origin={text: text},
    )  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("page", [claims_page, checks_page], ids=["claims", "checks"])
def test_a_report_is_the_same_page_whatever_its_texts_say(page: Any, text: str) -> None:
    expected, found = Skeleton(page(HARMLESS)), Skeleton(page(text))
    assert found.tags == expected.tags and len(found.tags) > 50
    assert not any(name.startswith("on") for _, names in found.tags for name in names)
    assert text in "".join(found.texts)


def test_every_template_escapes() -> None:
    assert templates().autoescape is True


def named(run: xarray.Dataset, text: str) -> xarray.Dataset:
    """A run whose name, title, source and robot are called so, as one from elsewhere may be."""
    whole = experiment_of(run)
    world = replace(whole.worlds[0], robot=replace(whole.worlds[0].robot, name=text))
    renamed = whole._replace(name=text, title=text, source=text, worlds=(world,))
    return run.assign_attrs(description=run_text(renamed, {}))


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    return first(pp.scenario("transeth2008a/obstacle-aided").with_changes(duration=0.02).run(), 2)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_replay_and_a_notebook_show_the_name_as_text(text: str, run: xarray.Dataset) -> None:
    page = build_replay(read_run(named(run, text)))
    assert f"<title>{html.escape(text)}</title>" in page and text not in page
    shown = Skeleton(Shown(page)._repr_html_())
    assert shown.tags == [("iframe", ("srcdoc", "style")), ("/iframe", ())]


def test_a_replay_is_the_same_page_whatever_the_run_is_called(run: xarray.Dataset) -> None:
    pages = [Skeleton(build_replay(read_run(named(run, text)))) for text in (HARMLESS, "".join(HOSTILE))]
    assert pages[0].tags == pages[1].tags and "".join(HOSTILE) in pages[1].texts


def test_names_are_no_formulas_in_figures_and_films(run: xarray.Dataset, tmp_path: Path) -> None:
    hostile = named(run, "$\\frac{x$ <b>")
    assert plots.save_figure(plots.joints(hostile), tmp_path / "joints.png").stat().st_size > 0
    assert pp.film(hostile, tmp_path / "run.mp4").stat().st_size > 0
