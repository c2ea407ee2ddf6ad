"""Writes the tables of README.md and of docs/proof from what the commands found, and docs/proof/deviations.md.

python benchmarks/front_table.py                                   from the results kept in docs/results
python benchmarks/front_table.py reproduce=FILE.json verify=FILE.json   keeps these results there first
python benchmarks/front_table.py bench=FILE.json                   those of `pushpoint bench all --json`, one by one
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pushpoint.proof.documents import RESULTS, rewrite

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Keeps the results that are named, then writes the tables."""
    for argument in sys.argv[1:]:
        command, _, file = argument.partition("=")
        if command not in (*RESULTS, "bench") or not Path(file).is_file():
            allowed = " or ".join(f"{name}=FILE" for name in (*RESULTS, "bench"))
            sys.exit(f"error: {argument}: must be {allowed} with a file")
        document = json.loads(Path(file).read_text(encoding="utf-8"))
        parts = (
            {f"bench-{name}": part for name, part in document.items()} if command == "bench" else {command: document}
        )
        for name, part in parts.items():
            kept = ROOT / "docs" / "results" / f"{name}.json"
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(part, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for path in rewrite(ROOT):
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
