"""The reproduction report: one page with every claim, what we measured, and figures like the papers' own."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence

from pushpoint.pages.page import (
    Html,
    badge,
    build_page,
    element,
    facts,
    figure_columns,
    heading,
    inline_figure,
    join,
    markup,
    paragraph,
    table,
)
from pushpoint.papers.deviations import Deviation, deviations
from pushpoint.proof.claims import PAPERS, Finding, complaint, counts
from pushpoint.proof.reproduction_figures import figures_of
from pushpoint.scenarios.claim import VERDICTS
from pushpoint.simulation.provenance import PACKAGES, version_of

TONES = {"reproduced": "good", "approximate": "fair", "not reproduced": "bad", "not testable": "none"}
UNITS = {
    "cm_per_s": "cm/s",
    "m_per_s": "m/s",
    "ms_per_s": "ms/s",
    "kg_m2": "kg m²",
    "percent": "%",
    "1e_12": "· 10⁻¹²",
    "deg": "°",
    "rad": "rad",
    "Nm": "N m",
    "mm": "mm",
    "cm": "cm",
    "ms": "ms",
    "N": "N",
    "m": "m",
    "s": "s",
}
"""How the units at the end of a measured value's name are written."""
NARROW = "\u202f"
"""A space at which no line breaks."""
MINUS = re.compile(r"(?<![\w-])-(?=\d)")
"""A hyphen that stands for a minus sign."""
SUBTITLE = (
    "Every claim of five papers, judged again by pushpoint. A verdict is “reproduced” if the check below “demanded” "
    "passes, “approximate” if it does in part, and each verdict must be the one on record. All figures are simulations."
)
NUMBERS = "The numbers are those of docs/deviations.md, where the evidence is, with the programs that print it."
EXCEPTION_COLUMNS = ("claim", "verdict", "what the paper says", "why")
DEVIATION_COLUMNS = ("number", "kind", "what and why", "bears on")


def build_reproduction_page(findings: Sequence[Finding], pictures: Mapping[str, bytes | str], source: str) -> str:
    """The whole page.

    Args:
        findings: What was found, by paper.
        pictures: By the keys of the figures a PNG picture, or a sentence that says why there is none.
        source: Digest of the sources that found it.
    """
    papers = [paper for paper in PAPERS if any(finding.paper == paper for finding in findings)]
    parts: list[str] = [_alarm(findings), _summary(findings, papers), _exceptions(findings), _origin(findings, source)]
    for paper in papers:
        parts += _paper(paper, [finding for finding in findings if finding.paper == paper], pictures)
    return build_page("What five papers claim, and what pushpoint finds", SUBTITLE, filter(None, parts))


def _alarm(findings: Sequence[Finding]) -> Html:
    wrong = complaint(findings)
    return paragraph(sentence(wrong), "alarm") if wrong else Html("")


def _summary(findings: Sequence[Finding], papers: Sequence[str]) -> Html:
    found = counts(findings)
    columns = ("paper", "claims", *VERDICTS)
    rows = [
        (element("a", _title(paper), href=f"#{paper}"), str(sum(number.values())), *(str(n) for n in number.values()))
        for paper, number in ((paper, found["papers"][paper]) for paper in papers)
    ]
    rows.append((element("b", "all"), str(found["claims"]), *(str(found[verdict]) for verdict in VERDICTS)))
    return table(columns, rows, numbers=columns[1:])


def _title(paper: str) -> str:
    """Name of a paper as one writes it, such as Transeth2008a."""
    return paper[:1].upper() + paper[1:]


def _exceptions(findings: Sequence[Finding]) -> Html:
    """The claims that are not simply reproduced, with the reason."""
    rows = [
        (
            element("a", one.id, href=f"#{one.id}"),
            _verdict(one),
            sentence(one.statement),
            sentence(one.reason or one.failure),
        )
        for one in findings
        if one.verdict != "reproduced" or not one.as_recorded
    ]
    if not rows:
        return Html("")
    return join((heading(3, "Not simply reproduced"), table(EXCEPTION_COLUMNS, rows, widths=(6, 14, 36, 44))))


