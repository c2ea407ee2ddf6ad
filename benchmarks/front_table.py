"""Writes the tables of README.md and of docs/proof from what the commands found, and docs/proof/deviations.md.

python benchmarks/front_table.py                                   from the results kept in docs/results
python benchmarks/front_table.py reproduce=FILE.json verify=FILE.json   keeps these results there first
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
        if command not in RESULTS or not Path(file).is_file():
            sys.exit(f"error: {argument}: must be {' or '.join(f'{name}=FILE' for name in RESULTS)} with a file")
        document = json.loads(Path(file).read_text(encoding="utf-8"))
        kept = ROOT / "docs" / "results" / f"{command}.json"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for path in rewrite(ROOT):
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
