"""Where it was tried is written from what the commands kept."""

from __future__ import annotations

from typing import Any

from pushpoint.proof.platforms import PLATFORMS

MACHINE = {
    "processor": "Fast 9000",
    "cores": 2,
    "system": "Linux x86_64",
    "python": "Python 3.11.7",
    "load_before": 0.5,
}


def test_pythons() -> None:
    stage: dict[str, Any] = {"install_s": 31.4, "megabytes": 867, "demo": {"simulated_s": 1.0, "wall_s": 41.1}}
    every = stage | {"megabytes": 1075, "demo": {"simulated_s": 1.0, "wall_s": 9.0}}
    found = {"version": "0.1.0", "date": "2026-11-16", "machine": MACHINE, "bytes": {"wheel": 8.4e5, "sdist": 3.5e6}}
    pythons = {"3.13": {"python": "3.13.0", "core": stage, "all": every}}
    made = PLATFORMS["pythons"]({"platforms": found | {"pythons": pythons}})
    assert "| 3.13.0 | 31 s, 867 MB | 1,075 MB | 41 s | 9 s |" in made and "Linux x86_64, Fast 9000" in made
    asked = {"macOS, arm64": True, "Windows, x86-64": False}
    made = PLATFORMS["pythons"]({"platforms": found | {"pythons": pythons, "other_systems": asked}})
    assert "can be had for macOS, arm64: yes; Windows, x86-64: no. Nothing was run there." in made
    assert "make release-check" in PLATFORMS["pythons"]({})


def test_fresh_machine() -> None:
    steps = [
        {"command": "make test", "status": 0, "seconds": 640.0, "tests": "3120 passed"},
        {"command": "make docs", "status": 2, "seconds": 61.0},
    ]
    found = {"date": "2026-11-16", "machine": MACHINE, "steps": steps, "megabytes": {".venv": 1400.2}}
    made = PLATFORMS["fresh machine"]({"fresh-machine": found})
    assert "| `make test` | 11 min | 3120 passed |" in made and "| `make docs` | 61 s | failed |" in made
    assert "| environment with all extras | 1,400 MB |" in made and "logs/fresh-machine.txt" in made
    assert "size of the downloads is not known" in made and "0 MB" not in made.replace("1,400 MB", "")
    assert "make fresh-machine" in PLATFORMS["fresh machine"]({})
