"""What the documents show must work: the README's programs run, and the scenario files are valid."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pushpoint.description.files import SourceFile
from pushpoint.scenarios.files import scenario_from

ROOT = Path(__file__).parents[1]


def blocks(document: str, language: str) -> list[str]:
    """The fenced blocks of one language, in order."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.DOTALL)


def test_programs_of_the_readme_run(tmp_path: Path) -> None:
    programs = blocks("README.md", "python")
    assert len(programs) >= 4
    code = "\n".join(programs)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run.nc").is_file()


def test_programs_about_motion_planning_run(tmp_path: Path) -> None:
    programs = blocks("docs/theory/shape-curves.md", "python")
    assert len(programs) >= 4
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(programs)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    # What the page says of them: pchip moves by millimetres when turned, a smooth curve does not move.
    moved = {kind: float(apart) for kind, apart in re.findall(r"^(pchip|smooth) (\S+) mm", done.stdout, re.MULTILINE)}
    assert moved["pchip"] > 1.0 and moved["smooth"] < 1e-9


@pytest.mark.parametrize("document", ["README.md", "docs/reference/scenario-files.md"])
def test_first_scenario_file_of_a_document_is_a_scenario(document: str, tmp_path: Path) -> None:
    path = tmp_path / "course.yaml"
    path.write_text(blocks(document, "yaml")[0], encoding="utf-8")
    source = SourceFile(path)
    scenario = scenario_from(source.document, where=source.where)
    assert scenario.world.robot.n_links >= 2 and scenario.rollout().steps > 0


def test_links_of_the_documents_lead_somewhere() -> None:
    for document in (
        "README.md",
        "CONTRIBUTING.md",
        *(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md")),
    ):
        folder = (ROOT / document).parent
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", (ROOT / document).read_text(encoding="utf-8")):
            assert target.startswith("http") or (folder / target).exists(), f"{document}: {target}"
