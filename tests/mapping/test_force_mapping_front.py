"""The ways to force mapping from outside: the benchmark's command, the public names, the page, the planned scenario."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.bench import force_mapping, machine
from pushpoint.cli.main import main
from pushpoint.errors import PushpointError
from pushpoint.papers.ours import pegs

ROOT = Path(__file__).parents[2]


def test_the_command_prints_json_or_one_line_per_figure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = {"contacts": 5, "links_20": {"build_and_solve_ms": 0.25}}
    monkeypatch.setattr(force_mapping, "run_bench", lambda *, quick: figures if quick else None)
    monkeypatch.setattr(machine, "machine", lambda: {"cores": 2})
    assert main(["bench", "force-mapping", "--quick", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == figures | {"machine": {"cores": 2}}
    assert main(["bench", "force-mapping", "--quick"]) == 0
    assert capsys.readouterr().out.endswith("links_20.build_and_solve_ms  0.25\nmachine.cores                2\n")


def test_mapping_is_handed_out_by_the_package() -> None:
    assert "mapping" in dir(pp) and callable(pp.mapping.build_force_mapping)


def test_programs_of_the_page_run(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "theory" / "force-mapping.md").read_text(encoding="utf-8")
    programs = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(programs) >= 3
    code = "\n".join(programs)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("the wish is fulfilled\n")
    assert (tmp_path / "instant.png").is_file()


def test_the_planned_scenario_is_the_same_every_time() -> None:
    first = pegs.plan().path.points
    pegs.plan.cache_clear()
    np.testing.assert_array_equal(pegs.plan().path.points, first)


def test_the_planned_path_leads_from_the_start_to_the_goal_past_every_peg() -> None:
    plan, chosen = pegs.plan(), pp.scenario("pegs/planned-path")
    assert plan.planned, plan.flaws
    points = plan.path.at(np.linspace(0.0, plan.path.length, 2000))[0]
    np.testing.assert_allclose(points[[0, -1]], (pegs.START, pegs.GOAL), atol=1e-9)  # m, as asked for
    centers = np.array([(peg.x, peg.y) for peg in chosen.world.environment.obstacles])
    apart = np.linalg.norm(centers[:, None] - centers, axis=-1)[np.triu_indices(len(centers), 1)]
    assert apart.min() >= 1.5 / 6.8  # m: body length over the ratio
    gap = np.linalg.norm(points[:, None] - centers, axis=-1).min() - 0.02 - 0.03  # m: radii of pegs and links
    assert gap > -1e-3  # m: what a plan may overlap


def test_the_robot_of_the_scenario_sets_off_along_its_path() -> None:
    run = pp.scenario("pegs/planned-path").with_changes(duration=2.0).run()
    way = np.linalg.norm(run.center_of_mass.values[-1] - run.center_of_mass.values[0])
    assert 0.1 < way < 0.21  # m: 0.1 m/s for 2 s less a soft start of 0.5 s; the centre cuts bends


@pytest.mark.slow  # 38 s of simulated time
def test_the_robot_of_the_scenario_arrives() -> None:
    chosen = pp.scenario("pegs/planned-path")
    run = chosen.run()
    angle, middle = run.link_angle.values[-1, -1], run.link_position.values[-1, -1]
    tip = middle + 0.05 * np.array((np.cos(angle), np.sin(angle)))
    assert np.linalg.norm(tip - pegs.GOAL) < 0.1  # m: what counts as driven


def test_the_program_of_the_page_on_stability_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "theory" / "force-mapping-stability.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    paper, held, least = (line.split() for line in done.stdout.splitlines())
    assert paper[0] == "False" and float(paper[1]) > 0.0  # 1/s: it grows
    assert held[0] == "True" and float(held[2]) < 0.1  # rad
    assert 0.0 < float(least[0]) < 160.0  # N m/rad: what posture=0.4 gives


def test_a_file_chooses_the_program_and_its_posture(tmp_path: Path) -> None:
    file = tmp_path / "loop.yaml"
    loop = pp.scenario("holden2014/with-posture")
    pp.write_scenario(loop, file)
    assert "posture: 0.4" in file.read_text(encoding="utf-8")
    assert pp.scenario(file).world.controller.program == loop.world.controller.program
    file.write_text(file.read_text(encoding="utf-8").replace("posture: 0.4", "posture: -1"), encoding="utf-8")
    with pytest.raises(PushpointError, match="posture"):
        pp.scenario(file)
