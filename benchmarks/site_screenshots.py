"""Screenshots of eight pages of the built site, wide and as on a phone, into out/docs-shots; needs chromium.

make docs
.venv/bin/python benchmarks/site_screenshots.py [--out FOLDER] [--dark] [PAGE ...]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "out" / "docs"
PAGES = (
    "index",
    "reference/python/robots",
    "reference/command-line",
    "reference/scenario-keys",
    "reference/result-variables",
    "gallery",
    "theory/planar",
    "tutorials/01-first-slither",
)
SIZES = {"wide": "1280,1000", "phone": "390,844"}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
LONGEST = 120  # [s]


def shoot(browser: str, page: str, size: str, target: Path, *, dark: bool) -> None:
    """Takes one picture; equations get time to be drawn."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={size}"]
    options += ["--virtual-time-budget=8000", f"--screenshot={target}"]
    options += ["--blink-settings=preferredColorScheme=0"] if dark else []
    address = (SITE / f"{page}.html").as_uri()
    subprocess.run([browser, *options, address], check=True, capture_output=True, timeout=LONGEST)


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("pages", nargs="*", default=PAGES, metavar="PAGE")
    reader.add_argument("--out", type=Path, default=ROOT / "out" / "docs-shots")
    reader.add_argument("--dark", action="store_true", help="as a reader sees it who prefers dark pages")
    asked = reader.parse_args()
    browser = next((name for name in BROWSERS if shutil.which(name)), None)
    missing = [page for page in asked.pages if not (SITE / f"{page}.html").is_file()]
    if browser is None or missing:
        print(f"error: {f'no such page: {missing[0]}; run make docs' if missing else 'no chromium'}", file=sys.stderr)
        return 2
    asked.out.mkdir(parents=True, exist_ok=True)
    for page in asked.pages:
        for name, size in SIZES.items():
            target = asked.out / f"{page.replace('/', '-')}-{'dark-' if asked.dark else ''}{name}.png"
            shoot(browser, page, size, target, dark=asked.dark)
            print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
