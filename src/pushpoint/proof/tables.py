"""What the commands found, as Markdown for the documents: counts, every claim, every check, campaigns, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from typing import Any

from pushpoint.pages.page import markdown_table, measured, quantity, sentence, typeset
from pushpoint.papers.citations import PAPERS
from pushpoint.papers.deviations import deviations
from pushpoint.proof.basis import ROW_TITLES, comparison_basis, reported_rows
from pushpoint.proof.speed import fast_sentence
from pushpoint.scenarios.claim import VERDICTS

Results = Mapping[str, Mapping[str, Any]]
"""Kept results by the command that found them."""
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
CODE_OR_LINK = re.compile(r"(^#[^\n]*$|^```.*?^```$|`[^`\n]*`|\[[^\]\n]*\]\([^)\n]*\))", re.MULTILINE | re.DOTALL)
"""Where a claim's name is left as it is: headings, code and links."""


def findings(results: Results) -> str:
    """What was found in one sentence each: claims, checks, speed."""
    said = []
    if "reproduce" in results:
        counts = results["reproduce"]["counts"]
        papers = len(counts["papers"])
        verdicts = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict]]
        said.append(
            f"**{counts['claims']} claims of {WORDS[papers] if papers < len(WORDS) else papers} papers** are judged "
            f"again by `pushpoint reproduce`: {', '.join(verdicts)} ([all of them](docs/proof/reproduction.md))."
        )
    if "verify" in results:
        counts = results["verify"]["counts"]
        said.append(
            f"**{counts['passed']} of {counts['checks']} checks** of the physics against closed forms and second "
            "implementations pass in `pushpoint verify` ([all of them](docs/proof/verification.md))."
        )
    return "\n".join(f"- {one}" for one in filter(None, [*said, fast_sentence(results)]))


def claim_counts(results: Results) -> str:
    """Counts of claims by paper and verdict; those that are not simply reproduced are named."""
    if "reproduce" not in results:
        return ""
    document, rows = results["reproduce"], []
    for paper in document["counts"]["papers"]:
        claims = [one for one in document["claims"] if one["paper"] == paper]
        found = [[linked_here(one["id"]) for one in claims if one["verdict"] == verdict] for verdict in VERDICTS]
        rows.append([_name(paper), str(len(claims)), str(len(found[0])), *map(_named, found[1:])])
    rows.append(["all", *(str(document["counts"][name]) for name in ("claims", *VERDICTS))])
    return markdown_table(("paper", "claims", *VERDICTS), rows)


def linked_here(claim: str) -> str:
    """A claim as a link to its heading on the same page."""
    return f"[{claim}](#{claim.lower()})"


def _name(paper: str) -> str:
    return paper[:1].upper() + paper[1:]


def _named(names: Sequence[str]) -> str:
    """How many there are, and which."""
    return f"{len(names)}: {', '.join(names)}" if names else "0"


def all_claims(results: Results) -> str:
    """Every claim under a heading of its own: what the paper says and where, measured, demanded, verdict and why."""
    claims = results.get("reproduce", {}).get("claims", ())
    parts = []
    for paper in dict.fromkeys(one["paper"] for one in claims):
        parts += [f"### {_name(paper)}", typeset(PAPERS[paper])]
        parts += [_claim(one) for one in claims if one["paper"] == paper]
    return "\n\n".join(parts)


def _claim(one: Mapping[str, Any]) -> str:
    found = "; ".join(measured(name, value) for name, value in one["measured"].items())
    bearing = [each.number for each in deviations() if one["id"] in each.claims]
    links = ", ".join(f"[{number}](deviations.md#{number.lower()})" for number in bearing)
    lines = [
        f"The paper says ({one['where']}): {sentence(one['statement'])}",
        f"Measured here: {found}.",
        f"Demanded: {sentence(one['tolerance'])}",
        f"Verdict: **{one['verdict']}**. {sentence(one['reason'])}".rstrip(),
        *([f"See {links}."] if links else []),
    ]
    return "\n".join([f"#### {one['id']}", "", *(f"- {line}" for line in lines)])


