"""Tries an installed pushpoint from an empty folder: python -I smoke.py STAGE VERSION PROGRAMS

STAGE is `core`, where what needs an extra must say so in one line, or `all`, where it must work and the programs of the
front page run. The last line that is printed is JSON. It stands alone: nothing of the tree is imported.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

DEMO, DEMO_SECONDS = "transeth2008a/obstacle-aided", 1.0


def command(*arguments: str, status: int = 0) -> str:
    """What the installed command prints; its exit status must be the one that is expected."""
    call = [str(Path(sysconfig.get_path("scripts")) / "pushpoint"), *arguments]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode != status or "Traceback" in done.stderr:
        sys.exit(f"pushpoint {' '.join(arguments)} ended with {done.returncode}, not {status}: {done.stderr[-400:]}")
    return done.stdout if status == 0 else done.stderr


def demand(right: bool, sentence: str) -> None:
    if not right:
        sys.exit(sentence)


def timed(work: Any) -> float:
    begun = time.perf_counter()
    work()
    return round(time.perf_counter() - begun, 2)


def commands(version: str) -> None:
    demand(command("--version").strip() == f"pushpoint {version}", "pushpoint --version says another version")
    demand(DEMO in command("list", "--json"), f"pushpoint list does not have {DEMO}")
    if " doctor" in command("--help"):
        command("doctor")


def demo(stage: str) -> dict[str, Any]:
    seconds = timed(lambda: command("run", DEMO, "--duration", str(DEMO_SECONDS), "--out", "demo"))
    made = {file.name for file in Path("demo").rglob("*") if file.is_file()}
    wanted = {"run.nc", "summary.json", "course.png"} | ({"run.mp4", "replay.html"} if stage == "all" else set())
    demand(wanted <= made, f"the demo lacks {', '.join(sorted(wanted - made))}")
    return {"simulated_s": DEMO_SECONDS, "wall_s": seconds}


def library(pp: Any) -> Any:
    """Your own run, kept, read again and drawn; in the plane and in space."""
    run = pp.scenario(DEMO).with_changes(duration=0.5).run()
    pp.save(run, "run.nc")
    again = pp.load("run.nc")
    demand(bool((again.link_angle == run.link_angle).all()), "a run that was saved and loaded is another")
    pp.plots.save_figure(pp.plots.course(run), "course.png")
    demand(Path("course.png").read_bytes()[:4] == b"\x89PNG", "course.png is no picture")
    lifted = pp.scenario("transeth2008b/sidewinding").with_changes(duration=0.1).run()
    demand(float(abs(lifted.joint_torque).max()) > 0, "the spatial robot has no torque")
    return run


def extras_are_named(pp: Any, run: Any) -> None:
    """Without extras: one line that says what to install."""
    for make, extra in ((lambda: pp.film(run, "x.mp4"), "film"), (lambda: pp.replay(run, "x.html"), "studio")):
        try:
            make()
        except pp.errors.MissingExtra as error:
            wanted = f"pip install 'pushpoint[{extra}]'"
            demand(wanted in str(error) and "\n" not in str(error), f"the extra {extra} is not named: {error}")
        else:
            sys.exit(f"something works without the extra {extra}, or the extra is installed already")
    said = command("bench", "planar", "--quick", status=2)
    demand("pushpoint[bench]" in said and said.count("\n") == 1, f"bench without MuJoCo says: {said}")


def front_page(programs: str) -> None:
    done = subprocess.run([sys.executable, "-I", programs], capture_output=True, text=True, check=False)
    demand(done.returncode == 0, f"the programs of the front page fail: {' '.join(done.stderr.split())[-300:]}")


def main() -> None:
    stage, version, programs = sys.argv[1:]
    begun = time.perf_counter()
    import pushpoint as pp

    demand(Path(pp.__file__).is_relative_to(sys.prefix), f"pushpoint is taken from {pp.__file__}")
    demand(pp.__version__ == version, f"pushpoint.__version__ is {pp.__version__}, not {version}")
    commands(version)
    found: dict[str, Any] = {"python": platform.python_version(), "demo": demo(stage)}
    run = library(pp)
    if stage == "core":
        extras_are_named(pp, run)
    else:
        pp.film(run, "run.mp4")
        pp.replay(run, "replay.html")
        found["readme_s"] = timed(lambda: front_page(programs))
    found["seconds"] = round(time.perf_counter() - begun, 1)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
