"""Prints the spatial benchmark as JSON; the same as `pushpoint bench spatial --json`."""

import json

from pushpoint.bench.spatial import run_bench

print(json.dumps(run_bench(), indent=2))
