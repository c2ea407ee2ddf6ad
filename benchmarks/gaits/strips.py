"""Draws a strip for each gait of the library, three moments side by side, for docs/theory/gaits.md.

python -m benchmarks.gaits.strips                 # all of them; runs kept in out/gallery are used again
python -m benchmarks.gaits.strips gaits/rolling   # some of them
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.gallery import IMAGES, packed, run_of, slug
from PIL import Image

import pushpoint as pp
from pushpoint.papers.ours.gaits import SCENARIOS

WIDTH, SHARES = 320, (0.3, 0.6, 0.95)
"""Width of one picture [px], and when in the run it is taken [-]."""


def strip(name: str) -> Path:
    """Draws the strip of a scenario."""
    run = pp.load(run_of(name, Path("out/gallery")) / "run.nc")
    with tempfile.TemporaryDirectory() as folder:
        stills = [
            pp.still(run, Path(folder) / f"{k}.png", time=share * float(run.time[-1]), width=WIDTH, key=False)
            for k, share in enumerate(SHARES)
        ]
        pictures = [Image.open(still).convert("RGB") for still in stills]
        whole = Image.new("RGB", (WIDTH * len(pictures), max(picture.height for picture in pictures)), "white")
        for k, picture in enumerate(pictures):
            whole.paste(picture, (k * WIDTH, 0))
        whole.save(Path(folder) / "strip.png")
        (IMAGES / "gaits").mkdir(exist_ok=True)
        return packed(Path(folder) / "strip.png", IMAGES / "gaits" / f"{slug(name)}.png", whole.width)


if __name__ == "__main__":
    for name in sys.argv[1:] or SCENARIOS:
        print(f"{name}: {strip(name).stat().st_size / 1e3:.0f} kB", flush=True)
