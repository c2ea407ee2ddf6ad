"""Where it was tried, as Markdown for the documents: from what `make release-check` and `make fresh-machine` kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pushpoint.pages.page import markdown_table

Results = Mapping[str, Mapping[str, Any]]
SIZES = {
    "downloads": "packages that are downloaded",
    ".git": "history of the clone",
    ".venv": "environment with all extras",
    "kernels": "compiled kernels",
    "out/demo": "results of the demo",
    "out/docs": "site",
}
"""What sizes are of, by their names in fresh-machine.json."""
UNKNOWN_DOWNLOADS = " pip kept no cache there, so the size of the downloads is not known."


def pythons_table(results: Results) -> str:
    """The wheel with each Python: time to install, size, the demo."""
    if "platforms" not in results:
        return "Not tried yet: keep out/release/report.json of `make release-check` as `docs/results/platforms.json`."
    found = results["platforms"]
    rows = [
        [
            one["python"],
            f"{one['core']['install_s']:.0f} s, {one['core']['megabytes']:,} MB",
            f"{one['all']['megabytes']:,} MB",
            f"{one['core']['demo']['wall_s']:.0f} s",
            f"{one['all']['demo']['wall_s']:.0f} s",
        ]
        for one in found["pythons"].values()
    ]
    columns = ("Python", "`pip install`", "with all extras", "short demo, first run", "again, with film and replay")
    machine, size = found["machine"], found["bytes"]
    how = (
        f"*{machine['system']}, {machine['processor']}, {machine['cores']} cores, {found['date']}: the wheel of "
        f"version {found['version']} ({size['wheel'] / 1e6:.1f} MB; sdist {size['sdist'] / 1e6:.1f} MB), installed "
        f"outside the tree; the load of the machine before was {machine['load_before']:g}. The first Python compiles "
        "the kernels, the others find them compiled.*"
    )
    asked = found.get("other_systems", {})
    elsewhere = [f"{system}: {'yes' if there else 'no'}" for system, there in asked.items()]
    offered = [f"Packages of all dependencies can be had for {'; '.join(elsewhere)}. Nothing was run there."]
    return "\n\n".join((markdown_table(columns, rows), *(offered if asked else ()), how))


def fresh_machine_table(results: Results) -> str:
    """Clone to site on a fresh machine: times and sizes."""
    if "fresh-machine" not in results:
        return "Not tried yet: `make fresh-machine` keeps its times and sizes as `docs/results/fresh-machine.json`."
    found = results["fresh-machine"]
    steps = [
        [f"`{one['command']}`", _duration(one["seconds"]), one.get("tests", "") if one["status"] == 0 else "failed"]
        for one in found["steps"]
    ]
    held = found.get("megabytes", {})
    # Nothing in pip's cache means that pip kept none, not that nothing was downloaded.
    sizes = [[words, f"{held[name]:,.0f} MB"] for name, words in SIZES.items() if held.get(name)]
    machine = found["machine"]
    how = (
        f"*{machine['system']}, {machine['processor']}, {machine['cores']} cores, {machine['python']}, {found['date']}"
        f"; the load of the machine before was {machine['load_before']:g}. What was printed: "
        "[fresh-machine.txt](../results/logs/fresh-machine.txt)."
        f"{'' if held.get('downloads') else UNKNOWN_DOWNLOADS}*"
    )
    tables = (markdown_table(("step", "takes", ""), steps), markdown_table(("size of", ""), sizes))
    return "\n\n".join((*tables, how))


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


PLATFORMS: Mapping[str, Callable[[Results], str]] = {
    "pythons": pythons_table,
    "fresh machine": fresh_machine_table,
}
"""Blocks of docs/start/install.md by their names."""
