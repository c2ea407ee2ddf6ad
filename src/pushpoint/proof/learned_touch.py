"""What the learned sense of touch is worth, as Markdown: from what `learn score` and the training script kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

from pushpoint.pages.page import markdown_table
from pushpoint.proof.speed.wording import paragraphs

Results = Mapping[str, Mapping[str, Any]]
Summary = Mapping[str, Any]
SCRIPT = "python benchmarks/learning/train_touch.py"
SCORE = "pushpoint learn score touch-v1"
HELD_OUT = f"{SCORE} --held-out"
POLICY, BASELINE = "touch-v1", "continuous"
USUAL = "as usual"


def _missing(command: str) -> str:
    return f"Not tried yet: `{command}`, kept in docs/results, then `make documents`."


def held_out_table(results: Results) -> str:
    """The two held-out sets: who passes what, and the exact test."""
    if "learned-touch" not in results:
        return _missing(HELD_OUT)
    return _courses(results["learned-touch"], HELD_OUT)


def validation_table(results: Results) -> str:
    """The validation courses, as the held-out ones."""
    if "learned-touch-validation" not in results:
        return _missing(SCORE)
    return _courses(results["learned-touch-validation"], SCORE)


def _courses(found: Summary, command: str) -> str:
    columns = ("", "passed", "95 %", "failures", "time to pass", "energy", "reversals")
    parts = []
    for split, asked in found["splits"].items():
        rows = [*asked["controllers"].items()]
        rows += [
            (name, next(iter(each["controllers"].values()))) for name, each in found["without touch"][split].items()
        ]
        title = (split, *columns[1:])
        parts.append(markdown_table(title, [[name, *_cells(summary)] for name, summary in rows]))
        pair = asked["paired"]
        low, high = (100.0 * end for end in pair["difference_95"])
        parts.append(
            f"{pair['only_first']} courses are passed by {pair['first']} alone and {pair['only_second']} by "
            f"{pair['second']} alone: {100.0 * pair['difference']:.0f} points ({low:.0f} to {high:.0f}), "
            f"p = {pair['p_value']:.2g} by McNemar's exact test."
        )
    rows = [
        [name, *(_of(each["controllers"][who]) for who in (POLICY, BASELINE))]
        for name, each in found["environments"].items()
    ]
    parts.append(markdown_table(("environment of the paper", POLICY, BASELINE), rows))
    return paragraphs(*parts, f"*`{command}`; {found['duration_s']:g} s each.*")


def _of(summary: Summary) -> str:
    return f"{summary['passed']} of {summary['trials']}{_seconds(summary, ', ')}"


def _seconds(summary: Summary, before: str = "") -> str:
    return "" if summary["time_to_pass"] is None else f"{before}{summary['time_to_pass']:.1f} s"


def _cells(summary: Summary) -> list[str]:
    low, high = (100.0 * end for end in summary["success_95"])
    causes = ", ".join(f"{count} {cause}" for cause, count in summary["causes"].items() if cause != "passed")
    energy = "" if summary["energy_per_metre"] is None else f"{summary['energy_per_metre']:.0f} J/m"
    reversals = f"{summary['torque_reversals']:.1f} /s"
    return [
        f"{summary['passed']} of {summary['trials']}",
        f"{low:.0f}–{high:.0f} %",
        causes,
        _seconds(summary),
        energy,
        reversals,
    ]


def drift_table(results: Results) -> str:
    """How far robots get on bare ground."""
    found = results.get("learned-touch-validation") or results.get("learned-touch")
    if found is None:
        return _missing(SCORE)
    drift = found["drift"]
    noisier = results.get("touch-parts", {}).get("noisier", {})
    rows = [
        [who, sensors, f"{100.0 * each['largest_m']:.1f} cm", f"{100.0 * each['farthest_m']:.1f} cm"]
        for who, tried in ((POLICY, drift[POLICY] | noisier), *((who, drift[who]) for who in (BASELINE, "blind wave")))
        for sensors, each in tried.items()
    ]
    columns = ("", "sensors", f"after {drift['time_s']:g} s", "at any time until then")
    return paragraphs(
        markdown_table(columns, rows), "*The largest of 20 starts, distance of the centre of mass from its start.*"
    )


def robustness_table(results: Results) -> str:
    """One thing changed at a time, for both controllers."""
    found = results.get("learned-touch-validation")
    if found is None or "robustness" not in found:
        return _missing(SCORE)
    usual = next(iter(found["splits"].values()))
    rows = [_changed(USUAL, usual, usual), *(_changed(name, each, usual) for name, each in found["robustness"].items())]
    columns = ("", POLICY, "95 %", BASELINE, "95 %", "p, one against the other")
    trials = usual["controllers"][POLICY]["trials"]
    how = (
        f"*`{SCORE}`: the {trials} validation courses, {found['duration_s']:g} s each; in bold where a "
        "controller breaks: the interval of what it passes lies below that of its usual share.*"
    )
    return paragraphs(markdown_table(columns, rows), how)


def breaks(name: str, found: Summary, usual: Summary) -> bool:
    """Whether a controller passes clearly less than usual."""
    return bool(found["controllers"][name]["success_95"][1] < usual["controllers"][name]["success_95"][0])


def _changed(name: str, found: Summary, usual: Summary) -> list[str]:
    cells = [name]
    for who in (POLICY, BASELINE):
        summary = found["controllers"][who]
        low, high = (100.0 * end for end in summary["success_95"])
        said = f"{100.0 * summary['success']:.0f} %{_seconds(summary, ', ')}"
        cells += [f"**{said}**" if breaks(who, found, usual) else said, f"{low:.0f}–{high:.0f}"]
    return [*cells, f"{found['paired']['p_value']:.2g}"]


def seeds_table(results: Results) -> str:
    """What the searches of several seeds came to."""
    if "touch-training" not in results:
        return _missing(f"{SCRIPT} train --seeds 0 1 2 3 4 5 6 7 8 9")
    searches: Sequence[Summary] = results["touch-training"]["searches"]
    shipped = results["touch-training"]["shipped"]
    rows = []
    for one in searches:
        found = one["validation"]
        most = max(each["farthest_m"] for each in found["drift"].values())
        name = f"**{one['seed']}**, shipped" if one["seed"] == shipped else str(one["seed"])
        rows.append([name, _of(found), f"{100.0 * most:.1f} cm", f"{one['cpu_s'] / 60.0:.1f} min"])
    passed = [one["validation"]["passed"] for one in searches]
    spread = (
        f"*{len(searches)} seeds: {min(passed)} to {max(passed)} of {searches[0]['validation']['trials']} validation "
        f"courses, median {median(passed):g}. Processor time is that of one core.*"
    )
    return paragraphs(markdown_table(("seed", "validation", "farthest on bare ground", "training"), rows), spread)


def parts_table(results: Results) -> str:
    """The policy without one of its parts."""
    if "touch-parts" not in results:
        return _missing(f"{SCRIPT} parts")
    rows = []
    for name, found in results["touch-parts"]["without"].items():
        most = max(each["farthest_m"] for each in found["drift"].values())
        rows.append([name, _of(found), f"{100.0 * most:.1f} cm"])
    return markdown_table(("", "validation", "farthest on bare ground"), rows)


TABLES: Mapping[str, Callable[[Results], str]] = {
    "seeds of training": seeds_table,
    "parts of the policy": parts_table,
    "held-out courses": held_out_table,
    "validation courses": validation_table,
    "drift on bare ground": drift_table,
    "robustness": robustness_table,
}
"""The written blocks of docs/theory/learned-touch.md."""
