"""The verification report: one page with every check, its error and its tolerance, MuJoCo beside it."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

from pushpoint.pages.page import (
    Html,
    badge,
    build_page,
    element,
    facts,
    figure_columns,
    figure_png,
    heading,
    inline_figure,
    join,
    markup,
    paragraph,
    table,
    write_page,
)
from pushpoint.proof.check import GROUPS, CheckResult
from pushpoint.proof.session import complaint, counts, sources
from pushpoint.proof.verification_figure import build_check_figure
from pushpoint.simulation.provenance import PACKAGES, version_of

TITLE = "The physics of pushpoint, checked"
SUBTITLE = (
    "Every check compares the engine with something that was known before: a closed form, a law of conservation, a "
    "second implementation. The tolerance stands beside the error, with its reason. Nothing here is compared with a "
    "number from an earlier run."
)
PEER_NOTE = (
    "MuJoCo solves a smoothed contact problem, for speed and invertibility; its errors here are what that choice costs "
    "with its default settings, not mistakes. Errors are in the unit of the check, with the same meaning."
)
COLUMNS = ("check", "what is compared", "expectation", "error", "tolerance", "verdict")
WIDTHS = (14, 30, 26, 11, 9, 10)
NARROW = "\u202f"
"""A space at which no line breaks."""
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def build_verification_page(results: Sequence[CheckResult]) -> str:
    """The whole page as text."""
    wrong = complaint(results)
    parts: list[str] = [paragraph(f"{wrong}.", "alarm")] if wrong else []
    parts += [_summary(results), _origin(results), *_peers(results)]
    for group, about in GROUPS.items():
        members = [result for result in results if result.group == group]
        if members:
            parts += _group(group, about, members)
    return build_page(TITLE, SUBTITLE, parts)


def write_verification_page(results: Sequence[CheckResult], path: Path) -> Path:
    """Writes the page, whole or not at all."""
    return write_page(build_verification_page(results), path)


def _summary(results: Sequence[CheckResult]) -> Html:
    found = counts(results)
    columns = ("group", "what it is about", "checks", "passed", "failed")
    rows = [
        (element("a", group, href=f"#{_anchor(group)}"), GROUPS[group], *(str(tally[name]) for name in columns[2:]))
        for group, tally in found["groups"].items()
    ]
    rows.append((element("b", "all"), "", *(str(found[name]) for name in columns[2:])))
    return table(columns, rows, numbers=columns[2:])


def _origin(results: Sequence[CheckResult]) -> Html:
    versions = ", ".join(f"{name} {version_of(name)}" for name in PACKAGES)
    return facts(
        {
            "Made by": "pushpoint verify",
            "versions": versions,
            "sources": sources(),
            "checks took": f"{sum(result.seconds for result in results):.0f} s",
            "on": time.strftime("%Y-%m-%d"),
        }
    )


def _peers(results: Sequence[CheckResult]) -> list[str]:
    """The same cases in MuJoCo, side by side."""
    compared = [(result, result.mujoco) for result in results if result.mujoco is not None]
    if not compared:
        return []
    rows = [
        (
            element("a", result.id, href=f"#{result.id}"),
            result.error_is,
            _with_unit(result.measured, result.unit),
            _with_unit(peer.measured, result.unit),
            peer.note,
        )
        for result, peer in compared
    ]
    columns = ("check", "error", "pushpoint", "MuJoCo", "how it was put to MuJoCo")
    return [
        heading(2, "The same in MuJoCo", "mujoco"),
        paragraph(PEER_NOTE, "note"),
        table(columns, rows, numbers=("pushpoint", "MuJoCo"), widths=(14, 26, 12, 12, 36)),
    ]


def _group(group: str, about: str, results: Sequence[CheckResult]) -> list[str]:
    parts: list[str] = [heading(2, group[:1].upper() + group[1:], _anchor(group)), paragraph(about, "subtitle")]
    parts.append(table(COLUMNS, [_row(result) for result in results], numbers=("error", "tolerance"), widths=WIDTHS))
    drawn = [
        inline_figure(figure_png(build_check_figure(result.plot)), f"{result.id}: {result.statement}")
        for result in results
        if result.plot is not None
    ]
    if drawn:
        parts.append(figure_columns(drawn))
    return parts


def _row(result: CheckResult) -> tuple[str, ...]:
    compared = [markup(_powers(result.statement)), element("div", f"Error: {result.error_is}.", class_="reason")]
    if result.values:
        numbers = "; ".join(_said(name, value) for name, value in result.values.items())
        compared.append(element("div", numbers, class_="reason"))
    if result.failure:
        compared.append(element("div", result.failure, class_="reason bad"))
    return (
        element("b", result.id, id=result.id),
        join(compared),
        join(
            (
                markup(_powers(result.expected_from)),
                element("div", _powers(f"Tolerance: {result.reason}."), class_="reason"),
            )
        ),
        _with_unit(result.measured, result.unit),
        _with_unit(result.tolerance, result.unit),
        badge("passed", "good") if result.passed else badge("failed", "bad"),
    )


def _anchor(group: str) -> str:
    return group.replace(" ", "-")


UNITS = {
    "kg_m2_per_s": "kg m²/s",
    "kg_m_per_s": "kg m/s",
    "rad_per_s2": "rad/s²",
    "rad_per_s": "rad/s",
    "m_per_s2": "m/s²",
    "m_per_s": "m/s",
    "N_m": "N m",
    "N_s": "N s",
    "rad": "rad",
    "deg": "°",
    "kg": "kg",
    "N": "N",
    "J": "J",
    "m": "m",
    "s": "s",
    "1": "",
}
"""How the units at the end of a value's name are written; longer ones first."""


def _said(name: str, value: float | None) -> str:
    """A value in words: speed_m_per_s and 0.3 become `speed: 0.3 m/s`."""
    ending = next((ending for ending in UNITS if name.endswith(f"_{ending}")), "1")
    return f"{name.removesuffix(f'_{ending}').replace('_', ' ')}: {_with_unit(value, UNITS[ending], digits=5)}"


def _with_unit(value: float | None, unit: str, digits: int = 2) -> str:
    """Number and unit, which no line parts."""
    if value is None:
        return "none"
    text = "0" if value == 0.0 else _powers(f"{value:.{digits}g}")
    return text if unit in ("", "1") else f"{text}{NARROW}{unit.replace(' ', NARROW)}"


def _powers(text: str) -> str:
    """Numbers such as 1e-06 as 10⁻⁶, with true minus signs."""

    def power(found: re.Match[str]) -> str:
        exponent = str(int(found[2])).translate(RAISED)
        return f"10{exponent}" if found[1] == "1" else f"{found[1]}·10{exponent}"

    return re.sub(r"(?<![\w-])-(?=\d)", "−", re.sub(r"(\d+(?:\.\d+)?)e([+-]?\d+)", power, text))