def _origin(findings: Sequence[Finding], source: str) -> Html:
    versions = ", ".join(f"{name} {version_of(name)}" for name in PACKAGES)
    spent = sum(finding.seconds for finding in findings)
    return facts(
        {
            "Made by": "pushpoint reproduce",
            "versions": versions,
            "sources": source,
            "checks took": f"{spent:.0f} s",
            "on": time.strftime("%Y-%m-%d"),
        }
    )


def _paper(paper: str, findings: Sequence[Finding], pictures: Mapping[str, bytes | str]) -> list[str]:
    about = [deviation for deviation in deviations() if deviation.paper == paper]
    judged = {finding.id for finding in findings}
    parts: list[str] = [heading(2, _title(paper), paper), paragraph(PAPERS[paper], "subtitle")]
    columns = ("id", "where", "what the paper says", "measured", "demanded", "verdict")
    parts.append(table(columns, [_row(finding, about) for finding in findings], widths=(5, 9, 27, 24, 24, 11)))
    if about:
        parts.append(heading(3, "Deviations and errata"))
        parts.append(paragraph(NUMBERS, "note"))
        parts.append(table(DEVIATION_COLUMNS, [_deviation_row(one, judged) for one in about], widths=(6, 14, 66, 14)))
    drawn = [
        _picture(pictures[figure.key], figure.where, figure.text)
        for figure in figures_of(paper)
        if figure.key in pictures
    ]
    if drawn:
        parts += [heading(3, "Figures"), figure_columns(drawn)]
    return parts


def _row(finding: Finding, about: Sequence[Deviation]) -> tuple[str, ...]:
    said = [markup(sentence(finding.statement))]
    if finding.reason:
        said.append(element("div", sentence(finding.reason), class_="reason"))
    if finding.failure:
        said.append(element("div", sentence(finding.failure), class_="reason bad"))
    numbers = [one.number for one in about if finding.id in one.claims]
    if numbers:
        links = join((element("a", number, href=f"#{number}") for number in numbers), ", ")
        said.append(element("div", join(("see", links), " "), class_="reason"))
    return (
        element("b", finding.id, id=finding.id),
        finding.where,
        join(said),
        measured_markup(finding.measured),
        sentence(finding.tolerance),
        _verdict(finding),
    )


def _verdict(finding: Finding) -> Html:
    word = badge(finding.verdict, TONES[finding.verdict])
    if finding.as_recorded:
        return word
    return join((word, element("div", f"recorded: {finding.recorded_verdict}", class_="badge bad")))


def measured_markup(measured: Mapping[str, float | None]) -> Html:
    """Measured values, one per line: what it is, the number, the unit."""
    return join((measured_text(name, value) for name, value in measured.items()), "<br>")


def measured_text(name: str, value: float | None) -> str:
    """A measured value in words: speed_cm_per_s and -1.05 become `speed: −1.05 cm/s`, number and unit on one line."""
    ending = next((unit for unit in UNITS if name.endswith(f"_{unit}")), "")
    words = (name[: -len(ending) - 1] if ending else name).replace("_", " ")
    if value is None:
        return f"{words}: none"
    unit = UNITS.get(ending, "")
    space = "" if unit in ("", "°") else NARROW
    return f"{words}: {value + 0.0:.4g}".replace("-", "−") + space + unit.replace(" ", NARROW)


def sentence(text: str) -> str:
    """Text as it stands in the page: with a capital, a full stop and true minus signs."""
    text = MINUS.sub("−", text)
    ended = text if not text or text.endswith(".") else f"{text}."
    return ended[:1].upper() + ended[1:]


def _deviation_row(deviation: Deviation, judged: set[str]) -> tuple[str, ...]:
    """One deviation, with links to those of its claims that are in the page."""
    claims = (element("a", name, href=f"#{name}") if name in judged else name for name in deviation.claims)
    bears_on = join(claims, ", ")
    number = element("b", deviation.number, id=deviation.number)
    return number, deviation.kind, sentence(deviation.sentence), bears_on


def _picture(picture: bytes | str, where: str, caption: str) -> Html:
    if isinstance(picture, str):
        return element("figure", element("figcaption", f"{caption} Not drawn: {picture}"))
    return inline_figure(picture, caption, alt=where)
