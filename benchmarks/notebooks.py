"""Makes docs/tutorials/NN-name.ipynb from examples/NN_name.py: cells, what they print and show, and the source's hash.

Usage: python benchmarks/notebooks.py [NAME ...]
Names are parts of file names, such as 01 or slither; default: the examples that changed.

An example is a plain script in the percent format: a line `# %%` begins code, `# %% [markdown]` text in comments.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from pushpoint.whole_files import write_atomically

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES, TUTORIALS = ROOT / "examples", ROOT / "docs" / "tutorials"
TEXT_MARK, CODE_MARK = "# %% [markdown]", "# %%"

Json = dict[str, Any]


def cells_of(source: str) -> list[tuple[str, str]]:
    """Kind ("markdown" or "code") and text of each cell of a percent script; what stands before the first is none."""
    cells: list[tuple[str, list[str]]] = []
    for line in source.splitlines():
        if line in (TEXT_MARK, CODE_MARK):
            cells.append(("markdown" if line == TEXT_MARK else "code", []))
        elif cells and cells[-1][0] == "markdown":
            cells[-1][1].append(line.removeprefix("#").removeprefix(" "))
        elif cells:
            cells[-1][1].append(line)
    return [(kind, "\n".join(lines).strip("\n")) for kind, lines in cells]


def scripts() -> list[Path]:
    """The examples that are tutorials, in their order."""
    return sorted(EXAMPLES.glob("[0-9][0-9]_*.py"))


def notebook_file(script: Path) -> Path:
    """Where the notebook of an example belongs."""
    return TUTORIALS / f"{script.stem.replace('_', '-')}.ipynb"


def hash_of(script: Path) -> str:
    """The SHA-256 of an example."""
    return hashlib.sha256(script.read_bytes()).hexdigest()


def bare_notebook(script: Path) -> Json:
    """A notebook with the cells of an example and without outputs."""
    cells: list[Json] = []
    for kind, text in cells_of(script.read_text(encoding="utf-8")):
        outputs = {"outputs": [], "execution_count": None} if kind == "code" else {}
        source = text.splitlines(keepends=True)
        cells.append({"cell_type": kind, "id": f"cell-{len(cells):02d}", "metadata": {}, "source": source, **outputs})
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "pushpoint": {"source": script.relative_to(ROOT).as_posix(), "sha256": hash_of(script)},
    }
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def executed(notebook: Json) -> Json:
    """The notebook with the outputs of its cells, run in an empty folder."""
    import nbformat
    from nbclient import NotebookClient

    made = nbformat.reads(json.dumps(notebook), as_version=4)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    with tempfile.TemporaryDirectory() as folder:
        where = {"metadata": {"path": folder}}
        NotebookClient(made, timeout=None, resources=where, record_timing=False).execute(env=environment)
    ran: Json = json.loads(nbformat.writes(made))
    code = [cell for cell in ran["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(code, start=1):
        cell["execution_count"], cell["metadata"] = number, {}
        cell["outputs"] = [tidy(output) for output in joined(cell["outputs"])]
        for output in cell["outputs"]:
            if output["output_type"] == "execute_result":
                output["execution_count"] = number
    ran["metadata"] = notebook["metadata"]
    return ran


def joined(outputs: list[Json]) -> list[Json]:
    """The outputs with neighbouring pieces of one stream in one: where they break is chance."""
    kept: list[Json] = []
    for output in outputs:
        if kept and output["output_type"] == "stream" and output["name"] == kept[-1].get("name"):
            kept[-1]["text"] += output["text"]
        else:
            kept.append(output)
    return kept


def tidy(output: Json) -> Json:
    """An output without the line in words that stands beside a picture or a page."""
    data = output.get("data", {})
    if len(data) > 1:
        data.pop("text/plain", None)
    return output


def changed(script: Path) -> bool:
    """Whether the notebook of an example is missing or of another source."""
    file = notebook_file(script)
    if not file.exists():
        return True
    kept = json.loads(file.read_text(encoding="utf-8"))
    return bool(kept["metadata"]["pushpoint"]["sha256"] != hash_of(script))


def main(names: list[str]) -> None:
    """Makes the notebooks of the named examples, or of those that changed."""
    chosen = [script for script in scripts() if any(name in script.name for name in names) or not names]
    if names and not chosen:
        sys.exit(f"no example is called {' or '.join(names)}; there are {', '.join(s.stem for s in scripts())}")
    for script in chosen if names else filter(changed, chosen):
        print(f"running {script.relative_to(ROOT)} ...", flush=True)
        text = json.dumps(executed(bare_notebook(script)), indent=1, ensure_ascii=False) + "\n"
        target = notebook_file(script)
        write_atomically(target, lambda place, text=text: place.write_text(text, encoding="utf-8"))
        print(f"wrote {target.relative_to(ROOT)}, {len(text) / 1e3:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