def linked(text: str, claims: Iterable[str], page: str = "reproduction.md") -> str:
    """The same text with the names of claims as links to their headings; headings, code and links stay."""
    names = re.compile(rf"\b(?:{'|'.join(claims)})\b")
    parts = CODE_OR_LINK.split(text)
    parts[::2] = [names.sub(lambda found: f"[{found[0]}]({page}#{found[0].lower()})", part) for part in parts[::2]]
    return "".join(parts)


def check_counts(results: Results) -> str:
    """Counts of checks by group."""
    checks, rows = results.get("verify", {}).get("checks", ()), []
    if not checks:
        return ""
    for group in (*dict.fromkeys(one["group"] for one in checks), "all"):
        members = [one for one in checks if group in ("all", one["group"])]
        failed = [one["id"] for one in members if not one["passed"]]
        missing = str(len(failed)) if group == "all" else _named(failed)
        rows.append([group, str(len(members)), str(len(members) - len(failed)), missing, _largest(members)])
    return markdown_table(("group", "checks", "passed", "not passed", "largest error over its tolerance"), rows)


def _largest(checks: Sequence[Mapping[str, Any]]) -> str:
    """The largest error over its tolerance; where nothing may differ, whether nothing does."""
    known = [check for check in checks if check["measured"] is not None]
    shares = [check["measured"] / check["tolerance"] for check in known if check["tolerance"]]
    if shares:
        return f"{max(shares):.2g}"
    return "equal" if known and not any(check["measured"] for check in known) else ""


def all_checks_table(results: Results) -> str:
    """Every check by group: what is compared, with what, the error and its tolerance."""
    checks = results.get("verify", {}).get("checks", ())
    parts = []
    for group in dict.fromkeys(one["group"] for one in checks):
        rows = [
            [
                one["id"],
                sentence(one["statement"]),
                typeset(one["expected_from"]),
                quantity(one["measured"], one["unit"]),
                quantity(one["tolerance"], one["unit"]),
            ]
            for one in checks
            if one["group"] == group
        ]
        columns = ("check", "what is compared", "with what", "error", "tolerance")
        parts += [f"### {group[:1].upper() + group[1:]}", markdown_table(columns, rows)]
    return "\n\n".join(parts)


def campaign_table(results: Results) -> str:
    """Every kind of campaign: trials, how they ended, the slowest, defects; below, what is noted, and their seeds."""
    rows, left = [], []
    for one in results.get("campaign", {}).get("kinds", ()):
        ends = ", ".join(f"{word} {count:,}" for word, count in one["outcomes"].items())
        slowest = f"{one['slowest_s']:.3g} of {one['limit_s']:g}"
        rows.append([one["kind"], f"{one['trials']:,}", ends, slowest, str(len(one["defects"]))])
        left += [f"- {one['kind']}: {one['note']}"] if "note" in one else []
        left += [f"- {one['kind']} {seed}: {sentence(' '.join(said.split()))}" for seed, said in one["defects"].items()]
    columns = ("kind", "trials", "how they ended", "slowest [s], of what is allowed", "defects")
    return "\n\n".join([markdown_table(columns, rows), *(["\n".join(left)] if left else [])])


def reported_tables(results: Results) -> str:
    """What the judgement rests on, and every number that a paper reports, beside ours."""
    found = {one["id"]: one["measured"] for one in results.get("reproduce", {}).get("claims", ())}
    parts = [*comparison_basis()]
    for paper in PAPERS:
        rows = [astuple(row) for row in reported_rows(paper, found)]
        parts += [f"## {_name(paper)}", markdown_table(ROW_TITLES, rows)]
    return "\n\n".join(parts)


def five_tasks(results: Results) -> str:
    """How long the programs of common tasks are, and how long they take."""
    rows = [
        [f"[{one['task']}](#{_anchor(one['task'])})", str(one["lines"]), f"{one['seconds']:.1f} s", one["on"]]
        for one in results.get("five-tasks", {}).get("tasks", [])
    ]
    how = "*Times are those of the whole program with warm kernels; `benchmarks/five_tasks.py` prints them.*"
    return f"{markdown_table(('task', 'lines', 'takes', 'on'), rows)}\n\n{how}"


def _anchor(heading: str) -> str:
    """What a link to a heading ends in."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
