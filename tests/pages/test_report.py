"""The pages of proof: contents that stay, one anchor per claim, words beside names, figures one per row, readable."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from matplotlib.figure import Figure

from pushpoint.pages.page import figure_png, templates
from pushpoint.papers.writing import figures_of
from pushpoint.proof.judgement import Finding
from pushpoint.proof.reproduction import Reproduction, claims_of
from pushpoint.proof.verification import Verification, all_checks

PAPER = "transeth2008a"
VOID = {"meta", "link", "img", "br", "input", "col"}


class Outline(HTMLParser):
    """Headings, pictures, and texts by the element with an id in which they stand."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.alts: list[str] = []
        self.open: list[tuple[str, str]] = []
        self.texts: dict[str, str] = {}
        self.links: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag == "img":
            self.alts.append(given.get("alt") or "")
        if tag not in VOID:
            self.open.append((tag, given.get("id") or ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1][0] == tag, f"</{tag}> closes {self.open[-1]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for _tag, name in self.open:
            if name:
                self.texts[name] = self.texts.get(name, "") + data


@pytest.fixture(scope="module")
def claims() -> str:
    """A page of one paper, its findings made up from the registry."""
    drawing = figure_png(Figure(figsize=(1.0, 1.0)))
    findings = []
    for one in claims_of(PAPER):
        report = {name: getattr(one.claim, name) for name in ("id", "where", "statement", "tolerance", "reason")}
        report |= {"measured": {"speed_cm_per_s": -1.05}, "failure": "", "seconds": 0.1}
        verdict = one.claim.recorded
        findings.append(Finding(group=PAPER, verdict=verdict, wanted=verdict, report=report))
    return Reproduction(findings=findings, pictures={one.key: drawing for one in figures_of(PAPER)}).page()


@pytest.fixture(scope="module")
def checks() -> str:
    """A page of all checks, with made-up errors and one picture."""
    plot = {"title": "Order 1.00", "labels": ("x", "y"), "curves": [("a", [1.0, 2.0], [1.0, 2.0], False)]}
    findings = []
    for number, one in enumerate(all_checks()):
        report: dict[str, Any] = {name: getattr(one, name) for name in ("id", "group", "statement", "expected_from")}
        report |= {name: getattr(one, name) for name in ("error_is", "tolerance", "unit", "reason")}
        report |= {"measured": 0.0, "values": {"way_m": 1.0}, "failure": "", "seconds": 0.1, "passed": True}
        report |= {"mujoco": None if one.peer is None else {"measured": 0.5, "note": "as it is"}}
        told = None if number else plot
        findings.append(Finding(group=one.group, verdict="passed", wanted="passed", report=report, plot=told))
    return Verification(findings=findings).page()


@pytest.fixture(params=["claims", "checks"])
def page(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


def part(page: str, begin: str, end: str) -> str:
    return page[page.index(begin) :].partition(end)[0]


def test_headings_come_in_order(page: str) -> None:
    levels = Outline(page).levels
    assert levels[0] == 1 and levels.count(1) == 1 and len(levels) > 10
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_pictures_are_told_in_words(page: str) -> None:
    alts = Outline(page).alts
    assert alts and all(len(alt.split()) >= 4 for alt in alts)


def test_contents_name_every_item_with_its_sentence(claims: str, checks: str) -> None:
    side = part(claims, "<nav", "</nav>")
    assert 'href="#TA7"' in side and "With a phase shift of −70 deg" in side and 'href="#transeth2008a"' in side
    assert side.count('href="#TA') == 21
    side = part(checks, "<nav", "</nav>")
    assert 'href="#stick-load"' in side and "A bent chain whose links are pushed" in side


def test_contents_stay_beside_the_page_and_fold_on_phones() -> None:
    style, *_ = templates().loader.get_source(templates(), "style.css")  # type: ignore[union-attr]
    assert re.search(r"nav\s*\{[^}]*position: sticky", style)
    narrow = style[style.index("@media (max-width: 900px)") :]
    assert "#fold:not(:checked)" in narrow
    assert not re.search(r"[^-]columns:", style) and "@media print" in style


def test_each_claim_has_a_place_with_the_papers_number_beside_ours(claims: str) -> None:
    texts = Outline(claims).texts
    card = " ".join(texts["TA1"].split())
    assert card.startswith("TA1 On flat ground with isotropic friction the robot goes slowly backward")
    assert 0 < card.index("≈ −1 cm/s: mean speed of the middle link") < card.index("speed: −1.05 cm/s")
    assert "VIII-D.1, Fig. 13" in card and "experiment and simulation" in card
    # The figures that show it, and back from there.
    assert 'href="#transeth2008a-fig-13"' in part(claims, '<article id="TA1"', "</article>")
    shown = part(claims, '<figure id="transeth2008a-fig-13"', "</figure>")
    assert 'href="#TA1"' in shown and "On flat ground with isotropic friction" in shown


def test_deviations_name_their_claims_in_words(claims: str) -> None:
    texts = Outline(claims).texts
    assert "Small obstacles give almost the same path as large ones" in texts["D13"]
    assert 'href="#D13"' in part(claims, '<article id="TA4"', "</article>")


def test_a_check_has_its_picture_and_its_peer_with_it(checks: str) -> None:
    card = part(checks, '<article id="stick-load"', "</article>")
    assert "<img" in card and "Coulomb" in card and "Tolerance" in card
    table = part(checks, '<h2 id="mujoco"', "</table>")
    assert "A block stands still for 10 s" in table  # not the name alone


def luminance(color: str) -> float:
    """Relative luminance of #rrggbb, as accessibility guidelines define it."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(scheme: str) -> None:
    style, *_ = templates().loader.get_source(templates(), "style.css")  # type: ignore[union-attr]
    roots = re.findall(r":root \{([^}]*)\}", style)
    colors = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", roots[("light", "dark").index(scheme)]))
    for text in ("ink", "grey", "good", "fair", "bad", "link"):
        for ground in ("page", "card"):
            light, dark = sorted((luminance(colors[text]), luminance(colors[ground])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, f"{scheme}: {text} on {ground}"
