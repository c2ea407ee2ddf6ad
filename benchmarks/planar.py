"""Prints the planar benchmark as JSON; the same as `pushpoint bench planar --json`."""

import json

from pushpoint.bench.planar import run_bench

print(json.dumps(run_bench(), indent=2))
