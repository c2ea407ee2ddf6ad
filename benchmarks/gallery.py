"""The pictures of the front page and of the gallery: one for every name that `pushpoint list` shows.

    python -m benchmarks.gallery                       # all of them; runs kept in out/gallery are used again
    python -m benchmarks.gallery spatial/rubble front  # some of them

A scenario is run by `pushpoint run NAME`, a sweep by `pushpoint sweep NAME`, in out/gallery. The picture of a scenario
is `pp.still` of that run, that of a sweep its own figure. `front` is the moving picture of the front page, `first-run`
the picture beside its three lines of Python. All go to docs/images, in few colours so that they stay small.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.front_film import write_front
from PIL import Image

import pushpoint as pp
from pushpoint.papers.registry import scenario_names, sweep_names
from pushpoint.papers.transeth2008a.scenarios import sweep_speeds
from pushpoint.whole_files import write_atomically

IMAGES = Path(__file__).parents[1] / "docs" / "images"
WIDTH, MOST_BYTES = 640, 60_000
FIRST, FRONT = "first-run", "front"
TELLING = {
    "curves/over-the-top": 5.0,
    "curves/raised-head": 5.0,
    "spatial/stairs-rest": 2.0,
    "spatial/rubble": 12.0,
    "transeth2008b/sidewinding": 4.0,
}
"""When in a run the picture is taken, where halfway tells less [s]."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="of scenarios and sweeps, and front or first-run; default: all")
    parser.add_argument("--runs", type=Path, default=Path("out/gallery"), help="where runs are kept and looked for")
    parser.add_argument("--images", type=Path, default=IMAGES, help="where pictures are written")
    given = parser.parse_args()
    known = [*scenario_names(), *sweep_names(), FIRST, FRONT]
    if unknown := [name for name in given.names if name not in known]:
        parser.error(f"unknown: {', '.join(unknown)}")
    for name in given.names or known:
        print(f"{name}: {draw(name, given.runs, given.images)}", flush=True)


def draw(name: str, runs: Path, images: Path) -> str:
    """Draws one picture, and says where it is and how large."""
    if name == FRONT:
        target = write_front(lambda part: pp.load(run_of(part, runs) / "run.nc"), images / "front.gif")
        return f"{target.name}, {target.stat().st_size / 1e6:.2f} MB"
    (images / "gallery").mkdir(parents=True, exist_ok=True)
    if name == FIRST:
        run = pp.load(run_of("transeth2008a/obstacle-aided", runs) / "run.nc")
        target = packed(pp.still(run, images / "first-run.png"), images / "first-run.png", 1280)
    else:
        target = images / "gallery" / f"{slug(name)}.png"
        packed(still_of(name, run_of(name, runs), target), target, WIDTH)
    return f"{target.name}, {target.stat().st_size / 1e3:.0f} kB"


def slug(name: str) -> str:
    """A name as that of a file."""
    return name.replace("/", "-")


def run_of(name: str, runs: Path) -> Path:
    """The folder with the results of a scenario or sweep, which is run unless they are there."""
    folder, sweep = runs / slug(name), name in sweep_names()
    if not (folder / ("runs.nc" if sweep else "run.nc")).exists():
        command = ["sweep", name] if sweep else ["run", name, "--no-media"]
        subprocess.run([sys.executable, "-m", "pushpoint", *command, "--out", str(folder)], check=True)
    return folder


def still_of(name: str, folder: Path, target: Path) -> Path:
    """The picture of a run; or the figure of a sweep, as the command draws it, from the runs that it kept."""
    if name in sweep_names():
        sweep, runs = pp.scenario(name), pp.load(folder / "runs.nc")
        verdict, varies = sweep.claims[0].evaluate(lambda _: runs), sweep.varies
        assert varies is not None
        if varies.measures is None:
            return pp.plots.save_figure(pp.plots.sweep(sweep, sweep_speeds(sweep, runs), verdict), target)
        return pp.plots.save_figure(pp.plots.sweep_effects(sweep, runs, verdict), target)
    run = pp.load(folder / "run.nc")
    return pp.still(run, target, time=TELLING.get(name), width=WIDTH, key=False)


def packed(source: Path, target: Path, width: int) -> Path:
    """Writes a picture with as many colours as keep it small."""
    image: Any = Image.open(source).convert("RGB")
    if image.width > width:
        image = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
    for colors in (256, 128, 64, 32, 16):
        small = image.quantize(colors, dither=Image.Dither.NONE)
        write_atomically(target, lambda place, small=small: small.save(place, format="PNG", optimize=True))
        if target.stat().st_size <= MOST_BYTES:
            break
    assert np.asarray(small).any()
    return target


if __name__ == "__main__":
    main()
