"""The notebooks of docs/tutorials are the examples, with what they printed and showed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.notebooks import TUTORIALS, bare_notebook, cells_of, notebook_file, scripts

LARGEST_FOLDER = 4_000_000  # bytes; notebooks are kept in the repository
TUTORIAL_SCRIPTS = [script for script in scripts() if cells_of(script.read_text(encoding="utf-8"))]


def test_cells_of_a_percent_script() -> None:
    source = "# %% [markdown]\n# # Title\n#\n# words\n# %%\nx = 1\n\n\n# %% [markdown]\n#\n# end\n"
    assert cells_of(source) == [("markdown", "# Title\n\nwords"), ("code", "x = 1"), ("markdown", "end")]


@pytest.mark.parametrize("script", TUTORIAL_SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_is_made_of_its_example_as_it_is_now(script: Path) -> None:
    kept, wanted = json.loads(notebook_file(script).read_text(encoding="utf-8")), bare_notebook(script)
    advice = f"run: make notebooks NAMES={script.name[:2]}"
    assert kept["metadata"] == wanted["metadata"], advice
    assert [(cell["cell_type"], cell["source"]) for cell in kept["cells"]] == [
        (cell["cell_type"], cell["source"]) for cell in wanted["cells"]
    ], advice


@pytest.mark.parametrize("script", TUTORIAL_SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_ran_to_its_end_without_complaints(script: Path) -> None:
    cells = json.loads(notebook_file(script).read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == [*range(1, len(code) + 1)]
    outputs = [output for cell in code for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"]
    assert [output for output in outputs if "image/png" in output.get("data", {})], "shows no picture"


def test_every_notebook_has_an_example_and_the_folder_stays_small() -> None:
    kept = set(TUTORIALS.glob("*.ipynb"))
    assert kept == {notebook_file(script) for script in TUTORIAL_SCRIPTS}
    assert sum(file.stat().st_size for file in kept) < LARGEST_FOLDER
