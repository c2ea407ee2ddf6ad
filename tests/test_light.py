"""Little is needed and little is loaded: the package without its extras, what commands do not load, lower bounds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pushpoint
from pushpoint.errors import MissingExtra, PushpointError

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
MODULES = {"studio": "viser", "film": "imageio_ffmpeg", "bench": "mujoco", "studies": "distributed"}
OTHERS = {"pyarrow", "cmaes", "optuna"}
"""Further modules of extras; and Dask, which xarray loads if it is there. It asks in a way that allows no error."""

WITHOUT = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {set(MODULES.values()) | OTHERS}:
            raise ModuleNotFoundError(f"No module named '{{name}}'", name=name)

sys.meta_path.insert(0, Absent())
sys.modules["dask"] = None
"""


def without_extras(program: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(Path(pushpoint.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + program, *arguments],
        env=os.environ | {"PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def command(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return without_extras("from pushpoint.cli.main import main\nsys.exit(main())", *arguments, folder=folder)


@pytest.mark.parametrize("module", MODULES.values())
def test_the_blocker_blocks(module: str, tmp_path: Path) -> None:
    done = without_extras(f"import {module}", folder=tmp_path)
    assert done.returncode == 1 and f"No module named '{module}'" in done.stderr


def test_import_simulate_save_and_figures(tmp_path: Path) -> None:
    program = """
import pushpoint as pp
from pushpoint import simulation, description, scenery, plots, mapping, planning, control, studies, interchange
run = pp.scenario("transeth2008a/obstacle-aided").with_changes(duration=0.05).run()
pp.save(run, "run.nc")
print(float(pp.load("run.nc").time[-1]))
"""
    done = without_extras(program, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "0.05\n"), done.stderr


def test_run_leaves_out_film_and_replay_and_says_which_extras_bring_them(tmp_path: Path) -> None:
    done = command("run", "transeth2008a/obstacle-aided", "--duration", "0.05", "--out", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    files = {str(file.relative_to(tmp_path / "out")) for file in (tmp_path / "out").rglob("*") if file.is_file()}
    assert {"run.nc", "summary.json", "course.png", "figures/paths.png", "figures/joints.png"} <= files
    assert not files & {"run.mp4", "replay.html"}
    named = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))["files"].values()
    assert set(named) == files
    for file, extra in (("run.mp4", "film"), ("replay.html", "studio")):
        (line,) = (line for line in done.stderr.splitlines() if file in line)
        assert f"pip install 'pushpoint[{extra}]'" in line


def test_a_study_needs_no_extra_and_workers_say_which(tmp_path: Path) -> None:
    study = "\n".join(
        (
            "base: transeth2008a/flat",
            "set: {duration: 0.02}",
            "varies: [{kind: values, field: ground.friction.coefficient, values: [0.1, 0.2]}]",
            "measures: [distance]",
        )
    )
    (tmp_path / "small.yaml").write_text(study, encoding="utf-8")
    alone = command("study", "small.yaml", "--store", "store", folder=tmp_path)
    assert (alone.returncode, (tmp_path / "store" / "table.csv").is_file()) == (0, True), alone.stderr
    on_workers = command("study", "small.yaml", "--store", "other", "--workers", "2", folder=tmp_path)
    assert on_workers.returncode == 2
    needed = "error: a study on workers needs the extra 'studies': pip install 'pushpoint[studies]'"
    assert on_workers.stderr.splitlines()[-1] == needed


@pytest.mark.parametrize("name", ["planar", "spatial"])
def test_bench_says_which_extra_brings_the_peer(name: str, tmp_path: Path) -> None:
    done = command("bench", name, "--quick", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: timing beside MuJoCo needs the extra 'bench': pip install 'pushpoint[bench]'\n"


DRAWING = {
    "matplotlib",
    "PIL",
    "imageio_ffmpeg",
    "viser",
    "pushpoint.plots.page",
    "pushpoint.films",
    "pushpoint.scenery",
}
NUMERICS = {"numpy", "warp", "xarray", "pandas", "h5netcdf", "h5py"}
NEVER = DRAWING | {"scipy", "piqp", "mujoco", "jinja2", "ruamel", "pushpoint.mapping", "pushpoint.planning.pegs"}
"""What neither a list nor a run of a gait without media needs."""
ENGINES = {"planar": "pushpoint.kernels.planar.step", "spatial": "pushpoint.kernels.spatial.step"}
GAITS = {"planar": "transeth2008a/obstacle-aided", "spatial": "transeth2008b/sidewinding"}


def loaded_by(*arguments: str, folder: Path) -> set[str]:
    """Modules that the command has loaded in the end, and their packages."""
    program = "from pushpoint.cli.main import main\nmain(sys.argv[1:])\nprint(*sys.modules, file=sys.stderr)"
    done = without_extras(program, *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    names = [name.partition(":")[0] for name in done.stderr.splitlines()[-1].split()]  # of kernels, without their form
    parts = [name.split(".") for name in names]
    return {".".join(name[:k]) for name in parts for k in range(1, len(name) + 1)}


@pytest.mark.parametrize("arguments", [("--help",), ("list",), ("run", "--help")], ids=" ".join)
def test_help_and_list_load_no_numerics(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert loaded_by(*arguments, folder=tmp_path) & (NEVER | NUMERICS | set(ENGINES.values())) == set()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_without_media_loads_its_engine_and_nothing_to_draw_with(engine: str, tmp_path: Path) -> None:
    loaded = loaded_by("run", GAITS[engine], "--no-media", "--out", "out", folder=tmp_path)
    assert loaded & NEVER == set()
    assert loaded & set(ENGINES.values()) == {ENGINES[engine]} and loaded >= NUMERICS
    assert {file.name for file in (tmp_path / "out").iterdir()} == {"run.nc", "summary.json"}


@pytest.mark.parametrize(("module", "alone"), [("pushpoint.__main__", True), ("pushpoint.cli.main", False)])
def test_the_collector_rests_in_a_process_of_the_commands_own(module: str, alone: bool, tmp_path: Path) -> None:
    program = f"""
import gc
from {module} import main
before = gc.get_threshold()
main()
print(gc.get_threshold() == before, gc.get_freeze_count() == 0)
"""
    done = without_extras(program, "--version", folder=tmp_path)
    assert done.stdout.splitlines()[-1] == ("False False" if alone else "True True"), done.stderr


def test_a_room_of_the_papers_is_loaded_without_the_others(tmp_path: Path) -> None:
    program = "import pushpoint as pp\npp.scenario('plane/curl')\nprint(*sys.modules)"
    loaded = set(without_extras(program, folder=tmp_path).stdout.split())
    assert "pushpoint.papers.ours.plane" in loaded
    assert {name for name in loaded if name.startswith("pushpoint.papers.") and "2014" in name} == set()


def test_a_missing_extra_is_one_sentence_with_the_command() -> None:
    error = MissingExtra("a film", "film")
    assert isinstance(error, PushpointError) and (error.what, error.extra) == ("a film", "film")
    assert str(error) == "a film needs the extra 'film': pip install 'pushpoint[film]'"


def test_extras_that_are_asked_for_exist() -> None:
    sources = [file.read_text(encoding="utf-8") for file in Path(pushpoint.__file__).parent.rglob("*.py")]
    asked = {extra for text in sources for extra in re.findall(r'MissingExtra\([^()]*, "(\w+)"\)', text)}
    assert asked and asked <= set(EXTRAS)
    assert set(re.findall(r"\w+", EXTRAS["all"][0])) - {"pushpoint"} == set(EXTRAS) - {"all", "dev", "docs"}


def bounds(requirements: list[str]) -> dict[str, str]:
    """Lower bounds by name, such as {"numpy": "2.2"}."""
    found = (re.match(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+)", each) for each in requirements)
    return {match[1]: match[2] for match in found if match}


def pinned(file: str) -> dict[str, tuple[int, ...]]:
    lines = re.findall(r"^([\w.-]+)==([\d.]+)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    return {name: version(text) for name, text in lines}


def version(text: str) -> tuple[int, ...]:
    """Numbers of a version; zeros at the end say nothing."""
    return tuple(map(int, re.sub(r"(\.0+)+$", "", text).split(".")))


def test_lower_bounds_are_the_versions_that_the_oldest_environment_has() -> None:
    asked = bounds([*PROJECT["dependencies"], *(each for name in MODULES for each in EXTRAS[name])])
    assert len(asked) == len(PROJECT["dependencies"]) + len(MODULES) + len(OTHERS | {"dask"})
    oldest, newest = pinned("requirements-oldest.txt"), pinned("requirements.txt")
    assert {name: oldest[name] for name in asked} == {name: version(text) for name, text in asked.items()}
    assert all(newest[name] >= oldest[name] for name in oldest if name in newest and name in asked)
    assert set(oldest) >= set(asked) and set(newest) >= set(asked)
