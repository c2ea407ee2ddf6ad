"""Parts of the documents that are never written by hand: what the commands found, and the deviations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pushpoint.errors import BadFile
from pushpoint.papers.citations import PAPERS
from pushpoint.papers.deviations import deviations_page
from pushpoint.proof.learned_touch import TABLES as OF_LEARNED_TOUCH
from pushpoint.proof.live_edits import live_edits_table
from pushpoint.proof.platforms import PLATFORMS
from pushpoint.proof.reproduction import claims_of
from pushpoint.proof.speed import SPEED
from pushpoint.proof.speed.kernels import variant_table
from pushpoint.proof.studio_cost import studio_cost_table
from pushpoint.proof.study_figures import IN_RUN_A_STUDY, IN_RUN_ON_A_GPU, IN_USE_A_CLUSTER
from pushpoint.proof.tables import (
    Results,
    all_checks_table,
    all_claims,
    campaign_table,
    check_counts,
    claim_counts,
    findings,
    five_tasks,
    linked,
    reported_tables,
)
from pushpoint.user_files import parse_json, read_text
from pushpoint.whole_files import write_bytes

RESULTS = (
    *("reproduce", "verify", "campaign"),
    *("bench-planar", "bench-spatial", "bench-variants", "bench-growth", "bench-roofline", "bench-setup"),
    *("bench-shape-curves", "bench-force-mapping", "bench-startup", "bench-learning", "gpu"),
    *("environments", "environments-gpu"),
    *("five-tasks", "platforms", "fresh-machine", "studies", "live-edits", "studio-cost"),
    *("touch-training", "touch-parts", "learned-touch", "learned-touch-validation"),
)
"""What is kept as JSON in docs/results: findings of commands, of `make campaign` and of benchmarks/*.py."""


def _claim_ids() -> list[str]:
    return [one.id for paper in PAPERS for one in claims_of(paper)]


BLOCKS: Mapping[str, Mapping[str, Callable[[Results], str]]] = {
    "README.md": {"findings": findings},
    "docs/proof/reproduction.md": {"counts of claims": claim_counts, "all claims": all_claims},
    "docs/proof/verification.md": {"counts of checks": check_counts, "all checks": all_checks_table},
    "docs/proof/reported-numbers.md": {
        "reported numbers": lambda results: linked(reported_tables(results), _claim_ids())
    },
    "docs/proof/deviations.md": {"deviations": lambda results: linked(deviations_page(), _claim_ids())},
    "docs/proof/reliability.md": {"campaigns": campaign_table},
    "docs/proof/speed.md": {"variants": lambda results: variant_table(), **SPEED},
    "docs/start/five-tasks.md": {"five tasks": five_tasks},
    "docs/start/install.md": PLATFORMS,
    "docs/how-to/run-a-study.md": IN_RUN_A_STUDY,
    "docs/how-to/run-on-a-gpu.md": IN_RUN_ON_A_GPU,
    "docs/how-to/use-a-cluster.md": IN_USE_A_CLUSTER,
    "docs/how-to/change-a-running-simulation.md": {"live edits": live_edits_table},
    "docs/how-to/use-the-studio.md": {"studio cost": studio_cost_table},
    "docs/theory/learned-touch.md": OF_LEARNED_TOUCH,
}
"""The documents with written blocks, what their markers call them, and what writes them."""


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """The kept results by command; a command that has none yet is left out."""
    found = {}
    for command in RESULTS:
        file = folder / f"{command}.json"
        if file.is_file():
            try:
                found[command] = parse_json(read_text(file))
            except ValueError as error:
                raise BadFile(file, f"is not JSON ({error})") from None
    return found


def with_block(text: str, name: str, block: str, path: str | Path = "") -> str:
    """A document with the block between its markers."""
    begin, end = f"<!-- {name}: written by benchmarks/front_table.py -->", f"<!-- end of {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise BadFile(path, f"must have the lines '{begin}' and '{end}' once each, in this order")
    before, rest = text.split(begin)
    return f"{before}{begin}\n\n{block}\n\n{end}{rest.split(end)[1]}"


def rewrite(root: Path) -> list[Path]:
    """Writes the blocks of all documents from docs/results and from the rooms of the papers; returns the documents."""
    results = read_results(root / "docs" / "results")
    written = []
    for document, blocks in BLOCKS.items():
        path = root / document
        text = path.read_text(encoding="utf-8")
        for name, write in blocks.items():
            text = with_block(text, name, write(results), path)
        written.append(write_bytes(path, text.encode()))
    return written
